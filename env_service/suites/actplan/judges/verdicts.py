"""Judges that need no model, each as a yes or a no."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from env_service.suites.actplan.grounding.grounded import Level
from env_service.suites.actplan.judges.judgement import Judgement

Verdict = Callable[[Judgement], bool]


def reaches(judgement: Judgement, level: Level) -> bool:
    """Whether the goal is reached at a level that was judged."""
    return any(each.reached for each in judgement.goals if each.level is level)


def _goal(level: Level) -> Verdict:
    return lambda judgement: reaches(judgement, level)


def _goal_and_sense(judgement: Judgement) -> bool:
    return judgement.sensible and reaches(judgement, Level.RELAXED)


VERDICTS: Mapping[str, Verdict] = {
    **{f"goal-{level.name.lower()}": _goal(level) for level in Level},
    "commonsense": lambda judgement: judgement.sensible,
    "goal-relaxed + commonsense": _goal_and_sense,
    "correct": lambda judgement: judgement.correct,
}
"""By name, which results and reports use. `correct` is the automatic correctness verdict."""
