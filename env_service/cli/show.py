"""``houseguest show``: the results of runs, their failed episodes and lost agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

from env_service.cli.errors import PROBLEM
from env_service.cli.options import json_option, print_json
from env_service.cli.run_arguments import is_one_run, run_arguments, run_folders
from env_service.domain.data_node import FormatError
from env_service.domain.text import counted, safe
from env_service.results.manifest import mixture
from env_service.results.recorded_episode import EpisodeAccount, account_of
from env_service.results.records import EpisodeRecord
from env_service.results.report.designs import goals_of
from env_service.results.run_layout import LOGS, TRANSCRIPTS, VOIDS
from env_service.results.run_notes import read_agent_failures
from env_service.results.run_reader import RunContents, find_runs, read_run
from env_service.results.summary_text import overview, percent, printable, summary_text
from env_service.storage.signed_journal import CorruptFileError
from env_service.suites.reporting import GOALS_GAINED, GoalsMet

DEFAULT_RUNS = Path("runs")
"""The folder that ``houseguest show`` reads by default."""

_LEAST_WIDTH = 72
"""Minimum width of the table of runs on a terminal, in columns."""
_ANY_WIDTH = 10_000

_EXAMPLES = """\b
Examples:
  houseguest show                            every run in ./runs, one line each
  houseguest show runs/my-run-0f3a…         one run's scoreboard
  houseguest show RUN RUN                    two runs, one line each
  houseguest show RUN --failures             what happened in failed episodes
  houseguest show RUN --guests               failed agent processes and their last output
  houseguest show RUN --json | jq .summary.overall
"""


@click.command("show", epilog=_EXAMPLES)
@run_arguments(default=DEFAULT_RUNS)
@json_option
@click.option("--episodes", is_flag=True, help="List every episode.")
@click.option("--failures", is_flag=True, help="Explain the episodes that did not succeed.")
@click.option("--guests", is_flag=True, help="List the agent processes that failed.")
def show_command(
    paths: Sequence[Path], *, as_json: bool, episodes: bool, failures: bool, guests: bool
) -> int:
    """Show the results of a run, or one line for each of several runs.

    --episodes, --failures and --guests add details for each run. Numbers are computed from the
    recorded episodes, also for a run in progress. Exit status 1 if a run cannot be read; the others
    are shown.
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
            click.echo(f"No runs in {paths[0]}")
        return 0
    return _show_runs(run_folders(paths), asked, as_json=as_json)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What to show of a run in addition to its scoreboard."""

    episodes: bool
    failures: bool
    agents: bool

    def records(self, run: RunContents) -> list[EpisodeRecord]:
        """The episodes to list."""
        return [record for record in run.episodes if self.episodes or not record.success]

    def __bool__(self) -> bool:
        return self.episodes or self.failures or self.agents


def _show_run(run: RunContents, asked: _Asked, *, as_json: bool) -> None:
    if as_json:
        print_json(_run_json(run, asked))
        return
    console = Console()
    text = summary_text(run.summary, run.manifest, run.path, goals_of(run.manifest))
    console.print(text, crop=False)
    if asked.episodes or asked.failures:
        _print_episodes(console, run, asked)
    if asked.agents:
        print_lost_guests(console, list(read_agent_failures(run.path / LOGS)))


def _print_episodes(console: Console, run: RunContents, asked: _Asked) -> None:
    if asked.failures:
        _print_unscored(console, run)
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
    place = printable(f"Transcripts: {run.path / TRANSCRIPTS}/EPISODE.jsonl")
    console.print(place, soft_wrap=True)


def _show_runs(folders: Sequence[Path], asked: _Asked, *, as_json: bool) -> int:
    """Shows the runs that can be read; prints the problems of the others on standard error."""
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
        click.echo(safe(f"Not shown: {problem}"), err=True)
    return PROBLEM if problems else 0


def _print_overview(runs: Sequence[RunContents]) -> None:
    _print_whole(overview((run.path, run.manifest, run.summary) for run in runs))


def _print_whole(table: RenderableType) -> None:
    """Prints a table; files and pipes get it in full width, so that no name is cut."""
    console = Console()
    needed = console.measure(table, options=console.options.update(max_width=_ANY_WIDTH))
    # A file or a pipe has no width: print one line per row. A narrow terminal wraps long lines.
    least = _LEAST_WIDTH if console.is_terminal else needed.maximum
    console.width = max(console.width, min(least, needed.maximum))
    console.print(table, crop=False)


def _episode_table(records: list[EpisodeRecord], goals: GoalsMet) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    # Fold long names instead of cutting them: they identify episodes.
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


def _run_json(run: RunContents, asked: _Asked) -> dict[str, Any]:
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
    if asked.agents:
        value["lost_guests"] = list(read_agent_failures(run.path / LOGS))
    return value


# --- What happened in episodes that did not succeed

MOST_SHOWN = 20
"""Maximum number of failed episodes shown in detail."""
_FAULT_LINES = 4
"""The last lines of a fault's traceback: the line of code, and the exception."""


