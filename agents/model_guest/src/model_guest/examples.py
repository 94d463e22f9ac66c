"""Solved tasks as examples in prompts: where they come from, and how they are drawn."""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

# --- Which examples a prompt shows: drawn by a seed, and never the task to solve


@dataclass(frozen=True, slots=True)
class Shown:
    """An example as templates see it."""

    type: str
    command: str
    steps: tuple[str, ...]


class ExampleDrawer:
    """The examples of one run: the same for each task, except the task's own example."""

    def __init__(
        self, pool: Pool, options: ExampleOptions, count: int, types: Sequence[str] = ()
    ) -> None:
        """Prepares the draw.

        ``count`` is the prompt set's number, used if the options name none. ``types`` gives the
        order of the types; others follow. Raises PoolError if the pool lacks what is requested.
        """
        self._pool, self._options = pool, options
        total = options.mix.total
        self.count = next(n for n in (total, options.count, count) if n is not None)
        self._orders = self._shuffled(types)
        self._texts = [
            (example.task, tuple(map(_plain, example.commands.values())))
            for example in pool.examples
        ]

    def _shuffled(self, types: Sequence[str]) -> list[tuple[int, list[Example]]]:
        """For each type in order: how many to show, and all candidates. The number of one type
        does not change what is drawn of another."""
        there = dict.fromkeys(example.type for example in self._pool.examples)
        order = [name for name in types if name in there]
        order += sorted(name for name in there if name not in types)
        mix = self._options.mix
        if missing := [name for name in mix.numbers or () if name not in there]:
            raise PoolError(f"no example is of type {missing[0]}; types: {', '.join(order)}")
        if mix.kind == ANY:
            return [(self.count, self._order("", self.count))]
        shares = mix.shares(self.count, order)
        return [(number, self._order(name, number)) for name, number in shares.items()]

    def _order(self, kind: str, number: int) -> list[Example]:
        """The examples of a type (of all types if empty), in the order of the draw."""
        wording = self._options.wording
        usable = [
            example
            for example in self._pool.examples
            if kind in ("", example.type) and (not wording or wording in example.commands)
        ]
        if len({example.task for example in usable}) < number:
            of_type = f" of type {kind}" if kind else ""
            worded = f" with the wording {wording}" if wording else ""
            raise PoolError(
                f"{number} examples{of_type} are requested, but the pool has only"
                f" {len(usable)}{worded}: request fewer, or use a larger --example-file"
            )
        generator = random.Random(f"{self._options.seed} {kind}")
        return generator.sample(usable, len(usable))

    def draw(self, command: str) -> tuple[Shown, ...]:
        """The examples for a task with this command, at most one per task.

        Excludes tasks that have this command in any wording, or as the end of one (a command
        without its context); the next ones of their type replace them.
        """
        own = self._tasks_of(_plain(command))
        found: list[Example] = []
        for number, order in self._orders:
            found += _first(number, order, own)
        return tuple(Shown(each.type, self._worded(each), each.steps) for each in found)

    def _tasks_of(self, command: str) -> set[str]:
        if not command:
            return set()
        return {
            task for task, texts in self._texts if any(text.endswith(command) for text in texts)
        }

    def _worded(self, example: Example) -> str:
        wording = self._options.wording or next(iter(example.commands))
        return example.commands[wording]

    def describe(self) -> str:
        """The declaration stored with a run."""
        options = self._options
        worded = f", wording {options.wording}" if options.wording else ""
        return (
            f"{self.count} {options.mix.kind}, seed {options.seed}{worded},"
            f" pool sha256:{self._pool.digest}"
        )


def _first(number: int, order: Iterable[Example], own: set[str]) -> list[Example]:
    found: list[Example] = []
    used = set(own)
    for example in order:
        if len(found) == number:
            break
        if example.task not in used:
            used.add(example.task)
            found.append(example)
    return found


def _plain(command: str) -> str:
    """A command in lower case, without punctuation around its words."""
    return " ".join(command.casefold().split()).strip(" .!?\"'")


# --- A pool of examples: solved tasks of a benchmark, in one file

MOST_BYTES = 256 * 2**20
"""Maximum size of a file: ten times the size of all training tasks of ALFRED."""
_ENDING = "done"


class PoolError(ValueError):
    """A file of examples that cannot be used; the message names the file and the position."""


@dataclass(frozen=True, slots=True)
class Example:
    """One solved task.

    Attributes:
        type: The benchmark's task type.
        task: The task's name; several examples may share it, with different commands.
        commands: The command by the name of its wording, at least one; the first is the default.
        steps: A plan that solves the task, without a final "done".
    """

    type: str
    task: str
    commands: Mapping[str, str]
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """The examples of a file, in its order; ``digest`` is the file's SHA-256 (hex)."""

    examples: tuple[Example, ...]
    digest: str


