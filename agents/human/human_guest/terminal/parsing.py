"""From what a person types to an action."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence

from houseguest_agent import ActionSpace, Parameter, Skill, SkillCall


class TypingError(ValueError):
    """What was typed cannot be meant; the message says what would."""


Ask = Callable[[Parameter], str]
"""Asks the person for one argument; what was typed."""


def read_call(line: str, space: ActionSpace, ask: Ask) -> SkillCall:
    """A skill by number or name with its arguments; those that are missing are asked for.

    Names and choices may be typed in any case, without an article, and shortened as long as they
    are clear; both may have several words. Raises TypingError.
    """
    words = _split(line)
    skill, taken = _leading_skill(words, space)
    given, parameters = words[taken:], skill.parameters
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
    """Whether the line begins with a skill's whole name."""
    return _named_in_full(line.split(), space) is not None


def _leading_skill(words: Sequence[str], space: ActionSpace) -> tuple[Skill, int]:
    """The skill that a line begins with, and how many words name it."""
    skill = _named_in_full(words, space)
    if skill is not None:
        return skill, len(skill.name.split())
    return find_skill(words[0], space), 1


def _named_in_full(words: Sequence[str], space: ActionSpace) -> Skill | None:
    """The skill of the longest name that these words begin with."""
    lower = [word.lower() for word in words]
    named = [each for each in space.skills if _begin(lower, each.name.lower().split())]
    return max(named, key=lambda skill: len(skill.name.split()), default=None)


def _begin(words: list[str], name: list[str]) -> bool:
    return words[: len(name)] == name


def _find(word: str, names: Sequence[str], kind: str) -> str:
    """The one name that is meant: as typed, in another case, without its article, or begun so."""
    lower, bare = word.lower(), _bare(word)
    ways: tuple[Callable[[str], bool], ...] = (
        lambda name: name.lower() == lower,
        lambda name: _bare(name) == bare,
        lambda name: name.lower().startswith(lower),
        lambda name: _bare(name).startswith(bare),
    )
    meant = next(filter(None, (list(filter(way, names)) for way in ways)), [])
    if len(meant) == 1:
        return meant[0]
    if meant:
        raise TypingError(f"{word} could be {', '.join(meant)}.")
    raise TypingError(f"There is no {kind} {word!r}. There are: {', '.join(names)}.")


def _bare(name: str) -> str:
    """In small letters, without an article."""
    return _ARTICLE.sub("", name.lower())


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
    """Joins what is too much into the last argument, which may have several words."""
    if not parameters or not _of_words(parameters[-1]):
        raise TypingError(f"That is too much: the action takes {_arguments(len(parameters))}.")
    last = len(parameters) - 1
    return [*given[:last], " ".join(given[last:])]


def _of_words(parameter: Parameter) -> bool:
    """Whether a value may have more than one word."""
    return not parameter.choices or any(" " in choice for choice in parameter.choices)


def _arguments(count: int) -> str:
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


_ARTICLE = re.compile(r"^(?:an?|the)\s+")
