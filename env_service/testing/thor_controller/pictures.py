"""Tests that pictures, masks and boxes agree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from env_service.testing.thor_controller.kit import ThorTests, answer, picture
from env_service.worlds.ai2thor_api.controller import ThorController, ThorEvent

"""The agent's pose in a good view of each world, once it was found."""

_VIEWS: dict[type[ThorController], dict[str, Any]] = {}


def some_view(thor: ThorController) -> ThorEvent:
    """A view with several objects; the same each time."""
    if type(thor) not in _VIEWS:
        _VIEWS[type(thor)] = look_for_a_view(thor)
    event = thor.step("Teleport", **_VIEWS[type(thor)])
    assert len(event.instance_masks) >= 4
    return event


def look_for_a_view(thor: ThorController) -> dict[str, Any]:
    """The arguments of the teleport to the pose from which most objects are visible."""
    points = answer(thor, "GetReachablePositions")
    views = [
        {"position": point, "rotation": yaw, "horizon": 15}
        for point in points[:: max(len(points) // 4, 1)]
        for yaw in (0, 90, 180, 270)
    ]
    return max(views, key=lambda view: len(thor.step("Teleport", **view).instance_masks))


def colors_of(event: ThorEvent) -> np.ndarray:
    """The first third-party camera's picture. The Python package leaves a fourth channel in it if
    the player sends one."""
    return np.ascontiguousarray(event.third_party_camera_frames[0])[..., :3]


def state_pose(event: ThorEvent) -> dict[str, object]:
    return dict(event.metadata["agent"])


class PictureTests(ThorTests):
    """Tests that pictures, masks and boxes agree."""

    def test_a_frame_is_bytes_of_the_asked_size(self, thor: ThorController) -> None:
        frame = thor.last_event.frame
        assert frame is not None
        assert frame.dtype == np.uint8
        assert frame.shape == (90, 120, 3)
        assert frame.std() > 5, "a picture of one colour shows nothing"

    def test_masks_have_the_colours_of_the_table(self, thor: ThorController) -> None:
        event = some_view(thor)
        colors = {each["name"]: tuple(each["color"]) for each in event.metadata["colors"]}
        assert len(set(colors.values())) == len(colors)
        segments = event.instance_segmentation_frame
        assert segments is not None
        for object_id, mask in event.instance_masks.items():
            assert mask.shape == (90, 120)
            assert {tuple(int(v) for v in each) for each in segments[mask]} == {colors[object_id]}
            assert mask.sum() == (segments == np.array(colors[object_id])).all(2).sum()

    def test_masks_do_not_overlap(self, thor: ThorController) -> None:
        total = sum(mask.astype(int) for mask in some_view(thor).instance_masks.values())
        assert np.max(total) == 1

    def test_boxes_are_the_smallest_around_the_masks(self, thor: ThorController) -> None:
        event = some_view(thor)
        assert set(event.instance_detections2D) == set(event.instance_masks)
        for object_id, box in event.instance_detections2D.items():
            rows, columns = np.nonzero(event.instance_masks[object_id])
            assert tuple(box) == (columns.min(), rows.min(), columns.max(), rows.max())

    def test_an_object_out_of_view_has_no_mask(self, thor: ThorController) -> None:
        event = some_view(thor)
        hidden = [
            each["objectId"]
            for each in event.metadata["objects"]
            if each["objectId"] not in event.instance_masks
        ]
        assert hidden
        with pytest.raises(KeyError):
            event.instance_masks[hidden[0]]

    def test_class_pictures_have_one_colour_per_type(self, thor: ThorController) -> None:
        event = some_view(thor)
        classes = event.semantic_segmentation_frame
        assert classes is not None
        colors = {each["name"]: tuple(each["color"]) for each in event.metadata["colors"]}
        types = {each["objectId"]: each["objectType"] for each in event.metadata["objects"]}
        for object_id, mask in event.instance_masks.items():
            shown = {tuple(int(v) for v in each) for each in classes[mask]}
            assert shown == {colors[types[object_id]]}

    def test_depth_is_in_metres(self, thor: ThorController) -> None:
        thor.step("Teleport", horizon=60)
        depth = thor.last_event.depth_frame
        assert depth is not None
        assert depth.shape == (90, 120)
        assert depth.dtype == np.float32
        assert depth.min() > 0.1
        assert depth.max() <= 20.0
        assert depth[45, 60] < 3.5, "the floor is not far when one looks down"

    def test_only_what_was_asked_for_is_drawn(self, thor: ThorController) -> None:
        event = thor.reset(
            renderInstanceSegmentation=False,
            renderSemanticSegmentation=False,
            renderDepthImage=False,
        )
        assert event.frame is not None
        assert event.depth_frame is None
        assert event.instance_segmentation_frame is None
        assert event.semantic_segmentation_frame is None
        assert not event.instance_masks
        assert not event.instance_detections2D

    def test_the_size_can_be_changed(self, thor: ThorController) -> None:
        event = thor.step("ChangeResolution", x=64, y=80)
        assert event
        assert (event.metadata["screenWidth"], event.metadata["screenHeight"]) == (64, 80)
        assert picture(thor.step("Pass")).shape == (80, 64, 3)

    def test_what_is_visible_does_not_depend_on_the_size(self, thor: ThorController) -> None:
        some_view(thor)
        seen = [each["visible"] for each in thor.step("Pass").metadata["objects"]]
        thor.step("ChangeResolution", x=400, y=300)
        assert [each["visible"] for each in thor.step("Pass").metadata["objects"]] == seen

    def test_third_party_cameras_look_from_where_they_are(self, thor: ThorController) -> None:
        own = picture(thor.last_event)
        where = thor.last_event.metadata["cameraPosition"]
        turn = thor.last_event.metadata["agent"]["rotation"]
        assert thor.last_event.third_party_camera_frames == []
        event = thor.step("AddThirdPartyCamera", position=where, rotation=turn, fieldOfView=90)
        assert event
        assert len(event.third_party_camera_frames) == 1
        assert (colors_of(event) == own).all()
        event = thor.step(
            "UpdateThirdPartyCamera", thirdPartyCameraId=0, rotation={"x": 60, "y": 0}
        )
        assert event
        assert not (colors_of(event) == own).all()
        listed = event.metadata["thirdPartyCameras"]
        assert [each["thirdPartyCameraId"] for each in listed] == [0]
        assert listed[0]["fieldOfView"] == 90
        assert thor.reset().third_party_camera_frames == []

    def test_the_object_at_a_point_is_the_one_whose_mask_is_there(
        self, thor: ThorController
    ) -> None:
        event = some_view(thor)
        where = event.metadata["agent"]
        thor.step(
            "Teleport",
            position=where["position"],
            rotation=where["rotation"],
            horizon=where["cameraHorizon"],
        )
        for object_id, mask in event.instance_masks.items():
            inner = mask.copy()
            for axis in (0, 1):
                for shift in (-3, 3):
                    inner &= np.roll(mask, shift, axis)
            rows, columns = np.nonzero(inner)
            if len(rows):
                x, y = (columns[0] + 0.5) / 120, (rows[0] + 0.5) / 90
                assert answer(thor, "GetObjectInFrame", x=x, y=y) == object_id

    def test_events_keep_what_they_showed(self, thor: ThorController) -> None:
        first = thor.last_event
        frame, before = picture(first), state_pose(first)
        thor.step("RotateRight")
        thor.step("Crouch")
        assert state_pose(first) == before
        assert (picture(first) == frame).all()
        assert state_pose(thor.last_event) != before
