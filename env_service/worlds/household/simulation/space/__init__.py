"""Where things are: what they stand on or in, where there is room, what fills which cells."""
