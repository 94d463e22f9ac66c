"""Bringing things where they are to be."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from env_service.suites.actplan.planner.aims import Aims
from env_service.suites.actplan.planner.worker import Place, Worker
from env_service.worlds.activity.bddl.expressions import Atom


class Mover:
    """Puts things in order: what carries others first."""

    def __init__(self, worker: Worker, aims: Aims) -> None:
        self._worker, self._aims = worker, aims

    def place_all(self) -> None:
        """Reaches all aims on where things are.

        Raises StuckError where one cannot be reached.
        """
        for thing in self._in_order():
            if not self._is_there(thing):
                self._place(thing, self._aims.places[thing])
        for fact in self._beside_in_order():
            self._beside(*fact)
        for atom in sorted(self._aims.barred, key=lambda each: (each.terms, each.predicate)):
            if self._worker.world.holds(atom):
                self._away(atom)

    def _is_there(self, thing: str) -> bool:
        return self._worker.place_of(thing) == self._aims.places[thing]

    def _in_order(self) -> list[str]:
        """By how deep they will lie, and within that target by target."""
        targets: dict[str, int] = {}
        for _, target in self._aims.places.values():
            targets.setdefault(target, len(targets))
        return sorted(
            self._aims.places,
            key=lambda each: (self._depth(each), targets[self._aims.places[each][1]]),
        )

    def _depth(self, thing: str) -> int:
        depth = 0
        while thing in self._aims.places and depth <= len(self._aims.places):
            thing = self._aims.places[thing][1]
            depth += 1
        return depth

    def _place(self, thing: str, place: Place) -> None:
        """Next to what it is to be beside, if that is there already; otherwise just there."""
        friends = [each for each in self._friends(thing) if self._worker.place_of(each) == place]
        put = self._worker.put
        self._worker.attempt(
            *(partial(put, thing, "nextto", each) for each in friends[:1]),
            lambda: put(thing, *place),
        )

    def _friends(self, thing: str) -> list[str]:
        """What is to be next to a thing."""
        pairs = [(one, two) for name, one, two in self._aims.beside if name != "under"]
        return [two if one == thing else one for one, two in pairs if thing in (one, two)]

    def _beside_in_order(self) -> list[tuple[str, str, str]]:
        """What is tied to things that stay comes first, then what is tied to that, and so on."""
        movable, places = self._worker.world.house.movable, self._aims.places
        left, ordered = list(self._aims.beside), []
        firm = {each for fact in left for each in fact[1:] if each not in movable or each in places}
        while left:
            fact = next((each for each in left if firm & {*each[1:]}), left[0])
            left.remove(fact)
            ordered.append(fact)
            firm |= {*fact[1:]}
        return ordered

    def _beside(self, predicate: str, thing: str, other: str) -> None:
        """Puts one of two next to the other: one that has no place of its own, if there is one."""
        if self._worker.is_at(thing, predicate, other):
            return
        put, movable = self._worker.put, self._worker.world.house.movable
        ways = [(thing, other), (other, thing)] if predicate != "under" else [(thing, other)]
        ways = [pair for pair in ways if pair[0] in movable]
        ways.sort(key=lambda pair: (self._bound(pair[0]), pair[0] in self._aims.places))
        self._worker.attempt(*(partial(put, one, predicate, two) for one, two in ways))

    def _bound(self, thing: str) -> int:
        """To how many things it is next to already, as it should be."""
        facts = [each for each in self._aims.beside if thing in each[1:]]
        return sum(self._worker.is_at(one, name, two) for name, one, two in facts)

    def _away(self, atom: Atom) -> None:
        """Takes a thing away from where it may not be."""
        thing, other = atom.terms
        places = [place for place in self._free_places(thing) if place[1] != other]
        self._worker.attempt(*(partial(self._worker.put, thing, *place) for place in places))

    def _free_places(self, thing: str) -> Iterable[Place]:
        house = self._worker.world.house
        barred = {each.terms[1] for each in self._aims.barred if each.terms[0] == thing}
        for each in house.categories:
            if each in house.surface - house.floor - house.movable - barred:
                yield "ontop", each
        for each in house.categories:
            if each in house.floor - barred:
                yield "onfloor", each
