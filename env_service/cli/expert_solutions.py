"""Solutions of a suite's expert: solving tasks in several processes, and their file."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from env_service.cli.errors import Misuse
from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.observation import ObservationRequest
from env_service.storage.atomic_files import write_atomically
from env_service.storage.plain_files import MOST_GIVEN, read_plain
from env_service.storage.signed_journal import read_journal
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.process_pool import process_pool
from env_service.suites.registry import load_suite

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ExpertSolution:
    """The expert's solution of one task.

    ``line`` is its JSON line (see ``line_of``); None if the expert raised an error, which
    ``problem`` describes.
    """

    task_id: str
    line: dict[str, Any] | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DrawnSolution:
    """Hashes of the opening pictures of one task (see ``opening_of``).

    ``images`` is empty if they could not be drawn; ``problem`` has the reason.
    """

    task_id: str
    images: tuple[str, ...]
    problem: str = ""


def solve_all(
    suite: str, orders: Sequence[EpisodeOrder], jobs: int
) -> Generator[ExpertSolution, None, None]:
    """Yields an ExpertSolution per order when it is ready, from up to ``jobs`` processes.

    ``suite`` is a name of the registry or a ``module:class`` path. Closing the iterator waits for
    running experts and starts no others.
    """
    return _each(solve, suite, orders, jobs)


def draw_all(
    suite: str, orders: Sequence[EpisodeOrder], jobs: int
) -> Generator[DrawnSolution, None, None]:
    """Yields the opening pictures of each order; works like ``solve_all``."""
    return _each(draw, suite, orders, jobs)


def _each(
    work: Callable[[str, EpisodeOrder], T], suite: str, orders: Sequence[EpisodeOrder], jobs: int
) -> Generator[T, None, None]:
    jobs = min(jobs, len(orders))
    if jobs <= 1:
        yield from (work(suite, order) for order in orders)
        return
    pool = process_pool(jobs)
    try:
        for future in as_completed([pool.submit(work, suite, order) for order in orders]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def solve(suite: str, order: EpisodeOrder) -> ExpertSolution:
    """Solves one task; an error becomes the solution's problem."""
    try:
        return ExpertSolution(order.task.id, line_of(_suite(suite), order))
    except Exception as error:  # noqa: BLE001 - handed on as this task's failure
        return ExpertSolution(order.task.id, None, f"{type(error).__name__}: {error}")


def draw(suite: str, order: EpisodeOrder) -> DrawnSolution:
    """Draws the opening pictures of one task; an error becomes the result's problem."""
    try:
        return DrawnSolution(order.task.id, tuple(opening_of(_suite(suite), order)["images"]))
    except Exception as error:  # noqa: BLE001 - handed on as this task's problem
        return DrawnSolution(order.task.id, (), f"{type(error).__name__}: {error}")


def line_of(suite: Suite, order: EpisodeOrder) -> dict[str, Any]:
    """The opening texts, the expert's actions, and whether they succeed; draws no pictures.

    ``{"task": id, "order": …, "opening": …, "actions": […], "success": bool}``, with the order from
    ``order_of`` and the opening from ``opening_of``, without images. An action is ``{"skill": name,
    "arguments": {…}}``, ``{"text": …}`` or ``{"plan": [skill, …]}``.
    """
    expert = suite.expert(replace(order, request=ObservationRequest()))
    return {
        "task": order.task.id,
        "order": order_of(order),
        "opening": opening_of(suite, in_words(order)),
        "actions": [_action_json(action) for action in expert.actions],
        "success": expert.success,
    }


def order_of(order: EpisodeOrder) -> dict[str, Any]:
    """The parameters of an episode: ``{"world", "condition", "seed"}``, with the episode's seed."""
    return {"world": order.world, "condition": dict(order.condition), "seed": order.seed}


def in_words(order: EpisodeOrder) -> EpisodeOrder:
    """The order without pictures: experts do not need them, and drawing is slow."""
    return replace(order, request=replace(order.request, images=()))


def opening_of(suite: Suite, order: EpisodeOrder) -> dict[str, Any]:
    """The first observation of an agent under the order's request.

    ``{"instruction", "text", "context", "images"}``: the context as its ``context_digest``, each
    image as the SHA-256 (hex) of its raw pixels.
    """
    with closing(suite.open_episode(order)) as episode:
        first = episode.start()
        # Hash the frames now: they are only valid until the next observation.
        images = [sha256(f.pixels.tobytes()).hexdigest() for f in first.observation.frames]
        return {
            "instruction": first.instruction,
            "text": first.observation.text,
            "context": context_digest(first.context),
            "images": images,
        }


