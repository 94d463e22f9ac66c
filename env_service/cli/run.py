"""``houseguest run``: evaluate an agent, from start to scoreboard."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from env_service.cli.common import json_option, selection_options
from env_service.cli.run_ending import conclude
from env_service.cli.run_progress import Reporter, reporter
from env_service.domain.episode import FinishReason
from env_service.domain.session import SessionLimits
from env_service.gateway.guests import GOODBYE_SECONDS, Guests
from env_service.gateway.house import LONGEST_BUDGET, RunRequest
from env_service.gateway.listeners import Endpoint
from env_service.gateway.run import Run
from env_service.gateway.runtime import run_service
from env_service.gateway.service import Service, ServiceOptions
from env_service.gateway.settings import HouseLimits
from env_service.results.keys import SigningKey
from env_service.sandbox.agents import AgentSpec, parse_agent

F = TypeVar("F", bound=Callable[..., Any])

_EXAMPLES = """\b
Examples:
  houseguest run --suite babyai --tasks GoToLocal --agent random --limit 12
  houseguest run --suite babyai --agent 'cmd:"python my_agent.py"' --parallel 2
  houseguest run --suite babyai --set view=partial --agent random --repeats 3
  houseguest run --suite babyai --agent external --listen 127.0.0.1:7000

The same command resumes a run that was stopped. Exit code 0: every episode is final;
1: some are unscored; 2: wrong usage; 130: interrupted.
"""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the command line asked for."""

    request: RunRequest
    agent: AgentSpec
    out: Path
    listen: str
    key_file: Path | None
    step_budget: float
    as_json: bool


def _budget(name: str, default: float, text: str) -> Callable[[F], F]:
    """An option for a number of seconds, above 0 and up to LONGEST_BUDGET."""

    def check(_context: object, _parameter: object, seconds: float) -> float:
        if not 0 < seconds <= LONGEST_BUDGET:
            raise click.BadParameter(f"{seconds} s is not above 0 and up to {LONGEST_BUDGET:g}.")
        return seconds

    return click.option(name, default=default, show_default=True, callback=check, help=text)


def _count(name: str, least: int, most: int, text: str) -> Callable[[F], F]:
    """An option for a whole number, ``least`` by default."""
    kind = click.IntRange(min=least, max=most)
    return click.option(name, default=least, show_default=True, type=kind, help=text)


@click.command("run", epilog=_EXAMPLES)
@selection_options
@click.option("--agent", required=True, metavar="NAME", help='random, cmd:"…", or external.')
@click.option("--agent-args", default="", metavar="ARGS", help="Appended to the agent's command.")
@_count("--parallel", 1, 1024, "Agents that play at once.")
@_count("--seed", 0, 2**63 - 1, "Of every random draw in the run.")
@_count("--repeats", 1, 10_000, "How often each task is played.")
@click.option(
    "--out",
    default=Path("runs"),
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the run's folder goes.",
)
@click.option("--fresh", is_flag=True, help="Begin anew beside an earlier run of the same kind.")
@_count("--workers", 0, 1024, "Worker processes; 0 lets the house choose.")
@_budget("--step-budget", 600.0, "Agent seconds for one decision.")
@_budget("--episode-budget", 3600.0, "Agent seconds for an episode.")
@click.option("--listen", default="", help="Where agents call: unix:/path or host:port.")
@click.option(
    "--signing-key",
    type=click.Path(dir_okay=False, path_type=Path),
    help="PEM file of the key that signs the results; made where it does not exist.",
)
@json_option
def run_command(**options: Any) -> int:
    """Evaluate an agent on a suite's tasks.

    Starts the house and the agent, plays every selected task, and leaves a signed run folder
    that can be shown, verified and resumed.
    """
    asked = _read(options)
    run, interrupted = run_service(_evaluate(asked))
    return conclude(run, interrupted=interrupted, as_json=asked.as_json)


def _read(options: Mapping[str, Any]) -> RunOptions:
    agent = parse_agent(options["agent"], options["agent_args"])
    names = ("suite", "task_set", "world", "condition", "tasks", "limit", "seed", "repeats")
    request = RunRequest(
        **{name: options[name] for name in names},
        sessions=options["parallel"],
        workers=options["workers"],
        fresh=options["fresh"],
        agent=agent.label,
        episode_budget=options["episode_budget"],
    )
    return RunOptions(
        request=request,
        agent=agent,
        out=options["out"],
        listen=options["listen"],
        key_file=options["signing_key"],
        step_budget=options["step_budget"],
        as_json=options["as_json"],
    )


