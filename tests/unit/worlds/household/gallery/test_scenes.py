"""Panels of scenes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.worlds.household.gallery.scenes import VIEWS, scene_panels, scene_picture
from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.spec import StructureSpec
from tests.support.canvas_renderer import CanvasRenderer
from tests.support.household_scenes import kitchen


def test_a_scene_has_three_panels() -> None:
    renderer = CanvasRenderer()
    panels = list(scene_panels(renderer, ["Somewhere"], lambda _: kitchen(), 24))
    assert [panel.caption for panel in panels] == [
        "Somewhere", "Somewhere, other corner", "Somewhere, from above",
    ]  # fmt: skip
    assert [camera.pitch == 90.0 for camera in renderer.cameras] == [False, False, True]
    assert all(panel.picture.shape == (24, 24, 3) for panel in panels)


def test_the_ceiling_is_left_out_from_above() -> None:
    body = Box(Vec3(0.0, 2.55, 0.0), Vec3(5.0, 0.1, 4.0))
    room = kitchen()
    scene = replace(room, structure=(*room.structure, StructureSpec("lid", "Ceiling", body)))
    renderer = CanvasRenderer()
    for view in VIEWS:
        scene_picture(renderer, scene, view, 32, 24)
    covered = [any(key.startswith("lid/") for key in nodes) for nodes in renderer.shown]
    assert covered == [view != "above" for view in VIEWS]


def test_an_unknown_view_is_refused() -> None:
    with pytest.raises(ValueError, match="a view is one of corner, other-corner, above"):
        scene_picture(CanvasRenderer(), kitchen(), "below", 32, 32)


def test_a_renderer_without_pictures_is_refused() -> None:
    with pytest.raises(ValueError, match="makes no pictures"):
        scene_picture(CanvasRenderer(blind=True), kitchen(), "corner", 32, 32)


def test_the_view_outdoors_is_left_out_from_above_and_a_ground_put_in() -> None:
    body = Box(Vec3(0.0, 1.0, 3.0), Vec3(9.0, 5.0, 0.02))
    room = kitchen()
    scene = replace(room, structure=(*room.structure, StructureSpec("far", "Sky", body)))
    renderer = CanvasRenderer()
    for view in VIEWS:
        scene_picture(renderer, scene, view, 32, 24)
    for view, nodes in zip(VIEWS, renderer.shown, strict=True):
        assert any(key.startswith("far/") for key in nodes) == (view != "above")
        assert ("ground" in nodes) == (view == "above")
