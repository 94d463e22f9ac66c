"""Opens a house for one person, and closes it when they leave."""

from __future__ import annotations

import asyncio
import signal
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import click

from env_service.cli.common import print_json
from env_service.cli.errors import INTERRUPTED, PROBLEM, Failure
from env_service.cli.insisting import Insistence
from env_service.cli.play_guest import SeatedGuest
from env_service.cli.run_ending import pack_rest
from env_service.domain.english import counted
from env_service.domain.session import SessionLimits
from env_service.gateway.house import RunRequest
from env_service.gateway.listeners import Endpoint
from env_service.gateway.private_place import private_place
from env_service.gateway.run import Run
from env_service.gateway.service import Service, ServiceOptions
from env_service.gateway.service_log import service_log
from env_service.gateway.settings import HouseLimits
from env_service.results.keys import SigningKey
from env_service.results.started import PLAY, Started, note_start
from env_service.sandbox.seating import Seating


@dataclass(frozen=True, slots=True)
class PlayOptions:
    """What the command line asked for. ``command`` starts the guest."""

    request: RunRequest
    command: tuple[str, ...]
    out: Path
    key_file: Path | None
    step_budget: float


@dataclass(frozen=True, slots=True)
class Sitting:
    """What a sitting came to. ``guest_code`` is the guest's exit status: None where there was
    nothing to play, or the house was stopped first (``interrupted``)."""

    run: Run
    guest_code: int | None
    interrupted: bool = False


async def play(options: PlayOptions) -> Sitting:
    """Has one person play the run until all is played, or they leave.

    However the guest ends, an open episode that has no outcome is abandoned, uncounted.
    """
    with private_place() as place, ExitStack() as logging:
        limits = replace(SessionLimits(), step_budget=options.step_budget)
        service = Service(
            ServiceOptions(
                runs=options.out,
                key=SigningKey.load_or_create(options.key_file),
                agents=Endpoint((place.agents,)),
                control=Endpoint((place.control,)),
                limits=HouseLimits(session=limits),
            )
        )
        async with service:
            run = await service.house.open_run(options.request)
            note_start(run.table.folder.logs, Started(PLAY))
            if run.over:
                return Sitting(run, None)
            logging.enter_context(service_log(run.table.folder.logs / "service.log"))
            _announce(run)
            token = service.house.lease_token(run, 0)
            seating = Seating(service.agent_addresses[0], (token,), options.request.seed)
            sitting = await _sit(run, options.command, seating)
            await run.drain()
    return sitting


async def _sit(run: Run, command: tuple[str, ...], seating: Seating) -> Sitting:
    """Starts the guest and waits until it is gone, or the user insists on an end."""
    stop = asyncio.Event()
    insistence = Insistence()

    def press() -> None:
        if insistence.press():
            stop.set()

    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, press)
    for sign in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(sign, stop.set)
    guest = await SeatedGuest.start(command, seating)
    gone, stopped = asyncio.ensure_future(guest.wait()), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait({gone, stopped}, return_when=asyncio.FIRST_COMPLETED)
        code = gone.result() if gone.done() else None
    finally:
        await guest.stop()
        stopped.cancel()
        await asyncio.gather(gone, stopped, return_exceptions=True)
    # From here on Ctrl-C means what it usually means.
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.remove_signal_handler(sign)
    return Sitting(run, code, interrupted=code is None)


def conclude(sitting: Sitting, *, as_json: bool = False) -> int:
    """Says where the run lies; the command's exit status. The score is not shown: no agent is
    told it, and there may be more to play.

    Raises Failure where the house could not even write the summary.
    """
    run = sitting.run
    folder, counts = run.table.folder, run.counts()
    if run.summary is None:
        raise Failure(
            f"{folder.path}: the summary could not be written; logs/service.log says why."
            " Finished episodes stand: mend it, and the same command goes on."
        )
    pack_rest(folder.frames)
    status = PROBLEM if sitting.guest_code or counts.unscored else 0
    status = INTERRUPTED if sitting.interrupted else status
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
    click.echo(f"{episodes}{done} -> {run.table.folder.path}", err=True)
