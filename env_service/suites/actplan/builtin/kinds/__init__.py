"""The kinds of built-in activities, by the room that they belong to."""
