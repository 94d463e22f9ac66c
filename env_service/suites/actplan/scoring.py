"""What an episode records in addition to its goal conditions (docs/actplan.md, Reproduce the
published results)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.conditions import SETTINGS
from env_service.suites.actplan.judges.judge import AT_END
from env_service.suites.actplan.judges.judgement import ErrorClass, Judgement
from env_service.suites.actplan.plans.plan_reader import ReadPlan, RepairKind
from env_service.suites.actplan.task import ActPlanTask
from env_service.suites.base import Condition
from env_service.worlds.activity.commonsense import ViolationKind

LISTED = ", "
"""Separates several values of one label."""

MOST_REASONS = 8
"""Of an explanation; what is left is counted."""


def goal_metrics(judgement: Judgement) -> dict[str, float]:
    """``goal_LEVEL`` (0 or 1) and ``goal_share_LEVEL`` (0 … 1, of its conjuncts) for each level
    that was judged; ``assertions`` and ``assertions_met``: how many constraints there are, and
    hold."""
    found: dict[str, float] = {}
    for verdict in judgement.goals:
        name = verdict.level.name.lower()
        found[f"goal_{name}"] = float(verdict.reached)
        found[f"goal_share_{name}"] = verdict.fraction
    found["assertions"] = float(len(judgement.assertions))
    found["assertions_met"] = float(sum(each.met for each in judgement.assertions))
    return found


def violation_metrics(judgement: Judgement) -> dict[str, float]:
    """``commonsense``: 1 where no precondition is violated; ``violations``: how many are;
    ``violation_KIND``: of each class."""
    return {
        "commonsense": float(judgement.sensible),
        "violations": float(len(judgement.violations)),
        **{f"violation_{each.value}": float(judgement.count(each)) for each in ViolationKind},
    }


def plan_metrics(plan: ReadPlan, judgement: Judgement) -> dict[str, float]:
    """``plan_steps``; ``unknown_steps``: those with an unknown verb; ``unresolved_names``;
    ``residue``: pieces of text that are part of no step; ``repairs`` and ``repair_KIND``."""
    counts = Counter(each.kind for each in judgement.repairs)
    return {
        "plan_steps": float(len(plan.steps)),
        "unknown_steps": float(sum(each.verb is None for each in plan.steps)),
        "unresolved_names": float(sum(len(each.grounded.unresolved) for each in judgement.trace)),
        "residue": float(len(plan.residue)),
        "repairs": float(len(judgement.repairs)),
        **{f"repair_{each.value}": float(counts[each]) for each in RepairKind},
    }


def task_labels(task: ActPlanTask, condition: Condition, modality: str) -> dict[str, str]:
    """``activity``, ``variant``, ``scene`` and ``split``, where there are these; ``modality``: see
    `Observer.modality`; ``circumstance``; ``condition``: see `condition_name`."""
    labels = {
        "activity": task.activity,
        "variant": task.variant.value,
        "circumstance": task.circumstance.value,
        "modality": modality,
        "condition": condition_name(condition),
        "scene": task.scene,
        "split": task.split,
    }
    return {name: value for name, value in labels.items() if value}


def verdict_labels(
    activity: Activity, plan: ReadPlan, judgement: Judgement, *, ending: str
) -> dict[str, str]:
    """``errors``: the classes of Figure 6, as "missing actions, extra tools", of a plan that is not
    correct; ``error``: the first of them; ``explanation``, in words; ``readings``: see
    `readings_text`; ``profile``: the commonsense profile; ``ending``; ``defects``: why the goal
    cannot be decided."""
    errors = [error_name(each) for each in judgement.errors]
    return {
        "errors": LISTED.join(errors),
        "error": errors[0] if errors else "",
        "explanation": explanation(plan, judgement),
        "readings": readings_text(judgement),
        "profile": judgement.profile,
        "ending": ending,
        "defects": "; ".join(activity.defects),
    }


def error_name(error: ErrorClass) -> str:
    """As reports call it."""
    return error.value.replace("_", " ")


def explanation(plan: ReadPlan, judgement: Judgement) -> str:
    """Why a plan is not correct, in words; empty where it is."""
    if judgement.correct:
        return ""
    reasons = [f"{each.problem.value.replace('_', ' ')}: {each.text}" for each in plan.diagnoses]
    reasons += [each.undone or f"not so: {each.text}" for each in judgement.unmet]
    more = len(reasons) - MOST_REASONS
    shown = reasons[:MOST_REASONS] + ([f"and {more} more"] if more > 0 else [])
    return "; ".join(_in_one_breath(shown))


def readings_text(judgement: Judgement) -> str:
    """The names that were not read literally, each with its score, 0 … 1: those that fit worst
    first, of a correct plan too."""
    return "; ".join(each.described for each in judgement.readings)


def _in_one_breath(reasons: Sequence[str]) -> Iterator[str]:
    """What several reasons begin with is said once."""
    for before, reason in zip(("", *reasons), reasons, strict=False):
        yield reason.removeprefix(AT_END) if before.startswith(AT_END) else reason


def condition_name(condition: Condition) -> str:
    """What makes scores differ, in one line: with or without pictures, and every other setting that
    is not the default."""
    first = "pictures" if condition["pictures"] == "on" else "text-only"
    return LISTED.join((first, *_changed(condition)))


def _changed(condition: Mapping[str, str]) -> list[str]:
    return [
        f"{each.name}={condition[each.name]}"
        for each in SETTINGS
        if each.name != "pictures" and condition[each.name] != each.default
    ]
