"""Plays a run for the command line: the service, its agents, progress, and Ctrl-C.

Commands import this module when they run, because it imports the gateway.
"""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import ExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import click
from rich.console import Console

from env_service.cli.errors import Misuse
from env_service.cli.run_outcome import report_lost, started_wrongly
from env_service.cli.run_progress import Reporter, reporter
from env_service.domain.episode import FinishReason
from env_service.domain.session import SessionLimits
from env_service.domain.text import counted
from env_service.engine.placement import Placement
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
from env_service.gateway.runtime import service_log
from env_service.results.run_layout import SERVICE_LOG
from env_service.results.run_notes import RunStart, write_run_start
from env_service.sandbox.agent_files import files_of
from env_service.sandbox.agents import AgentSpec
from env_service.sandbox.factory import OpenedSandbox, open_recorded
from env_service.sandbox.options import PROCESS, SandboxOptions
from env_service.storage.atomic_files import write_atomically
from env_service.storage.signing_key import SigningKey


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options of the command line."""

    request: RunRequest
    agent: AgentSpec
    out: Path
    listen: str
    token_folder: Path | None
    key_file: Path | None
    step_budget: float
    placement: Placement | None
    sandbox: SandboxOptions
    world_memory: int | None
    as_json: bool


class _StartedWronglyError(Exception):
    """The agents reported wrong arguments, and the run has no episodes."""

    def __init__(self, folder: Path, words: str) -> None:
        super().__init__(words)
        self.folder = folder


async def evaluate(options: RunOptions) -> tuple[Run, bool]:
    """Plays the run; returns it, closed, and whether the user stopped it.

    Raises Misuse and removes the run folder if the agent rejects its arguments before it has played
    an episode.
    """
    try:
        return await _evaluate(options)
    except _StartedWronglyError as wrong:
        await asyncio.to_thread(shutil.rmtree, wrong.folder, ignore_errors=True)
        raise Misuse(f"{wrong}\nNothing was played, so the run folder was removed.") from wrong


async def _evaluate(options: RunOptions) -> tuple[Run, bool]:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    # Let Ctrl-C end the process at once until the run opens: loading the tasks may take long, and
    # nothing can be lost.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with private_endpoints() as place, ExitStack() as logging:
        async with _opened(options) as opened:
            service = GrpcServer(_service_options(options, place))
            async with service:
                facts = {} if opened is None else opened.facts
                request = replace(options.request, sandbox_facts=facts)
                run = await service.environment.open_run(request)
                loop.add_signal_handler(signal.SIGINT, stop.set)
                note_start(run, request, RunStart(places=options.agent.places))
                logging.enter_context(service_log(run.context.folder.logs / SERVICE_LOG))
                interrupted = await _play(service, run, options, opened, stop)
    # From now on, Ctrl-C raises KeyboardInterrupt again.
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(sign)
    return run, interrupted


def note_start(run: Run, request: RunRequest, started: RunStart) -> None:
    """Notes in the run folder how the run was started, and which tasks were selected."""
    task_set, patterns = run.context.folder.manifest.task_set, request.tasks
    if not request.task_set and patterns[:1] in ((task_set,), (f"{request.suite}/{task_set}",)):
        patterns = patterns[1:]
    noted = replace(started, tasks=patterns, limit=request.limit)
    write_run_start(run.context.folder.logs, noted)


@asynccontextmanager
async def _opened(options: RunOptions) -> AsyncIterator[OpenedSandbox | None]:
    """Opens the agent's sandbox and closes it afterwards. Yields None for an external agent."""
    if options.agent.launch is None:
        yield None
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
        agents = [options.listen] if options.agent.launch is None else [*agents, options.listen]
    return GrpcServerOptions(
        runs=options.out,
        key=SigningKey.load_or_create(options.key_file),
        agents=Endpoint(tuple(agents)),
        control=Endpoint((place.control,)),
        limits=limits,
        placement=options.placement,
    )


