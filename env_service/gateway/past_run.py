"""What a service keeps of a run that is over."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from env_service.gateway.event_log import EventLog
from env_service.gateway.run_state import Counts, RunEvent, RunState

KEEP_SECONDS = 900.0
"""How long a run that is over still answers its agents: longer than an agent may think between two
episodes. Later calls get RUN_OVER."""

MOST_WHOLE = 8
"""Runs that are over and still answer their agents. A further one replaces one of these early."""

MOST_PAST = 1000
"""Other runs that are over, and that the operator can still ask about. Each takes about 2 KiB."""


class KnownRun(Protocol):
    """What the operator may ask of a run, whether it is being played or over."""

    @property
    def run_id(self) -> str:
        """Names the run, and its folder."""

    @property
    def task_set_digest(self) -> str:
        """Of the task set that it plays."""

    @property
    def path(self) -> Path:
        """The run's folder."""

    @property
    def events(self) -> EventLog:
        """What happened in it, in this process."""

    @property
    def created(self) -> float:
        """When it was opened in this process, in seconds since the epoch."""

    @property
    def state(self) -> RunState:
        """Where it is in its life."""

    @property
    def over(self) -> bool:
        """Whether no episode of it will be played any more in this process."""

    @property
    def stopped(self) -> str:
        """Why it stopped before its last episode; empty where nothing stopped it."""

    def counts(self) -> Counts:
        """How it stands."""

    async def drain(self) -> None:
        """Stops it, if it is not over."""

    async def events_after(self, cursor: int) -> list[RunEvent]:
        """Some events with a cursor above ``cursor``; empty when there will be none."""


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run that is over, without its sessions, records and workers."""

    run_id: str
    task_set_digest: str
    path: Path
    created: float
    state: RunState
    stopped: str
    final: Counts
    events: EventLog

    @property
    def over(self) -> bool:
        """It is."""
        return True

    def counts(self) -> Counts:
        """How it ended."""
        return self.final

    async def drain(self) -> None:
        """There is nothing to stop."""

    async def events_after(self, cursor: int) -> list[RunEvent]:
        """Some events with a cursor above ``cursor``, from the next one on; empty where there are
        none. Raises OSError where older ones cannot be read."""
        return await self.events.after(cursor)
