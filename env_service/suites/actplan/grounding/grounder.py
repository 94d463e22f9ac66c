"""From a plan's names to the things of an activity, for a whole plan or a step at a time, and
which names were not read literally.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from env_service.domain.text import with_article
from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.assignment import assign, cost_of
from env_service.suites.actplan.grounding.entities import Entity, Mention, RepeatedName, are_apart
from env_service.suites.actplan.grounding.grounded_plan import GroundedPlan, GroundedStep, Level
from env_service.suites.actplan.grounding.lexicon import (
    ThingCatalog,
    catalog_of,
    is_fixture,
    parse_name,
    singular,
)
from env_service.suites.actplan.grounding.reading_search import (
    Reading,
    improve,
    plurals_read,
    singulars_read,
)
from env_service.suites.actplan.grounding.step_interpreter import StepInterpreter
from env_service.suites.actplan.plans.plan_reader import PlanStep, ReadPlan, Repair, RepairKind
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.bddl.wording import thing_in_words
from env_service.worlds.activity.categories import lemma_of
from env_service.worlds.activity.observation import number_of
from env_service.worlds.activity.world import ActivityWorld


def ground(activity: Activity, plan: ReadPlan, level: Level) -> GroundedPlan:
    """The plan with instances for names. Equal arguments give equal plans; no plan is refused.

    Names are first made entities by the plan's own bookkeeping; then entities are matched to
    instances, all at once; then, above STRICT, instances of one kind change places as long as that
    brings the plan nearer to the goal, tried a limited number of times with the executor.
    """
    catalog = catalog_of(activity.problem)
    read = _read(catalog, plan, level, RepeatedName.LIKELY)
    if level > Level.STRICT and not activity.defects:
        read = _best(catalog, plan, level, read)
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


def _best(catalog: ThingCatalog, plan: ReadPlan, level: Level, read: _Read) -> _Read:
    """The reading that brings the plan nearest to the goal, the first of equals."""
    best = _improved(read)
    if best.near < 1.0 and level is Level.COLLECTIVE:
        singulars = replace(read, reading=singulars_read(read.reading))
        best = max(best, _improved(singulars), key=_near)
    if best.near < 1.0 and read.doubtful:
        for repeated in (RepeatedName.SAME, RepeatedName.NEXT):
            best = max(best, _improved(_read(catalog, plan, level, repeated)), key=_near)
    return best


def _near(read: _Read) -> float:
    return read.near


def _improved(read: _Read) -> _Read:
    reading, near = improve(read.reading)
    return replace(read, reading=reading, near=near)


def _read(catalog: ThingCatalog, plan: ReadPlan, level: Level, repeated: RepeatedName) -> _Read:
    interpreter = StepInterpreter(catalog, level, carried_names(plan.steps), repeated)
    pairs = zip_longest(plan.steps, plan.steps[1:])
    steps = tuple(interpreter.interpret(step, following) for step, following in pairs)
    entities = interpreter.entities
    found = assign(catalog, entities)
    if level >= Level.RELAXED:
        _assume_fixtures(entities, found)
    reading = Reading(catalog, level, steps, entities, found, interpreter.registry.mentions)
    if level >= Level.RELAXED:
        reading = plurals_read(reading)
    return _Read(reading, tuple(interpreter.repairs), interpreter.registry.doubtful)


def _assume_fixtures(entities: Sequence[Entity], found: Sequence[str]) -> None:
    """Of fixtures that every home has there may be more than the definition lists: "chair_3" where
    it has two."""
    for entity, instance in zip(entities, found, strict=True):
        if not instance and is_fixture(entity.category):
            entity.phantom = True


def carried_names(steps: tuple[PlanStep, ...]) -> frozenset[str]:
    """The texts of names that are taken up anywhere."""
    return frozenset(
        parse_name(spelling).text
        for step in steps
        if step.verb is Verb.GRAB
        for spelling in step.arguments
    )


# --- Grounding a step at a time, while the plan is being made

_TAKEN = 1.5
"""What it costs that another name has the instance already."""
_OUT_OF_REACH = 0.6
"""What it costs that the agent does not reach it where it is."""


class OnlineGrounder:
    """Names keep the instances that they were given first: what was done is done.

    Steps may be refused: the world decides what is held. The name and number that the world uses
    for a thing always mean that thing. Of several instances that another name may mean, the one is
    taken that fits its words, that no other name has, and that the agent reaches.
    """

    def __init__(self, activity: Activity, level: Level = Level.NAMES) -> None:
        self._catalog = catalog_of(activity.problem)
        self._level = level
        self._interpreter = StepInterpreter(self._catalog, level)
        self._found: list[str] = []

    def ground_step(self, step: PlanStep, world: ActivityWorld) -> GroundedStep:
        """The step with instances for names, as things are in ``world``, which is not changed."""
        numbers = {name: number for number, name in enumerate(self._found) if name}
        self._interpreter.recall(
            [numbers[each] for each in world.held if each in numbers],
            {number for number, name in enumerate(self._found) if world.was_moved(name)},
        )
        interpreted = self._interpreter.interpret(step)
        for number in range(len(self._found), len(self._interpreter.entities)):
            self._found.append(self._choose(number, world))
        entities, mentions = self._interpreter.entities, self._interpreter.registry.mentions
        reading = Reading(
            self._catalog, self._level, (interpreted,), entities, self._found, mentions
        )
        return reading.grounded(interpreted)

    def _choose(self, number: int, world: ActivityWorld) -> str:
        entity = self._interpreter.entities[number]
        if entity.phantom:
            return ""
        instances = [
            each
            for each in self._catalog.instances[entity.category]
            if not any(
                name == each and are_apart(entity, other)
                for name, other in zip(self._found, self._interpreter.entities, strict=False)
            )
        ]
        if entity.exact and entity.index:
            named = [each for each in instances if number_of(each) == entity.index]
            if named:
                return named[0]

        def cost(instance: str) -> float:
            taken = _TAKEN * (instance in self._found)
            reach = _OUT_OF_REACH * (not world.near(instance))
            return cost_of(self._catalog, entity, instance, self._found) + taken + reach

        return min(instances, key=cost, default="")


# --- Which names of a plan were not read literally, as what, and how well that fits

_ASSUMED = 0.5
"""What is left of a score where the definition does not list the thing."""


def name_repairs(reading: Reading) -> list[Repair]:
    """Every name that was not read literally, where it first means a thing.

    Literal is a category's own name, alone or with the number of the thing. A score is 1 where all
    that the name says is so; it falls with words that fit less (a synonym, a part of a name, a
    typing error) and with what is said and is not so (a room, a place, a state, a number).
    """
    found: dict[str, Repair] = {}
    for repair in _all(reading):
        found.setdefault(repair.text, repair)
    return list(found.values())


def _all(reading: Reading) -> Iterator[Repair]:
    for mention in reading.mentions:
        if mention.number is None:
            text = f"{mention.spelling} as {mention.place}"
            yield Repair(RepairKind.NAME_MATCHED, mention.step, text, mention.fit)
            continue
        if reading.is_left_over(mention.number):
            continue
        entity, instance = reading.entities[mention.number], reading.found[mention.number]
        kind = _kind(mention, entity, instance)
        if kind is not None:
            text = f"{mention.spelling} as {_meant(entity, instance)}"
            score = mention.fit * _share(reading, entity, instance)
            yield Repair(kind, mention.step, text, score)


def _kind(mention: Mention, entity: Entity, instance: str) -> RepairKind | None:
    if entity.phantom:
        return RepairKind.PHANTOM
    if len(entity.all_of) > 1:
        return RepairKind.COLLECTIVE
    if mention.index and mention.index != number_of(instance):
        return RepairKind.NUMBER_MATCHED
    return None if _is_literal(mention, entity) else RepairKind.NAME_MATCHED


def _is_literal(mention: Mention, entity: Entity) -> bool:
    name = "_".join(map(singular, lemma_of(entity.category).split("_")))
    text = parse_name(mention.spelling).text
    return mention.exact and text in (name, f"{name}_{mention.index}")


def _share(reading: Reading, entity: Entity, instance: str) -> float:
    """What is left of how well words fit by what else a name says, 0 … 1."""
    if entity.phantom:
        return _ASSUMED
    if entity.all_of:
        return min(1.0, len(entity.all_of) / max(1, entity.count))
    return 1.0 / (1.0 + cost_of(reading.catalog, entity, instance, reading.found))


def _meant(entity: Entity, instance: str) -> str:
    if entity.phantom:
        return f"{with_article(thing_in_words(entity.category))} that the definition does not list"
    if entity.all_of:
        return " and ".join(map(thing_in_words, entity.all_of))
    return thing_in_words(instance)
