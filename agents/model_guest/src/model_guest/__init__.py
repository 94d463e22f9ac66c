"""What model guests share: from an observation to a model's reply, and on to an action."""
