"""``houseguest actplan stats``: what the data are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from env_service.cli.options import json_option, print_json
from env_service.cli.output import print_table
from env_service.domain.text import counted

if TYPE_CHECKING:
    from env_service.domain.task import TaskSet
    from env_service.suites.actplan.dataset.statistics import PlanStatistics, Spread, TaskStatistics
    from env_service.suites.actplan.task import Variant


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
    help="Show only this part; may be repeated.  [default: all parts]",
)
@click.option(
    "--rows",
    type=click.IntRange(min=1),
    default=15,
    show_default=True,
    help="The maximum number of rows of a table; --json has all rows.",
)
@json_option
def stats_command(*, task_set: str, parts: Sequence[str], rows: int, as_json: bool) -> None:
    """Show statistics of a task set.

    These are tasks and objects by variant, lengths of plans, people's labels, circumstances of
    counterfactuals, scenes, and the verbs of gold plans.

    The tables have the form of the paper's Table 2 and Figure 4, and repeat their numbers. Plans
    and labels are those of the task set's instances, or of all instances of its problems.
    """
    from env_service.suites.actplan.dataset.statistics import NOTE, SOURCE, task_statistics
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
    from env_service.suites.actplan.dataset.labelled_plans import load_labelled
    from env_service.suites.actplan.dataset.statistics import plan_statistics
    from env_service.suites.builtin_sets import is_builtin

    if is_builtin(task_set.name):
        return plan_statistics(())
    ids = frozenset(task.id for task in task_set.tasks)
    return plan_statistics(
        each for each in load_labelled() if each.id in ids or each.problem_id in ids
    )


def _sections(
    tasks: TaskStatistics, plans: PlanStatistics, *, ours: bool
) -> Mapping[str, StatsSection]:
    return {
        "counts": count_section(tasks, ours=ours),
        "lengths": length_section(plans),
        "labels": label_section(plans),
        "circumstances": circumstance_section(tasks, ours=ours),
        "scenes": frequency_section("scene", "tasks", tasks.scenes),
        "objects": frequency_section("category", "instances", tasks.categories),
        "verbs": verb_section(plans),
    }


def _show(section: StatsSection, most: int) -> None:
    if not section.rows:
        return
    click.echo(f"\n{section.title}")
    print_table(section.columns, [section.cells(row) for row in section.rows[:most]])
    more = len(section.rows) - most
    if more > 0:
        click.echo(f"and {counted(more, 'more row')}: --rows, or --json")


# --- Its tables


@dataclass(frozen=True, slots=True)
class StatsSection:
    """One table.

    Attributes:
        heads: what each key of a row is called; "#" before a number's.
        rows: each with all keys of ``heads``; None: there is nothing to say.
        published: whether a column has numbers of the paper.
    """

    title: str
    heads: Mapping[str, str]
    rows: tuple[Mapping[str, Any], ...]
    published: bool = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The heads, in their order."""
        return tuple(self.heads.values())

    def cells(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        """A row for people."""
        return tuple(_cell(row[key]) for key in self.heads)


def document_of(sections: Mapping[str, StatsSection]) -> dict[str, Any]:
    """As JSON: rows by the part's name."""
    return {name: [dict(row) for row in section.rows] for name, section in sections.items()}


def count_section(found: TaskStatistics, *, ours: bool) -> StatsSection:
    """Tasks, problems and objects by variant. ``ours``: the tasks are built-in ones, which have no
    published numbers."""
    from env_service.suites.actplan.dataset.statistics import INSTANCES

    heads = {
        "variant": "variant",
        "tasks": "#tasks",
        "published_samples": "#published samples",
        "pictured": "#pictured",
        "activities": "#activities",
        "problems": "#problems",
        "scenes": "#scenes",
        "objects_mean": "#objects",
        "objects_most": "#most",
        "conjuncts_mean": "#conjuncts",
        "words_mean": "#words",
        "unreadable": "#unreadable",
    }
    samples: dict[Variant | None, int] = dict(INSTANCES.items())
    samples[None] = sum(INSTANCES.values())
    rows = tuple(
        {
            "variant": _variant(variant),
            "tasks": counts.tasks,
            "published_samples": None if ours else samples[variant],
            "pictured": counts.pictured,
            "activities": counts.activities,
            "problems": counts.problems,
            "scenes": counts.scenes,
            "objects_mean": counts.objects.mean,
            "objects_most": counts.objects.most,
            "conjuncts_mean": counts.conjuncts.mean,
            "words_mean": counts.words.mean,
            "unreadable": counts.unreadable,
        }
        for variant, counts in found.counts.items()
    )
    return StatsSection(
        "Tasks; objects, goal conjuncts and words of descriptions are means a problem",
        heads,
        rows,
        published=not ours,
    )


def length_section(found: PlanStatistics) -> StatsSection:
    """Steps of plans by whose they are, and variant."""
    from env_service.suites.actplan.dataset.published_files import GOLDS
    from env_service.suites.actplan.dataset.statistics import STEPS

    heads = {
        "plans": "plans",
        "variant": "variant",
        "count": "#plans",
        "least": "#least",
        "median": "#median",
        "mean": "#mean",
        "most": "#most",
        "published_mean": "#published mean of golds",
    }
    rows = tuple(
        {
            "plans": name,
            "variant": _variant(variant),
            **_spread(steps),
            "published_mean": STEPS[variant] if variant and name in GOLDS else None,
        }
        for name, parts in found.steps.items()
        for variant, steps in parts.items()
    )
    return StatsSection("Steps of a plan", heads, rows, published=bool(rows))


def label_section(found: PlanStatistics) -> StatsSection:
    """What people said of models' plans."""
    heads = {
        "model": "model",
        "variant": "variant",
        "plans": "#plans",
        "correct": "#correct",
        "percent": "#percent",
    }
    rows = tuple(
        {
            "model": model,
            "variant": _variant(variant),
            "plans": label.plans,
            "correct": label.correct,
            "percent": 100 * label.share,
        }
        for model, parts in found.labels.items()
        for variant, label in parts.items()
    )
    return StatsSection("Plans that people found correct", heads, rows)


def circumstance_section(found: TaskStatistics, *, ours: bool) -> StatsSection:
    """What counterfactual problems are about. ``ours``: as of `count_section`."""
    from env_service.suites.actplan.dataset.statistics import CIRCUMSTANCES

    heads = {
        "circumstance": "circumstance",
        "problems": "#problems",
        "percent": "#percent",
        "published_percent": "#published percent",
    }
    total = sum(found.circumstances.values())
    shares = {kind: 100 * share for kind, share in CIRCUMSTANCES.items()}
    rows = tuple(
        {
            "circumstance": kind.value,
            "problems": count,
            "percent": 100 * count / total,
            "published_percent": None if ours else shares.get(kind),
        }
        for kind, count in found.circumstances.items()
    )
    return StatsSection("Circumstances of counterfactual problems", heads, rows, published=not ours)


def frequency_section(kind: str, counted: str, found: Mapping[str, int]) -> StatsSection:
    """How often each of some names comes."""
    rows = tuple({kind: name, counted: count} for name, count in found.items())
    title = f"{counted.capitalize()} by {kind}: {len(found)}"
    return StatsSection(title, {kind: kind, counted: f"#{counted}"}, rows)


def verb_section(found: PlanStatistics) -> StatsSection:
    """The verbs of gold plans, each spelling apart."""
    heads = {
        "word": "verb",
        "meaning": "read as",
        "gold_1": "#gold_1",
        "gold_2": "#gold_2",
        "arguments": "arguments",
    }
    rows = tuple(
        {
            "word": verb.word,
            "meaning": verb.meaning or None,
            **verb.uses,
            "arguments": " ".join(f"{n}:{count}" for n, count in verb.arities.items()),
        }
        for verb in found.verbs
    )
    return StatsSection(f"Verbs of gold plans: {counted(len(rows), 'spelling')}", heads, rows)


def _spread(found: Spread) -> dict[str, float]:
    return {
        "count": found.count,
        "least": found.least,
        "median": found.median,
        "mean": found.mean,
        "most": found.most,
    }


def _variant(variant: Variant | None) -> str:
    return "all" if variant is None else variant.value


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
