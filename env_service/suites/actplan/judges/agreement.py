"""How far judges agree with people: measures, measured on the published labels. Gold plans are
not looked at.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.datasets.pack import open_pack
from env_service.suites.actplan.dataset.labelled_plans import LabelledPlans, load_labelled
from env_service.suites.actplan.dataset.published_files import PACK, PublishedProblem, load_problems
from env_service.suites.actplan.judges.judge import VERDICTS, JudgeOptions, PlanToJudge, judge_all
from env_service.suites.actplan.judges.judgement import Judgement
from env_service.suites.actplan.task import ActPlanTask
from env_service.worlds.activity.commonsense import PROFILES

REPLICATES = 10_000
"""Draws of a bootstrap, by default."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """A judge's verdicts against labels, counted. A positive is a plan that is called correct."""

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int

    @property
    def count(self) -> int:
        """How many plans were judged."""
        return self.correct + self.incorrect

    @property
    def correct(self) -> int:
        """How many plans the labels call correct."""
        return self.true_positives + self.false_negatives

    @property
    def incorrect(self) -> int:
        """How many they do not."""
        return self.false_positives + self.true_negatives

    @property
    def accuracy(self) -> float:
        """The share of verdicts that agree, 0 … 1; 0 of none."""
        return _share(self.true_positives + self.true_negatives, self.count)

    @property
    def baseline(self) -> float:
        """The accuracy of the better of the two constant answers."""
        return _share(max(self.correct, self.incorrect), self.count)

    @property
    def precision(self) -> float | None:
        """Of the plans that the judge calls correct, the share that people do; None of none."""
        called = self.true_positives + self.false_positives
        return self.true_positives / called if called else None

    @property
    def recall(self) -> float | None:
        """Of the plans that people call correct, the share that the judge does; None of none."""
        return self.true_positives / self.correct if self.correct else None

    @property
    def mcc(self) -> float:
        """Matthews' correlation coefficient, -1 … 1; 0 where all labels or all verdicts are alike.

        B. W. Matthews, Biochimica et Biophysica Acta 405 (1975), 442-451.
        """
        called = self.true_positives + self.false_positives
        spread = called * (self.count - called) * self.correct * self.incorrect
        if not spread:
            return 0.0
        hits = self.true_positives * self.true_negatives
        misses = self.false_positives * self.false_negatives
        return (hits - misses) / math.sqrt(spread)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval."""

    low: float
    high: float


def count_verdicts(labels: Sequence[bool], verdicts: Sequence[bool]) -> Confusion:
    """Verdicts [N] against labels [N]. Raises ValueError where their lengths differ."""
    pairs = list(zip(labels, verdicts, strict=True))
    return Confusion(
        true_positives=sum(label and verdict for label, verdict in pairs),
        false_positives=sum(verdict and not label for label, verdict in pairs),
        false_negatives=sum(label and not verdict for label, verdict in pairs),
        true_negatives=sum(not label and not verdict for label, verdict in pairs),
    )


def area_under_roc(labels: Sequence[bool], scores: Sequence[float]) -> float | None:
    """The chance that a correct plan scores above another, equal scores counting half; None where
    all labels are alike. Raises ValueError where lengths differ, or a score is not finite."""
    numbers = np.asarray(scores, dtype=np.float64)
    if len(labels) != numbers.size:
        raise ValueError(f"{len(labels)} labels, but {numbers.size} scores")
    if not np.isfinite(numbers).all():
        raise ValueError("scores: one of them is not finite")
    marks = np.asarray(labels, dtype=np.bool_)
    positive, negative = numbers[marks], np.sort(numbers[~marks])
    if not positive.size or not negative.size:
        return None
    below = np.searchsorted(negative, positive, side="left").sum()
    not_above = np.searchsorted(negative, positive, side="right").sum()
    return float(below + not_above) / (2 * positive.size * negative.size)


def interval_by_cluster(
    rows: Sequence[tuple[bool, bool]],
    clusters: Sequence[str],
    statistic: Callable[[Confusion], float],
    generator: np.random.Generator,
    replicates: int = REPLICATES,
) -> Interval:
    """A percentile interval of a statistic of the confusion, whole clusters being drawn with
    replacement: an activity's plans share its definition.

    Args:
        rows: (label, verdict) of each plan, N of them.
        clusters: of each plan its activity, N of them.

    Raises ValueError for no plans, and where the lengths differ.
    """
    table = _by_cluster(rows, clusters)
    groups = len(table)
    weights = generator.multinomial(groups, np.full(groups, 1 / groups), size=replicates)
    drawn = [statistic(Confusion(*map(int, each))) for each in weights @ table]
    low, high = np.quantile(drawn, [0.025, 0.975])
    return Interval(float(low), float(high))


def _by_cluster(rows: Sequence[tuple[bool, bool]], clusters: Sequence[str]) -> NDArray[np.int64]:
    """The cells of each cluster: int64 [G, 4]."""
    if not rows or len(rows) != len(clusters):
        raise ValueError(f"{len(rows)} plans in {len(clusters)} clusters: as many, and some")
    places = {name: at for at, name in enumerate(sorted(set(clusters)))}
    cell = {(True, True): 0, (False, True): 1, (True, False): 2, (False, False): 3}
    table = np.zeros((len(places), 4), dtype=np.int64)
    for row, cluster in zip(rows, clusters, strict=True):
        table[places[cluster], cell[row]] += 1
    return table


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


# --- Judges the published plans that people have judged, to measure how far the judges agree
# with them. Gold plans are not looked at

OPTIONS = JudgeOptions(PROFILES["standard"])
"""What agreement is measured under."""


@dataclass(frozen=True, slots=True)
class LabelledVerdicts:
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


def judge_split(split: str, jobs: int = 1) -> Iterator[LabelledVerdicts]:
    """Judges all labelled plans of a split, in the order of the published instances.

    Raises as `load_labelled` and `load_problems` do.
    """
    plans, problems = load_labelled().of(split=split), load_problems(open_pack(PACK))
    plans_to_judge, made = _plans_to_judge(plans, problems)
    for known, judgement in zip(made, judge_all(plans_to_judge, OPTIONS, jobs), strict=True):
        yield LabelledVerdicts(
            **known,
            verdicts={name: verdict(judgement) for name, verdict in VERDICTS.items()},
            unmet=_unmet(judgement),
        )


def measure(
    judged: Sequence[LabelledVerdicts], generator: np.random.Generator
) -> tuple[MeasuredAgreement, ...]:
    """A row for each judge, model and split that occurs, the judges in `VERDICTS`'s order."""
    parts = list(dict.fromkeys((each.split, each.model) for each in judged))
    return tuple(
        _measured(name, [each for each in judged if (each.split, each.model) == part], generator)
        for part in parts
        for name in VERDICTS
    )


