"""Support surfaces: the level rectangles on which the objects of a room can hold things in their
present state.

They come from the assets, so supported things rest on what is drawn. An asset without surfaces
offers the top of its box, or its inside if its type holds things inside.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.catalogue import known_types, model
from env_service.worlds.household.assets.model import Model, Palette, Surface, place
from env_service.worlds.household.geometry import Rotation, Transform, Vec3, yaw_towards
from env_service.worlds.household.scene.spec import SceneSpec, request_for
from env_service.worlds.household.simulation.space.containment import ENCLOSING
from env_service.worlds.household.state import ObjectState

WALL = 0.015
"""Metres: thickness of a container's walls where an asset says nothing of its inside."""

LEVEL = math.cos(math.radians(10.0))
"""A surface that leans by more than 10 degrees is none."""

OPEN_AIR = 10.0
"""Metres of clearance where nothing is above."""

VESSELS = frozenset({"Bowl", "Cup", "Mug", "Pan", "Pot"})
"""Small round things with a rim, in which others stand."""

FLARED = frozenset({"Bowl", "Plate"})
"""Round things that are wider at the rim than at the bottom."""

CHAMBER_WALL = 0.02
"""Metres: thickness of a microwave's walls."""

HOLLOW = VESSELS | {"BathtubBasin", "GarbageCan", "Sink", "SinkBasin"}
"""Receptacles with walls and no lid."""


@dataclass(frozen=True)
class Support:
    """A level rectangle in the room, or the ellipse in it.

    Attributes:
        receptacle: id of the object that offers it.
        frame: its local frame in the room: origin in its middle, y up, z towards the front of the
            receptacle.
        width, depth: metres along its x and z.
        clearance: free height above it, metres.
        inside: whether walls enclose it.
        round: whether only the ellipse counts.
        part: name of the receptacle's moving part that carries it, None if it stays.
        beyond: only things with a longer half diagonal, metres, rest here: what is wider than the
            bottom of a bowl gets stuck higher up.
    """

    receptacle: str
    frame: Transform
    width: float
    depth: float
    clearance: float = OPEN_AIR
    inside: bool = False
    round: bool = False
    part: str | None = None
    beyond: float = 0.0

    @property
    def height(self) -> float:
        """Metres above the origin of the room."""
        return self.frame.position.y

    def local(self, point: Vec3) -> Vec3:
        """A point of the room in the support's frame."""
        return self.frame.inverse().apply(point)

    def covers(self, point: Vec3, slack: float = 0.0) -> bool:
        """Whether a point is straight above or below it, or at most `slack` metres outside."""
        spot = self.local(point)
        half_x, half_z = self.width / 2 + slack, self.depth / 2 + slack
        if self.round:
            return (spot.x / half_x) ** 2 + (spot.z / half_z) ** 2 <= 1.0
        return abs(spot.x) <= half_x and abs(spot.z) <= half_z


def supports(scene: SceneSpec, item: ObjectState) -> tuple[Support, ...]:
    """The surfaces that an object offers now, those of its moving parts where they are. A leaning
    object offers none, and neither does a sink whose basin is a separate object."""
    if item.spec.type == "Floor":
        return (_floor(scene, item),)
    built = built_model(item, scene.palette)
    if built is None or not built.surfaces:
        if basin_id(scene, item) is not None:
            return ()
        offered: tuple[Surface, ...] = (_box_surface(item),)
    else:
        offered = built.surfaces
    frame = item.pose @ item.spec.asset_frame
    found = []
    for surface in offered:
        motion = part_motion(built, surface.part, item.openness)
        support = _placed(item, surface, frame @ motion if motion else frame)
        if support is not None:
            found.extend(_levels(item, support))
    return tuple(found)


def basin_id(scene: SceneSpec, item: ObjectState) -> str | None:
    """Id of the basin of a sink or a bathtub, if the scene lists it as a separate object."""
    if item.spec.type not in ("Bathtub", "Sink"):
        return None
    names = (f"{item.id}|{kind}" for kind in ("SinkBasin", "BathtubBasin"))
    return next((name for name in names if name in scene.by_id), None)


def built_model(item: ObjectState, palette: Palette) -> Model | None:
    """An object's asset in its plain look; None for a type without a builder."""
    if item.spec.type not in known_types():
        return None
    return model(request_for(item.spec, palette))


def part_motion(built: Model | None, name: str | None, openness: float) -> Transform | None:
    """How a part of an asset is moved in the asset's frame; None if it stays or is not rigid."""
    if built is None or name is None:
        return None
    part = next((part for part in built.parts if part.name == name), None)
    if part is None or part.motion is None:
        return None
    return _rigid(place(part, openness))


