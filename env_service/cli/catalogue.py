"""``houseguest suites`` and ``houseguest tasks``: list suites and their tasks."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import click

from env_service.cli.command import with_sample
from env_service.cli.options import json_option, print_json, task_options
from env_service.cli.output import print_table
from env_service.cli.task_selection import TaskSelection
from env_service.domain.task import TaskSet
from env_service.domain.text import counted
from env_service.suites.base import Setting, Suite
from env_service.suites.registry import load_suite, suite_code, suite_names
from env_service.suites.selection import FoundTaskSet, find_task_sets

DIGEST_DIGITS = 12
"""Hex digits shown of a digest; enough for a person to compare."""

MOST_LISTED = 40
"""Maximum number of tasks listed on a terminal; more are summarised by group."""

_SUITES_EXAMPLES = """\b
Examples:
  houseguest suites
  houseguest suites SUITE                its task sets, settings and conditions
  houseguest suites --json | jq -r '.suites[].name'
"""

_TASKS_EXAMPLES = with_sample("""\b
Examples:
  houseguest tasks --suite SUITE                  counts by group
  houseguest tasks --suite SUITE --tasks TASKS    tasks of some groups
  houseguest tasks --suite SUITE --tasks 'G*' --ids    only ids, one per line
  houseguest tasks --suite SUITE --task-set NAME --limit 100 --json
""")


@click.command("suites", epilog=_SUITES_EXAMPLES)
@click.argument("names", nargs=-1, metavar="[SUITE]...")
@json_option
def suites_command(*, names: Sequence[str], as_json: bool) -> None:
    """List the benchmarks, or the task sets, worlds and settings of some.

    The column `training` counts the tasks on whose demonstrations agents may be trained; all other
    tasks are for evaluation.
    """
    suites = [load_suite(name) for name in names or suite_names()]
    if not names and not as_json:
        print_table(("suite", "what it is"), [(each.name, each.description) for each in suites])
        click.echo("Task sets, settings and conditions of a suite: houseguest suites SUITE")
        return
    documents = []
    for place, suite in enumerate(suites):
        with suite_code(suite):
            if as_json:
                documents.append(_suite_json(suite))
                continue
            if place:
                click.echo()
            _print_suite(suite)
    if as_json:
        print_json({"suites": documents})


@click.command("tasks", epilog=_TASKS_EXAMPLES)
@task_options
@click.option("--ids", "ids_only", is_flag=True, help="Print only task ids, one per line.")
@json_option
def tasks_command(*, ids_only: bool, as_json: bool, **selection: Any) -> None:
    """List the tasks of a suite.

    On a terminal, more than forty tasks are summarised by group; --ids lists them all.
    """
    chosen = TaskSelection.read(selection)
    if as_json:
        print_json(_tasks_json(chosen))
    elif ids_only:
        click.echo("".join(f"{task.id}\n" for task in chosen.tasks), nl=False)
    elif len(chosen.tasks) > MOST_LISTED and sys.stdout.isatty():
        groups = Counter(task.group for task in chosen.tasks)
        print_table(("group", "#tasks"), [(name, str(n)) for name, n in groups.items()])
        click.echo(
            f"{counted(len(chosen.tasks), 'task')} in {counted(len(groups), 'group')};"
            f" --ids lists them."
        )
    else:
        print_table(("task", "group"), [(task.id, task.group) for task in chosen.tasks])


def _print_suite(suite: Suite) -> None:
    click.echo(f"{suite.name} (rules {suite.version}): {suite.description}")
    default, *others = suite.worlds
    click.echo(f"worlds: {', '.join([f'{default} (default)', *others])}")
    print_table(
        ("task set", "#tasks", "#training", "digest", "what it is"),
        [_task_set_row(suite, each) for each in find_task_sets(suite)],
    )
    print_table(
        ("setting", "values, * is the default", "what it decides"),
        [
            (each.name, _values(each), each.description)
            for each in sorted(suite.settings, key=lambda each: each.name)
        ],
    )
    if suite.conditions:
        print_table(
            ("condition", "what it sets"),
            [(name, _changes(changes)) for name, changes in suite.conditions.items()],
        )


def _task_set_row(suite: Suite, found: FoundTaskSet) -> tuple[str, ...]:
    task_set = found.task_set
    if task_set is None:
        return found.name, "?", "?", "?", found.problem
    digest = task_set.digest(suite.name, suite.version)
    return (
        found.name,
        str(len(task_set.tasks)),
        str(_for_training(suite, task_set)),
        digest[:DIGEST_DIGITS],
        task_set.description,
    )


def _for_training(suite: Suite, task_set: TaskSet) -> int:
    return sum(suite.for_training(task_set.name, task.id) for task in task_set.tasks)


def _task_set_json(suite: Suite, found: FoundTaskSet) -> dict[str, Any]:
    task_set = found.task_set
    if task_set is None:
        return {"name": found.name, "problem": found.problem}
    return {
        "name": found.name,
        "worlds": list(suite.worlds_of(found.name)),
        "description": task_set.description,
        "tasks": len(task_set.tasks),
        "tasks_for_training": _for_training(suite, task_set),
        "digest": task_set.digest(suite.name, suite.version),
    }


def _values(setting: Setting) -> str:
    return ", ".join(f"{value}*" if value == setting.default else value for value in setting.values)


def _changes(condition: Mapping[str, str]) -> str:
    return ", ".join(f"{name}={value}" for name, value in condition.items()) or "the defaults"


def _suite_json(suite: Suite) -> dict[str, Any]:
    return {
        "name": suite.name,
        "version": suite.version,
        "description": suite.description,
        "worlds": list(suite.worlds),
        "modes": [mode.name.lower() for mode in suite.modes],
        "deterministic": list(suite.deterministic),
        "task_sets": [_task_set_json(suite, each) for each in find_task_sets(suite)],
        "settings": [
            {
                "name": each.name,
                "description": each.description,
                "values": list(each.values),
                "default": each.default,
            }
            for each in suite.settings
        ],
        "conditions": {name: dict(changes) for name, changes in suite.conditions.items()},
    }


def _tasks_json(chosen: TaskSelection) -> dict[str, Any]:
    return {
        "suite": chosen.suite.name,
        "suite_version": chosen.suite.version,
        "task_set": chosen.task_set.name,
        "digest": chosen.digest,
        "tasks": [
            {
                "id": task.id,
                "group": task.group,
                "cluster": task.cluster,
                "for_training": chosen.suite.for_training(chosen.task_set.name, task.id),
            }
            for task in chosen.tasks
        ],
    }
