"""The state that a plan is to bring about, fact by fact, and what each fact costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.world import ActivityWorld

SUPPORTS = frozenset({"inside", "ontop", "onfloor"})
"""Of these a thing has one at a time."""
BESIDE = frozenset({"nextto", "touching", "under"})

NO_COST, ONE_ACTION, UNUSUAL_ACTION, IMPOSSIBLE = 0.0, 1.0, 3.0, 1000.0
"""What a fact costs: it holds already; it takes an action; it takes an unusual action; it cannot be
brought about."""
OTHER_PLACE = 0.2
"""What it costs to put a thing where nothing else is put."""

_UNDONE = frozenset({"burnt", "perished", "inroom"})
"""Nothing brings these about, or undoes them."""

Fact = tuple[str, str]
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class DesiredState:
    """Facts that a plan brings about together.

    Attributes:
        places: how and where things are to be: (relation, target).
        beside: (predicate, thing, other).
        facts: of one thing: (predicate, thing), and whether it is to hold.
        forbidden: facts of two things that may not hold.
    """

    places: Mapping[str, Place] = field(default_factory=dict)
    beside: tuple[tuple[str, str, str], ...] = ()
    facts: Mapping[Fact, bool] = field(default_factory=dict)
    forbidden: frozenset[Atom] = frozenset()


class StatePredictor:
    """The opening state, and what becomes of it when a desired state is reached."""

    def __init__(self, world: ActivityWorld, *, nested: bool = False) -> None:
        """``nested``: whether what is on a thing in a basket counts as in the basket, as people
        read it."""
        self._world, self._nested = world, nested

    def holds(self, atom: Atom, desired: DesiredState) -> bool:
        """Whether a fact will hold in the desired state, as far as that is decided."""
        if len(atom.terms) == 1:
            known = desired.facts.get((atom.predicate, atom.terms[0]))
            return self._world.holds(atom) if known is None else known
        thing, other = atom.terms
        if atom.predicate in SUPPORTS and thing in desired.places:
            links = list(_chain(desired, thing)) if self._nested else [desired.places[thing]]
            return any(_is_at(link, atom.predicate, other) for link in links)
        if atom.predicate in BESIDE and (atom.predicate, thing, other) in desired.beside:
            return True
        moved = thing in desired.places or (atom.predicate in BESIDE and other in desired.places)
        return self._world.holds(atom) and not (moved and atom.predicate in BESIDE)

    def cost(self, atom: Atom, desired: DesiredState, *, positive: bool) -> float:
        """What it takes that a fact holds, or does not."""
        if self.holds(atom, desired) == positive:
            return NO_COST
        if atom.predicate in _UNDONE or self.with_fact(desired, atom, positive=positive) is None:
            return IMPOSSIBLE
        if len(atom.terms) == 1:
            return ONE_ACTION
        return self._moving(atom, desired, positive=positive)

    def with_fact(
        self, desired: DesiredState, atom: Atom, *, positive: bool
    ) -> DesiredState | None:
        """The desired state with this fact too; None where they contradict."""
        if len(atom.terms) == 1:
            return _with_state(desired, (atom.predicate, atom.terms[0]), positive=positive)
        if atom.predicate in SUPPORTS:
            place = self._with_place if positive else self._without_place
            return place(desired, atom)
        if atom.predicate not in BESIDE:
            return desired if self._world.holds(atom) == positive else None
        if not positive:
            return replace(desired, forbidden=desired.forbidden | {atom})
        thing, other = atom.terms
        fact = (atom.predicate, thing, other)
        if thing == other or atom in desired.forbidden:
            return None
        return (
            desired if fact in desired.beside else replace(desired, beside=(*desired.beside, fact))
        )

    def _moving(self, atom: Atom, desired: DesiredState, *, positive: bool) -> float:
        thing, other = atom.terms
        movable = self._world.scene.movable
        if thing not in movable and not (atom.predicate in BESIDE and other in movable):
            return IMPOSSIBLE
        if not positive:
            return UNUSUAL_ACTION
        used = any(target == other for _, target in desired.places.values())
        return ONE_ACTION if used else ONE_ACTION + OTHER_PLACE

    def _with_place(self, desired: DesiredState, atom: Atom) -> DesiredState | None:
        thing, target = atom.terms
        before = desired.places.get(thing)
        if before is not None:
            if _is_at(before, atom.predicate, target):
                return desired
            return self._inserted(desired, atom, before) if self._nested else None
        here = self._world.supports.get(thing)
        stays = here is not None and _is_at(here, atom.predicate, target)
        if thing not in self._world.scene.movable and not stays:
            return None
        if atom in desired.forbidden or thing == target or thing in _above(desired, target):
            return None
        place = here if here is not None and stays else (atom.predicate, target)
        return replace(desired, places={**desired.places, thing: place})

    def _inserted(self, desired: DesiredState, atom: Atom, before: Place) -> DesiredState | None:
        """A thing is to be in two places: one of them goes into or onto the other."""
        thing, target = atom.terms
        outer = Atom(before[0], (target, before[1]))
        if target in self._world.scene.movable:
            moved = replace(desired, places={**desired.places, thing: (atom.predicate, target)})
            if target not in desired.places or self.holds(outer, desired):
                return self._with_place(moved, outer)
        if before[1] not in desired.places and before[1] in self._world.scene.movable:
            return self._with_place(desired, Atom(atom.predicate, (before[1], target)))
        return None

    def _without_place(self, desired: DesiredState, atom: Atom) -> DesiredState | None:
        thing, target = atom.terms
        before = desired.places.get(thing)
        if before is not None and _is_at(before, atom.predicate, target):
            return None
        return replace(desired, forbidden=desired.forbidden | {atom})


def _with_state(desired: DesiredState, fact: Fact, *, positive: bool) -> DesiredState | None:
    known = desired.facts.get(fact)
    if known is None:
        return replace(desired, facts={**desired.facts, fact: positive})
    return desired if known == positive else None


def _is_at(place: Place, predicate: str, target: str) -> bool:
    """On the floor is on top of it, too."""
    relation, where = place
    same = relation == predicate or (relation, predicate) == ("onfloor", "ontop")
    return same and where == target


def _chain(desired: DesiredState, thing: str) -> Iterator[Place]:
    """How and where a thing is to be, and what it is to be in or on, and so on."""
    for each in _above(desired, thing):
        if each in desired.places:
            yield desired.places[each]


def _above(desired: DesiredState, thing: str) -> Iterator[str]:
    """What a thing is to be in or on, and that, and so on; first itself."""
    for _ in range(len(desired.places) + 1):
        yield thing
        if thing not in desired.places:
            return
        thing = desired.places[thing][1]
