"""Episodes in worker processes on this machine."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum, auto
from pathlib import Path
from typing import Any

from env_service.domain.action import Action
from env_service.domain.episode import EpisodeResult, EpisodeStatus, FinishReason, FirstObservation
from env_service.domain.failure import FaultClass, WorldFault
from env_service.domain.names import UnknownNameError
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.engine.base import EncodedStep, Opening
from env_service.engine.cold_starts import ColdStarts
from env_service.engine.config import Deadlines, LocalEngineConfig
from env_service.engine.frames import FrameReceiver
from env_service.engine.link import Request
from env_service.engine.messages import Op, PackedObservation, PackedStep, pack_action
from env_service.engine.pool import WorkerPool
from env_service.engine.supervisor import WorkerSupervisor
from env_service.suites.base import EpisodeOrder
from env_service.suites.registry import load_suite

_SIMULATOR_GONE = (FaultClass.SIMULATOR_CRASH, FaultClass.SIMULATOR_HANG)
"""After these, a worker that lives on has to start another simulator."""


class LocalEngine:
    """Hosts episodes in worker processes on this machine: ``Engine``'s contract.

    A worker that dies is replaced when the next episode begins. ``begin`` also raises
    EngineError when no worker can be started any more, or after ``close``. Raises
    UnknownNameError for a suite that does not exist, or a world that the suite does not have.
    """

    def __init__(
        self,
        config: LocalEngineConfig,
        starts: ColdStarts | None = None,
        on_closed: Callable[[], None] | None = None,
    ) -> None:
        """``starts``: those of all engines on this machine; None: this engine is alone.

        ``on_closed`` is called once, when every worker has been stopped.
        """
        suite = load_suite(config.suite)
        if config.world not in suite.worlds:
            raise UnknownNameError("world", config.world, suite.worlds)
        self._deadlines = config.deadlines
        self._pool = WorkerPool(config, suite.episodes_per_worker(config.world))
        self._stagger = config.stagger
        self._starts = starts or ColdStarts()
        self._keys = itertools.count(1)
        self._on_closed = on_closed
        self._closing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Starts the workers. Raises EngineError, with the output of one, when none can."""
        await self._pool.start()

    async def begin(
        self,
        order: EpisodeOrder,
        frames: Path | None,
        on_position: Callable[[int], None] = lambda _position: None,
    ) -> tuple[LocalEpisode, Opening]:
        """Opens an episode in the least loaded worker, waiting in turn for a free place."""
        worker = await self._pool.acquire(order.task.cluster, on_position)
        episode = LocalEpisode(worker, next(self._keys), self._deadlines, self._pool.release)
        try:
            if self._stagger is None or not worker.cold:
                return episode, await episode.begin(order, frames)
            return episode, await self._begin_cold(episode, worker, order, frames)
        except BaseException:
            episode.discard()
            raise

    async def _begin_cold(
        self,
        episode: LocalEpisode,
        worker: WorkerSupervisor,
        order: EpisodeOrder,
        frames: Path | None,
    ) -> Opening:
        """Has a worker start its simulator, when it is its turn. The deadline runs from then."""
        if self._stagger is None:
            raise RuntimeError("simulators of this engine do not take turns")
        gpu = None if worker.place is None else worker.place.gpu
        async with self._starts.turn(gpu, self._stagger, lambda: worker.live):
            opening = await episode.begin(order, frames)
        worker.cold = False
        return opening

    async def close(self) -> None:
        """Stops every worker. What is open fails as collateral. May be called twice."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        try:
            await self._pool.close()
        finally:
            if self._on_closed is not None:
                self._on_closed()


class _State(Enum):
    READY = auto()
    UNSURE = auto()
    """A call is under way, or was cancelled."""
    CLOSED = auto()


class LocalEpisode:
    """One episode in a worker: ``EpisodeHandle``'s contract. Made by ``LocalEngine.begin``.

    ``on_freed`` is called once, when the episode no longer takes a place in the worker.
    """

    def __init__(
        self,
        worker: WorkerSupervisor,
        key: int,
        deadlines: Deadlines,
        on_freed: Callable[[WorkerSupervisor], None],
    ) -> None:
        self._worker = worker
        self._link = worker.link
        self._key = key
        self._deadlines = deadlines
        self._on_freed = on_freed
        self._frames = FrameReceiver(worker.page)
        self._state = _State.READY

    async def begin(self, order: EpisodeOrder, frames: Path | None) -> Opening:
        """Opens the episode. Called once, by the engine."""
        with self._calling(Op.BEGIN):
            opening: Opening = await self._link.submit(
                Request(
                    op=Op.BEGIN,
                    key=self._key,
                    payload=(order, frames),
                    deadline=self._deadlines.begin,
                    read=self._read_opening,
                )
            )
        return opening

    async def act(self, action: Action) -> EncodedStep:
        """Executes one action."""
        with self._calling(Op.ACT):
            step: EncodedStep = await self._link.submit(
                Request(
                    op=Op.ACT,
                    key=self._key,
                    payload=pack_action(action),
                    deadline=self._deadlines.step,
                    read=self._read_step,
                )
            )
        return step

    async def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the episode in its current state, and frees it."""
        with self._calling(Op.FINISH):
            result: EpisodeResult = await self._link.submit(
                Request(
                    op=Op.FINISH,
                    key=self._key,
                    payload=reason,
                    deadline=self._deadlines.finish,
                    read=_as_it_is,
                )
            )
        self._free()
        return result

    async def abandon(self) -> None:
        """Frees the episode without a score; returns once the worker has."""
        freed = self.discard()
        if freed is not None:
            await asyncio.wait([freed])

    def discard(self) -> asyncio.Future[Any] | None:
        """Has the worker free the episode, without waiting. None where there is nothing to free."""
        if self._state is _State.CLOSED:
            return None
        self._state = _State.CLOSED
        deadline = self._deadlines.finish
        freed = self._link.submit(Request(Op.ABANDON, self._key, None, deadline, _as_it_is))
        freed.add_done_callback(self._on_discarded)
        return freed

    @contextmanager
    def _calling(self, op: Op) -> Iterator[None]:
        """The block makes one request, which may fail with WorldFault."""
        if self._state is not _State.READY:
            raise RuntimeError(f"{op.name} on an episode that is {self._state.name}: abandon it")
        self._state = _State.UNSURE
        try:
            yield
        except WorldFault as fault:
            if fault.fault in _SIMULATOR_GONE:
                self._worker.cold = True
            self._free()
            raise
        self._state = _State.READY

    def _on_discarded(self, freed: asyncio.Future[Any]) -> None:
        # A worker that died has freed the episode too. Read, so that asyncio logs no error.
        freed.exception()
        self._on_freed(self._worker)

    def _free(self) -> None:
        self._state = _State.CLOSED
        self._on_freed(self._worker)

    def _read_opening(self, payload: tuple[FirstObservation, PackedObservation, str]) -> Opening:
        first, observation, digest = payload
        return Opening(first, self._frames.unpack(observation), digest)

    def _read_step(self, payload: PackedStep) -> EncodedStep:
        outcomes, observation, status, steps_left, digest = payload
        return EncodedStep(
            tuple(Outcome(OutcomeCode(code), feedback) for code, feedback in outcomes),
            self._frames.unpack(observation),
            EpisodeStatus(status),
            steps_left,
            digest,
        )


def _as_it_is(payload: Any) -> Any:
    return payload
