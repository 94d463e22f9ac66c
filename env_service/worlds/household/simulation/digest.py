"""A fingerprint of a state: equal digests, equal states."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from env_service.worlds.household.geometry import Transform
from env_service.worlds.household.state import HouseState, ObjectState

PLACES = 6
"""Decimal places of metres, degrees and the like that count."""


def digest(state: HouseState) -> str:
    """A hex string of 32 characters over everything in a state that can change, and the scene's
    name. Numbers count to a millionth, so that the last bits of a platform's arithmetic do not."""
    written = json.dumps(_summary(state), separators=(",", ":"), sort_keys=True)
    return hashlib.blake2b(written.encode(), digest_size=16).hexdigest()


def _summary(state: HouseState) -> dict[str, Any]:
    agent, cooling = state.agent, state.cooling
    return {
        "scene": state.scene.name,
        "objects": [_object(item) for item in state.objects.values()],
        "disabled": [_object(item) for item in state.disabled.values()],
        "agent": [
            *_numbers(*agent.position.tuple(), agent.yaw, agent.horizon),
            agent.standing,
        ],
        "held": state.held,
        "grip": _pose(state.grip) if state.held is not None else None,
        "seconds": _number(state.seconds),
        "cameras": [
            _numbers(*each.position.tuple(), *each.rotation.tuple(), each.field_of_view)
            for each in state.cameras
        ],
        "variation": [state.variation.materials, state.variation.lighting],
        "ceiling": state.ceiling_on,
        "spawned": state.spawned,
        "cooling": [_number(cooling.seconds), list(cooling.by_type), cooling.stopped],
        "unbreakable": sorted(state.unbreakable),
    }


def _object(item: ObjectState) -> list[Any]:
    return [
        item.id,
        _pose(item.pose),
        item.parents,
        item.contents,
        _number(item.openness),
        item.toggled,
        item.broken,
        item.dirty,
        item.liquid,
        item.used_up,
        item.cooked,
        item.sliced,
        item.temperature.value,
        _number(item.warm_until),
        item.held,
        item.in_hand_of,
    ]


def _pose(pose: Transform) -> list[float]:
    rotation = (value for row in pose.rotation.rows for value in row)
    return _numbers(*pose.position.tuple(), *rotation)


def _numbers(*values: float) -> list[float]:
    return [_number(value) for value in values]


def _number(value: float) -> float:
    return round(value, PLACES) + 0.0  # no negative zero
