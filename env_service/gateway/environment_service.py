"""The environment service: opens runs, issues their leases, and closes everything it opened."""

from __future__ import annotations

import asyncio
import itertools
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from houseguest.control.v1 import control_pb2

from env_service.domain.episode import FinishReason
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.schedule import Schedule, VoidLimits
from env_service.domain.session import SessionLimits
from env_service.engine.base import Engine
from env_service.engine.placement import Placement
from env_service.gateway.background import HelperProcesses, in_thread
from env_service.gateway.engine_pool import EnginePool, EngineSpec, with_hosting_limits, world_facts
from env_service.gateway.limits import PROTOCOL_REVISION, ServiceLimits
from env_service.gateway.practice import Practice, PracticeRequest, open_practice
from env_service.gateway.run import Run, SpendingLimits
from env_service.gateway.run_context import RunContext
from env_service.gateway.run_handle import RunHandle
from env_service.gateway.run_state import KEEP_SECONDS, MOST_PAST, MOST_WHOLE, KnownRun, PastRun
from env_service.gateway.selection_request import SelectionRequest
from env_service.gateway.session_queue import SessionQueue
from env_service.gateway.tokens import Lease, LeaseTokens
from env_service.gateway.violations import ViolationTracker
from env_service.results.frame_packer import Packer
from env_service.results.manifest import Manifest, hardware, host_versions, package_versions
from env_service.results.run_folder import RunFolder
from env_service.storage.signing_key import SigningKey
from env_service.suites.base import Suite
from env_service.suites.drafts import Draft, Selection, draft_run
from env_service.suites.registry import load_suite
from env_service.worlds.base import HostingLimits


@dataclass(frozen=True, slots=True)
class RunRequest(SelectionRequest):
    """What to evaluate. Empty names mean the suite's defaults; ``limit`` 0: all tasks.

    Attributes:
        agent: the agent's name in the run's identity.
        fresh: begins a new folder even if the same run exists.
        workers: within ``bounds.WORKERS``; 0: ``ServiceLimits.workers``, but at most as many as
            the service's GPUs have places.
        max_cost_usd: dollars that the agents' models may cost over the whole run, as the agents
            report them; None: unbounded. Not part of the run's identity, so the same request with
            a higher budget resumes the run.
        max_tokens: the same for tokens, sent and received.
        sandbox_facts: facts about the agent's sandbox, for the run's manifest. Not part of the
            identity.
        agent_files: the agent's files, as ``AgentFiles.to_json`` gives them. Part of the identity;
            empty if unknown.
        resume_anyway: resumes a run whose agent was edited since, and marks the run as a mixture.
    """

    limit: int = 0
    repeats: int = 1
    agent: str = "external"
    episode_budget: float | None = None
    fresh: bool = False
    workers: int = 0
    max_cost_usd: float | None = None
    max_tokens: int | None = None
    sandbox_facts: Mapping[str, Any] = field(default_factory=dict)
    agent_files: Mapping[str, Any] = field(default_factory=dict)
    resume_anyway: bool = False

    @property
    def spending(self) -> SpendingLimits:
        """What the agents' models may use."""
        return SpendingLimits(self.max_cost_usd, self.max_tokens)


@dataclass(frozen=True, slots=True)
class _RunPlan:
    suite: Suite
    draft: Draft
    facts: Mapping[str, str]
    """What the world is on this machine."""
    allowed: HostingLimits | None

    @property
    def world(self) -> str:
        return self.draft.world

    @property
    def condition(self) -> dict[str, str]:
        return self.draft.condition


