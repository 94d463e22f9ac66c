"""A practice: each lease plays one task, which may be reset. Nothing is recorded."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from houseguest.agent.v1 import agent_pb2
from houseguest.control.v1 import control_pb2

from env_service.domain.failure import Withdrawal, WorldFault
from env_service.domain.observation import ObservationOffer
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.schedule import Assignment
from env_service.domain.session import Decision, PracticeSession, Verdict, practice_seeds
from env_service.domain.task import Task
from env_service.domain.usage import Usage
from env_service.gateway.agent_session import AgentSession, Answer
from env_service.gateway.background import HelperProcesses, in_thread
from env_service.gateway.engine_pool import EnginePool, EngineSpec, with_hosting_limits, world_facts
from env_service.gateway.episode_in_play import EpisodeInPlay
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.run_context import AttachGrant, NullRecords, RunContext
from env_service.gateway.run_state import Counts
from env_service.gateway.selection_request import SelectionRequest
from env_service.gateway.session_queue import SessionQueue
from env_service.suites.base import Suite
from env_service.suites.drafts import Draft, Selection, draft_practice
from env_service.suites.registry import load_suite
from env_service.wire.episodes import practice_result_to_wire

LOG = logging.getLogger(__name__)
TICK_SECONDS = 0.1
AGENT_NAME = "practice"
"""The name of every agent in a practice. It is not recorded."""


@dataclass(frozen=True, slots=True)
class PracticeTerms:
    """What to practise: one session for each of ``tasks``, which are from ``task_set``.

    ``unused_seconds``: the practice closes after so long without a session; None: never.
    """

    task_set: str
    tasks: tuple[Task, ...]
    unused_seconds: float | None


class Practice:
    """A RunHandle (see gateway.run_handle) for practice. Lives on one event loop.

    The next session of a number replaces one that has ended or whose Attach has closed, so a
    restarted script gets a session at once.
    """

    def __init__(
        self,
        context: RunContext[NullRecords],
        terms: PracticeTerms,
        limits: ServiceLimits,
        queue: SessionQueue,
    ) -> None:
        """``context.engine`` has been started."""
        self.run_id = context.run_id
        self.context = context
        self.task_set = terms.task_set
        self.tasks = terms.tasks
        self.limits = limits
        self.session_count = len(self.tasks)
        self.offer: ObservationOffer = context.suite.offer(context.condition)
        self.agent_name = AGENT_NAME
        self.over = self.draining = False
        self.drained_by = 0.0
        self.stopped = ""
        """Why it closed itself; empty where it was closed."""
        self.closed = asyncio.Event()
        self._queue = queue
        self._unused_seconds = terms.unused_seconds
        self._used_at = time.monotonic()
        self._sessions: dict[int, PracticeAgentSession] = {}
        self._held: set[str] = set()
        self._closing: asyncio.Task[None] | None = None
        self._schedulers = [
            PracticeScheduler(
                context, task, practice_seeds(context.seed, k, self.session_count), self._break_down
            )
            for k, task in enumerate(self.tasks)
        ]
        self._ticker = asyncio.ensure_future(self._tick_for_ever())

    # --- RunHandle

    def counts(self) -> Counts:
        """Nothing is counted."""
        return Counts()

    async def declare(self, claims: Mapping[str, object]) -> None:
        """What an agent says of itself is not kept."""

    def serial(self, number: int) -> int:
        """Leases are never reissued."""
        del number
        return 0

    def session(self, number: int, serial: int) -> PracticeAgentSession | None:
        """The session of a lease; None before it is attached."""
        del serial
        return self._sessions.get(number)

    def check_vacant(self, number: int) -> None:
        """Ends the number's session if no agent is attached to it.

        Raises ProtocolError: SEAT_TAKEN if one is, DRAINING if the practice closes.
        """
        if self.draining:
            raise ProtocolError(Reason.DRAINING)
        session = self._sessions.get(number)
        if session is None or session.state.ended is not None:
            return
        if session.has_listeners:
            raise ProtocolError(Reason.SEAT_TAKEN, "Another process uses this token.")
        session.leave()
        self._release(session)

    def open_session(self, number: int, grant: AttachGrant) -> PracticeAgentSession:
        """A fresh session, with a place of the queue. Raises as check_vacant."""
        self.check_vacant(number)
        if (earlier := self._sessions.get(number)) is not None:
            self._release(earlier)
        session_id = f"s-{secrets.token_hex(8)}"
        session = PracticeAgentSession(session_id, self._schedulers[number], self.limits, grant)
        self._sessions[number] = session
        self._held.add(session_id)
        return session

    # --- the end

    async def close(self) -> None:
        """Ends every session and stops the workers. Idempotent."""
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        self.draining = self.over = True
        self._ticker.cancel()
        for scheduler in self._schedulers:
            scheduler.over = True
        try:
            await asyncio.gather(*(session.abandon() for session in self._sessions.values()))
            for session in self._sessions.values():
                self._release(session)
            await self.context.engine.close()
        finally:
            await in_thread(self.context.folder.close)
            self.closed.set()

    def _break_down(self, why: str) -> None:
        LOG.error("practice %s closes: %s", self.run_id, why)
        self._stop(why)

    def _stop(self, why: str) -> None:
        self.stopped = self.stopped or why
        if self._closing is None:
            self._closing = asyncio.ensure_future(self._close())

    def _release(self, session: PracticeAgentSession) -> None:
        """Gives the session's place in the queue back, once."""
        if session.session_id in self._held:
            self._held.discard(session.session_id)
            self._queue.release()

    async def _tick_for_ever(self) -> None:
        while True:
            for session in list(self._sessions.values()):
                session.tick()
                if session.state.ended is not None:
                    self._release(session)
            self._look_for_use()
            await asyncio.sleep(TICK_SECONDS)

    def _look_for_use(self) -> None:
        now, longest = time.monotonic(), self._unused_seconds
        if self._held:
            self._used_at = now
        elif longest is not None and now - self._used_at > longest:
            self._stop(f"no agent used it for {longest:g} s")