async def _evaluate(options: RunOptions) -> tuple[Run, bool]:
    """Plays the run; returns it, closed, and whether the user stopped it."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(sign, stop.set)
    with tempfile.TemporaryDirectory(prefix="houseguest-") as folder:
        limits = HouseLimits(
            session=replace(SessionLimits(), step_budget=options.step_budget),
            max_sessions=max(options.request.sessions, HouseLimits().max_sessions),
        )
        service = Service(
            ServiceOptions(
                runs=options.out,
                key=SigningKey.load_or_create(options.key_file),
                agents=Endpoint((options.listen or f"unix:{folder}/agent.sock",)),
                control=Endpoint((f"unix:{folder}/control.sock",)),
                limits=limits,
            )
        )
        async with service:
            run = await service.house.open_run(options.request)
            _log_to(run.table.folder.logs / "service.log")
            interrupted = await _play(service, run, options, stop)
    # From here on Ctrl-C means what it usually means.
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(sign)
    return run, interrupted


async def _play(service: Service, run: Run, options: RunOptions, stop: asyncio.Event) -> bool:
    """Plays the run to its end; returns whether the user stopped it."""
    if run.over:
        _announce(service, run, options)
        return False
    playing = asyncio.ensure_future(_host(service, run, options))
    stopping = asyncio.ensure_future(stop.wait())
    console = Console(stderr=True)
    _announce(service, run, options)
    with reporter(console, run.counts(), quiet=options.as_json) as report:
        watching = asyncio.ensure_future(_watch(run, report))
        await asyncio.wait([playing, stopping], return_when=asyncio.FIRST_COMPLETED)
        interrupted = stop.is_set() and not run.over
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        await run.drain()
        await watching
    stopping.cancel()
    if run.breakdown:
        click.echo(f"The run stopped, and can be resumed: {run.breakdown}", err=True)
    if not playing.cancelled() and (error := playing.exception()) is not None:
        raise error
    return interrupted


async def _host(service: Service, run: Run, options: RunOptions) -> None:
    """Returns when the run is over or has no guest left."""
    if options.agent.guest is None:
        await _host_external(service, run, options)
        return
    guests = Guests(service.house, run, options.agent.guest, service.agent_addresses[0])
    await guests.serve()
    for lost in guests.lost:
        how = "did not play" if lost.exit_code is None else f"exited with code {lost.exit_code}"
        click.echo(
            f"The agent of session {lost.session_number} {how} again and again, and never began"
            f" an episode. Its last lines:\n{lost.log_tail or '(none)'}",
            err=True,
        )


async def _host_external(service: Service, run: Run, options: RunOptions) -> None:
    """Waits for agents that others start; the seat of one that is lost gets a new lease."""

    async def keep(number: int) -> None:
        while not run.over:
            await run.wait_until_vacant(number, float("inf"))
            if run.over or run.satisfied(number):
                return
            token = await service.house.renew_lease(run, number, FinishReason.AGENT_LOST)
            _announce_seats(service, run, options, [token])

    await asyncio.gather(*(keep(number) for number in range(run.sessions)))
    await run.wait_until_over()
    await run.wait_for_goodbyes(GOODBYE_SECONDS)


async def _watch(run: Run, report: Reporter) -> None:
    cursor = 0
    while True:
        try:
            events = await asyncio.wait_for(run.events_after(cursor), 1.0)
        except TimeoutError:
            report.update(run.counts(), [])
            continue
        if not events:
            return
        cursor += len(events)
        report.update(run.counts(), events)


def _announce(service: Service, run: Run, options: RunOptions) -> None:
    """Says where the run lies and, to an external agent's keeper, how to reach the house."""
    counts = run.counts()
    if not options.as_json:
        resumed = f", {counts.done} already final" if counts.done else ""
        what = "Already complete:" if run.over else f"{counts.total} episodes{resumed} ->"
        click.echo(f"{what} {run.table.folder.path}", err=True)
    if options.agent.guest is None and not run.over:
        tokens = [service.house.lease_token(run, number) for number in range(run.sessions)]
        _announce_seats(service, run, options, tokens)


def _announce_seats(service: Service, run: Run, options: RunOptions, tokens: list[str]) -> None:
    address = service.agent_addresses[0]
    if options.as_json:
        launch = {
            "event": "launch",
            "run_id": run.run_id,
            "folder": str(run.table.folder.path),
            "address": address,
            "tokens": tokens,
        }
        click.echo(json.dumps(launch))
        return
    for token in tokens:
        click.echo(
            f"Start an agent with:\n  HOUSEGUEST_ADDRESS={address}\n  HOUSEGUEST_TOKEN={token}",
            err=True,
        )


def _log_to(path: Path) -> None:
    """What the service has to say about itself goes beside the run, not over its progress."""
    handler = logging.FileHandler(path, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
