"""Where on a machine its heavy worlds run: on which GPU, on which cores."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from env_service.engine.base import EngineError

GPU_VARIABLE = "HOUSEGUEST_THOR_GPU"
CPUS_VARIABLE = "HOUSEGUEST_THOR_CPUS"
"""What the world AI2-THOR reads in a worker (worlds.ai2thor.settings)."""

DEFAULT_WORLDS_PER_GPU = 4


@dataclass(frozen=True, slots=True)
class Place:
    """Where one worker and its simulator run. ``gpu`` is nvidia-smi's index, None: on none.

    ``cpus`` are numbers of cores; empty: on any.
    """

    gpu: int | None = None
    cpus: tuple[int, ...] = ()

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """The worker's environment: what it inherits, and where it is."""
        ours = {GPU_VARIABLE, CPUS_VARIABLE}
        if self.gpu is not None:
            # Else the index would count among the visible ones alone.
            ours.add("CUDA_VISIBLE_DEVICES")
        environment = {name: value for name, value in inherited.items() if name not in ours}
        if self.gpu is not None:
            environment[GPU_VARIABLE] = str(self.gpu)
        if self.cpus:
            environment[CPUS_VARIABLE] = ",".join(map(str, self.cpus))
            environment["OMP_NUM_THREADS"] = str(len(self.cpus))
        return environment

    def __str__(self) -> str:
        gpu = "no GPU" if self.gpu is None else f"GPU {self.gpu}"
        return f"{gpu}, CPU {','.join(map(str, self.cpus))}" if self.cpus else gpu


@dataclass(frozen=True, slots=True)
class Placement:
    """How worlds are spread over a machine: the operator's choice.

    ``gpus`` are indices of nvidia-smi, each once; empty: worlds use no GPU, and there may be any
    number of them. ``cpus_per_world`` 0 shares the cores out evenly. ``shared``: several runs
    share the machine, so that none may take all cores. Raises ValueError for a number out of
    range.
    """

    gpus: tuple[int, ...] = ()
    worlds_per_gpu: int = DEFAULT_WORLDS_PER_GPU
    cpus_per_world: int = 0
    shared: bool = False

    def __post_init__(self) -> None:
        if self.worlds_per_gpu < 1:
            raise ValueError(f"worlds_per_gpu is {self.worlds_per_gpu}; needs at least 1")
        if self.cpus_per_world < 0:
            raise ValueError(f"cpus_per_world is {self.cpus_per_world}; needs at least 0")
        if len(set(self.gpus)) < len(self.gpus) or any(gpu < 0 for gpu in self.gpus):
            raise ValueError(f"gpus is {self.gpus}; needs indices of at least 0, each once")

    @property
    def room(self) -> int | None:
        """How many worlds there may be at once; None: any number."""
        return len(self.gpus) * self.worlds_per_gpu if self.gpus else None

    def check(self, workers: int) -> None:
        """Raises ValueError where so many workers do not fit, with the arithmetic."""
        if self.room is not None and workers > self.room:
            raise ValueError(
                f"{workers} workers do not fit: {self.arithmetic}. Ask for at most {self.room},"
                " or raise --worlds-per-gpu"
            )

    @property
    def arithmetic(self) -> str:
        """``2 GPUs × 4 worlds a GPU = 8 places``."""
        gpus, each = len(self.gpus), self.worlds_per_gpu
        return (
            f"{gpus} GPU{'s' * (gpus != 1)} × {each} world{'s' * (each != 1)} a GPU"
            f" = {self.room} place{'s' * (self.room != 1)}"
        )


class Places:
    """Gives the places of a placement away and takes them back. For one event loop."""

    def __init__(self, placement: Placement, cores: Sequence[int] | None = None) -> None:
        """``cores`` are those that may be used; None: those that this process may use."""
        self._placement = placement
        self._cores = sorted(os.sched_getaffinity(0) if cores is None else cores)
        self._taken: list[Place] = []

    def take(self, workers: int, *, exactly: bool = False) -> tuple[Place, ...]:
        """A place for each of so many workers, spread evenly over the GPUs.

        Fewer where not so many are free, unless ``exactly``. Raises ValueError where so many do
        not fit exactly even on an idle machine, EngineError where other runs hold too many.
        """
        if exactly:
            self._placement.check(workers)
        room = self._placement.room
        free = workers if room is None else room - len(self._taken)
        if free < (workers if exactly else 1):
            raise EngineError(
                f"other runs hold {len(self._taken)} of {self._placement.arithmetic}: wait until"
                " one of them is over, or have the house use more GPUs or worlds a GPU"
            )
        workers = min(workers, free)
        cores = self._share(workers)
        places = []
        for number in range(workers):
            places.append(Place(self._least_used(), cores[number]))
            self._taken.append(places[-1])
        return tuple(places)

    def give_back(self, places: Sequence[Place]) -> None:
        """Takes places back that ``take`` gave, once each."""
        for place in places:
            self._taken.remove(place)

    def _least_used(self) -> int | None:
        used = [place.gpu for place in self._taken]
        return min(self._placement.gpus, key=used.count, default=None)

    def _share(self, workers: int) -> list[tuple[int, ...]]:
        """Cores for each worker, none twice; nothing for any where there are not enough.

        Neighbouring numbers go together: on most machines they share a socket and its memory.
        """
        placement = self._placement
        taken = {core for place in self._taken for core in place.cpus}
        free = [core for core in self._cores if core not in taken]
        most = max(workers, (placement.room or 0) if placement.shared else 0)
        each = placement.cpus_per_world or len(self._cores) // most
        if each < 1 or each * workers > len(free):
            return [()] * workers
        return [tuple(free[number * each :][:each]) for number in range(workers)]
