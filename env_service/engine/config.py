"""How a local engine is set up."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path


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

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise ValueError(f"workers is {self.workers}; an engine needs at least 1")
        if self.worker_episodes is not None and self.worker_episodes < 1:
            raise ValueError(f"worker_episodes is {self.worker_episodes}; needs None or at least 1")
        if self.log_bytes < 1024:
            raise ValueError(f"log_bytes is {self.log_bytes}; needs at least 1024")
