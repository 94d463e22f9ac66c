"""To which side things face, told from where they stand.

AI2-THOR's assets have their front along their own +z, with few exceptions; what is part of a
floor plan's shell (cabinets, drawers, sinks, mirrors, windows) has any rotation, so its front
follows from the wall behind it and the free floor before it. Every rule is a function of its own;
all were checked on the 120 floor plans.
"""

from __future__ import annotations

import math

from env_service.worlds.household.scene.fitted_fronts import (
    DIAGONALS,
    cabinet_front,
    drawer_front,
    shelf_front,
)
from env_service.worlds.household.scene.rectangle import YAWS
from env_service.worlds.household.scene.showers import bath_of
from env_service.worlds.household.scene.surroundings import (
    Surroundings,
    gap,
    nearest_yaw,
    open_front,
    wall_gap,
)
from env_service.worlds.household.scene.thor_records import ThorRecord

_ACROSS_CORNER = 0.4
"""Metres: a window with a square box as wide as this stands across a corner."""

_BASINS = ("SinkBasin", "BathtubBasin", "Sink", "Bathtub")


def yaw_of(record: ThorRecord, around: Surroundings) -> float:
    """The yaw to which an object faces: a multiple of 90, of 45 for what stands across a corner,
    any for what AI2-THOR turned freely."""
    kind = record.type
    if kind == "Cabinet":
        return cabinet_front(record, around).yaw
    if kind == "Drawer":
        return drawer_front(record, around)
    if kind == "Shelf":
        return shelf_front(record, around)
    if kind == "Window" and _stands_slanted(record) and record.spot.width > _ACROSS_CORNER:
        return _open_diagonal(record, around)
    if kind in {"Mirror", "Painting", "Poster", "Window", "Blinds", "Curtains"}:
        return wall_front(record, around)
    if kind in {"Sink", "SinkBasin", "Bathtub", "BathtubBasin"}:
        return basin_front(record, around)
    if kind == "Faucet":
        return faucet_front(record, around)
    if kind == "StoveKnob":
        return knob_front(record, around)
    if kind == "CounterTop" and _stands_slanted(record):
        return _open_diagonal(record, around)
    if kind == "ShowerCurtain":
        return curtain_front(record, around)
    if kind == "ShowerDoor":
        wide = record.spot.width >= record.spot.depth
        return open_front(record, around, (0.0, 180.0) if wide else (90.0, 270.0))
    if kind in {"ShowerGlass", "CounterTop"} or not record.asset_id:
        return open_front(record, around)
    return record.rotation.y % 360.0


def wall_front(record: ThorRecord, around: Surroundings) -> float:
    """A flat thing faces away from the nearest wall that it is parallel to."""
    spot = record.spot
    if spot.width > spot.depth * 1.2:
        options: tuple[float, ...] = (0.0, 180.0)
    elif spot.depth > spot.width * 1.2:
        options = (90.0, 270.0)
    else:
        options = YAWS
    for wall in around.shape.partitions:
        back = (wall.yaw + 180.0) % 360.0
        low, high = spot.across(wall.yaw)
        near = abs(wall.face + spot.side(back))
        if wall.yaw in options and near < 0.1 and low < wall.high and high > wall.low:
            return wall.yaw
    inside = around.shape.inside
    return min(options, key=lambda yaw: abs(wall_gap(inside, spot, yaw)))


def basin_front(record: ThorRecord, around: Surroundings) -> float:
    """A basin's back is the side of its tap; what has no tap has its back to a wall."""
    inner = [r for r in around.of(f"{record.type}Basin") if record.spot.holds(*r.spot.center)]
    if _stands_slanted(record) or (_is_square(record) and any(map(_stands_slanted, inner))):
        return _open_diagonal(record, around)
    taps = [r for r in around.of("Faucet") if gap(record, r) < 0.9]
    spot = record.spot
    if taps and record.type in {"Sink", "SinkBasin"}:
        tap = min(taps, key=lambda r: gap(record, r))
        offset = record.bounds.center - tap.position
        spans = (offset.x / max(spot.width, 0.01), offset.z / max(spot.depth, 0.01))
        if abs(spans[0]) > abs(spans[1]):
            return 90.0 if spans[0] > 0 else 270.0
        return 0.0 if spans[1] > 0 else 180.0
    wide = (0.0, 180.0) if spot.width >= spot.depth else (90.0, 270.0)
    return open_front(record, around, wide if "Bathtub" in record.type else YAWS)


def _stands_slanted(record: ThorRecord) -> bool:
    """Whether AI2-THOR turned a fitting by about 45 degrees; then its box is square."""
    return _is_square(record) and 15.0 < record.rotation.y % 90.0 < 75.0


def _is_square(record: ThorRecord) -> bool:
    return abs(record.spot.width / max(record.spot.depth, 1e-6) - 1.0) < 0.05


def _open_diagonal(record: ThorRecord, around: Surroundings) -> float:
    x, z = record.spot.center
    inside = around.shape.inside.center
    wanted = math.degrees(math.atan2(inside[0] - x, inside[1] - z)) % 360.0
    return min(DIAGONALS, key=lambda yaw: abs((yaw - wanted + 180.0) % 360.0 - 180.0))


def curtain_front(record: ThorRecord, around: Surroundings) -> float:
    """A shower's curtain hangs along its tub and looks away from it."""
    tub = bath_of(record, around)
    if tub is None:
        return open_front(record, around)
    along_x = tub.spot.width >= tub.spot.depth
    (x, z), (tub_x, tub_z) = record.spot.center, tub.spot.center
    if along_x:
        return 0.0 if z >= tub_z else 180.0
    return 90.0 if x >= tub_x else 270.0


def faucet_front(record: ThorRecord, around: Surroundings) -> float:
    """A tap looks to the basin that it runs into."""
    own = record.rotation.y % 360.0
    basins = [r for r in around.of(*_BASINS) if gap(record, r) < 1.6]
    if not basins:
        return own
    basin = min(basins, key=lambda r: (gap(record, r), r.object_id))
    there, here = basin.bounds.center, record.position
    if math.hypot(there.x - here.x, there.z - here.z) < 0.05:
        return own
    wanted = math.degrees(math.atan2(there.x - here.x, there.z - here.z)) % 360.0
    if abs((own - wanted + 180.0) % 360.0 - 180.0) <= 60.0:
        return own
    return nearest_yaw(wanted)


def knob_front(record: ThorRecord, around: Surroundings) -> float:
    """A stove's knobs look away from its burners where they are before them, else over them."""
    burners = around.of("StoveBurner")
    if not burners:
        return open_front(record, around)
    near = sorted(burners, key=lambda r: gap(record, r))[:4]
    return open_front(min(near, key=lambda r: r.object_id), around)
