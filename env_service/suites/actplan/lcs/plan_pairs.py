"""Pairs of plans to compare: gold plans with those of the published models, of a user, or of agents
in a run.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from env_service.datasets.errors import DataPackMissingError
from env_service.datasets.pack import Pack, open_pack
from env_service.suites.actplan.dataset.labelled_plans import load_labelled
from env_service.suites.actplan.dataset.published_files import (
    GOLDS,
    PACK,
    InstanceKey,
    find_samples,
    problem_id,
    read_plans,
)
from env_service.suites.actplan.judges.plan_files import GivenPlan
from env_service.suites.actplan.lcs.scorer import (
    GOLD_1,
    GOLD_2,
    Case,
    LcsSettings,
    Mode,
    Score,
    Scorer,
    published_gold,
)
from env_service.suites.actplan.plans.plan_reader import ReadPlan

_INSTANCE = re.compile(r"(?:.*/)?(?P<id>[^/]+/[^/]+/[01]/sample_\d+)")


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance with all the plans that the data pack has for it.

    Attributes:
        golds: texts by `GOLD_1` and `GOLD_2`; none where there are none.
        plans: models' plans by the model's name.
        labels: by the model's name, whether people found its plan correct; where they were asked.
    """

    key: InstanceKey
    golds: Mapping[str, str]
    plans: Mapping[str, str]
    labels: Mapping[str, bool]

    def case(self, model: str, plan: str) -> Case:
        """A plan of a model for this instance, which need not be one of `plans`."""
        label = self.labels.get(model) if self.plans.get(model) == plan else None
        key = self.key
        return Case(key.id, key.activity, key.variant, model, plan, self.golds, label)


def load_instances(pack: Pack | None = None) -> tuple[Instance, ...]:
    """All instances that the data pack has plans for. Where both have the same plan, the text of a
    sample's file goes before that of the labelled pairs, which lost its line ends.

    Raises DataPackMissingError if the pack has neither, and DataPackCorruptError.
    """
    pack = pack or open_pack(PACK)
    files = dict(_sampled(pack))
    try:
        found = {each.key.id: each for each in _labelled(pack)}
    except DataPackMissingError:
        if not files:
            raise
        found = {}
    for name, sample in files.items():
        known = found.get(name, replace(sample, golds={}, plans={}))
        golds, plans = {**known.golds, **sample.golds}, {**known.plans, **sample.plans}
        found[name] = replace(known, golds=golds, plans=plans)
    return tuple(sorted(found.values(), key=lambda each: each.key.order))


def published_cases(instances: Iterable[Instance]) -> Iterator[Case]:
    """Every plan of every model."""
    for instance in instances:
        for model, plan in instance.plans.items():
            yield instance.case(model, plan)


class Golds:
    """The instances that have gold plans, by task."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        """Leaves those without gold plans out."""
        self._by_id: dict[str, Instance] = {}
        self._by_problem: dict[str, list[Instance]] = defaultdict(list)
        for each in instances:
            if each.golds:
                self._by_id[each.key.id] = each
                self._by_problem[problem_id(each.key.activity, each.key.variant)].append(each)

    def of(self, task: str, problem: str) -> Sequence[Instance]:
        """The instance that a task is; all of its problem, where it is a problem by itself."""
        named = _INSTANCE.fullmatch(task)
        if named is None:
            return self._by_problem.get(problem, [])
        known = self._by_id.get(named["id"])
        return [known] if known else []


@dataclass(frozen=True, slots=True)
class GivenCases:
    """``without``: the tasks of plans whose instance or problem has no gold plan here."""

    cases: tuple[Case, ...]
    without: tuple[str, ...]


def given_cases(
    plans: Iterable[GivenPlan], model: str, instances: Iterable[Instance]
) -> GivenCases:
    """Cases of a user's plans. A plan for an instance is compared with the golds of that one; a
    plan for a problem makes a case with each instance of the problem, as the paper counts them."""
    golds = Golds(instances)
    cases: list[Case] = []
    without: list[str] = []
    for plan in plans:
        found = golds.of(plan.task, plan.problem)
        cases += [each.case(model, plan.text) for each in found]
        without += [] if found else [plan.task]
    return GivenCases(tuple(cases), tuple(without))


def _labelled(pack: Pack) -> Iterator[Instance]:
    for each in load_labelled(pack):
        golds = {GOLD_1: each.gold_1, GOLD_2: each.gold_2}
        yield Instance(
            each.key,
            {name: text for name, text in golds.items() if text},
            {model: plan.text for model, plan in each.plans.items()},
            {model: plan.correct for model, plan in each.plans.items()},
        )


def _sampled(pack: Pack) -> Iterator[tuple[str, Instance]]:
    for instance, sample in find_samples(pack).items():
        plans = read_plans(pack, sample)
        golds = {name: text for name, text in plans.items() if name in GOLDS}
        models = {name: text for name, text in plans.items() if name not in GOLDS}
        yield instance, Instance(sample.key, golds, models, {})


# --- Agents' plans of a run with gold plans: the content of the paper's Table 4

_DIGITS = 12


@dataclass(frozen=True, slots=True)
class PlayedPlan:
    """An episode's plan, with a case for each instance that it is compared with; empty without a
    gold plan."""

    episode_id: str
    task_id: str
    cases: tuple[Case, ...]


def plan_text(plan: ReadPlan) -> str:
    """A plan as a file of it would be: a step a line, and a newline at its end."""
    return "".join(f"{step.word}({', '.join(step.arguments)})\n" for step in plan.steps)


def played_plan(episode_id: str, task_id: str, plan: ReadPlan, by: tuple[str, Golds]) -> PlayedPlan:
    """What a plan is compared with. ``by``: the model's name, and the gold plans."""
    model, golds = by
    text = plan_text(plan)
    # People have judged other plans, even where one of them has the same words.
    cases = (replace(each.case(model, text), correct=None) for each in golds.of(task_id, task_id))
    return PlayedPlan(episode_id, task_id, tuple(cases))


