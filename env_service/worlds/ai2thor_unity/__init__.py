"""AI2-THOR itself: its Unity player under its own Python package, supervised."""
