"""Where AI2-THOR puts a thing that is put down by force: its spawn points, and their order.

A receptacle has trigger boxes. AI2-THOR tries the points of a grid of 9 by 9 on the bottom of each,
from +x to -x and within that from +z to -z of the box, the edges included; at each point several
rotations of the thing, until its box collides with nothing. Then the corners of its box have to
be within the trigger box, or the point is given up (`InstantiatePrefabTest`, `Contains` and
`SimObjPhysics` of AI2-THOR 4 and 5). The trigger boxes themselves are not in the metadata: they
are the surfaces of our assets, or as measured (`_MEASURED`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from env_service.worlds.household.geometry import Box, Rotation, Transform, Vec3
from env_service.worlds.household.simulation.space.collisions import (
    Obstacle,
    corners,
    free,
    obstacles,
    within,
)
from env_service.worlds.household.simulation.space.containment import ENCLOSING
from env_service.worlds.household.simulation.space.support_surfaces import HOLLOW, Support, supports
from env_service.worlds.household.state import HouseholdState, ObjectState

STEPS = 8
"""Of the grid along each side."""

GAP = 0.005
"""Metres between the spawn point and what stands on it."""

MOST_BOXES = 24
"""Trigger boxes of one receptacle that are tried."""

ALWAYS_UPRIGHT = frozenset(
    {
        "AlarmClock", "Book", "Bottle", "Bowl", "Box", "Bread", "CD", "Candle", "CreditCard", "Cup",
        "Dumbbell", "EggCracked", "Kettle", "KeyChain", "Laptop", "Mug", "Pan", "PepperShaker",
        "Plate", "Pot", "RemoteControl", "SaltShaker", "SoapBottle", "SprayBottle", "Statue",
        "TableTopDecor", "Vase",
    }
)  # fmt: skip
"""Types that AI2-THOR does not tilt."""

_MEASURED = {
    "Box": ((0.547, 0.743), (0.528, 0.73), 0.05),
    "GarbageCan": ((0.76, 0.643), (0.735, 0.595), 0.084),
}
"""By type, shares of the receptacle's box along its axes x and z: of the trigger box, and of the
room between the walls; and the share of its height at which things stand. From 13 recorded places
of things in two cans and a box."""


@dataclass(frozen=True)
class TriggerBox:
    """A trigger box: its frame (origin in the middle of its bottom), its half sizes along x and z,
    those of the room between the walls, and the height of the room; None for no walls, or lid."""

    frame: Transform
    half: tuple[float, float]
    walls: tuple[float, float] | None = None
    height: float | None = None

    def points(self) -> Iterator[Vec3]:
        """The grid's points, in its frame, in AI2-THOR's order. The edges are left out: nothing
        that stands there has its corners inside."""
        for i, j in product(range(1, STEPS), repeat=2):
            x, z = (half * (1 - 2 * k / STEPS) for half, k in zip(self.half, (i, j), strict=True))
            yield Vec3(x, 0.0, z)


def grid_pose(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState
) -> Transform | None:
    """The first pose of the item's local frame that the algorithm accepts; None for none."""
    around = obstacles(state, item, receptacle, airy=False)
    ways = _ways(item)
    for trigger in _triggers(state, receptacle)[:MOST_BOXES]:
        near = _around(trigger, item, around)
        for point in trigger.points():
            pose = _standing(trigger, point, ways, near)
            if pose is not None:
                return pose
    return None


def _standing(
    trigger: TriggerBox, point: Vec3, ways: Sequence[_Way], near: Sequence[Obstacle]
) -> Transform | None:
    """The pose of what stands at a point, in the first of some rotations in which it collides with
    nothing, if its corners are within the trigger box then."""
    for way in ways:
        at = point + Vec3(0.0, way.rise + GAP, 0.0)
        low, high = at + way.low, at + way.high
        if trigger.walls and not _inside(low, high, trigger.walls):
            continue
        if trigger.height is not None and high.y > trigger.height:
            continue
        box = way.box.moved(trigger.frame @ Transform(position=at))
        if not free(box, near):
            continue
        if not _inside(low, high, trigger.half):
            return None
        return trigger.frame @ Transform(way.rotation, at)
    return None


