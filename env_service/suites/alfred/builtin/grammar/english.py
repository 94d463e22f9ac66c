"""All wordings of a built-in task's command, and the English ones among them: base, two
paraphrases, contextual.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from env_service.suites.alfred.builtin.grammar.english_nouns import (
    noun,
    other_nouns,
    plural,
    preposition,
    with_article,
)
from env_service.suites.alfred.builtin.grammar.korean import korean_command
from env_service.suites.alfred.task import Goal, TaskType

# --- All wordings of a built-in task's command


def commands_for(goal: Goal, room: str, draw: Random) -> Mapping[str, str]:
    """The command in the wordings B, P1, P2, C and K.

    Args:
        room: the kind of room ("living-room"): some things are called otherwise in some rooms.
        draw: chooses the phrasings; B has one alone.
    """
    first, second = paraphrases(goal, room, draw)
    return {
        "B": base_command(goal),
        "P1": first,
        "P2": second,
        "C": contextual_command(goal, room, draw),
        "K": korean_command(goal, room, draw),
    }


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


# --- The contextual command (wording C): a sentence that implies the destination, and an indirect
# command that names what is carried, but not the destination

_Texts = tuple[str, ...]

_KEPT: _Texts = (
    "In our {room}, {things} have their place {to}.",
    "We keep {things} {to}, where everybody can find them.",
    "Whenever we tidy the {room}, {things} go {to}.",
    "In this household, {things} left lying about always end up {to}.",
    "By an old habit of our family, {things} belong {to}.",
)
_BRING: _Texts = (
    "I noticed {a} lying around, so could you put {it} where {they_belong}?",
    "Could you see to it that {a} {are} in {their} usual place?",
    "It would be nice to find {a} in {their} proper spot.",
    "When you come across {a}, please take {it} to where {they_are} kept.",
)

_SLICES: _Texts = (
    "When we prepare a meal, {things} wait {to} until they are needed.",
    "In our {room}, {things} are put {to} until somebody wants them.",
    "In this household, {things} have their place {to}.",
)
_TWO_SLICES: _Texts = (
    "Could you slice {whole} and put two of the slices where they belong?",
    "After slicing {whole}, please leave two slices in their usual place.",
    "I would like {a} to be waiting in the usual spot.",
)

_THROWN: _Texts = (
    "Whatever we no longer need in the {room}, {things} included, goes {to}.",
    "In this household, {things} that are past their use go {to}.",
    "We drop {things} that nobody wants any more {into}.",
)
_THROW: _Texts = (
    "There {are} {a} that nobody needs any more, so could you get rid of {it} in the usual way?",
    "I have no more use for {a}, so please take {it} to where such things end up.",
    "Now that we are done with {a}, could you see that {it} {go} the usual way?",
)

_CHANGED: Mapping[TaskType, _Texts] = {
    TaskType.CLEAN: (
        "In our {room}, only clean {things} are kept {to}.",
        "In this household, {things} are washed before they go {to}.",
        "We expect to find clean {things} {to}, ready for use.",
    ),
    TaskType.HEAT: (
        "In our {room}, heated {things} are left {to} until somebody wants them.",
        "Whenever we heat {things}, we put them {to} afterwards.",
        "In this household, heated {things} have their place {to}.",
    ),
    TaskType.COOL: (
        "In our {room}, chilled {things} are left {to} until somebody wants them.",
        "Whenever we chill {things}, we put them {to} afterwards.",
        "In this household, chilled {things} have their place {to}.",
    ),
}
_CHANGE: Mapping[TaskType, _Texts] = {
    TaskType.CLEAN: (
        "Could you wash {a} and then put it where it belongs?",
        "Once {a} has been washed, please take it to its usual place.",
        "I would like {a_clean} to be waiting in the proper spot.",
    ),
    TaskType.HEAT: (
        "Could you heat {a} and then take it to where it belongs?",
        "Once {a} has been heated, please put it in its usual spot.",
        "I would like {a} to be warmed up and left where we always have it.",
    ),
    TaskType.COOL: (
        "Could you chill {a} and then take it to where it belongs?",
        "Once {a} has been cooled, please put it in its usual spot.",
        "I would like {a} to be chilled and left where we always have it.",
    ),
}

_ALONG: _Texts = (
    "In our {room}, {a_movable} with {a} {in_it} always has its place {to}.",
    "Whenever we put {things} {in_movable}, the {movable} goes {to} afterwards.",
    "In this household, {movables} with {things} {in_them} belong {to}.",
)
_TAKE_ALONG: _Texts = (
    "Could you put {a} {in_movable} and then take the {movable} to where it belongs?",
    "Once {a} is {in_movable}, please take the {movable} to its usual spot.",
    "I would like {a} to be {in_movable}, and the {movable} to be left in its proper place.",
)

_LIT: _Texts = (
    "In our {room}, {lamp} is what we switch on to see things closely.",
    "Whenever we want to see {things} clearly, we turn on {lamp}.",
    "To look closely at {things}, nothing in our {room} is better than {lamp}.",
)
_LOOK: _Texts = (
    "Could you take a close look at {a} for me in good light?",
    "I would like {a} to be looked at where we see best.",
    "When you have found {a}, could you look {it} over in the usual light?",
)


def contextual_command(goal: Goal, room: str, draw: Random) -> str:
    """Exactly two sentences."""
    contexts, orders = _texts(goal)
    nouns = plain_nouns(goal)
    two = goal.type is TaskType.TWO
    fields = {
        **fillings(goal, nouns),
        "room": room.replace("-", " "),
        "whole": with_article(noun(goal.object)),
        "a_clean": with_article(f"clean {nouns.thing}"),
        "are": "are" if two else "is",
        "go": "go" if two else "goes",
        "their": "their" if two else "its",
        "they_are": "they are" if two else "it is",
        "they_belong": "they belong" if two else "it belongs",
    }
    fields["in_them"] = fields["in_it"].replace("it", "them")
    return f"{draw.choice(contexts)} {draw.choice(orders)}".format(**fields)


def _texts(goal: Goal) -> tuple[_Texts, _Texts]:
    """The contexts and the commands that suit a goal."""
    if goal.type is TaskType.LOOK:
        return _LIT, _LOOK
    if goal.type is TaskType.MOVABLE:
        return _ALONG, _TAKE_ALONG
    if goal.type in _CHANGED:
        return _CHANGED[goal.type], _CHANGE[goal.type]
    if goal.parent == "GarbageCan":
        return _THROWN, _THROW
    return (_SLICES, _TWO_SLICES) if goal.sliced else (_KEPT, _BRING)


# --- What the templates of English commands are filled with


@dataclass(frozen=True, slots=True)
class Nouns:
    """Singular nouns for the parts of a goal; empty where it has no such part."""

    thing: str
    parent: str = ""
    movable: str = ""
    lamp: str = ""


def plain_nouns(goal: Goal) -> Nouns:
    """The skills' own nouns."""
    return Nouns(
        noun(goal.object, sliced=goal.sliced),
        noun(goal.parent) if goal.parent else "",
        noun(goal.movable) if goal.movable else "",
        noun(goal.toggle) if goal.toggle else "",
    )


