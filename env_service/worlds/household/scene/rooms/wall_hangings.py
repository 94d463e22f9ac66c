"""Windows with curtains or blinds, and what else hangs on walls: pictures, towels, paper,
mirrors, screens.
"""

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.layout import Footprint, Item, RoomLayout
from env_service.worlds.household.scene.rooms.shell import THICKNESS, Shell, Wall, WallOpening
from env_service.worlds.household.scene.spec import ObjectSpec

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
