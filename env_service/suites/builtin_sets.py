"""Built-in task sets: their names (builtin, builtin-COUNT, builtin-COUNT-SEED), and how a suite
draws them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from random import Random

from env_service.domain.names import MalformedNameError
from env_service.domain.task import Task, TaskSet

NAME = "builtin"
"""The set that goes by this name alone has as many tasks as its suite says, of `SEED`."""

SEED = 0

_NAME = re.compile(rf"{NAME}(?:-([1-9]\d{{0,5}})(?:-(0|[1-9]\d{{0,8}}))?)?")


@dataclass(frozen=True, slots=True)
class BuiltinName:
    """What a name asks for: the first ``count`` (at least 1) of the tasks of ``seed`` (at least 0);
    a seed has endless tasks."""

    count: int
    seed: int


def is_builtin(name: str) -> bool:
    """Whether a name is one of these, or was meant to be."""
    return name == NAME or name.startswith(f"{NAME}-")


def read_set_name(name: str, count: int) -> BuiltinName:
    """What a name asks for; ``count`` tasks where it does not say how many.

    Raises MalformedNameError for a name of another form.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        form = (
            f"it has to be {NAME}, {NAME}-COUNT or {NAME}-COUNT-SEED, such as {NAME}-500-7, with"
            " COUNT from 1 to 999999 and SEED from 0 to 999999999, without leading zeros"
        )
        raise MalformedNameError("task set", name, form)
    return BuiltinName(int(found[1] or count), int(found[2] or SEED))


def is_training_set(name: str) -> bool:
    """Whether a name is that of a built-in set for training: one with another seed than `SEED`."""
    return _NAME.fullmatch(name) is not None and read_set_name(name, count=1).seed != SEED


def named_task_set(
    name: str,
    count: int,
    describe: Callable[[BuiltinName], str],
    tasks: Callable[[BuiltinName], Iterable[Task]],
) -> TaskSet | None:
    """The task set of a name, with the text that ``describe`` and the tasks that ``tasks`` make
    for it; None if the name names no built-in set (`is_builtin`). ``count`` is the number of tasks
    for a name without one.

    Raises MalformedNameError if the name is malformed.
    """
    if not is_builtin(name):
        return None
    asked = read_set_name(name, count)
    return TaskSet(name, describe(asked), tuple(tasks(asked)))


@dataclass(frozen=True, slots=True)
class Draws:
    """Makes the generators of a suite's built-in tasks."""

    suite: str

    def __call__(self, *words: object) -> Random:
        """A generator for a purpose, the same for the same words on every machine: a text as a seed
        is hashed with SHA-512 (`random.Random.seed`, version 2)."""
        text = " ".join(map(str, (f"{self.suite} builtin", *words)))
        return Random(text)  # noqa: S311 - no secret
