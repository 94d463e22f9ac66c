"""Fitted kitchens: which walls have counters, and where fridge, stove, sink and door are."""

from __future__ import annotations

from dataclasses import dataclass, field

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.counters import (
    COUNTER_TOP,
    CounterPlan,
    build_counter,
)
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Item
from env_service.worlds.household.scene.rooms.shell import DOOR_WIDTH, Band, Opening, Shell
from env_service.worlds.household.scene.rooms.stoves import STOVE_WIDTH, build_stove
from env_service.worlds.household.scene.rooms.wall_cabinets import LOW, build_wall_cabinets
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.rooms.windows import build_window, hang_blinds
from env_service.worlds.household.scene.spec import ObjectSpec

CORNER = 0.62
"""Metres that one counter takes of the next wall."""
INNERMOST = 0.31
"""Metres from both walls to the middle of what stands in a corner."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of a wall for counters: from where to where, with a sink, a stove or both, and
    how much of its ends hides behind other furniture."""

    start: float
    end: float
    sink: bool = False
    stove: bool = False
    hidden: tuple[float, float] = (0.0, 0.0)


@dataclass
class Fitting:
    """A kitchen while its counters are built.

    Attributes:
        shell: the room.
        layout: "line", "galley", "corner" or "horseshoe".
        walls: back, right, front and left; the door is in the front, in a galley in the left one.
        tops: the CounterTops.
        boards: open shelves above them.
        tiles: by a wall's name, what of it is tiled.
        corners: of counters: the top, the place on it and the turn of what stands there.
        door_end: where along its wall the door ends.
        fridge: the fridge.
    """

    shell: Shell
    layout: str
    walls: tuple[Wall, Wall, Wall, Wall]
    tops: list[ObjectSpec] = field(default_factory=list)
    boards: list[ObjectSpec] = field(default_factory=list)
    tiles: dict[str, list[Band]] = field(default_factory=dict)
    corners: list[tuple[ObjectSpec, tuple[float, float], float]] = field(default_factory=list)
    door_end: float = 0.0
    fridge: ObjectSpec = field(init=False)

    def fit(self) -> None:
        """Builds everything along the walls of the layout."""
        back, right, front, left = self.walls
        draw = self.shell.furnishing.draw
        width = float(draw.uniform(0.74, 0.92))
        taken = width + 0.06
        size = Vec3(width, float(draw.uniform(1.7, 1.95)), Item("Fridge").extent.z)
        if self.layout == "line":
            self._door(front, float(draw.uniform(0.3, front.length - DOOR_WIDTH - 0.6)))
            self._put_fridge(back, size, taken / 2)
            self._stretch(back, Stretch(taken, back.length, sink=True, stove=True))
        elif self.layout == "galley":
            self._door(left, float(draw.uniform(0.9, left.length - DOOR_WIDTH - 0.9)))
            self._put_fridge(front, size, taken / 2)
            self._stretch(back, Stretch(0.02, back.length - 0.02, sink=True))
            self._stretch(front, Stretch(taken, front.length - 0.02, stove=True))
        else:
            self._door(front, float(draw.uniform(0.9, front.length - DOOR_WIDTH - 0.9)))
            self._put_fridge(right, size, right.length - taken / 2)
            first = CORNER if self.layout == "horseshoe" else 0.02
            along = Stretch(first, back.length, sink=True, hidden=(0.0, CORNER))
            self._stretch(back, along)
            self._stretch(right, Stretch(CORNER, right.length - taken, stove=True))
            if self.layout == "horseshoe":
                third = Stretch(left.length * 0.35, left.length, hidden=(0.0, CORNER))
                self._stretch(left, third)

    def _door(self, wall: Wall, start: float) -> None:
        self.shell.door(wall, start)
        self.door_end = start + DOOR_WIDTH

    def _put_fridge(self, wall: Wall, size: Vec3, at: float) -> None:
        fridge = self.shell.against(wall, Item("Fridge", size), at=at, front=0.5)
        if fridge is None:
            raise CrampedError(f"no room for a fridge in {self.shell.furnishing.name}")
        self.shell.reserve_before(fridge, 0.6)
        self.fridge = fridge

    def _stretch(self, wall: Wall, part: Stretch) -> None:
        """Builds the counters of a stretch, and what hangs above them."""
        shell, draw = self.shell, self.shell.furnishing.draw
        start, end, hidden = part.start, part.end, part.hidden
        free = (start + hidden[0], end - hidden[1])
        if part.stove:
            share = 0.30 if part.sink else 0.5
            at = free[0] + (free[1] - free[0]) * share + float(draw.uniform(-0.1, 0.1))
            build_stove(shell, wall, at)
            after = at + STOVE_WIDTH / 2
            spans = [
                (start, at - STOVE_WIDTH / 2, (hidden[0], 0.0)),
                (after, end, (0.0, hidden[1])),
            ]
            basin = (after + 0.10 + free[1]) / 2
        else:
            spans = [(start, end, hidden)]
            basin = (free[0] + free[1]) / 2 + float(draw.uniform(-0.15, 0.15))
        if part.sink:
            self._window_over(wall, basin)
        for low, high, covered in spans:
            sinks = (basin,) if part.sink and low < basin < high else ()
            machine = bool(sinks) and bool(draw.random() < 0.5)
            plan = CounterPlan(low, high, 0.60, sinks, "kitchen", covered, machine)
            top = build_counter(shell, wall, plan)
            self.tops.append(top)
            if covered[1] > 0:
                self.corners.append((top, (INNERMOST - (high - low) / 2, 0.0), 45.0))
        self.tiles.setdefault(wall.name, []).append((start, end, COUNTER_TOP, LOW))
        self.boards += build_wall_cabinets(shell, wall, start, end)

    def _window_over(self, wall: Wall, middle: float) -> None:
        draw = self.shell.furnishing.draw
        if draw.random() < 0.75:
            wide = float(draw.uniform(0.9, 1.2))
            opening = Opening(middle - wide / 2, middle + wide / 2, 1.15, 2.05)
            build_window(self.shell, wall, opening)
            if draw.random() < 0.4:
                hang_blinds(self.shell, wall, opening)
