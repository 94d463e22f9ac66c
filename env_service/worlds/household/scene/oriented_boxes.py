"""The oriented box that an object's asset fills: its up axis, its front, its size."""

import math

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.facing import quarter_turns, slanted_yaw, yaw_of
from env_service.worlds.household.scene.footprints import Rectangle
from env_service.worlds.household.scene.surroundings import Surroundings, nearest_yaw
from env_service.worlds.household.scene.thor_records import ThorRecord

THINNEST = 0.004
"""Metres; an object that AI2-THOR measures as a plane gets this extent, without which it could not
be drawn."""

THICKEST = 1.0
"""Metres: a window's box that is thicker is that of several meshes (FloorPlan204 has one)."""

_NO_UPRIGHT = frozenset(
    {
        "Apple",
        "BaseballBat",
        "BasketBall",
        "Bread",
        "ButterKnife",
        "Candle",
        "Egg",
        "Fork",
        "Knife",
        "Ladle",
        "Lettuce",
        "Pen",
        "Pencil",
        "Potato",
        "Spatula",
        "Spoon",
        "TennisRacket",
        "Tomato",
    }
)
"""Types whose axes say nothing about their orientation: the axis that points most upwards at the
start is up."""

_TABLES = frozenset({"CoffeeTable", "Desk", "DiningTable", "Dresser", "SideTable", "TVStand"})
_RIM = 0.13
"""Metres: a thing that is lower in a table (not a desk) is on a board below its top."""

_DEPTHS = {"CounterTop": 0.65, "Drawer": 0.5, "Window": 0.12}
"""Usual depths of things across a corner, metres: their axis-aligned boxes give only the sum of
width and depth."""

_SLIM = {"Faucet": 0.35, "ShowerHead": 0.8, "StoveKnob": 1.0}
"""Width as a share of depth for turned things of these types."""


def body_of(record: ThorRecord, around: Surroundings) -> Box:
    """The box that the asset of an object fills, in the asset's frame (y up, +z the front)."""
    if record.type in _TABLES:
        return _to_surface(record, _plain_body(record, around), around)
    if record.type == "Shelf" and 0.0 in record.bounds.size.tuple():
        return _board_under(record, _plain_body(record, around), around)
    return _plain_body(record, around)


def _to_surface(record: ThorRecord, box: Box, around: Surroundings) -> Box:
    """A table up to the level on which things lie. AI2-THOR's box of a table with shelves or a rim
    above reaches to the top of these; shelves are separate objects."""
    levels = [
        r.low
        for kind, items in around.by_type.items()
        if kind not in {"Shelf", "Drawer", "Cabinet"}
        for r in items
        if record.object_id in (r.parents or ()) and not _fitted_in(r, record)
    ]
    above = box.center.y + box.size.y / 2 - max(levels) if levels else 0.0
    if above < 0.005 or (above > _RIM and record.type != "Desk"):
        return box
    down = box.rotation.apply(Vec3(0.0, above / 2, 0.0))
    size = Vec3(box.size.x, box.size.y - above, box.size.z)
    return Box(box.center - down, size, box.rotation)


def _fitted_in(record: ThorRecord, table: ThorRecord) -> bool:
    """Whether a thing is in a drawer of a table rather than on it."""
    held = [parent.split("|")[0] for parent in record.parents or () if parent != table.object_id]
    return bool({"Cabinet", "Drawer", "Shelf"} & set(held))


def _board_under(record: ThorRecord, box: Box, around: Surroundings) -> Box:
    """A shelf that AI2-THOR measures as an upright plane: a board under the things on it (two, in
    FloorPlan302 and 306)."""
    lying = [
        r for items in around.by_type.values() for r in items
        if record.object_id in (r.parents or ())
    ]  # fmt: skip
    if not lying:
        return box
    spots = [Rectangle.under(record.bounds), *(r.spot for r in lying)]
    cover = Rectangle(
        min(s.west for s in spots) - 0.02,
        max(s.east for s in spots) + 0.02,
        min(s.south for s in spots) - 0.02,
        max(s.north for s in spots) + 0.02,
    )
    level = min(r.low for r in lying)
    return _upright(cover.box(level - 0.02, level), nearest_yaw(yaw_of(record, around)))


def _plain_body(record: ThorRecord, around: Surroundings) -> Box:
    if record.oriented is not None:
        return _from_oriented(record, record.oriented, around)
    if record.type == "Toilet":
        return _toilet(record)
    if record.type == "Window" and min(record.spot.width, record.spot.depth) > THICKEST:
        return _pane(record, around)
    yaw = yaw_of(record, around)
    if min(yaw % 90.0, 90.0 - yaw % 90.0) < 3.0:
        return _upright(record.bounds, round(yaw / 90.0) % 4 * 90.0)
    return _turned(record, yaw, around)


def _from_oriented(record: ThorRecord, box: Box, around: Surroundings) -> Box:
    """Along the object's own axes, relabelled so that y is up and z the front."""
    turn = box.rotation
    if record.type not in _NO_UPRIGHT:
        quarter = Rotation.yaw(90.0 * quarter_turns(record, around))
        return Box(box.center, _positive(_extents(quarter, box.size)), turn @ quarter)
    axes = [turn.apply(Vec3(*row)) for row in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))]
    # of equal ones the object's own y, then z, then x
    up = max((1, 2, 0), key=lambda k: round(abs(axes[k].y), 3))
    front = 2 if up != 2 else 1
    label = _relabelled(up, 1.0 if axes[up].y >= 0 else -1.0, front)
    return Box(box.center, _positive(_extents(label, box.size)), turn @ label)


