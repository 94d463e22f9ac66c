"""What a thing stands on or in, by where it is: for objects that were put somewhere by their
pose."""

from __future__ import annotations

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.attachment import SPECIAL, accepts
from env_service.worlds.household.simulation.containment import (
    ENCLOSING,
    carried_with,
    put_in,
    taken_out,
)
from env_service.worlds.household.simulation.surfaces import supports
from env_service.worlds.household.state import HouseState, ObjectState
from env_service.worlds.thor.object_types import Trait

ABOVE, BELOW = 0.10, 0.04
"""Metres by which the lowest point of a thing may lie over and under the surface that it stands
on."""

HANGING = {"HandTowelHolder": 0.35, "ToiletPaperHanger": 0.15, "TowelHolder": 0.4}
"""Metres between the middles of a holder and of what hangs on it, at most."""


def holder_of(state: HouseState, item: ObjectState) -> str | None:
    """Id of the receptacle whose surface is nearest under an item, or around it; None for none."""
    low, high = item.extent
    foot = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    moving = {item.id, *(each.id for each in carried_with(state, item))}
    best: tuple[float, str] | None = None
    for other in state.objects.values():
        if other.id in moving or other.held or other.in_hand_of or other.replaced or other.broken:
            continue
        if not other.spec.can(Trait.RECEPTACLE):
            continue
        misfit = _misfit(state, item, other, foot)
        if misfit is not None and (best is None or misfit < best[0]):
            best = (misfit, other.id)
    return best[1] if best else None


def relocated(state: HouseState, object_id: str) -> HouseState:
    """The state with an object, and what it carries, listed where it is."""
    state = taken_out(state, object_id)
    return put_in(state, object_id, holder_of(state, state.objects[object_id]))


def _misfit(state: HouseState, item: ObjectState, other: ObjectState, foot: Vec3) -> float | None:
    """How badly a receptacle holds an item, metres; None if it does not."""
    if other.spec.type in SPECIAL and not accepts(other, item):
        return None
    if other.spec.type in HANGING:
        apart = (item.body.center - other.body.center).length()
        return 0.0 if apart < HANGING[other.spec.type] else None
    gaps = [
        abs(foot.y - each.height)
        for each in supports(state.scene, other)
        if -BELOW <= foot.y - each.height <= ABOVE and each.covers(foot)
    ]
    if gaps:
        return min(gaps)
    if other.spec.type in ENCLOSING and other.body.contains(item.body.center):
        return ABOVE
    return None
