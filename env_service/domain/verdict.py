"""How a session judges requests, and the passing of time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Generic, TypeVar

from env_service.domain.episode import EpisodeStatus

A = TypeVar("A")


class Verdict(Enum):
    """What the caller has to do with a request that was accepted."""

    EXECUTE = auto()
    """Do it, then report with ``begun``, ``stepped`` or ``ended``."""
    JOIN = auto()
    """The same request is running: wait for it and give its answer."""
    REPLAY = auto()
    """It was done: give the stored answer again."""
    CLOSED = auto()
    """The episode is over; answer with its status and execute nothing."""


@dataclass(frozen=True, slots=True)
class Decision(Generic[A]):
    """A verdict, with the answer for REPLAY and the status for CLOSED."""

    verdict: Verdict
    answer: A | None = None
    status: EpisodeStatus | None = None


class Expiry(Enum):
    """What the passing of time did to a session."""

    AGENT_TIMEOUT = auto()
    """A budget ran out: the open episode is closed, the session lives."""
    AGENT_LOST = auto()
    """The grace period ran out: the session ended, with its open episode if any."""
    IDLE = auto()
    """The seat was held too long without an episode: the session ended."""
