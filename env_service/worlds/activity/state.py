"""The state of an activity at one moment, how it begins, and which facts hold in it, strictly or as
people read them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
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
"""No chain of supports is longer; a definition whose things contain one another ends here."""

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
        shut: things with a flap that are known to be closed. All others are never asked for.
        held: in the order in which they were taken.
        at: the thing that the agent is at; empty: somewhere in its room.
        room: the agent's; empty if unknown.
        moved: what the agent put somewhere.
        seen: containers with a lid that were open, or opened, before the agent.
        log: gathers changes; None: it is off.
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
        """What a thing is in or on, what that is in or on, and so forth."""
        for _ in range(_DEEPEST):
            link = self.support.get(thing)
            if link is None:
                return
            yield link
            thing = link[1]

    def below(self, thing: str) -> tuple[str, ...]:
        """Everything in or on a thing, and in or on that, in the order of its putting."""
        found: list[str] = []
        layer = {thing}
        while layer and len(found) <= len(self.support):
            nearer = [name for name, link in self.support.items() if link[1] in layer]
            found.extend(nearer)
            layer = set(nearer)
        return tuple(found)

    def root(self, thing: str) -> str:
        """The lowest thing below a thing: itself, if it is in or on nothing."""
        for _, target in self.chain(thing):
            thing = target
        return thing

    def is_held(self, thing: str) -> bool:
        """In a hand, or in or on what is in a hand."""
        return bool(self.held) and self.root(thing) in self.held

    def room_of(self, thing: str) -> str:
        """The room that a thing is in; empty if unknown."""
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
        """Remembers what a thing was put next to on the floor: the thing that the agent is at."""
        if self.at and self.at != thing and self.at not in self.scene.floor:
            self.relations.add(("by", thing, self.at))

    def key(self) -> tuple[object, ...]:
        """Equal of equal states, and hashable. What only serves descriptions is left out."""
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
    """The state that a definition's opening gives. Names that are not declared are skipped, and so
    is a fact with too few or too many terms: BDDL's checks report them."""
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


# --- Which facts hold


class Reading(Enum):
    """How freely facts are read (docs/actplan.md, Judges)."""

    STRICT = "strict"
    """As stated."""
    RELAXED = "relaxed"
    """As people read them, too: next to is also what shares a support, is one on the other, or was
    put down in the open in the same room; what is in a bowl in a cabinet is in the cabinet; in and
    on are one of what has no lid; putting a tool on what is dirty cleans it, a knife on food slices
    it; leaving the cold thaws."""


def holds(state: State, atom: Atom, reading: Reading) -> bool:
    """Whether a fact holds. A fact of things that do not exist does not, nor an unknown one."""
    terms = atom.terms
    if len(terms) == 1:
        fact = (atom.predicate, terms[0])
        if reading is Reading.RELAXED and fact in state.relaxed:
            return state.relaxed[fact]
        return fact in state.facts
    if len(terms) != 2:
        return False
    thing, other = terms
    if atom.predicate == "inroom":
        return thing in state.scene.categories and state.room_of(thing) == other != ""
    if thing == state.scene.agent:
        return (
            atom.predicate == "onfloor"
            and other in state.scene.floor
            and state.room_of(other) == state.room
        )
    if _is_stated(state, atom.predicate, thing, other):
        return True
    if reading is Reading.STRICT:
        return False
    relaxed = _RELAXED.get(atom.predicate)
    return relaxed is not None and thing != other and relaxed(state, thing, other)


def _is_stated(state: State, predicate: str, thing: str, other: str) -> bool:
    if state.support.get(thing) == (predicate, other):
        return True
    if predicate == "ontop":
        return state.support.get(thing) == ("onfloor", other) or (
            (predicate, thing, other) in state.relations
        )
    if predicate == "under" and state.support.get(other) == ("ontop", thing):
        return True
    relations = state.relations
    if not relations:
        return False
    return (predicate, thing, other) in relations or (
        predicate in ("nextto", "touching") and (predicate, other, thing) in relations
    )


def _inside(state: State, thing: str, other: str) -> bool:
    """In it, or in or on what is; of what has no lid, on it is in it."""
    link = _link(state, thing, other)
    return link in ("inside", "poured") or (
        link == "ontop" and other in state.scene.container and other not in state.scene.lid
    )


def _ontop(state: State, thing: str, other: str) -> bool:
    """On it, or in or on what is; of what has no lid, in it is on it."""
    link = _link(state, thing, other)
    return link in ("ontop", "poured") or (link == "inside" and other not in state.scene.lid)


def _link(state: State, thing: str, other: str) -> str:
    """How a thing, or what carries it, is in or on another; empty: it is not."""
    if ("poured", thing, other) in state.relations:
        return "poured"
    return next((link for link, target in state.chain(thing) if target == other), "")


def _onfloor(state: State, thing: str, other: str) -> bool:
    """On it, or on what lies on it; one room's floors are one floor."""
    if other not in state.scene.floor:
        return False
    for link, target in state.chain(thing):
        if link == "onfloor":
            return state.room_of(target) == state.room_of(other) != ""
        if link != "ontop":
            return False
    return False


def _nextto(state: State, thing: str, other: str) -> bool:
    if _touches(state, thing, other) or _is_stated(state, "under", thing, other):
        return True
    if not (thing in state.moved or other in state.moved):
        return False
    if state.is_held(thing) or state.is_held(other):
        return False
    room = state.room_of(thing)
    return (
        room == state.room_of(other) != ""
        and _is_in_the_open(state, thing)
        and _is_in_the_open(state, other)
    )


def _touches(state: State, thing: str, other: str) -> bool:
    """Side by side as stated, put on the floor at it, one on the other, or on the same thing."""
    if _is_by(state, thing, other) or _is_by(state, other, thing):
        return True
    if _is_stated(state, "nextto", thing, other) or _is_stated(state, "touching", thing, other):
        return True
    one, two = state.support.get(thing), state.support.get(other)
    if (one and one[1] == other) or (two and two[1] == thing):
        return True
    return bool(one and two and one[1] == two[1] and "onfloor" not in (one[0], two[0]))


def _under(state: State, thing: str, other: str) -> bool:
    """Put on the floor at it, side by side as stated, or in what nothing can be in: a table."""
    if _is_by(state, thing, other) or _is_stated(state, "nextto", thing, other):
        return True
    return state.support.get(thing) == ("inside", other) and other not in state.scene.container


def _is_by(state: State, thing: str, other: str) -> bool:
    return ("by", thing, other) in state.relations


def _is_in_the_open(state: State, thing: str) -> bool:
    return not any(
        link == "inside" and target in state.scene.lid for link, target in state.chain(thing)
    )


_RELAXED: dict[str, Callable[[State, str, str], bool]] = {
    "inside": _inside,
    "ontop": _ontop,
    "onfloor": _onfloor,
    "nextto": _nextto,
    "touching": _touches,
    "under": _under,
}
