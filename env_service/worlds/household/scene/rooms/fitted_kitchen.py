"""Fitted kitchens: which walls have counters, where fridge, stove, sink and door are; islands,
stoves and wall cabinets.
"""

from dataclasses import dataclass, field, replace

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.counters import (
    BASE,
    COUNTER_TOP,
    CounterPlan,
    build_counter,
    front_style,
)
from env_service.worlds.household.scene.rooms.layout import CrampedError, Details, Footprint, Item
from env_service.worlds.household.scene.rooms.shell import (
    DOOR_WIDTH,
    Band,
    Shell,
    Wall,
    WallOccupancy,
    WallOpening,
)
from env_service.worlds.household.scene.rooms.shelves_and_desks import ShelfPlan, hang_shelves
from env_service.worlds.household.scene.rooms.wall_hangings import build_window, hang_blinds
from env_service.worlds.household.scene.spec import ObjectSpec

CORNER = 0.62
"""Metres that one counter takes of the next wall."""
INNERMOST = 0.31
"""Metres from both walls to the middle of an appliance in a corner."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of a wall for counters: its limits, whether it has a sink, a stove or both, and how
    much of its ends other furniture hides."""

    start: float
    end: float
    sink: bool = False
    stove: bool = False
    hidden: tuple[float, float] = (0.0, 0.0)


@dataclass
class FittedKitchen:
    """A kitchen while its counters are built.

    Attributes:
        shell: the room.
        shape: "line", "galley", "corner" or "horseshoe".
        walls: back, right, front and left; the door is in the front, in a galley in the left one.
        tops: the CounterTops.
        boards: open shelves above them.
        tiles: by a wall's name, what of it is tiled.
        corners: of counters: the top, the place on it and the turn of an appliance there.
        door_end: where along its wall the door ends.
        fridge: the fridge.
    """

    shell: Shell
    shape: str
    walls: tuple[Wall, Wall, Wall, Wall]
    tops: list[ObjectSpec] = field(default_factory=list)
    boards: list[ObjectSpec] = field(default_factory=list)
    tiles: dict[str, list[Band]] = field(default_factory=dict)
    corners: list[tuple[ObjectSpec, tuple[float, float], float]] = field(default_factory=list)
    door_end: float = 0.0
    fridge: ObjectSpec = field(init=False)

    def fit(self) -> None:
        """Builds everything along the walls of its shape."""
        back, right, front, left = self.walls
        draw = self.shell.layout.draw
        width = float(draw.uniform(0.74, 0.92))
        taken = width + 0.06
        size = Vec3(width, float(draw.uniform(1.7, 1.95)), Item("Fridge").extent.z)
        if self.shape == "line":
            self._door(front, float(draw.uniform(0.3, front.length - DOOR_WIDTH - 0.6)))
            self._put_fridge(back, size, taken / 2)
            self._stretch(back, Stretch(taken, back.length, sink=True, stove=True))
        elif self.shape == "galley":
            self._door(left, float(draw.uniform(0.9, left.length - DOOR_WIDTH - 0.9)))
            self._put_fridge(front, size, taken / 2)
            self._stretch(back, Stretch(0.02, back.length - 0.02, sink=True))
            self._stretch(front, Stretch(taken, front.length - 0.02, stove=True))
        else:
            self._door(front, float(draw.uniform(0.9, front.length - DOOR_WIDTH - 0.9)))
            self._put_fridge(right, size, right.length - taken / 2)
            first = CORNER if self.shape == "horseshoe" else 0.02
            along = Stretch(first, back.length, sink=True, hidden=(0.0, CORNER))
            self._stretch(back, along)
            self._stretch(right, Stretch(CORNER, right.length - taken, stove=True))
            if self.shape == "horseshoe":
                third = Stretch(left.length * 0.35, left.length, hidden=(0.0, CORNER))
                self._stretch(left, third)

    def _door(self, wall: Wall, start: float) -> None:
        self.shell.door(wall, start)
        self.door_end = start + DOOR_WIDTH

    def _put_fridge(self, wall: Wall, size: Vec3, at: float) -> None:
        fridge = self.shell.against(wall, Item("Fridge", size), at=at, front=0.5)
        if fridge is None:
            raise CrampedError(f"no room for a fridge in {self.shell.layout.name}")
        self.shell.reserve_before(fridge, 0.6)
        self.fridge = fridge

    def _stretch(self, wall: Wall, part: Stretch) -> None:
        """Builds the counters of a stretch, and what hangs above them."""
        shell, draw = self.shell, self.shell.layout.draw
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
        draw = self.shell.layout.draw
        if draw.random() < 0.75:
            wide = float(draw.uniform(0.9, 1.2))
            opening = WallOpening(middle - wide / 2, middle + wide / 2, 1.15, 2.05)
            build_window(self.shell, wall, opening)
            if draw.random() < 0.4:
                hang_blinds(self.shell, wall, opening)


