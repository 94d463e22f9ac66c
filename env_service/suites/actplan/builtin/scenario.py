"""One activity in one room: its facts, the subgoals of its goal, and both as a problem in BDDL and
as a description.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from env_service.suites.actplan.activity import Assertion, assertion_comments
from env_service.suites.actplan.builtin.rooms import Room, Thing
from env_service.suites.actplan.task import Variant
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
from env_service.worlds.activity.bddl.problem import AGENT, Literal, Problem
from env_service.worlds.activity.bddl.writer import write_problem


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
        subgoals: the parts of its goal.
        facts: states at the opening, apart from the places of things.
        tools: the usual tools for the subgoals.
        others: further things in the room that play no part.
        gone: things of the room's plan that this scenario leaves out.
        notes: sentences on the circumstances, for the description.
        assertions: what the circumstances ask of a plan in addition to the goal.
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


# --- Subgoals: the parts of an activity's goal

INSIDE, ONTOP, NEXTTO = "inside", "ontop", "nextto"

HOLLOW = frozenset(
    {
        "Bathtub", "Bowl", "Box", "Cabinet", "Cup", "Drawer", "Fridge", "GarbageCan",
        "LaundryHamper", "Microwave", "Mug", "Pan", "Pot", "Sink", "Toaster",
    }
)  # fmt: skip
"""Types that things are put into; onto all others."""


def relation_to(holder: Thing) -> str:
    """The BDDL relation of things to a receptacle, in or on it."""
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


# --- A scenario as a problem in BDDL, with the constraints that no BDDL goal can carry


DOMAIN = "igibson"
"""Published problems name it, and BDDL's readers want one that they know."""

LEAST, MOST = 4, 35
"""Objects of a problem."""


@dataclass(frozen=True, slots=True)
class WrittenProblem:
    """A scenario's problem. ``names``: its instances by the things' identities."""

    problem: Problem
    text: str
    names: dict[str, str]


def problem_of(scenario: Scenario, variant: Variant) -> WrittenProblem:
    """A scenario's problem, and its text with the assertions as comments."""
    names = _names(scenario.participants)
    objects = {names[each.id]: each.category for each in _by_category(scenario.participants)}
    agent = f"{AGENT}_1"
    problem = Problem(
        name=f"{scenario.activity}_{variant.number}",
        domain=DOMAIN,
        objects={**objects, agent: AGENT},
        init=tuple(_init(scenario, names, agent)),
        goal=joined(
            [
                part
                for subgoal in scenario.subgoals
                for part in conditions(subgoal, _declarations(scenario))
            ]
        ),
    )
    text = assertion_comments(scenario.assertions) + write_problem(problem)
    return WrittenProblem(problem, text, names)


def fits(problem: Problem) -> bool:
    """Whether it has as many objects as published ones have."""
    return LEAST <= len(problem.objects) <= MOST


def _names(things: tuple[Thing, ...]) -> dict[str, str]:
    """Instances by identity, numbered within each category in order."""
    numbers: Counter[str] = Counter()
    names = {}
    for each in things:
        numbers[each.category] += 1
        names[each.id] = f"{each.category}_{numbers[each.category]}"
    return names


def _by_category(things: tuple[Thing, ...]) -> list[Thing]:
    order = {kind: number for number, kind in enumerate(dict.fromkeys(t.category for t in things))}
    return sorted(things, key=lambda each: order[each.category])


def _declarations(scenario: Scenario) -> Declarations:
    names = _names(scenario.participants)
    groups: defaultdict[str, set[str]] = defaultdict(set)
    for each in scenario.participants:
        groups[each.category].add(names[each.id])
    return Declarations(names, lambda category: frozenset(groups[category]))


def _init(scenario: Scenario, names: dict[str, str], agent: str) -> Iterator[Literal]:
    room = scenario.room
    for each in scenario.participants:
        holder = room.holder(each)
        if holder is None or (holder is room.floor and not each.movable):
            continue
        relation = "onfloor" if holder is room.floor else relation_to(holder)
        yield Literal(Atom(relation, (names[each.id], names[holder.id])))
    for fact in scenario.facts:
        yield Literal(Atom(fact.state, (names[fact.thing.id],)), fact.positive)
    for missing in _not_yet(scenario):
        yield Literal(Atom(missing.state, (names[missing.thing.id],)), positive=False)
    for each in scenario.participants:
        if room.holder(each) is None or not each.movable:
            yield Literal(Atom("inroom", (names[each.id], room.kind)))
    yield Literal(Atom("onfloor", (agent, names[room.floor.id])))


def _not_yet(scenario: Scenario) -> Iterator[Fact]:
    """What things are to become: published problems say that they are not yet."""
    for subgoal in scenario.subgoals:
        if isinstance(subgoal, Be) and subgoal.positive:
            yield from (Fact(subgoal.state, each, positive=False) for each in subgoal.things)


# --- Scenarios as descriptions: what is where, what is to be done, how to answer

