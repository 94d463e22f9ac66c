"""Where episodes run, seen from the gateway."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from env_service.domain.action import Action
from env_service.domain.episode import (
    EpisodeResult,
    EpisodeStatus,
    FinishReason,
    FirstObservation,
)
from env_service.domain.observation import EncodedObservation
from env_service.domain.outcome import Outcome
from env_service.suites.base import EpisodeOrder


@dataclass(frozen=True, slots=True)
class Opening:
    """An episode that has begun.

    ``observation`` is what the agent will see; ``first.observation`` is empty, because the worker
    encoded its frames. ``state_digest`` is hex SHA-256.
    """

    first: FirstObservation
    observation: EncodedObservation
    state_digest: str


@dataclass(frozen=True, slots=True)
class EncodedStep:
    """A StepReport whose frames were encoded, hashed and stored in the worker.

    The fields are StepReport's; ``state_digest`` is hex SHA-256, after the step.
    """

    outcomes: tuple[Outcome, ...]
    observation: EncodedObservation
    status: EpisodeStatus
    steps_left: int
    state_digest: str


class EpisodeHandle(Protocol):
    """One episode in a worker. Calls on one handle never overlap.

    Every method raises WorldFault when the worker dies (SIMULATOR_CRASH), does not answer
    within its deadline (SIMULATOR_HANG; the worker is killed) or the suite raises
    (SERVICE_FAULT). After a WorldFault the handle is dead: only ``abandon`` may be called.
    Cancelling a call kills nothing, but leaves the handle fit for ``abandon`` only.
    """

    async def act(self, action: Action) -> EncodedStep:
        """Executes one action."""

    async def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the episode in its current state, and frees it."""

    async def abandon(self) -> None:
        """Frees the episode without a score. Never raises; may be called at any time."""


class Engine(Protocol):
    """Hosts episodes. One asyncio loop, many episodes at once."""

    async def start(self) -> None:
        """Makes workers ready. Raises EngineError when not one of them can start."""

    async def begin(
        self,
        order: EpisodeOrder,
        frames: Path | None,
        on_position: Callable[[int], None] = lambda _position: None,
    ) -> tuple[EpisodeHandle, Opening]:
        """Opens an episode, waiting for a free place where none is.

        ``on_position`` is given the position in the queue for a place, from 1, where the wait is
        long.

        ``frames`` is the folder of a FrameStore to which the worker writes every picture
        that the agent is shown; None stores nothing. Raises WorldFault as EpisodeHandle does.
        """

    async def close(self) -> None:
        """Stops every worker, politely and then not. Leaves no process behind."""


class EngineError(Exception):
    """The engine cannot host episodes at all; the message says why and how to mend it."""
