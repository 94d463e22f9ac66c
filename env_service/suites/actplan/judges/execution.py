"""Carries out a plan, and remembers what was done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.grounded import GroundedPlan, GroundedStep, Level
from env_service.suites.actplan.judges.judgement import TracedStep
from env_service.worlds.activity.deed import Deed
from env_service.worlds.activity.profile import Profile
from env_service.worlds.activity.violation import Violation, ViolationKind
from env_service.worlds.activity.world import ActivityWorld


@dataclass(frozen=True, slots=True)
class Done:
    """One deed as it was done. ``held``: what was in hand just before."""

    step: int
    deed: Deed
    held: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Execution:
    """A plan, carried out to its end.

    Attributes:
        level: how freely it was read.
        world: as the plan leaves it.
        objects: the declared instances with their categories, of which conditions speak.
        categories: of every instance there is, phantoms too.
        done: its deeds, in order.
        trace: its steps, in order.
        plan: what was carried out.
    """

    level: Level
    world: ActivityWorld
    objects: Mapping[str, str]
    categories: Mapping[str, str]
    done: tuple[Done, ...]
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


def carry_out(activity: Activity, plan: GroundedPlan, level: Level, profile: Profile) -> Execution:
    """Does all deeds, whatever is violated (spec: actplan.md section 3.1).

    A name that stands for nothing is a violation, and so is a step with a known verb of which
    nothing else could be made.
    """
    world = ActivityWorld(activity.problem, profile, plan.phantoms)
    done: list[Done] = []
    trace = tuple(_take(world, each, done) for each in plan.steps)
    objects = activity.problem.objects
    categories = {**objects, **{name: category for name, category, _ in plan.phantoms}}
    return Execution(level, world, objects, categories, tuple(done), trace, plan)


def _take(world: ActivityWorld, grounded: GroundedStep, done: list[Done]) -> TracedStep:
    violations, changes = list(_unread(grounded)), list[str]()
    for deed in grounded.deeds:
        done.append(Done(grounded.step.number, deed, tuple(world.held)))
        effect = world.do(deed)
        violations += effect.violations
        changes += effect.changes
    return TracedStep(grounded, tuple(violations), tuple(changes))


def _unread(grounded: GroundedStep) -> tuple[Violation, ...]:
    unknown = tuple(Violation(ViolationKind.NO_SUCH_THING, each) for each in grounded.refusals())
    if unknown or grounded.deeds or grounded.step.verb is None:
        return unknown
    return (Violation(ViolationKind.INCOMPLETE, f"{grounded.step.said}: it lacks an object"),)
