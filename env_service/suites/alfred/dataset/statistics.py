"""How varied commands are, Table 2 of the refined-command paper, and what is published of it."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum

from env_service.domain.task import TaskSet
from env_service.suites.alfred.command_wordings import KEPT, Wording
from env_service.suites.alfred.task import AlfredTask, read_task


class Recipe(Enum):
    """How commands are taken apart into words. Both lower the case, split at blanks, and leave
    punctuation where it is; B first drops each command's last full stop. A comes closer to the
    published table on the whole, B on the base commands of valid_seen."""

    A = "A"
    B = "B"


@dataclass(frozen=True, slots=True)
class Variety:
    """Of all commands of one wording together.

    Attributes:
        commands: how many there are.
        words: how many words they have.
        unique: how many different ones.
        diversity: unique / words; 0 without words.
        entropy: Shannon's, of how often each word comes, bits; 0 without words.
    """

    commands: int
    words: int
    unique: int
    diversity: float
    entropy: float


def variety(commands: Iterable[str], recipe: Recipe = Recipe.A) -> Variety:
    """The variety of some commands, pooled."""
    split = [_split(text, recipe) for text in commands]
    counts = Counter(word for words in split for word in words)
    total = counts.total()
    return Variety(
        commands=len(split),
        words=total,
        unique=len(counts),
        diversity=len(counts) / total if total else 0.0,
        entropy=math.fsum(n / total * math.log2(total / n) for n in counts.values()),
    )


def by_wording(task_set: TaskSet, recipe: Recipe = Recipe.A) -> dict[str, Variety]:
    """The variety of a task set's commands in each of the five refined wordings ("B", "P1", "P2",
    "C", "K") and of its original commands ("original"); a wording that no task has is not there.

    Raises what `read_task` does, for tasks of another suite.
    """
    tasks = [read_task(task) for task in task_set.tasks]
    pools = {name: list(_pool(tasks, find)) for name, find in _POOLS.items()}
    return {name: variety(commands, recipe) for name, commands in pools.items() if commands}


def _split(text: str, recipe: Recipe) -> list[str]:
    if recipe is Recipe.B:
        text = text.rstrip().removesuffix(".")
    return text.lower().split()


def _pool(
    tasks: Iterable[AlfredTask], find: Callable[[AlfredTask], Iterable[str]]
) -> Iterable[str]:
    return (text for task in tasks for text in find(task))


def _refined(wording: str) -> Callable[[AlfredTask], Iterable[str]]:
    return lambda task: [task.commands[wording]] if wording in task.commands else []


def _originals(task: AlfredTask) -> Iterable[str]:
    if task.annotation is None:
        return task.originals
    return task.originals[task.annotation : task.annotation + 1]


_POOLS: Mapping[str, Callable[[AlfredTask], Iterable[str]]] = {
    **{wording: _refined(wording) for wording in KEPT},
    Wording.ORIGINAL.value: _originals,
}


# --- Published numbers on the commands' variety, for comparison


@dataclass(frozen=True, slots=True)
class PublishedVariety:
    """A row of the table: different words, those a word, and bits."""

    unique: int
    diversity: float
    entropy: float


SOURCE = "refined-command paper, Table 2"

NOTE = (
    "The published commands do not give exactly these numbers: the word counts that they imply"
    " belong to other texts, probably those before the last manual corrections."
)
"""Why they differ from ours (docs/alfred-rules.md, "Variety of the commands")."""

TABLE_2: Mapping[str, Mapping[str, PublishedVariety]] = {
    "valid_seen": {
        "B": PublishedVariety(129, 0.060, 5.172),
        "P1": PublishedVariety(165, 0.080, 5.689),
        "P2": PublishedVariety(171, 0.083, 5.734),
        "C": PublishedVariety(521, 0.065, 6.974),
        "K": PublishedVariety(144, 0.123, 6.137),
    },
    "valid_unseen": {
        "B": PublishedVariety(97, 0.045, 5.024),
        "P1": PublishedVariety(150, 0.071, 5.605),
        "P2": PublishedVariety(154, 0.073, 5.692),
        "C": PublishedVariety(530, 0.065, 7.136),
        "K": PublishedVariety(122, 0.102, 6.272),
    },
}
"""By task set, then wording (docs/alfred-rules.md, "Variety of the commands")."""
