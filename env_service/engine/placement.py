"""Where on a machine its heavy worlds run: on which GPU, and on which cores."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from env_service.engine.base import EngineError
from env_service.worlds.base import WORKER_CPUS, WORKER_GPU

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
        environment = {
            **inherited,
            WORKER_GPU: "" if self.gpu is None else str(self.gpu),
            WORKER_CPUS: ",".join(map(str, self.cpus)),
        }
        if self.gpu is not None:
            # Else the index would count among the visible ones alone.
            environment.pop("CUDA_VISIBLE_DEVICES", None)
        if self.cpus:
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
    def capacity(self) -> int | None:
        """How many worlds there may be at once; None: any number."""
        return len(self.gpus) * self.worlds_per_gpu if self.gpus else None

    def check(self, workers: int) -> None:
        """Raises ValueError where so many workers do not fit, with the arithmetic."""
        if self.capacity is not None and workers > self.capacity:
            raise ValueError(
                f"{workers} workers do not fit: {self.arithmetic}. Ask for at most {self.capacity},"
                " or raise --worlds-per-gpu"
            )

    @property
    def arithmetic(self) -> str:
        """``2 GPUs × 4 worlds a GPU = 8 places``."""
        gpus, each = len(self.gpus), self.worlds_per_gpu
        return (
            f"{gpus} GPU{'s' * (gpus != 1)} × {each} world{'s' * (each != 1)} a GPU"
            f" = {self.capacity} place{'s' * (self.capacity != 1)}"
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
        capacity = self._placement.capacity
        free = workers if capacity is None else capacity - len(self._taken)
        if free < (workers if exactly else 1):
            raise EngineError(
                f"other runs hold {len(self._taken)} of {self._placement.arithmetic}: wait until"
                " one of them ends, or configure more GPUs, or more worlds per GPU"
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
        most = max(workers, (placement.capacity or 0) if placement.shared else 0)
        each = placement.cpus_per_world or len(self._cores) // most
        if each < 1 or each * workers > len(free):
            return [()] * workers
        return [tuple(free[number * each :][:each]) for number in range(workers)]


# --- The machine's NVIDIA GPUs, as nvidia-smi lists them

_LIST = ("nvidia-smi", "-L")
_FREE = ("nvidia-smi", "--query-gpu=index,memory.free", "--format=csv,noheader,nounits")
_PATIENCE = 30.0
"""Seconds for nvidia-smi: without its persistence daemon it first wakes every GPU."""
_LINE = re.compile(r"GPU (\d+): .*\(UUID: (GPU-[0-9A-Fa-f-]+)\)")
"""A line of ``nvidia-smi -L``. Those of a GPU's MIG parts are indented: no graphics run there."""
_SILENT = "nvidia-smi is missing or does not answer"
_MIB = 2**20
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU: nvidia-smi's index, and its UUID as ``GPU-5c7e…``."""

    index: int
    uuid: str


def installed_gpus() -> tuple[Gpu, ...] | None:
    """The GPUs of this machine; None if nvidia-smi is missing or fails."""
    try:
        listed = subprocess.run(
            _LIST, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    lines = listed.stdout.decode(errors="replace").splitlines()
    found = (_LINE.match(line) for line in lines)
    return tuple(Gpu(int(match[1]), match[2]) for match in found if match)


def choose_gpus(
    text: str, there: Sequence[Gpu] | None, environment: Mapping[str, str]
) -> tuple[int, ...]:
    """The indices that ``all``, ``none``, or a list of indices and UUIDs stand for.

    ``there`` is what `installed_gpus` found. ``all`` is limited to CUDA_VISIBLE_DEVICES if a job
    scheduler has set it. If ``there`` is None, indices are accepted unchecked, with a warning.

    Raises:
        ValueError: naming what cannot be used, and what could be.
    """
    words = [word.strip() for word in text.split(",")]
    if words == ["none"]:
        return ()
    if words == ["all"]:
        return _all(there, environment.get("CUDA_VISIBLE_DEVICES"))
    chosen = tuple(_one(word, there) for word in words)
    twice = next((index for index in chosen if chosen.count(index) > 1), None)
    if twice is not None:
        raise ValueError(f"GPU {twice} is named twice in {text!r}; name each once")
    if there is None:
        named = ", ".join(map(str, chosen))
        _LOG.warning("%s: GPU %s was not checked", _SILENT, named)
    return chosen


def _all(there: Sequence[Gpu] | None, visible: str | None) -> tuple[int, ...]:
    if there is None:
        raise ValueError(
            f"the GPUs of this machine are unknown, because {_SILENT}: give their indices, such as"
            " 0,1, or give none"
        )
    if visible is not None:
        named = {word.strip() for word in visible.split(",")}
        there = [gpu for gpu in there if {str(gpu.index), gpu.uuid} & named]
    if not there:
        within = "" if visible is None else f" among CUDA_VISIBLE_DEVICES={visible}"
        raise ValueError(f"no GPU was found{within}: give none, or omit the option")
    return tuple(gpu.index for gpu in there)


def _one(word: str, there: Sequence[Gpu] | None) -> int:
    number = word.isascii() and word.isdigit()
    if not number and not word.upper().startswith("GPU-"):
        raise ValueError(
            f"{word!r} is not a GPU: give all, none, or indices and UUIDs of `nvidia-smi -L`,"
            " separated by commas"
        )
    if there is None:
        if not number:
            raise ValueError(
                f"the UUID {word} cannot be looked up, because {_SILENT}: give the GPU's index"
                " instead"
            )
        return int(word)
    for gpu in there:
        if (int(word) == gpu.index) if number else (word.lower() == gpu.uuid.lower()):
            return gpu.index
    known = ", ".join(f"{gpu.index} ({gpu.uuid})" for gpu in there) or "no GPU"
    raise ValueError(f"no GPU {word}; `nvidia-smi -L` lists {known}")


class FreeMemory:
    """The memory that is free on each GPU, asked for at most once in ``fresh`` seconds."""

    def __init__(self, fresh: float = 1.0) -> None:
        self._fresh = fresh
        self._lock = asyncio.Lock()
        self._asked = float("-inf")
        self._free: Mapping[int, int] = {}

    async def of(self, gpu: int) -> int | None:
        """Bytes; None if nvidia-smi does not report them."""
        async with self._lock:
            if time.monotonic() - self._asked > self._fresh:
                self._free = await asyncio.to_thread(_ask_free)
                self._asked = time.monotonic()
        return self._free.get(gpu)


def _ask_free() -> Mapping[int, int]:
    try:
        asked = subprocess.run(
            _FREE, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return {}
    return _read_free(asked.stdout.decode(errors="replace"))


def _read_free(output: str) -> Mapping[int, int]:
    """Bytes by index, of lines like ``0, 80000``; what is ``[N/A]`` is left out."""
    cells = ([cell.strip() for cell in line.split(",")] for line in output.splitlines())
    return {
        int(pair[0]): int(pair[1]) * _MIB
        for pair in cells
        if len(pair) == 2 and all(cell.isdecimal() for cell in pair)
    }
