"""Activities of our own, in rooms of the household world."""
