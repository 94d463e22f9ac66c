"""Shelving units, boards on walls, furniture with drawers, and desks with chairs and lamps."""

from dataclasses import dataclass, replace

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.layout import Item, RoomLayout
from env_service.worlds.household.scene.rooms.shell import Shell, Wall
from env_service.worlds.household.scene.rooms.wall_hangings import along
from env_service.worlds.household.scene.spec import ObjectSpec, StartState

LOWEST = 0.08
"""Metres from the floor to the lowest board of a unit."""
EVERY = 0.38
"""Metres between its boards, about."""
SIDE = 0.026
"""Metres of a unit's side that its boards leave free."""
ABOVE = 0.003
"""Metres by which a Shelf's surface lies above the underside of its box (see its builder)."""
OVER_TOP = 0.34
"""Metres of room that belong to a board with nothing above it."""


@dataclass(frozen=True)
class ShelfPlan:
    """Boards on a wall, one above the other.

    Attributes:
        width, depth: of a board, metres.
        lowest: height of the first.
        count: how many.
        every: metres between them.
    """

    width: float
    depth: float = 0.22
    lowest: float = 1.25
    count: int = 1
    every: float = 0.36


def stand_unit(shell: Shell, walls: tuple[Wall, ...], size: Vec3) -> list[ObjectSpec]:
    """A shelving unit against the first wall with room; its boards, the lowest first, none if no
    wall has room."""
    count = round((size.y - LOWEST) / EVERY)
    step = (size.y - 0.004 - LOWEST) / count
    heights = [round(LOWEST + k * step, 4) for k in range(count + 1)]
    details = (("boards", tuple((y,) for y in heights)), ("shelves", "separate"))
    item = Item("ShelvingUnit", size, details=details)
    unit = None
    for wall in walls:
        unit = shell.against(wall, item, front=0.5)
        if unit is not None:
            break
    if unit is None:
        return []
    shell.reserve_before(unit, 0.35)
    boards = []
    for k, height in enumerate(heights):
        room = step - 0.02 if k < count else OVER_TOP
        board = Item("Shelf", Vec3(size.x - 2 * SIDE, room, size.z - 0.03), unit.variant)
        base = Vec3(unit.position.x, height - ABOVE, unit.position.z)
        boards.append(shell.layout.put(board, base, unit.rotation.y))
    return boards


def hang_shelves(
    shell: Shell, wall: Wall, plan: ShelfPlan, *, at: float | None = None
) -> list[ObjectSpec]:
    """Boards on brackets; none if the wall has no free stretch."""
    height = plan.every * (plan.count - 1) + OVER_TOP
    spot = _free_stretch(shell, wall, plan, height, at)
    if spot is None:
        return []
    shell.ledgers[wall.name].take(
        spot - plan.width / 2 - 0.03, spot + plan.width / 2 + 0.03, plan.lowest - 0.2,
        plan.lowest + height,
    )  # fmt: skip
    boards = []
    for k in range(plan.count):
        room = plan.every - 0.03 if k + 1 < plan.count else OVER_TOP
        item = Item(
            "Shelf",
            Vec3(plan.width, room, plan.depth),
            variant=1,
            details=(("brackets", "yes"), ("thickness", 0.022)),
        )
        base = wall.spot(spot, plan.depth / 2, plan.lowest + k * plan.every)
        boards.append(shell.layout.put(item, base, wall.yaw))
    return boards


def _free_stretch(
    shell: Shell, wall: Wall, plan: ShelfPlan, height: float, at: float | None
) -> float | None:
    half = plan.width / 2 + 0.03
    if wall.length < 2 * half + 0.1:
        return None
    for _ in range(30 if at is None else 1):
        low, high = half + 0.05, wall.length - half - 0.05
        middle = float(shell.layout.draw.uniform(low, high)) if at is None else at
        if middle - half < 0 or middle + half > wall.length:
            return None
        # next to a fridge or a wardrobe, the things on a board are hidden
        beyond = 0.15 if at is None else 0.0
        start, end = middle - half - beyond, middle + half + beyond
        if shell.bare(wall, (start, end, plan.lowest - 0.2, plan.lowest + height), plan.depth):
            return middle
    return None


def row_of_books(layout: RoomLayout, board: ObjectSpec, count: int) -> int:
    """Books side by side, their spines to the front, from one end of a board; how many found
    room."""
    draw, size = layout.draw, board.body.size
    side = 1 if draw.random() < 0.5 else -1
    at = size.x / 2 - 0.02
    placed = 0
    for _ in range(count):
        thick = float(draw.uniform(0.024, 0.045))
        tall = float(draw.uniform(0.20, 0.25))
        deep = min(float(draw.uniform(0.15, 0.18)), size.z - 0.03)
        if tall > size.y - 0.02:
            break
        item = Item("Book", Vec3(thick, tall, deep))
        spot = (side * (at - thick / 2), -size.z / 2 + deep / 2 + 0.01)
        placed += layout.lay_at(item, board, spot) is not None
        at -= thick + 0.002
    return placed


