"""Plays a run: starts the service and its agents, and stops both."""

from __future__ import annotations

import asyncio
import re
import shutil
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from env_service.domain.episode import FinishReason
from env_service.domain.session import SessionLimits
from env_service.engine.placement import Placement
from env_service.evaluation.lost_agents import report_lost, started_wrongly
from env_service.gateway.agent_supervisor import GOODBYE_SECONDS, AgentSupervisor
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.grpc_server import (
    GrpcServer,
    GrpcServerOptions,
    PrivateEndpoints,
    private_endpoints,
)
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint
from env_service.gateway.run import Run
from env_service.gateway.run_state import Counts, RunEvent
from env_service.gateway.runtime import service_log
from env_service.results.run_layout import SERVICE_LOG
from env_service.results.run_notes import RunStart, write_run_start
from env_service.sandbox.agent_files import files_of
from env_service.sandbox.agents import AgentSpec
from env_service.sandbox.factory import OpenedSandbox, open_recorded
from env_service.sandbox.options import PROCESS, SandboxOptions
from env_service.storage.signing_key import SigningKey


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What to play, with which agent, and where.

    ``sandbox`` says how the service starts the agent; ``opened`` is a sandbox that is open
    already, and replaces it. An agent whose ``launch`` and ``opened`` are None is started by
    somebody else. ``listen`` empty: a private address. ``log_of`` names the logger whose messages
    are written to the run's log; empty: every message of this process.
    """

    request: RunRequest
    agent: AgentSpec
    out: Path
    key_file: Path | None
    step_budget: float
    listen: str = ""
    placement: Placement | None = None
    sandbox: SandboxOptions = field(default_factory=SandboxOptions)
    opened: OpenedSandbox | None = None
    world_memory: int | None = None
    log_of: str = ""

    @property
    def external(self) -> bool:
        """Whether somebody else starts the agent."""
        return self.agent.launch is None and self.opened is None


class Reporter(Protocol):
    """Shows progress. A context manager."""

    def __enter__(self) -> Reporter: ...

    def __exit__(self, *_: object) -> None: ...

    def update(self, counts: Counts, events: list[RunEvent]) -> None:
        """Shows new events; with none, updates the times."""

    def say(self, text: str) -> None:
        """Shows a message on a separate line."""


class RunWatcher(Protocol):
    """What the user of a run sees of it. Called on the event loop."""

    def opened(self, run: Run, isolation: str) -> None:
        """The run is open, and may be over. ``isolation`` is a line for the user, or empty."""

    def issued(self, run: Run, address: str, tokens: Mapping[int, str]) -> None:
        """An external agent can attach to these sessions with these tokens."""

    def reporter(self, counts: Counts) -> Reporter:
        """Shows the progress from now on."""

    def say(self, text: str) -> None:
        """Shows a message after the progress."""


class AgentArgumentsError(Exception):
    """The agent rejected its arguments. Nothing was played, and no run folder is left."""


class _StartedWronglyError(Exception):
    """The agents reported wrong arguments, and the run has no episodes."""

    def __init__(self, folder: Path, words: str) -> None:
        super().__init__(words)
        self.folder = folder


async def evaluate(
    options: RunOptions, watcher: RunWatcher, stop: asyncio.Event
) -> tuple[Run, bool]:
    """Plays the run; returns it, closed, and whether ``stop`` ended it.

    Raises AgentArgumentsError and removes the run folder if the agent rejects its arguments before
    it has played an episode.
    """
    try:
        return await _evaluate(options, watcher, stop)
    except _StartedWronglyError as wrong:
        await asyncio.to_thread(shutil.rmtree, wrong.folder, ignore_errors=True)
        raise AgentArgumentsError(
            f"{wrong}\nNothing was played, so the run folder was removed."
        ) from wrong


async def _evaluate(
    options: RunOptions, watcher: RunWatcher, stop: asyncio.Event
) -> tuple[Run, bool]:
    with private_endpoints() as place, ExitStack() as logging:
        async with _opened(options) as opened:
            service = GrpcServer(_service_options(options, place))
            async with service:
                facts = {} if opened is None else opened.facts
                request = replace(options.request, sandbox_facts=facts)
                run = await service.environment.open_run(request)
                isolated = opened is not None and opened.facts["sandbox"] != PROCESS
                watcher.opened(run, opened.sandbox.isolation if opened and isolated else "")
                note_start(run, request, RunStart(places=options.agent.places))
                log = run.context.folder.logs / SERVICE_LOG
                logging.enter_context(service_log(log, options.log_of))
                interrupted = await _play(_Playing(service, run, options, opened, watcher), stop)
    return run, interrupted


def note_start(run: Run, request: RunRequest, started: RunStart) -> None:
    """Notes in the run folder how the run was started, and which tasks were selected."""
    task_set, patterns = run.context.folder.manifest.task_set, request.tasks
    if not request.task_set and patterns[:1] in ((task_set,), (f"{request.suite}/{task_set}",)):
        patterns = patterns[1:]
    noted = replace(
        started,
        tasks=patterns,
        limit=request.limit,
        max_cost_usd=request.max_cost_usd or 0.0,
        max_tokens=request.max_tokens or 0,
    )
    write_run_start(run.context.folder.logs, noted)


@asynccontextmanager
async def _opened(options: RunOptions) -> AsyncIterator[OpenedSandbox | None]:
    """Opens the agent's sandbox and closes it afterwards. Yields None for an external agent."""
    if options.agent.launch is None:
        yield options.opened
        return
    # Open it before the service: sandboxes fail more often, and the service's workers start slowly.
    opened = await asyncio.to_thread(open_recorded, options.agent.launch, options.sandbox)
    try:
        yield opened
    finally:
        await opened.sandbox.close()


