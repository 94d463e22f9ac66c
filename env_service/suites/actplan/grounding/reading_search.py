"""Chooses between readings of a plan with the executor: one way to read it, how near its end is
to the goal, and which names stand for several things at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice

from env_service.suites.actplan.grounding.assignment import cost_of, misfit
from env_service.suites.actplan.grounding.entities import (
    Entity,
    EntityAction,
    Mention,
    Ref,
    are_apart,
)
from env_service.suites.actplan.grounding.grounded_plan import GroundedStep, Level
from env_service.suites.actplan.grounding.lexicon import ThingCatalog
from env_service.suites.actplan.grounding.step_interpreter import InterpretedStep
from env_service.worlds.activity.actions import ActivityAction
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Bound,
    Exists,
    Expression,
    ForAll,
    ForN,
    ForNPairs,
    ForPairs,
    Not,
    Or,
    all_bounds,
    atoms,
    evaluate,
)
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.state import Reading as Freely
from env_service.worlds.activity.world import ActivityWorld

MOST_TRIALS, MOST_STEPS = 40, 4_000
"""How often a plan is carried out on trial, and how many steps these trials have in all, at the
most; once is always tried."""
_COST = 0.02
"""What a point of `cost_of` weighs against the share of the goal that is reached."""


def improve(reading: Reading) -> tuple[Reading, float]:
    """The reading, of those that differ in which instances of a kind its entities are, that brings
    the plan nearest to the goal as far as limited trials find it, and how near (`nearness`)."""
    search = _Search(reading)
    search.climb()
    return reading.with_found(search.best), search.near


@dataclass(frozen=True, slots=True)
class _Worth:
    near: float
    value: float


class _Search:
    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._opening = ActivityWorld(reading.catalog.problem, None, reading.phantoms())
        relaxed = reading.level >= Level.RELAXED
        self._freely = Freely.RELAXED if relaxed else Freely.STRICT
        self._trials = min(MOST_TRIALS, MOST_STEPS // max(1, len(reading.steps)))
        self.best = list(reading.found)
        self._worth = self._try(self.best)

    @property
    def near(self) -> float:
        """How near the best reading so far brings the plan to the goal."""
        return self._worth.near

    def climb(self) -> None:
        """Takes the first exchange that helps, and continues from it."""
        helped = True
        while helped and self._trials > 0 and self._worth.near < 1.0:
            helped = False
            for found in self._exchanges():
                if self._trials <= 0:
                    return
                worth = self._try(found)
                if worth.value > self._worth.value + 1e-9:
                    self.best, self._worth, helped = found, worth, True
                    break

    def _try(self, found: list[str]) -> _Worth:
        self._trials -= 1
        reading = self._reading.with_found(found)
        world = self._opening.fork()
        for step in reading.steps:
            for action in reading.actions(step):
                world.apply(action)
        near = nearness(reading.catalog.problem, world.reader(self._freely))
        cost = sum(
            cost_of(reading.catalog, entity, instance, found)
            for entity, instance in zip(reading.entities, found, strict=True)
            if instance
        )
        return _Worth(near, near - _COST * cost)

    def _exchanges(self) -> Iterator[list[str]]:
        """Readings in which two entities of a kind change instances, or one takes another; never
        such that names of different things share one."""
        catalog, entities = self._reading.catalog, self._reading.entities
        named = named_in_goal(catalog.problem)
        for category, instances in catalog.instances.items():
            if len(instances) < 2 or not (category in named or named.intersection(instances)):
                continue
            numbers = [
                number
                for number, entity in enumerate(entities)
                if entity.category == category and self.best[number]
            ]
            taken = {self.best[number] for number in numbers}
            taken.update(each for number in numbers for each in entities[number].all_of)
            for place, number in enumerate(numbers):
                for instance in instances:
                    if instance not in taken:
                        yield self._changed({number: instance})
                for other in numbers[place + 1 :]:
                    if self.best[number] != self.best[other]:
                        changes = {number: self.best[other], other: self.best[number]}
                        if self._keep_apart(changes, numbers):
                            yield self._changed(changes)

    def _keep_apart(self, changes: dict[int, str], numbers: Sequence[int]) -> bool:
        entities, found = self._reading.entities, self._changed(changes)
        return not any(
            found[number] == found[other] and are_apart(entities[number], entities[other])
            for number in changes
            for other in numbers
            if number != other
        )

    def _changed(self, changes: dict[int, str]) -> list[str]:
        return [changes.get(number, name) for number, name in enumerate(self.best)]


# --- One way to read a plan: which instance each entity is, and the actions that come of it

_MOST_ACTIONS = 40
"""A collective step makes no more actions than any published home has things."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Entities and the instances that they are.

    Attributes:
        steps: the plan, on entities.
        found: each entity's instance; empty of phantoms, and of things more than there are.
        mentions: the names of all steps, in order.
    """

    catalog: ThingCatalog
    level: Level
    steps: tuple[InterpretedStep, ...]
    entities: Sequence[Entity]
    found: Sequence[str]
    mentions: Sequence[Mention] = ()

    def with_found(self, found: Sequence[str]) -> Reading:
        """The same plan with other instances."""
        return replace(self, found=found)

    def actions(self, step: InterpretedStep) -> tuple[ActivityAction, ...]:
        """The actions of a step."""
        return tuple(
            action for entity_action in step.actions for action in self._meant(entity_action)
        )

    def grounded(self, step: InterpretedStep) -> GroundedStep:
        """The step with instances for names."""
        left_over = self._left_over(step)
        unresolved = tuple(dict.fromkeys((*step.unresolved, *left_over)))
        return GroundedStep(step.step, self.actions(step), unresolved, left_over)

    def _left_over(self, step: InterpretedStep) -> tuple[str, ...]:
        """The step's names of more things than there are."""
        return tuple(
            each.spelling
            for each in self.mentions
            if each.step == step.step.number
            and each.number is not None
            and self.is_left_over(each.number)
        )

    def is_left_over(self, ref: Ref) -> bool:
        """Whether an entity is a thing more than there are."""
        return isinstance(ref, int) and not self.found[ref] and not self.entities[ref].phantom

    def phantoms(self) -> tuple[tuple[str, str, str], ...]:
        """Fixtures that the definition does not list: instance, category, room."""
        return tuple(
            (self._named(number), entity.category, next(iter(sorted(entity.rooms)), ""))
            for number, entity in enumerate(self.entities)
            if entity.phantom
        )

    def _meant(self, entity_action: EntityAction) -> Iterator[ActivityAction]:
        if self.is_left_over(entity_action.target) or self.is_left_over(entity_action.item):
            return
        tools = tuple(
            name
            for each in entity_action.tools
            if not self.is_left_over(each)
            for name in self._instances(each)
        )
        for target, item in islice(self._pairs(entity_action), _MOST_ACTIONS):
            yield ActivityAction(entity_action.verb, target, item, tools)

    def _pairs(self, entity_action: EntityAction) -> Iterator[tuple[str, str]]:
        """Targets with items: of several things that go to several places each goes to one, in
        turn."""
        targets = self._instances(entity_action.target)
        if entity_action.item == "":
            return ((target, "") for target in targets)
        items = self._instances(entity_action.item)
        if len(items) == 1 and isinstance(entity_action.target, int):
            targets = (self._named(entity_action.target),)
        return zip(cycle(targets), items, strict=False)

    def _instances(self, ref: Ref) -> tuple[str, ...]:
        if isinstance(ref, str):
            return (ref,)
        entity = self.entities[ref]
        if entity.all_of:
            return entity.all_of
        return (self._named(ref),)

    def _named(self, number: int) -> str:
        entity = self.entities[number]
        return f"{entity.category}_p{number}" if entity.phantom else self.found[number]


