"""``houseguest alfred examples``: writes a pool of examples for the prompts of model agents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import PROBLEM, Failure, Misuse
from env_service.cli.options import json_option, print_json
from env_service.cli.output import count_text, listed, progress
from env_service.domain.text import counted

if TYPE_CHECKING:
    from env_service.cli.expert_solutions import ExpertSolution
    from env_service.suites.alfred.commands.example_pool import Entry

_SUITE = "alfred"
_PAIRS = "pick_two_obj_and_place"

_EXAMPLES = """\b
Examples:
  houseguest alfred examples --task-set builtin-140-7 --out examples.json
  houseguest alfred examples --trajectories json_2.1.0/train --out train.json
  houseguest alfred examples --trajectories json_2.1.0 --lota --out lota.json
  houseguest run --suite alfred --agent vlm --model NAME --example-file train.json

\b
FOLDER contains trajectories in their published layout, SPLIT/NAME/TRIAL/traj_data.json. If it
contains the training split, the command uses only that.
"""


@dataclass(slots=True)
class _Made:
    """What a pool is made of, and what to report about it."""

    source: str
    entries: Sequence[Entry]
    warnings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@click.command("examples", epilog=_EXAMPLES)
@click.option(
    "--task-set", metavar="NAME", help="Use the expert's plans for this task set of the suite."
)
@click.option(
    "--trajectories",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Use ALFRED's demonstrations: one example per crowd-sourced command.",
)
@click.option("--lota", is_flag=True, help=f"Leave out {_PAIRS}, as LoTa-Bench does.")
@click.option(
    "--out",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to this file, replacing an existing one.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes for the expert.  [default: one a core]",
)
@json_option
def examples_command(
    *, task_set: str | None, trajectories: Path | None, out: Path, as_json: bool, **asked: Any
) -> int:
    """Write a pool of solved tasks, for examples in prompts.

    Agents cannot read the service's data, so pass the file to the agent with --example-file. By
    default, agents use bundled examples of built-in tasks. Exit status 1 if a task is not solved,
    or a trajectory cannot be read.
    """
    if (task_set is None) == (trajectories is None):
        raise click.UsageError("Give either --task-set or --trajectories")
    if trajectories is not None:
        made = _from_recordings(trajectories)
    else:
        made = _from_task_set(task_set or "", asked["jobs"] or os.cpu_count() or 1)
    if asked["lota"]:
        made.entries = [entry for entry in made.entries if entry["type"] != _PAIRS]
    if not made.entries:
        raise Failure(f"{made.source} makes no example", kind="NoExamples")
    _warn_of_leaks(made)
    _write(out, made)
    _tell(out, made, as_json=as_json)
    return PROBLEM if made.problems else 0


def _from_task_set(name: str, jobs: int) -> _Made:
    from env_service.cli.expert_solutions import solve_all
    from env_service.cli.task_selection import TaskSelection
    from env_service.suites.alfred.commands.example_pool import entry_of_plan

    given: dict[str, Any] = {"suite": _SUITE, "tasks": (), "limit": 0, "world": "", "condition": {}}
    chosen = TaskSelection.read({**given, "task_set": name.removeprefix(f"{_SUITE}/")})
    made = _Made(f"task set {chosen.task_set.name}, solved by the expert", [])
    orders = chosen.orders(given, 0)
    solving = solve_all(_SUITE, orders, jobs)
    with progress("solving", len(orders)) as advance, closing(solving) as found:
        lines = {}
        for solution in found:
            lines[solution.task_id] = _line(solution, made)
            advance()
    solved = [(task, line) for task in chosen.tasks if (line := lines[task.id]) is not None]
    entries = [entry_of_plan(task, line["actions"]) for task, line in solved]
    made.entries = [entry for entry in entries if entry is not None]
    if roundabout := len(entries) - len(made.entries):
        made.warnings.append(
            f"left out: {counted(roundabout, 'task')} whose plans fit their room alone"
        )
    return made


def _line(solution: ExpertSolution, made: _Made) -> Mapping[str, Any] | None:
    """What the expert found, or None; then a problem more."""
    if solution.line is not None and solution.line["success"]:
        return solution.line
    made.problems.append(
        f"{solution.task_id}: {solution.problem or 'the expert does not solve it'}"
    )
    return None


def _from_recordings(folder: Path) -> _Made:
    from env_service.suites.alfred.commands.example_pool import (
        entries_of_recordings,
        find_recordings,
    )

    found = find_recordings(folder)
    if not found.files:
        raise Misuse(
            f"{folder} holds no traj_data.json with a plan; name a folder in ALFRED's published"
            " layout, such as json_2.1.0/train",
            kind="NoTrajectories",
        )
    made = _Made(f"trajectories of {', '.join(map(_split, found.splits))}", [])
    with progress("reading trajectories", len(found.files)) as advance:
        made.entries = list(entries_of_recordings(found.files, made.problems, advance))
    if found.aside:
        aside = ", ".join(f"{number} of {_split(name)}" for name, number in found.aside.items())
        made.warnings.append(f"left aside: {aside}")
    return made


def _split(name: str) -> str:
    return name or "no split"


def _warn_of_leaks(made: _Made) -> None:
    from env_service.suites.alfred.commands.example_pool import validation_tasks

    ids = {entry["task"] for entry in made.entries} & validation_tasks()
    if ids:
        made.warnings.append(
            f"{len(ids)} of these tasks are for testing: agents that play valid_seen or"
            " valid_unseen with them in the prompt see solutions. Use them only for trials."
        )


def _write(out: Path, made: _Made) -> None:
    from env_service.storage.atomic_files import write_atomically
    from env_service.suites.alfred.commands.example_pool import write_pool

    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, write_pool(made.source, made.entries))
    except OSError as error:
        raise Misuse(f"{out}: {error.strerror}; name a file that can be written") from error


def _tell(out: Path, made: _Made, *, as_json: bool) -> None:
    types = Counter(entry["type"] for entry in made.entries)
    tasks = {entry["task"] for entry in made.entries}
    if as_json:
        print_json(
            {
                "out": str(out),
                "source": made.source,
                "examples": len(made.entries),
                "tasks": len(tasks),
                "types": dict(sorted(types.items())),
                "warnings": made.warnings,
                "problems": made.problems,
            }
        )
        return
    click.echo(f"{count_text(len(made.entries), 'example')} of {count_text(len(tasks), 'task')}")
    _tell_types(types)
    click.echo(str(out))
    for warning in made.warnings:
        click.echo(f"warning: {warning}", err=True)
    for line in listed("left out", made.problems):
        click.echo(line, err=True)


def _tell_types(types: Mapping[str, int]) -> None:
    for name, number in sorted(types.items()):
        click.echo(f"  {name}: {number}")
