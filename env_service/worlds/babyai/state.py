"""The contents of a grid: plain values, read from the simulator."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from env_service.domain.moment import Board, Mark

Position = tuple[int, int]
"""(x, y) in cells. x grows to the east, y to the south; (0, 0) is the north-west corner."""

PORTABLE = ("key", "ball", "box")
"""The kinds of things that can be picked up."""


class Heading(IntEnum):
    """The agent's heading. Values equal minigrid's ``agent_dir``."""

    EAST = 0
    SOUTH = 1
    WEST = 2
    NORTH = 3

    @property
    def vector(self) -> Position:
        """The step (dx, dy) to the next cell in that direction."""
        return ((1, 0), (0, 1), (-1, 0), (0, -1))[self]


@dataclass(frozen=True, slots=True)
class Thing:
    """The content of a cell, or of the agent's hands.

    ``kind`` is "wall", "door", "key", "ball" or "box"; ``color`` minigrid's name of the colour;
    ``state`` "open", "closed" or "locked" for a door and empty for all else; ``contains`` the
    content of a box.
    """

    kind: str
    color: str
    state: str = ""
    contains: Thing | None = None

    @property
    def passable(self) -> bool:
        """Whether the agent can enter a cell with this content."""
        return self.state == "open"

    @property
    def portable(self) -> bool:
        """Whether it can be picked up."""
        return self.kind in PORTABLE

    @property
    def code(self) -> str:
        """A short text that only equal things share: "key blue", "door red locked"."""
        inside = f" [{self.contains.code}]" if self.contains else ""
        return f"{self.kind} {self.color} {self.state}".rstrip() + inside


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole true state at one moment.

    ``cells`` is row by row from the north-west corner, ``width`` × ``height`` of them, None for an
    empty cell. ``steps`` counts the actions that the simulator executed.
    """

    width: int
    height: int
    cells: tuple[Thing | None, ...]
    agent: Position
    heading: Heading
    carrying: Thing | None
    steps: int

    def at(self, position: Position) -> Thing | None:
        """The content of that cell; None if it is empty."""
        x, y = position
        return self.cells[y * self.width + x]

    @property
    def ahead(self) -> Position:
        """The cell that the agent faces. Always inside the grid, which walls surround."""
        dx, dy = self.heading.vector
        return self.agent[0] + dx, self.agent[1] + dy

    def encode(self) -> str:
        """A text that only equal snapshots share, the same in every process."""
        hands = self.carrying.code if self.carrying else ""
        head = (self.width, self.height, self.agent, int(self.heading), hands, self.steps)
        return "\n".join([repr(head), *(thing.code if thing else "" for thing in self.cells)])

    def board(self, marks: tuple[Mark, ...] = ()) -> Board:
        """The grid for people who look at a replay."""
        return Board(
            width=self.width,
            height=self.height,
            cells=tuple(thing.code if thing else "" for thing in self.cells),
            agent=self.agent,
            heading=int(self.heading),
            carrying=self.carrying.code if self.carrying else "",
            marks=marks,
        )

    def things(self) -> list[tuple[Position, Thing]]:
        """Everything except walls, row by row from the north-west corner."""
        return [
            ((index % self.width, index // self.width), thing)
            for index, thing in enumerate(self.cells)
            if thing is not None and thing.kind != "wall"
        ]


@dataclass(frozen=True, slots=True)
class View:
    """The agent's view: a square of cells before it.

    ``cells`` is row by row from the farthest left, turned so that the agent looks up; None for an
    empty cell. The agent is in the middle of the last row. ``seen`` says which cells are in sight:
    an unseen one holds None. If the agent is in an open doorway, that door is not in the view.
    """

    size: int
    cells: tuple[Thing | None, ...]
    seen: tuple[bool, ...]
    heading: Heading
    carrying: Thing | None

    def offset(self, index: int) -> tuple[int, int]:
        """The position of ``cells[index]`` from the agent, in cells (ahead, to the right)."""
        row, column = divmod(index, self.size)
        return self.size - 1 - row, column - self.size // 2

    @property
    def ahead(self) -> Thing | None:
        """The content of the cell that the agent faces."""
        return self.cells[(self.size - 2) * self.size + self.size // 2]


def read_thing(item: Any) -> Thing | None:
    """The plain value of a minigrid object; None stays None."""
    if item is None:
        return None
    state = ""
    if item.type == "door":
        state = "open" if item.is_open else "locked" if item.is_locked else "closed"
    return Thing(item.type, item.color, state, read_thing(item.contains))


def read_snapshot(environment: Any) -> Snapshot:
    """The whole state of a minigrid environment."""
    x, y = environment.agent_pos
    return Snapshot(
        width=environment.width,
        height=environment.height,
        cells=tuple(map(read_thing, environment.grid.grid)),
        agent=(int(x), int(y)),
        heading=Heading(int(environment.agent_dir)),
        carrying=read_thing(environment.carrying),
        steps=environment.step_count,
    )


def read_view(environment: Any) -> View:
    """The view of a minigrid environment's agent, by minigrid's rules of sight."""
    grid, mask = environment.gen_obs_grid()
    size = environment.agent_view_size
    # minigrid shows the carried thing in the agent's cell; here it is a separate field.
    grid.set(size // 2, size - 1, None)
    return View(
        size=size,
        cells=tuple(map(read_thing, grid.grid)),
        seen=tuple(bool(mask[column, row]) for row in range(size) for column in range(size)),
        heading=Heading(int(environment.agent_dir)),
        carrying=read_thing(environment.carrying),
    )
