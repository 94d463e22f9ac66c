"""Runs the service for one person at a terminal, starts their agent there, and stops both."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import deque
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import click

from env_service.cli.errors import INTERRUPTED, PROBLEM, Failure
from env_service.cli.options import print_json
from env_service.cli.run_evaluation import note_start
from env_service.cli.run_outcome import pack_rest
from env_service.domain.session import SessionLimits
from env_service.domain.text import counted
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.grpc_server import GrpcServer, GrpcServerOptions, private_endpoints
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint
from env_service.gateway.run import Run
from env_service.gateway.runtime import service_log
from env_service.processes.child import ChildProcess
from env_service.results.run_notes import PLAY, RunStart
from env_service.sandbox.interface import AgentStart
from env_service.storage.signing_key import SigningKey


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What the command line asked for. ``command`` starts the agent."""

    request: RunRequest
    command: tuple[str, ...]
    out: Path
    key_file: Path | None
    step_budget: float


@dataclass(frozen=True, slots=True)
class PlaySession:
    """What a session came to. ``exit_code`` is the agent's exit status: None where there was
    nothing to play, or the service was stopped first (``interrupted``)."""

    run: Run
    exit_code: int | None
    interrupted: bool = False


async def play(options: PlayOptions) -> PlaySession:
    """Has one person play the run until all is played, or they leave.

    However the agent ends, an open episode that has no outcome is abandoned, uncounted.
    """
    with private_endpoints() as place, ExitStack() as logging:
        limits = replace(SessionLimits(), step_budget=options.step_budget)
        service = GrpcServer(
            GrpcServerOptions(
                runs=options.out,
                key=SigningKey.load_or_create(options.key_file),
                agents=Endpoint((place.agents,)),
                control=Endpoint((place.control,)),
                limits=ServiceLimits(session=limits),
            )
        )
        async with service:
            run = await service.environment.open_run(options.request)
            note_start(run, options.request, RunStart(PLAY))
            if run.over:
                return PlaySession(run, None)
            logging.enter_context(service_log(run.context.folder.logs / "service.log"))
            _announce(run)
            token = service.environment.lease_token(run, 0)
            start = AgentStart(service.agent_addresses[0], (token,), options.request.seed)
            session = await _play(run, options.command, start)
            await run.drain()
    return session


async def _play(run: Run, command: tuple[str, ...], start: AgentStart) -> PlaySession:
    """Starts the agent and waits until it is gone, or the user insists on an end."""
    stop = asyncio.Event()
    interrupts = RepeatedInterrupt()

    def press() -> None:
        if interrupts.press():
            stop.set()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, press)
    for sign in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(sign, stop.set)
    agent = await TerminalAgent.start(command, start)
    gone, stopped = asyncio.ensure_future(agent.wait()), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({gone, stopped}, return_when=asyncio.FIRST_COMPLETED)
        code = gone.result() if gone.done() else None
    finally:
        await agent.stop()
        stopped.cancel()
        await asyncio.gather(gone, stopped, return_exceptions=True)
    # From here on Ctrl-C means what it usually means.
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.remove_signal_handler(sign)
    return PlaySession(run, code, interrupted=code is None)


def conclude(session: PlaySession, *, as_json: bool = False) -> int:
    """Says where the run lies; the command's exit status. The score is not shown: no agent is
    shown it, and there may be more to play.

    Raises Failure where the service could not even write the summary.
    """
    run = session.run
    folder, counts = run.context.folder, run.counts()
    if run.summary is None:
        raise Failure(
            f"{folder.path}: the summary could not be written; logs/service.log says why."
            " Finished episodes stand: mend it, and the same command goes on."
        )
    pack_rest(folder.frames)
    status = PROBLEM if session.exit_code or counts.unscored else 0
    status = INTERRUPTED if session.interrupted else status
    left = counts.total - counts.done - counts.unscored
    if as_json:
        print_json(
            {
                "event": "done",
                "run_id": run.run_id,
                "folder": str(folder.path),
                "exit_code": status,
                "played": counts.done,
                "unscored": counts.unscored,
                "left": left,
            }
        )
        return status
    rest = "all is played" if not left else f"{left} to play; the same command goes on"
    unscored = f", {counts.unscored} unscored" if counts.unscored else ""
    click.echo(
        f"Recorded: {counts.done} of {counted(counts.total, 'episode')}{unscored}; {rest}.",
        err=True,
    )
    click.echo(f"How it went: houseguest show {folder.path}", err=True)
    return status


def _announce(run: Run) -> None:
    counts = run.counts()
    done = f", {counts.done} played already" if counts.done else ""
    episodes = counted(counts.total, "episode")
    click.echo(f"{episodes}{done} -> {run.context.folder.path}", err=True)


# --- An agent at the user's own terminal

_PREFIX = "HOUSEGUEST_"


class TerminalAgent:
    """One running agent, which reads and writes where this command does.

    It stays in the terminal's foreground group, as line editing needs: Ctrl-C reaches it too.
    """

    def __init__(self, child: ChildProcess) -> None:
        self._child = child

    @staticmethod
    async def start(command: tuple[str, ...], start: AgentStart) -> TerminalAgent:
        """Starts the agent's command. Raises OSError where there is no such program."""
        environment = _clean(os.environ) | start.environment()
        return TerminalAgent(await ChildProcess.start(command, env=environment))

    async def wait(self) -> int:
        """The exit status, negative for a signal, once the agent is gone."""
        return await self._child.wait()

    async def stop(self, patience: float = 5.0) -> None:
        """Asks the agent to leave its session, then kills it. Idempotent."""
        self._child.send_signal(signal.SIGTERM)
        if not await self._child.exits(patience):
            self._child.send_signal(signal.SIGKILL)
            await self._child.wait()
        self._child.reap()


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's environment, without what is meant for the service or another session."""
    return {name: value for name, value in environment.items() if not name.startswith(_PREFIX)}


# --- Ctrl-C that is pressed again and again

INTERRUPTS = 4
"""Presses that end the service, whatever the agent does: the first ones are the agent's, which
shares the terminal, takes back a question or asks before it leaves."""
INTERRUPT_SECONDS = 5.0
"""Seconds for these presses. A person who takes back a question now and then insists on nothing."""


class RepeatedInterrupt:
    """Counts presses that come soon after each other."""

    def __init__(self) -> None:
        self._moments: deque[float] = deque(maxlen=INTERRUPTS)

    def press(self, now: float | None = None) -> bool:
        """Whether this press, at ``now`` (``time.monotonic``), insists on an end."""
        self._moments.append(time.monotonic() if now is None else now)
        return (
            len(self._moments) == INTERRUPTS
            and self._moments[-1] - self._moments[0] <= INTERRUPT_SECONDS
        )
