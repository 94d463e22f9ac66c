"""From the options that a user gave an agent to its command, and to the run's identity."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from env_service.sandbox.digest import content_label
from env_service.sandbox.errors import AgentSpecError
from env_service.sandbox.manifest import AgentOption

Given = Mapping[str, tuple[str, ...]]
"""The values of each option that was given, by its name; one empty value for a flag."""


@dataclass(frozen=True, slots=True)
class ChosenOptions:
    """``words`` go to the agent's command; ``label`` names the choice in the run's identity.

    Both are in the manifest's order, whatever was typed first. The label leaves out what is no
    part of the identity and what equals its declared default. ``places`` has the path, as it was
    typed, of each content that the label names by its digest.
    """

    words: tuple[str, ...]
    label: str
    places: Mapping[str, str] = field(default_factory=dict, compare=False)


def choose(options: Iterable[AgentOption], given: Given) -> ChosenOptions:
    """What the given options come to; the caller has checked names, choices and required ones.

    Raises AgentSpecError for a number that is none, and for a path that does not exist where
    its content counts.
    """
    words: list[str] = []
    label: list[str] = []
    places: dict[str, str] = {}
    for option in options:
        values = tuple(settle(option, value) for value in given.get(option.name, ()))
        for value in values:
            words += _typed(option, _located(option, value))
        if option.identity and not _is_default(option, values):
            for value in values:
                label += _typed(option, identified := _identified(option, value))
                if option.content:
                    places[identified] = value
    return ChosenOptions(tuple(words), shlex.join(label), places)


def _is_default(option: AgentOption, values: tuple[str, ...]) -> bool:
    """Whether it is what the agent does anyway. The default path is the agent's, and a path
    that is typed the user's: the same words, but not the same place."""
    if option.path or not option.default:
        return False
    return values == (settle(option, option.default),)


def settle(option: AgentOption, value: str) -> str:
    """The value in the one way that it is written: 0.70 and .7 are 0.7.

    Raises AgentSpecError for a number that is none; a default may be any words.
    """
    number = {"int": int, "float": float}.get(option.type)
    if number is None:
        return value
    try:
        settled = number(value)
    except ValueError as error:
        if value == option.default:
            return value
        raise AgentSpecError(f"{option.name} {value}: this is no {option.type}") from error
    if not math.isfinite(settled) and value != option.default:
        raise AgentSpecError(f"{option.name} {value}: this is no finite number")
    return repr(settled)


def _located(option: AgentOption, value: str) -> str:
    """What the agent gets: a path that holds wherever it runs."""
    if not option.path:
        return value
    if not value:
        raise AgentSpecError(f"{option.name}: the path is empty")
    # Not Path.resolve, which fails at a link to itself with an error of its own.
    path = Path(os.path.realpath(value))
    if option.content and not (path.is_file() or path.is_dir()):
        raise AgentSpecError(f"{option.name} {value}: there is no such file or folder ({path})")
    return str(path)


def _identified(option: AgentOption, value: str) -> str:
    """What the identity holds: the content rather than the place, where that is what counts."""
    located = _located(option, value)
    return content_label(Path(located)) if option.content else located


def _typed(option: AgentOption, value: str) -> list[str]:
    """The option on a command line. A value like ``-1`` would be taken for an option."""
    if option.flag:
        return [option.name]
    return [f"{option.name}={value}"] if value.startswith("-") else [option.name, value]