INSTRUCTION = (
    "Answer with the steps of a plan and with nothing else, each of the form action(object), or"
    " action(target, object) where something is put somewhere; the actions are walk_to, grab,"
    " place_inside, place_on_top, place_next_to, open, close, switch_on, switch_off, clean, slice,"
    " soak, pour and defrost."
)
"""Closes every description. Published ones end with a sentence to this effect (docs/actplan.md,
Task sets); the words are ours."""

_STATES = {
    "stained": "dirty",
    "dusty": "covered with dust",
    "perished": "spoiled",
    "frozen": "frozen",
    "toggled_on": "switched on",
    "open": "open",
}
_ORDERS: dict[tuple[str, bool], tuple[str, str]] = {
    ("stained", False): ("clean", ", so that no stain is left"),
    ("dusty", False): ("wipe the dust off", ""),
    ("sliced", True): ("slice", ""),
    ("cooked", True): ("cook", ""),
    ("soaked", True): ("water", ""),
    ("frozen", False): ("let", " thaw first"),
    ("toggled_on", True): ("switch on", " and leave it running"),
    ("toggled_on", False): ("leave", " switched off"),
    ("open", False): ("leave", " closed"),
}


def description_of(scenario: Scenario, normal: Scenario | None = None) -> str:
    """A paragraph on the task, then the instruction on a separate line.

    ``normal``: for a counterfactual, the scenario that it was made from. The description then gives
    the normal orders and adds the circumstances; the reader draws the conclusions.
    """
    usual = normal or scenario
    sentences = (
        f"The task is to {scenario.title}. All of it happens in the {scenario.room.word} that the"
        " pictures show.",
        *_whereabouts(scenario),
        *_states([each for each in scenario.facts if each in usual.facts]),
        f"What is asked for: {' '.join(map(_order, usual.subgoals))}",
        *scenario.notes,
    )
    return f"{' '.join(sentences)}\n{INSTRUCTION}"


def _whereabouts(scenario: Scenario) -> Iterator[str]:
    """Where everything lies that can be carried, place by place."""
    room = scenario.room
    held = [
        each for each in scenario.participants if each.movable and room.holder(each) is not None
    ]
    for place in dict.fromkeys(each.holder for each in held):
        ours = [each for each in held if each.holder == place]
        where = _where(room.by_id[place])
        yield sentence(f"{'there is' if len(ours) == 1 else 'there are'} {_some(ours)} {where}")


def _some(things: Sequence[Thing]) -> str:
    return in_words(things, article="a")


def _where(place: Thing) -> str:
    if place.kind == "Floor":
        return "on the floor"
    preposition = "in" if relation_to(place) == INSIDE else "on"
    return f"{preposition} {_some((place,))}"


def _states(facts: Sequence[Fact]) -> Iterator[str]:
    for state in dict.fromkeys(each.state for each in facts if each.positive):
        things = [each.thing for each in facts if each.state == state and each.positive]
        yield sentence(f"{in_words(things)} {_is(things)} {_STATES[state]}")


def _order(subgoal: Subgoal) -> str:
    match subgoal:
        case Put(things, places, relation, count):
            what = in_words(things) if not count else f"{count} of {in_words(things)}"
            verb = "is" if len(things) == 1 else "are"
            return sentence(f"{what} {verb} to be {_relation(relation)} {_one_of(places)}")
        case Pair(things, others, relation):
            one, other = things[0].named.word, others[0].named.word
            return sentence(f"there is to be one {one} {_relation(relation)} each {other}")
    return _be(subgoal)


def _be(subgoal: Be) -> str:
    things = in_words(subgoal.things)
    verb, rest = _ORDERS[subgoal.state, subgoal.positive]
    if len(subgoal.things) > 1:
        rest = rest.replace(" it", " them")
    return sentence(f"{verb} {things}{rest}")


def _relation(relation: str) -> str:
    return {INSIDE: "in", NEXTTO: "next to"}.get(relation, "on")


def _one_of(places: Sequence[Thing]) -> str:
    if len(places) > 1:
        return f"one of {in_words(places)}"
    return f"the {places[0].named.word}"


def _is(things: Sequence[Thing]) -> str:
    return "is" if len(things) == 1 else "are"


# --- Things in sentences

COUNTS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def in_words(things: Sequence[Thing], *, article: str = "the") -> str:
    """Things in a sentence: "the cup and the two plates". With the article "a": "an egg and two
    plates"."""
    parts = []
    for kind in dict.fromkeys(each.named for each in things):
        count = sum(each.named == kind for each in things)
        if count > 1:
            many = f"{COUNTS[count]} {kind.plural}"
            parts.append(f"the {many}" if article == "the" else many)
        else:
            parts.append(f"{_fitting(article, kind.word)} {kind.word}")
    return listed(parts)


def listed(parts: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def _fitting(article: str, word: str) -> str:
    return "an" if article == "a" and word[0] in "aeiou" else article
