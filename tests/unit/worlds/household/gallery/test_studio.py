"""Portraits of objects."""

from __future__ import annotations

import math

import numpy as np
import pytest

from env_service.worlds.household.assets import catalogue
from env_service.worlds.household.assets.model import Model
from env_service.worlds.household.gallery.objects import Pose, portrait, request
from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.render.soft.renderer import SoftRenderer
from tests.support.canvas_renderer import CanvasRenderer


def model(type_name: str) -> Model:
    return catalogue.model(request(type_name))


def test_an_object_fills_its_picture_whatever_its_size() -> None:
    renderer = SoftRenderer()
    for name in ("Egg", "Fridge"):
        picture = portrait(renderer, model(name), 0.0, 48).astype(int)
        bare = np.abs(picture - np.median(picture[:4], axis=(0, 1))).max(-1) < 30
        rows, columns = np.nonzero(~bare)
        assert max(np.ptp(rows), np.ptp(columns)) > 24
        assert rows.min() > 0


def test_the_camera_looks_down_on_small_things_and_straight_at_what_hangs() -> None:
    renderer = CanvasRenderer()
    portrait(renderer, model("Mug"), 0.0, 32)
    portrait(renderer, model("Fridge"), 0.0, 32)
    portrait(renderer, model("Painting"), 0.0, 32, Pose(hung=True))
    mug, fridge, painting = (camera.pitch for camera in renderer.cameras)
    assert mug > fridge > painting >= 0


def test_the_camera_stands_where_it_is_told() -> None:
    renderer = CanvasRenderer()
    portrait(renderer, model("Mug"), 0.0, 32, Pose(yaw=90.0, pitch=50.0))
    (camera,) = renderer.cameras
    assert (camera.yaw, camera.pitch) == (90.0, 50.0)
    ahead = Rotation.yaw(90.0).apply(Vec3(0.0, 0.0, 1.0))
    assert camera.position.x * ahead.x < 0
    assert camera.position.y > 0
    assert math.isclose(camera.position.z, 0.0, abs_tol=0.02)


def test_a_door_that_opens_stays_in_the_picture() -> None:
    renderer = CanvasRenderer()
    for openness in (0.0, 1.0):
        portrait(renderer, model("Fridge"), openness, 32)
    closed, opened = (camera.position.length() for camera in renderer.cameras)
    assert opened > closed


def test_what_shines_lights_its_picture() -> None:
    renderer = CanvasRenderer()
    lamp = catalogue.model(request("FloorLamp"))
    portrait(renderer, lamp, 0.0, 32)
    assert len(renderer.lightings[0].lights) == 1


def test_a_renderer_without_pictures_is_refused() -> None:
    with pytest.raises(ValueError, match="the renderer canvas makes no pictures"):
        portrait(CanvasRenderer(blind=True), model("Mug"), 0.0, 32)
