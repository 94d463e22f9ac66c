"""How long object actions take."""

SECONDS = 0.1
"""Simulated time of an action on an object, like that of a motion of the agent."""