def model_extent(built: Model, frame: Transform, openness: float) -> tuple[Vec3, Vec3]:
    """The lowest and highest corner of the axis-aligned box around an asset in a frame of the room,
    opened that far; what casts no shadow, such as water, does not count."""
    rotation = np.array(frame.rotation.rows)
    lows, highs = [], []
    for part in built.parts:
        if not part.casts_shadow and part.motion is None:
            continue
        moved = place(part, openness)
        points = part.mesh.points @ moved[:, :3].T + moved[:, 3]
        turned = points @ rotation.T
        lows.append(turned.min(axis=0))
        highs.append(turned.max(axis=0))
    low, high = np.min(lows, axis=0), np.max(highs, axis=0)
    at = frame.position
    return (
        at + Vec3(*(round(float(value), 6) for value in low)),
        at + Vec3(*(round(float(value), 6) for value in high)),
    )


def carrying_part(scene: SceneSpec, holder: ObjectState, content: ObjectState) -> str | None:
    """Name of the receptacle's moving part that carries a thing in it, None for none."""
    body = content.body
    foot = Vec3(body.center.x, body.bottom, body.center.z)
    near = [each for each in supports(scene, holder) if each.covers(foot, slack=0.05)]
    if not near:
        return None
    return min(near, key=lambda each: abs(each.height - foot.y)).part


def _placed(item: ObjectState, surface: Surface, frame: Transform) -> Support | None:
    up = frame.rotation.apply(Vec3(0.0, 1.0, 0.0))
    if up.y < LEVEL:
        return None
    (low_x, low_z), (high_x, high_z) = surface.low, surface.high
    middle = Vec3((low_x + high_x) / 2, surface.height, (low_z + high_z) / 2)
    front = frame.rotation.apply(Vec3(0.0, 0.0, 1.0))
    return Support(
        receptacle=item.id,
        frame=Transform(
            Rotation.yaw(_snapped(yaw_towards(Vec3(0.0, 0.0, 0.0), front))), frame.apply(middle)
        ),
        width=high_x - low_x,
        depth=high_z - low_z,
        clearance=surface.clearance,
        inside=surface.inside,
        round=surface.round,
        part=surface.part,
    )


def _snapped(yaw: float) -> float:
    """A yaw to a thousandth of a degree: a dumped 269.99994 becomes 270."""
    return round(yaw, 3) % 360.0


def _levels(item: ObjectState, support: Support) -> list[Support]:
    """What a surface offers by the shape of its receptacle: a microwave holds more than its
    turntable, a bowl things that are wider than its bottom."""
    size, kind = item.spec.body.size, item.spec.type
    if kind == "Microwave":
        middle = (item.pose @ item.spec.asset_frame).inverse().apply(support.frame.position)
        width = size.x - 2 * abs(middle.x) - 2 * CHAMBER_WALL
        depth = size.z - 2 * abs(middle.z) - 2 * CHAMBER_WALL
        wider = max(width, support.width), max(depth, support.depth)
        return [replace(support, width=wider[0], depth=wider[1], round=False)]
    if kind not in FLARED or not support.round:
        return [support]
    bottom, rim = support.width / 2, min(size.x, size.z) / 2 * 0.95
    rise = item.extent[1].y - support.height
    found, below = [support], bottom
    for share in (0.3, 0.6, 0.95):
        radius = bottom + (rim - bottom) * share**0.7
        up = Transform(support.frame.rotation, support.frame.position + Vec3(0, rise * share, 0))
        found.append(
            replace(support, frame=up, width=2 * radius, depth=2 * radius, beyond=below * 0.95)
        )
        below = radius
    return found


def _floor(scene: SceneSpec, item: ObjectState) -> Support:
    bounds = scene.bounds
    middle = Vec3(bounds.center.x, bounds.bottom, bounds.center.z)
    return Support(item.id, Transform(position=middle), bounds.size.x, bounds.size.z)


def _box_surface(item: ObjectState) -> Surface:
    """The surface of an asset without named surfaces, from its box."""
    size, kind = item.spec.body.size, item.spec.type
    half_x, half_z = size.x / 2, size.z / 2
    if kind in ENCLOSING:
        wall = min(WALL, half_x / 4, half_z / 4, size.y / 4)
        return Surface(
            (wall - half_x, wall - half_z),
            (half_x - wall, half_z - wall),
            height=wall,
            clearance=size.y - 2 * wall,
            inside=True,
        )
    if kind in HOLLOW:
        share = 0.7
        return Surface(
            (-half_x * share, -half_z * share),
            (half_x * share, half_z * share),
            height=min(WALL, size.y / 4),
            inside=True,
            round=kind in VESSELS,
        )
    if kind == "CoffeeMachine":  # a mug's place, in front of the tank and under the spout
        return Surface((-0.06, half_z * 0.1), (0.06, half_z * 0.8), height=size.y * 0.08)
    return Surface((-half_x, -half_z), (half_x, half_z), size.y, round=kind == "Plate")


def _rigid(matrix: NDArray[np.float64]) -> Transform | None:
    """A [3, 4] map as a rigid motion, None if it is not one."""
    rows = [[float(value) for value in row] for row in matrix]
    for i in range(3):
        if abs(math.fsum(rows[k][i] * rows[k][i] for k in range(3)) - 1.0) > 1e-6:
            return None
    a, b, c = rows
    rotation = Rotation(((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2])))
    return Transform(rotation, Vec3(a[3], b[3], c[3]))
