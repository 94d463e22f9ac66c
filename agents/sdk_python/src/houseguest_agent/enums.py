"""The protocol's enumerations.

Each member equals the protocol's number and prints as its name in lower case, such as
``stepwise``. An unknown value from a newer service reads as UNSPECIFIED.
"""

from __future__ import annotations

from enum import Enum, IntEnum
from typing import Self


class _OpenEnum(IntEnum):
    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        return cls(0) if isinstance(value, int) and value else None

    def __str__(self) -> str:
        return self.name.lower()

    # An IntEnum formats as its number even if it defines __str__.
    __format__ = Enum.__format__


class Mode(_OpenEnum):
    """How an episode is played."""

    UNSPECIFIED = 0
    STEPWISE = 1
    """Act, observe, act again."""
    PLAN = 2
    """One step: a whole plan."""
    ANSWER = 3
    """One step: an answer in words."""


class EpisodeStatus(_OpenEnum):
    """Whether an episode is still running."""

    UNSPECIFIED = 0
    RUNNING = 1
    TERMINATED = 2
    """The environment or the agent ended it."""
    TRUNCATED = 3
    """A budget ran out."""
    VOIDED = 4
    """The service failed, or the agent withdrew; the episode does not count."""


class OutcomeCode(_OpenEnum):
    """How the environment reacted to an action, as precisely as the condition allows."""

    UNSPECIFIED = 0
    SUCCEEDED = 1
    REFUSED = 2
    WITHHELD = 3
    UNPARSABLE = 4
    UNKNOWN_SKILL = 5
    UNKNOWN_OBJECT = 6
    PRECONDITION_FAILED = 7
    PHYSICALLY_BLOCKED = 8


class Channel(_OpenEnum):
    """A kind of picture."""

    UNSPECIFIED = 0
    RGB = 1
    DEPTH = 2
    SEGMENTATION = 3
    TOP_DOWN = 4


class ImageRole(_OpenEnum):
    """When, or from where, a picture was taken."""

    UNSPECIFIED = 0
    CURRENT = 1
    PREVIOUS = 2
    VIEW = 3


class ImageEncoding(_OpenEnum):
    """The format of a picture's bytes."""

    UNSPECIFIED = 0
    RAW = 1
    PNG = 2
    WEBP_LOSSLESS = 3
    JPEG = 4
    RAW_F32 = 5


class Feature(_OpenEnum):
    """An optional part of the protocol that a service supports."""

    UNSPECIFIED = 0
    STREAMING_PLAY = 1
    FRAME_REFERENCE = 2
    PLAN = 3
    DEPTH = 4
    SEGMENTATION = 5
    WITHDRAW = 6
    PRACTICE = 7
    PROMPT = 8


class EndReason(_OpenEnum):
    """Why an agent ends an episode."""

    UNSPECIFIED = 0
    AGENT_DONE = 1
    AGENT_GAVE_UP = 2
    AGENT_ERROR = 3


class WithdrawReason(_OpenEnum):
    """Why an agent withdraws from an episode."""

    UNSPECIFIED = 0
    MODEL_UNREACHABLE = 1
    """The model's server does not answer, or returns only errors."""
    MODEL_REFUSED = 2
    """The model's server refuses the key, the model's name or the account."""
    BUDGET_SPENT = 3
    """The agent has spent a budget that it set itself."""
    OTHER = 4
