"""From what a person types to an action."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence

from houseguest_agent import ActionSpace, Parameter, Skill, SkillCall


class TypingError(ValueError):
    """What was typed cannot be meant; the message says what would."""


Ask = Callable[[Parameter], str]
"""Asks the person for one argument; what was typed."""


def read_call(line: str, space: ActionSpace, ask: Ask) -> SkillCall:
    """A skill by number or name with its arguments; those that are missing are asked for.

    Names and choices may be typed in any case, and shortened as long as they are clear. Raises
    TypingError.
    """
    words = _split(line)
    skill = find_skill(words[0], space)
    given, parameters = words[1:], skill.parameters
    if len(given) > len(parameters):
        given = _gather(given, parameters)
    arguments = {
        parameter.name: find_choice(given[i] if i < len(given) else ask(parameter), parameter)
        for i, parameter in enumerate(parameters)
    }
    return SkillCall(skill.name, arguments)


def find_skill(word: str, space: ActionSpace) -> Skill:
    """The skill of that number (from 1) or name. Raises TypingError."""
    if word.isdecimal():
        if 1 <= int(word) <= len(space.skills):
            return space.skills[int(word) - 1]
        raise TypingError(f"There is no action {word}: they go from 1 to {len(space.skills)}.")
    name = _find(word, [skill.name for skill in space.skills], "action")
    return next(skill for skill in space.skills if skill.name == name)


def find_choice(word: str, parameter: Parameter) -> str:
    """A legal value by number (from 1) or name; any words where it is free text.

    Raises TypingError.
    """
    word = word.strip()
    if not word:
        raise TypingError(f"Nothing done: {parameter.name} is missing.")
    choices = parameter.choices
    if not choices:
        return word
    if word in choices:
        return word
    if word.isdecimal() and 1 <= int(word) <= len(choices):
        return choices[int(word) - 1]
    return _find(word, choices, parameter.name)


def is_skill(line: str, space: ActionSpace) -> bool:
    """Whether the first word names a skill in full."""
    word = line.split(maxsplit=1)[0].lower()
    return any(skill.name.lower() == word for skill in space.skills)


def _find(word: str, names: Sequence[str], kind: str) -> str:
    """The one name that is meant: as typed, in another case, or begun so."""
    lower = word.lower()
    same = [name for name in names if name.lower() == lower]
    begun = same or [name for name in names if name.lower().startswith(lower)]
    if len(begun) == 1:
        return begun[0]
    if begun:
        raise TypingError(f"{word} could be {', '.join(begun)}.")
    raise TypingError(f"There is no {kind} {word!r}. There are: {', '.join(names)}.")


def _split(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError:
        # An apostrophe in free text is no quotation mark.
        words = line.split()
    if not words or not words[0]:
        raise TypingError("Nothing done: no action was typed.")
    return words


def _gather(given: list[str], parameters: Sequence[Parameter]) -> list[str]:
    """Joins what is too much into the last argument, where that is free text."""
    if not parameters or parameters[-1].choices:
        raise TypingError(f"That is too much: the action takes {len(parameters)} argument(s).")
    last = len(parameters) - 1
    return [*given[:last], " ".join(given[last:])]