def drawn_nouns(goal: Goal, room: str, draw: Random) -> Nouns:
    """Other nouns where there are any; slices stay slices."""

    def drawn(kind: str) -> str:
        return draw.choice(other_nouns(kind, room)) if kind else ""

    thing = noun(goal.object, sliced=True) if goal.sliced else drawn(goal.object)
    return Nouns(thing, drawn(goal.parent), drawn(goal.movable), drawn(goal.toggle))


def fillings(goal: Goal, nouns: Nouns) -> dict[str, str]:
    """The fields of templates.

    "thing" and "things" are the bare nouns; "a" is what is carried, with its article or number;
    "it" the pronoun for it; "to" and "into" where it goes; "place" that without its preposition;
    "movable", "a_movable", "in_movable" what goes along; "lamp" the lamp with its article.
    """
    two = goal.type is TaskType.TWO
    where = preposition(goal.parent)
    return {
        "thing": nouns.thing,
        "things": plural(nouns.thing),
        "a": f"two {plural(nouns.thing)}" if two else with_article(nouns.thing),
        "it": "them" if two else "it",
        "place": f"the {nouns.parent}",
        "to": f"{where} the {nouns.parent}",
        "into": f"{where}to the {nouns.parent}",
        "movable": nouns.movable,
        "movables": plural(nouns.movable) if nouns.movable else "",
        "a_movable": with_article(nouns.movable) if nouns.movable else "",
        "in_it": f"{preposition(goal.movable)} it",
        "in_movable": f"{preposition(goal.movable)} {with_article(nouns.movable)}"
        if nouns.movable
        else "",
        "lamp": f"the {nouns.lamp}",
    }
