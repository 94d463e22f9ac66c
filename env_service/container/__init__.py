"""Programs for the images of the environment service."""
