"""Making more of an object that is there."""

from __future__ import annotations

from dataclasses import replace

from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.simulation.hand import posed
from env_service.worlds.household.state import HouseState


def copied(state: HouseState, object_id: str, pose: Transform) -> tuple[HouseState, str]:
    """The state with a copy of an object, in the same condition, at a pose; and the copy's id,
    which names its own place. It is listed nowhere and holds nothing."""
    item = state.objects[object_id]
    number = state.spawned + 1
    new_id = _fresh_id(state, item.spec.type, pose.position)
    spec = replace(item.spec, object_id=new_id, name=f"{item.spec.name}_copy_{number}")
    copy = replace(
        item,
        spec=spec,
        parents=None,
        contents=None if item.contents is None else (),
        held=False,
        in_hand_of=None,
    )
    state = replace(state.having(posed(copy, pose)), spawned=number)
    return state, new_id


def object_id_at(kind: str, position: Vec3) -> str:
    """AI2-THOR's id of an object that starts at a place: `Mug|+01.46|+00.93|-01.09`."""
    return "|".join((kind, *(_signed(value) for value in position.tuple())))


def _signed(value: float) -> str:
    text = f"{abs(value):05.2f}"
    return f"{'-' if value < 0 and float(text) else '+'}{text}"


def _fresh_id(state: HouseState, kind: str, position: Vec3) -> str:
    wanted = fresh = object_id_at(kind, position)
    number = 1
    while fresh in state.objects or fresh in state.disabled:
        number += 1
        fresh = f"{wanted}_{number}"
    return fresh