# --- How near a state is to a goal, for choosing between readings of a plan

Holds = Callable[[Atom], bool]
_Names = Mapping[str, str]


def nearness(problem: Problem, holds: Holds) -> float:
    """How much of a goal holds, 0 … 1; 1 exactly where all of it does.

    Of conditions that have to hold together it is the mean, of alternatives the best.
    """
    conjuncts = problem.conjuncts
    if not conjuncts:
        return 1.0
    return sum(_part(each, problem.objects, holds, {}) for each in conjuncts) / len(conjuncts)


def named_in_goal(problem: Problem) -> frozenset[str]:
    """The instances and categories that a goal names."""
    named = (name for atom in atoms(problem.goal) for name in atom.terms)
    return frozenset((*named, *(each.category for each in all_bounds(problem.goal))))


def _part(expression: Expression, objects: _Names, holds: Holds, bound: _Names) -> float:
    match expression:
        case Atom(predicate, terms):
            return float(holds(Atom(predicate, tuple(bound.get(each, each) for each in terms))))
        case Not(Atom() as atom):
            return 1.0 - _part(atom, objects, holds, bound)
        case And(parts):
            return _mean([_part(each, objects, holds, bound) for each in parts])
        case Or(parts):
            return max((_part(each, objects, holds, bound) for each in parts), default=0.0)
        case ForAll(one, body):
            return _mean(_over(one, body, objects, holds, bound))
        case Exists(one, body):
            return max(_over(one, body, objects, holds, bound), default=0.0)
        case ForN(count, one, body):
            exact = sum(each == 1.0 for each in _over(one, body, objects, holds, bound))
            return 1.0 - min(1.0, abs(exact - count) / max(1, count))
        case ForPairs(first, second, body):
            return _pairs(None, (first, second), body, (objects, holds, bound))
        case ForNPairs(count, first, second, body):
            return _pairs(count, (first, second), body, (objects, holds, bound))
    return float(evaluate(expression, objects, lambda atom: holds(_put(atom, bound))))