def fill_shelves(
    layout: RoomLayout, boards: list[ObjectSpec], kinds: tuple[str, ...], books: int
) -> None:
    """Rows of books on some boards, other things on all of them in turn."""
    if not boards:
        return
    draw = layout.draw
    order = [boards[int(number)] for number in draw.permutation(len(boards))]
    for board in order[:2]:
        if books > 0:
            count = min(books, int(draw.integers(2, 5)))
            books -= row_of_books(layout, board, count)
    for number, kind in enumerate(draw.permutation(list(kinds))):
        for shift in range(len(order)):
            board = order[(number + shift) % len(order)]
            if layout.lay(str(kind), board, yaw=float(draw.uniform(-20, 20))) is not None:
                break


# --- Furniture with drawers: the body, and a Drawer object for each of its openings

FRAME = 0.025
"""Metres of wood around and between drawers."""
BACK = 0.03
"""Metres between a drawer and the body's back."""


@dataclass(frozen=True)
class Drawers:
    """Where drawers are in a front.

    Attributes:
        columns, rows: how many.
        low, high: heights between which they lie, metres above the body's underside.
        left, right: limits along the front, metres from its middle to the left (+x); the whole
            width if both are 0.
    """

    columns: int
    rows: int
    low: float
    high: float
    left: float = 0.0
    right: float = 0.0

    def openings(self, size: Vec3) -> tuple[tuple[float, float, float, float], ...]:
        """(x0, y0, x1, y1) of each, in the body's local frame."""
        x1 = self.left or size.x / 2 - FRAME
        x0 = self.right or -(size.x / 2 - FRAME)
        wide = (x1 - x0 - FRAME * (self.columns - 1)) / self.columns
        tall = (self.high - self.low - FRAME * (self.rows - 1)) / self.rows
        return tuple(
            (
                x0 + column * (wide + FRAME),
                self.low + row * (tall + FRAME),
                x0 + column * (wide + FRAME) + wide,
                self.low + row * (tall + FRAME) + tall,
            )
            for row in range(self.rows)
            for column in range(self.columns)
        )


def with_drawers(item: Item, drawers: Drawers) -> Item:
    """The body's item, with its openings as a detail."""
    holes = drawers.openings(item.extent)
    return replace(item, details=(*item.details, ("drawers", holes)))


def fill_drawers(layout: RoomLayout, body: ObjectSpec, drawers: Drawers) -> list[ObjectSpec]:
    """A Drawer object in each opening of a placed body."""
    made = []
    size = body.body.size
    yaw = body.rotation.y
    for x0, y0, x1, y1 in drawers.openings(size):
        deep = size.z - BACK
        local = Vec3((x0 + x1) / 2, y0 - size.y / 2, BACK / 2)
        base = body.body.rotation.apply(local) + body.body.center
        item = Item(
            "Drawer",
            Vec3(x1 - x0 - 0.006, y1 - y0 - 0.006, deep),
            variant=body.variant,
            details=(("wood", layout.palette.wood),),
        )
        made.append(layout.put(item, base + Vec3(0.0, 0.003, 0.0), yaw))
    return made


# --- Desks with their drawers, chairs and lamps

CHAIR_OUT = 0.30
"""Metres from a desk's front to the middle of its chair."""
ASIDE = 0.16
"""Metres by which the chair is shifted away from the drawers."""


def stand_desk(shell: Shell, walls: tuple[Wall, ...], kinds: tuple[str, ...]) -> ObjectSpec | None:
    """A desk at the first wall with room, its chair before it, a lamp on it, some of the kinds in
    its drawers; None if no wall has room."""
    draw, layout = shell.layout.draw, shell.layout
    size = Vec3(float(draw.uniform(1.1, 1.5)), 0.75, float(draw.uniform(0.58, 0.68)))
    half = size.x / 2
    plan = Drawers(1, int(draw.integers(2, 4)), 0.08, 0.68, left=half - 0.03, right=half - 0.43)
    for wall in walls:
        desk = shell.against(wall, with_drawers(Item("Desk", size), plan), front=0.8)
        if desk is None:
            continue
        shell.reserve_before(desk, 0.6)
        for drawer in fill_drawers(layout, desk, plan):
            if draw.random() < 0.6:
                layout.lay(str(draw.choice(kinds)), drawer)
        base = wall.spot(along(wall, desk) + ASIDE, 0.02 + size.z + CHAIR_OUT)
        chair = Item("Chair", parents=(shell.floor.object_id,))
        yaw = (wall.yaw + 180 + float(draw.uniform(-25, 25))) % 360
        layout.stand(chair, base, yaw, kept=False)
        if draw.random() < 0.6:
            lamp = Item("DeskLamp", start=StartState(toggled=bool(draw.random() < 0.6)))
            layout.lay(lamp, desk, yaw=0.0, at_back=True)
        return desk
    return None
