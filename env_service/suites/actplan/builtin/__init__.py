"""Houseguest's built-in activities, set in rooms of the household world."""
