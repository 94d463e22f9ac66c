"""One level being played."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from env_service.worlds.babyai.actions import ACTIONS, Refusal, find_refusal
from env_service.worlds.babyai.goals import Mission, Subgoal
from env_service.worlds.babyai.picture import draw_grid, draw_view
from env_service.worlds.babyai.plan_levels import AnyLevel
from env_service.worlds.babyai.published import is_published, require_published
from env_service.worlds.babyai.simulator import make_environment
from env_service.worlds.babyai.state import Snapshot, View, read_snapshot, read_view


@dataclass(frozen=True, slots=True)
class Effect:
    """What an action did.

    ``refusal`` says why nothing changed; None when something did. ``over`` is whether the
    mission has ended, ``solved`` whether with success.
    """

    refusal: Refusal | None
    over: bool
    solved: bool


class BabyAiWorld:
    """A level, generated from its seed. Equal levels, seeds and actions give equal worlds."""

    def __init__(self, level: AnyLevel, seed: int, *, published_only: bool = True) -> None:
        """Generates the level. ``seed`` is at least 0.

        With ``published_only``, raises ChangedEnvironmentError when the installed minigrid
        generates another environment than the published one; see ``published`` otherwise.
        Raises UnsupportedSimulatorError when minigrid is missing or of another version, and
        ValueError for a negative seed.
        """
        if published_only:
            require_published(level.name, seed)
        self.level = level
        self.seed = seed
        self._environment = make_environment(level.environment_id, seed)
        self._mission = Mission(self._environment)
        self.solved = False
        """Whether the mission has ended with success."""

    @property
    def published(self) -> bool:
        """Whether this is the published environment: see published.py."""
        return is_published(self.level.name, self.seed)

    @property
    def environment(self) -> Any:
        """The minigrid environment itself, for the planners of this package."""
        return self._environment

    @property
    def mission(self) -> str:
        """What is to be achieved, in minigrid's words."""
        return str(self._environment.mission)

    @property
    def max_steps(self) -> int:
        """minigrid's own limit for this level and mission."""
        return int(self._environment.max_steps)

    def step(self, action: str) -> Effect:
        """Executes one of ACTIONS. A refused one is executed too, and only costs its step.

        Raises ValueError for a name that is not in ACTIONS.
        """
        if action not in ACTIONS:
            raise ValueError(f"{action!r} is no action of this world: {', '.join(ACTIONS)}")
        refusal = find_refusal(self.snapshot(), action)
        code = self._environment.actions[action]
        _, reward, over, _, _ = self._environment.step(code)
        self.solved = bool(over) and reward > 0
        return Effect(refusal, bool(over), self.solved)

    def snapshot(self) -> Snapshot:
        """The true state of the grid and of the agent."""
        return read_snapshot(self._environment)

    def view(self) -> View:
        """What the agent itself sees: the 7 × 7 cells before it, where nothing hides them."""
        return read_view(self._environment)

    def grid_picture(self) -> npt.NDArray[np.uint8]:
        """The whole grid from above: see picture.draw_grid."""
        return draw_grid(self._environment)

    def view_picture(self) -> npt.NDArray[np.uint8]:
        """What the agent itself sees, from above: see picture.draw_view."""
        return draw_view(self._environment)

    def subgoals(self) -> tuple[Subgoal, ...]:
        """The mission's parts; all of them are done exactly when it is solved."""
        return self._mission.subgoals(solved=self.solved)

    def digest(self) -> str:
        """SHA-256 (hex) of the true state: grid, agent, hands, steps, mission, progress."""
        progress = [(subgoal.words, subgoal.done) for subgoal in self.subgoals()]
        state = f"{self.mission}\n{progress!r}\n{self.snapshot().encode()}"
        return hashlib.sha256(state.encode()).hexdigest()
