"""Shared code of model agents: from an observation to a model's reply, and from it to an action."""
