"""One activity in one room before it becomes a problem in BDDL: its facts, and the jobs that
its goal is made of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from env_service.suites.actplan.activity import Assertion
from env_service.suites.actplan.builtin.rooms import Room, Thing
from env_service.worlds.activity.bddl.expressions import (
    And,
    Atom,
    Bound,
    Exists,
    Expression,
    ForAll,
    ForN,
    ForPairs,
    Not,
    Or,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """How a thing is at the opening: "stained", "frozen"; or, with ``positive`` False, is not."""

    state: str
    thing: Thing
    positive: bool = True


@dataclass(frozen=True, slots=True)
class Scenario:
    """An activity with everything that takes part in it.

    Attributes:
        activity: its name: "laying_the_table".
        title: what is to be done, in a few words: "lay the dining table".
        jobs: what that comes to.
        facts: states at the opening, beside where things are.
        tools: what the jobs are done with, the usual ones.
        others: what is there besides and plays no part.
        gone: what is in the room's plan and is not there in this scenario.
        notes: sentences on the circumstances, for the description.
        assertions: what the circumstances ask of a plan beside the goal.
    """

    activity: str
    title: str
    room: Room
    subgoals: tuple[Subgoal, ...]
    facts: tuple[Fact, ...] = ()
    tools: tuple[Thing, ...] = ()
    others: tuple[Thing, ...] = ()
    gone: tuple[Thing, ...] = ()
    notes: tuple[str, ...] = ()
    assertions: tuple[Assertion, ...] = ()

    @property
    def needed(self) -> tuple[Thing, ...]:
        """What the jobs are about and done with, each once."""
        subgoals = (thing for subgoal in self.subgoals for thing in involved(subgoal))
        return tuple(dict.fromkeys((*subgoals, *self.tools)))

    @property
    def participants(self) -> tuple[Thing, ...]:
        """All that take part: what is needed, the others, what these are in or on, the floor."""
        found = dict.fromkeys((*self.needed, *self.others))
        for thing in tuple(found):
            found |= dict.fromkeys(self._holders(thing))
        return tuple({**found, self.room.floor: None})

    def with_facts(self, *facts: Fact) -> Scenario:
        """With more facts."""
        return replace(self, facts=(*self.facts, *facts))

    def with_notes(self, *notes: str) -> Scenario:
        """With more sentences on the circumstances."""
        return replace(self, notes=(*self.notes, *notes))

    def with_assertions(self, *assertions: Assertion) -> Scenario:
        """With more assertions."""
        return replace(self, assertions=(*self.assertions, *assertions))

    def with_subgoals(self, *subgoals: Subgoal) -> Scenario:
        """With other jobs."""
        return replace(self, subgoals=subgoals)

    def with_tools(self, *tools: Thing) -> Scenario:
        """With other tools."""
        return replace(self, tools=tools)

    def without(self, *things: Thing) -> Scenario:
        """With some things gone; they may not be among what is needed."""
        others = tuple(each for each in self.others if each not in things)
        return replace(self, others=others, gone=(*self.gone, *things))

    def state_of(self, thing: Thing) -> tuple[str, ...]:
        """The states in which a thing is at the opening."""
        return tuple(each.state for each in self.facts if each.thing == thing and each.positive)

    def _holders(self, thing: Thing) -> Iterator[Thing]:
        holder = self.room.holder(thing)
        if holder is not None:
            yield holder
            yield from self._holders(holder)


# --- What an activity comes to: jobs, each a part of its goal

INSIDE, ONTOP, NEXTTO = "inside", "ontop", "nextto"

HOLLOW = frozenset(
    {
        "Bathtub", "Bowl", "Box", "Cabinet", "Cup", "Drawer", "Fridge", "GarbageCan",
        "LaundryHamper", "Microwave", "Mug", "Pan", "Pot", "Sink", "Toaster",
    }
)  # fmt: skip
"""Types that things are put into; onto all others."""


def relation_to(holder: Thing) -> str:
    """How things lie in or on a receptacle, as BDDL has it."""
    return INSIDE if holder.kind in HOLLOW else ONTOP


@dataclass(frozen=True, slots=True)
class Put:
    """Every one of ``things`` is in, on or next to one of ``places``, which are of one category;
    with a ``count``: exactly so many of them are."""

    things: tuple[Thing, ...]
    places: tuple[Thing, ...]
    relation: str
    count: int = 0


@dataclass(frozen=True, slots=True)
class Pair:
    """Each of ``others`` gets one of ``things``. Both are of one category each."""

    things: tuple[Thing, ...]
    others: tuple[Thing, ...]
    relation: str


@dataclass(frozen=True, slots=True)
class Be:
    """Every one of ``things`` is, or is not, in a state: "sliced", "stained", "open"."""

    things: tuple[Thing, ...]
    state: str
    positive: bool = True


Subgoal = Put | Pair | Be


def put(things: Sequence[Thing], *places: Thing) -> Put:
    """Things into or onto a place, or one of several."""
    return Put(tuple(things), places, relation_to(places[0]))


def wash(*things: Thing) -> Be:
    """Stained things are cleaned."""
    return Be(things, "stained", positive=False)


def shut(*things: Thing) -> Be:
    """Containers are closed."""
    return Be(things, "open", positive=False)


def involved(subgoal: Subgoal) -> tuple[Thing, ...]:
    """The things that a job is about, what is moved or changed first."""
    match subgoal:
        case Put(things, places, _, _):
            return (*things, *places)
        case Pair(things, others, _):
            return (*things, *others)
    return subgoal.things


@dataclass(frozen=True, slots=True)
class Declarations:
    """Who plays in a problem: ``names``: instances by the things' identities; ``all_of``: the
    declared instances of a category."""

    names: Mapping[str, str]
    all_of: Callable[[str], frozenset[str]]

    def complete(self, things: Sequence[Thing]) -> bool:
        """Whether these are all declared things of one category."""
        return self.all_of(things[0].category) == {self.names[each.id] for each in things}


def conditions(subgoal: Subgoal, participants: Declarations) -> Iterator[Expression]:
    """A job as conjuncts of a goal; quantified where it is about all declared things of a
    category."""
    match subgoal:
        case Pair(things, others, relation):
            one, other = things[0].category, others[0].category
            body = Atom(relation, (one, other))
            yield ForPairs(Bound(other, other), Bound(one, one), body)
        case Put(things, places, relation, count) if count:
            kind = things[0].category
            yield ForN(count, Bound(kind, kind), _placed(kind, relation, places, participants))
        case Put(things, places, relation, _):
            yield from _each(
                things, participants, lambda name: _placed(name, relation, places, participants)
            )
        case Be(things, state, positive):
            yield from _each(
                things, participants, lambda name: _state(name, state, positive=positive)
            )


def _each(
    things: Sequence[Thing], participants: Declarations, condition: Callable[[str], Expression]
) -> Iterator[Expression]:
    for kind in dict.fromkeys(each.category for each in things):
        ours = [each for each in things if each.category == kind]
        if len(ours) > 1 and participants.complete(ours):
            yield ForAll(Bound(kind, kind), condition(kind))
        else:
            yield from (condition(participants.names[each.id]) for each in ours)


def _placed(
    name: str, relation: str, places: Sequence[Thing], participants: Declarations
) -> Expression:
    kind = places[0].category
    if len(places) == 1:
        return Atom(relation, (name, participants.names[places[0].id]))
    if participants.complete(places):
        return Exists(Bound(kind, kind), Atom(relation, (name, kind)))
    return Or(tuple(Atom(relation, (name, participants.names[each.id])) for each in places))


def _state(name: str, state: str, *, positive: bool) -> Expression:
    atom = Atom(state, (name,))
    return atom if positive else Not(atom)


def joined(parts: Sequence[Expression]) -> Expression:
    """A goal of several conjuncts, each once."""
    return And(tuple(dict.fromkeys(parts)))
