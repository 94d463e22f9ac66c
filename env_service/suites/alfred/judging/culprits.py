"""Which steps of a run failed for what reason: moving and grasping, or the plan's own logic."""

from __future__ import annotations

from env_service.suites.alfred.judging.analysis import Case, Code
from env_service.suites.alfred.judging.ideal import IdealStep, Replay
from env_service.suites.alfred.judging.intent import Intent
from env_service.suites.alfred.skills.step import Cause, Verb

_NAMES = (Cause.UNKNOWN_WORDS, Cause.NO_SUCH_OBJECT)
_HARMLESS = frozenset({Code.WRONG_STATE})
"""Failures of logic that change nothing: what is open was opened again."""


def culprit(case: Case, played: Replay, understood: Intent | None = None) -> IdealStep | None:
    """The first step that failed though nothing in the plan forbade it; None if there is none.

    Args:
        understood: the goal, where the plan does not reach it by logic alone. A name that the
            robot did not know counts then only if it may mean something that the goal wants, and
            what merely follows from an earlier failure does not count.
    """
    failed = [each for each in played.steps if _failed(case, each)]
    direct = (each for each in failed if _direct(each, understood))
    step = next(direct, None)
    if step is None and understood is None:
        return next(iter(failed), None)
    return step


def logical_failures(played: Replay) -> tuple[IdealStep, ...]:
    """The steps that could not work, of each reason the first."""
    found: dict[Code, IdealStep] = {}
    for each in played.steps:
        code = each.result.code
        if code is not None and code not in _HARMLESS:
            found.setdefault(code, each)
    return tuple(found.values())


def _failed(case: Case, step: IdealStep) -> bool:
    """Whether a step failed in the run alone. Where nothing is known of the house, what was not
    seen counts, as nobody knows what was closed."""
    cause = step.record.result.cause
    unseen = case.opening is None and cause is Cause.NOT_VISIBLE
    return step.physical or (unseen and step.result.code is Code.CLOSED_CONTAINER)


def _direct(step: IdealStep, understood: Intent | None) -> bool:
    cause = step.record.result.cause
    if cause is None:
        return False
    if cause in _NAMES:
        named = step.destination if step.verb is Verb.PUT_DOWN else step.types
        return understood is None or bool(named & _wanted(understood))
    return cause.physical


def _wanted(goal: Intent) -> frozenset[str]:
    return goal.objects | goal.movables | goal.destinations | goal.lamps
