"""States of many objects at once, masses, and objects put at a place."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.household.scene.spec import StartState
from env_service.worlds.household.state import HouseholdState, ObjectState, digest
from tests.support.small_home import home, thing
from tests.support.turns import Told, play

COUNTER = thing("CounterTop", (0.0, 0.0, 1.7), (3.0, 0.9, 0.6), yaw=180.0)
MUG = thing("Mug", (0.0, 0.9, 1.6), (0.1, 0.1, 0.1))
OTHER = thing("Mug", (1.0, 0.9, 1.6), (0.1, 0.1, 0.1), start=StartState(dirty=True))
APPLE = thing("Apple", (0.5, 0.9, 1.6), (0.08, 0.08, 0.08))
LAMP = thing("DeskLamp", (-0.8, 0.9, 1.6), (0.2, 0.4, 0.2))
FRIDGE = thing("Fridge", (-2.0, 0.0, 1.5), (0.8, 1.8, 0.8), yaw=180.0)
CHAIR = thing("Chair", (1.5, 0.0, -1.0), (0.4, 0.9, 0.4))
STATE = HouseholdState.at_start(home(COUNTER, MUG, OTHER, APPLE, LAMP, FRIDGE, CHAIR))


def now(state: HouseholdState, spec: Any) -> ObjectState:
    return state.objects[spec.object_id]


def test_types_are_switched_together() -> None:
    toggles = [{"objectType": "DeskLamp", "isOn": True}, {"objectType": "Mug", "isOn": True}]
    state = play(STATE, "SetObjectToggles", objectToggles=toggles).state
    assert now(state, LAMP).toggled
    assert not now(state, MUG).toggled
    assert not play(STATE, "SetObjectToggles", objectToggles=[{"objectType": "Mug"}]).success


@pytest.mark.parametrize(
    ("change", "key", "spec", "field"),
    [
        ("dirtyable", "isDirty", MUG, "dirty"),
        ("toggleable", "isToggled", LAMP, "toggled"),
        ("openable", "isOpen", FRIDGE, "is_open"),
        ("canFillWithLiquid", "isFilledWithLiquid", MUG, "liquid"),
        ("breakable", "isBroken", MUG, "broken"),
        ("sliceable", "isSliced", APPLE, "sliced"),
    ],
)
def test_everything_with_a_property_changes(change: str, key: str, spec: Any, field: str) -> None:
    given = {"objectType": spec.type, "stateChange": change, key: True}
    state = play(STATE, "SetObjectStates", SetObjectStates=given).state
    assert getattr(now(state, spec), field)
    back = play(state, "SetObjectStates", SetObjectStates={**given, key: False}).state
    assert bool(getattr(now(back, spec), field)) == (change in ("breakable", "sliceable"))


def test_a_change_that_is_none_is_refused() -> None:
    error = play(STATE, "SetObjectStates", SetObjectStates={"stateChange": "shiny"}).error
    assert "dirtyable" in error
    given = {"stateChange": "dirtyable", "isDirty": "yes"}
    assert "isDirty" in play(STATE, "SetObjectStates", SetObjectStates=given).error


def test_the_old_action_takes_forceaction_as_the_value() -> None:
    state = play(STATE, "SetStateOfAllObjects", StateChange="CanBeDirty", forceAction=True).state
    assert now(state, MUG).dirty
    state = play(state, "SetStateOfAllObjects", StateChange="CanBeDirty", forceAction=False).state
    assert not now(state, OTHER).dirty


def test_a_heavier_object_slides_less_far() -> None:
    push = {"objectId": MUG.object_id, "moveMagnitude": 30, "pushAngle": -90, "forceAction": True}
    light = play(STATE, "DirectionalPush", **push).state
    mass = {"objectId": MUG.object_id, "mass": 4, "drag": 0, "angularDrag": 0}
    heavier = play(STATE, "SetMassProperties", **mass).state
    heavy = play(heavier, "DirectionalPush", **push).state
    assert now(light, MUG).pose.position.x < now(heavy, MUG).pose.position.x <= 0.0
    assert digest(heavier) != digest(STATE)
    assert not play(STATE, "SetMassProperties", **{**mass, "mass": -1}).success


def test_a_negative_angle_counts_the_other_way() -> None:
    push = {"objectId": MUG.object_id, "moveMagnitude": 20, "forceAction": True}
    left = play(STATE, "DirectionalPush", **push, pushAngle=-90).state
    same = play(STATE, "DirectionalPush", **push, pushAngle=270).state
    assert now(left, MUG).pose.position == now(same, MUG).pose.position != MUG.position


def test_a_touch_tells_what_it_met_and_pushes_it() -> None:
    at = {"x": 0.5, "y": 0.5, "moveMagnitude": 30, "direction": {"x": 1, "y": 0, "z": 0}}
    near = Told(at=MUG.object_id, point=MUG.position)
    touched = play(STATE, "TouchThenApplyForce", sight=near, **at, handDistance=3)
    assert touched.value["didHandTouchSomething"]
    assert touched.value["objectId"] == MUG.object_id
    assert touched.value["armsLength"] == pytest.approx(1.74, abs=0.02)
    assert now(touched.state, MUG).pose.position.x > 0.0
    short = play(STATE, "TouchThenApplyForce", sight=near, **at, handDistance=1)
    assert short.value == {"didHandTouchSomething": False, "objectId": "", "armsLength": 1.0}
    wall = play(STATE, "TouchThenApplyForce", sight=Told(point=MUG.position), **at, handDistance=3)
    assert wall.value["objectId"] == "not a sim object, a structure was touched"


def test_an_object_is_put_at_a_place_where_nothing_is() -> None:
    there = {"x": -0.5, "y": 0.95, "z": 1.6}
    moved = play(STATE, "TeleportObject", objectId=MUG.object_id, position=there).state
    assert now(moved, MUG).pose.position.x == pytest.approx(-0.5)
    assert now(moved, MUG).extent[0].y == pytest.approx(0.9, abs=0.01), "it falls onto the counter"
    floating = play(
        STATE, "TeleportObject", objectId=MUG.object_id, position={**there, "y": 1.5},
        forceKinematic=True,
    ).state  # fmt: skip
    assert now(floating, MUG).extent[0].y == pytest.approx(1.5)


def test_an_object_does_not_go_into_another_unless_forced() -> None:
    call = {"objectId": MUG.object_id, "position": APPLE.position.to_json(), "forceKinematic": True}
    refused = play(STATE, "TeleportObject", **call)
    assert refused.error == f"{MUG.object_id} is colliding with {APPLE.object_id} after teleport."
    assert play(STATE, "TeleportObject", **call, forceAction=True).success
    free = [APPLE.position.to_json(), {"x": -0.4, "y": 0.91, "z": 1.6}]
    several = play(STATE, "TeleportObject", objectId=MUG.object_id, positions=free)
    assert now(several.state, MUG).pose.position.x == pytest.approx(-0.4)
    assert not play(STATE, "TeleportObject", objectId=MUG.object_id, positions=["a"]).success


def test_a_held_object_stays_in_hand_unless_it_may_leave() -> None:
    held = play(STATE, "PickupObject", objectId=MUG.object_id, forceAction=True).state
    call = {"objectId": MUG.object_id, "position": {"x": -0.4, "y": 0.92, "z": 1.6}}
    assert play(held, "TeleportObject", **call).error == "Cannot teleport object in hand."
    out = play(held, "TeleportObject", **call, allowTeleportOutOfHand=True, makeUnbreakable=True)
    assert out.state.held is None
    assert not play(out.state, "BreakObject", objectId=MUG.object_id, forceAction=True).success
    assert play(out.state, "BreakObject", objectId=OTHER.object_id, forceAction=True).success


def test_what_can_only_be_moved_is_left_alone_on_request() -> None:
    poses = [
        {"objectName": spec.name, "position": {"x": -0.4, "y": 0.9, "z": 1.6}, "rotation": {"y": 0}}
        for spec in (MUG, CHAIR)
    ]
    call = {"objectPoses": poses, "enablePhysicsJitter": False, "forceRigidbodySleep": True}
    state = play(STATE, "SetObjectPoses", **call, skipMoveable=True).state
    assert now(state, CHAIR).pose == CHAIR.pose
    assert APPLE.object_id not in state.objects
    assert now(state, MUG).pose.position.x == pytest.approx(-0.4)
    state = play(STATE, "SetObjectPoses", objectPoses=poses[:1], placeStationary=True).state
    assert CHAIR.object_id not in state.objects


def test_held_things_can_be_let_go_by_the_new_names() -> None:
    held = play(STATE, "PickupObject", objectId=APPLE.object_id, forceAction=True).state
    held = play(held, "LookDown", degrees=60).state
    assert play(held, "DropHeldObject").state.held is None
    ahead = play(held, "DropHeldObjectAhead").state
    assert now(ahead, APPLE).pose.position.z == pytest.approx(0.38, abs=0.06)
    assert play(held, "ThrowHeldObject", moveMagnitude=50).state.held is None
    assert not play(STATE, "DropHeldObjectAhead").success


def test_old_amounts_of_opening_are_taken() -> None:
    call = {"objectId": FRIDGE.object_id, "forceAction": True}
    assert now(play(STATE, "OpenObject", **call, moveMagnitude=0).state, FRIDGE).openness == 1.0
    half = play(STATE, "OpenObject", **call, moveMagnitude=0.5, simplifyPhysics=True).state
    assert now(half, FRIDGE).openness == 0.5
    assert not play(STATE, "OpenObject", **call, moveMagnitude=1.5).success
