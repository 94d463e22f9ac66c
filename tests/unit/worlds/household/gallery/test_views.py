"""Where one stands to see a room."""

from __future__ import annotations

import math

import pytest

from env_service.worlds.household.gallery.scenes import above, corners
from env_service.worlds.household.geometry import Rotation, Vec3, yaw_towards
from env_service.worlds.household.scene.spec import SceneSpec
from tests.support.household_scenes import kitchen
from tests.support.small_home import DEPTH, HEIGHT, WIDTH, home, thing


@pytest.fixture(scope="module")
def scene() -> SceneSpec:
    return kitchen()


def test_two_corners_look_into_the_room_at_the_height_of_eyes(scene: SceneSpec) -> None:
    views = corners(scene, 64, 48)
    assert len({(camera.position.x, camera.position.z) for camera in views}) == 2
    for camera in views:
        assert abs(camera.position.x) < WIDTH / 2
        assert abs(camera.position.z) < DEPTH / 2
        assert 1.2 < camera.position.y < HEIGHT
        assert (camera.width, camera.height) == (64, 48)
        assert camera.yaw == pytest.approx(yaw_towards(camera.position, scene.bounds.center))
        assert 0 < camera.pitch <= 30


def test_nobody_stands_inside_of_furniture() -> None:
    tall = [thing("Fridge", (x, 0.0, z), (0.9, 2.0, 0.9)) for x in (-2.0, 2.0) for z in (-1.5, 1.5)]
    scene = home(*tall)
    for camera in corners(scene, 32, 32):
        assert not any(spec.body.contains(camera.position) for spec in scene.objects)


def test_a_corner_behind_something_is_not_taken() -> None:
    """A shelf before one corner hides the room from there."""
    screen = thing("ShelvingUnit", (1.6, 0.0, 1.2), (0.1, 2.4, 2.0), yaw=0.0)
    across = thing("ShelvingUnit", (2.1, 0.0, 0.3), (1.0, 2.4, 0.1))
    for camera in corners(home(screen, across), 32, 32):
        assert not (camera.position.x > 1.6 and camera.position.z > 0.3)


def test_the_same_scene_gives_the_same_views(scene: SceneSpec) -> None:
    assert corners(scene, 32, 32) == corners(scene, 32, 32)


@pytest.mark.parametrize(("width", "height", "yaw"), [(64, 48, 0.0), (48, 64, 90.0)])
def test_all_of_a_room_is_seen_from_above(
    scene: SceneSpec, width: int, height: int, yaw: float
) -> None:
    camera = above(scene, width, height)
    assert (camera.yaw, camera.pitch) == (yaw, 90.0)
    up = camera.position.y - (scene.bounds.center.y + scene.bounds.size.y / 2)
    tall = 2 * up * math.tan(math.radians(camera.field_of_view / 2))
    turned = Rotation.yaw(-yaw).apply(Vec3(scene.bounds.size.x, 0.0, scene.bounds.size.z))
    assert tall >= abs(turned.z)
    assert tall * width / height >= abs(turned.x)
