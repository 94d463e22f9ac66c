"""How a local engine is set up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path

from env_service.engine.cold_starts import Stagger
from env_service.engine.memory import MemoryBounds
from env_service.engine.placement import Place


@dataclass(frozen=True, slots=True)
class Deadlines:
    """How long a worker may take, in seconds, each greater than 0.

    The clock of a call runs from when the worker is given it, not while it waits behind
    other episodes of the same worker. Over a deadline the worker is killed.
    """

    start: float = 60.0
    """From the start of the process until it is ready: imports, loading the suite."""
    begin: float = 120.0
    """Opening an episode: loading the scene, rendering the first frame."""
    step: float = 60.0
    finish: float = 30.0
    """Scoring or abandoning an episode."""

    def __post_init__(self) -> None:
        for each in fields(self):
            if not getattr(self, each.name) > 0:
                raise ValueError(f"deadline {each.name!r} is {getattr(self, each.name)}; needs > 0")


@dataclass(frozen=True, slots=True)
class LocalEngineConfig:
    """A local engine: which suite and world, in how many processes.

    ``suite`` is a name or a ``module:class`` path, as ``load_suite`` takes it. Raises
    ValueError for a number out of range.
    """

    suite: str
    world: str
    log_folder: Path
    """Takes ``worker-<n>.log`` for each worker slot; made where it does not exist."""
    workers: int = 1
    """Worker processes at once, at least 1."""
    deadlines: Deadlines = field(default_factory=Deadlines)
    worker_episodes: int | None = None
    """After so many episodes a worker is replaced by a fresh one; None: never."""
    log_bytes: int = 10 * 2**20
    """A worker's log and its rotated half together never exceed this; at least 1024."""
    places: tuple[Place, ...] = ()
    """Where each worker runs; empty: anywhere."""
    stagger: Stagger | None = None
    """How the simulators of this world follow one another; None: all may start at once."""
    starts_at_once: int | None = None
    """Worker processes that may be starting at the same time; None: all."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables of the workers, beyond those of this process."""
    memory: MemoryBounds | None = None
    """What a worker may hold; None: see `MemoryBounds.for_workers`."""

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError(f"workers is {self.workers}; an engine needs at least 1")
        if self.worker_episodes is not None and self.worker_episodes < 1:
            raise ValueError(f"worker_episodes is {self.worker_episodes}; needs None or at least 1")
        if self.log_bytes < 1024:
            raise ValueError(f"log_bytes is {self.log_bytes}; needs at least 1024")
        if len(self.places) not in (0, self.workers):
            raise ValueError(f"there are {len(self.places)} places for {self.workers} workers")
        if self.starts_at_once is not None and self.starts_at_once < 1:
            raise ValueError(f"starts_at_once is {self.starts_at_once}; needs None or at least 1")

    def place(self, worker: int) -> Place | None:
        """Where a worker runs; None: anywhere."""
        return self.places[worker] if self.places else None