def _measured(
    name: str, rows: Sequence[LabelledVerdicts], generator: np.random.Generator
) -> MeasuredAgreement:
    pairs = [(each.label, each.verdicts[name]) for each in rows]
    labels, verdicts = zip(*pairs, strict=True)
    activities = [each.activity for each in rows]
    return MeasuredAgreement(
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


def _plans_to_judge(
    plans: LabelledPlans, problems: Mapping[str, PublishedProblem]
) -> tuple[list[PlanToJudge], list[dict[str, Any]]]:
    plans_to_judge, made = [], []
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
            plans_to_judge.append(PlanToJudge(task, plan.text))
            known = {"task": instance.id, "activity": problem.activity, "split": instance.split}
            made.append(
                {**known, "variant": problem.variant.value, "model": model, "label": plan.correct}
            )
    return plans_to_judge, made


# --- How far judges agree with people, as it was measured on the published labels

_HEAD = """\
# Agreement of judges with people's verdicts on published plans (bleu-cls/data of ActPlan-1K).
# Counts over the instances of a split; mcc_low and mcc_high: 95 % interval, resampling activities.
# Written by `houseguest actplan agreement --out FILE`.
"""
_CELLS = ("true_positives", "false_positives", "false_negatives", "true_negatives")


@dataclass(frozen=True, slots=True)
class MeasuredAgreement:
    """One judge on one model's plans of one split. ``interval``: of Matthews' coefficient."""

    judge: str
    model: str
    split: str
    confusion: Confusion
    interval: Interval

    def to_json(self) -> dict[str, Any]:
        """As commands print it: shares in 0 … 1, None where they are undefined."""
        found = self.confusion
        return {
            **{"judge": self.judge, "model": self.model, "split": self.split},
            **{"plans": found.count, **{cell: getattr(found, cell) for cell in _CELLS}},
            **{"mcc": found.mcc, "mcc_low": self.interval.low, "mcc_high": self.interval.high},
            **{"accuracy": found.accuracy, "constant_answer": found.baseline},
            **{"precision": found.precision, "recall": found.recall},
        }


@cache
def measured() -> tuple[MeasuredAgreement, ...]:
    """What this release was measured to agree."""
    text = (files(__package__) / "measured.toml").read_text(encoding="utf-8")
    return read_measured(text)


def read_measured(text: str) -> tuple[MeasuredAgreement, ...]:
    """What `write_measured` wrote. Raises TOMLDecodeError, KeyError or TypeError for others."""
    return tuple(
        MeasuredAgreement(
            judge=row["judge"],
            model=row["model"],
            split=row["split"],
            confusion=Confusion(*(int(row[cell]) for cell in _CELLS)),
            interval=Interval(float(row["mcc_low"]), float(row["mcc_high"])),
        )
        for row in tomllib.loads(text).get("row", [])
    )


def write_measured(rows: Sequence[MeasuredAgreement]) -> str:
    """The table as TOML; reading it gives the rows again, limits to four digits."""
    return "\n".join((_HEAD, *map(_row, rows)))


def _row(row: MeasuredAgreement) -> str:
    lines = ["[[row]]"]
    lines += [f'{name} = "{getattr(row, name)}"' for name in ("judge", "model", "split")]
    lines += [f"{cell} = {getattr(row.confusion, cell)}" for cell in _CELLS]
    lines.append(f"mcc_low = {row.interval.low:.4f}")
    lines.append(f"mcc_high = {row.interval.high:.4f}")
    return "\n".join(lines) + "\n"
