"""Plays a run for the command line: what it prints meanwhile, and Ctrl-C.

Commands import this module when they run, because it imports the gateway.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import click
from rich.console import Console

from env_service.domain.text import counted
from env_service.evaluation.run_evaluation import Reporter, RunOptions
from env_service.evaluation.run_evaluation import evaluate as play_run
from env_service.evaluation.run_progress import reporter
from env_service.gateway.run import Run
from env_service.gateway.run_state import Counts
from env_service.storage.atomic_files import write_atomically


async def evaluate(
    options: RunOptions,
    *,
    token_folder: Path | None,
    as_json: bool,
    track: Callable[[Path], None],
) -> tuple[Run, bool]:
    """Plays the run; returns it, closed, and whether the user stopped it. Raises as ``evaluate``.

    ``track`` gets the run's folder once the run is open.

    SIGTERM, and Ctrl-C once the run is open, stop it so that it can be resumed.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop.set)
    # Let Ctrl-C end the process at once until the run opens: loading the tasks may take long, and
    # nothing can be lost.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    watcher = _Terminal(stop, token_folder, track, as_json=as_json)
    ended = await play_run(options, watcher, stop)
    # From now on, Ctrl-C raises KeyboardInterrupt again.
    for sign in (signal.SIGINT, signal.SIGTERM):
        loop.remove_signal_handler(sign)
    return ended


class _Terminal:
    """Prints what happens in a run."""

    def __init__(
        self,
        stop: asyncio.Event,
        token_folder: Path | None,
        track: Callable[[Path], None],
        *,
        as_json: bool,
    ) -> None:
        self._stop, self._token_folder, self._as_json = stop, token_folder, as_json
        self._track = track

    def opened(self, run: Run, isolation: str) -> None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._stop.set)
        self._track(run.context.folder.path)
        if self._as_json:
            return
        counts = run.counts()
        resumed = f", {counts.done} already final" if counts.done else ""
        complete = run.over and not run.stopped
        number = counted(counts.total, "episode")
        what = "Already complete:" if complete else f"{number}{resumed} ->"
        self.say(f"{what} {run.context.folder.path}")
        if isolation and not run.over:
            self.say(f"Agent isolation: {isolation}")

    def issued(self, run: Run, address: str, tokens: Mapping[int, str]) -> None:
        if self._token_folder is not None:
            write_token_files(self._token_folder, tokens)
        if self._as_json:
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
            folder = self._token_folder
            shown = f"$(cat {token_file(folder, number)})" if folder else token
            self.say(
                f"Start an agent with:\n  HOUSEGUEST_ADDRESS={address}\n  HOUSEGUEST_TOKEN={shown}"
            )

    def reporter(self, counts: Counts) -> Reporter:
        return reporter(Console(stderr=True), counts, quiet=self._as_json)

    def say(self, text: str) -> None:
        click.echo(text, err=True)


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
