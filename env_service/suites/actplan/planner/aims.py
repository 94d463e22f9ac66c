"""What has to be brought about, fact by fact, so that a goal is reached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.world import ActivityWorld

SUPPORTS = frozenset({"inside", "ontop", "onfloor"})
"""Of these a thing has one at a time."""
BESIDE = frozenset({"nextto", "touching", "under"})

NOTHING, DEED, ODD, IMPOSSIBLE = 0.0, 1.0, 3.0, 1000.0
"""What a fact costs: it holds already; it takes an action; it takes an unusual one; nobody can."""
OTHER_PLACE = 0.2
"""What it costs to put a thing where nothing else is put."""

_UNDONE = frozenset({"burnt", "perished", "inroom"})
"""Nothing brings these about, or undoes them."""

Fact = tuple[str, str]
Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Aims:
    """Facts that go together.

    Attributes:
        places: how and where things are to be: (relation, target).
        beside: (predicate, thing, other).
        facts: of one thing: (predicate, thing), and whether it is to hold.
        barred: what may not be, of two things.
    """

    places: Mapping[str, Place] = field(default_factory=dict)
    beside: tuple[tuple[str, str, str], ...] = ()
    facts: Mapping[Fact, bool] = field(default_factory=dict)
    barred: frozenset[Atom] = frozenset()


class Judge:
    """Knows how things are at the opening, and what becomes of them under aims."""

    def __init__(self, world: ActivityWorld, *, nested: bool = False) -> None:
        """``nested``: whether what is on a thing in a basket counts as in the basket, as people
        read it."""
        self._world, self._nested = world, nested

    def holds(self, atom: Atom, aims: Aims) -> bool:
        """Whether a fact will hold when the aims are reached, as far as they tell."""
        if len(atom.terms) == 1:
            known = aims.facts.get((atom.predicate, atom.terms[0]))
            return self._world.holds(atom) if known is None else known
        thing, other = atom.terms
        if atom.predicate in SUPPORTS and thing in aims.places:
            links = list(_chain(aims, thing)) if self._nested else [aims.places[thing]]
            return any(_is_at(link, atom.predicate, other) for link in links)
        if atom.predicate in BESIDE and (atom.predicate, thing, other) in aims.beside:
            return True
        moved = thing in aims.places or (atom.predicate in BESIDE and other in aims.places)
        return self._world.holds(atom) and not (moved and atom.predicate in BESIDE)

    def cost(self, atom: Atom, aims: Aims, *, positive: bool) -> float:
        """What it takes that a fact holds, or does not."""
        if self.holds(atom, aims) == positive:
            return NOTHING
        if atom.predicate in _UNDONE or self.with_fact(aims, atom, positive=positive) is None:
            return IMPOSSIBLE
        if len(atom.terms) == 1:
            return DEED
        return self._moving(atom, aims, positive=positive)

    def with_fact(self, aims: Aims, atom: Atom, *, positive: bool) -> Aims | None:
        """The aims, and this fact too; None where they do not go together."""
        if len(atom.terms) == 1:
            return _with_state(aims, (atom.predicate, atom.terms[0]), positive=positive)
        if atom.predicate in SUPPORTS:
            place = self._with_place if positive else self._without_place
            return place(aims, atom)
        if atom.predicate not in BESIDE:
            return aims if self._world.holds(atom) == positive else None
        if not positive:
            return replace(aims, barred=aims.barred | {atom})
        thing, other = atom.terms
        fact = (atom.predicate, thing, other)
        if thing == other or atom in aims.barred:
            return None
        return aims if fact in aims.beside else replace(aims, beside=(*aims.beside, fact))

    def _moving(self, atom: Atom, aims: Aims, *, positive: bool) -> float:
        thing, other = atom.terms
        movable = self._world.scene.movable
        if thing not in movable and not (atom.predicate in BESIDE and other in movable):
            return IMPOSSIBLE
        if not positive:
            return ODD
        used = any(target == other for _, target in aims.places.values())
        return DEED if used else DEED + OTHER_PLACE

    def _with_place(self, aims: Aims, atom: Atom) -> Aims | None:
        thing, target = atom.terms
        before = aims.places.get(thing)
        if before is not None:
            if _is_at(before, atom.predicate, target):
                return aims
            return self._inserted(aims, atom, before) if self._nested else None
        here = self._world.supports.get(thing)
        stays = here is not None and _is_at(here, atom.predicate, target)
        if thing not in self._world.scene.movable and not stays:
            return None
        if atom in aims.barred or thing == target or thing in _above(aims, target):
            return None
        place = here if here is not None and stays else (atom.predicate, target)
        return replace(aims, places={**aims.places, thing: place})

    def _inserted(self, aims: Aims, atom: Atom, before: Place) -> Aims | None:
        """A thing is to be in two places: one of them goes into or onto the other."""
        thing, target = atom.terms
        outer = Atom(before[0], (target, before[1]))
        if target in self._world.scene.movable:
            moved = replace(aims, places={**aims.places, thing: (atom.predicate, target)})
            if target not in aims.places or self.holds(outer, aims):
                return self._with_place(moved, outer)
        if before[1] not in aims.places and before[1] in self._world.scene.movable:
            return self._with_place(aims, Atom(atom.predicate, (before[1], target)))
        return None

    def _without_place(self, aims: Aims, atom: Atom) -> Aims | None:
        thing, target = atom.terms
        before = aims.places.get(thing)
        if before is not None and _is_at(before, atom.predicate, target):
            return None
        return replace(aims, barred=aims.barred | {atom})


def _with_state(aims: Aims, fact: Fact, *, positive: bool) -> Aims | None:
    known = aims.facts.get(fact)
    if known is None:
        return replace(aims, facts={**aims.facts, fact: positive})
    return aims if known == positive else None


def _is_at(place: Place, predicate: str, target: str) -> bool:
    """On the floor is on top of it, too."""
    relation, where = place
    same = relation == predicate or (relation, predicate) == ("onfloor", "ontop")
    return same and where == target


def _chain(aims: Aims, thing: str) -> Iterator[Place]:
    """How and where a thing is to be, and what it is to be in or on, and so on."""
    for each in _above(aims, thing):
        if each in aims.places:
            yield aims.places[each]


def _above(aims: Aims, thing: str) -> Iterator[str]:
    """What a thing is to be in or on, and that, and so on; first itself."""
    for _ in range(len(aims.places) + 1):
        yield thing
        if thing not in aims.places:
            return
        thing = aims.places[thing][1]
