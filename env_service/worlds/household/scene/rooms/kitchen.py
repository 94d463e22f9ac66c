"""Kitchens: counters along one, two or three walls, islands and wall cabinets, a table if there is
room, all that cooks, and where food and dishes are.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from env_service.domain.text import with_article
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.color_schemes import drawn_palette
from env_service.worlds.household.scene.rooms.counters import (
    BASE,
    COUNTER_TOP,
    CounterPlan,
    build_counter,
    front_style,
)
from env_service.worlds.household.scene.rooms.furnishings import (
    ShelfPlan,
    build_window,
    dress_window,
    fill_shelves,
    hang_blinds,
    hang_pictures,
    hang_shelves,
    stand_unit,
)
from env_service.worlds.household.scene.rooms.layout import (
    CrampedError,
    Details,
    Footprint,
    Item,
    RoomLayout,
)
from env_service.worlds.household.scene.rooms.shell import (
    DOOR_WIDTH,
    Band,
    Shell,
    Wall,
    WallOccupancy,
    WallOpening,
)
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec, StartState

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


SHAPES = ("line", "corner", "corner", "horseshoe", "galley")
ON_UNIT = ("Bottle", "Vase", "Bowl", "Plate", "AluminumFoil", "HousePlant", "Pot", "TissueBox")
ON_WALL = ("Mug", "Vase", "Bowl", "SaltShaker", "Candle")


@dataclass(frozen=True)
class KitchenDraft:
    """What a kitchen is made of, for its stock: counters, open boards, table, machines."""

    counters: tuple[ObjectSpec, ...]
    boards: tuple[ObjectSpec, ...]
    table: ObjectSpec | None
    fridge: ObjectSpec
    microwave: ObjectSpec


def draw_kitchen(name: str, draw: np.random.Generator) -> SceneSpec:
    """A kitchen; the generator decides everything about it."""
    palette, accent = drawn_palette(Room.KITCHEN, draw)
    layout = RoomLayout(name, palette, draw)
    shape = str(draw.choice(SHAPES))
    shell = Shell(layout, *_extent(shape, draw))
    kitchen = FittedKitchen(shell, shape, shell.turned())
    if accent is not None:
        shell.coverings[kitchen.walls[1 if shape == "galley" else 3].name] = accent
    kitchen.fit()
    if shape in ("line", "corner"):
        _extend(kitchen)
    table = _table(shell)
    microwave = _machines(kitchen)
    stock_kitchen(
        shell,
        KitchenDraft(tuple(kitchen.tops), tuple(kitchen.boards), table, kitchen.fridge, microwave),
    )
    _about(shell)
    shell.close(kitchen.tiles if draw.random() < 0.85 else None)
    return shell.scene(Room.KITCHEN)


def _extent(shape: str, draw: np.random.Generator) -> tuple[float, float]:
    """Width and depth of the floor."""
    low, high = {"line": (4.4, 5.4), "corner": (3.4, 5.0), "horseshoe": (3.5, 4.5)}.get(
        shape, (3.8, 4.7)
    )
    return float(draw.uniform(low, high)), float(draw.uniform(low, high))


def _extend(kitchen: FittedKitchen) -> None:
    """An island if the floor is deep enough, a window or a nook at the walls without counters."""
    shell, draw = kitchen.shell, kitchen.shell.layout.draw
    back, right, front, left = kitchen.walls
    if right.length > 4.3 and draw.random() < 0.6:
        length = float(draw.uniform(1.3, 1.8))
        at = back.length * 0.45 if kitchen.shape == "corner" else back.length / 2
        island = build_island(shell, back, (at - length / 2, at + length / 2), 0.6)
        kitchen.tops.append(island)
    elif draw.random() < 0.35:
        # the corner of the front and the left wall, away from counters and door
        number = shell.walls.index(front)
        room = front.length - kitchen.door_end - 0.3
        if room > 0.6:
            shell.nook(number, min(room, float(draw.uniform(0.6, 1.2))), 0.7)
    if draw.random() < 0.6:
        wide = float(draw.uniform(0.9, 1.5))
        at = left.length * 0.45
        opening = WallOpening(at - wide / 2, at + wide / 2, 0.95, 2.1)
        if shell.ledgers[left.name].free(opening.start - 0.1, opening.end + 0.1):
            build_window(shell, left, opening)
            dress_window(shell, left, opening, curtains=0.6)


def _table(shell: Shell) -> ObjectSpec | None:
    """A dining table with chairs where the floor is free, or a smaller one, or none."""
    draw, layout = shell.layout.draw, shell.layout
    floor = (shell.floor.object_id,)
    for size in (Vec3(1.3, 0.75, 0.8), Vec3(1.0, 0.75, 1.0), Vec3(0.9, 0.75, 0.7)):
        for _ in range(40):
            x = float(draw.uniform(-shell.width / 2 + 0.9, shell.width / 2 - 0.9))
            z = float(draw.uniform(-shell.depth / 2 + 0.9, shell.depth / 2 - 0.9))
            item = Item("DiningTable", size, parents=floor)
            turned = bool(draw.random() < 0.5)
            yaw = 90.0 if turned else 0.0
            table = layout.stand(item, Vec3(x, 0.0, z), yaw, margin=0.6)
            if table is None:
                continue
            _chairs(shell, table)
            return table
    return None


def _chairs(shell: Shell, table: ObjectSpec) -> None:
    """Two chairs at a table, facing each other, pushed in a little."""
    draw, layout = shell.layout.draw, shell.layout
    kind = "Chair" if draw.random() < 0.75 else "Stool"
    variant = int(draw.integers(1, 31))
    floor = (shell.floor.object_id,)
    for side in (-1, 1):
        away = table.body.rotation.apply(Vec3(0.0, 0.0, side * (table.body.size.z / 2 + 0.08)))
        base = Vec3(table.position.x, 0.0, table.position.z) + away
        yaw = (table.rotation.y + (180.0 if side > 0 else 0.0)) % 360.0
        item = Item(kind, variant=variant, parents=floor)
        size = item.extent
        layout.put(item, base, yaw)
        layout.standing.append(Footprint(base.x, base.z, size.x, size.z, yaw))


def _machines(kitchen: FittedKitchen) -> ObjectSpec:
    """Microwave, coffee machine and toaster on the counters: one in a corner if there is one, the
    others at the back."""
    layout, tops = kitchen.shell.layout, kitchen.tops
    draw = layout.draw
    made: dict[str, ObjectSpec] = {}
    for number, (top, at, yaw) in enumerate(kitchen.corners):
        kind = "CoffeeMachine" if number == 0 and draw.random() < 0.6 else "HousePlant"
        placed = layout.lay_at(kind, top, at, yaw=yaw)
        if placed is not None:
            made[kind] = placed
        layout.keep_clear(top, at, CORNER + 0.1, CORNER)
    for kind in ("Microwave", "CoffeeMachine", "Toaster"):
        for number in draw.permutation(len(tops)):
            if kind in made:
                break
            placed = layout.lay(kind, tops[int(number)], yaw=0.0, at_back=True)
            if placed is not None:
                made[kind] = placed
        if kind not in made:
            raise CrampedError(f"no room for {with_article(kind)} in {layout.name}")
    return made["Microwave"]


def _about(shell: Shell) -> None:
    """Other objects along and on the walls."""
    draw = shell.layout.draw
    walls = tuple(shell.all_walls[int(i)] for i in draw.permutation(len(shell.all_walls)))
    for kind in ("GarbageCan", "HousePlant", "Stool"):
        if kind == "GarbageCan" or draw.random() < 0.45:
            for wall in walls:
                if shell.against(wall, kind, front=0.1) is not None:
                    break
    if draw.random() < 0.4:
        size = Vec3(float(draw.uniform(0.7, 1.0)), float(draw.uniform(1.3, 1.75)), 0.36)
        boards = stand_unit(shell, walls, size)
        fill_shelves(shell.layout, boards, ON_UNIT, 3)
    hang_pictures(shell, walls, int(draw.integers(1, 4)))
    if draw.random() < 0.35:
        plan = ShelfPlan(float(draw.uniform(0.7, 1.0)), count=int(draw.integers(1, 3)))
        for wall in walls:
            boards = hang_shelves(shell, wall, plan)
            if boards:
                fill_shelves(shell.layout, boards, ON_WALL, 2)
                break


# --- What is in a kitchen, and where: food, dishes, cookware, cutlery, supplies

IN_DRAWERS = ("Fork", "Spoon", "Knife", "ButterKnife", "Spatula", "Ladle")
IN_CABINETS = ("Pot", "Plate", "Bowl", "Mug", "SoapBottle", "Kettle", "SprayBottle")
IN_FRIDGE = ("Egg", "Lettuce", "Tomato", "Apple", "WineBottle", "Potato")
ON_COUNTERS = (
    "Bread", "Apple", "Potato", "SaltShaker", "PepperShaker", "DishSponge", "SoapBottle",
    "Knife", "Cup", "Mug", "PaperTowelRoll", "Spatula", "Bottle", "Vase", "Book",
)  # fmt: skip
ON_TABLE = ("Bowl", "Tomato", "HousePlant", "Statue", "SaltShaker", "Candle", "Newspaper")
ON_BOARDS = ("Plate", "Bowl", "Mug", "Cup", "Vase", "Bottle", "Mug", "Bowl", "PaperTowelRoll")
ONCE = frozenset({"Bread", "Lettuce", "Kettle", "WineBottle", "PaperTowelRoll", "Egg", "Tomato"})
"""Types of which a kitchen has one."""
ALWAYS = (
    "Apple", "Bread", "Egg", "Lettuce", "Potato", "Tomato", "Bowl", "Cup", "Mug", "Plate", "Pan",
    "Pot", "Kettle", "Fork", "Knife", "ButterKnife", "Spoon", "Spatula", "Ladle", "DishSponge",
    "SaltShaker", "PepperShaker", "SoapBottle", "Bottle", "WineBottle",
)  # fmt: skip
"""What the visual suites' tasks need in a kitchen (docs/household.md, Scenes)."""


