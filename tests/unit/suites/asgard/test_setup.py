from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from env_service.domain.failure import FaultClass, WorldFault
from env_service.suites.asgard.ai2thor_start import INITIALIZATION, thor_start
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.plan import (
    AsgardPlan,
    Family,
    InitialPose,
    Placement,
    Selection,
    SetupAction,
    SetupKind,
    State,
    StateGoal,
)
from env_service.suites.asgard.setup import prepare, selected
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.household.controller import HouseholdController
from tests.unit.suites.asgard.builders import room, thing

SCENE = "household-kitchen-1"


class Listening(HouseholdController):
    """A world that notes what is asked of it."""

    def __init__(self, *, refuse: str = "") -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self._refused = refuse
        super().__init__(SCENE, width=64, height=64, **INITIALIZATION)

    def step(self, action: str | Mapping[str, Any], **arguments: Any) -> Any:
        self.calls.append((str(action), arguments))
        if action == self._refused:
            return super().step("PickupObject", objectId="nothing")
        return super().step(action, **arguments)


def plan(dish: str, position: Point, **changes: Any) -> AsgardPlan:
    told: dict[str, Any] = {
        "name": "a_plan",
        "family": Family.COFFEE,
        "conditions": (),
        "scene": SCENE,
        "description": "Do it.",
        "setup_actions": (SetupAction(SetupKind.DIRTY, dish),),
        "targets": Placement(Selection(types=("Mug", "DishSponge"))),
        "distractors": (Placement(Selection(classes=("Kitchen", "Silverware"))),),
        "employed_types": (),
        "goals": (StateGoal("Mug", State.DIRTY, value=False),),
        "seed": 5874,
        "step_count": 38,
        "initial_pose": InitialPose(position, yaw=90.0, horizon=70.0, standing=False),
    }
    return AsgardPlan(**{**told, **changes})


@pytest.fixture(scope="module")
def prepared():
    world = Listening()
    view = AsgardView(world.last_event.metadata)
    mug = str(view.first("Mug")["name"])
    done = prepare(world, plan(mug, view.agent.position))
    yield world, done, mug
    world.stop()


def names_of(world: Listening) -> list[str]:
    return [name for name, _ in world.calls]


def test_the_calls_come_in_the_benchmarks_order(prepared):
    world, done, _ = prepared
    calls = [name for name in names_of(world) if name != "DisableObject"]
    assert calls == [
        "Pass",
        "Teleport",
        "InitialRandomSpawn",
        "InitialRandomSpawn",
        "DirtyObject",
        "Pass",
        "Pass",
        "InitialRandomSpawn",
        "Teleport",
        "Pass",
    ]
    assert done.refused == ()


def test_the_first_look_is_drawn_from_the_seed(prepared):
    world, _, _ = prepared
    first = next(given for name, given in world.calls if name == "Teleport")
    assert first["rotation"]["y"] == np.random.RandomState(5874).randint(0, 360)


def test_targets_never_go_behind_doors_and_other_things_stay(prepared):
    world, _, _ = prepared
    targets, others, silverware = (g for name, g in world.calls if name == "InitialRandomSpawn")
    assert targets["randomSeed"] == 5874
    assert targets["forceVisible"] is True
    assert (targets["numPlacementAttempts"], targets["placeStationary"]) == (10, True)
    assert {"Cabinet", "Drawer", "Fridge"} <= set(targets["excludedReceptacles"])
    assert "Cabinet" not in others["excludedReceptacles"]
    assert "CounterTop" not in targets["excludedReceptacles"]
    assert {"SinkBasin", "Plate"} <= set(silverware["excludedReceptacles"])
    assert not any(key.startswith("Mug|") for key in targets["excludedObjectIds"])
    assert any(key.startswith("Mug|") for key in others["excludedObjectIds"])


def test_the_room_is_as_the_plan_says(prepared):
    world, done, mug = prepared
    view = AsgardView(world.last_event.metadata)
    assert view.by_name(mug)["isDirty"]
    assert view.of_type("PepperShaker") == ()
    assert (view.agent.yaw, view.agent.horizon, view.agent.standing) == (90.0, 60.0, False)
    assert done.astray == 0.0
    carried = [each["objectType"] for each in view.objects if each["pickupable"]]
    assert len(carried) == len(set(carried))


def test_a_start_that_is_not_free_is_moved_to_the_nearest_that_is():
    with Listening() as world:
        counter = AsgardView(world.last_event.metadata).first("CounterTop")
        inside = Point.read(counter["axisAlignedBoundingBox"]["center"])._replace(y=0.901)
        done = prepare(world, plan("Mug_none", inside))
    assert done.astray is not None
    assert 0.0 < done.astray < 2.0
    assert done.refused == ("dirty Mug_none: it is not in the room",)


def test_a_world_that_cannot_place_things_is_a_fault_of_the_data():
    with Listening(refuse="InitialRandomSpawn") as world:
        place = AsgardView(world.last_event.metadata).agent.position
        with pytest.raises(WorldFault) as raised:
            prepare(world, plan("Mug_none", place))
    assert raised.value.fault is FaultClass.DATA_FAULT
    assert "a_plan" in raised.value.detail


def test_selections_name_types_classes_and_objects():
    view = room(thing("Mug"), thing("Fork"), thing("Vase"), thing("Plate"))
    chosen = Selection(types=("Mug",), classes=("Silverware", "Unknown"), names=("Plate_0123abcd",))
    assert [each["objectType"] for each in selected(view, chosen)] == ["Mug", "Fork", "Plate"]


def test_the_simulator_is_started_as_the_benchmark_does():
    start = thor_start()
    assert (start.width, start.height, start.quality) == (1024, 1024, "High")
    assert start.initialization["visibilityDistance"] == 5
    assert thor_start(pixels=64).initialization == start.initialization
