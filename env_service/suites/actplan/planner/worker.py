"""Does deeds one after the other, and none that makes no sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from env_service.suites.actplan.activity import Pattern
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.deed import Deed, Verb
from env_service.worlds.activity.world import ActivityWorld

Place = tuple[str, str]

PLACING = {
    "inside": Verb.PLACE_INSIDE,
    "ontop": Verb.PLACE_ON_TOP,
    "onfloor": Verb.PLACE_ON_FLOOR,
    "nextto": Verb.PLACE_NEXT_TO,
    "touching": Verb.PLACE_NEXT_TO,
    "under": Verb.PLACE_UNDER,
}


class StuckError(Exception):
    """Something cannot be done. The message says what."""


class Worker:
    """A pair of hands that walks to what it handles, opens what is closed around it, and remembers
    its deeds.

    Attributes:
        world: changed by each deed.
        done: the deeds, and what was held before each.
        opened: what it opened and did not close.
    """

    def __init__(self, world: ActivityWorld, forbidden: Sequence[Pattern] = ()) -> None:
        """``forbidden``: deeds of these kinds are not done."""
        self.world = world
        self.done: list[tuple[Deed, tuple[str, ...]]] = []
        self.opened: list[str] = []
        self._forbidden = tuple(forbidden)

    def do(self, verb: Verb, target: str = "", item: str = "", tools: Sequence[str] = ()) -> None:
        """Does a deed.

        Raises:
            StuckError: it is forbidden, or violates a precondition.
        """
        deed, held = Deed(verb, target, item, tuple(tools)), self.world.held
        if self._is_forbidden(deed):
            raise StuckError(f"{verb.value} {target} {item} is not allowed")
        violations = self.world.check(deed)
        if violations:
            raise StuckError(violations[0].text)
        self.world.apply(deed)
        self.done.append((deed, held))

    def may(self, verb: Verb, target: str, item: str = "", tools: Sequence[str] = ()) -> bool:
        """Whether no rule forbids a deed. Whether it makes sense is not asked."""
        return not self._is_forbidden(Deed(verb, target, item, tuple(tools)))

    def reach(self, thing: str) -> None:
        """Goes to a thing, and opens what is closed around it."""
        for container in reversed(self._around(thing)):
            if self.world.is_shut(container):
                self.open(container)
        self.go(thing)

    def go(self, thing: str) -> None:
        """Goes to a thing, if it is not near anyway."""
        if not self.world.near(thing):
            self.do(Verb.WALK_TO, thing)

    def open(self, container: str) -> None:
        """Goes to a container and opens it."""
        self.go(container)
        self.do(Verb.OPEN, container)
        self.opened.append(container)

    def close(self, container: str) -> None:
        """Goes to a container and closes it."""
        self.go(container)
        self.do(Verb.CLOSE, container)
        if container in self.opened:
            self.opened.remove(container)

    def fetch(self, thing: str) -> None:
        """Takes a thing into a hand, if it is not there already."""
        if thing not in self.world.held:
            self.reach(thing)
            self.do(Verb.GRAB, thing)

    def put(self, thing: str, relation: str, target: str) -> None:
        """Brings a thing somewhere: in, on, next to or under a target."""
        self.fetch(thing)
        self.reach(target)
        if relation == "inside" and self.world.is_shut(target):
            self.open(target)
        self.do(PLACING[relation], target, thing)

    def is_at(self, thing: str, relation: str, target: str) -> bool:
        """Whether a thing is in, on, next to or under a target, as stated."""
        return self.world.holds(Atom(relation, (thing, target)))

    def has(self, predicate: str, thing: str) -> bool:
        """Whether a fact of one thing holds, as stated."""
        return self.world.holds(Atom(predicate, (thing,)))

    def place_of(self, thing: str) -> Place | None:
        """Where a thing lies; None: it stands by itself, or is held."""
        return self.world.supports.get(thing)

    def attempt(self, *methods: Callable[[], None]) -> None:
        """Does what the first of these methods does that does not get stuck. The others leave no
        trace.

        Raises:
            StuckError: all of them get stuck, or there is none.
        """
        stuck = StuckError("there is no way to do it")
        for method in methods:
            world, done, opened = self.world.fork(), len(self.done), list(self.opened)
            try:
                method()
            except StuckError as error:
                stuck = error
                self.world, self.opened = world, opened
                del self.done[done:]
            else:
                return
        raise stuck

    def did(self, pattern: Pattern) -> Iterator[int]:
        """Where in ``done`` deeds of a kind stand."""
        categories = self.world.house.categories
        return (k for k, each in enumerate(self.done) if pattern.matches(*each, categories))

    def _is_forbidden(self, deed: Deed) -> bool:
        held, categories = self.world.held, self.world.house.categories
        return any(each.matches(deed, held, categories) for each in self._forbidden)

    def _around(self, thing: str) -> list[str]:
        """The containers that a thing is in, the nearest first."""
        found: list[str] = []
        link = self.world.supports.get(thing)
        while link is not None and link[1] not in found:
            if link[0] == "inside":
                found.append(link[1])
            thing = link[1]
            link = self.world.supports.get(thing)
        return found