def _over(
    one: Bound, body: Expression, objects: _Names, holds: Holds, bound: _Names
) -> list[float]:
    return [
        _part(body, objects, holds, {**bound, one.variable: name})
        for name, category in objects.items()
        if category == one.category
    ]


def _pairs(
    count: int | None,
    sides: tuple[Bound, Bound],
    body: Expression,
    where: tuple[_Names, Holds, _Names],
) -> float:
    objects, holds, bound = where
    first, second = (
        [name for name, category in objects.items() if category == side.category] for side in sides
    )
    least = min(len(first), len(second)) if count is None else count
    rows, columns = set(), set()
    for one in first:
        for two in second:
            names = {**bound, sides[0].variable: one, sides[1].variable: two}
            if one != two and _part(body, objects, holds, names) == 1.0:
                rows.add(one)
                columns.add(two)
    return min(1.0, min(len(rows), len(columns)) / least) if least else 1.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 1.0


def _put(atom: Atom, bound: _Names) -> Atom:
    return Atom(atom.predicate, tuple(bound.get(each, each) for each in atom.terms))


# --- Which names stand for several things at once, and for which (docs/actplan.md, Judges)


def plurals_read(reading: Reading) -> Reading:
    """The reading in which plurals and collective nouns without a number stand for all they can."""
    return _spread(reading, lambda entity: entity.plural)


def singulars_read(reading: Reading) -> Reading:
    """The reading in which singulars of what is carried do so too, each the only name of its
    kind."""
    kinds = Counter(each.category for each in reading.entities)
    return _spread(
        reading,
        lambda each: each.plural or (each.carried and kinds[each.category] == 1),
    )


def _spread(reading: Reading, means_several: Callable[[Entity], bool]) -> Reading:
    """With the instances of each entity that means several.

    These are all that fit what its names say, as many as they say, and that no other name has. Of
    what is taken up, they are those at the place where the agent was, if several are. A noun that
    is taken up there again and again means one of them each time.
    """
    several = [
        number
        for number, entity in enumerate(reading.entities)
        if reading.found[number] and not entity.index and means_several(entity)
    ]
    taken = Counter(_where(reading.entities[each]) for each in several)
    others = {name for number, name in enumerate(reading.found) if number not in several}
    entities = list(reading.entities)
    for number in several:
        entity = entities[number]
        if taken[_where(entity)] == 1:
            entities[number] = replace(entity, all_of=_all_of(reading, number, others))
            reading = replace(reading, entities=tuple(entities))
    return reading


def _where(entity: Entity) -> object:
    return entity.category, entity.from_place


def _all_of(reading: Reading, number: int, others: set[str]) -> tuple[str, ...]:
    catalog, entity = reading.catalog, reading.entities[number]
    fitting = [
        instance
        for kind in entity.kinds or (entity.category,)
        for instance in catalog.instances[kind]
        if instance not in others and not misfit(catalog, entity, instance)
    ]
    here = [each for each in fitting if _is_there(reading, number, each)]
    chosen = here if len(here) > 1 else fitting
    if entity.count:
        chosen.sort(key=lambda each: cost_of(catalog, entity, each, reading.found))
        chosen = chosen[: entity.count]
    return () if chosen == [reading.found[number]] else tuple(chosen)


def _is_there(reading: Reading, number: int, instance: str) -> bool:
    """Whether an instance is where the agent stood when the entity was taken up."""
    place, catalog = reading.entities[number].from_place, reading.catalog
    if not isinstance(place, int):
        return bool(place) and catalog.rooms.get(instance) == place
    places = reading.entities[place].all_of or (reading.found[place],)
    return place != number and not set(places).isdisjoint(catalog.around(instance))
