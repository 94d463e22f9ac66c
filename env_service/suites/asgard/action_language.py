"""The words of the twelve actions and of the objects that they name, and how an agent's answer
is read as one of them.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from env_service.domain.action import (
    Action,
    ActionSpace,
    Parameter,
    Plan,
    Skill,
    SkillCall,
    Text,
    Unreadable,
)
from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.object_types import HIDDEN_TYPES, object_tables
from env_service.suites.asgard.rules import Rules

OBJECT = "object"
"""The parameter of every action."""


class Verb(StrEnum):
    """The twelve actions."""

    FIND = "FIND"
    PICKUP = "PICKUP"
    PUT = "PUT"
    OPEN = "OPEN"
    CLOSE = "CLOSE"
    TOGGLE_ON = "TOGGLE_ON"
    TOGGLE_OFF = "TOGGLE_OFF"
    CLEAN = "CLEAN"
    SLICE = "SLICE"
    EMPTY = "EMPTY"
    DRINK = "DRINK"
    SPRAY = "SPRAY"


DESCRIPTIONS: Mapping[Verb, str] = {
    Verb.FIND: "Walk to the object and look at it. Opens nothing.",
    Verb.PICKUP: "Take the object into the hand.",
    Verb.PUT: "Put what the hand holds into or onto the object.",
    Verb.OPEN: "Open the object.",
    Verb.CLOSE: "Close the object.",
    Verb.TOGGLE_ON: "Switch the object on.",
    Verb.TOGGLE_OFF: "Switch the object off.",
    Verb.CLEAN: "Clean the object: a dish lies in the sink under running water and the hand holds"
    " a sponge; a mirror has been sprayed and the hand holds a cloth.",
    Verb.SLICE: "Slice the food on a surface with the knife in the hand; crack an egg that lies in"
    " a pan.",
    Verb.EMPTY: "Pour out what the object is filled with.",
    Verb.DRINK: "Drink what the object is filled with; the hand holds it.",
    Verb.SPRAY: "Spray the object with the spray bottle in the hand.",
}
"""What each action does, in words for the agent."""


def action_space(available: Iterable[str]) -> ActionSpace:
    """The twelve actions, each on one of these objects."""
    target = Parameter(OBJECT, "The type of object to act on.", tuple(available))
    return ActionSpace(
        skills=tuple(Skill(verb.value, DESCRIPTIONS[verb], (target,)) for verb in Verb)
    )


def available_objects(types: Iterable[str]) -> tuple[str, ...]:
    """The words that the agent is shown for a room with these types: each once, sorted, without
    the hidden ones."""
    return tuple(sorted(set(types) - HIDDEN_TYPES))


def objects_in(view: AsgardView) -> tuple[str, ...]:
    """The words for a room in its present state: what it holds, and what slicing can make of it."""
    slices = object_tables().slices
    return available_objects(
        (*view.types, *(slices[each] for each in view.types if each in slices))
    )


# --- Reads an agent's action, or names what is wrong with it (docs/asgard-rules.md, "Actions")

UNREADABLE = "Response from model is in invalid format."
NOT_AN_ACTION = "Action is not a valid action."
NOT_AN_OBJECT = "Object is not a valid object."
NO_OBJECT = "No object name provided."
OBJECT_IS_NONE = "Object name cannot be None"

NOTHING = "None"
"""Stands in for the action or the object of a turn that names none."""

_ANSWER = "<answer>"
_LONGEST = 60
_COMMAND = re.compile(r"Action:\s*([A-Z_]+)\s+(\w+)")


@dataclass(frozen=True, slots=True)
class Command:
    """An action on a type of object, both of which exist."""

    verb: Verb
    object_type: str

    @property
    def text(self) -> str:
        """The turn as the history shows it, such as "PICKUP Mug"."""
        return f"{self.verb.value} {self.object_type}"


@dataclass(frozen=True, slots=True)
class BadTurn:
    """A turn that asks for nothing that can be done.

    ``code`` is UNPARSABLE, UNKNOWN_SKILL or UNKNOWN_OBJECT, or PRECONDITION_FAILED where the
    rules misfile it. ``verb`` and ``object_type`` are the agent's own words, "None" for a missing
    one; ``feedback`` is the text for the agent, as detailed as its condition allows.
    """

    code: OutcomeCode
    feedback: str
    verb: str = NOTHING
    object_type: str = NOTHING

    @property
    def text(self) -> str:
        """The turn as loop detection and the history show it, such as "JUMP Mug"."""
        return f"{self.verb} {self.object_type}"


class Parser:
    """Reads the actions of one episode. ``available`` are the words for objects."""

    def __init__(self, available: Iterable[str], rules: Rules) -> None:
        self._objects = {each.casefold(): each for each in available}
        self._rules = rules

    def read(self, action: Action) -> Command | BadTurn:
        """The command that an action means. Never raises."""
        match action:
            case Text(text):
                return self.read_text(text)
            case SkillCall(name, ((key, value),)) if key == OBJECT:
                return self._command(_said(name), _said(value))
            case SkillCall(name, ()):
                return self._bad(OutcomeCode.UNPARSABLE, NO_OBJECT, _said(name) or NOTHING)
            case Unreadable(problem):
                return self._bad(OutcomeCode.UNPARSABLE, problem)
            case SkillCall() | Plan():
                return self._bad(OutcomeCode.UNPARSABLE, UNREADABLE)

    def read_text(self, text: str) -> Command | BadTurn:
        """The last "Action: VERB Object" from the first <answer> on, or of the whole text."""
        start = text.find(_ANSWER)
        found = _COMMAND.findall(text if start < 0 else text[start:])
        if not found:
            return self._bad(OutcomeCode.UNPARSABLE, UNREADABLE)
        return self._command(*found[-1])

    def _command(self, verb: str, object_type: str) -> Command | BadTurn:
        known_verb = _VERBS.get(verb.casefold())
        known_object = self._objects.get(object_type.casefold())
        if known_verb is None:
            said = (verb or NOTHING, known_object or object_type or NOTHING)
            return self._bad(OutcomeCode.UNKNOWN_SKILL, NOT_AN_ACTION, *said)
        if not object_type:
            return self._bad(OutcomeCode.UNPARSABLE, NO_OBJECT, known_verb.value)
        if known_object is None:
            return self._bad(
                OutcomeCode.UNKNOWN_OBJECT, NOT_AN_OBJECT, known_verb.value, object_type
            )
        return Command(known_verb, known_object)

    def _bad(
        self, code: OutcomeCode, feedback: str, verb: str = NOTHING, object_type: str = NOTHING
    ) -> BadTurn:
        if not self._rules.bad_turns_misfiled:
            return BadTurn(code, feedback, verb, object_type)
        if object_type.casefold() in self._objects:
            return BadTurn(OutcomeCode.UNPARSABLE, UNREADABLE, verb, object_type)
        return BadTurn(OutcomeCode.PRECONDITION_FAILED, OBJECT_IS_NONE, verb, object_type)


def _said(words: str) -> str:
    # An unknown word still becomes one line of the history.
    return " ".join(words.split())[:_LONGEST]


_VERBS = {verb.value.casefold(): verb for verb in Verb}
