"""Places for episodes: a fixed number of workers, started and replaced as needed.

A watch keeps them from taking the memory of the machine, which others need too.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from env_service.domain.failure import FaultClass, WorldFault
from env_service.engine.base import EngineError
from env_service.engine.config import LocalEngineConfig
from env_service.engine.memory import MemoryBounds, resident_bytes
from env_service.engine.supervisor import WorkerSupervisor

PAUSES = (0.25, 0.5, 0.0)
"""Seconds after each failed attempt to start a worker."""
COOL_DOWN = 30.0
"""Seconds for which a slot that could not be filled is left alone while others work."""
POSITION_SECONDS = 2.0
"""Seconds between two checks whether positions have changed."""


@dataclass(slots=True)
class _Slot:
    """Room for one worker. ``worker`` is set from the start of its process to its end."""

    number: int
    worker: WorkerSupervisor | None = None
    busy: bool = False
    """Whether a task is filling or emptying the slot."""
    rests_until: float = 0.0

    @property
    def empty(self) -> bool:
        return self.worker is None and not self.busy


@dataclass(slots=True, eq=False)
class _Ticket:
    """A request for a place, and the cluster of its task."""

    answer: asyncio.Future[WorkerSupervisor]
    cluster: str
    on_position: Callable[[int], None]
    position: int = 0
    """The one that was announced last; 0: none."""


class WorkerPool:
    """Hands out places in workers, first come, first served.

    ``places`` is how many episodes one worker hosts at once. A worker that died is
    replaced when the next place is asked for; a worn one when its last episode has ended.
    """

    def __init__(self, config: LocalEngineConfig, places: int) -> None:
        self._config = config
        self._places = places
        self._slots = [_Slot(number) for number in range(config.workers)]
        self._waiting: deque[_Ticket] = deque()
        self._announcing: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._problem = ""
        self._closed = False
        at_once = config.starts_at_once or config.workers
        self._starts = asyncio.Semaphore(at_once)
        bounds = config.memory or MemoryBounds.for_workers(config.workers)
        self._watch = MemoryWatch(bounds, self._living, self._retire)

    async def start(self) -> None:
        """Fills every slot. Raises EngineError when not one of them could be filled."""
        self._fill_slots()
        if self._tasks:
            await asyncio.wait(self._tasks)
        if self._closed:
            raise EngineError("the engine is closed")
        if not any(slot.worker is not None for slot in self._slots):
            raise EngineError(self._problem)

    async def acquire(
        self, cluster: str = "", on_position: Callable[[int], None] = lambda _position: None
    ) -> WorkerSupervisor:
        """Takes a place in the least loaded worker, waiting in turn where all are full.

        ``on_position`` is given the position in the queue, from 1, when the wait is longer than
        POSITION_SECONDS, and then when it changes.

        Among equally loaded ones, one that was last used for the same cluster is preferred: a
        simulator that has just shown a scene may load it faster.

        Raises EngineError when no worker can be started, or the pool is closed.
        """
        if self._closed:
            raise EngineError("the engine is closed")
        answer: asyncio.Future[WorkerSupervisor] = asyncio.get_running_loop().create_future()
        self._waiting.append(_Ticket(answer, cluster, on_position))
        self._fill_slots()
        self._serve_waiting()
        if self._announcing is None and self._waiting:
            self._announce_later()
        try:
            return await answer
        except asyncio.CancelledError:
            if answer.done() and not answer.cancelled() and answer.exception() is None:
                self.release(answer.result())
            raise

    def release(self, worker: WorkerSupervisor) -> None:
        """Gives a place back."""
        worker.load -= 1
        if worker.live and worker.worn and worker.load == 0:
            self._replace(worker)
        self._serve_waiting()

    async def close(self) -> None:
        """Stops every worker. Whoever waits for a place gets a collateral WorldFault."""
        self._closed = True
        if self._announcing is not None:
            self._announcing.cancel()
        while self._waiting:
            answer = self._waiting.popleft().answer
            if not answer.done():
                fault = FaultClass.SERVICE_FAULT
                answer.set_exception(WorldFault(fault, "the engine was closed", collateral=True))
        await self._watch.stop()
        workers = [slot.worker for slot in self._slots if slot.worker is not None]
        await asyncio.gather(*(worker.stop() for worker in workers))
        await asyncio.gather(*self._tasks)

    def _serve_waiting(self) -> None:
        while self._waiting and (worker := self._freest(self._waiting[0].cluster)) is not None:
            ticket = self._waiting.popleft()
            if not ticket.answer.done():
                worker.load += 1
                worker.served += 1
                worker.cluster = ticket.cluster
                ticket.answer.set_result(worker)
        if self._waiting:
            self._fill_slots()

    def _announce_later(self) -> None:
        loop = asyncio.get_running_loop()
        self._announcing = loop.call_later(POSITION_SECONDS, self._announce_positions)

    def _announce_positions(self) -> None:
        """Reports their positions to all who wait, again and again while any wait."""
        waiting = [ticket for ticket in self._waiting if not ticket.answer.done()]
        for position, ticket in enumerate(waiting, 1):
            if ticket.position != position:
                ticket.position = position
                ticket.on_position(position)
        self._announcing = None
        if waiting:
            self._announce_later()

    def _living(self) -> list[WorkerSupervisor]:
        workers = (slot.worker for slot in self._slots)
        return [worker for worker in workers if worker is not None and worker.live]

    def _freest(self, cluster: str) -> WorkerSupervisor | None:
        free = [
            worker for worker in self._living() if not worker.worn and worker.load < self._places
        ]
        return min(free, key=partial(self._reluctance, cluster=cluster), default=None)

    def _reluctance(self, worker: WorkerSupervisor, cluster: str) -> tuple[int, bool, bool]:
        """A sort key: the pool prefers the worker with the lowest."""
        starts = self._config.stagger is not None and worker.cold
        return worker.load, worker.cluster != cluster, starts

    def _retire(self, worker: WorkerSupervisor) -> None:
        worker.retire()
        if worker.load == 0 and not self._slots[worker.number].busy:
            self._replace(worker)

    def _replace(self, worker: WorkerSupervisor) -> None:
        slot = self._slots[worker.number]
        self._spawn(self._empty_slot(slot, worker), slot)

    def _fill_slots(self) -> None:
        if self._closed:
            return
        now = asyncio.get_running_loop().time()
        working = any(not slot.empty for slot in self._slots)
        for slot in self._slots:
            if slot.empty and (not working or now >= slot.rests_until):
                self._spawn(self._fill(slot), slot)

    def _spawn(self, work: Coroutine[Any, Any, None], slot: _Slot) -> None:
        slot.busy = True
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fill(self, slot: _Slot) -> None:
        for pause in PAUSES:
            if self._closed or await self._start_worker(slot):
                break
            await asyncio.sleep(0 if self._closed else pause)
        else:
            slot.rests_until = asyncio.get_running_loop().time() + COOL_DOWN
        slot.busy = False
        self._serve_waiting_or_fail()

    async def _start_worker(self, slot: _Slot) -> bool:
        async with self._starts:
            if self._closed:
                return True
            return await self._start_in_turn(slot)

    async def _start_in_turn(self, slot: _Slot) -> bool:
        self._watch.start()
        slot.worker = worker = WorkerSupervisor(slot.number, self._config, self._on_end)
        try:
            await worker.start()
        except EngineError as problem:
            self._problem = str(problem)
            await worker.stop()
            slot.worker = None
            return False
        return True

    async def _empty_slot(self, slot: _Slot, worker: WorkerSupervisor) -> None:
        await worker.stop()
        slot.worker = None
        slot.busy = False
        self._serve_waiting()

    def _serve_waiting_or_fail(self) -> None:
        if any(not slot.empty for slot in self._slots):
            self._serve_waiting()
            return
        while self._waiting:
            answer = self._waiting.popleft().answer
            if not answer.done():
                answer.set_exception(EngineError(self._problem))

    def _on_end(self, worker: WorkerSupervisor) -> None:
        slot = self._slots[worker.number]
        if slot.worker is worker and not slot.busy:
            slot.worker = None
        self._serve_waiting()


# --- Keeps workers from taking the machine's memory, which others need too

_GIB = 2**30
_LOG = logging.getLogger(__name__)


class MemoryWatch:
    """Measures the memory of workers every few seconds, and enforces their bounds.

    ``workers`` returns those that live; ``retire`` keeps one from hosting a new episode.
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
        """Begins to watch, unless it already does."""
        if self._watching is None:
            self._watching = asyncio.get_running_loop().create_task(self._watch())

    async def stop(self) -> None:
        """Stops watching. May be called twice, and before ``start``."""
        if self._watching is not None:
            self._watching.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watching

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self._bounds.period)
            workers = self._workers()
            pids = [worker.pid for worker in workers]
            # In a thread: a simulator has many threads, each with a file to read.
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
