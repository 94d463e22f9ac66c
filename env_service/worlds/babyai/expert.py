"""The expert for episodes: the omniscient one, as the actions to take."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.worlds.babyai.omnibot.solving import solve_world
from env_service.worlds.babyai.plan_levels import AnyLevel
from env_service.worlds.babyai.world import BabyAiWorld


@dataclass(frozen=True, slots=True)
class Solution:
    """What the expert did. ``problem`` says why it gave up; empty when it did not.

    ``actions`` are names from ACTIONS, at most as many as the level's limit.
    """

    actions: tuple[str, ...]
    problem: str = ""


def solve(level: AnyLevel, seed: int) -> Solution:
    """Plays the level to its end, in the knowledge of the whole grid.

    Whether the actions solve it is for the caller to check, by playing them. Raises the
    errors of BabyAiWorld.
    """
    record = solve_world(BabyAiWorld(level, seed))
    if record.problem is not None:
        return Solution(record.actions, f"the expert gave up: {record.problem.message}")
    return Solution(record.actions, "" if record.success else "the expert had nothing left to do")
