"""The simulator: what it answers, what it keeps, what it never does."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.simulation.action import ErrorCode
from env_service.worlds.household.simulator import ACTIONS, HouseholdSimulator
from tests.support.small_home import Homes, home, thing

COUNTER = thing("CounterTop", (0.0, 0.0, 1.7), (3.0, 0.9, 0.6), yaw=180.0)
MUG = thing("Mug", (0.0, 0.9, 1.6), (0.1, 0.1, 0.1))
FRIDGE = thing("Fridge", (-2.0, 0.0, 1.5), (0.8, 1.8, 0.8), yaw=180.0)
LIBRARY = Homes(home(COUNTER, MUG, FRIDGE, at=(0.0, 0.75)), home(name="other-home"))


@pytest.fixture
def simulator() -> Iterator[HouseholdSimulator]:
    built = HouseholdSimulator(LIBRARY, "small-home", pictures=choose("soft"))
    yield built
    built.close()


def test_an_answer_holds_the_state_it_left(simulator: HouseholdSimulator) -> None:
    before = simulator.state
    answer = simulator.perform({"action": "RotateRight"})
    assert answer.success
    assert answer.action == "RotateRight"
    assert answer.state is simulator.state
    assert answer.state.agent.yaw == 90.0
    assert before.agent.yaw == 0.0


def test_a_refusal_leaves_the_very_state(simulator: HouseholdSimulator) -> None:
    before = simulator.state
    answer = simulator.perform({"action": "PickupObject", "objectId": "nothing"})
    assert not answer.success
    assert answer.state is before
    assert simulator.state is before


def test_what_is_not_understood_is_answered_too(simulator: HouseholdSimulator) -> None:
    answer = simulator.perform({"action": "Fly"})
    assert answer.code is ErrorCode.INVALID_ACTION
    assert answer.error == "Invalid action: Fly"


def test_time_passes_with_what_is_done(simulator: HouseholdSimulator) -> None:
    simulator.perform({"action": "Pass"})
    simulator.perform({"action": "Pass"})
    assert simulator.state.seconds == 0.2
    simulator.perform({"action": "GetReachablePositions"})
    assert simulator.state.seconds == 0.2


def test_what_follows_by_itself_follows(simulator: HouseholdSimulator) -> None:
    simulator.perform({"action": "LookDown"})
    assert simulator.perform({"action": "PickupObject", "objectId": MUG.object_id}).success
    before = simulator.state.objects[MUG.object_id].pose
    simulator.perform({"action": "RotateRight"})
    assert simulator.state.objects[MUG.object_id].pose != before


def test_queries_are_quick_unless_told_otherwise(simulator: HouseholdSimulator) -> None:
    assert simulator.perform({"action": "GetReachablePositions"}).quick
    assert not simulator.perform({"action": "Pass"}).quick
    simulator.perform({"action": "Initialize", "fastActionEmit": False})
    assert not simulator.perform({"action": "GetReachablePositions"}).quick


def test_scenes_can_be_listed_and_opened(simulator: HouseholdSimulator) -> None:
    listed = simulator.perform({"action": "GetScenesInBuild"})
    assert listed.value == ["small-home", "other-home"]
    simulator.perform({"action": "Initialize", "fieldOfView": 50})
    assert simulator.load("other-home").success
    assert simulator.state.scene.name == "other-home"
    assert simulator.settings.field_of_view == 50.0, "settings stay"
    assert len(simulator.state.objects) == 1


def test_an_unknown_scene_is_refused(simulator: HouseholdSimulator) -> None:
    before = simulator.state
    answer = simulator.load("castle")
    assert answer.code is ErrorCode.INVALID_ARGUMENT
    assert "'castle' not contained in build" in answer.error
    assert simulator.state is before
    with pytest.raises(ValueError, match="castle"):
        HouseholdSimulator(LIBRARY, "castle", pictures=choose("soft"))


def test_visibility_is_worked_out_once_for_what_looks_the_same(
    simulator: HouseholdSimulator,
) -> None:
    first = simulator.visibility(simulator.state, simulator.settings, simulator.state_renderer)
    simulator.perform({"action": "Pass"})
    assert (
        simulator.visibility(simulator.state, simulator.settings, simulator.state_renderer) is first
    )
    simulator.perform({"action": "RotateRight"})
    assert (
        simulator.visibility(simulator.state, simulator.settings, simulator.state_renderer)
        is not first
    )


def test_a_snapshot_brings_everything_back(simulator: HouseholdSimulator) -> None:
    kept, before = simulator.snapshot(), simulator.state
    simulator.perform({"action": "Initialize", "fieldOfView": 50})
    simulator.load("other-home")
    simulator.restore(kept)
    assert simulator.state is before
    assert simulator.settings.field_of_view == 90.0
    assert (
        simulator.event(simulator.perform({"action": "Pass"})).get_object(MUG.object_id) is not None
    )


def test_no_call_whatever_raises(simulator: HouseholdSimulator) -> None:
    draw = random.Random(0)
    values: list[Any] = [
        None, True, 0, -1, 1.5, float("nan"), float("inf"), 10**400, "", "Mug", MUG.object_id,
        COUNTER.object_id, FRIDGE.object_id, [], [1, "a"], {}, {"x": 1}, {"x": "a"},
        {"x": 0.0, "y": 0.9, "z": 0.0}, [{"x": 0, "y": 0, "z": 0}], b"bytes", object(),
    ]  # fmt: skip
    names = [*sorted(ACTIONS), "Reset", "GetScenesInBuild", "Fly"]
    for _ in range(4):
        for name in names:
            parameters = ACTIONS[name].parameters if name in ACTIONS else ()
            written: dict[str, Any] = {"action": name}
            for parameter in parameters:
                if draw.random() < 0.7:
                    written[parameter.name] = draw.choice(values)
            answer = simulator.perform(written)
            assert answer.action == name
            assert answer.success or answer.error
