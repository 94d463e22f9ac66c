"""The builders of all types, in files by what a reader looks for: food, seating, lamps."""
