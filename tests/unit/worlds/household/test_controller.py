"""The controller: parameters, errors and what stays when something goes wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from env_service.worlds.household.controller import HouseholdController
from tests.support.small_home import Homes, home, thing

MUG = thing("Mug", (0.0, 0.9, 1.6), (0.1, 0.1, 0.1))
COUNTER = thing("CounterTop", (0.0, 0.0, 1.7), (3.0, 0.9, 0.6), yaw=180.0)
LIBRARY = Homes(
    home(COUNTER, MUG, at=(0.0, 0.75)),
    home(name="FloorPlan2_physics"),
    home(name="FloorPlan12_physics"),
)


def controller(**parameters: Any) -> HouseholdController:
    given = {"scene": "small-home", "width": 60, "height": 40, **parameters}
    return HouseholdController(library=LIBRARY, renderer="soft", **given)


@pytest.fixture
def thor() -> Iterator[HouseholdController]:
    with controller() as built:
        yield built


def test_the_first_floor_plan_opens_where_none_is_named() -> None:
    with controller(scene=None) as thor:
        assert thor.last_event.metadata["sceneName"] == "FloorPlan12_physics"
        assert thor.scene == "FloorPlan12_physics"


def test_floor_plans_have_short_names(thor: HouseholdController) -> None:
    assert thor.reset("FloorPlan2").metadata["sceneName"] == "FloorPlan2_physics"
    assert thor.scenes_in_build == {"small-home", "FloorPlan2_physics", "FloorPlan12_physics"}


def test_parameters_of_a_players_start_mean_nothing() -> None:
    with controller(platform="CloudRendering", x_display="0", server_timeout=300) as thor:
        assert set(thor.initialization_parameters) == set()


@pytest.mark.parametrize(
    "parameters",
    [
        {"scene": "castle"},
        {"quality": "Best"},
        {"width": 0},
        {"height": 20_000},
        {"width": "wide"},
        {"fieldOfView": -1},
        {"agentMode": "drone"},
        {"gridSize": "small"},
    ],
)
def test_a_start_that_makes_no_sense_raises(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r".+"):
        controller(**parameters)


def test_parameters_stay_and_grow(thor: HouseholdController) -> None:
    thor.reset(fieldOfView=60)
    thor.reset(visibilityDistance=3.0, width=80)
    assert thor.initialization_parameters == {"fieldOfView": 60, "visibilityDistance": 3.0}
    event = thor.reset("FloorPlan2")
    assert event.metadata["fov"] == 60.0
    assert (event.screen_width, event.screen_height) == (80, 40)


def test_a_refused_reset_changes_nothing(thor: HouseholdController) -> None:
    thor.step("RotateRight")
    before = thor.last_event
    for bad in ({"width": 0}, {"fieldOfView": 500}, {"scene": "castle"}, {"height": float("nan")}):
        with pytest.raises(ValueError, match=r".+"):
            thor.reset(**bad)
        assert thor.last_event is before
    assert thor.step("Pass").metadata["agent"]["rotation"]["y"] == 90.0
    assert thor.reset().screen_width == 60


def test_a_number_is_a_yaw(thor: HouseholdController) -> None:
    thor.step("Teleport", rotation=30)
    assert thor.last_event.metadata["agent"]["rotation"] == {"x": 0.0, "y": 30.0, "z": 0.0}


def test_an_action_may_be_a_mapping_with_more_beside_it(thor: HouseholdController) -> None:
    action = {"action": "LookDown", "degrees": 10}
    thor.step(action, degrees=20)
    assert thor.last_event.metadata["agent"]["cameraHorizon"] == 20.0
    assert action["degrees"] == 10


def test_callers_mistakes_raise_and_leave_a_false_event(thor: HouseholdController) -> None:
    with pytest.raises(ValueError, match="Invalid action: Fly"):
        thor.step("Fly")
    assert not thor.last_event
    assert thor.last_event.metadata["errorCode"] == "InvalidAction"


def test_refusals_raise_on_demand(thor: HouseholdController) -> None:
    assert not thor.step("Stand")
    with pytest.raises(RuntimeError, match="Already Standing"):
        thor.step("Stand", raise_for_failure=True)


def test_without_a_head_there_are_no_pictures() -> None:
    with controller(headless=True, renderDepthImage=True) as thor:
        assert thor.last_event.frame is None
        assert thor.last_event.depth_frame is None
        assert any(each["visible"] for each in thor.last_event.metadata["objects"])


def test_without_a_renderer_there_are_no_colours_but_everything_else() -> None:
    thor = HouseholdController(
        "small-home", library=LIBRARY, renderer="none", renderInstanceSegmentation=True
    )
    with thor:
        assert thor.last_event.frame is None
        assert MUG.object_id in thor.last_event.instance_masks
        assert any(each["visible"] for each in thor.last_event.metadata["objects"])


def test_a_step_can_do_without_its_picture(thor: HouseholdController) -> None:
    assert thor.step("Pass", renderImage=False).frame is None
    assert thor.step("Pass").frame is not None


def test_events_show_their_own_moment_even_when_first_read_later(
    thor: HouseholdController,
) -> None:
    thor.reset(renderInstanceSegmentation=True)
    early = thor.step("LookDown")
    expected = controller()
    expected.reset(renderInstanceSegmentation=True)
    at_once = expected.step("LookDown")
    frame, objects = at_once.frame, at_once.metadata["objects"]
    thor.step("PickupObject", objectId=MUG.object_id)
    thor.step("RotateRight")
    thor.reset("FloorPlan2")
    thor.step("Crouch")
    assert early.frame is not None
    np.testing.assert_array_equal(early.frame, frame)
    assert early.metadata["objects"] == objects
    assert MUG.object_id in early.instance_masks
    assert early.pose == (0, 750, 0, 30000)


def test_pictures_are_packed_and_cannot_be_changed(thor: HouseholdController) -> None:
    thor.reset(
        renderInstanceSegmentation=True,
        renderSemanticSegmentation=True,
        renderDepthImage=True,
        renderNormalsImage=True,
    )
    event = thor.last_event
    for picture in (
        event.frame,
        event.depth_frame,
        event.normals_frame,
        event.instance_segmentation_frame,
        event.semantic_segmentation_frame,
    ):
        assert picture is not None
        assert picture.flags.c_contiguous
        assert not picture.flags.writeable
        assert picture.shape[:2] == (40, 60)


def test_normals_are_seen_from_the_camera(thor: HouseholdController) -> None:
    thor.reset(renderNormalsImage=True)
    event = thor.step("Teleport", position={"x": 0, "y": 0.9, "z": -1}, rotation=180, horizon=0)
    normals = event.normals_frame
    assert normals is not None
    x, y, z = (int(value) for value in normals[20, 30])
    assert abs(x - 128) < 4
    assert abs(y - 128) < 4
    assert z > 250, "a wall ahead faces the camera"


def test_a_stopped_controller_says_so(thor: HouseholdController) -> None:
    thor.stop()
    thor.stop()
    with pytest.raises(RuntimeError, match="stopped"):
        thor.step("Pass")
    with pytest.raises(RuntimeError, match="stopped"):
        thor.reset()
