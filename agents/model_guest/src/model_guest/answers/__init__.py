"""From a model's words to an action."""