def stock_kitchen(shell: Shell, cooking: KitchenDraft) -> None:
    """Puts a kitchen's things where they belong; everything in ALWAYS is included."""
    layout, draw = shell.layout, shell.layout.draw
    every = list(layout.objects.values())
    drawers = [spec for spec in every if spec.type == "Drawer"]
    cabinets = [spec for spec in every if spec.type == "Cabinet"]
    burners = [spec for spec in every if spec.type == "StoveBurner"]
    _on_burners(shell, burners)
    _share(shell, IN_DRAWERS, drawers, 0.9)
    _share(shell, IN_CABINETS, cabinets, 0.6)
    _share(shell, IN_FRIDGE, [cooking.fridge], 0.6)
    _share(shell, ON_COUNTERS, list(cooking.counters), 0.75)
    _share(shell, ON_BOARDS, list(cooking.boards), 0.9)
    if cooking.table is not None:
        if draw.random() < 0.6:
            _set_table(shell, cooking.table)
        _share(shell, ON_TABLE, [cooking.table], 0.45)
    open_places = [*cooking.counters, *([cooking.table] if cooking.table else [])]
    for kind in ALWAYS:
        if not layout.holds(kind):
            order = [open_places[int(i)] for i in draw.permutation(len(open_places))]
            if not _lay_first(shell, kind, [*order, *cabinets, cooking.fridge]):
                raise CrampedError(f"no room for {with_article(kind)} in {layout.name}")


