"""The judge ``goal``: whether a plan reaches the goal, and what of it is left undone."""

from __future__ import annotations

from collections.abc import Iterable

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.grounded import Level
from env_service.suites.actplan.judges.execution import Execution
from env_service.suites.actplan.judges.judgement import Condition, GoalVerdict
from env_service.suites.actplan.judges.undone import pieces_undone
from env_service.worlds.activity.bddl.evaluation import evaluate
from env_service.worlds.activity.bddl.expressions import Expression
from env_service.worlds.activity.bddl.opposite import opposite
from env_service.worlds.activity.bddl.telling import in_words
from env_service.worlds.activity.holding import Reading

AT_END = "at the end "
"""How what a plan left undone begins."""

_MOST_TOLD = 4


def reached_by(activity: Activity, execution: Execution) -> GoalVerdict:
    """How each conjunct of the goal fares at the plan's end. A goal with defects cannot be decided
    and has no conditions."""
    if activity.defects:
        return GoalVerdict(execution.level, ())
    return GoalVerdict(execution.level, fare(activity.problem.conjuncts, execution))


def fare(expressions: Iterable[Expression], execution: Execution) -> tuple[Condition, ...]:
    """How conditions fare at the plan's end."""
    return tuple(condition_of(each, execution) for each in expressions)


def condition_of(expression: Expression, execution: Execution, text: str = "") -> Condition:
    """How one condition fares at the plan's end; ``text``: what it is called, else its words. What
    holds as stated holds at every level: "exactly two are next to it" would not, where people call
    more things next to it."""
    called = text or in_words(expression)
    pieces = _undone(expression, execution)
    told = [in_words(opposite(each)) for each in pieces[:_MOST_TOLD]]
    if len(pieces) > _MOST_TOLD:
        told.append(f"{len(pieces) - _MOST_TOLD} more")
    undone = f"{AT_END}{'; '.join(told)}" if told else ""
    return Condition(called, not pieces, undone)


def _undone(expression: Expression, execution: Execution) -> list[Expression]:
    objects, world = execution.objects, execution.world
    if evaluate(expression, objects, world.reader(Reading.STRICT)):
        return []
    relaxed = execution.level >= Level.RELAXED
    holds = world.reader(Reading.RELAXED if relaxed else Reading.STRICT)
    return list(pieces_undone(expression, objects, holds))