def _service_options(options: RunOptions, place: PrivateEndpoints) -> GrpcServerOptions:
    limits = ServiceLimits(
        session=replace(SessionLimits(), step_budget=options.step_budget),
        max_sessions=max(options.request.sessions, ServiceLimits().max_sessions),
        world_memory_bytes=options.world_memory,
    )
    agents = [place.agents]
    if options.listen:
        # An external agent calls only the address that the user chose.
        agents = [options.listen] if options.external else [*agents, options.listen]
    return GrpcServerOptions(
        runs=options.out,
        key=SigningKey.load_or_create(options.key_file),
        agents=Endpoint(tuple(agents)),
        control=Endpoint((place.control,)),
        limits=limits,
        placement=options.placement,
    )


@dataclass(frozen=True, slots=True)
class _Playing:
    """A run that is being played, and everything that takes part."""

    service: GrpcServer
    run: Run
    options: RunOptions
    opened: OpenedSandbox | None
    watcher: RunWatcher

    def issue(self, tokens: Mapping[int, str]) -> None:
        self.watcher.issued(self.run, self.service.agent_addresses[0], tokens)


async def _play(playing: _Playing, stop: asyncio.Event) -> bool:
    """Plays the run to its end; returns whether the user stopped it."""
    run, watcher = playing.run, playing.watcher
    if run.over:
        return False
    if playing.opened is None:
        numbers = range(run.session_count)
        lease = playing.service.environment.lease_token
        playing.issue({number: lease(run, number) for number in numbers})
    stopping = asyncio.ensure_future(stop.wait())
    with watcher.reporter(run.counts()) as report:
        hosting = asyncio.ensure_future(_host(playing, report))
        watching = asyncio.ensure_future(_watch(run, report))
        await asyncio.wait([hosting, stopping], return_when=asyncio.FIRST_COMPLETED)
        interrupted = stop.is_set() and not run.over
        hosting.cancel()
        await asyncio.gather(hosting, return_exceptions=True)
        await run.drain()
        await watching
    stopping.cancel()
    if not hosting.cancelled() and (error := hosting.exception()) is not None:
        raise error
    return interrupted


