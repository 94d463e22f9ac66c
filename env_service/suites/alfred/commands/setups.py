"""``houseguest alfred setups``: which openings of tasks a world can reproduce."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.errors import PROBLEM
from env_service.cli.options import json_option, print_json
from env_service.cli.output import print_table, progress
from env_service.domain.text import counted
from env_service.plugins import Group, installed

if TYPE_CHECKING:
    from env_service.domain.task import Task, TaskSet
    from env_service.suites.alfred.setup.survey import Surveyed

_EXAMPLES = """\b
Examples:
  houseguest alfred setups
  houseguest alfred setups valid_unseen --summary
  houseguest alfred setups valid_seen --tasks 'trial_T20190909_1*' --world ai2thor
  houseguest alfred setups --json | jq '.tasks[] | select(.fault != "")'
"""


@click.command("setups", epilog=_EXAMPLES)
@click.argument("task_set", default="valid_seen", metavar="[TASK_SET]")
@click.option(
    "--tasks", "patterns", multiple=True, metavar="PATTERN", help="Only tasks whose id matches."
)
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N tasks.")
@click.option(
    "--world",
    type=click.Choice(list(installed(Group.WORLDS))),
    default="household",
    show_default=True,
)
@click.option(
    "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes.  [default: one a core]"
)
@click.option("--summary", is_flag=True, help="Show only the totals.")
@json_option
def setups_command(*, task_set: str, summary: bool, as_json: bool, **asked: Any) -> int:
    """Set up every task, and list what a world cannot reproduce.

    The tasks were recorded with AI2-THOR 2.1.0; the worlds are of version 5.0.0. Exit status 1
    if a task cannot be set up at all.
    """
    tasks = _tasks(_task_set(task_set), asked["patterns"], asked["limit"])
    found = _surveyed(tasks, asked["world"], asked["jobs"] or os.cpu_count() or 1)
    failed = [each for each in found if each.fault]
    if as_json:
        head = {"task_set": task_set, "world": asked["world"]}
        listed = {"tasks": [] if summary else [_task_json(each) for each in found]}
        print_json({**head, **_totals(found), **listed})
    else:
        if not summary:
            _print(found)
        for line in _lines(found):
            click.echo(line)
    return PROBLEM if failed else 0


def _task_set(name: str) -> TaskSet:
    from env_service.domain.names import UnknownNameError
    from env_service.suites.alfred.task_sets import AlfredTaskSets

    task_sets = AlfredTaskSets()
    name = name.removeprefix("alfred/")
    if name not in task_sets:
        raise UnknownNameError("task set of suite 'alfred'", name, task_sets)
    return task_sets[name]


def _tasks(task_set: TaskSet, patterns: Sequence[str], limit: int | None) -> list[Task]:
    from env_service.suites.selection import select_tasks

    return list(select_tasks(task_set, patterns, limit or 0))


def _surveyed(tasks: Sequence[Task], world: str, jobs: int) -> list[Surveyed]:
    from env_service.suites.alfred.setup.survey import survey_all

    found: dict[str, Surveyed] = {}
    surveys = survey_all(tasks, world, jobs)
    with progress("setting up", len(tasks)) as advance, closing(surveys):
        for each in surveys:
            found[each.task] = each
            advance()
    return [found[task.id] for task in tasks]


def _print(found: Sequence[Surveyed]) -> None:
    rows = []
    for each in found:
        if each.fault:
            rows.append((each.task, each.scene, "impossible", "", each.fault))
        rows += [
            (each.task, each.scene, problem.kind.value, problem.subject, problem.reason)
            for problem in each.problems
        ]
    if rows:
        print_table(("task", "scene", "problem", "what", "why"), rows)


def _totals(found: Sequence[Surveyed]) -> dict[str, Any]:
    problems = Counter(problem.kind.value for each in found for problem in each.problems)
    exact = sum(not each.fault and not each.problems for each in found)
    return {
        "total": len(found),
        "set_up": sum(not each.fault for each in found),
        "without_problems": exact,
        "posed_objects": sum(each.posed for each in found),
        "problems": dict(sorted(problems.items())),
    }


def _lines(found: Sequence[Surveyed]) -> list[str]:
    totals = _totals(found)
    kinds = ", ".join(f"{count} {kind}" for kind, count in totals["problems"].items())
    return [
        f"{totals['set_up']} of {counted(totals['total'], 'task')} can be set up,"
        f" {totals['without_problems']} of them without any difference",
        f"{counted(totals['posed_objects'], 'object')} posed; problems: {kinds or 'none'}",
    ]


def _task_json(each: Surveyed) -> dict[str, Any]:
    return {
        "task": each.task,
        "scene": each.scene,
        "type": each.type,
        "posed_objects": each.posed,
        "astray": round(each.astray, 4),
        "fault": each.fault,
        "problems": [
            {"kind": problem.kind.value, "subject": problem.subject, "reason": problem.reason}
            for problem in each.problems
        ],
    }
