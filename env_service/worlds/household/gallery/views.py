"""Where to stand to see a whole room: in two corners, and above it."""

from __future__ import annotations

import math

from env_service.worlds.household.geometry import Box, Vec3, yaw_towards
from env_service.worlds.household.render.interface import Camera
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec, StructureSpec

EYE = 1.62
"""Metres above the floor; a person's eyes."""
FROM_WALL = 0.18
STEP = 0.1
"""Metres between two places that are tried on the way from a corner to the room's middle."""
ELBOWS = 0.12
"""Metres that stay free around the eye."""
WIDE, ABOVE = 78.0, 50.0
"""Fields of view, degrees: in a corner, and from above."""


def corners(scene: SceneSpec, width: int, height: int) -> tuple[Camera, Camera]:
    """Views from the two corners in which one can stand best, each to the room's middle."""
    eyes = sorted((_eye(scene, which) for which in range(4)), key=lambda eye: eye[0])
    return (_camera(scene, eyes[0][1], width, height), _camera(scene, eyes[1][1], width, height))


def above(scene: SceneSpec, width: int, height: int) -> Camera:
    """A view straight down on the whole room, its longer side across; the ceiling is in the way
    and has to be left out."""
    center, size = scene.bounds.center, scene.bounds.size
    along_x = (size.x >= size.z) == (width >= height)
    across, down = (size.x, size.z) if along_x else (size.z, size.x)
    half = math.tan(math.radians(ABOVE / 2))
    tall = max(down, across * height / width) / 2 * 1.06
    eye = Vec3(center.x, center.y + size.y / 2 + tall / half, center.z)
    yaw = 0.0 if along_x else 90.0
    return Camera(eye, yaw, 90.0, ABOVE, width, height, near=0.1, far=60.0)


def _eye(scene: SceneSpec, which: int) -> tuple[int, Vec3]:
    """Where to put the eye for one of the four corners, and how many steps from the corner."""
    center, size = scene.bounds.center, scene.bounds.size
    sign_x, sign_z = ((-1, -1), (1, 1), (1, -1), (-1, 1))[which]
    high = center.y - size.y / 2 + min(EYE, size.y - 0.3)
    start = Vec3(
        center.x + sign_x * (size.x / 2 - FROM_WALL), high,
        center.z + sign_z * (size.z / 2 - FROM_WALL),
    )  # fmt: skip
    way = Vec3(center.x, high, center.z) - start
    steps = max(1, int(way.length() / STEP))
    things = _in_the_way(scene)
    for step in range(steps):
        eye = start + way * (step / steps)
        if not any(thing.contains(eye, ELBOWS) for thing in things):
            return step, eye
    return steps, start


def _in_the_way(scene: SceneSpec) -> list[Box]:
    """What one could not see through from inside."""
    shell = {"Wall", "Ceiling", "Sky", "Floor", "Rug", "Baseboard"}
    parts: tuple[ObjectSpec | StructureSpec, ...] = (*scene.objects, *scene.structure)
    return [part.body for part in parts if part.type not in shell]


def _camera(scene: SceneSpec, eye: Vec3, width: int, height: int) -> Camera:
    center = scene.bounds.center
    away = math.hypot(eye.x - center.x, eye.z - center.z)
    floor = center.y - scene.bounds.size.y / 2
    pitch = math.degrees(math.atan2(eye.y - floor - 0.75, max(away, 0.5)))
    yaw = yaw_towards(eye, center)
    return Camera(eye, yaw, min(pitch, 30.0), WIDE, width, height, near=0.05, far=40.0)
