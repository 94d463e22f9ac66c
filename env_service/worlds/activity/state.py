"""How things are at one moment, and how an activity begins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.problem import Problem
from env_service.worlds.activity.scene import ActivityScene

Support = tuple[str, str]
"""How a thing lies ("inside", "ontop", "onfloor") and in or on what: an instance, or a room where
no floor of it is declared."""


class Change(NamedTuple):
    """A fact that came to hold, or no longer does; ``relaxed``: only as people read it."""

    holds: bool
    predicate: str
    terms: tuple[str, ...]
    relaxed: bool = False


_DEEPEST = 24
"""No chain of supports is longer; a definition whose things lie in one another ends here."""

_BESIDE = frozenset({"under", "nextto"})
"""Facts by which a thing that lies nowhere is where another is."""


class State:
    """Mutable, and copied often: plain dictionaries and sets, which `copy` copies flatly.

    Attributes:
        scene: what never changes.
        support: where everything lies that does not stand by itself and is not held.
        relations: further facts of two things: (predicate, thing, thing). Besides BDDL's own,
            "by": was put on the floor where the agent stood at the other thing; and "poured".
        facts: facts of one thing: (predicate, thing). Besides BDDL's own, "filled": holds water,
            and "soaped".
        relaxed: facts of one thing that people read otherwise than stated: whether they hold then.
        shut: things with a flap that are known to be closed. Of all others nobody asks.
        held: in the order in which they were taken.
        at: the thing that the agent stands at; empty: somewhere in its room.
        room: the agent's; empty where nothing tells it.
        moved: what the agent put somewhere.
        seen: containers with a lid that were open, or opened, before the agent.
        log: gathers changes; None: nobody asks for them.
    """

    __slots__ = (
        "at",
        "facts",
        "held",
        "log",
        "moved",
        "relations",
        "relaxed",
        "room",
        "scene",
        "seen",
        "shut",
        "support",
    )

    def __init__(self, scene: ActivityScene) -> None:
        self.scene = scene
        self.support: dict[str, Support] = {}
        self.relations: set[tuple[str, str, str]] = set()
        self.facts: set[tuple[str, str]] = set()
        self.relaxed: dict[tuple[str, str], bool] = {}
        self.shut: set[str] = set()
        self.held: list[str] = []
        self.at = ""
        self.room = ""
        self.moved: set[str] = set()
        self.seen: set[str] = set()
        self.log: list[Change] | None = None

    def copy(self) -> State:
        """The same state, to go another way from."""
        other = State.__new__(State)
        other.scene = self.scene
        other.support = self.support.copy()
        other.relations = self.relations.copy()
        other.facts = self.facts.copy()
        other.relaxed = self.relaxed.copy()
        other.shut = self.shut.copy()
        other.held = self.held.copy()
        other.at = self.at
        other.room = self.room
        other.moved = self.moved.copy()
        other.seen = self.seen.copy()
        other.log = None
        return other

    def chain(self, thing: str) -> Iterator[Support]:
        """What a thing lies in or on, what that lies in or on, and so on."""
        for _ in range(_DEEPEST):
            link = self.support.get(thing)
            if link is None:
                return
            yield link
            thing = link[1]

    def below(self, thing: str) -> tuple[str, ...]:
        """Everything that lies in or on a thing, and in or on that, in the order of its putting."""
        found: list[str] = []
        layer = {thing}
        while layer and len(found) <= len(self.support):
            nearer = [name for name, link in self.support.items() if link[1] in layer]
            found.extend(nearer)
            layer = set(nearer)
        return tuple(found)

    def root(self, thing: str) -> str:
        """What a thing is carried by in the end: itself, where it lies in or on nothing."""
        for _, target in self.chain(thing):
            thing = target
        return thing

    def is_held(self, thing: str) -> bool:
        """In a hand, or in or on what is in a hand."""
        return bool(self.held) and self.root(thing) in self.held

    def room_of(self, thing: str) -> str:
        """Where a thing is; empty where nothing tells it."""
        root = self.root(thing)
        if root in self.held:
            return self.room
        scene = self.scene
        if root in scene.rooms:
            return scene.rooms[root]
        if root not in scene.categories:
            return root
        beside = min(
            (other for name, one, other in self.relations if one == root and name in _BESIDE),
            default="",
        )
        carrier = self.root(beside)
        return self.room if carrier in self.held else scene.rooms.get(carrier, "")

    def is_shut(self, thing: str) -> bool:
        """Whether one would have to open it first."""
        return thing in self.shut or (thing in self.scene.lid and ("open", thing) not in self.facts)

    def shut_around(self, thing: str) -> str:
        """The outermost shut container that a thing is in; empty: none."""
        found = ""
        for relation, target in self.chain(thing):
            if relation == "inside" and self.is_shut(target):
                found = target
        return found

    def is_wet(self, thing: str) -> bool:
        """Whether it is soaked, as people read it."""
        return self.relaxed.get(("soaked", thing), ("soaked", thing) in self.facts)

    def mark(self, predicate: str, thing: str) -> None:
        """Makes a fact of one thing hold."""
        fact = (predicate, thing)
        self.relaxed.pop(fact, None)
        if fact not in self.facts:
            self.facts.add(fact)
            self.record_change(Change(holds=True, predicate=predicate, terms=(thing,)))

    def unmark(self, predicate: str, thing: str) -> None:
        """Makes a fact of one thing hold no longer."""
        fact = (predicate, thing)
        self.relaxed.pop(fact, None)
        if fact in self.facts:
            self.facts.remove(fact)
            self.record_change(Change(holds=False, predicate=predicate, terms=(thing,)))

    def mark_relaxed(self, predicate: str, thing: str) -> None:
        """Makes a fact of one thing hold as people read it."""
        fact = (predicate, thing)
        if fact not in self.facts and fact not in self.relaxed:
            self.relaxed[fact] = True
            self.record_change(
                Change(holds=True, predicate=predicate, terms=(thing,), relaxed=True)
            )

    def unmark_relaxed(self, predicate: str, thing: str) -> None:
        """Makes a fact of one thing hold no longer as people read it."""
        fact = (predicate, thing)
        if fact in self.facts and fact not in self.relaxed:
            self.relaxed[fact] = False
            self.record_change(
                Change(holds=False, predicate=predicate, terms=(thing,), relaxed=True)
            )

    def record_change(self, change: Change) -> None:
        """Adds to the log, where one is kept."""
        if self.log is not None:
            self.log.append(change)

    def lift(self, thing: str) -> None:
        """Takes a thing away from where it is, with all that is in or on it."""
        self.support.pop(thing, None)
        if self.relations:
            self.relations = {each for each in self.relations if thing not in each[1:]}

    def put(self, thing: str, relation: str, target: str) -> None:
        """Lays a thing somewhere; no hand holds it then."""
        self.lift(thing)
        if thing in self.held:
            self.held.remove(thing)
        self.support[thing] = (relation, target)
        self.moved.add(thing)
        self.record_change(Change(holds=True, predicate=relation, terms=(thing, target)))

    def relate(self, predicate: str, thing: str, other: str) -> None:
        """Adds a further fact of two things."""
        self.relations.add((predicate, thing, other))
        self.record_change(Change(holds=True, predicate=predicate, terms=(thing, other)))

    def stand_by(self, thing: str) -> None:
        """Remembers beside what a thing was put on the floor: what the agent stands at."""
        if self.at and self.at != thing and self.at not in self.scene.floor:
            self.relations.add(("by", thing, self.at))

    def key(self) -> tuple[object, ...]:
        """Equal of equal states, and hashable. What only serves to tell people is no part of it."""
        return (
            frozenset(self.support.items()),
            frozenset(self.relations),
            frozenset(self.facts),
            frozenset(self.relaxed.items()),
            frozenset(self.shut),
            tuple(self.held),
            self.at,
            self.room,
            frozenset(self.moved),
        )

    def summary(self) -> tuple[object, ...]:
        """All of it in a fixed order, whose ``repr`` is equal in all processes."""
        return (
            sorted(self.support.items()),
            sorted(self.relations),
            sorted(self.facts),
            sorted(self.relaxed.items()),
            sorted(self.shut),
            tuple(self.held),
            self.at,
            self.room,
            sorted(self.moved),
            sorted(self.seen),
        )


# --- How an activity begins

_SUPPORTS = ("inside", "ontop", "onfloor")


def open_state(problem: Problem, scene: ActivityScene) -> State:
    """The state that a definition's opening tells. Names that are not declared are passed over, and
    so is a fact with too few or too many terms: BDDL's checks tell of them."""
    state = State(scene)
    for literal in problem.init:
        if literal.positive:
            _begin(state, literal.atom)
        elif literal.atom.predicate == "open" and len(literal.atom.terms) == 1:
            state.shut.update(scene.openable.intersection(literal.atom.terms))
    _settle(state)
    return state


