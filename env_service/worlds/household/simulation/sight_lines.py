"""Whether something stands between two points of a room: the whole room in cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.per_scene import PerScene
from env_service.worlds.household.simulation.shapes import object_shape, structure_shape
from env_service.worlds.household.simulation.solids import Grid, Shape, part_cells
from env_service.worlds.household.simulation.surface import CELL
from env_service.worlds.household.simulation.water import BASINS
from env_service.worlds.household.state import HouseState, ObjectState

Floats = NDArray[np.float32]

SIEVE = 8
"""Steps after which rays that ended are sorted out."""


class SightLines:
    """The cells of a scene, kept in step with the state that is asked about."""

    def __init__(self, scene: SceneSpec) -> None:
        self._scene = scene
        self._grid = Grid.over(scene)
        self._filled = np.zeros(int(np.prod(self._grid.shape)), np.uint16)
        self._shapes: dict[str, tuple[ObjectState, Shape]] = {}
        self._lock = Lock()
        for spec in scene.structure:
            self._count(structure_shape(spec, scene.palette), 1)

    def free(
        self,
        objects: Mapping[str, ObjectState],
        starts: NDArray[np.float64],
        ends: Floats,
        *,
        stride: float = 1.0,
    ) -> NDArray[np.bool_]:
        """Whether nothing of a state's objects or structure is between pairs of points, [N, 3]
        each. The cells of the ends themselves do not count.

        The lines are looked at every `stride` cells. At 1 a line in some hundred slips past the
        corner of a cell of a thin wall.
        """
        with self._lock:
            self._follow(objects)
            return self._marched(starts, ends, stride)

    def _follow(self, objects: Mapping[str, ObjectState]) -> None:
        for key in [key for key in self._shapes if key not in objects]:
            self._count(self._shapes.pop(key)[1], -1)
        for key, item in objects.items():
            known = self._shapes.get(key)
            if known is not None and known[0] is item:
                continue
            shape = _shown(item, self._scene)
            if known is None or known[1] != shape:
                self._count(known[1] if known else (), -1)
                self._count(shape, 1)
            self._shapes[key] = (item, shape)

    def _count(self, shape: Shape, change: int) -> None:
        for mesh, place in shape:
            cells = part_cells(mesh, place, self._grid)
            if change > 0:
                self._filled[cells] += 1
            else:
                self._filled[cells] -= 1

    def _marched(self, starts: NDArray[np.float64], ends: Floats, step: float) -> NDArray[np.bool_]:
        """Goes along all lines at once, `step` cells at a time."""
        low, shape = np.array(self._grid.low, np.float32), self._grid.shape
        spot = (starts / CELL - low).astype(np.float32)
        way = (ends / CELL - low).astype(np.float32) - spot
        length = np.sqrt((way * way).sum(1)) / np.float32(step)
        steps = np.maximum(length, 1.0)
        stride = way / steps[:, None]
        free = np.ones(len(starts), np.bool_)
        active = np.arange(len(starts))
        x, y, z = (np.ascontiguousarray(spot[:, k]) for k in range(3))
        dx, dy, dz = (np.ascontiguousarray(stride[:, k]) for k in range(3))
        left = np.floor(steps - 1 / step).astype(np.int32)
        filled, across, deep = self._filled, shape[1] * shape[2], shape[2]
        while len(active):
            open_way = np.ones(len(active), np.bool_)
            for _ in range(SIEVE):
                cell = x.astype(np.int32) * across + y.astype(np.int32) * deep
                cell += z.astype(np.int32)
                open_way &= (filled.take(cell, mode="clip") == 0) | (left <= 0)
                x, y, z, left = x + dx, y + dy, z + dz, left - 1
            free[active[~open_way]] = False
            going = open_way & (left > 0)
            active = active[going]
            x, y, z, dx, dy, dz = (values[going] for values in (x, y, z, dx, dy, dz))
            left = left[going]
        return free


def _shown(item: ObjectState, scene: SceneSpec) -> Shape:
    if item.held or item.in_hand_of is not None or item.replaced:
        return ()
    if item.liquid is not None and item.spec.type in BASINS:  # water hides nothing
        item = replace(item, liquid=None)
    return object_shape(item, scene.palette)


_lines = PerScene(SightLines)


def lines_of(state: HouseState) -> SightLines:
    """The sight lines of a state's scene."""
    return _lines(state.scene)