@lru_cache(maxsize=8)
def read_pool(path: Path) -> Pool:
    """Reads a file, once per process: JSON Lines with one example per line, or one JSON document
    with a list of examples or an object with the list under "examples".

    An example is ``{"type": "…", "task": "…", "commands": {"B": "…"}, "steps": ["…", "…"]}``;
    "command" with one text may replace "commands", and "task" is optional. Raises PoolError.
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
    """Every entry, with its position as text."""
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
            raise PoolError(f"{path}, {place}: not valid JSON: {error}") from error


def _example(entry: Any, place: str) -> Example:
    if not isinstance(entry, dict):
        raise ValueError(f"an example must be an object, not {type(entry).__name__}")
    commands = entry.get("commands")
    if commands is None and "command" in entry:
        commands = {"command": entry["command"]}
    if not isinstance(commands, dict) or not commands:
        raise ValueError('"commands" must be an object with at least one command')
    steps = entry.get("steps")
    if not isinstance(steps, list):
        raise ValueError('"steps" must be a list of skills')
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
        raise ValueError(f"{what} must be a non-empty text")
    return " ".join(value.split())


# --- How many examples of each type are drawn

EVEN, ANY = "even", "any"


@dataclass(frozen=True, slots=True)
class Mix:
    """How many examples of each type to draw. ``kind`` EVEN draws equally from each type, ANY from
    the whole pool; any other text describes ``numbers``, the number of examples by type."""

    kind: str = EVEN
    numbers: Mapping[str, int] | None = None

    @classmethod
    def read(cls, text: str) -> Mix:
        """Reads "even", "any", or "TYPE=N,TYPE=N". Raises ValueError."""
        if text in (EVEN, ANY):
            return cls(text)
        numbers: dict[str, int] = {}
        for part in text.split(","):
            name, equals, number = (piece.strip() for piece in part.partition("="))
            if not (name and equals and number.isdecimal()):
                raise ValueError(
                    f"{part.strip()!r} is not TYPE=N; a mix is even, any, or TYPE=N,TYPE=N"
                )
            if name in numbers:
                raise ValueError(f"{name} is given twice")
            numbers[name] = int(number)
        return cls(text, numbers)

    @property
    def total(self) -> int | None:
        """The number of examples; None if a separate count decides."""
        return None if self.numbers is None else sum(self.numbers.values())

    def shares(self, count: int, types: Sequence[str]) -> dict[str, int]:
        """The number of examples of each type, in the order of ``types``; not for ANY.

        The remainder of an even mix goes to the first types, one each.
        """
        if self.numbers is not None:
            return {name: self.numbers[name] for name in types if self.numbers.get(name)}
        each, more = divmod(count, max(1, len(types)))
        found = {name: each + (place < more) for place, name in enumerate(types)}
        return {name: number for name, number in found.items() if number}


# --- A user's options for the examples in a prompt


@dataclass(frozen=True, slots=True)
class ExampleOptions:
    """Which examples a prompt shows, if its prompt set has any.

    Attributes:
        file: A pool that replaces the prompt set's own.
        count: How many to show; None for the prompt set's number.
        seed: The seed of the draw.
        wording: Which of a task's commands to show; empty for the first of each.
    """

    file: Path | None = None
    count: int | None = None
    mix: Mix = field(default_factory=Mix)
    seed: int = 0
    wording: str = ""


def add_example_options(group: argparse._ArgumentGroup) -> None:
    """Adds the options that `read_examples` reads."""
    group.add_argument(
        "--example-count",
        type=_whole_number,
        metavar="N",
        help="alfred: how many worked examples the prompt holds; default: 14",
    )
    group.add_argument(
        "--example-mix",
        type=_mix,
        default=EVEN,
        metavar="MIX",
        help="alfred: as many of each type (even), whatever their type (any), or TYPE=N,TYPE=N;"
        " default: even",
    )
    group.add_argument(
        "--example-seed",
        type=_whole_number,
        default=0,
        metavar="N",
        help="alfred: the seed of the draw of examples; default: 0",
    )
    group.add_argument(
        "--example-wording",
        default="",
        metavar="NAME",
        help="alfred: how the examples' commands are worded, such as P1; default: the pool's first",
    )
    group.add_argument(
        "--example-file",
        type=Path,
        metavar="FILE",
        help="alfred: draw examples from this file, which `houseguest alfred examples` writes;"
        " default: the agent's own",
    )


def read_examples(parser: argparse.ArgumentParser, arguments: argparse.Namespace) -> ExampleOptions:
    """The chosen options; exits with status 2 if two of them contradict each other."""
    mix, count = arguments.example_mix, arguments.example_count
    if mix.total is not None and count not in (None, mix.total):
        parser.error(
            f"--example-mix {mix.kind} makes {mix.total} examples, but --example-count asks for"
            f" {count}: omit the count"
        )
    return ExampleOptions(
        file=arguments.example_file,
        count=count,
        mix=mix,
        seed=arguments.example_seed,
        wording=arguments.example_wording,
    )


def _mix(text: str) -> Mix:
    try:
        return Mix.read(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _whole_number(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 0 or more")
    return int(text)
