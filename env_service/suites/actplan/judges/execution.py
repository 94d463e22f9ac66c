"""Carries out a plan and remembers what was done; whether it reaches the goal, and what of that
is left undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.grounded_plan import GroundedPlan, GroundedStep, Level
from env_service.suites.actplan.judges.judgement import Condition, GoalVerdict, TracedStep
from env_service.worlds.activity.actions import ActivityAction
from env_service.worlds.activity.bddl.evaluation import evaluate, instances
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Expression,
    ForAll,
    opposite,
    renamed,
)
from env_service.worlds.activity.bddl.wording import in_words
from env_service.worlds.activity.commonsense import CommonsenseProfile, Violation, ViolationKind
from env_service.worlds.activity.facts import Reading
from env_service.worlds.activity.world import ActivityWorld


@dataclass(frozen=True, slots=True)
class PerformedAction:
    """One action as it was done. ``held``: what was in hand just before."""

    step: int
    action: ActivityAction
    held: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Execution:
    """A plan, carried out to its end.

    Attributes:
        level: how freely it was read.
        world: as the plan leaves it.
        objects: the declared instances with their categories, of which conditions speak.
        categories: of every instance there is, phantoms too.
        done: its actions, in order.
        trace: its steps, in order.
        plan: what was carried out.
    """

    level: Level
    world: ActivityWorld
    objects: Mapping[str, str]
    categories: Mapping[str, str]
    done: tuple[PerformedAction, ...]
    trace: tuple[TracedStep, ...]
    plan: GroundedPlan

    @property
    def violations(self) -> tuple[tuple[int, Violation], ...]:
        """With the number of the step, from 1."""
        return tuple(
            (each.grounded.step.number, violation)
            for each in self.trace
            for violation in each.violations
        )


def execute_plan(
    activity: Activity, plan: GroundedPlan, level: Level, profile: CommonsenseProfile
) -> Execution:
    """Does all actions, whatever is violated (docs/actplan.md, Judges).

    A name that stands for nothing is a violation, and so is a step with a known verb of which
    nothing else could be made.
    """
    world = ActivityWorld(activity.problem, profile, plan.phantoms)
    done: list[PerformedAction] = []
    trace = tuple(_execute_step(world, each, done) for each in plan.steps)
    objects = activity.problem.objects
    categories = {**objects, **{name: category for name, category, _ in plan.phantoms}}
    return Execution(level, world, objects, categories, tuple(done), trace, plan)


def _execute_step(
    world: ActivityWorld, grounded: GroundedStep, done: list[PerformedAction]
) -> TracedStep:
    violations, changes = list(_unread_violations(grounded)), list[str]()
    for action in grounded.actions:
        done.append(PerformedAction(grounded.step.number, action, tuple(world.held)))
        effect = world.do(action)
        violations += effect.violations
        changes += effect.changes
    return TracedStep(grounded, tuple(violations), tuple(changes))


def _unread_violations(grounded: GroundedStep) -> tuple[Violation, ...]:
    unknown = tuple(Violation(ViolationKind.NO_SUCH_THING, each) for each in grounded.refusals())
    if unknown or grounded.actions or grounded.step.verb is None:
        return unknown
    return (Violation(ViolationKind.INCOMPLETE, f"{grounded.step.spelling}: it lacks an object"),)


# --- The judge ``goal``: whether a plan reaches the goal, and what of it is left undone

AT_END = "at the end "
"""How what a plan left undone begins."""

_MOST_LISTED = 4


def goal_verdict(activity: Activity, execution: Execution) -> GoalVerdict:
    """How each conjunct of the goal fares at the plan's end. A goal with defects cannot be decided
    and has no conditions."""
    if activity.defects:
        return GoalVerdict(execution.level, ())
    return GoalVerdict(execution.level, conditions_at_end(activity.problem.conjuncts, execution))


def conditions_at_end(
    expressions: Iterable[Expression], execution: Execution
) -> tuple[Condition, ...]:
    """How conditions fare at the plan's end."""
    return tuple(condition_of(each, execution) for each in expressions)


def condition_of(expression: Expression, execution: Execution, text: str = "") -> Condition:
    """How one condition fares at the plan's end; ``text``: what it is called, else its words. What
    holds as stated holds at every level: "exactly two are next to it" would not, where people call
    more things next to it."""
    called = text or in_words(expression)
    pieces = _undone(expression, execution)
    parts = [in_words(opposite(each)) for each in pieces[:_MOST_LISTED]]
    if len(pieces) > _MOST_LISTED:
        parts.append(f"{len(pieces) - _MOST_LISTED} more")
    undone = f"{AT_END}{'; '.join(parts)}" if parts else ""
    return Condition(called, not pieces, undone)


def _undone(expression: Expression, execution: Execution) -> list[Expression]:
    objects, world = execution.objects, execution.world
    if evaluate(expression, objects, world.reader(Reading.STRICT)):
        return []
    relaxed = execution.level >= Level.RELAXED
    holds = world.reader(Reading.RELAXED if relaxed else Reading.STRICT)
    return list(unmet_parts(expression, objects, holds))


# --- Which pieces of a condition are not so, by the names of the things

Holds = Callable[[Atom], bool]


def unmet_parts(
    expression: Expression, objects: Mapping[str, str], holds: Holds
) -> Iterator[Expression]:
    """The parts of a condition that does not hold and whose holding would make it hold: of a
    conjunction those that do not hold, of "every" the instances of which it is not so; else the
    condition itself. Nothing of one that holds."""
    if evaluate(expression, objects, holds):
        return
    match expression:
        case And(parts):
            for part in parts:
                yield from unmet_parts(part, objects, holds)
        case ForAll(bound, body):
            for name in instances(objects, bound):
                part = renamed(body, {bound.variable: name})
                yield from unmet_parts(part, objects, holds)
        case _:
            yield expression
