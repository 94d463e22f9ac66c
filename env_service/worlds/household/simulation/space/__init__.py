"""Where objects are: their supports and receptacles, free room, and occupied cells."""
