"""The tables of ``houseguest actplan stats``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from env_service.domain.english import counted

if TYPE_CHECKING:
    from env_service.suites.actplan.dataset.plan_statistics import PlanStatistics
    from env_service.suites.actplan.dataset.spread import Spread
    from env_service.suites.actplan.dataset.task_statistics import TaskStatistics
    from env_service.suites.actplan.task import Variant


@dataclass(frozen=True, slots=True)
class Section:
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


def document_of(sections: Mapping[str, Section]) -> dict[str, Any]:
    """As JSON: rows by the part's name."""
    return {name: [dict(row) for row in section.rows] for name, section in sections.items()}


def count_section(found: TaskStatistics, *, ours: bool) -> Section:
    """Tasks, problems and objects by variant. ``ours``: the tasks are built-in ones, which have no
    published numbers."""
    from env_service.suites.actplan.dataset.published import INSTANCES

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
    return Section(
        "Tasks; objects, goal conjuncts and words of descriptions are means a problem",
        heads,
        rows,
        published=not ours,
    )


def length_section(found: PlanStatistics) -> Section:
    """Steps of plans by whose they are, and variant."""
    from env_service.suites.actplan.dataset.published import STEPS
    from env_service.suites.actplan.dataset.samples import GOLDS

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
    return Section("Steps of a plan", heads, rows, published=bool(rows))


def label_section(found: PlanStatistics) -> Section:
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
    return Section("Plans that people found correct", heads, rows)


def circumstance_section(found: TaskStatistics, *, ours: bool) -> Section:
    """What counterfactual problems are about. ``ours``: as of `count_section`."""
    from env_service.suites.actplan.dataset.published import CIRCUMSTANCES

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
    return Section("Circumstances of counterfactual problems", heads, rows, published=not ours)


def frequency_section(kind: str, counted: str, found: Mapping[str, int]) -> Section:
    """How often each of some names comes."""
    rows = tuple({kind: name, counted: count} for name, count in found.items())
    title = f"{counted.capitalize()} by {kind}: {len(found)}"
    return Section(title, {kind: kind, counted: f"#{counted}"}, rows)


def verb_section(found: PlanStatistics) -> Section:
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
    return Section(f"Verbs of gold plans: {counted(len(rows), 'spelling')}", heads, rows)


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
