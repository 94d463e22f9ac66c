"""Built-in rooms: kitchens, living rooms, bedrooms and bathrooms, drawn up from a seed."""
