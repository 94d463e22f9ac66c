"""Drawing a scene: colours, instance ids and depth."""