def _relabelled(up: int, sign: float, front: int) -> Rotation:
    """The rotation whose y column is one axis, whose z column another."""
    y, z = ([0.0, 0.0, 0.0] for _ in range(2))
    y[up], z[front] = sign, 1.0
    x = [y[1] * z[2] - y[2] * z[1], y[2] * z[0] - y[0] * z[2], y[0] * z[1] - y[1] * z[0]]
    return Rotation(((x[0], y[0], z[0]), (x[1], y[1], z[1]), (x[2], y[2], z[2])))


def _extents(label: Rotation, size: Vec3) -> Vec3:
    """The size along the axes of a rotation by quarter turns."""
    turned = label.inverse().apply(size)
    return Vec3(*(abs(value) for value in turned.tuple()))


def _positive(size: Vec3) -> Vec3:
    return Vec3(*(max(extent, THINNEST) for extent in size.tuple()))


def _upright(bounds: Box, yaw: float) -> Box:
    """An axis-aligned box, its width across the direction it faces."""
    turn = Rotation.yaw(yaw)
    return Box(bounds.center, _positive(_extents(turn, bounds.size)), turn)


def _turned(record: ThorRecord, yaw: float, around: Surroundings) -> Box:
    """The box inside the axis-aligned one that faces a slanting direction.

    A rectangle of width w and depth d turned by t has the extents w cos t + d sin t and
    w sin t + d cos t. Near 45 degrees these two are one equation, so the depth or the shape of
    the type is taken as known.
    """
    cosine, sine = (round(abs(f(math.radians(yaw))), 12) for f in (math.cos, math.sin))
    size = record.bounds.size
    if record.type in _DEPTHS or record.type == "Cabinet":
        depth = _corner_depth(record, around)
        total = (size.x + size.z) / (cosine + sine)
        depth = min(depth, total * 0.7)
        width = total - depth
    elif abs(cosine - sine) > 0.35 and record.type not in _SLIM:
        scale = cosine * cosine - sine * sine
        width = (size.x * cosine - size.z * sine) / scale
        depth = (size.z * cosine - size.x * sine) / scale
        width, depth = max(width, 0.02), max(depth, 0.02)
    else:
        share = _SLIM.get(record.type, 1.0)
        depth = min(size.x / (share * cosine + sine), size.z / (share * sine + cosine))
        width = share * depth
    return Box(record.bounds.center, _positive(Vec3(width, size.y, depth)), Rotation.yaw(yaw))


def _corner_depth(record: ThorRecord, around: Surroundings) -> float:
    """The depth of something across a corner: a cabinet's from its hinge, which splits the side of
    its box into the shadows of width and depth; a drawer's from the straight drawers next to it."""
    size = record.bounds.size
    if record.type == "Cabinet":
        offset = record.position - record.bounds.center
        x, z = abs(2 * offset.x / size.x), abs(2 * offset.z / size.z)
        split, side = (offset.x, size.x) if z > x else (offset.z, size.z)
        parts = sorted((side / 2 + split, side / 2 - split))
        # a base cabinet is deeper than wide, a corner cupboard on the wall wider than deep
        low, high = (part * math.sqrt(2.0) for part in parts)
        return high if record.low < 0.6 else low
    if record.type == "Drawer":
        straight = [
            min(r.bounds.size.x, r.bounds.size.z)
            for r in around.of("Drawer")
            if slanted_yaw(r, around) is None
        ]
        if straight:
            return sorted(straight)[len(straight) // 2]
    return _DEPTHS.get(record.type, 0.5)


def _toilet(record: ThorRecord) -> Box:
    """AI2-THOR's second toilet has a box about as wide as deep around a toilet in its middle that
    takes 45 % of the width and 68 % of the depth (inferred from the things on its tank, and the
    wall)."""
    box = _upright(record.bounds, nearest_yaw(record.rotation.y))
    if box.size.x <= 0.75 * box.size.z:
        return box
    size = Vec3(0.45 * box.size.x, box.size.y, 0.68 * box.size.z)
    return Box(box.center, size, box.rotation)


def _pane(record: ThorRecord, around: Surroundings) -> Box:
    """A window with a useless box: at its origin, in the wall next to it, as large as the scene's
    other windows."""
    here, inside = record.position, around.shape.inside
    gaps = {
        0.0: here.z - inside.south,
        90.0: here.x - inside.west,
        180.0: inside.north - here.z,
        270.0: inside.east - here.x,
    }
    yaw = min(gaps, key=lambda side: abs(gaps[side]))
    sizes = sorted(
        (max(r.spot.width, r.spot.depth), r.bounds.size.y)
        for r in around.of("Window")
        if min(r.spot.width, r.spot.depth) < 0.4
    )
    width, height = sizes[len(sizes) // 2] if sizes else (0.9, 1.2)
    return Box(here, Vec3(width, height, 0.08), Rotation.yaw(yaw))
