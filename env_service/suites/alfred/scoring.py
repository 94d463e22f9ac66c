"""The records of an episode in addition to its goal conditions (docs/alfred-rules.md, "Scores")."""

from collections.abc import Mapping, Sequence

from env_service.domain.episode import GoalCondition
from env_service.suites.alfred.command_wordings import command_of
from env_service.suites.alfred.conditions import NAMED, SETTINGS, wording_of
from env_service.suites.alfred.judging.analysis import Analysis
from env_service.suites.alfred.skills.steps import StepRecord
from env_service.suites.alfred.task import AlfredTask
from env_service.suites.base import Condition

FAILURE_TYPES: Mapping[int, str] = {
    1: "misleading command",
    2: "action failure",
    3: "plan failure",
}
"""The paper's types by its numbers (Table 4)."""

OTHER = "other"


def path_weight(reference: int, taken: int) -> float:
    """min(1, L*/T) of ALFRED's path-weighted scores, in skills: those of the reference plan over
    those that the agent took; 1 where it took none (docs/alfred-rules.md, "Scores")."""
    return min(1.0, reference / taken) if taken else 1.0


def goal_metrics(
    task: AlfredTask, conditions: Sequence[GoalCondition], taken: int
) -> dict[str, float]:
    """``reference_steps``; ``path_weighted_success`` and ``path_weighted_goals``, 0 … 1: success,
    and the share of goal conditions, times `path_weight`."""
    met = sum(each.met for each in conditions) / len(conditions)
    weight = path_weight(len(task.reference), taken)
    return {
        "reference_steps": float(len(task.reference)),
        "path_weighted_success": weight * (met == 1.0),
        "path_weighted_goals": weight * met,
    }


def step_metrics(records: Sequence[StepRecord]) -> dict[str, float]:
    """``plan_steps``: those that were tried; ``failed_steps``: the share that failed;
    ``unknown_steps``: the share that was no skill. Shares are 0 where there was no step."""
    count = len(records)
    failed = sum(not each.result.worked for each in records)
    unknown = sum(each.step is None for each in records)
    return {
        "plan_steps": float(count),
        "failed_steps": failed / count if count else 0.0,
        "unknown_steps": unknown / count if count else 0.0,
    }


def failure_metrics(analysis: Analysis) -> dict[str, float]:
    """``failure_type_1`` … ``failure_type_3``: 1 where the failure is of that type, else 0."""
    return {f"failure_type_{each}": float(each in analysis.types) for each in FAILURE_TYPES}


def task_labels(task: AlfredTask, condition: Condition) -> dict[str, str]:
    """``task_type``; ``trial``: the task without its annotation; ``condition`` and ``wording``: see
    `condition_name` and `wording_name`; ``command``: the agent's, without an answer."""
    return {
        "task_type": task.goal.type.value,
        "trial": task.id.partition("/")[0],
        "condition": condition_name(condition),
        "wording": wording_name(condition),
        "command": command_of(task, wording_of(condition)).text,
    }


LISTED = ", "
"""Separates several types, and several codes."""


def failure_labels(analysis: Analysis) -> dict[str, str]:
    """``failure_types``, as "2" or "1, 2"; ``failure_codes``, as "not visible, hand full", those
    that decided first; ``failure_code``: the first of them; ``explanation``, in words. Empty texts
    where there was no failure."""
    codes = [each.replace("_", " ") for each in analysis.codes]
    return {
        "failure_types": LISTED.join(map(str, analysis.types)),
        "failure_codes": LISTED.join(codes),
        "failure_code": codes[0] if codes else "",
        "explanation": analysis.explanation,
    }


def wording_name(condition: Condition) -> str:
    """The name of the condition that differs from the default by its wording, and by whether it
    may ask."""
    asked = {"wording": condition["wording"]}
    if condition["ask"] == "on":
        asked["ask"] = "on"
    return next(name for name, changes in NAMED.items() if dict(changes) == asked)


def condition_name(condition: Condition) -> str:
    """What makes scores differ, in one line: the wording, and every other setting that is not the
    default."""
    changed = [
        f"{each.name}={condition[each.name]}"
        for each in SETTINGS
        if each.name not in ("wording", "ask") and condition[each.name] != each.default
    ]
    return ", ".join((wording_name(condition), *changed))
