"""One object on a neutral ground, lit like a room, seen from its front."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.model import Model
from env_service.worlds.household.assets.motion import place
from env_service.worlds.household.assets.shapes import box
from env_service.worlds.household.geometry import IDENTITY, Transform, Vec3
from env_service.worlds.household.render.graph import Light, Lighting, Node, SceneGraph
from env_service.worlds.household.render.interface import Camera, Channel, Renderer
from env_service.worlds.household.render.soft.lighting import LAMP_FALL, LAMP_NEAR
from env_service.worlds.household.render.soft.room import LAMP

GROUND = Material((0.66, 0.65, 0.62), gloss=0.05)
FIELD_OF_VIEW = 32.0
YAW = 215.0
"""The camera looks at the front a little from its right, degrees."""
LARGE, PITCH_LARGE, PITCH_SMALL, PITCH_HUNG = 0.45, 20.0, 36.0, 8.0
"""Radius in metres from which a thing is large; degrees that one looks down at what is large, what
is small (it lies on a table, below one's eyes) and what hangs on a wall."""
KEY = 1.15
"""Light that the object gets from the main lamp, wherever that has to stand."""
LEAST_STEP = 0.35
"""Metres; the lamp is at least 5.4 times as far from the object."""
HUNG_BACKDROP = 0.02
"""Metres between what hangs on a wall and the wall."""


@dataclass(frozen=True)
class Pose:
    """How an object stands before the camera.

    Attributes:
        hung: whether it hangs on a wall rather than stands on the ground.
        yaw: where the camera looks, degrees; 180 is straight at the front.
        pitch: how far down it looks, degrees; None as a person looks at a thing of that size.
    """

    hung: bool = False
    yaw: float = YAW
    pitch: float | None = None

    def down(self, radius: float) -> float:
        """The pitch for a thing of that radius in metres."""
        if self.pitch is not None:
            return self.pitch
        if self.hung:
            return PITCH_HUNG
        return PITCH_LARGE if radius >= LARGE else PITCH_SMALL


def portrait(
    renderer: Renderer, model: Model, openness: float, side: int, pose: Pose = Pose()
) -> NDArray[np.uint8]:
    """A square picture of a model, uint8 [side, side, 3]. The object fills the picture whatever
    its size, also when it is open."""
    graph = SceneGraph()
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for part in model.parts:
        motion = place(part, openness)
        corners = _corners(part.mesh.bounds[0], part.mesh.bounds[1])
        moved = corners @ motion[:, :3].T + motion[:, 3]
        low, high = np.minimum(low, moved.min(0)), np.maximum(high, moved.max(0))
        graph.put(
            part.name,
            Node(part.mesh, part.material, motion, 1, casts_shadow=part.casts_shadow),
        )
    middle, radius = (low + high) / 2, float(np.sqrt(((high - low) ** 2).sum())) / 2
    _ground(graph, low, radius, hung=pose.hung)
    graph.light(_light(model, middle, radius))
    distance = radius * 1.06 / math.sin(math.radians(FIELD_OF_VIEW / 2))
    pitch = pose.down(radius)
    turn, tilt = math.radians(pose.yaw), math.radians(pitch)
    eye = middle - distance * np.array(
        [math.sin(turn) * math.cos(tilt), -math.sin(tilt), math.cos(turn) * math.cos(tilt)]
    )
    camera = Camera(
        Vec3(*eye.tolist()), pose.yaw, pitch, FIELD_OF_VIEW, side, side,
        near=distance / 100, far=distance * 60,
    )  # fmt: skip
    color = renderer.render(graph, camera, Channel.COLOR).color
    if color is None:
        raise ValueError(f"the renderer {renderer.name} makes no pictures")
    return color


def _corners(low: NDArray[np.float32], high: NDArray[np.float32]) -> NDArray[np.float64]:
    ends = np.stack([low, high]).astype(np.float64)
    return np.array(
        [[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    )


def _ground(graph: SceneGraph, low: NDArray[np.float64], radius: float, *, hung: bool) -> None:
    extent = radius * 120
    slab = box(extent, radius * 0.1, extent)
    at = Vec3(0.0, float(low[1]) - radius * 0.101, 0.0)
    if hung:
        slab = box(extent, extent, radius * 0.1)
        at = Vec3(0.0, -extent / 2, float(low[2]) - radius * 0.05 - HUNG_BACKDROP)
    graph.put("ground", Node(slab, GROUND, Transform(IDENTITY, at).array(), 0, fixed=True))


def _light(model: Model, middle: NDArray[np.float64], radius: float) -> Lighting:
    """A room's light, at distances in proportion to a large object, as far off as in a room for a
    small one; and the lamps of the object."""
    x, y, z = middle.tolist()
    step = max(radius, LEAST_STEP)
    key = Vec3(x + step * 2.0, y + step * 4.0, z + step * 3.0)
    away = step * math.sqrt(2.0**2 + 4.0**2 + 3.0**2)
    power = KEY * float(LAMP_NEAR + LAMP_FALL * away * away) / LAMP
    lamps = tuple(Light(lamp.position, lamp.color, lamp.power, lamp.reach) for lamp in model.lamps)
    lights = (Light(key, (1.0, 0.97, 0.92), power, step * 80, shadows=True), *lamps)
    return Lighting(lights, ambient=0.5)