def _share(shell: Shell, kinds: tuple[str, ...], holders: list[ObjectSpec], chance: float) -> None:
    """Some of the kinds, each to one of the holders."""
    draw = shell.layout.draw
    for kind in kinds:
        if holders and draw.random() < chance and not (kind in ONCE and shell.layout.holds(kind)):
            order = [holders[int(i)] for i in draw.permutation(len(holders))]
            _lay_first(shell, kind, order)


def _lay_first(shell: Shell, kind: str, holders: list[ObjectSpec]) -> bool:
    """Lays a thing on the first holder that has room."""
    wine = StartState(liquid="wine") if kind == "WineBottle" else None
    return any(shell.layout.lay(Item(kind, start=wine), holder) for holder in holders)


def _on_burners(shell: Shell, burners: list[ObjectSpec]) -> None:
    """A pan, and sometimes a kettle, in the middle of its burner, the handle to the front."""
    draw, layout = shell.layout.draw, shell.layout
    order = [burners[int(i)] for i in draw.permutation(len(burners))]
    for kind in ("Pan", "Kettle")[: int(draw.integers(1, 3))]:
        burner = order.pop()
        item = Item(kind, variant=int(draw.integers(1, 31)), parents=(burner.object_id,))
        yaw = (burner.rotation.y + float(draw.choice([0.0, 30.0, -30.0]))) % 360.0
        middle = Rotation.yaw(yaw).apply(layout.bottom_of(item))
        top = burner.position + Vec3(0.0, burner.body.size.y, 0.0)
        layout.put(item, top - middle, yaw)


def _set_table(shell: Shell, table: ObjectSpec) -> None:
    """A place with plate, cup and cutlery on each side of a table where someone can sit."""
    layout, size = shell.layout, table.body.size
    variant = int(layout.draw.integers(1, 31))
    for side in (-1.0, 1.0):
        yaw = 0.0 if side > 0 else 180.0
        out = side * (size.z / 2 - 0.16)
        for kind, x, z, turn in (
            ("Plate", 0.0, 0.0, 0.0),
            ("Fork", -0.17, 0.0, 180.0),
            ("ButterKnife", 0.17, 0.0, 180.0),
            ("Cup", 0.18, -0.19, 0.0),
        ):
            at = (side * x, out + side * z)
            layout.lay_at(Item(kind, variant=variant), table, at, yaw=(yaw + turn) % 360.0)
