"""Answers of a later revision: fields and events that this one does not know."""

from __future__ import annotations

from google.protobuf.message import Message
from houseguest.agent.v1 import agent_pb2

UNKNOWN_FIELD = b"\xba\x3e\x05later"
"""Field 999, a string."""

UNKNOWN_EVENT = b"\x9a\x06\x00"
"""Field 99, an empty message: an event of AttachResponse that does not exist yet."""


def outgoing(message: Message, *, strange: bool) -> bytes:
    """The message as it is sent; with ``strange`` some unknown fields are in it."""
    if not strange:
        return message.SerializeToString()
    if isinstance(message, agent_pb2.BeginEpisodeResponse) and message.HasField("episode"):
        message.episode.MergeFromString(UNKNOWN_FIELD)
        message.episode.action_space.MergeFromString(UNKNOWN_FIELD)
    elif isinstance(message, agent_pb2.StepResponse) and message.HasField("observation"):
        message.observation.MergeFromString(UNKNOWN_FIELD)
    return message.SerializeToString() + UNKNOWN_FIELD
