"""What model agents share: from an observation to a model's reply, and on to an action."""
