"""Judges the published plans that people have judged, to measure how far the judges agree with
them. Gold plans are not looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from env_service.datasets.pack import open_pack
from env_service.suites.actplan.dataset.labelled import LabelledPlans, load_labelled
from env_service.suites.actplan.dataset.layout import PACK
from env_service.suites.actplan.dataset.problems import PublishedProblem, load_problems
from env_service.suites.actplan.judges.agreement import (
    Confusion,
    count_verdicts,
    interval_by_cluster,
)
from env_service.suites.actplan.judges.batch import Order, Rules, judge_all
from env_service.suites.actplan.judges.judgement import Judgement
from env_service.suites.actplan.judges.measured import Measured
from env_service.suites.actplan.judges.verdicts import VERDICTS
from env_service.suites.actplan.task import ActPlanTask
from env_service.worlds.activity.profile import PROFILES

RULES = Rules(PROFILES["standard"])
"""What agreement is measured under."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One plan: people's verdict on it and the judges'. ``unmet``: what keeps it from `correct`."""

    task: str
    activity: str
    variant: str
    split: str
    model: str
    label: bool
    verdicts: Mapping[str, bool]
    unmet: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """A flat row: a column a judge."""
        own = {name: getattr(self, name) for name in ("task", "variant", "split", "model", "label")}
        return {**own, **self.verdicts, "unmet": "; ".join(self.unmet)}


def plans_in(split: str) -> int:
    """How many labelled plans of a split there are. Raises as `load_labelled` does."""
    return sum(len(each.plans) for each in load_labelled().of(split=split))


def judge_split(split: str, jobs: int = 1) -> Iterator[Labelled]:
    """Judges all labelled plans of a split, in the order of the published instances.

    Raises as `load_labelled` and `load_problems` do.
    """
    plans, problems = load_labelled().of(split=split), load_problems(open_pack(PACK))
    orders, made = _orders(plans, problems)
    for known, judgement in zip(made, judge_all(orders, RULES, jobs), strict=True):
        yield Labelled(
            **known,
            verdicts={name: verdict(judgement) for name, verdict in VERDICTS.items()},
            unmet=_unmet(judgement),
        )


def measure(judged: Sequence[Labelled], generator: np.random.Generator) -> tuple[Measured, ...]:
    """A row for each judge, model and split that occurs, the judges in `VERDICTS`'s order."""
    parts = list(dict.fromkeys((each.split, each.model) for each in judged))
    return tuple(
        _measured(name, [each for each in judged if (each.split, each.model) == part], generator)
        for part in parts
        for name in VERDICTS
    )


def _measured(name: str, rows: Sequence[Labelled], generator: np.random.Generator) -> Measured:
    pairs = [(each.label, each.verdicts[name]) for each in rows]
    labels, verdicts = zip(*pairs, strict=True)
    activities = [each.activity for each in rows]
    return Measured(
        judge=name,
        model=rows[0].model,
        split=rows[0].split,
        confusion=count_verdicts(labels, verdicts),
        interval=interval_by_cluster(pairs, activities, _mcc, generator),
    )


def _mcc(confusion: Confusion) -> float:
    return confusion.mcc


def _unmet(judgement: Judgement) -> tuple[str, ...]:
    return tuple(each.undone or each.text for each in judgement.unmet)


def _orders(
    plans: LabelledPlans, problems: Mapping[str, PublishedProblem]
) -> tuple[list[Order], list[dict[str, Any]]]:
    orders, made = [], []
    for instance in plans:
        problem = problems[instance.problem_id]
        task = ActPlanTask(
            id=instance.id,
            activity=problem.activity,
            variant=problem.variant,
            problem=problem.problem,
            description=problem.description,
            split=instance.split,
        )
        for model, plan in instance.plans.items():
            orders.append(Order(task, plan.text))
            known = {"task": instance.id, "activity": problem.activity, "split": instance.split}
            made.append(
                {**known, "variant": problem.variant.value, "model": model, "label": plan.correct}
            )
    return orders, made