# --- Kitchen islands: a free-standing counter, its fronts towards the one at the wall

ISLAND_DEPTH = 0.64
"""Metres of the counter's carcass."""
AISLE = 1.05
"""Metres between its fronts and those at the wall."""
PANEL = 0.02
"""Metres of the panel that closes its back."""


def build_island(shell: Shell, wall: Wall, span: tuple[float, float], out: float) -> ObjectSpec:
    """An island parallel to a wall; returns its CounterTop.

    Args:
        wall: the wall that it faces.
        span: from where to where along the wall, metres.
        out: metres from the wall to the fronts of the furniture along it.
    """
    back = out + AISLE + ISLAND_DEPTH
    length = span[1] - span[0]
    facing = Wall(
        "island",
        wall.spot(span[1], back),
        wall.along * -1.0,
        wall.inward * -1.0,
        length,
        (wall.yaw + 180.0) % 360.0,
    )
    shell.ledgers[facing.name] = WallOccupancy([])
    top = build_counter(shell, facing, CounterPlan(0.0, length, ISLAND_DEPTH, room="kitchen"))
    layout = shell.layout
    panel = Box(
        facing.spot(length / 2, -PANEL / 2, BASE / 2),
        Vec3(length, BASE, PANEL),
        Rotation.yaw(facing.yaw),
    )
    layout.build("Worktop", panel, details=(("stone", layout.palette.cabinets),))
    variant = int(layout.draw.integers(1, 31))
    floor = (shell.floor.object_id,)
    for share in (0.3, 0.7):
        stool = Item("Stool", variant=variant, parents=floor)
        layout.stand(stool, facing.spot(length * share, -0.24), facing.yaw, kept=False)
    return top


# --- A stove: its body, four burners, and the knobs that switch them

STOVE_WIDTH, STOVE_DEPTH = 0.76, 0.62
BURNER = Vec3(0.21, 0.02, 0.21)
KNOB = Vec3(0.05, 0.05, 0.03)
KNOB_HEIGHT = 0.80
STOVES_PANEL = 0.03
"""Metres that a stove's control panel lies behind the front of its box (see its builder)."""
KNOBS = (-0.27, -0.13, 0.13, 0.27)
"""Metres from the stove's middle to its knobs, on both sides of the clock."""
HOOD = Vec3(0.76, 0.50, 0.46)
HOOD_HEIGHT = 1.62


def build_stove(shell: Shell, wall: Wall, at: float) -> None:
    """Builds a stove with its middle at a position along a wall, and a hood above it."""
    layout = shell.layout
    style = int(layout.draw.integers(1, 31))
    body = Box(
        wall.spot(at, STOVE_DEPTH / 2, COUNTER_TOP / 2),
        Vec3(STOVE_WIDTH, COUNTER_TOP, STOVE_DEPTH),
        Rotation.yaw(wall.yaw),
    )
    layout.build("Stove", body, variant=style)
    for number, (right, out) in enumerate(
        ((-0.18, 0.19), (0.18, 0.19), (-0.18, 0.44), (0.18, 0.44))
    ):
        burner = layout.put(
            Item("StoveBurner", BURNER, style), wall.spot(at + right, out, COUNTER_TOP), wall.yaw
        )
        place = wall.spot(at + KNOBS[number], STOVE_DEPTH - STOVES_PANEL + KNOB.z / 2, KNOB_HEIGHT)
        knob = layout.put(Item("StoveKnob", KNOB, style), place, wall.yaw)
        layout.objects[knob.object_id] = replace(knob, controls=(burner.object_id,))
    spot = wall.spot(at, STOVE_DEPTH / 2)
    layout.standing.append(Footprint(spot.x, spot.z, STOVE_WIDTH, STOVE_DEPTH, wall.yaw))
    half = STOVE_WIDTH / 2
    shell.reserve(wall, (at - half, at + half), STOVE_DEPTH, 0.5)
    shell.ledgers[wall.name].take(at - half, at + half)
    hood = Box(wall.spot(at, HOOD.z / 2, HOOD_HEIGHT + HOOD.y / 2), HOOD, Rotation.yaw(wall.yaw))
    layout.build("RangeHood", hood, solid=False, variant=style)


