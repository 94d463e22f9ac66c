"""Initialize and the pictures' size."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.household.simulation.action import ErrorCode
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import home
from tests.support.turns import play

STATE = HouseholdState.at_start(home())


def test_initialize_sets_what_is_given_and_resets_the_rest() -> None:
    before = Settings(width=64, height=48, grid_size=1.0, render_depth=True)
    result = play(
        STATE, "Initialize", settings=before, gridSize=0.5, renderInstanceSegmentation=True
    )
    assert result.settings == Settings(width=64, height=48, grid_size=0.5, render_instances=True)
    assert result.value == {"cameraNearPlane": 0.01, "cameraFarPlane": 20.0}


def test_initialize_takes_what_it_does_not_know_in_silence() -> None:
    assert play(STATE, "Initialize", makeAgentsVisible=False, colour="red").success


def test_initialize_knows_the_suites_parameters() -> None:
    result = play(
        STATE,
        "Initialize",
        agentMode="default",
        visibilityDistance=5,
        gridSize=0.25,
        snapToGrid=False,
        rotateStepDegrees=5,
        renderDepthImage=False,
        fieldOfView=60,
        renderInstanceSegmentation=True,
    )
    assert result.settings == Settings(
        visibility_distance=5.0,
        snap_to_grid=False,
        rotate_step=5.0,
        field_of_view=60.0,
        render_instances=True,
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("gridSize", -1),
        ("gridSize", 6),
        ("fieldOfView", 180),
        ("fieldOfView", -5),
        ("visibilityDistance", -1),
        ("rotateStepDegrees", 0),
        ("rotateStepDegrees", 45),
        ("agentMode", "drone"),
        ("agentCount", 2),
    ],
)
def test_initialize_refuses_nonsense(name: str, value: Any) -> None:
    result = play(STATE, "Initialize", **{name: value})
    assert result.code is ErrorCode.INVALID_ARGUMENT
    assert str(value) in result.error


@pytest.mark.parametrize(("x", "y"), [(0, 300), (300, 0), (-5, 300), (20_000, 300)])
def test_a_resolution_has_limits(x: int, y: int) -> None:
    result = play(STATE, "ChangeResolution", x=x, y=y)
    assert result.code is ErrorCode.INVALID_ARGUMENT
    assert result.settings is None


def test_resolution_angle_and_quality_can_be_changed() -> None:
    changed = play(STATE, "ChangeResolution", x=640, y=480).settings
    assert changed is not None
    assert (changed.width, changed.height) == (640, 480)
    changed = play(STATE, "ChangeFOV", fieldOfView=40).settings
    assert changed is not None
    assert changed.field_of_view == 40.0
    assert not play(STATE, "ChangeFOV", fieldOfView=0).success
    assert play(STATE, "ChangeQuality", quality="Low").success
    assert not play(STATE, "ChangeQuality", quality="Best").success


@pytest.mark.parametrize("size", [1e-300, 0.0005, 5.5])
def test_a_grid_that_is_none_is_refused(size: float) -> None:
    result = play(STATE, "Initialize", gridSize=size)
    assert "grid size" in result.error
    assert result.code is ErrorCode.INVALID_ARGUMENT


@pytest.mark.parametrize("mode", ["locobot", "drone", "arm", "stochastic"])
def test_other_bodies_are_refused_by_name(mode: str) -> None:
    result = play(STATE, "Initialize", agentMode=mode)
    assert result.error == f"agentMode must be 'default' in this world. You gave {mode}."
    assert "agentMode" in play(STATE, "Initialize", agentControllerType="physics").error
