"""Heavy simulators take turns to start: many at once would make all of them time out."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from env_service.domain.failure import FaultClass, WorldFault
from env_service.engine.placement import FreeMemory

_LOOK = 0.25
"""Seconds between two looks at whether there is still a reason to wait."""
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stagger:
    """How simulators follow one another on a GPU, one start at a time.

    ``pause``: at least so many seconds between two starts. ``gpu_memory``: bytes that have to be
    free on the GPU; a start waits ``patience`` seconds for them. Raises ValueError for a number
    below 0.
    """

    pause: float = 2.0
    gpu_memory: int = 2**30
    patience: float = 60.0

    def __post_init__(self) -> None:
        for name in ("pause", "gpu_memory", "patience"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; needs at least 0")


class ColdStarts:
    """The starts of simulators on this machine. Shared by all engines that use its GPUs."""

    def __init__(self) -> None:
        self._locks: defaultdict[int | None, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._latest: dict[int | None, float] = {}
        self._memory = FreeMemory()
        self._warned: set[int] = set()

    @asynccontextmanager
    async def turn(
        self, gpu: int | None, stagger: Stagger, wanted: Callable[[], bool]
    ) -> AsyncIterator[None]:
        """Waits for the turn to start a simulator on a GPU, and holds it.

        ``gpu`` None has a separate queue. Stops waiting once ``wanted`` is false.

        Raises:
            WorldFault: SERVICE_FAULT, if the GPU's memory stays too full.
        """
        async with self._locks[gpu]:
            loop = asyncio.get_running_loop()
            due = self._latest.get(gpu, float("-inf")) + stagger.pause
            while wanted():
                left = due - loop.time()
                if left <= 0:
                    break
                await asyncio.sleep(min(left, _LOOK))
            if gpu is not None:
                await self._wait_for_memory(gpu, stagger, wanted)
            self._latest[gpu] = loop.time()
            yield

    async def _wait_for_memory(
        self, gpu: int, stagger: Stagger, wanted: Callable[[], bool]
    ) -> None:
        """Waits for free memory."""
        loop = asyncio.get_running_loop()
        end = loop.time() + stagger.patience
        while wanted():
            free = await self._memory.of(gpu)
            if free is None:
                if gpu not in self._warned:
                    self._warned.add(gpu)
                    _LOG.warning("nvidia-smi does not report the free memory of GPU %d", gpu)
                return
            if free >= stagger.gpu_memory:
                return
            if loop.time() >= end:
                raise WorldFault(
                    FaultClass.SERVICE_FAULT,
                    f"GPU {gpu} has {free / 2**20:.0f} MiB of free memory, but a simulator needs"
                    f" {stagger.gpu_memory / 2**20:.0f} MiB to start: waited for"
                    f" {stagger.patience:g} s. Stop other programs that use the GPU, or lower"
                    " --worlds-per-gpu",
                )
            await asyncio.sleep(_LOOK)