# --- Cabinets that hang above a counter

LOW, HIGH, WALL_CABINET_DEPTH = 1.45, 2.15, 0.34
"""Metres above the floor, and from the wall."""
WIDEST, LEAST = 0.55, 0.28
STEP = 0.02


def build_wall_cabinets(shell: Shell, wall: Wall, start: float, end: float) -> list[ObjectSpec]:
    """Fills every free stretch of a wall above a counter with cabinets, some with glass doors, or
    with boards instead; gives back the boards."""
    draw = shell.layout.draw
    style = front_style(shell)
    ledger = shell.ledgers[wall.name]
    open_boards: list[ObjectSpec] = []
    for low, high in _free_stretches(shell, wall, max(start, 0.01), min(end, wall.length - 0.01)):
        count = max(1, round((high - low) / WIDEST + 0.3))
        wide = (high - low) / count
        if wide < LEAST:
            continue
        if high - low > 0.5 and draw.random() < 0.25:
            plan = ShelfPlan(min(high - low - 0.08, 1.2), 0.24, LOW, 2, 0.36)
            open_boards += hang_shelves(shell, wall, plan, at=(low + high) / 2)
            ledger.take(low, high, LOW, HIGH)
            continue
        glass = draw.random() < 0.2
        for k in range(count):
            middle = low + (k + 0.5) * wide
            hinge = "left" if k % 2 == 0 else "right"
            details: Details = (("hinge", hinge), ("kind", "glass" if glass else "door"))
            item = Item(
                "Cabinet",
                Vec3(wide - 0.004, HIGH - LOW, WALL_CABINET_DEPTH),
                style,
                details=details,
            )
            shell.layout.put(item, wall.spot(middle, WALL_CABINET_DEPTH / 2, LOW), wall.yaw)
        ledger.take(low, high, LOW, HIGH)
    return open_boards


def _free_stretches(
    shell: Shell, wall: Wall, start: float, end: float
) -> list[tuple[float, float]]:
    """Stretches of the wall without other hangings, including those on adjacent walls."""
    others = [other for other in shell.walls if other.name != wall.name]
    corners = [
        (start, start + WALL_CABINET_DEPTH)
        for other in others
        if _meets(shell, other, wall, at_left=True)
    ] + [
        (end - WALL_CABINET_DEPTH, end)
        for other in others
        if _meets(shell, other, wall, at_left=False)
    ]
    found: list[tuple[float, float]] = []
    at, begin = start, None
    while at <= end + 1e-9:
        free = shell.ledgers[wall.name].free(at, min(at + STEP, end + STEP), LOW, HIGH) and all(
            at >= b or at + STEP <= a for a, b in corners
        )
        if free and begin is None:
            begin = at
        if begin is not None and (not free or at + STEP > end):
            found.append((begin, min(at, end)))
            begin = None
        at += STEP
    return [(a, b) for a, b in found if b - a >= LEAST]


def _meets(shell: Shell, other: Wall, wall: Wall, *, at_left: bool) -> bool:
    """Whether another wall has cabinets in the corner at one end of this wall."""
    corner = wall.spot(0.0 if at_left else wall.length, 0.0)
    near = (corner - other.left).dot(other.along)
    away = (corner - other.left - other.along * near).length()
    if away > 1e-6 or not -1e-6 <= near <= other.length + 1e-6:
        return False
    span = (
        (0.0, WALL_CABINET_DEPTH)
        if near < other.length / 2
        else (other.length - WALL_CABINET_DEPTH, other.length)
    )
    return not shell.ledgers[other.name].free(*span, LOW, HIGH)
