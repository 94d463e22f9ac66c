"""The base command and its two paraphrases (wordings B, P1, P2)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from env_service.suites.alfred.builtin.grammar.english_nouns import noun, with_article
from env_service.suites.alfred.builtin.grammar.phrases import (
    Nouns,
    drawn_nouns,
    fillings,
    plain_nouns,
)
from env_service.suites.alfred.task import Goal, TaskType

_BASE_STATES: Mapping[TaskType, str] = {
    TaskType.CLEAN: "clean",
    TaskType.HEAT: "heated",
    TaskType.COOL: "cooled",
}

_STATES: Mapping[TaskType, tuple[str, ...]] = {
    TaskType.CLEAN: ("washed", "freshly washed", "rinsed", "cleaned"),
    TaskType.HEAT: ("hot", "warm", "warmed", "freshly heated"),
    TaskType.COOL: ("cold", "chilled", "freshly chilled"),
}

_ORDERS: Mapping[TaskType, tuple[str, ...]] = {
    TaskType.CLEAN: ("Wash {a}", "Rinse {a}", "Clean {a}"),
    TaskType.HEAT: ("Heat {a}", "Warm up {a}", "Heat up {a}"),
    TaskType.COOL: ("Chill {a}", "Cool down {a}", "Cool {a}"),
}
"""How to say first what is to become of it."""

_PLACING = (
    "Place {what} {to}.",
    "Set {what} {to}.",
    "Leave {what} {to}.",
    "Take {what} and place {it} {to}.",
    "Get {what} and set {it} {to}.",
)
_CARRYING = ("Move {what} to {place}.", "Bring {what} to {place}.")
_STORING = ("Store {what} {to}.", "Put {what} away {to}.", "Stow {what} {to}.")
_DISCARDING = (
    "Throw {what} {into}.",
    "Toss {what} {into}.",
    "Discard {what} {to}.",
    "Take {what} and drop {it} {into}.",
)
_LAST = (
    "{order} and place {it} {to}.",
    "{order}, then set {it} {to}.",
    "{order} and leave {it} {to}.",
)

_LOOKING = (
    "Inspect {a} in the light of {lamp}.",
    "Look at {a} under {lamp}.",
    "Check {a} by the light of {lamp}.",
    "Turn on {lamp} and look at {a}.",
    "Switch on {lamp} and inspect {a} in its light.",
)

_TAKING_ALONG = (
    "Place {a} {in_movable}, then set the {movable} {to}.",
    "Set {a} {in_movable} and place the {movable} {to}.",
    "Place {a_movable} with {a} {in_it} {to}.",
    "Put {a} {in_movable}, then move the {movable} to {place}.",
)

_SLICING: Mapping[TaskType, tuple[str, ...]] = {
    TaskType.TWO: (
        "Slice {whole} and place two slices {to}.",
        "Cut {whole} and leave two slices of it {to}.",
    ),
    TaskType.MOVABLE: ("Slice {whole}, place a slice {in_movable} and set the {movable} {to}.",),
    TaskType.CLEAN: ("Slice {whole}, wash one slice and place it {to}.",),
    TaskType.HEAT: ("Slice {whole}, heat one slice and place it {to}.",),
    TaskType.COOL: ("Slice {whole}, chill one slice and place it {to}.",),
}
"""Ways that say the slicing first."""

_STORES = frozenset({"Cabinet", "Drawer", "Fridge", "Safe"})


def base_command(goal: Goal) -> str:
    """Plain imperative English with exactly the nouns of the skills; one text for one goal."""
    fields = fillings(goal, plain_nouns(goal))
    if goal.type is TaskType.LOOK:
        return "Examine {a} by the light of {lamp}.".format(**fields)
    if goal.type is TaskType.MOVABLE:
        return "Put {a} {in_movable} and then put the {movable} {to}.".format(**fields)
    state = _BASE_STATES.get(goal.type)
    what = with_article(f"{state} {fields['thing']}") if state else fields["a"]
    return "Put {what} {to}.".format(what=what, **fields)


def paraphrases(goal: Goal, room: str, draw: Random) -> tuple[str, str]:
    """P1, which keeps the nouns, and P2, which may have others: two different ways to say it."""
    ways = _templates(goal)
    if goal.sliced:
        ways += [(each, "{a}") for each in _SLICING[goal.type]]
    first, second = draw.sample(ways, 2)
    other = drawn_nouns(goal, room, draw)
    return _filled(first, goal, plain_nouns(goal)), _filled(second, goal, other)


def _templates(goal: Goal) -> list[tuple[str, str]]:
    """Ways to say it: a template, and how it calls what is carried."""
    if goal.type is TaskType.LOOK:
        return [(each, "{a}") for each in _LOOKING]
    if goal.type is TaskType.MOVABLE:
        return [(each, "{a}") for each in _TAKING_ALONG]
    if goal.parent == "GarbageCan" and goal.type not in _STATES:
        return [(each, "{a}") for each in _DISCARDING]
    if goal.type in _STATES:
        stated = [(_PLACING[k], state) for k in range(3) for state in _STATES[goal.type]]
        ordered = [(each, order) for each in _LAST for order in _ORDERS[goal.type]]
        return stated + ordered
    ways = _PLACING + (_STORING if goal.parent in _STORES else _CARRYING)
    return [(each, "{a}") for each in ways]


def _filled(way: tuple[str, str], goal: Goal, nouns: Nouns) -> str:
    template, called = way
    fields = fillings(goal, nouns)
    order = called.format(**fields)
    what = order if "{" in called else with_article(f"{called} {nouns.thing}")
    whole = with_article(noun(goal.object))
    return template.format(what=what, order=order, whole=whole, **fields)
