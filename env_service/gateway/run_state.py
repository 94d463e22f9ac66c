"""How a run stands, and what happens in it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import IntEnum

from env_service.gateway.playing import EpisodeInPlay
from env_service.results.usage import Usage


class RunState(IntEnum):
    """Where a run is in its life. Values equal ``houseguest.control.v1.RunState``."""

    PENDING = 1
    RUNNING = 2
    SUCCEEDED = 3
    FAILED = 4
    CANCELLED = 5


@dataclass(frozen=True, slots=True)
class RunEvent:
    """Something happened in a run.

    ``kind`` is ``opened``, ``closed``, ``voided`` or ``withdrawn`` for an episode, ``left``
    for a session that withdrew, or ``state``. ``time`` is seconds since the epoch;
    ``success`` and ``failure`` are set for ``closed``, ``failure`` also for ``voided`` and
    ``withdrawn``; ``session``, ``failure`` (a WithdrawReason's value) and ``message`` for
    ``left``; ``state`` for ``state``.
    """

    kind: str
    time: float
    episode_id: str = ""
    task_id: str = ""
    repeat: int = 0
    success: bool = False
    failure: str = ""
    steps: int = 0
    state: RunState | None = None
    session: int = 0
    message: str = ""


def episode_event(
    kind: str, play: EpisodeInPlay, *, success: bool = False, failure: str = ""
) -> RunEvent:
    """Something has just happened to an episode."""
    return RunEvent(
        kind,
        time.time(),
        play.episode_id,
        play.assignment.task.id,
        play.assignment.repeat,
        success,
        failure,
        play.steps,
    )


@dataclass(slots=True)
class Counts:
    """Of final episodes, and of what did not count; earlier processes' included.

    ``usage`` is what guests say that their models used, for all of them.
    """

    done: int = 0
    succeeded: int = 0
    total: int = 0
    voided: int = 0
    withdrawn: int = 0
    unscored: int = 0
    playing: int = 0
    waiting: int = 0
    """Sessions whose BeginEpisode waits for a place in a worker, and not only for a moment."""
    usage: Usage = field(default_factory=Usage)
