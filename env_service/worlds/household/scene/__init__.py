"""What a scene is, and where scenes come from."""
