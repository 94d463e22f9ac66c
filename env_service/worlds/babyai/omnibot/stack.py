"""The expert's stack of subgoals: counts, and ends a planning that would never end."""

from __future__ import annotations

from typing import Any

from env_service.worlds.babyai.omnibot.faults import StuckError
from env_service.worlds.babyai.omnibot.goals import OURS
from env_service.worlds.babyai.omnibot.records import ProblemKind

MAX_PUSHES = 500
"""Subgoals that may be put on the stack for one action.

The published expert sets itself no more than 37 in a whole episode of the sixteen levels
(seeds 0 to 500), but hangs in others, for example BabyAI-Unlock-v0 with seed 63.
"""


class Stack(list[Any]):
    """A list that puts the expert's own classes in place of minigrid's.

    Planning for one action either acts, takes a subgoal off, or puts one on: to bound the
    last is to bound it all.
    """

    def __init__(self) -> None:
        """Empty, nothing counted."""
        super().__init__()
        self.pushes = 0
        """Subgoals put on top so far; what ``append_uncounted`` put there is left out."""
        self.changes = 0
        """Grows whenever the stack changes."""
        self.planned = 0
        """How many at the bottom are left of a plan that was put there."""
        self._limit: int | None = None

    def append(self, goal: Any) -> None:
        """Puts a subgoal on top. Raises StuckError for more than MAX_PUSHES in one planning."""
        self.pushes += 1
        if self._limit is not None and self.pushes > self._limit:
            raise StuckError(
                ProblemKind.RUNS_IN_CIRCLES, f"more than {MAX_PUSHES} subgoals for one action"
            )
        self.append_uncounted(goal)

    def append_uncounted(self, goal: Any) -> None:
        """Puts a subgoal on top that is no help, but what was asked for."""
        self.changes += 1
        goal.__class__ = OURS.get(type(goal), type(goal))
        super().append(goal)

    def pop(self, index: Any = -1) -> Any:
        """Takes a subgoal off."""
        self.changes += 1
        goal = super().pop(index)
        self.planned = min(self.planned, len(self))
        return goal

    def begin_planning(self) -> None:
        """To be called before each planning: the bound counts from here.

        What is put on the stack before the first planning is not bounded.
        """
        self._limit = self.pushes + MAX_PUSHES
