"""A fingerprint of the scene: equal digests, equal scenes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

PLACES = 3
"""Decimal places of metres and degrees that count: the last bits of arithmetic do not."""

_STATES = (
    *("isToggled", "isOpen", "isDirty", "isCooked", "isSliced", "isBroken", "isUsedUp"),
    *("isFilledWithLiquid", "fillLiquid", "isPickedUp"),
)


def scene_digest(metadata: Mapping[str, Any], events: Iterable[str] = ()) -> str:
    """SHA-256 (hex) of where everything is and in which state (`ThorEvent.metadata`), and of what
    was done that no object shows. What is merely seen does not count."""
    agent = metadata["agent"]
    pose = (agent["rotation"]["y"], agent["cameraHorizon"])
    state = {
        "agent": [*_numbers(agent["position"]), *map(_number, pose)],
        "standing": bool(agent["isStanding"]),
        "objects": [_object(each) for each in sorted(metadata["objects"], key=_id)],
        "deeds": sorted(events),
    }
    return hashlib.sha256(json.dumps(state, separators=(",", ":")).encode()).hexdigest()


def _object(item: Mapping[str, Any]) -> list[Any]:
    return [
        item["objectId"],
        _numbers(item["position"]),
        _numbers(item["rotation"]),
        sorted(item.get("parentReceptacles") or ()),
        [item.get(key) for key in _STATES],
    ]


def _id(item: Mapping[str, Any]) -> str:
    return str(item["objectId"])


def _numbers(point: Mapping[str, float]) -> list[float]:
    return [_number(point[axis]) for axis in "xyz"]


def _number(value: float) -> float:
    return round(float(value), PLACES) + 0.0  # no negative zero
