"""Keeps what is told of an episode's past within a message."""

from __future__ import annotations

from houseguest.agent.v1 import agent_pb2


def shorten_history(response: agent_pb2.GetEpisodeResponse, most: int) -> None:
    """Leaves out actions, the oldest first, until the response has at most ``most`` bytes or no
    action is left."""
    excess = response.ByteSize() - most
    for step in response.history:
        if excess <= 0:
            return
        excess -= step.action.ByteSize()
        step.ClearField("action")