def failures_json(run: RunContents, records: Sequence[EpisodeRecord]) -> list[dict[str, Any]]:
    """The records, each with an account of what happened."""
    lost = list(read_agent_failures(run.path / LOGS))
    return [
        {**record.to_json(), "happened": account_of(run.path, record, lost).to_json()}
        for record in records
    ]


def print_failures(console: Console, run: RunContents, records: Sequence[EpisodeRecord]) -> None:
    """Prints what happened in the first MOST_SHOWN of them, and where to read the others."""
    lost = list(read_agent_failures(run.path / LOGS))
    for record in records[:MOST_SHOWN]:
        console.print()
        for line in _account_lines(record, account_of(run.path, record, lost)):
            console.print(printable(line), soft_wrap=True)
    console.print()
    if len(records) > MOST_SHOWN:
        more = f"These are the first {MOST_SHOWN} of {len(records)}; --json shows all."
        console.print(printable(more), soft_wrap=True)
    place = f"Every exchange: {run.path / TRANSCRIPTS}/EPISODE.jsonl"
    console.print(printable(place), soft_wrap=True)


def _account_lines(record: EpisodeRecord, happened: EpisodeAccount) -> Iterator[str]:
    ended = f"unscored: {record.fault}" if record.fault else record.failure
    repeat = f", repeat {record.repeat}" if record.repeat else ""
    steps = f"{record.steps} step{'' if record.steps == 1 else 's'}"
    yield f"{record.task_id}{repeat}: {ended} after {steps} ({record.episode_id})"
    if why := record.labels.get("explanation"):
        yield f"  why: {why}"
    if happened.instruction:
        yield f"  task: {happened.instruction}"
    if happened.open_goals:
        yield f"  not met: {'; '.join(happened.open_goals)}"
    yield from _actions(happened)
    if happened.last_words:
        yield f"  last message of the agent: {happened.last_words}"
    if happened.log_tail:
        yield "  last output of the agent's process:"
        yield from (f"    | {line}" for line in happened.log_tail)


def _actions(happened: EpisodeAccount) -> Iterator[str]:
    if not happened.actions:
        yield "  the agent did nothing"
        return
    before = f", after {happened.earlier} earlier" if happened.earlier else ""
    yield f"  last actions{before}:"
    yield from (f"    {action}" for action in happened.actions)


def _print_unscored(console: Console, run: RunContents) -> None:
    """Prints, for each episode that the service lost for good, what its last fault says."""
    unscored = run.summary.unscored
    last = {(void.task_id, void.repeat): void for void in run.voids}
    for lost in unscored[:MOST_SHOWN]:
        repeat = f", repeat {lost.repeat}" if lost.repeat else ""
        times = counted(lost.voids, "attempt")
        console.print()
        what = f"{lost.task_id}{repeat}: unscored, {lost.fault} in {times}; the last one:"
        console.print(printable(what), soft_wrap=True)
        void = last.get((lost.task_id, lost.repeat))
        said = void.detail.strip().splitlines()[-_FAULT_LINES:] if void else []
        for line in said or ["(no details)"]:
            console.print(printable(f"  | {line}"), soft_wrap=True)
    if unscored:
        console.print()
        console.print(printable(f"All faults: {run.path / VOIDS}"), soft_wrap=True)


# --- Lost agents


def print_lost_guests(console: Console, lost: Sequence[Mapping[str, Any]]) -> None:
    """Prints each with its class, its step, and its last output.

    ``lost`` are lines of ``logs/lost-guests.jsonl``, which is not signed.
    """
    if not lost:
        console.print("\nNo agent process failed.")
    for each in lost:
        console.print()
        console.print(printable(_headline(each)), soft_wrap=True)
        for label in ("offence", "problem"):
            if said := each.get(label):
                console.print(printable(f"  {label}: {said}"), soft_wrap=True)
        for line in str(each.get("log_tail") or "(no output)").splitlines():
            console.print(printable(f"  | {line}"), soft_wrap=True)


def _headline(lost: Mapping[str, Any]) -> str:
    seats = ", ".join(map(str, lost.get("seats") or []))
    words = [f"{lost['failure']}, session {seats}"]
    if (code := lost.get("exit_code")) is not None:
        words.append(f"exit code {code}")
    step = lost.get("first_offending_step")
    if isinstance(step, Mapping):
        words.append(f"step {step.get('step')} of {step.get('task_id')} ({step.get('episode_id')})")
    if lost.get("final"):
        words.append("given up")
    return safe(": ".join((words[0], ", ".join(words[1:]))) if words[1:] else words[0])