def _inside(low: Vec3, high: Vec3, half: tuple[float, float]) -> bool:
    return (
        -half[0] < low.x and high.x < half[0] and -half[1] < low.z and high.z < half[1]
    )  # fmt: skip


def _around(
    trigger: TriggerBox, item: ObjectState, around: Sequence[Obstacle]
) -> tuple[Obstacle, ...]:
    far = (item.spec.oriented or item.spec.body).size.length()
    area = Box(
        trigger.frame.position,
        Vec3(2 * trigger.half[0], 0.0, 2 * trigger.half[1]),
        trigger.frame.rotation,
    )
    low, high = corners(area)
    reach = Vec3(far, far, far)
    return within(around, low - reach, high + reach)


# --- The rotations that are tried


@dataclass(frozen=True)
class _Way:
    """A rotation of a thing: its box about its origin, the lowest and highest corners around it,
    and how far above the spawn point its origin is."""

    rotation: Rotation
    box: Box
    low: Vec3
    high: Vec3
    rise: float


def _ways(item: ObjectState) -> tuple[_Way, ...]:
    own = (item.spec.oriented or item.spec.body).moved(item.spec.pose.inverse())
    return tuple(_way(each, own) for each in _rotations(item.spec.type in ALWAYS_UPRIGHT))


def _way(rotation: Rotation, own: Box) -> _Way:
    box = own.moved(Transform(rotation))
    low, high = corners(box)
    # Its absolute value: what has its origin below its box ends up higher.
    return _Way(rotation, box, low, high, abs(low.y))


@cache
def _rotations(upright: bool) -> tuple[Rotation, ...]:  # noqa: FBT001 - a key of the cache
    turns = [Rotation.yaw(90.0 * k) for k in range(4)]
    if upright:
        return tuple(turns)
    tilted = [
        turn @ Rotation.from_euler(Vec3(*(90.0 * k * part for part in axis)))
        for turn in turns[:3]
        for axis in ((1, 0, 0), (0, 0, 1))
        for k in (1, 2, 3, 4)
    ]
    return (*turns, *tilted)


# --- Trigger boxes


def _triggers(state: HouseholdState, receptacle: ObjectState) -> list[TriggerBox]:
    measured = _MEASURED.get(receptacle.spec.type)
    if measured is not None and receptacle.spec.oriented is not None:
        return [_measured(receptacle, *measured)]
    return [_of_surface(receptacle, each) for each in supports(state.scene, receptacle)]


def _measured(
    receptacle: ObjectState,
    trigger: tuple[float, float],
    walls: tuple[float, float],
    height: float,
) -> TriggerBox:
    spec = receptacle.spec
    own = (spec.oriented or spec.body).moved(spec.pose.inverse())
    size = own.size
    floor = own.center + Vec3(0.0, size.y * (height - 0.5), 0.0)
    return TriggerBox(
        receptacle.pose @ Transform(position=floor),
        (size.x * trigger[0] / 2, size.z * trigger[1] / 2),
        (size.x * walls[0] / 2, size.z * walls[1] / 2),
    )


def _of_surface(receptacle: ObjectState, surface: Support) -> TriggerBox:
    """A surface as a trigger box: its axes are the receptacle's own."""
    yaw = receptacle.pose.rotation.to_euler().y
    across = round((surface.frame.rotation.to_euler().y - yaw) / 90.0) % 2 == 1
    half = (surface.width / 2, surface.depth / 2)
    half = (half[1], half[0]) if across else half
    kind = receptacle.spec.type
    return TriggerBox(
        Transform(Rotation.yaw(yaw), surface.frame.position),
        half,
        half if kind in ENCLOSING | HOLLOW else None,
        surface.clearance if kind in ENCLOSING or surface.clearance < 1.0 else None,
    )
