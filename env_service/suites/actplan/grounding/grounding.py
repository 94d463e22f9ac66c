"""From a plan's names to the things of the house (spec: actplan.md section 3.2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import zip_longest

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.assignment import assign
from env_service.suites.actplan.grounding.choosing import improve
from env_service.suites.actplan.grounding.drafting import Drafter
from env_service.suites.actplan.grounding.entities import Entity
from env_service.suites.actplan.grounding.grounded import GroundedPlan, GroundedStep, Level
from env_service.suites.actplan.grounding.home import Home, home_of
from env_service.suites.actplan.grounding.naming import parse_name
from env_service.suites.actplan.grounding.reading_of import Reading
from env_service.suites.actplan.grounding.registry import Again
from env_service.suites.actplan.plans.step import PlanStep, ReadPlan, Repair, RepairKind
from env_service.worlds.activity.bddl.telling import thing_in_words
from env_service.worlds.activity.deed import Verb
from env_service.worlds.activity.naming import number_of


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
    grounded = tuple(
        GroundedStep(each.step, reading.deeds(each), tuple(each.unresolved))
        for each in reading.steps
    )
    repairs = [*read.repairs, *_name_repairs(reading)]
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
    if best.near < 1.0 and level >= Level.RELAXED:
        best = max(best, _improved(_collective(read, level)), key=_near)
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
    reading = Reading(home, level, steps, drafter.entities, assign(home, drafter.entities))
    return _Read(reading, tuple(drafter.repairs), drafter.registry.doubtful)


def _collective(read: _Read, level: Level) -> _Read:
    """The reading in which a noun without a number, the only name of its kind, stands for all
    things of the kind: below COLLECTIVE only a plural does."""
    reading = read.reading
    kinds = Counter(each.category for each in reading.entities)

    def stands_for_all(entity: Entity) -> bool:
        several = entity.plural or level is Level.COLLECTIVE
        named = entity.carried and not entity.index and not entity.phantom
        return several and named and kinds[entity.category] == 1

    entities = [
        replace(each, all_of=reading.home.instances[each.category])
        if stands_for_all(each)
        else each
        for each in reading.entities
    ]
    return replace(read, reading=replace(reading, entities=entities))


def carried_names(steps: tuple[PlanStep, ...]) -> frozenset[str]:
    """The texts of names that are taken up anywhere."""
    return frozenset(
        parse_name(said).text for step in steps if step.verb is Verb.GRAB for said in step.arguments
    )


def _name_repairs(reading: Reading) -> list[Repair]:
    """What was read as what: once for every thing."""
    found = []
    for entity, instance in zip(reading.entities, reading.found, strict=True):
        kind = _repair_of(entity, instance)
        if kind is not None:
            found.append(Repair(kind, entity.step, f"{entity.said} as {_meant(entity, instance)}"))
    return found


def _meant(entity: Entity, instance: str) -> str:
    if entity.all_of:
        return " and ".join(map(thing_in_words, entity.all_of))
    return thing_in_words(instance or entity.category)


def _repair_of(entity: Entity, instance: str) -> RepairKind | None:
    if entity.phantom:
        return RepairKind.PHANTOM
    if entity.all_of:
        return RepairKind.COLLECTIVE
    if entity.index and entity.index != number_of(instance):
        return RepairKind.NUMBER_MATCHED
    return None if entity.exact else RepairKind.NAME_MATCHED