def _begin(state: State, atom: Atom) -> None:
    scene, terms = state.scene, atom.terms
    if len(terms) == 1 and terms[0] in scene.categories:
        state.facts.add((atom.predicate, terms[0]))
    elif len(terms) == 2 and all(each in scene.categories for each in terms):
        thing, other = terms
        if thing == scene.agent:
            state.room = state.room_of(other)
        elif atom.predicate in _SUPPORTS and thing != other:
            _lay(state, atom.predicate, thing, other)
        else:
            state.relations.add((atom.predicate, thing, other))


def _lay(state: State, predicate: str, thing: str, other: str) -> None:
    """Of two supports that a definition gives a thing, the floor is the further one."""
    scene = state.scene
    relation = "onfloor" if other in scene.floor else predicate
    before = state.support.get(thing)
    if before is not None:
        if relation == "onfloor" or before[0] != "onfloor":
            state.relations.add((predicate, thing, other))
            return
        state.relations.add((before[0], thing, before[1]))
    state.support[thing] = (relation, other)


def _settle(state: State) -> None:
    """Containers that begin open are seen into, and who acts in no room acts in the only one."""
    state.seen.update(name for name in state.scene.lid if ("open", name) in state.facts)
    if not state.room and len(state.scene.room_names) == 1:
        (state.room,) = state.scene.room_names
