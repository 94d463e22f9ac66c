"""Making a scene into the opening of a task."""
