"""minigrid's own solver as the expert."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from env_service.worlds.babyai.actions import ACTIONS
from env_service.worlds.babyai.levels import Level
from env_service.worlds.babyai.simulator import make_bot, make_environment

MAX_SUBGOALS = 5_000
"""Subgoals that the solver may set itself before it is judged to run in circles.

Of the sixteen levels with seeds 1 … 500, none takes more than 272.
"""


@dataclass(frozen=True, slots=True)
class Solution:
    """What the solver did. ``problem`` says why it gave up; empty when it did not.

    ``actions`` are names from ACTIONS, at most as many as the level's limit.
    """

    actions: tuple[str, ...]
    problem: str = ""


class _RunsInCirclesError(Exception):
    """The solver set itself more subgoals than any level needs."""


class _CountedStack(list[Any]):
    """The solver's stack of subgoals, which ends a search that would never end.

    Within one call the solver either acts, or takes a subgoal off, or puts one on: bounding
    the last bounds the call.
    """

    pushes = 0

    def append(self, subgoal: Any) -> None:
        """Puts a subgoal on top."""
        self.pushes += 1
        if self.pushes > MAX_SUBGOALS:
            raise _RunsInCirclesError(f"more than {MAX_SUBGOALS} subgoals")
        super().append(subgoal)


def solve(level: Level, seed: int) -> Solution:
    """Plays the level to its end with minigrid's solver, which sees only what an agent sees.

    Whether the actions solve it is for the caller to check, by playing them.
    """
    environment = make_environment(level.environment_id, seed)
    bot = make_bot(environment)
    bot.stack = _CountedStack(bot.stack)
    actions: list[str] = []
    over = False
    while not over:
        try:
            action = bot.replan()
        except (AssertionError, _RunsInCirclesError) as problem:
            # minigrid's solver asserts that there is something left to do.
            return Solution(tuple(actions), f"the solver gave up: {problem}")
        if action.name not in ACTIONS:
            return Solution(tuple(actions), "the solver believes that it is done")
        actions.append(action.name)
        _, _, terminated, truncated, _ = environment.step(action)
        over = terminated or truncated
    return Solution(tuple(actions))
