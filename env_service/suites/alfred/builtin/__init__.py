"""Tasks of our own in built-in rooms, with commands in five wordings."""
