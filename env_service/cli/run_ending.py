"""What a run ends with: smaller pictures, a scoreboard, an exit status."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from env_service.cli.errors import INTERRUPTED, PROBLEM, Failure
from env_service.cli.report_design import goals_of
from env_service.cli.run_problems import RunProblems
from env_service.domain.printable import safe
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.results.mixture import mixture
from env_service.results.packing import pack_all
from env_service.results.scoreboard import scoreboard


def conclude(run: Run, *, interrupted: bool, as_json: bool) -> int:
    """Prints what a run came to, and why it stopped; returns the command's exit status.

    Raises Failure where the house could not even write the summary.
    """
    summary, folder = run.summary, run.table.folder
    if summary is None:
        _say_why(run)
        raise Failure(
            f"{folder.path}: the summary could not be written; logs/service.log says why."
            " Finished episodes stand: mend it, and the same command goes on."
        )
    if not interrupted:
        pack_rest(folder.frames)
    problems = RunProblems.of(run, summary)
    status = exit_status(run, problems, interrupted=interrupted)
    if as_json:
        document: dict[str, Any] = {
            "event": "done",
            "run_id": run.run_id,
            "state": run.state.name.lower(),
            "exit_code": status,
            "folder": str(folder.path),
            "summary": summary.to_json(),
            "mixture": list(mixture(folder.manifest)),
        }
        if problems:
            document["problems"] = problems.to_json()
        if run.stopped:
            document["stopped"] = run.stopped
        click.echo(json.dumps(document))
    else:
        manifest = folder.manifest
        Console().print(scoreboard(summary, manifest, folder.path, goals_of(manifest)))
        if summary.failures:
            told = f"Why each failed: houseguest show {shlex.quote(str(folder.path))} --failures"
            click.echo(safe(told), err=True)
    # Last, where it is seen: a scoreboard can fill a screen.
    _say_why(run)
    if problems and not interrupted and not as_json:
        problems.tell(with_tail=not run.stopped)
    if interrupted and not as_json:
        click.echo("Interrupted: nothing finished is lost, the same command resumes.", err=True)
    return status


def _say_why(run: Run) -> None:
    """Tells why a run stopped, if it did not end."""
    if run.stopped:
        click.echo(f"The run stopped, and can be resumed: {run.stopped}", err=True)


def pack_rest(frames: Path) -> None:
    """Packs the pictures that are still raw, with a bar on a terminal.

    Ctrl-C leaves the rest raw; the next run of the same command goes on with them.
    """
    console = Console(stderr=True)
    columns = (TextColumn("packing pictures"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("", total=None, visible=False)

        def moved(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total, visible=True)

        pack_all(frames, moved)


def exit_status(run: Run, problems: RunProblems, *, interrupted: bool) -> int:
    """0: every episode has a score and no agent failed; 1: some are unscored or not played, or
    an agent crashed, timed out, broke the protocol or withdrew; 130: interrupted."""
    if interrupted:
        return INTERRUPTED
    return PROBLEM if problems or run.state is not RunState.SUCCEEDED else 0