# --- From what was asked for to a practice that is open

THINKING_SECONDS = 3600.0
"""Agent time for one decision: an agent that learns may pause long between two steps. An
episode as a whole has no budget."""

UNUSED_SECONDS = 3600.0
"""A practice opened over ControlService closes itself when no session has lived for so long."""


@dataclass(frozen=True, slots=True)
class PracticeRequest(SelectionRequest):
    """What to practise. Empty names mean: the first task set that needs no data, its first task
    for every session, its first world.

    ``tasks`` are ids, groups or shell patterns: session k gets the k-th of those tasks, from
    the first on again where they are fewer. Without ``task_set`` the first may name one. ``seed``
    is of the episodes whose agent names none.
    """

    unused_seconds: float | None = UNUSED_SECONDS


async def open_practice(
    request: PracticeRequest,
    engines: EnginePool,
    service_limits: ServiceLimits,
    queue: SessionQueue,
    helpers: HelperProcesses,
) -> Practice:
    """Opens a practice. Raises as EnvironmentService.open_run does."""
    others = {"sessions": request.sessions, "unused_for": request.unused_seconds}
    request.check(control_pb2.CreatePracticeRequest, others)
    draft, suite = await _draft_tasks(request, helpers)
    allowed = (await world_facts(draft.world, helpers)).allowed
    skills = suite.skills_per_step(draft.condition)
    limits = with_hosting_limits(_generous(service_limits), allowed, skills)
    folder = await in_thread(NullRecords)
    try:
        spec = EngineSpec(
            suite=request.suite,
            world=draft.world,
            workers=_workers(suite, draft.world, request.sessions),
            exactly=True,
            log_folder=folder.logs,
            limits=limits,
            allowed=allowed,
        )
        engine = engines.engine(spec)
        try:
            await engine.start()
        except BaseException:
            await engine.close()
            raise
    except BaseException:
        await in_thread(folder.close)
        raise
    context = RunContext(
        run_id=f"practice-{secrets.token_hex(8)}",
        suite=suite,
        world=draft.world,
        condition=draft.condition,
        disclosure=suite.disclosure(draft.condition),
        engine=engine,
        folder=folder,
        seed=request.seed,
        episode_budget=limits.session.episode_budget,
        disclose_result=practice_result_to_wire,
        features=(agent_pb2.FEATURE_PRACTICE,),
    )
    terms = PracticeTerms(draft.task_set, tuple(draft.tasks), request.unused_seconds)
    return Practice(context, terms, limits, queue)


