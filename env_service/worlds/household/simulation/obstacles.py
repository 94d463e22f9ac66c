"""What stands in the way of a thing that is to be put somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.simulation.collisions import TOUCH, overlap
from env_service.worlds.household.simulation.containment import ENCLOSING, carried_with
from env_service.worlds.household.simulation.surfaces import HOLLOW
from env_service.worlds.household.state import HouseState, ObjectState

FLAT = frozenset({"Blinds", "Curtains", "Floor", "Mirror", "ShowerCurtain", "Window"})
"""Types that hang or lie along the room's faces; they are in nobody's way."""

HANGING = frozenset({"Cabinet", "Microwave", "Shelf"})
"""Furniture that hangs over surfaces."""

AIRY = frozenset({"Faucet", "ShowerHead"})
"""Types with much air in their boxes: a mug fits under a spout."""


@dataclass(frozen=True)
class Obstacle:
    """The box of a thing, with the axis-aligned corners around it."""

    box: Box
    low: Vec3
    high: Vec3

    def hits(self, box: Box, low: Vec3, high: Vec3) -> bool:
        """Whether another box, with the corners around it, runs into it."""
        if high.x <= self.low.x + TOUCH or low.x >= self.high.x - TOUCH:
            return False
        if high.y <= self.low.y + TOUCH or low.y >= self.high.y - TOUCH:
            return False
        if high.z <= self.low.z + TOUCH or low.z >= self.high.z - TOUCH:
            return False
        return overlap(self.box, box)


def obstacles(
    state: HouseState, item: ObjectState, receptacle: ObjectState | None, *, airy: bool = True
) -> tuple[Obstacle, ...]:
    """What an item must not run into on or in a receptacle (None: anywhere in the room).

    Everything that can be picked up counts, and what stands on the receptacle. Other furniture is
    mostly air: it counts for things on the floor, and where it hangs over a surface. Into hollow
    things one can reach from anywhere. What holds the receptacle, and what moves with the item,
    does not count. Boxes of taps count only if `airy`.
    """
    moving = {item.id, *(each.id for each in carried_with(state, item))}
    ignored = moving | ({receptacle.id, *(receptacle.parents or ())} if receptacle else set())
    found = []
    for other in state.objects.values():
        if other.id in ignored or other.held or other.in_hand_of or other.replaced:
            continue
        if other.spec.type in FLAT or (other.spec.type in AIRY and not airy):
            continue
        if other.spec.can(Trait.PICKUPABLE) or _stands_in_the_way(other, receptacle):
            found.append(Obstacle(other.body, *other.extent))
    return tuple(found)


def _stands_in_the_way(other: ObjectState, receptacle: ObjectState | None) -> bool:
    if receptacle is None:
        return other.spec.type not in ENCLOSING | HOLLOW
    if receptacle.spec.type == "Floor":
        return True
    if other.id in (receptacle.contents or ()):  # dumps list a counter in a pot that touches it
        return _across(other) <= _across(receptacle)
    if other.spec.type not in furniture():
        return True
    if receptacle.spec.type in ENCLOSING or other.spec.type not in HANGING:
        return False
    return other.extent[0].y >= receptacle.extent[1].y


def _across(item: ObjectState) -> float:
    size = item.spec.body.size
    return max(size.x, size.z)


@cache
def furniture() -> frozenset[str]:
    """Types of which some instances hold things: their boxes are mostly air."""
    return frozenset(
        name
        for name, facts in object_types().items()
        if Trait.RECEPTACLE in facts.traits | facts.sometimes
    )


def free(box: Box, around: Iterable[Obstacle]) -> bool:
    """Whether a box runs into none of the obstacles."""
    low, high = corners(box)
    return not any(each.hits(box, low, high) for each in around)


def corners(box: Box) -> tuple[Vec3, Vec3]:
    """Lowest and highest corner of the axis-aligned box around a box."""
    half = _half_extents(box)
    return box.center - half, box.center + half


def within(around: Sequence[Obstacle], low: Vec3, high: Vec3) -> tuple[Obstacle, ...]:
    """Those obstacles that reach into an axis-aligned region."""
    return tuple(
        each
        for each in around
        if each.high.x > low.x
        and each.low.x < high.x
        and each.high.y > low.y
        and each.low.y < high.y
        and each.high.z > low.z
        and each.low.z < high.z
    )


def _half_extents(box: Box) -> Vec3:
    half = box.size * 0.5
    rows = box.rotation.rows
    return Vec3(*(abs(r[0]) * half.x + abs(r[1]) * half.y + abs(r[2]) * half.z for r in rows))
