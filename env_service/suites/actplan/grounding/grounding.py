"""From a plan's names to the things of the house (spec: actplan.md section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.assignment import assign
from env_service.suites.actplan.grounding.choosing import improve
from env_service.suites.actplan.grounding.drafting import Drafter
from env_service.suites.actplan.grounding.entities import Entity
from env_service.suites.actplan.grounding.grounded import GroundedPlan, Level
from env_service.suites.actplan.grounding.home import Home, home_of
from env_service.suites.actplan.grounding.naming import parse_name
from env_service.suites.actplan.grounding.reading_of import Reading
from env_service.suites.actplan.grounding.readings import name_repairs
from env_service.suites.actplan.grounding.registry import Again
from env_service.suites.actplan.grounding.several import plurals_read, singulars_read
from env_service.suites.actplan.grounding.words import is_fixture
from env_service.suites.actplan.plans.step import PlanStep, ReadPlan, Repair
from env_service.worlds.activity.deed import Verb


def ground(activity: Activity, plan: ReadPlan, level: Level) -> GroundedPlan:
    """The plan with instances for names. Equal arguments give equal plans; no plan is refused.

    Names are first made entities by the plan's own bookkeeping; then entities are matched to
    instances, all at once; then, above STRICT, instances of one kind change places as long as that
    brings the plan nearer to the goal, tried a limited number of times with the executor.
    """
    home = home_of(activity.problem)
    read = _read(home, plan, level, Again.LIKELY)
    if level > Level.STRICT and not activity.defects:
        read = _best(home, plan, level, read)
    reading = read.reading
    grounded = tuple(map(reading.grounded, reading.steps))
    repairs = [*read.repairs, *name_repairs(reading)]
    repairs.sort(key=lambda each: each.step)
    return GroundedPlan(grounded, tuple(repairs), reading.phantoms())


@dataclass(frozen=True, slots=True)
class _Read:
    reading: Reading
    repairs: tuple[Repair, ...]
    doubtful: bool
    near: float = 0.0


def _best(home: Home, plan: ReadPlan, level: Level, read: _Read) -> _Read:
    """The reading that brings the plan nearest to the goal, the first of equals."""
    best = _improved(read)
    if best.near < 1.0 and level is Level.COLLECTIVE:
        singulars = replace(read, reading=singulars_read(read.reading))
        best = max(best, _improved(singulars), key=_near)
    if best.near < 1.0 and read.doubtful:
        for again in (Again.SAME, Again.NEXT):
            best = max(best, _improved(_read(home, plan, level, again)), key=_near)
    return best


def _near(read: _Read) -> float:
    return read.near


def _improved(read: _Read) -> _Read:
    reading, near = improve(read.reading)
    return replace(read, reading=reading, near=near)


def _read(home: Home, plan: ReadPlan, level: Level, again: Again) -> _Read:
    drafter = Drafter(home, level, carried_names(plan.steps), again)
    pairs = zip_longest(plan.steps, plan.steps[1:])
    steps = tuple(drafter.draft(step, following) for step, following in pairs)
    entities = drafter.entities
    found = assign(home, entities)
    if level >= Level.RELAXED:
        _assume_fixtures(entities, found)
    reading = Reading(home, level, steps, entities, found, drafter.registry.heard)
    if level >= Level.RELAXED:
        reading = plurals_read(reading)
    return _Read(reading, tuple(drafter.repairs), drafter.registry.doubtful)


def _assume_fixtures(entities: Sequence[Entity], found: Sequence[str]) -> None:
    """Of fixtures that every home has there may be more than the definition lists: "chair_3" where
    it has two."""
    for entity, instance in zip(entities, found, strict=True):
        if not instance and is_fixture(entity.category):
            entity.phantom = True


def carried_names(steps: tuple[PlanStep, ...]) -> frozenset[str]:
    """The texts of names that are taken up anywhere."""
    return frozenset(
        parse_name(said).text for step in steps if step.verb is Verb.GRAB for said in step.arguments
    )
