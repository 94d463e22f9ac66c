"""What rooms of several kinds have: windows with curtains or blinds; pictures, towels, paper,
mirrors and screens on walls; shelves, furniture with drawers, and desks with chairs and lamps.
"""

from dataclasses import dataclass, replace

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.layout import Footprint, Item, RoomLayout
from env_service.worlds.household.scene.rooms.shell import THICKNESS, Shell, Wall, WallOpening
from env_service.worlds.household.scene.spec import ObjectSpec, StartState

# --- What hangs on walls

SKY_DISTANCE = 1.2
"""Metres from a window to the picture of the world outside."""
DEPTH = 0.12
"""Metres of a window, in the wall and before it."""
BEYOND = 0.28
"""Metres that curtains reach beyond a window at each side."""
HANGING = 0.16
"""Metres of wall above a window that a curtain rod takes."""


def build_window(shell: Shell, wall: Wall, opening: WallOpening) -> ObjectSpec:
    """A window with a view."""
    shell.openings[wall.name].append(opening)
    shell.ledgers[wall.name].take(
        opening.start - 0.06, opening.end + 0.06, opening.low - 0.06, opening.high + 0.06
    )
    across, up = opening.end - opening.start, opening.high - opening.low
    middle = (opening.start + opening.end) / 2
    layout = shell.layout
    high = (opening.low + opening.high) / 2
    body = Box(
        wall.spot(middle, -THICKNESS - SKY_DISTANCE, high),
        Vec3(across + 2.4, up + 2.4, 0.02),
        Rotation.yaw(wall.yaw),
    )
    layout.build("Sky", body, solid=False, variant=int(layout.draw.integers(8)))
    item = Item("Window", Vec3(across, up, DEPTH))
    return layout.put(item, wall.spot(middle, -0.03, opening.low), wall.yaw)


def hang_curtains(shell: Shell, wall: Wall, opening: WallOpening) -> ObjectSpec | None:
    """Curtains down to the floor, drawn aside; None where the wall next to the window is short or
    taken."""
    start, end = opening.start - BEYOND, opening.end + BEYOND
    top = opening.high + HANGING
    ledger = shell.ledgers[wall.name]
    sides = ((start, opening.start - 0.07), (opening.end + 0.07, end))
    if start < 0.02 or end > wall.length - 0.02:
        return None
    if not all(ledger.free(low, high, 0.0, top) for low, high in sides):
        return None
    for low, high in sides:
        ledger.take(low, high, 0.0, top)
        middle = wall.spot((low + high) / 2, 0.08)
        bunch = Footprint(middle.x, middle.z, high - low, 0.16, wall.yaw)
        shell.layout.standing.append(bunch)
    item = Item("Curtains", Vec3(end - start, top - 0.02, 0.14), _same(shell, "Curtains"))
    return shell.layout.put(item, wall.spot((start + end) / 2, 0.09, 0.02), wall.yaw)


def hang_blinds(shell: Shell, wall: Wall, opening: WallOpening) -> ObjectSpec:
    """A Venetian blind, drawn up."""
    size = Vec3(opening.end - opening.start + 0.06, opening.high - opening.low + 0.08, 0.04)
    middle = (opening.start + opening.end) / 2
    place = wall.spot(middle, 0.055, opening.low - 0.02)
    return shell.layout.put(Item("Blinds", size, _same(shell, "Blinds")), place, wall.yaw)


def _same(shell: Shell, kind: str) -> int | None:
    """The look that a type has in the room already; None if it has none."""
    alike = (spec.variant for spec in shell.layout.objects.values() if spec.type == kind)
    return next(alike, None)


def dress_window(shell: Shell, wall: Wall, opening: WallOpening, *, curtains: float) -> None:
    """Curtains with a chance, else mostly blinds."""
    drawn = float(shell.layout.draw.random())
    if drawn < curtains and hang_curtains(shell, wall, opening) is not None:
        return
    if drawn < 0.9:
        hang_blinds(shell, wall, opening)


# --- What hangs: pictures, towels on their rails, paper on its hanger, mirrors, screens

OVER_RAIL = 0.055
"""Metres from a rail's lowest point up to the edge of a towel on it (mean over the floor plans,
data pack "ithor")."""
PAPER_BELOW = 0.05
"""Metres from a hanger's middle down to its roll's (the same source)."""
PAINTINGS = ((0.85, 0.65), (1.1, 0.75), (0.6, 0.8), (0.5, 0.4), (0.45, 0.6))
POSTERS = ((0.60, 0.80), (0.50, 0.70), (0.80, 0.60))
"""Width and height of pictures, metres."""
EYE_LEVEL = 1.55
"""Metres: the height of a picture's middle."""


def hang_towel(layout: RoomLayout, holder: ObjectSpec, kind: str, size: Vec3) -> ObjectSpec:
    """A towel over its rail or through its ring."""
    body = holder.body
    ahead = body.rotation.apply(Vec3(0.0, 0.0, body.size.z * 0.4))
    edge = body.center.y - body.size.y / 2 + OVER_RAIL
    base = Vec3(body.center.x + ahead.x, edge - size.y, body.center.z + ahead.z)
    return layout.put(Item(kind, size, parents=(holder.object_id,)), base, holder.rotation.y)


def hang_roll(layout: RoomLayout, holder: ObjectSpec) -> ObjectSpec:
    """A roll of toilet paper on its hanger."""
    body = holder.body
    ahead = body.rotation.apply(Vec3(0.0, 0.0, body.size.z * 0.3))
    middle = body.center + ahead - Vec3(0.0, PAPER_BELOW, 0.0)
    item = Item("ToiletPaper", parents=(holder.object_id,))
    return layout.put_tilted(item, middle, Vec3(0.0, holder.rotation.y, 90.0))


def hang_picture(
    shell: Shell, wall: Wall, kind: str = "Painting", *, at: float | None = None
) -> ObjectSpec | None:
    """A picture at eye level, in one of several sizes, wide or upright; None if the wall has no
    room."""
    draw = shell.layout.draw
    sizes = POSTERS if kind == "Poster" else PAINTINGS
    wide, high = sizes[int(draw.integers(len(sizes)))]
    thick = 0.05 if kind == "Painting" else 0.02
    item = Item(kind, Vec3(wide, high, thick))
    return shell.hang(wall, item, EYE_LEVEL - high / 2, at=at)


def hang_pictures(shell: Shell, walls: tuple[Wall, ...], count: int) -> None:
    """Pictures on some of the walls, longer walls first, at most two on one."""
    order = sorted(walls, key=lambda wall: -wall.length)
    left = count
    for wall in (*order, *order):
        if left and hang_picture(shell, wall) is not None:
            left -= 1


def along(wall: Wall, spec: ObjectSpec) -> float:
    """Metres along a wall to the middle of an object."""
    return (spec.body.center - wall.left).dot(wall.along)


# --- Shelves and desks

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
