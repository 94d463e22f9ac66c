"""How the agent moves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.action import ErrorCode
from env_service.worlds.household.simulation.actions.agent_movement import eye
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.state import AgentState, HouseholdState
from tests.support.small_home import home, thing
from tests.support.turns import play

COUNTER = thing("CounterTop", (0.0, 0.0, 1.7), (3.0, 0.9, 0.6), yaw=180.0)
FREE = Settings(snap_to_grid=False)


def agent(x: float = 0.0, z: float = 0.0, yaw: float = 0.0, **rest: Any) -> HouseholdState:
    state = HouseholdState.at_start(home(COUNTER))
    return replace(state, agent=AgentState(Vec3(x, 0.901, z), yaw, **rest))


@pytest.mark.parametrize(
    ("name", "yaw", "x", "z"),
    [
        ("MoveAhead", 0.0, 0.0, 0.25),
        ("MoveAhead", 90.0, 0.25, 0.0),
        ("MoveBack", 0.0, 0.0, -0.25),
        ("MoveRight", 0.0, 0.25, 0.0),
        ("MoveLeft", 0.0, -0.25, 0.0),
        ("MoveLeft", 180.0, 0.25, 0.0),
    ],
)
def test_a_step_goes_one_grid_length_its_way(name: str, yaw: float, x: float, z: float) -> None:
    after = play(agent(yaw=yaw), name).state.agent
    assert after.position == Vec3(x, 0.901, z)
    assert after.yaw == yaw


def test_a_step_can_be_longer_and_slanted() -> None:
    after = play(agent(yaw=45.0), "MoveAhead", settings=FREE, moveMagnitude=1.0).state.agent
    assert after.position == Vec3(0.707107, 0.901, 0.707107)


def test_steps_end_on_the_grid_if_told_to() -> None:
    assert play(agent(x=0.1), "MoveRight").state.agent.position.x == 0.25
    assert play(agent(x=0.1), "MoveRight", settings=FREE).state.agent.position.x == 0.35


def test_a_blocked_step_names_who_blocks_and_changes_nothing() -> None:
    state = agent(z=1.0)
    result = play(state, "MoveAhead")
    name = COUNTER.name
    assert result.error == (f"{name} is blocking Agent 0 from moving by (0.0000, 0.0000, 0.2500).")
    assert result.state is state
    assert result.code is None
    assert result.collided == (COUNTER.object_id,)


def test_the_end_of_the_room_blocks() -> None:
    assert "is blocking Agent 0" in play(agent(x=2.25), "MoveRight").error
    assert "is blocking Agent 0" in play(agent(), "MoveLeft", moveMagnitude=1e9).error


def test_turns_go_by_the_settings_step_or_by_degrees() -> None:
    assert play(agent(), "RotateRight").state.agent.yaw == 90.0
    assert play(agent(), "RotateLeft").state.agent.yaw == 270.0
    assert play(agent(yaw=355.0), "RotateRight", degrees=5).state.agent.yaw == 0.0
    assert play(agent(), "RotateLeft", settings=Settings(rotate_step=30)).state.agent.yaw == 330.0


def test_looks_are_limited() -> None:
    assert play(agent(), "LookUp").state.agent.horizon == -30.0
    assert play(agent(), "LookDown", degrees=5).state.agent.horizon == 5.0
    up, down = play(agent(horizon=-30.0), "LookUp"), play(agent(horizon=45.0), "LookDown")
    assert up.code is ErrorCode.LOOK_UP_TOO_FAR
    assert up.error == "can't look up beyond 30 degrees above the forward horizon"
    assert down.code is ErrorCode.LOOK_DOWN_TOO_FAR
    assert not play(agent(), "LookDown", degrees=-10).success


def test_crouching_lowers_the_eye_to_the_agents_origin() -> None:
    crouched = play(agent(), "Crouch")
    assert eye(agent().agent).y == pytest.approx(1.576)
    assert eye(crouched.state.agent).y == pytest.approx(0.901)
    assert play(crouched.state, "Crouch").error == "Already Crouching"
    assert play(crouched.state, "Stand").state.agent.standing
    assert play(agent(), "Stand").error == "Already Standing"


def test_a_teleport_changes_what_is_given() -> None:
    state = agent(yaw=30.0, horizon=10.0)
    after = play(state, "Teleport", position={"x": -1, "y": 0.9, "z": -1}).state.agent
    assert after == AgentState(Vec3(-1.0, 0.901, -1.0), 30.0, 10.0, standing=True)
    after = play(state, "Teleport", rotation={"y": 400}, horizon=20, standing=False).state.agent
    assert after == AgentState(Vec3(0.0, 0.901, 0.0), 40.0, 20.0, standing=False)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"position": {"x": 0, "y": 0.9, "z": 1.7}}, "would collide"),
        ({"position": {"x": 0, "y": 0, "z": 0}}, "too large a change"),
        ({"position": {"x": 50, "y": 0.9, "z": 0}}, "not within the scene bounds"),
        ({"horizon": 61}, "Each horizon must be in [-30:60]"),
        ({"rotation": {"x": 10, "y": 0, "z": 0}}, "pitch or roll"),
    ],
)
def test_a_teleport_that_makes_no_sense_is_refused(arguments: dict[str, Any], text: str) -> None:
    state = agent()
    result = play(state, "Teleport", **arguments)
    assert text in result.error
    assert result.state is state


def test_a_forced_teleport_goes_anywhere() -> None:
    there = {"x": 0, "y": 0.9, "z": 1.7}
    assert play(agent(), "Teleport", position=there, forceAction=True).success


def test_a_full_teleport_needs_everything() -> None:
    whole = {"rotation": {"y": 90}, "horizon": 0, "standing": True}
    there = {"x": 1, "y": 0.9, "z": -1}
    assert play(agent(), "TeleportFull", position=there, **whole).success
    assert play(agent(), "TeleportFull", **there, **whole).state.agent.yaw == 90.0
    assert play(agent(), "TeleportFull", x=1, **whole).code is ErrorCode.MISSING_ARGUMENTS
    assert play(agent(), "TeleportFull", **whole).code is ErrorCode.MISSING_ARGUMENTS
    with pytest.raises(ValueError, match="missing the following arguments: horizon,standing"):
        play(agent(), "TeleportFull", position=there, rotation={"y": 90})


@pytest.mark.parametrize("name", ["Pass", "Done", "PausePhysicsAutoSim", "UnpausePhysicsAutoSim"])
def test_some_actions_change_nothing(name: str) -> None:
    state = agent()
    result = play(state, name)
    assert result.success
    assert result.state is state


def test_physics_steps_take_their_time() -> None:
    assert play(agent(), "AdvancePhysicsStep", timeStep=0.5).seconds == 0.5
    assert not play(agent(), "AdvancePhysicsStep", timeStep=-1).success
