"""An object's metadata: AI2-THOR's 42 keys (spec: ai2thor.md section 5.1).

A property is reported only of what has it: a stove burner, which only its knob switches, is never
isToggled, and water that stands in a basin is no filling.
"""

from __future__ import annotations

from typing import Any
from weakref import ref

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Box, Transform, Vec3
from env_service.worlds.household.simulation.surfaces import built_model, part_motion
from env_service.worlds.household.state import HouseState, ObjectState

Corners = list[list[float]]

AXIS_ALIGNED = tuple((x, y, z) for x in (1, -1) for y in (1, -1) for z in (1, -1))
ORIENTED = tuple((x, y, z) for y in (-1, 1) for x, z in ((1, 1), (-1, 1), (-1, -1), (1, -1)))
"""The order of corners in AI2-THOR's two boxes: signs along the axes."""


def object_metadata(
    item: ObjectState, *, visible: bool, interactable: bool, distance: float, state: HouseState
) -> dict[str, Any]:
    """The metadata of one object, every container in it new.

    Args:
        item: the object.
        visible, interactable: what the agent's sight says of it.
        distance: metres from the agent's origin to the object's.
        state: the state that the object is part of.
    """
    facts = _facts(item, state)
    return {
        **facts,
        "position": facts["position"].copy(),
        "rotation": facts["rotation"].copy(),
        "visible": visible,
        "isInteractable": interactable,
        "distance": distance,
        "salientMaterials": _listed(item.spec.materials),
        "receptacleObjectIds": _listed(item.contents),
        "parentReceptacles": _listed(item.parents),
        "controlledObjects": _listed(item.spec.controls),
        "axisAlignedBoundingBox": _fresh_box(facts["axisAlignedBoundingBox"]),
        "objectOrientedBoundingBox": _fresh_corners(facts["objectOrientedBoundingBox"]),
    }


def _listed(keys: tuple[str, ...] | None) -> list[str] | None:
    return None if keys is None else list(keys)


def _fresh_box(box: dict[str, Any]) -> dict[str, Any]:
    return {
        "cornerPoints": [corner.copy() for corner in box["cornerPoints"]],
        "center": box["center"].copy(),
        "size": box["size"].copy(),
    }


def _fresh_corners(box: dict[str, Any] | None) -> dict[str, Any] | None:
    if box is None:
        return None
    return {"cornerPoints": [corner.copy() for corner in box["cornerPoints"]]}


_KNOWN: dict[int, tuple[ref[ObjectState], dict[str, Any]]] = {}
"""By identity of a state of an object: what follows from it alone. States that are gone leave."""


def _facts(item: ObjectState, state: HouseState) -> dict[str, Any]:
    """All 42 keys in AI2-THOR's order; those that depend on more than the object hold None."""
    key = id(item)
    known = _KNOWN.get(key)
    if known is not None and known[0]() is item:
        return known[1]
    facts = _worked_out(item, state)
    _KNOWN[key] = (ref(item, lambda _: _KNOWN.pop(key, None)), facts)
    return facts