async def _play(
    service: GrpcServer,
    run: Run,
    options: RunOptions,
    opened: OpenedSandbox | None,
    stop: asyncio.Event,
) -> bool:
    """Plays the run to its end; returns whether the user stopped it."""
    _announce(service, run, options)
    if run.over:
        return False
    if opened is not None and opened.facts["sandbox"] != PROCESS and not options.as_json:
        click.echo(f"Agent isolation: {opened.sandbox.isolation}", err=True)
    stopping = asyncio.ensure_future(stop.wait())
    console = Console(stderr=True)
    with reporter(console, run.counts(), quiet=options.as_json) as report:
        playing = asyncio.ensure_future(_host(service, run, options, opened, report))
        watching = asyncio.ensure_future(_watch(run, report))
        await asyncio.wait([playing, stopping], return_when=asyncio.FIRST_COMPLETED)
        interrupted = stop.is_set() and not run.over
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        await run.drain()
        await watching
    stopping.cancel()
    if not playing.cancelled() and (error := playing.exception()) is not None:
        raise error
    return interrupted


async def _host(
    service: GrpcServer,
    run: Run,
    options: RunOptions,
    opened: OpenedSandbox | None,
    report: Reporter,
) -> None:
    """Plays until the run is over or has no agent left."""
    if opened is None:
        await _host_external(service, run, options)
        return
    agents = AgentSupervisor(service.environment, run, opened.sandbox, service.agent_addresses[0])
    agents.on_notice = AgentNotices(report.say)
    agents.before_restart = lambda: asyncio.to_thread(_note_edit, run, options.agent)
    await agents.serve()
    if agents.lost:
        if words := started_wrongly(run, agents.lost):
            raise _StartedWronglyError(run.context.folder.path, words)
        stops_run = not run.over
        why = report_lost(agents.lost, stops_run=stops_run)
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


async def _host_external(service: GrpcServer, run: Run, options: RunOptions) -> None:
    """Waits for agents that the user starts; issues a new token when one is lost."""

    async def keep(number: int) -> None:
        while not run.over:
            await run.wait_until_vacant(number, float("inf"))
            if run.over or run.satisfied(number):
                return
            token = await service.environment.renew_lease(run, number, FinishReason.AGENT_LOST)
            _announce_tokens(service, run, options, {number: token})

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


def _announce(service: GrpcServer, run: Run, options: RunOptions) -> None:
    """Prints the run folder and, for an external agent, how to reach the service."""
    counts = run.counts()
    if not options.as_json:
        resumed = f", {counts.done} already final" if counts.done else ""
        complete = run.over and not run.stopped
        number = counted(counts.total, "episode")
        what = "Already complete:" if complete else f"{number}{resumed} ->"
        click.echo(f"{what} {run.context.folder.path}", err=True)
    if options.agent.launch is None and not run.over:
        numbers = range(run.session_count)
        tokens = {number: service.environment.lease_token(run, number) for number in numbers}
        _announce_tokens(service, run, options, tokens)


def _announce_tokens(
    service: GrpcServer, run: Run, options: RunOptions, tokens: Mapping[int, str]
) -> None:
    address = service.agent_addresses[0]
    if options.token_folder is not None:
        write_token_files(options.token_folder, tokens)
    if options.as_json:
        launch = {
            "event": "launch",
            "run_id": run.run_id,
            "folder": str(run.context.folder.path),
            "address": address,
            "tokens": list(tokens.values()),
        }
        click.echo(json.dumps(launch))
        return
    for number, token in tokens.items():
        # A token written to a file is not printed, because other people may read logs.
        shown = (
            f"$(cat {token_file(options.token_folder, number)})" if options.token_folder else token
        )
        click.echo(
            f"Start an agent with:\n  HOUSEGUEST_ADDRESS={address}\n  HOUSEGUEST_TOKEN={shown}",
            err=True,
        )


# --- Token files, for agents in containers that share a folder with the service


def write_token_files(folder: Path, tokens: Mapping[int, str]) -> None:
    """Writes each session's token to its ``token_file``, replacing an older one.

    Anyone who can read the folder can attach as an agent of this run. Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number, token in tokens.items():
        write_atomically(token_file(folder, number), f"{token}\n".encode())


def token_file(folder: Path, number: int) -> Path:
    """The file for the token of a session."""
    return folder / f"seat-{number}"


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
