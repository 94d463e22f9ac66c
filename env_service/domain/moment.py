"""What was true at one moment of an episode, for people who look at a replay of it.

No score depends on it, and no agent sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from env_service.domain.episode import GoalCondition

Spot = tuple[float, float]
"""A place seen from above: x and z in metres, x to the right and z up on a map."""


@dataclass(frozen=True, slots=True)
class Pose:
    """Where the agent stands and looks: metres, degrees clockwise from +z, degrees downwards."""

    x: float
    z: float
    yaw: float
    pitch: float


@dataclass(frozen=True, slots=True)
class Thing:
    """An object. ``properties`` are texts for people, by name; ``at`` is where it is on the map."""

    id: str
    name: str
    properties: Mapping[str, str]
    at: Spot | None = None


@dataclass(frozen=True, slots=True)
class Footprint:
    """The outline on the floor of a wall or a piece of furniture, which reaches from ``bottom`` to
    ``top`` metres above the floor."""

    id: str
    name: str
    corners: tuple[Spot, ...]
    bottom: float
    top: float


@dataclass(frozen=True, slots=True)
class Room:
    """A room from above. It does not change in an episode."""

    floor: tuple[Spot, ...]
    walls: tuple[Footprint, ...]
    furniture: tuple[Footprint, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A cell of a board that matters, such as a target, and why."""

    x: int
    y: int
    name: str


@dataclass(frozen=True, slots=True)
class Board:
    """A grid of cells, row by row from the top left; an empty cell is an empty text.

    ``heading``: 0 right, 1 down, 2 left, 3 up.
    """

    width: int
    height: int
    cells: tuple[str, ...]
    agent: tuple[int, int]
    heading: int
    carrying: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """The true state before the first action, or after an action or a part of one.

    ``track`` names another execution than the agent's, such as an expert's; empty for the agent's.
    ``caption``: which part of the action led here, if it has several; ``problem``: why that part
    failed. ``notes`` are lines for people. ``held`` and ``visible`` are ids of ``things``. ``room``
    is given once, with the first moment.
    """

    goals: tuple[GoalCondition, ...] = ()
    things: tuple[Thing, ...] = ()
    pose: Pose | None = None
    held: tuple[str, ...] = ()
    visible: tuple[str, ...] = ()
    board: Board | None = None
    room: Room | None = field(default=None, repr=False)
    track: str = ""
    caption: str = ""
    problem: str = ""
    notes: tuple[str, ...] = ()


Note = Callable[[Moment], None]


@runtime_checkable
class WatchedEpisode(Protocol):
    """What an Episode may offer in addition: its true state, while it is replayed."""

    def watch(self, note: Note) -> None:
        """Has ``note`` called with the opening's moment within ``start``, and with one or more
        moments within each ``act``. Called before ``start``."""
