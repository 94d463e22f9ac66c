"""Lets a suite's expert solve tasks, in several processes where there is much to do."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import as_completed
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, TypeVar

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.observation import ObservationRequest
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.process_pool import process_pool
from env_service.suites.registry import load_suite

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ExpertSolution:
    """What the expert made of one task.

    ``line`` is its JSON line (see ``line_of``), None where the expert broke down; then
    ``problem`` says how.
    """

    task_id: str
    line: dict[str, Any] | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DrawnSolution:
    """The pictures that one task opens with, as hashes (see ``opening_of``); none where they could
    not be drawn, for the reason in ``problem``."""

    task_id: str
    images: tuple[str, ...]
    problem: str = ""


def solve_all(
    suite: str, orders: Sequence[EpisodeOrder], jobs: int
) -> Generator[ExpertSolution, None, None]:
    """Yields a Solution an order, as they come, from up to ``jobs`` processes.

    ``suite`` is a name of the registry or a ``module:class`` path. Closing the iterator
    lets running experts come to an end, and starts no others.
    """
    return _each(solve, suite, orders, jobs)


def draw_all(
    suite: str, orders: Sequence[EpisodeOrder], jobs: int
) -> Generator[DrawnSolution, None, None]:
    """Yields the opening pictures of each order, otherwise as ``solve_all``."""
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
    """Solves one task."""
    try:
        return ExpertSolution(order.task.id, line_of(_suite(suite), order))
    except Exception as error:  # noqa: BLE001 - handed on as this task's failure
        return ExpertSolution(order.task.id, None, f"{type(error).__name__}: {error}")


def draw(suite: str, order: EpisodeOrder) -> DrawnSolution:
    """Draws what one task opens with."""
    try:
        return DrawnSolution(order.task.id, tuple(opening_of(_suite(suite), order)["images"]))
    except Exception as error:  # noqa: BLE001 - handed on as this task's problem
        return DrawnSolution(order.task.id, (), f"{type(error).__name__}: {error}")


def line_of(suite: Suite, order: EpisodeOrder) -> dict[str, Any]:
    """The opening in words, the expert's actions, and whether they succeed; draws no picture.

    ``{"task": id, "order": …, "opening": …, "actions": […], "success": bool}``, the order as of
    ``order_of``, the opening as of ``opening_of``, without images. An action is ``{"skill": name,
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
    """What a task was solved under: ``{"world", "condition", "seed"}``, the seed of the episode."""
    return {"world": order.world, "condition": dict(order.condition), "seed": order.seed}


def in_words(order: EpisodeOrder) -> EpisodeOrder:
    """The order without pictures: an expert knows the world, and they are slow to draw."""
    return replace(order, request=replace(order.request, images=()))


def opening_of(suite: Suite, order: EpisodeOrder) -> dict[str, Any]:
    """What an agent that is granted the order's request is shown first.

    ``{"instruction", "text", "context", "images"}``: the context as `context_digest` has it, an
    image as the SHA-256 (hex) of its raw pixels.
    """
    with closing(suite.open_episode(order)) as episode:
        first = episode.start()
        # A frame is only good until the next observation.
        images = [sha256(f.pixels.tobytes()).hexdigest() for f in first.observation.frames]
        return {
            "instruction": first.instruction,
            "text": first.observation.text,
            "context": context_digest(first.context),
            "images": images,
        }


def context_digest(context: Mapping[str, str]) -> str:
    """SHA-256 (hex) of a task's context texts, as JSON with sorted keys in ASCII without spaces;
    empty without any."""
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
    """An action of such a line. Raises KeyError, TypeError or AttributeError for another value."""
    if "plan" in value:
        return Plan(tuple(map(_skill, value["plan"])))
    return Text(str(value["text"])) if "text" in value else _skill(value)


def _skill(value: Mapping[str, Any]) -> SkillCall:
    return SkillCall(str(value["skill"]), tuple(value["arguments"].items()))


@functools.cache
def _suite(name: str) -> Suite:
    return load_suite(name)