def context_digest(context: Mapping[str, str]) -> str:
    """SHA-256 (hex) of a task's context texts, as ASCII JSON with sorted keys and no spaces.

    Empty for a task without context texts.
    """
    if not context:
        return ""
    text = json.dumps(dict(context), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode("ascii")).hexdigest()


def _action_json(action: Action) -> dict[str, Any]:
    match action:
        case SkillCall(name, arguments):
            return {"skill": name, "arguments": dict(arguments)}
        case Text(text):
            return {"text": text}
        case Plan(steps):
            return {"plan": [_action_json(step) for step in steps]}
        case Unreadable():
            raise ValueError("the expert's action is unreadable")


def action_of(value: Mapping[str, Any]) -> Action:
    """Reads an action of a line. Raises KeyError, TypeError or AttributeError for other values."""
    if "plan" in value:
        return Plan(tuple(map(_skill, value["plan"])))
    return Text(str(value["text"])) if "text" in value else _skill(value)


def _skill(value: Mapping[str, Any]) -> SkillCall:
    return SkillCall(str(value["skill"]), tuple(value["arguments"].items()))


@functools.cache
def _suite(name: str) -> Suite:
    return load_suite(name)


# --- The file of solutions

_KEYS = {"task", "opening", "actions", "success"}
_START = b'{"task": "'


class ExpertFile:
    """A file of JSON Lines, one per task. A context manager.

    ``lines`` has the known lines by task id. ``add`` appends a line to the file at once; leaving
    the block sorts the lines in the order of the task set.
    """

    def __init__(self, path: Path, task_ids: Sequence[str]) -> None:
        """Reads the file; drops an incomplete last line. ``task_ids`` are those of the task set.

        Raises Misuse for a file with any other content.
        """
        self.path = path
        self._places = {task_id: place for place, task_id in enumerate(task_ids)}
        self.lines = self._read()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._rewrite()
        self._file = path.open("a", encoding="utf-8")

    def add(self, line: Mapping[str, Any]) -> None:
        """Appends a line to the file."""
        self.lines[line["task"]] = line
        self._file.write(dump(line))
        self._file.flush()

    def __enter__(self) -> ExpertFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._rewrite()

    def _rewrite(self) -> None:
        ordered = sorted(self.lines.values(), key=lambda line: self._places[line["task"]])
        text = "".join(map(dump, ordered)).encode()
        if not self.path.is_file() or read_plain(self.path, MOST_GIVEN) != text:
            write_atomically(self.path, text)

    def _read(self) -> dict[str, Mapping[str, Any]]:
        lines: dict[str, Mapping[str, Any]] = {}
        if self.path.is_char_device():
            return lines
        text = read_journal(self.path)
        if text.torn[: len(_START)] != _START[: len(text.torn)]:
            raise self._misfit(len(text.lines) + 1, "is not a line of an expert's file")
        for line in text.lines:
            value = line.value
            if not isinstance(value, dict) or not value.keys() >= _KEYS:
                raise self._misfit(line.number, "is not a line of an expert's file")
            if value["task"] not in self._places:
                raise self._misfit(
                    line.number, f"is of task {value['task']!r}, which is not in the task set"
                )
            lines[value["task"]] = value
        return lines

    def _misfit(self, number: int, what: str) -> Misuse:
        return Misuse(
            f"{self.path}, line {number} {what}. Remove the file, or choose another --out.",
            kind="ExpertFileError",
        )


def dump(line: Mapping[str, Any]) -> str:
    """One line of the file, with its newline."""
    return json.dumps(line, ensure_ascii=False) + "\n"


# --- Tasks with equal opening texts, which only their opening pictures distinguish

Line = Mapping[str, Any]


def words_of(opening: Mapping[str, Any]) -> tuple[object, ...]:
    """The texts of an opening."""
    return tuple(opening.get(name, "") for name in ("instruction", "text", "context"))


def to_draw(orders: Iterable[EpisodeOrder], lines: Mapping[str, Line]) -> list[EpisodeOrder]:
    """The orders that can have pictures and whose lines, by task id, are still ambiguous."""
    mistaken = set(ambiguous_openings(lines.values()))
    return [order for order in orders if order.task.id in mistaken and order.request.images]


def ambiguous_openings(lines: Iterable[Line]) -> Sequence[str]:
    """The ids of tasks without a picture whose opening texts are equal to another task's."""
    openings = {line["task"]: line["opening"] for line in lines}
    known = Counter(map(words_of, openings.values()))
    return [
        task
        for task, opening in openings.items()
        if known[words_of(opening)] > 1 and not opening["images"]
    ]


def with_images(line: Line, images: Sequence[str]) -> dict[str, Any]:
    """A copy of the line with these pictures in its opening."""
    return {**line, "opening": {**line["opening"], "images": list(images)}}
