"""Reads an agent's action, and says at once what is wrong with one that cannot be (spec 5.8)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.rules import Rules
from env_service.suites.asgard.vocabulary import OBJECT, Verb

UNREADABLE = "Response from model is in invalid format."
NOT_AN_ACTION = "Action is not a valid action."
NOT_AN_OBJECT = "Object is not a valid object."
NO_OBJECT = "No object name provided."
OBJECT_IS_NONE = "Object name cannot be None"

NOTHING = "None"
"""Stands for the action and the object of a turn that names none."""

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
        """As it stands in the history, such as "PICKUP Mug"."""
        return f"{self.verb.value} {self.object_type}"


@dataclass(frozen=True, slots=True)
class BadTurn:
    """A turn that asks for nothing that can be done.

    ``code`` is UNPARSABLE, UNKNOWN_SKILL or UNKNOWN_OBJECT, or PRECONDITION_FAILED where the
    rules misfile it. ``verb`` and ``object_type`` are as they were said, "None" where unsaid;
    ``feedback`` is for the agent, as far as its condition tells it anything.
    """

    code: OutcomeCode
    feedback: str
    verb: str = NOTHING
    object_type: str = NOTHING

    @property
    def text(self) -> str:
        """As loops compare it and as it stands in the history, such as "JUMP Mug"."""
        return f"{self.verb} {self.object_type}"


class Parser:
    """Reads the actions of one episode. ``available`` are the words for objects."""

    def __init__(self, available: Iterable[str], rules: Rules) -> None:
        self._objects = {each.casefold(): each for each in available}
        self._rules = rules

    def read(self, action: Action) -> Command | BadTurn:
        """The command that an action stands for. Never raises."""
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
    # What is no word of ours still becomes one line of the history.
    return " ".join(words.split())[:_LONGEST]


_VERBS = {verb.value.casefold(): verb for verb in Verb}
