"""Scenarios as descriptions: what is where, what is to be done, how to answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from env_service.suites.actplan.builtin.jobs import INSIDE, NEXTTO, Be, Job, Pair, Put, relation_to
from env_service.suites.actplan.builtin.rooms import Thing
from env_service.suites.actplan.builtin.scenario import Fact, Scenario
from env_service.suites.actplan.builtin.wording import sentence, told

INSTRUCTION = (
    "Answer with the steps of a plan and with nothing else, each of the form action(object), or"
    " action(target, object) where something is put somewhere; the actions are walk_to, grab,"
    " place_inside, place_on_top, place_next_to, open, close, switch_on, switch_off, clean, slice,"
    " soak, pour and defrost."
)
"""Closes every description. Published ones end with a sentence to this effect (spec: actplan.md
section 1.2); the words are ours."""

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
        f"What is asked for: {' '.join(map(_order, usual.jobs))}",
        *scenario.notes,
    )
    return f"{' '.join(sentences)}\n{INSTRUCTION}"


def _whereabouts(scenario: Scenario) -> Iterator[str]:
    """Where everything lies that can be carried, place by place."""
    room = scenario.room
    held = [each for each in scenario.cast if each.movable and room.holder(each) is not None]
    for place in dict.fromkeys(each.holder for each in held):
        ours = [each for each in held if each.holder == place]
        where = _where(room.by_id[place])
        yield sentence(f"{'there is' if len(ours) == 1 else 'there are'} {_some(ours)} {where}")


def _some(things: Sequence[Thing]) -> str:
    return told(things, article="a")


def _where(place: Thing) -> str:
    if place.kind == "Floor":
        return "on the floor"
    preposition = "in" if relation_to(place) == INSIDE else "on"
    return f"{preposition} {_some((place,))}"


def _states(facts: Sequence[Fact]) -> Iterator[str]:
    for state in dict.fromkeys(each.state for each in facts if each.positive):
        things = [each.thing for each in facts if each.state == state and each.positive]
        yield sentence(f"{told(things)} {_is(things)} {_STATES[state]}")


def _order(job: Job) -> str:
    match job:
        case Put(things, places, relation, count):
            what = told(things) if not count else f"{count} of {told(things)}"
            verb = "is" if len(things) == 1 else "are"
            return sentence(f"{what} {verb} to be {_relation(relation)} {_one_of(places)}")
        case Pair(things, others, relation):
            one, other = things[0].named.word, others[0].named.word
            return sentence(f"there is to be one {one} {_relation(relation)} each {other}")
    return _be(job)


def _be(job: Be) -> str:
    things = told(job.things)
    verb, rest = _ORDERS[job.state, job.positive]
    if len(job.things) > 1:
        rest = rest.replace(" it", " them")
    return sentence(f"{verb} {things}{rest}")


def _relation(relation: str) -> str:
    return {INSIDE: "in", NEXTTO: "next to"}.get(relation, "on")


def _one_of(places: Sequence[Thing]) -> str:
    if len(places) > 1:
        return f"one of {told(places)}"
    return f"the {places[0].named.word}"


def _is(things: Sequence[Thing]) -> str:
    return "is" if len(things) == 1 else "are"
