"""Runs the service and the terminal agent for one player, and stops both."""

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
from env_service.cli.run_outcome import pack_rest
from env_service.domain.session import SessionLimits
from env_service.domain.text import counted
from env_service.evaluation.run_evaluation import note_start
from env_service.gateway.environment_service import RunRequest
from env_service.gateway.grpc_server import GrpcServer, GrpcServerOptions, private_endpoints
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.listeners import Endpoint
from env_service.gateway.run import Run
from env_service.gateway.runtime import service_log
from env_service.processes.child import ChildProcess
from env_service.results.run_layout import SERVICE_LOG
from env_service.results.run_notes import PLAY, RunStart
from env_service.sandbox.interface import AgentStart
from env_service.storage.signing_key import SigningKey


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """The options of the command line. ``command`` starts the agent."""

    request: RunRequest
    command: tuple[str, ...]
    out: Path
    key_file: Path | None
    step_budget: float


@dataclass(frozen=True, slots=True)
class PlaySession:
    """How a session ended.

    ``exit_code`` is the agent's exit status; None if there was nothing to play, or if the service
    was stopped first (``interrupted``).
    """

    run: Run
    exit_code: int | None
    interrupted: bool = False


async def play(options: PlayOptions) -> PlaySession:
    """Lets one person play the run until all is played or they leave.

    An episode that is open when the agent ends is abandoned and does not count.
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
            logging.enter_context(service_log(run.context.folder.logs / SERVICE_LOG))
            _announce(run)
            token = service.environment.lease_token(run, 0)
            start = AgentStart(service.agent_addresses[0], (token,), options.request.seed)
            session = await _play(run, options.command, start)
            await run.drain()
    return session


async def _play(run: Run, command: tuple[str, ...], start: AgentStart) -> PlaySession:
    """Starts the agent and waits until it exits or the user presses Ctrl-C repeatedly."""
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
    # From now on, Ctrl-C raises KeyboardInterrupt again.
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.remove_signal_handler(sign)
    return PlaySession(run, code, interrupted=code is None)


def conclude(session: PlaySession, *, as_json: bool = False) -> int:
    """Prints the run folder; returns the command's exit status.

    It does not print the score, because agents do not see it and there may be more to play. Raises
    Failure if the service could not write the summary.
    """
    run = session.run
    folder, counts = run.context.folder, run.counts()
    if run.summary is None:
        raise Failure(
            f"The summary of {folder.path} could not be written; logs/service.log has the reason."
            " Finished episodes are kept. Fix the problem and run the same command to continue."
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
    rest = "all are played" if not left else f"{left} to play: run the same command to continue"
    unscored = f", {counts.unscored} unscored" if counts.unscored else ""
    click.echo(
        f"Recorded: {counts.done} of {counted(counts.total, 'episode')}{unscored}; {rest}.",
        err=True,
    )
    click.echo(f"To see the results: houseguest show {folder.path}", err=True)
    return status


def _announce(run: Run) -> None:
    counts = run.counts()
    done = f", {counts.done} played already" if counts.done else ""
    episodes = counted(counts.total, "episode")
    click.echo(f"{episodes}{done} -> {run.context.folder.path}", err=True)


# --- An agent at the user's own terminal

_PREFIX = "HOUSEGUEST_"


class TerminalAgent:
    """A running agent that shares this command's terminal.

    It stays in the terminal's foreground process group, which line editing requires, so it also
    receives Ctrl-C.
    """

    def __init__(self, child: ChildProcess) -> None:
        self._child = child

    @staticmethod
    async def start(command: tuple[str, ...], start: AgentStart) -> TerminalAgent:
        """Starts the agent's command. Raises OSError if the program does not exist."""
        environment = _clean(os.environ) | start.environment()
        return TerminalAgent(await ChildProcess.start(command, env=environment))

    async def wait(self) -> int:
        """Waits until the agent exits; returns the exit status, negative for a signal."""
        return await self._child.wait()

    async def stop(self, patience: float = 5.0) -> None:
        """Sends SIGTERM to the agent, and SIGKILL after ``patience`` seconds. Idempotent."""
        self._child.send_signal(signal.SIGTERM)
        if not await self._child.exits(patience):
            self._child.send_signal(signal.SIGKILL)
            await self._child.wait()
        self._child.reap()


def _clean(environment: Mapping[str, str]) -> dict[str, str]:
    """The user's environment without variables for the service or for another session."""
    return {name: value for name, value in environment.items() if not name.startswith(_PREFIX)}


# --- Repeated Ctrl-C

INTERRUPTS = 4
"""Presses of Ctrl-C that end the service even if the agent keeps running. The agent shares the
terminal and handles the first ones itself: it cancels a question or asks before it exits."""
INTERRUPT_SECONDS = 5.0
"""Seconds within which these presses count, so that occasional ones do not end the service."""


class RepeatedInterrupt:
    """Counts presses of Ctrl-C in quick succession."""

    def __init__(self) -> None:
        self._moments: deque[float] = deque(maxlen=INTERRUPTS)

    def press(self, now: float | None = None) -> bool:
        """Counts a press at ``now`` (``time.monotonic``); returns whether to end the service."""
        self._moments.append(time.monotonic() if now is None else now)
        return (
            len(self._moments) == INTERRUPTS
            and self._moments[-1] - self._moments[0] <= INTERRUPT_SECONDS
        )