async def _draft_tasks(request: PracticeRequest, helpers: HelperProcesses) -> tuple[Draft, Suite]:
    selection = Selection(
        suite=request.suite,
        task_set=request.task_set,
        world=request.world,
        condition=dict(request.condition),
        tasks=tuple(request.tasks),
    )
    packed = await helpers.call(draft_practice, selection, request.sessions)
    draft = await in_thread(packed.unpack)
    return draft, await in_thread(load_suite, request.suite)


def _generous(limits: ServiceLimits) -> ServiceLimits:
    """The service's limits, with longer times for learning."""
    session = replace(limits.session, step_budget=THINKING_SECONDS, episode_budget=None)
    return replace(limits, session=session)


def _workers(suite: Suite, world: str, sessions: int) -> int:
    """As many workers as all sessions need; more if the machine has the cores."""
    needed = -(-sessions // suite.episodes_per_worker(world))
    return max(needed, min(sessions, os.cpu_count() or 1))


# --- A practice session: it can be reset, and what it plays counts nowhere

TRIES = 3
"""How often in a row a world may fail to begin the task before the agent is refused."""


class PracticeScheduler:
    """A Scheduler that gives one session the same task, again and again."""

    def __init__(
        self,
        context: RunContext[NullRecords],
        task: Task,
        seeds: Iterator[int],
        broke_down: Callable[[str], None],
    ) -> None:
        """``seeds``: for episodes whose agent names none. ``broke_down`` is called with the reason
        if no worker can be started."""
        self.context = context
        self.task = task
        self.over = False
        """Set when the practice closes."""
        self.broke_down = broke_down
        self._seeds = seeds
        self._failed = 0

    def choose(self, seed: int | None) -> None:
        """The next episode's seed; None: the next of the service's own."""
        self.context = replace(self.context, seed=next(self._seeds) if seed is None else seed)
        self._failed = 0

    async def next_assignment(self) -> Assignment | None:
        """The task. Raises ProtocolError DRAINING, or TASK_NOT_BEGUN after TRIES faults."""
        if self.over:
            raise ProtocolError(Reason.DRAINING)
        if self._failed >= TRIES:
            raise ProtocolError(Reason.TASK_NOT_BEGUN)
        return Assignment(self.task, repeat=0)

    def attempt(self, assignment: Assignment) -> int:
        """Which try at this task it is, from 1."""
        del assignment
        return self._failed + 1

    def opened(self, episode: EpisodeInPlay) -> None:
        """Nothing is counted."""

    def completed(self, episode: EpisodeInPlay) -> None:
        """Nothing is counted."""

    def voided(self, episode: EpisodeInPlay, fault: WorldFault) -> None:
        """An episode was lost to the service."""
        del episode
        self._failed += 1
        LOG.warning("practice of %s: %s", self.task.id, fault)

    def withdrew(
        self, session_id: str, withdrawal: Withdrawal, episode: EpisodeInPlay | None
    ) -> None:
        """Nothing is kept: another session may follow."""

    def charge(self, usage: Usage) -> None:
        """No budget is kept."""

    def returned(self, assignment: Assignment) -> None:
        """Nothing is counted."""


class PracticeAgentSession(AgentSession):
    """A session that serves PracticeReset."""

    def __init__(
        self,
        session_id: str,
        scheduler: PracticeScheduler,
        limits: ServiceLimits,
        grant: AttachGrant,
    ) -> None:
        super().__init__(session_id, scheduler, limits, grant)
        self._practice = scheduler
        self._resettable: PracticeSession[Answer] = PracticeSession(
            limits.session, secrets.token_bytes(24), time.monotonic()
        )
        self.state = self._resettable

    def leave(self) -> None:
        """Ends the session at once, for another one to take its place."""
        self._abandoned = True
        self.state.end(Reason.SESSION_REPLACED)
        self._operations.cancel()
        self._drop()
        self.notify()

    def _judge_begin(self, request: agent_pb2.BeginEpisodeRequest, now: float) -> Decision[Answer]:
        epoch, ordinal = request.session_epoch, request.episode_ordinal
        if request.HasField("practice"):
            decision = self._resettable.request_reset(epoch, ordinal, now)
        else:
            decision = self.state.request_begin(epoch, ordinal, now)
        if decision.verdict is Verdict.EXECUTE:
            named = request.practice.HasField("seed")
            self._practice.choose(request.practice.seed if named else None)
            self._drop()
        return decision

    def _drop(self) -> None:
        """Lets go of the open episode, unless it is being scored already."""
        episode = self._episode
        if episode is not None and episode.live and not episode.finishing:
            episode.drop()