class EnvironmentService:
    """Every run of this service. Lives on one event loop."""

    def __init__(
        self,
        root: Path,
        key: SigningKey,
        limits: ServiceLimits | None = None,
        placement: Placement | None = None,
        helpers: int = 0,
    ) -> None:
        """``placement`` None: worlds run anywhere. ``helpers``: processes that load, draw and list
        tasks (see gateway.background); 0 does it on the event loop."""
        self.limits = limits or ServiceLimits()
        self.queue = SessionQueue(self.limits.max_sessions)
        self.violations = ViolationTracker()
        self._root = root
        self._key = key
        self._tokens = LeaseTokens()
        self._packer = Packer()
        self._engines = EnginePool(placement)
        self.helpers = HelperProcesses(helpers)
        self._runs: dict[str, Run] = {}
        self._past: dict[str, PastRun] = {}
        self._ended: dict[str, asyncio.TimerHandle] = {}
        """Of the runs that are over and still answer agents, the oldest first, until when."""
        self._serials = itertools.count(0, 2**32)
        self._closers: dict[str, asyncio.Task[None]] = {}
        self._practices: dict[str, Practice] = {}
        self._issued: dict[Lease, tuple[str, float]] = {}
        self._closed = False

    # --- for the operator

    async def open_run(self, request: RunRequest) -> Run:
        """Opens a run, or resumes an earlier one of the same identity.

        Raises UnknownNameError for a name that does not exist, ValueError for a number out of
        range, RunFolderBusyError and its like for a folder that cannot be used, EngineError
        when no worker starts or other runs hold all places on the service's GPUs, DataPackError
        where the suite's data are not there, WorldUnavailableError where its world is not.
        """
        _check(request)
        self._engines.check(request.workers)
        plan = await self._plan(request)
        limits = self._limits_of(request, plan)
        manifest = await in_thread(_manifest, request, plan, limits.session)
        identity = await in_thread(manifest.plan_identity)
        await self._wait_for_closing(identity)
        folder = await in_thread(self._open_folder, manifest, request)
        try:
            engine = self._engine(request, plan, folder.logs, limits)
            try:
                run = self._run(request, plan, engine, folder, limits)
                run.identity = identity
                if self.knows(run.run_id):
                    run.follow(self.run(run.run_id))
                await self._start(run)
            except BaseException:
                await engine.close()
                raise
        except BaseException:
            await in_thread(folder.close)
            raise
        self._past.pop(run.run_id, None)
        if (until := self._ended.pop(run.run_id, None)) is not None:
            until.cancel()
        self._runs[run.run_id] = run
        self._closers[run.run_id] = asyncio.ensure_future(self._close_when_over(run))
        if run.offer.channels and not run.over:
            await in_thread(self._packer.watch, folder.frames)
        return run

    async def _plan(self, request: RunRequest) -> _RunPlan:
        selection = Selection(
            suite=request.suite,
            task_set=request.task_set,
            world=request.world,
            condition=dict(request.condition),
            tasks=tuple(request.tasks),
            limit=request.limit,
            repeats=request.repeats,
        )
        packed = await self.helpers.call(draft_run, selection)
        draft = await in_thread(packed.unpack)
        suite = await in_thread(load_suite, request.suite)
        world = await world_facts(draft.world, self.helpers)
        return _RunPlan(suite, draft, world.facts, world.allowed)

    def _open_folder(self, manifest: Manifest, request: RunRequest) -> RunFolder:
        return RunFolder.open(
            self._root,
            manifest,
            self._key,
            fresh=request.fresh,
            resume_anyway=request.resume_anyway,
        )

    async def _wait_for_closing(self, identity: str) -> None:
        """A run that is over keeps its folder until its workers have ended."""
        for run in list(self._runs.values()):
            if run.over and run.identity == identity:
                await asyncio.shield(self._closers[run.run_id])

    async def _start(self, run: Run) -> None:
        """Starts the workers of a run that is not complete already."""
        await run.start()
        try:
            if not run.over:
                await run.context.engine.start()
            if self._closed:
                raise ProtocolError(Reason.DRAINING)
        except BaseException:
            await run.drain()
            raise

    def runs(self) -> tuple[KnownRun, ...]:
        """Every run of this service, newest first; of those that are over the newest MOST_PAST
        and some."""
        known: list[KnownRun] = [*self._past.values(), *self._runs.values()]
        return tuple(sorted(known, key=lambda run: run.created, reverse=True))

    def knows(self, run_id: str) -> bool:
        """Whether ``run`` finds a run of that id."""
        return run_id in self._runs or run_id in self._past

    def run(self, run_id: str) -> KnownRun:
        """The run of that id. Raises ProtocolError RUN_NOT_FOUND."""
        if not self.knows(run_id):
            raise ProtocolError(Reason.RUN_NOT_FOUND, f"No run {run_id!r} in this service.")
        return self._runs.get(run_id) or self._past[run_id]

    async def open_practice(self, request: PracticeRequest) -> Practice:
        """Opens leases for practice. Nothing of it is recorded. Raises as ``open_run`` does."""
        if self._closed:
            raise ProtocolError(Reason.DRAINING)
        practice = await open_practice(
            request, self._engines, self.limits, self.queue, self.helpers
        )
        self._practices[practice.run_id] = practice
        self._closers[practice.run_id] = asyncio.ensure_future(self._forget_when_closed(practice))
        if self._closed:
            await practice.close()
            raise ProtocolError(Reason.DRAINING)
        return practice

    def practice(self, practice_id: str) -> Practice:
        """The open practice of that id. Raises ProtocolError RUN_NOT_FOUND."""
        if practice_id not in self._practices:
            raise ProtocolError(Reason.RUN_NOT_FOUND, f"No open practice {practice_id!r}.")
        return self._practices[practice_id]

    def lease_token(self, run: RunHandle, number: int) -> str:
        """The token of a number's newest lease: the same one until half its time is over."""
        lease = Lease(run.run_id, number, run.serial(number))
        token, expires = self._issued.get(lease, ("", 0.0))
        if time.time() > expires - self.limits.token_seconds / 2:
            expires = time.time() + self.limits.token_seconds
            token = self._tokens.issue(lease, expires)
            self._issued[lease] = (token, expires)
        return token

    async def renew_lease(self, run: Run, number: int, finish: FinishReason) -> str:
        """A fresh lease for a session number whose agent was lost.

        The lost agent's session ends, its open episode as the agent's failure ``finish``.
        Raises ProtocolError BAD_RUN for a number that the run does not have.
        """
        if number >= run.session_count:
            raise ProtocolError(
                Reason.BAD_RUN, f"The run has sessions 0 … {run.session_count - 1}, not {number}."
            )
        self._issued.pop(Lease(run.run_id, number, run.serial(number)), None)
        await run.vacate(number, finish)
        return self.lease_token(run, number)

    async def close(self, patience: float = 0.0) -> None:
        """Drains every run for up to ``patience`` seconds, and stops every worker.

        Idempotent. Closes all it can, then raises the first error.
        """
        self._closed = True
        for until in self._ended.values():
            until.cancel()
        drains = [run.drain(patience) for run in self._runs.values()]
        drains += [practice.close() for practice in self._practices.values()]
        done = await asyncio.gather(*drains, return_exceptions=True)
        done += await asyncio.gather(*self._closers.values(), return_exceptions=True)
        await in_thread(self._packer.close)
        self.helpers.close()
        for error in done:
            if isinstance(error, BaseException):
                raise error

    # --- for agents

    def lease(self, token: str) -> Lease:
        """Reads a lease token. Raises ProtocolError."""
        return self._tokens.check(token, time.time())

    def run_handle(self, run_id: str) -> RunHandle:
        """The run or practice of a lease. Raises ProtocolError RUN_OVER for a run that ended long
        ago, and RUN_NOT_FOUND."""
        found = self._practices.get(run_id) or self._runs.get(run_id)
        if found is None:
            raise ProtocolError(Reason.RUN_OVER if self.knows(run_id) else Reason.RUN_NOT_FOUND)
        return found

    # --- inside

    def _limits_of(self, request: RunRequest, plan: _RunPlan) -> ServiceLimits:
        skills = plan.suite.skills_per_step(plan.condition)
        limits = with_hosting_limits(self.limits, plan.allowed, skills)
        if request.episode_budget is None:
            return limits
        session = replace(limits.session, episode_budget=request.episode_budget)
        return replace(limits, session=session)

    def _engine(
        self, request: RunRequest, plan: _RunPlan, logs: Path, limits: ServiceLimits
    ) -> Engine:
        episodes = len(plan.draft.tasks) * request.repeats
        asked = request.workers or self.limits.workers
        workers = min(asked or self._enough_workers(request, plan), max(1, episodes))
        spec = EngineSpec(
            suite=request.suite,
            world=plan.world,
            workers=workers,
            exactly=request.workers > 0,
            log_folder=logs,
            limits=limits,
            allowed=plan.allowed,
        )
        return self._engines.engine(spec)

    def _enough_workers(self, request: RunRequest, plan: _RunPlan) -> int:
        """One worker a session; at most one a core if so few have places for all sessions."""
        sessions = min(request.sessions, self.limits.max_sessions)
        places = plan.suite.episodes_per_worker(plan.world)
        if places == 1:
            return sessions
        return max(-(-sessions // places), min(sessions, os.cpu_count() or 1))

    def _run(
        self,
        request: RunRequest,
        plan: _RunPlan,
        engine: Engine,
        folder: RunFolder,
        limits: ServiceLimits,
    ) -> Run:
        context = RunContext(
            run_id=folder.manifest.run_id,
            suite=plan.suite,
            world=plan.world,
            condition=plan.condition,
            disclosure=plan.suite.disclosure(plan.condition),
            engine=engine,
            folder=folder,
            seed=request.seed,
            episode_budget=limits.session.episode_budget,
        )
        episodes = len(plan.draft.tasks) * request.repeats
        voids = VoidLimits(per_run=max(VoidLimits().per_run, episodes // 10))
        return Run(
            context=context,
            schedule=Schedule(plan.draft.tasks, voids, request.repeats),
            limits=limits,
            session_count=request.sessions,
            offer=plan.suite.offer(plan.condition),
            agent_name=request.agent,
            queue=self.queue,
            spending=request.spending,
            first_serial=next(self._serials),
        )

    async def _forget_when_closed(self, practice: Practice) -> None:
        await practice.closed.wait()
        del self._practices[practice.run_id]
        self._forget_agents(practice.run_id)
        self._closers.pop(practice.run_id)

    async def _close_when_over(self, run: Run) -> None:
        await run.wait_until_over()
        await run.context.engine.close()
        await run.events.store_all()
        await in_thread(run.context.folder.close)
        await in_thread(self._packer.release, run.context.folder.frames)
        if not self._closed:
            self._forget_later(run)

    def _forget_later(self, run: Run) -> None:
        """Lets a run that is over answer its agents for a while."""
        loop = asyncio.get_running_loop()
        self._ended[run.run_id] = loop.call_later(KEEP_SECONDS, self._forget_run, run.run_id)
        if len(self._ended) > MOST_WHOLE:
            # An agent hears that all is done soon after its run is over: this run's may not yet.
            done = next((name for name in self._ended if self._runs[name].sessions_done), None)
            if done is not None:
                self._forget_run(done)
            elif len(self._ended) > 2 * MOST_WHOLE:
                self._forget_run(next(iter(self._ended)))

    def _forget_run(self, run_id: str) -> None:
        """Reduces a run that is over to what the operator may still ask for."""
        self._ended.pop(run_id).cancel()
        self._past[run_id] = self._runs.pop(run_id).past()
        if len(self._past) > MOST_PAST:
            del self._past[next(iter(self._past))]
        self._closers.pop(run_id)
        self._forget_agents(run_id)

    def _forget_agents(self, run_id: str) -> None:
        for lease in [lease for lease in self._issued if lease.run_id == run_id]:
            del self._issued[lease]
        self.violations.forget(run_id)


def _check(request: RunRequest) -> None:
    """Raises BoundError for a request that is beyond the bounds of CreateRun."""
    others = {
        "limit": request.limit,
        "repeats": request.repeats,
        "parallel_sessions": request.sessions,
        "workers": request.workers,
        "agent": request.agent,
        "time_budget": request.episode_budget,
        "max_cost_usd": request.max_cost_usd,
        "max_tokens": request.max_tokens,
    }
    request.check(control_pb2.CreateRunRequest, others)


def planned_manifest(request: RunRequest, draft: Draft, step_budget: float) -> Manifest:
    """The manifest of the run that ``open_run`` would open, without facts about its world.

    Its identities are those of the run, so it finds the run's folder before anything starts.
    ``draft`` is what ``draft_run`` gives for the request's selection; ``step_budget`` is the
    service's, in seconds.
    """
    budgets = SessionLimits(step_budget=step_budget)
    if request.episode_budget is not None:
        budgets = replace(budgets, episode_budget=request.episode_budget)
    plan = _RunPlan(load_suite(request.suite), draft, {}, None)
    return _manifest(request, plan, budgets)


def _manifest(request: RunRequest, plan: _RunPlan, limits: SessionLimits) -> Manifest:
    budgets = {
        "agent_step_seconds": limits.step_budget,
        "agent_episode_seconds": limits.episode_budget,
    }
    return Manifest(
        run_id=f"run-{secrets.token_hex(8)}",
        suite=request.suite,
        suite_version=plan.suite.version,
        task_set=plan.draft.task_set,
        task_set_digest=plan.draft.digest,
        task_ids=plan.draft.tasks.ids,
        world=plan.world,
        world_facts=plan.facts,
        condition=plan.condition,
        repeats=request.repeats,
        seed=request.seed,
        agent=request.agent,
        guest=request.sandbox_facts,
        agents=(request.agent_files,) if request.agent_files else (),
        budgets={name: seconds for name, seconds in budgets.items() if seconds is not None},
        protocol_revision=PROTOCOL_REVISION,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        packages=package_versions(plan.suite.packages),
        versions=host_versions(),
        hardware=hardware(),
        data=plan.draft.data,
    )
