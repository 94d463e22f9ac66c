"""Where to stand to see a whole room: in two corners, and above it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Box, Vec3, yaw_towards
from env_service.worlds.household.render.interface import Camera
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec, StructureSpec

EYE = 1.62
"""Metres above the floor; a person's eyes."""
FROM_WALL = 0.18
STEP = 0.1
"""Metres between two places that are tried on the way from a corner to the room's middle."""
FARTHEST = 0.7
"""Share of that way after which no place is tried."""
COST = 0.25
"""How much more of the room must be seen to go a metre away from the corner."""
ELBOWS = 0.12
"""Metres that stay free around the eye."""
WIDE, ABOVE = 78.0, 50.0
"""Fields of view, degrees: in a corner, and from above."""
SHELL = frozenset({"Wall", "Ceiling", "Sky", "Floor", "Rug", "Baseboard"})
"""Structure that never stands between the eye and the room."""

Array = NDArray[np.float64]


def corners(scene: SceneSpec, width: int, height: int) -> tuple[Camera, Camera]:
    """Views from the two corners in which one sees most, each to the room's middle."""
    low, high = _obstacles(scene)
    found = [_eye(scene, which, low, high) for which in range(4)]
    found.sort(key=lambda rated: -rated[0])
    return (_camera(scene, found[0][1], width, height), _camera(scene, found[1][1], width, height))


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


def _eye(scene: SceneSpec, which: int, low: Array, high: Array) -> tuple[float, Vec3]:
    """How good the best place near one of the four corners is, and the place."""
    center, size = scene.bounds.center, scene.bounds.size
    sign_x, sign_z = ((-1, -1), (1, 1), (1, -1), (-1, 1))[which]
    level = center.y - size.y / 2 + min(EYE, size.y - 0.3)
    start = Vec3(
        center.x + sign_x * (size.x / 2 - FROM_WALL), level,
        center.z + sign_z * (size.z / 2 - FROM_WALL),
    )  # fmt: skip
    way = Vec3(center.x, level, center.z) - start
    steps = max(1, int(way.length() / STEP))
    best = (-math.inf, start)
    for step in range(int(steps * FARTHEST) + 1):
        eye = start + way * (step / steps)
        at = np.array(eye.tuple())
        if ((at > low - ELBOWS) & (at < high + ELBOWS)).all(1).any():
            continue
        rating = _seen(at, center, low, high) - COST * STEP * step
        if rating > best[0]:
            best = (rating, eye)
    return best


def _seen(eye: Array, center: Vec3, low: Array, high: Array) -> float:
    """The mean share of the way to the middle of the room and beyond that is free, over rays
    across the picture, in [0, 1]."""
    yaw = math.radians(yaw_towards(Vec3(*eye.tolist()), center))
    turns = np.radians(np.linspace(-WIDE / 2, WIDE / 2, 9))[:, None] + yaw
    tilts = np.radians(np.array([5.0, 15.0, 30.0]))[None]
    rays = np.stack(
        [
            np.sin(turns) * np.cos(tilts),
            np.broadcast_to(-np.sin(tilts), (9, 3)),
            np.cos(turns) * np.cos(tilts),
        ],
        -1,
    ).reshape(-1, 1, 3)
    rays = np.where(np.abs(rays) < 1e-9, 1e-9, rays)
    near, far = (low - eye) / rays, (high - eye) / rays
    enter, leave = np.minimum(near, far).max(2), np.maximum(near, far).min(2)
    hit = np.where((enter <= leave) & (leave > 0), np.maximum(enter, 0.0), np.inf)
    reach = max(1.0, math.hypot(eye[0] - center.x, eye[2] - center.z))
    free = np.minimum(hit.min(1, initial=np.inf) / reach, 1.0)
    return float(free.mean())


def _obstacles(scene: SceneSpec) -> tuple[Array, Array]:
    """Low and high corners [N, 3] of all that one could not see through from inside."""
    parts: tuple[ObjectSpec | StructureSpec, ...] = (*scene.objects, *scene.structure)
    boxes: list[Box] = [part.body.bounds() for part in parts if part.type not in SHELL]
    low = [(box.center - box.size * 0.5).tuple() for box in boxes]
    high = [(box.center + box.size * 0.5).tuple() for box in boxes]
    return np.array(low).reshape(-1, 3), np.array(high).reshape(-1, 3)


def _camera(scene: SceneSpec, eye: Vec3, width: int, height: int) -> Camera:
    center = scene.bounds.center
    away = math.hypot(eye.x - center.x, eye.z - center.z)
    floor = center.y - scene.bounds.size.y / 2
    pitch = math.degrees(math.atan2(eye.y - floor - 0.75, max(away, 0.5)))
    yaw = yaw_towards(eye, center)
    return Camera(eye, yaw, min(pitch, 30.0), WIDE, width, height, near=0.05, far=40.0)
