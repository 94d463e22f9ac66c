"""The outcome of a run: its scoreboard, and the exit status."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from env_service.cli.errors import INTERRUPTED, PROBLEM, Failure
from env_service.domain.text import safe
from env_service.evaluation.run_problems import RunProblems
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from env_service.results.frame_packer import pack_all
from env_service.results.manifest import mixture
from env_service.results.report.designs import goals_of
from env_service.results.summary_text import summary_text


def conclude(run: Run, *, interrupted: bool, as_json: bool) -> int:
    """Prints the results of a run and why it stopped; returns the command's exit status.

    Raises Failure if the service could not write the summary.
    """
    summary, folder = run.summary, run.context.folder
    if summary is None:
        _say_why(run)
        raise Failure(
            f"The summary of {folder.path} could not be written; logs/service.log has the reason."
            " Finished episodes are kept. Fix the problem and run the same command to continue."
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
        text = summary_text(summary, manifest, folder.path, goals_of(manifest))
        Console().print(text, crop=False)
        if summary.failures:
            show = f"houseguest show {shlex.quote(str(folder.path))} --failures"
            click.echo(safe(f"To see why episodes failed: {show}"), err=True)
    # After the scoreboard, which can fill a screen.
    _say_why(run)
    if problems and not interrupted and not as_json:
        problems.show(with_tail=not run.stopped)
    if interrupted and not as_json:
        click.echo(
            "Interrupted. Finished episodes are kept; run the same command to resume.", err=True
        )
    return status


def _say_why(run: Run) -> None:
    """Prints why a run stopped early, if it did."""
    if run.stopped:
        click.echo(f"The run stopped and can be resumed: {run.stopped}", err=True)


def pack_rest(frames: Path) -> None:
    """Packs the pictures that are still raw, with a progress bar on a terminal.

    Ctrl-C leaves the others raw; running the same command again packs them.
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
    """The exit status of ``houseguest run``.

    0: every episode has a score and no agent failed; 1: some are unscored or not played, or an
    agent crashed, timed out, broke the protocol or withdrew; 130: interrupted.
    """
    if interrupted:
        return INTERRUPTED
    return PROBLEM if problems or run.state is not RunState.SUCCEEDED else 0