def _worked_out(item: ObjectState, state: HouseState) -> dict[str, Any]:
    spec, can = item.spec, item.spec.can
    shift = _drawn_out(item, state)
    liquid = item.liquid if can(Trait.FILLABLE) else None
    return {
        "name": spec.name,
        "position": (item.pose.position + shift).to_json(),
        "rotation": item.euler.to_json(),
        "visible": None,
        "isInteractable": None,
        "receptacle": can(Trait.RECEPTACLE),
        "toggleable": can(Trait.TOGGLEABLE),
        "isToggled": can(Trait.TOGGLEABLE) and item.toggled,
        "breakable": can(Trait.BREAKABLE),
        "isBroken": can(Trait.BREAKABLE) and item.broken,
        "canFillWithLiquid": can(Trait.FILLABLE),
        "isFilledWithLiquid": liquid is not None,
        "fillLiquid": liquid,
        "dirtyable": can(Trait.DIRTYABLE),
        "isDirty": can(Trait.DIRTYABLE) and item.dirty,
        "canBeUsedUp": can(Trait.USABLE),
        "isUsedUp": can(Trait.USABLE) and item.used_up,
        "cookable": can(Trait.COOKABLE),
        "isCooked": can(Trait.COOKABLE) and item.cooked,
        "temperature": item.temperature.value,
        "isHeatSource": can(Trait.HEAT_SOURCE),
        "isColdSource": can(Trait.COLD_SOURCE),
        "sliceable": can(Trait.SLICEABLE),
        "isSliced": can(Trait.SLICEABLE) and item.sliced,
        "openable": can(Trait.OPENABLE),
        "isOpen": can(Trait.OPENABLE) and item.is_open,
        "openness": float(item.openness) if can(Trait.OPENABLE) else 0.0,
        "pickupable": can(Trait.PICKUPABLE),
        "isPickedUp": item.held,
        "moveable": can(Trait.MOVEABLE),
        "mass": spec.mass,
        "salientMaterials": None,
        "receptacleObjectIds": None,
        "distance": None,
        "objectType": spec.type,
        "objectId": spec.object_id,
        "assetId": spec.asset_id,
        "parentReceptacles": None,
        "controlledObjects": None,
        "isMoving": False,
        "axisAlignedBoundingBox": _axis_aligned(item, shift),
        "objectOrientedBoundingBox": _oriented(item),
    }


def _drawn_out(item: ObjectState, state: HouseState) -> Vec3:
    """How far an open drawer has come: in AI2-THOR a drawer is its moving part."""
    nowhere = Vec3(0.0, 0.0, 0.0)
    if item.spec.type != "Drawer" or not item.is_open:
        return nowhere
    built = built_model(item, state.scene.palette)
    moving = [part.name for part in built.parts if part.motion] if built else []
    motion = part_motion(built, moving[0], item.openness) if moving else None
    if motion is None:
        return nowhere
    return (item.pose @ item.spec.asset_frame).rotation.apply(motion.position)


def _axis_aligned(item: ObjectState, shift: Vec3) -> dict[str, Any]:
    box = _bounds(item)
    center = box.center + shift
    return {
        "cornerPoints": _corners(Box(center, box.size), AXIS_ALIGNED),
        "center": center.to_json(),
        "size": box.size.to_json(),
    }


def _bounds(item: ObjectState) -> Box:
    """As it was measured, shifted, or around the measured oriented box, turned."""
    if not item.displaced:
        return item.spec.bounds
    motion = _motion(item)
    if _unturned(motion):
        return Box(item.spec.bounds.center + _shift(item), item.spec.bounds.size)
    return (item.spec.oriented or item.spec.body).moved(motion).bounds()


def _oriented(item: ObjectState) -> dict[str, Any] | None:
    box = item.spec.oriented
    if box is None:
        return None
    if item.displaced:
        box = box.moved(_motion(item))
    return {"cornerPoints": _corners(box, ORIENTED)}


def _motion(item: ObjectState) -> Transform:
    return item.pose @ item.spec.pose.inverse()


def _unturned(motion: Transform) -> bool:
    """Whether a motion turns nothing by more than rounding."""
    return all(abs(motion.rotation.rows[i][i] - 1.0) < 1e-9 for i in range(3))


def _shift(item: ObjectState) -> Vec3:
    return item.pose.position - item.spec.pose.position


def _corners(box: Box, order: tuple[tuple[int, int, int], ...]) -> Corners:
    half, center = box.size * 0.5, box.center
    found = []
    for sx, sy, sz in order:
        corner = box.rotation.apply(Vec3(sx * half.x, sy * half.y, sz * half.z))
        found.append([center.x + corner.x, center.y + corner.y, center.z + corner.z])
    return found
