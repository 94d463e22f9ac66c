"""Bathtubs with their taps and curtains, and showers behind glass."""

from __future__ import annotations

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.footprints import Footprint
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Item
from env_service.worlds.household.scene.rooms.shell import HEIGHT, Band, Shell
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec

TUB_HEIGHT, TUB_DEPTH = 0.56, 0.78
RIM = 0.09
"""Metres of a tub's edge around its hollow."""
GROUND = 0.10
"""Metres from the floor to the ground of a tub's hollow."""
TAP_OVER = 0.06
"""Metres from a tub's rim up to its tap."""
ROD = 2.08
"""Metres from the floor to a curtain's rod."""
CLOTH = 0.30
"""Metres from the floor to a curtain's hem, inside the tub's outer edge."""
TRAY = 0.05
"""Metres: the height of a shower's tray."""
HEAD = 2.05
"""Metres from the floor to a shower head, about."""


def build_bath(shell: Shell, wall: Wall) -> None:
    """A tub along the wall, with its basin, tap, shower head, and mostly a curtain in front.

    Raises:
        CrampedError: the wall has no room for it.
    """
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    long = min(float(draw.uniform(1.6, 1.8)), wall.length - 0.06)
    left = bool(draw.random() < 0.5)
    at = long / 2 + 0.03 if left else wall.length - long / 2 - 0.03
    hollow = Vec3(long - 2 * RIM, TUB_HEIGHT - 0.02 - GROUND, TUB_DEPTH - 2 * RIM)
    hole = ((-hollow.x / 2, -hollow.z / 2, hollow.x / 2, hollow.z / 2),)
    item = Item("Bathtub", Vec3(long, TUB_HEIGHT, TUB_DEPTH), details=(("basins", hole),))
    tub = shell.against(wall, item, at=at, front=0.05, gap=0.005)
    if tub is None:
        raise CrampedError(f"no room for a bath in {furnishing.name}")
    shell.reserve_before(tub, 0.45)
    middle = TUB_DEPTH / 2 + 0.005
    basin = f"{tub.object_id}|BathtubBasin"
    furnishing.put_as(basin, Item("BathtubBasin", hollow), wall.spot(at, middle, GROUND), wall.yaw)
    # the tap is over the end of the tub that lies away from the curtain
    end = at + (-1 if left else 1) * (long / 2 - 0.32)
    low = TUB_HEIGHT + TAP_OVER
    tap = Item(
        "Faucet",
        Vec3(0.18, 0.14, 0.24),
        details=(("mount", "wall"), ("land", GROUND + 0.004 - low)),
    )
    furnishing.put(tap, wall.spot(end, tap.extent.z / 2, low), wall.yaw)
    _shower_head(shell, wall, end, GROUND)
    shell.ledgers[wall.name].take(at - long / 2, at + long / 2)
    if draw.random() < 0.75:
        _curtain(shell, wall, tub, left=left)


def _curtain(shell: Shell, wall: Wall, tub: ObjectSpec, *, left: bool) -> None:
    """A curtain at the end of the tub away from its tap, on a rod from wall to wall."""
    long = tub.body.size.x
    wide = long * 0.32
    side = 1 if left else -1
    at = (tub.body.center - wall.left).dot(wall.along) + side * (long - wide) / 2
    # the asset's x runs against the wall's direction
    rod = ((at - wall.length, at),)
    details = (("rod", rod), ("hinge", "right" if side > 0 else "left"))
    item = Item("ShowerCurtain", Vec3(wide, ROD - CLOTH, 0.10), details=details)
    shell.furnishing.put(item, wall.spot(at, TUB_DEPTH - 0.01, CLOTH), wall.yaw)


def _shower_head(shell: Shell, wall: Wall, at: float, ground: float) -> None:
    """A rain shower on its riser, or a hand shower on its hook."""
    draw = shell.furnishing.draw
    if draw.random() < 0.5:
        low, size = HEAD - 1.45 + 0.12, Vec3(0.26, 1.45, 0.38)
    else:
        low, size = HEAD - 0.34, Vec3(0.15, 0.34, 0.28)
    fall = round(low + size.y - 0.05 - ground, 3)
    item = Item("ShowerHead", size, details=(("fall", fall),))
    shell.furnishing.put(item, wall.spot(at, size.z / 2, low), wall.yaw)


def build_shower(shell: Shell, wall: Wall) -> Band:
    """A shower in the wall's left corner, behind glass, with a door; what of the wall it takes.

    Raises:
        CrampedError: the wall is too short.
    """
    furnishing, draw = shell.furnishing, shell.furnishing.draw
    side = float(draw.uniform(0.88, 1.05))
    middle = wall.spot(side / 2, side / 2)
    own = Footprint(middle.x, middle.z, side, side, wall.yaw)
    if any(own.meets(other) for other in (*furnishing.standing, *furnishing.reserved)):
        raise CrampedError(f"no room for a shower in {furnishing.name}")
    tray = Box(middle + Vec3(0.0, TRAY / 2, 0.0), Vec3(side, TRAY, side), Rotation.yaw(wall.yaw))
    furnishing.build("Worktop", tray, details=(("stone", "white marble"),), solid=False)
    _shower_head(shell, wall, side / 2, TRAY)
    tap = Item(
        "Faucet", Vec3(0.16, 0.14, 0.14), details=(("mount", "wall"), ("land", TRAY - 1.0 + 0.004))
    )
    furnishing.put(tap, wall.spot(side / 2 + 0.22, tap.extent.z / 2, 1.0), wall.yaw)
    door = Item("ShowerDoor", Vec3(side - 0.01, HEAD, 0.04))
    furnishing.put(door, wall.spot(side / 2, side - 0.02, TRAY), wall.yaw)
    pane = Item("ShowerGlass", Vec3(side - 0.05, HEAD, 0.03))
    furnishing.put(pane, wall.spot(side - 0.015, side / 2 - 0.02, TRAY), (wall.yaw + 270) % 360)
    shell.ledgers[wall.name].take(0.0, side + 0.05)
    before = shell.walls[shell.walls.index(wall) - 1]
    shell.ledgers[before.name].take(before.length - side - 0.05, before.length)
    furnishing.standing.append(own)
    shell.reserve(wall, (0.0, side), side, 0.5)
    return (0.0, side, 0.0, HEIGHT)