@dataclass(frozen=True, slots=True)
class ScoredPlan:
    """A plan's scores in both modes: of each instance, if it could be scored."""

    plan: PlayedPlan
    scores: Mapping[Mode, tuple[Score, ...]]

    def metrics(self) -> dict[str, float]:
        """The numbers of `lcs.numbers`; none of a mode in which nothing could be compared."""
        return {
            number(mode, name): value
            for mode, scores in self.scores.items()
            for name, value in _sums(scores).items()
        }

    def details(self) -> dict[str, Any]:
        """By mode and instance, the length and the normalised length with each gold plan."""
        return {
            mode.value: {score.case.id: _aligned(score) for score in scores}
            for mode, scores in self.scores.items()
        }


def score_played(
    plans: Sequence[PlayedPlan], scorer: Scorer, settings: LcsSettings
) -> list[ScoredPlan]:
    """Scores all plans in both modes, whatever the mode of the settings; one with nothing to
    compare with has no scores."""
    cases = [case for each in plans for case in each.cases]
    ways = {mode: replace(settings, mode=mode) for mode in Mode}
    scorer.prepare(cases, ways.values())
    found = {
        mode: {id(score.case): score for score in scorer.under(way).score(cases)}
        for mode, way in ways.items()
    }
    return [
        ScoredPlan(each, {mode: _of(each, scores) for mode, scores in found.items()})
        for each in plans
    ]


def golds_digest(plans: Iterable[PlayedPlan]) -> str:
    """SHA-256 (hex) of the gold plans that these are compared with."""
    golds = {case.id: dict(case.golds) for each in plans for case in each.cases}
    return hashlib.sha256(json.dumps(golds, sort_keys=True).encode()).hexdigest()


def scoring_text(encoder: tuple[str, str], model: str, settings: LcsSettings) -> str:
    """How a model's plans were scored, as a report states it. Do not compare scores whose texts
    differ. ``encoder``: its name and its digest."""
    name, digest = encoder
    against = settings.against
    golds = f"against {against} alone" if against else f"compat against {published_gold(model)}"
    return (
        f"encoder {name} ({digest[:_DIGITS]}…), steps with a cosine of {settings.threshold:g} or"
        f" more count as equal, {golds}"
    )


def _of(plan: PlayedPlan, scores: Mapping[int, Score]) -> tuple[Score, ...]:
    return tuple(scores[id(case)] for case in plan.cases if id(case) in scores)


def _sums(scores: Sequence[Score]) -> dict[str, float]:
    if not scores:
        return {}
    return {
        SCORED_INSTANCES: float(len(scores)),
        LENGTH: float(sum(each.best.length for each in scores)),
        NORMALISED: sum(each.best.normalised for each in scores),
        MEAN_NORMALISED: sum(each.mean_normalised for each in scores),
    }


def _aligned(score: Score) -> dict[str, Any]:
    return {
        name: {"length": each.length, "normalised": each.normalised}
        for name, each in score.alignments.items()
    }


# --- What a run's plans are given: the names of numbers that the report reads

SCORES = "lcs"
"""Of the file in the run's folder."""

SCORED_INSTANCES = "instances"
"""That a plan is compared with the gold plans of; every other number is a sum over them."""
LENGTH = "length"
"""Steps of the longest common subsequence, with the gold plan that the plan is most like."""
NORMALISED = "normalised"
"""The same over the longer plan's steps, 0 … 1 an instance."""
MEAN_NORMALISED = "mean_normalised"
"""The mean over gold plans, in the place of the one that the plan is most like."""


def number(mode: Mode, name: str) -> str:
    """What one of these is called in one mode: "clean_length"."""
    return f"{mode.value}_{name}"
