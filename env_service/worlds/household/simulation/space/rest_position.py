"""The rest position of a thing that nothing holds. Without physics, it is there at once.

It falls straight down onto the highest surface below it, turned as it is, or, if that place is
taken, onto the nearest free spot of this surface. If it has no room there, it falls to the next
surface below, and at last to the floor.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Box, Transform, Vec3
from env_service.worlds.household.simulation.space.collisions import corners, free, obstacles
from env_service.worlds.household.simulation.space.containment import (
    ENCLOSING,
    carried_with,
    moved,
    put_in,
    taken_out,
)
from env_service.worlds.household.simulation.space.object_specific_receptacles import SPECIAL
from env_service.worlds.household.simulation.space.placement import Search, find_spot, nearest_to
from env_service.worlds.household.simulation.space.support_surfaces import LEVEL, supports
from env_service.worlds.household.state import HouseholdState, ObjectState

REACH = 0.05
"""Metres by which a surface may lie above the lowest point of a thing and still catch it."""

ASIDE = 0.5
"""Metres that a thing may roll aside on a surface to find room."""


@dataclass(frozen=True)
class Rest:
    """A thing's rest position: its support (None: nothing) and the pose of its local frame."""

    receptacle: str | None
    pose: Transform


def rest_below(state: HouseholdState, item: ObjectState) -> Rest:
    """The rest position of an item that is released at its pose."""
    low, high = item.extent
    foot = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    for receptacle in _below(state, item, foot):
        search = Search(nearest_to(foot), only=_catching(foot))
        if receptacle.spec.type == "Floor":
            search = Search(nearest_to(_inside(state, foot)))
        pose = _straight_down(state, item, receptacle, foot)
        if pose is None:
            pose = find_spot(state, item, receptacle, search)
        if pose is not None:
            return Rest(receptacle.id, pose)
    ground = Vec3(foot.x, state.scene.bounds.bottom, foot.z)
    lower = Transform(item.pose.rotation, item.pose.position + (ground - foot))
    return Rest(_floor_id(state), lower)


def _straight_down(
    state: HouseholdState, item: ObjectState, receptacle: ObjectState, foot: Vec3
) -> Transform | None:
    """The item straight below, turned as it is, if it is level and the place is free."""
    if item.body.rotation.rows[1][1] < LEVEL:
        return None
    heights = [
        each.height
        for each in supports(state.scene, receptacle)
        if each.height <= foot.y + REACH and each.covers(foot)
    ]
    if not heights:
        return None
    lift = Vec3(0.0, max(heights) - foot.y, 0.0)
    box = Box(item.body.center + lift, item.body.size, item.body.rotation)
    if receptacle.spec.type == "Floor" and not _within_walls(state, box):
        return None
    if not free(box, obstacles(state, item, receptacle, airy=False)):
        return None
    return Transform(item.pose.rotation, item.pose.position + lift)


def _within_walls(state: HouseholdState, box: Box) -> bool:
    low, high = corners(box)
    half, center = state.scene.bounds.size * 0.5, state.scene.bounds.center
    return (
        low.x >= center.x - half.x
        and high.x <= center.x + half.x
        and low.z >= center.z - half.z
        and high.z <= center.z + half.z
    )


def let_fall(state: HouseholdState, object_id: str) -> HouseholdState:
    """The object, with its contents, at rest below its present place."""
    state = taken_out(state, object_id)
    rest = rest_below(state, state.objects[object_id])
    return put_in(moved(state, object_id, rest.pose), object_id, rest.receptacle)


def _below(state: HouseholdState, item: ObjectState, foot: Vec3) -> list[ObjectState]:
    """Receptacles with a surface below a point, the highest first."""
    ignored = {item.id, *(each.id for each in carried_with(state, item))}
    found: list[tuple[float, ObjectState]] = []
    for other in state.objects.values():
        if (
            not other.spec.can(Trait.RECEPTACLE)
            or other.id in ignored
            or other.spec.type in SPECIAL
        ):
            continue
        if other.held or other.in_hand_of or other.replaced or other.broken:
            continue
        if other.spec.type in ENCLOSING and not other.is_open:
            continue
        heights = [
            each.height
            for each in supports(state.scene, other)
            if each.height <= foot.y + REACH and (each.covers(foot) or other.spec.type == "Floor")
        ]
        if heights:
            found.append((max(heights), other))
    found.sort(key=lambda pair: -pair[0])
    return [other for _, other in found]


def _catching(foot: Vec3) -> Callable[[Vec3], bool]:
    def near(spot: Vec3) -> bool:
        aside = Vec3(spot.x - foot.x, 0.0, spot.z - foot.z)
        return spot.y <= foot.y + REACH and aside.length() <= ASIDE

    return near


def _inside(state: HouseholdState, foot: Vec3) -> Vec3:
    """The point, not outside the room's walls."""
    center, half = state.scene.bounds.center, state.scene.bounds.size * 0.5
    return Vec3(
        min(max(foot.x, center.x - half.x), center.x + half.x),
        foot.y,
        min(max(foot.z, center.z - half.z), center.z + half.z),
    )


def _floor_id(state: HouseholdState) -> str | None:
    return next((key for key, item in state.objects.items() if item.spec.type == "Floor"), None)
