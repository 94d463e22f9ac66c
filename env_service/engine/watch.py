"""Keeps workers from taking the machine's memory, which others need too."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Sequence

from env_service.engine.memory import MemoryBounds, resident_bytes
from env_service.engine.supervisor import WorkerSupervisor

_GIB = 2**30
_LOG = logging.getLogger(__name__)


class MemoryWatch:
    """Looks at the memory of workers every few seconds, and acts on their bounds.

    ``workers`` tells those that live; ``retire`` is to have one host no new episode.
    """

    def __init__(
        self,
        bounds: MemoryBounds,
        workers: Callable[[], Sequence[WorkerSupervisor]],
        retire: Callable[[WorkerSupervisor], None],
    ) -> None:
        self._bounds = bounds
        self._workers = workers
        self._retire = retire
        self._watching: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to watch, unless it does."""
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def stop(self) -> None:
        """Watches no longer. May be called twice, and before ``start``."""
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._bounds.period)
            workers = self._workers()
            pids = [worker.pid for worker in workers]
            # Beside the loop: a simulator has many threads, each with a file of its own to read.
            held = await asyncio.to_thread(_resident, pids)
            for worker, resident in zip(workers, held, strict=True):
                self._judge(worker, resident)

    def _judge(self, worker: WorkerSupervisor, resident: int) -> None:
        bounds, held = self._bounds, f"{resident / _GIB:.2f} GiB of memory"
        if not worker.live:
            return
        if resident > bounds.kill:
            problem = f"held {held}, above the bound of {bounds.kill / _GIB:.2f} GiB,"
            _LOG.error("worker %d (pid %d) %s and is killed", worker.number, worker.pid, problem)
            worker.kill(problem)
        elif resident > bounds.retire and not worker.worn:
            _LOG.warning(
                "worker %d (pid %d) holds %s, above %.2f GiB: it is replaced after its episodes",
                *(worker.number, worker.pid, held, bounds.retire / _GIB),
            )
            self._retire(worker)


def _resident(pids: Sequence[int]) -> list[int]:
    return [resident_bytes(pid) for pid in pids]
