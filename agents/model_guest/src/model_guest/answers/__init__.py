"""From a model's reply to an action."""
