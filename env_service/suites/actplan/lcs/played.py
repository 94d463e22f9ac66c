"""Plans that agents gave in a run, beside gold plans: what the paper's Table 4 is made of.

A plan is compared as it was judged: the steps that were read, one a line, in the plan's own words;
of an episode that was played step by step, the steps that were done.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from env_service.suites.actplan.lcs.cases import Case, published_gold
from env_service.suites.actplan.lcs.gathering import Golds
from env_service.suites.actplan.lcs.numbers import (
    INSTANCES,
    LENGTH,
    MEAN_NORMALISED,
    NORMALISED,
    number,
)
from env_service.suites.actplan.lcs.scoring import Score, Scorer, Settings
from env_service.suites.actplan.lcs.splitting import Mode
from env_service.suites.actplan.plans.step import ReadPlan

_DIGITS = 12


@dataclass(frozen=True, slots=True)
class PlayedPlan:
    """An episode's plan, with a case for each instance that it is compared with; none: there is no
    gold plan here."""

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
    plans: Sequence[PlayedPlan], scorer: Scorer, settings: Settings
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


def told(encoder: tuple[str, str], model: str, settings: Settings) -> str:
    """How a model's plans were scored, as a report tells it: scores of which it differs do not
    compare. ``encoder``: its name and its digest."""
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
        INSTANCES: float(len(scores)),
        LENGTH: float(sum(each.best.length for each in scores)),
        NORMALISED: sum(each.best.normalised for each in scores),
        MEAN_NORMALISED: sum(each.mean_normalised for each in scores),
    }


def _aligned(score: Score) -> dict[str, Any]:
    return {
        name: {"length": each.length, "normalised": each.normalised}
        for name, each in score.alignments.items()
    }
