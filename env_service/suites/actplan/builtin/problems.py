"""Scenarios as problems in BDDL and as descriptions, with the constraints that no BDDL goal can
carry.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from env_service.suites.actplan.builtin.rooms import Thing
from env_service.suites.actplan.builtin.scenario import (
    INSIDE,
    NEXTTO,
    Be,
    Declarations,
    Fact,
    Pair,
    Put,
    Scenario,
    Subgoal,
    conditions,
    joined,
    relation_to,
)
from env_service.suites.actplan.stated_assertions import assertion_comments
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.problem import AGENT, Literal, Problem
from env_service.worlds.activity.bddl.writer import write_problem

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
Tasks); the words are ours."""

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
    """A paragraph on the task, and the instruction on a line of its own.

    ``normal``: of a counterfactual what it was made from. Then the orders are the normal ones, the
    circumstances are told behind them, and what follows from these is left to the reader.
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
