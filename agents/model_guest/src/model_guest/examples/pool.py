"""A pool of examples: solved tasks of a benchmark, in one file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

MOST_BYTES = 256 * 2**20
"""Of a file: ten times what all training tasks of ALFRED make."""
_ENDING = "done"


class PoolError(ValueError):
    """A file of examples that cannot be used; the message names the file and the place in it."""


@dataclass(frozen=True, slots=True)
class Example:
    """One solved task.

    ``type`` is the benchmark's, ``task`` names the task: several examples may be of one, each
    with a command of its own. ``commands`` holds the command by the name of its wording, at least
    one; the first is the usual one. ``steps`` are those of a plan that solves it, without a
    "done" behind them.
    """

    type: str
    task: str
    commands: Mapping[str, str]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """The examples of a file, in its order; ``digest`` is its SHA-256 (hex)."""

    examples: tuple[Example, ...]
    digest: str


@lru_cache(maxsize=8)
def read_pool(path: Path) -> Pool:
    """Reads a file once in a process: JSON Lines, an example a line, or one JSON document, a list
    of them or an object with the list under "examples".

    An example is ``{"type": "…", "task": "…", "commands": {"B": "…"}, "steps": ["…", "…"]}``;
    "command" with one text may stand in place of "commands", and "task" may be left out.
    Raises PoolError.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise PoolError(f"{path} is larger than {MOST_BYTES >> 20} MiB: too large for examples")
        content = path.read_bytes()
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PoolError(f"cannot read the examples {path}: {error}") from error
    examples = []
    for place, entry in _entries(path, text):
        try:
            examples.append(_example(entry, place))
        except ValueError as error:
            raise PoolError(f"{path}, {place}: {error}") from error
    if not examples:
        raise PoolError(f"{path} holds no examples")
    return Pool(tuple(examples), hashlib.sha256(content).hexdigest())


def _entries(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """Every entry with its place, in words."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        yield from _lines(path, text)
        return
    if isinstance(document, dict) and "examples" in document:
        document = document["examples"]
    listed = document if isinstance(document, list) else [document]
    for number, entry in enumerate(listed, start=1):
        yield f"example {number}", entry


def _lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            yield place, json.loads(line)
        except (ValueError, RecursionError) as error:
            raise PoolError(f"{path}, {place}: this is no JSON: {error}") from error


def _example(entry: Any, place: str) -> Example:
    if not isinstance(entry, dict):
        raise ValueError(f"an example has to be an object, not {type(entry).__name__}")
    commands = entry.get("commands")
    if commands is None and "command" in entry:
        commands = {"command": entry["command"]}
    if not isinstance(commands, dict) or not commands:
        raise ValueError('"commands" has to be an object with at least one command')
    steps = entry.get("steps")
    if not isinstance(steps, list):
        raise ValueError('"steps" has to be a list of skills')
    said = tuple(_text(step, "a step") for step in steps)
    if said and said[-1].lower() == _ENDING:
        said = said[:-1]
    if not said:
        raise ValueError('"steps" is empty')
    return Example(
        type=_text(entry.get("type"), '"type"'),
        task=_text(entry.get("task", place), '"task"'),
        commands={name: _text(each, f"the command {name!r}") for name, each in commands.items()},
        steps=said,
    )


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{what} has to be a text, and not empty")
    return " ".join(value.split())
