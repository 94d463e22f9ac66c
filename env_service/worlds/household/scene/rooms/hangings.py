"""What hangs: pictures, towels on their rails, paper on its hanger, mirrors, screens."""

from __future__ import annotations

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.furnishing import Furnishing, Item
from env_service.worlds.household.scene.rooms.shell import Shell
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec

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


def hang_towel(furnishing: Furnishing, holder: ObjectSpec, kind: str, size: Vec3) -> ObjectSpec:
    """A towel over its rail or through its ring."""
    body = holder.body
    ahead = body.rotation.apply(Vec3(0.0, 0.0, body.size.z * 0.4))
    edge = body.center.y - body.size.y / 2 + OVER_RAIL
    base = Vec3(body.center.x + ahead.x, edge - size.y, body.center.z + ahead.z)
    return furnishing.put(Item(kind, size, parents=(holder.object_id,)), base, holder.rotation.y)


def hang_roll(furnishing: Furnishing, holder: ObjectSpec) -> ObjectSpec:
    """A roll of toilet paper on its hanger."""
    body = holder.body
    ahead = body.rotation.apply(Vec3(0.0, 0.0, body.size.z * 0.3))
    middle = body.center + ahead - Vec3(0.0, PAPER_BELOW, 0.0)
    item = Item("ToiletPaper", parents=(holder.object_id,))
    return furnishing.put_tilted(item, middle, Vec3(0.0, holder.rotation.y, 90.0))


def hang_picture(
    shell: Shell, wall: Wall, kind: str = "Painting", *, at: float | None = None
) -> ObjectSpec | None:
    """A picture at eye level, in one of several sizes, wide or upright; None if the wall has no
    room."""
    draw = shell.furnishing.draw
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