async def _host(playing: _Playing, report: Reporter) -> None:
    """Plays until the run is over or has no agent left."""
    service, run, opened = playing.service, playing.run, playing.opened
    if opened is None:
        await _host_external(playing)
        return
    agents = AgentSupervisor(service.environment, run, opened.sandbox, service.agent_addresses[0])
    agents.on_notice = AgentNotices(report.say)
    agents.before_restart = lambda: asyncio.to_thread(_note_edit, run, playing.options.agent)
    await agents.serve()
    if agents.lost:
        if words := started_wrongly(run, agents.lost):
            raise _StartedWronglyError(run.context.folder.path, words)
        stops_run = not run.over
        why = report_lost(agents.lost, stops_run=stops_run, say=playing.watcher.say)
        if stops_run:
            run.broke_down(why)


def _note_edit(run: Run, agent: AgentSpec) -> str:
    """If the agent was edited while the run plays, has the run marked as a mixture once the
    restarted agent begins an episode, and says so."""
    made_of = files_of(agent)
    if made_of is None or not (changes := run.context.folder.restart_agent(made_of.to_json())):
        return ""
    return (
        f"the agent changed during the run: {', '.join(changes)}. The service restarts the changed"
        " agent. If it begins an episode, the run is marked as a mixture of both agents."
    )


async def _host_external(playing: _Playing) -> None:
    """Waits for agents that the user starts; issues a new token when one is lost."""
    run, environment = playing.run, playing.service.environment

    async def keep(number: int) -> None:
        while not run.over:
            await run.wait_until_vacant(number, float("inf"))
            if run.over or run.satisfied(number):
                return
            token = await environment.renew_lease(run, number, FinishReason.AGENT_LOST)
            playing.issue({number: token})

    await asyncio.gather(*(keep(number) for number in range(run.session_count)))
    await run.wait_until_over()
    await run.wait_for_goodbyes(GOODBYE_SECONDS)


async def _watch(run: Run, report: Reporter) -> None:
    """Shows events; warns after the first episode of a budget for which agents report no usage."""
    cursor, warned = 0, False
    while True:
        try:
            events = await asyncio.wait_for(run.events_after(cursor), 1.0)
        except TimeoutError:
            report.update(run.counts(), [])
            continue
        if not events:
            return
        cursor += len(events)
        counts = run.counts()
        report.update(counts, events)
        if not warned and any(event.kind == "closed" for event in events):
            warned = True
            if words := run.spending.ineffective(counts.usage):
                report.say(f"Warning: {words}")


# --- Notices of agents to the operator during a run

SAY_AGAIN = 25.0
"""Seconds until the same notice is shown again. Concurrent agents often send the same one."""

MOST_KINDS = 20
"""Maximum number of different notices shown in a run."""

_HINT = " (Ctrl-C stops the run; the same command resumes it.)"


class AgentNotices:
    """Shows each notice at most once in SAY_AGAIN seconds.

    Notices that differ only in numbers, such as a time of day, count as the same.
    """

    def __init__(
        self, say: Callable[[str], None], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._say, self._clock = say, clock
        self._said: dict[str, float] = {}

    def __call__(self, numbers: tuple[int, ...], text: str) -> None:
        """Shows a notice from the agent of these sessions; the first adds how to stop the run."""
        kind, now = re.sub(r"\d+", "#", text), self._clock()
        known = kind in self._said
        if known and now - self._said[kind] < SAY_AGAIN:
            return
        if not known and len(self._said) >= MOST_KINDS:
            return
        hint = "" if self._said else _HINT
        self._said[kind] = now
        sessions = f"session{'' if len(numbers) == 1 else 's'} {', '.join(map(str, numbers))}"
        self._say(f"{sessions}: {text}{hint}")
