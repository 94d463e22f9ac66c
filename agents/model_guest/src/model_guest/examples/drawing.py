"""Which examples a prompt shows: drawn by a seed, and never the task that is to be solved."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .mix import ANY
from .options import ExampleOptions
from .pool import Example, Pool, PoolError


@dataclass(frozen=True, slots=True)
class Shown:
    """An example as templates see it."""

    type: str
    command: str
    steps: tuple[str, ...]


class ExampleDrawer:
    """The examples of one run: the same for each of its tasks, but for a task's own."""

    def __init__(
        self, pool: Pool, options: ExampleOptions, count: int, types: Sequence[str] = ()
    ) -> None:
        """``count`` is the prompt set's, where the options name none; ``types`` the order of the
        types, others come behind. Raises PoolError where the pool lacks what is asked for."""
        self._pool, self._options = pool, options
        total = options.mix.total
        self.count = next(n for n in (total, options.count, count) if n is not None)
        self._orders = self._shuffled(types)
        self._texts = [
            (example.task, tuple(map(_plain, example.commands.values())))
            for example in pool.examples
        ]

    def _shuffled(self, types: Sequence[str]) -> list[tuple[int, list[Example]]]:
        """(How many are shown, all that may be) for each type in turn: so a number of one type
        changes nothing of what is drawn of another."""
        there = dict.fromkeys(example.type for example in self._pool.examples)
        order = [name for name in types if name in there]
        order += sorted(name for name in there if name not in types)
        mix = self._options.mix
        if missing := [name for name in mix.numbers or () if name not in there]:
            raise PoolError(f"no example is of type {missing[0]}; there are: {', '.join(order)}")
        if mix.kind == ANY:
            return [(self.count, self._order("", self.count))]
        shares = mix.shares(self.count, order)
        return [(number, self._order(name, number)) for name, number in shares.items()]

    def _order(self, kind: str, number: int) -> list[Example]:
        """The examples of a type (empty: of all) in the order in which they are taken."""
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
                f"{number} examples{of_type} are asked for, and the pool has"
                f" {len(usable)}{worded}: ask for fewer, or give a larger --example-file"
            )
        generator = random.Random(f"{self._options.seed} {kind}")
        return generator.sample(usable, len(usable))

    def draw(self, command: str) -> tuple[Shown, ...]:
        """The examples for a task with this command, at most one of any task.

        Tasks that have this command in any wording, or as the end of one (a command without its
        context), are left out, and the next ones of their type come in.
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
        """What is declared with a run."""
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
    """A command without case, and without what stands around its words."""
    return " ".join(command.casefold().split()).strip(" .!?\"'")
