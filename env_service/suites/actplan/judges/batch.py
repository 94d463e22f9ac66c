"""Judges many plans at once, in several processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap

from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.judges.judgement import Judgement
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.reading import read_plan
from env_service.suites.actplan.task import ActPlanTask
from env_service.suites.process_pool import process_pool
from env_service.worlds.activity.profile import Profile

WORTH_A_POOL = 400
"""Plans; fewer are judged sooner than processes start."""

_CHUNK = 8


@dataclass(frozen=True, slots=True)
class Order:
    """One plan to judge: a text, and the task that it is for."""

    task: ActPlanTask
    text: str


@dataclass(frozen=True, slots=True)
class Rules:
    """How to judge: the commonsense profile, and whether published definitions are mended."""

    profile: Profile
    corrections: bool = True


def judge_text(order: Order, rules: Rules) -> Judgement:
    """Reads a plan and judges it. Never raises for what a plan says."""
    activity = understand(order.task, corrections=rules.corrections)
    return judge(activity, read_plan(order.text), rules.profile)


def judge_all(orders: Sequence[Order], rules: Rules, jobs: int = 1) -> Iterator[Judgement]:
    """A judgement for each order, in their order, as they are ready. ``jobs``: processes."""
    pairs = [(each, rules) for each in orders]
    if jobs <= 1 or len(orders) < WORTH_A_POOL:
        yield from starmap(judge_text, pairs)
        return
    with process_pool(jobs) as pool:
        yield from pool.map(judge_text, *zip(*pairs, strict=True), chunksize=_CHUNK)
