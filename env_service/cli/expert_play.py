"""Lets a suite's expert solve tasks, in several processes where there is much to do."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.observation import ObservationRequest
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite


@dataclass(frozen=True, slots=True)
class Solution:
    """What the expert made of one task.

    ``line`` is its JSON line (see ``line_of``), None where the expert broke down; then
    ``problem`` says how.
    """

    task_id: str
    line: dict[str, Any] | None
    problem: str = ""


def solve_all(
    suite: str, orders: Sequence[EpisodeOrder], jobs: int
) -> Generator[Solution, None, None]:
    """Yields a Solution an order, as they come, from up to ``jobs`` processes.

    ``suite`` is a name of the registry or a ``module:class`` path. Closing the iterator
    lets running experts come to an end, and starts no others.
    """
    jobs = min(jobs, len(orders))
    if jobs <= 1:
        yield from (solve(suite, order) for order in orders)
        return
    # Forked workers would inherit the thread that draws the progress bar.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, context, initializer=_prepare_worker)
    try:
        for future in as_completed([pool.submit(solve, suite, order) for order in orders]):
            yield future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def solve(suite: str, order: EpisodeOrder) -> Solution:
    """Solves one task."""
    try:
        return Solution(order.task.id, line_of(_suite(suite), order))
    except Exception as error:  # noqa: BLE001 - handed on as this task's failure
        return Solution(order.task.id, None, f"{type(error).__name__}: {error}")


def line_of(suite: Suite, order: EpisodeOrder) -> dict[str, Any]:
    """The opening that an agent is shown, the expert's actions, and whether they succeed.

    ``{"task": id, "opening": {"instruction", "text", "images"}, "actions": […],
    "success": bool}``. An image stands as the SHA-256 (hex) of its raw pixels; an action is
    ``{"skill": name, "arguments": {…}}``, ``{"text": …}`` or ``{"plan": [skill, …]}``.
    """
    # The expert knows the world without pictures of it, which are slow to draw.
    expert = suite.expert(replace(order, request=ObservationRequest()))
    return {
        "task": order.task.id,
        "opening": opening_of(suite, order),
        "actions": [_action_json(action) for action in expert.actions],
        "success": expert.success,
    }


def opening_of(suite: Suite, order: EpisodeOrder) -> dict[str, Any]:
    """What an agent that is granted the order's request is shown first."""
    with closing(suite.open_episode(order)) as episode:
        first = episode.start()
        # A frame is only good until the next observation.
        images = [sha256(f.pixels.tobytes()).hexdigest() for f in first.observation.frames]
        return {
            "instruction": first.instruction,
            "text": first.observation.text,
            "images": images,
        }


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


@functools.cache
def _suite(name: str) -> Suite:
    return load_suite(name)


def _prepare_worker() -> None:
    """Leaves Ctrl-C to the parent, and never outlives it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
