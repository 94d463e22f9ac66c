"""``houseguest actplan stats``: what the data are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from env_service.cli.actplan_stats_rows import (
    Section,
    circumstance_section,
    count_section,
    document_of,
    frequency_section,
    label_section,
    length_section,
    verb_section,
)
from env_service.cli.common import json_option, print_json
from env_service.cli.output import print_table
from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.domain.task import TaskSet
    from env_service.suites.actplan.dataset.plan_statistics import PlanStatistics
    from env_service.suites.actplan.dataset.task_statistics import TaskStatistics

_EXAMPLES = """\b
Examples:
  houseguest actplan stats
  houseguest actplan stats labelled/val --part lengths --part labels
  houseguest actplan stats builtin-200
  houseguest actplan stats --json | jq '.circumstances'
"""

_DEFAULT = "labelled"

_PARTS = ("counts", "lengths", "labels", "circumstances", "scenes", "objects", "verbs")


@click.command("stats", epilog=_EXAMPLES)
@click.argument("task_set", default=_DEFAULT, metavar="[TASK_SET]")
@click.option(
    "--part",
    "parts",
    multiple=True,
    type=click.Choice(_PARTS),
    help="Show this part alone; may be given several times. All parts where it is not given.",
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=15,
    show_default=True,
    help="How many rows long tables show; --json has all.",
)
@json_option
def stats_command(*, task_set: str, parts: Sequence[str], rows: int, as_json: bool) -> None:
    """Count what a task set is made of: tasks and objects by variant, lengths of plans, people's
    labels, circumstances of counterfactuals, scenes, and the verbs of gold plans.

    The shapes are those of the paper's Table 2 and Figure 4, whose numbers stand beside. Plans and
    labels are those of the task set's instances, or of all instances of its problems.
    """
    from env_service.suites.actplan.dataset.published import NOTE, SOURCE
    from env_service.suites.actplan.dataset.task_statistics import task_statistics
    from env_service.suites.actplan.task_sets import gold_steps
    from env_service.suites.builtin_sets import is_builtin

    found = _task_set(task_set)
    ours = is_builtin(found.name)
    statistics = task_statistics(found, gold_steps(found.name))
    sections = _sections(statistics, _plans(found), ours=ours)
    chosen = {name: sections[name] for name in _PARTS if name in (parts or _PARTS)}
    if as_json:
        print_json({"task_set": found.name, **document_of(chosen), "published_source": SOURCE})
        return
    click.echo(f"{found.name}: {found.description}")
    for section in chosen.values():
        _show(section, rows)
    if any(section.published for section in chosen.values()):
        click.echo(f"\npublished: {SOURCE}. {NOTE}")


def _task_set(name: str) -> TaskSet:
    from env_service.domain.names import UnknownNameError
    from env_service.suites.actplan.task_sets import ActPlanTaskSets

    task_sets = ActPlanTaskSets()
    name = name.removeprefix("actplan/")
    if name not in task_sets:
        raise UnknownNameError("task set of suite 'actplan'", name, task_sets)
    return task_sets[name]


def _plans(task_set: TaskSet) -> PlanStatistics:
    """Of the labelled instances that the tasks are, or that are of their problems; none for tasks
    that were not published."""
    from env_service.suites.actplan.dataset.labelled import load_labelled
    from env_service.suites.actplan.dataset.plan_statistics import plan_statistics
    from env_service.suites.builtin_sets import is_builtin

    if is_builtin(task_set.name):
        return plan_statistics(())
    ids = frozenset(task.id for task in task_set.tasks)
    return plan_statistics(
        each for each in load_labelled() if each.id in ids or each.problem_id in ids
    )


def _sections(tasks: TaskStatistics, plans: PlanStatistics, *, ours: bool) -> Mapping[str, Section]:
    return {
        "counts": count_section(tasks, ours=ours),
        "lengths": length_section(plans),
        "labels": label_section(plans),
        "circumstances": circumstance_section(tasks, ours=ours),
        "scenes": frequency_section("scene", "tasks", tasks.scenes),
        "objects": frequency_section("category", "instances", tasks.categories),
        "verbs": verb_section(plans),
    }


def _show(section: Section, most: int) -> None:
    if not section.rows:
        return
    click.echo(f"\n{section.title}")
    print_table(section.columns, [section.cells(row) for row in section.rows[:most]])
    more = len(section.rows) - most
    if more > 0:
        click.echo(f"and {counted(more, 'more row')}: --rows, or --json")
