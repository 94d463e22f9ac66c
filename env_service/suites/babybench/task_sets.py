"""The task sets: the published ones by name, and others that a name spells out with seeds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from env_service.domain.names import MalformedNameError, UnknownNameError
from env_service.domain.task import TaskSet
from env_service.suites.babybench.tasks import Question, Subject, make_task
from env_service.worlds.babyai.levels import AnyLevel, find_any_level

EVALUATION_SEEDS = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71)
"""The seeds on which the paper evaluates models: docs/babybench.md, Task sets."""

DATASET_SEEDS = tuple(range(1, 501))
"""The seeds of the published data sets (docs/babybench.md, Task sets)."""

MOST_TASKS = 100_000
"""The largest task set that is made on request."""

ALL = "all"
"""Means all of a question's levels."""

_ASKED = {
    Question.PREDICT: "where the agent ends up after the expert's actions",
    Question.PLAN: "which actions lead to the red ball",
    Question.DECOMPOSE: "which subgoals fulfil the mission",
    Question.INTERACTIVE: "the level itself, played action by action",
}
_QUESTIONS = tuple(question for question in Question if question is not Question.INTERACTIVE)

_PUBLISHED: Mapping[str, tuple[Question, tuple[int, ...]]] = {
    **{question.value: (question, EVALUATION_SEEDS) for question in _QUESTIONS},
    **{f"{question.value}-dataset": (question, DATASET_SEEDS) for question in _QUESTIONS},
    Question.INTERACTIVE.value: (Question.INTERACTIVE, EVALUATION_SEEDS),
}


class BabyBenchTaskSets(Mapping[str, TaskSet]):
    """Task sets by name; each is made on first use, and kept.

    In addition to the listed names it has those of the form ``QUESTION:LEVELS:SEEDS``, such as
    ``predict:GoToLocal,Open:1-50`` or ``plan:all:2,3,5``. Looking one of these up raises
    UnknownNameError, with the valid choices, if a part of it is wrong.
    """

    def __init__(self) -> None:
        """Makes nothing yet."""
        self._made: dict[str, TaskSet] = {}

    def __getitem__(self, name: str) -> TaskSet:
        if name not in self:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = _published(name) if name in _PUBLISHED else make_task_set(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_PUBLISHED)

    def __len__(self) -> int:
        return len(_PUBLISHED)

    def __contains__(self, name: object) -> bool:
        return name in _PUBLISHED or (isinstance(name, str) and ":" in name)


def make_task_set(name: str) -> TaskSet:
    """The task set that a name of the form ``QUESTION:LEVELS:SEEDS`` spells out.

    Levels by their names or published ids, or ``all``; seeds as numbers and ranges with commas
    between. Raises UnknownNameError naming the part that is wrong.
    """
    question_name, _, rest = name.partition(":")
    level_names, _, seed_ranges = rest.partition(":")
    questions = {question.value: question for question in Question}
    if question_name not in questions:
        raise UnknownNameError(f"question in task set {name!r}", question_name, questions)
    question = questions[question_name]
    levels = _levels(question, level_names, name)
    seeds = _seeds(seed_ranges, name, MOST_TASKS // len(levels))
    chosen = ", ".join(level.name for level in levels) if level_names != ALL else "all levels"
    return _task_set(name, question, levels, seeds, f"{chosen}; seeds {seed_ranges}")


def _published(name: str) -> TaskSet:
    question, seeds = _PUBLISHED[name]
    evaluation = seeds is EVALUATION_SEEDS
    which = "the first twenty primes" if evaluation else f"{seeds[0]} to {seeds[-1]}"
    levels = tuple(question.levels.values())
    return _task_set(name, question, levels, seeds, f"{len(levels)} levels; seeds: {which}")


def _task_set(
    name: str,
    question: Question,
    levels: tuple[AnyLevel, ...],
    seeds: Iterable[int],
    content: str,
) -> TaskSet:
    asked = _ASKED[question]
    tasks = (make_task(Subject(question, level, seed)) for level in levels for seed in seeds)
    return TaskSet(name, f"{asked[0].upper()}{asked[1:]}: {content}.", tuple(tasks))


def _levels(question: Question, names: str, task_set: str) -> tuple[AnyLevel, ...]:
    if names == ALL:
        return tuple(question.levels.values())
    found: dict[str, AnyLevel] = {}
    for name in names.split(","):
        level = _level(question, name)
        if level is None:
            raise UnknownNameError(f"level in task set {task_set!r}", name, [ALL, *question.levels])
        found[level.name] = level
    return tuple(found.values())


def _level(question: Question, name: str) -> AnyLevel | None:
    try:
        level = find_any_level(name)
    except UnknownNameError:
        return None
    return question.levels.get(level.name)


def _seeds(ranges: str, task_set: str, most: int) -> Seeds:
    kind = f"seeds in task set {task_set!r}"
    try:
        seeds = Seeds.read(ranges)
    except SeedsError as error:
        raise MalformedNameError(kind, ranges, str(error).rstrip(".")) from error
    if len(seeds) > most:
        raise MalformedNameError(kind, ranges, f"there may be {most} of these levels at most")
    return seeds


# --- Seeds as users write them: ``1-500``, ``0,7,20-29``

LAST_SEED = 2**31 - 1
"""The largest valid seed: enough for any use, and an integer in any file format."""

_SPAN = re.compile(r"(\d{1,20})(?:-(\d{1,20}))?")


class SeedsError(ValueError):
    """A text without valid seeds; the message names the valid form."""


@dataclass(frozen=True, slots=True)
class Seeds:
    """Seeds in ascending order, each once: spans (first, last) that neither touch nor overlap."""

    spans: tuple[tuple[int, int], ...]

    @staticmethod
    def read(text: str) -> Seeds:
        """Reads seeds and spans, joined by commas, in any order. Raises SeedsError."""
        merged: list[tuple[int, int]] = []
        for first, last in sorted(_read_span(part.strip()) for part in text.split(",")):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = merged[-1][0], max(merged[-1][1], last)
            else:
                merged.append((first, last))
        return Seeds(tuple(merged))

    def __iter__(self) -> Iterator[int]:
        for first, last in self.spans:
            yield from range(first, last + 1)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.spans)

    def __contains__(self, seed: object) -> bool:
        return isinstance(seed, int) and any(first <= seed <= last for first, last in self.spans)

    def __str__(self) -> str:
        return ",".join(
            str(first) if first == last else f"{first}-{last}" for first, last in self.spans
        )


def _read_span(text: str) -> tuple[int, int]:
    found = _SPAN.fullmatch(text)
    if found is None:
        raise SeedsError(
            f"{text!r} names no seeds. Give whole numbers from 0 to {LAST_SEED} and spans of"
            " them, joined by commas, such as 1-500 or 0,7,20-29."
        )
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise SeedsError(f"{text!r} runs backwards: write {last}-{first}.")
    if last > LAST_SEED:
        raise SeedsError(f"seed {last} is too large: the valid ones are 0 to {LAST_SEED}.")
    return first, last
