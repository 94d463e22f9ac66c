"""Mirrors that reflect: a second, smaller picture of the room, taken from behind each mirror.

The eye is reflected in the mirror's plane. From there the room is drawn through the mirror as
through a window: the near plane is the mirror itself, so the wall behind it is not in the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple
from weakref import ReferenceType, ref

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.render.interface import Camera, CameraPictures, Channel, Renderer
from env_service.worlds.household.render.scene_graph import Node, SceneGraph
from env_service.worlds.household.render.soft.projection import View

Floats = NDArray[np.float64]

SMALLER = 2
"""Pixels of a picture for one of the reflection's, either way."""
FLATTEST = 4.0
"""Tangent of the widest angle to a mirror's normal at which it reflects; flatter, it shows its own
colour."""
THIN = 0.001
"""Metres before or behind its plane at which a surface is the mirror's glass."""
CLEAN, SMEARED = 0.92, 0.45
"""Share of the reflection in a mirror's colour, clean and under dirt or foam."""


class MirroringRenderer:
    """Draws with another renderer, then reflections into the mirrors of its pictures."""

    def __init__(self, renderer: Renderer) -> None:
        self._renderer = renderer
        self._last: (
            tuple[ReferenceType[SceneGraph], tuple[int, Camera, Channel], CameraPictures] | None
        ) = None

    @property
    def name(self) -> str:
        """That of the other renderer."""
        return self._renderer.name

    def render(self, graph: SceneGraph, camera: Camera, channels: Channel) -> CameraPictures:
        """See `interface.Renderer`."""
        mirrors = [key for key, node in graph.nodes.items() if node.reflects]
        if not mirrors or Channel.COLOR not in channels:
            return self._renderer.render(graph, camera, channels)
        wanted = (graph.version, camera, channels)
        if self._last is None or self._last[0]() is not graph or self._last[1] != wanted:
            drawn = self._drawn(graph, camera, channels, mirrors)
            self._last = (ref(graph), wanted, drawn)
        return self._last[2]

    def close(self) -> None:
        """See `interface.Renderer`."""
        self._last = None
        self._renderer.close()

    def _drawn(
        self, graph: SceneGraph, camera: Camera, channels: Channel, mirrors: Iterable[str]
    ) -> CameraPictures:
        drawn = self._renderer.render(graph, camera, channels | Channel.DEPTH)
        color, depth = drawn.color, drawn.depth
        if color is None or depth is None:
            raise RuntimeError(f"the renderer {self.name} left out colours or depth")
        for key in mirrors:
            color = self._with_reflection(graph, camera, key, (color, depth))
        color.setflags(write=False)
        return replace(drawn, color=color, depth=depth if Channel.DEPTH in channels else None)

    def _with_reflection(
        self,
        graph: SceneGraph,
        camera: Camera,
        key: str,
        pictures: tuple[NDArray[np.uint8], NDArray[np.float32]],
    ) -> NDArray[np.uint8]:
        """The colours of a picture with the reflection in one mirror, by its colours and depth."""
        color, depth = pictures
        node = graph.nodes[key]
        mirror = _Mirror.of(node)
        rows, columns, across, up = _on_glass(mirror, View.of(camera), depth)
        if not len(rows):
            return color
        widest = float(max(np.abs(across).max(), np.abs(up).max()))
        behind = _camera_behind(mirror, camera, widest)
        room = self._renderer.render(graph, behind, Channel.COLOR).color
        if room is None:
            raise RuntimeError(f"the renderer {self.name} left out colours")
        half = math.tan(math.radians(behind.field_of_view / 2))
        seen = _sampled(room, across / half, up / half)
        share = CLEAN if _is_clean(graph, node) else SMEARED
        found = color.copy()
        own = found[rows, columns]
        found[rows, columns] = np.floor(own * (1 - share) + seen * share + 0.5).astype(np.uint8)
        return found


