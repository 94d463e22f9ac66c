"""One level in progress: its mission, its steps, its images."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from env_service.worlds.babyai.actions import ACTIONS, Refusal, find_refusal
from env_service.worlds.babyai.levels import AnyLevel
from env_service.worlds.babyai.simulator import (
    is_composed,
    is_published,
    is_reversed,
    make_environment,
    render_tile,
    require_published,
)
from env_service.worlds.babyai.state import Snapshot, View, read_snapshot, read_view

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class Effect:
    """The result of an action.

    ``refusal`` says why nothing changed; None if something did. ``over`` is whether the mission has
    ended, ``solved`` whether with success.
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
        """Whether this is the published environment: see simulator.CHANGES."""
        return is_published(self.level.name, self.seed)

    @property
    def environment(self) -> Any:
        """The minigrid environment itself, for the planners of this package."""
        return self._environment

    @property
    def mission(self) -> str:
        """The goal, in minigrid's words."""
        return str(self._environment.mission)

    @property
    def max_steps(self) -> int:
        """minigrid's own limit for this level and mission."""
        return int(self._environment.max_steps)

    def step(self, action: str) -> Effect:
        """Executes one of ACTIONS. A refused one is also executed, and only uses a step.

        Raises ValueError for a name that is not in ACTIONS.
        """
        if action not in ACTIONS:
            raise ValueError(f"{action!r} is not an action of this world: {', '.join(ACTIONS)}")
        refusal = find_refusal(self.snapshot(), action)
        code = self._environment.actions[action]
        _, reward, over, _, _ = self._environment.step(code)
        self.solved = bool(over) and reward > 0
        return Effect(refusal, bool(over), self.solved)

    def snapshot(self) -> Snapshot:
        """The true state of the grid and of the agent."""
        return read_snapshot(self._environment)

    def view(self) -> View:
        """The agent's view: the visible ones of the 7 × 7 cells before it."""
        return read_view(self._environment)

    def grid_picture(self) -> npt.NDArray[np.uint8]:
        """The whole grid from above: see draw_grid."""
        return draw_grid(self._environment)

    def view_picture(self) -> npt.NDArray[np.uint8]:
        """The agent's view from above: see draw_view."""
        return draw_view(self._environment)

    def subgoals(self) -> tuple[Subgoal, ...]:
        """The mission's parts; all of them are done if and only if it is solved."""
        return self._mission.subgoals(solved=self.solved)

    def digest(self) -> str:
        """SHA-256 (hex) of the true state: grid, agent, hands, steps, mission, progress."""
        progress = [(subgoal.words, subgoal.done) for subgoal in self.subgoals()]
        state = f"{self.mission}\n{progress!r}\n{self.snapshot().encode()}"
        return hashlib.sha256(state.encode()).hexdigest()


# --- The parts of a mission, and which of them are done


@dataclass(frozen=True, slots=True)
class Subgoal:
    """One part of a mission that cannot be divided further ("open the red door").

    ``words`` are unique in their mission: a repeated part gets " (2)" at its end.
    """

    words: str
    done: bool


class Mission:
    """Follows a mission's parts, as minigrid's verifier does.

    A part is done once the verifier has accepted it, and stays done. In a mission with an order, a
    part counts only in its turn. All parts are done if and only if the mission is.
    """

    def __init__(self, environment: Any) -> None:
        """Make it before the first step, while the words still describe the grid."""
        self._instruction = environment.instrs
        parts = [part for part, _ in _parts(self._instruction, done=False)]
        self._words = _distinguish(part.surface(environment) for part in parts)

    def subgoals(self, *, solved: bool) -> tuple[Subgoal, ...]:
        """The parts, in the order in which the mission wants them done.

        ``solved`` is whether the environment has declared the mission a success, which is all that
        a mission with a single part needs.
        """
        done = [done for _, done in _parts(self._instruction, done=solved)]
        return tuple(map(Subgoal, self._words, done))


def _distinguish(words: Iterable[str]) -> list[str]:
    seen: Counter[str] = Counter()
    distinct = []
    for text in words:
        seen[text] += 1
        distinct.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return distinct


def _parts(instruction: Any, *, done: bool) -> Iterator[tuple[Any, bool]]:
    if not is_composed(instruction):
        yield instruction, done
        return
    halves = [
        (instruction.instr_a, instruction.a_done),
        (instruction.instr_b, instruction.b_done),
    ]
    for half, verdict in reversed(halves) if is_reversed(instruction) else halves:
        yield from _parts(half, done=verdict == "success")


# --- Images of a grid from above: minigrid's tiles, and a strip that shows the hands

MAX_SIDE = 512
"""The largest width and height of an image in pixels: one tile of a vision model."""

_STRIP = (40, 40, 70)
"""A blue-grey that no tile of minigrid's has, which distinguishes the strip from cells."""


def draw_grid(environment: Any) -> npt.NDArray[np.uint8]:
    """The whole grid, north up, with the strip below: uint8 [H, W, 3], C-contiguous.

    The tiles are as large as MAX_SIDE allows: 56 pixels for a room, 22 for a maze of nine.
    """
    tile = _tile_size(environment.width, environment.height)
    grid = environment.grid.render(tile, environment.agent_pos, environment.agent_dir)
    return _with_hands(grid, environment.carrying, tile)


def draw_view(environment: Any) -> npt.NDArray[np.uint8]:
    """The agent's view, ahead up, with the strip below: uint8 [512, 448, 3], C-contiguous.

    Cells in sight are lit, all others black. minigrid also draws a carried thing under the agent.
    """
    tile = _tile_size(environment.agent_view_size, environment.agent_view_size)
    return _with_hands(environment.get_pov_render(tile), environment.carrying, tile)


def _tile_size(columns: int, rows: int) -> int:
    return MAX_SIDE // max(columns, rows + 1)


def _with_hands(cells: npt.NDArray[np.uint8], carrying: Any, tile: int) -> npt.NDArray[np.uint8]:
    import numpy as np  # noqa: PLC0415 - lists of suites do without it

    # minigrid's image of the whole grid does not show what is carried, and its image of the view
    # hides it under the agent, so neither says whether the hands are full.
    strip = np.full((tile, cells.shape[1], 3), _STRIP, dtype=np.uint8)
    if carrying is not None:
        strip[:, :tile] = render_tile(carrying, tile)
    return np.ascontiguousarray(np.concatenate([cells, strip]))
