"""The contextual command (wording C): a sentence from which the destination can be told, and an
indirect command that names what is carried, but not the destination."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from env_service.suites.alfred.builtin.grammar.english_nouns import noun, with_article
from env_service.suites.alfred.builtin.grammar.phrases import fillings, plain_nouns
from env_service.suites.alfred.task import Goal, TaskType

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