class _Mirror(NamedTuple):
    """The plane of a mirror: its place [3, 4], the heights of its glass along the three axes of its
    mesh, and where in those the surface is."""

    place: Floats
    low: Floats
    high: Floats
    face: float

    @staticmethod
    def of(node: Node) -> _Mirror:
        low, high = (np.asarray(bound, np.float64) for bound in node.mesh.bounds)
        return _Mirror(node.place, low, high, float(high[2]))

    def local(self, point: tuple[Floats | float, Floats | float, Floats | float]) -> list[Floats]:
        """Coordinates of points of the room along the mesh's axes."""
        offset = [point[k] - self.place[k, 3] for k in range(3)]
        axes = self.place[:, :3]
        return [np.asarray(sum(axes[k, axis] * offset[k] for k in range(3))) for axis in range(3)]


def _on_glass(
    mirror: _Mirror, view: View, depth: NDArray[np.float32]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, Floats]:
    """The pixels that show a mirror's glass: their rows and columns, and the tangents, along the
    glass and upwards, under which the reflected eye sees them."""
    none = np.zeros(0, np.int64)
    eye = [float(axis) for axis in mirror.local(view.eye)]
    away = eye[2] - mirror.face
    if away < 2 * THIN:
        return none, none, np.zeros(0), np.zeros(0)
    x = ((np.arange(view.width) + 0.5) * 2 / view.width - 1) * view.across
    y = (1 - (np.arange(view.height) + 0.5) * 2 / view.height) * view.along
    z = depth.astype(np.float64)
    x, y = x[None, :] * z, y[:, None] * z
    points = [
        view.eye[k] + view.right[k] * x + view.up[k] * y + view.forward[k] * z for k in range(3)
    ]
    along, high, ahead = mirror.local((points[0], points[1], points[2]))
    across, up = (along - eye[0]) / away, (high - eye[1]) / away
    glass = np.abs(ahead - mirror.face) < THIN
    for spot, axis in ((along, 0), (high, 1)):
        glass &= (spot > mirror.low[axis]) & (spot < mirror.high[axis])
    glass &= (np.abs(across) < FLATTEST) & (np.abs(up) < FLATTEST)
    rows, columns = np.nonzero(glass)
    return rows, columns, across[rows, columns], up[rows, columns]


def _camera_behind(mirror: _Mirror, camera: Camera, widest: float) -> Camera:
    """The reflected eye, looking straight through the mirror."""
    axes = mirror.place[:, :3]
    eye = mirror.local(camera.position.tuple())
    away = float(eye[2]) - mirror.face
    x, y, z = (
        float(value - 2 * away * axes[k, 2]) for k, value in enumerate(camera.position.tuple())
    )
    ahead = [float(value) for value in axes[:, 2]]
    side = max(16, min(camera.width, camera.height) // SMALLER)
    return Camera(
        Vec3(round(x, 6), round(y, 6), round(z, 6)),
        round(math.degrees(math.atan2(ahead[0], ahead[2])), 6),
        round(-math.degrees(math.asin(max(-1.0, min(1.0, ahead[1])))), 6),
        round(2 * math.degrees(math.atan(widest * 1.02)), 6),
        side,
        side,
        near=away + 2 * THIN,
        far=camera.far + away,
    )


def _sampled(picture: NDArray[np.uint8], across: Floats, up: Floats) -> Floats:
    """Colours of a picture, float [N, 3], at points in -1 to 1 from its middle to its edges,
    between its pixels."""
    height, width = picture.shape[:2]
    x = np.clip((across + 1) * width / 2 - 0.5, 0, width - 1.001)
    y = np.clip((1 - up) * height / 2 - 0.5, 0, height - 1.001)
    column, row = np.floor(x).astype(np.int64), np.floor(y).astype(np.int64)
    right, down = (x - column)[:, None], (y - row)[:, None]
    top = picture[row, column] * (1 - right) + picture[row, column + 1] * right
    low = picture[row + 1, column] * (1 - right) + picture[row + 1, column + 1] * right
    found: Floats = top * (1 - down) + low * down
    return found


def _is_clean(graph: SceneGraph, node: Node) -> bool:
    """Whether nothing translucent is on a mirror."""
    return not any(
        each.instance == node.instance and each.material.opacity < 1
        for each in graph.nodes.values()
    )
