"""``houseguest show``: what runs came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

from env_service.cli.common import json_option, print_json
from env_service.cli.errors import PROBLEM
from env_service.cli.report_design import goals_of
from env_service.cli.run_paths import is_one_run, run_arguments, run_folders
from env_service.cli.show_failures import failures_json, print_failures
from env_service.cli.show_guests import print_lost_guests
from env_service.domain.printable import safe
from env_service.results.fields import FormatError
from env_service.results.guest_failures import read_guest_failures
from env_service.results.journal import CorruptFileError
from env_service.results.layout import LOGS, TRANSCRIPTS
from env_service.results.mixture import mixture
from env_service.results.reading import RunText, find_runs, read_run
from env_service.results.records import EpisodeRecord
from env_service.results.scoreboard import overview, percent, printable, scoreboard
from env_service.suites.reporting import GOALS_GAINED, GoalsMet

DEFAULT_RUNS = Path("runs")
"""Where runs lie unless said otherwise."""

_LEAST_WIDTH = 72
"""Columns that the table of runs gets at least."""
_ANY_WIDTH = 10_000

_EXAMPLES = """\b
Examples:
  houseguest show                            every run in ./runs, a line each
  houseguest show runs/babyai-random-0f3a…   one run's scoreboard
  houseguest show RUN RUN                    two runs, a line each
  houseguest show RUN --failures             what happened where it did not succeed
  houseguest show RUN --guests               the guests that were lost, and their last words
  houseguest show RUN --json | jq .summary.overall
"""


@click.command("show", epilog=_EXAMPLES)
@run_arguments(default=DEFAULT_RUNS)
@json_option
@click.option("--episodes", is_flag=True, help="List every episode.")
@click.option(
    "--failures", is_flag=True, help="Tell what happened in the episodes that did not succeed."
)
@click.option("--guests", is_flag=True, help="List the agent's processes that were lost.")
def show_command(
    paths: Sequence[Path], *, as_json: bool, episodes: bool, failures: bool, guests: bool
) -> int:
    """Show what a run came to: its scoreboard; or several runs, or those in a folder, a line each.

    --episodes, --failures and --guests show each run with what they ask for. Numbers are computed
    anew from the recorded episodes, also while a run is being played. Exit status 1 where a run
    cannot be read; the others are shown.
    """
    asked = _Asked(episodes, failures, guests)
    if is_one_run(paths):
        try:
            _show_run(read_run(paths[0]), asked, as_json=as_json)
        except (FormatError, CorruptFileError, OSError) as error:
            raise click.ClickException(str(error)) from error
        return 0
    if len(paths) == 1 and not asked and not find_runs(paths[0]):
        if as_json:
            print_json([])
        else:
            click.echo(f"No runs in {paths[0]}.")
        return 0
    return _show_runs(run_folders(paths), asked, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is to be shown of a run beside its scoreboard."""

    episodes: bool
    failures: bool
    guests: bool

    def records(self, run: RunText) -> list[EpisodeRecord]:
        """The episodes that are listed."""
        return [record for record in run.episodes if self.episodes or not record.success]

    def __bool__(self) -> bool:
        return self.episodes or self.failures or self.guests


def _show_run(run: RunText, asked: _Asked, *, as_json: bool) -> None:
    if as_json:
        print_json(_run_json(run, asked))
        return
    console = Console()
    console.print(scoreboard(run.summary, run.manifest, run.path, goals_of(run.manifest)))
    if asked.episodes or asked.failures:
        _print_episodes(console, run, asked)
    if asked.guests:
        print_lost_guests(console, list(read_guest_failures(run.path / LOGS)))


def _print_episodes(console: Console, run: RunText, asked: _Asked) -> None:
    records = asked.records(run)
    if not records:
        console.print("No episode failed." if run.episodes else "No episode was scored.")
        return
    _print_whole(_episode_table(records, goals_of(run.manifest)))
    if asked.failures:
        print_failures(console, run, [record for record in records if not record.success])
        return
    for record in records:
        if why := record.labels.get("explanation"):
            console.print(printable(f"{record.task_id}: {why}"), soft_wrap=True)
    place = printable(f"transcripts: {run.path / TRANSCRIPTS}/EPISODE.jsonl")
    console.print(place, soft_wrap=True)


def _show_runs(folders: Sequence[Path], asked: _Asked, *, as_json: bool) -> int:
    """Shows the runs that can be read, and names the others on standard error."""
    runs, problems = [], []
    for path in folders:
        try:
            runs.append(read_run(path))
        except (FormatError, CorruptFileError, OSError) as error:
            problems.append(str(error))
    if as_json:
        print_json([_run_json(run, asked) for run in runs])
    elif asked:
        for run in runs:
            _show_run(run, asked, as_json=False)
    elif runs:
        _print_overview(runs)
    for problem in problems:
        click.echo(safe(f"not shown: {problem}"), err=True)
    return PROBLEM if problems else 0


def _print_overview(runs: Sequence[RunText]) -> None:
    _print_whole(overview((run.path, run.manifest, run.summary) for run in runs))


def _print_whole(table: RenderableType) -> None:
    """A table of which no name is cut where nothing bounds its width."""
    console = Console()
    needed = console.measure(table, options=console.options.update(max_width=_ANY_WIDTH))
    # A file or a pipe has no width: a row a line. A narrow terminal breaks lines by itself.
    least = _LEAST_WIDTH if console.is_terminal else needed.maximum
    console.width = max(console.width, min(least, needed.maximum))
    console.print(table, crop=False)


def _episode_table(records: list[EpisodeRecord], goals: GoalsMet) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    # Names are folded, never cut: they are what one looks an episode up by.
    table.add_column("task", overflow="fold")
    table.add_column("repeat")
    table.add_column("result", no_wrap=True)
    table.add_column(GOALS_GAINED.heading, justify="right")
    table.add_column(goals.name, justify="right")
    table.add_column("steps")
    table.add_column("episode", overflow="fold")
    for record in records:
        met = sum(condition.met for condition in record.goal_conditions)
        unscored = f"unscored: {record.fault}" if record.fault else None
        table.add_row(
            printable(record.task_id),
            str(record.repeat),
            unscored or record.failure or "success",
            percent(record.goals_gained),
            f"{met}/{len(record.goal_conditions)}",
            str(record.steps),
            record.episode_id,
        )
    return table


def _run_json(run: RunText, asked: _Asked) -> dict[str, Any]:
    value: dict[str, Any] = {
        "path": str(run.path),
        "manifest": run.manifest.to_json(),
        "summary": run.summary.to_json(),
        "mixture": list(mixture(run.manifest)),
    }
    if asked.failures:
        value["episodes"] = failures_json(run, asked.records(run))
    elif asked.episodes:
        value["episodes"] = [record.to_json() for record in asked.records(run)]
    if asked.guests:
        value["lost_guests"] = list(read_guest_failures(run.path / LOGS))
    return value
