"""The walkable floor: where the agent's body fits between the things in a room, and where it went
when the scene was captured.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import SceneSpec, Survey
from env_service.worlds.household.simulation.space.caches import PerScene
from env_service.worlds.household.simulation.space.occupancy import (
    CELL,
    Cells,
    Grid,
    Shape,
    object_shape,
    part_cells,
    part_extent,
    structure_shape,
)
from env_service.worlds.household.state import HouseholdState, ObjectState

RADIUS = 0.2
"""Metres, of the agent's capsule."""

ORIGIN = 0.901
"""Metres of the agent's origin above the floor."""

ANKLE, SHOULDER = 0.1, 1.7
"""Metres above the floor: the agent steps over what is lower, and passes under what is higher."""

CONTACT = RADIUS - CELL / 2
"""Metres from the agent's axis to the middle of a cell that it touches: on average, a surface is
half a cell away from the middle of its cell."""

HAIR = 1e-5
"""Metres by which numbers that mean the same place may differ."""

BLOCK = 4096
"""Ways that are looked at together: memory, not results, depends on it."""

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Floor:
    """The floor plan of one state.

    Attributes:
        grid: its cells; here only their columns count.
        standing: columns that each thing fills, by object id, or by name for structure.
        taken: bool [x, z], whether anything fills a column.
        bounds: least and greatest x, then z, that the agent's axis may have.
        notes: values computed from `taken`; shared by floors with equal `taken`.
    """

    grid: Grid
    standing: Mapping[str, Cells]
    taken: Bools
    bounds: tuple[tuple[float, float], tuple[float, float]]
    notes: dict[object, object] = field(default_factory=dict)

    def clear(self, starts: Floats, ends: Floats) -> Bools:
        """Whether the body can go straight from each start to each end, [N, 2] of x and z each.

        Where it touches something already, it may continue as long as it does not get closer.
        """
        (left, right), (near, far) = self.bounds
        inside = (ends >= np.array([left, near])) & (ends <= np.array([right, far]))
        touched = self._touched(starts, ends).reshape(len(starts), -1)
        clear: Bools = np.logical_and(inside.all(1), np.logical_not(touched.any(1)))
        return clear

    def untouched(self, starts: Floats, ends: Floats) -> Bools:
        """Whether the body, going straight from each start to each end, touches nothing at all: the
        same both ways, and the same as `clear` if it touches nothing at the start."""
        if len(starts) > BLOCK:
            blocks = range(0, len(starts), BLOCK)
            parts = [self.untouched(starts[k : k + BLOCK], ends[k : k + BLOCK]) for k in blocks]
            return np.concatenate(parts)
        if not len(starts):
            return np.zeros(0, np.bool_)
        (left, right), (near, far) = self.bounds
        low, high = np.minimum(starts, ends), np.maximum(starts, ends)
        inside = (low >= np.array([left, near])) & (high <= np.array([right, far]))
        near_by = self._distances(starts, ends, starts, ends).reshape(len(starts), -1)
        return np.logical_and(inside.all(1), np.logical_not((near_by < CONTACT).any(1)))

    def within(self, point: Vec3) -> Vec3:
        """The nearest point whose x and z are in the bounds."""
        (left, right), (near, far) = self.bounds
        return Vec3(min(max(point.x, left), right), point.y, min(max(point.z, near), far))

    def fits(self, x: float, z: float) -> bool:
        """Whether the body can stand at a place."""
        spot, point = np.array([[x, z]]), Vec3(x, 0.0, z)
        if self.within(point) != point:
            return False
        return not bool((self._distances(spot, spot, spot, spot) < CONTACT).any())

    def blockers(self, start: Vec3, end: Vec3) -> tuple[str, ...]:
        """The obstacles, by object id or structure name; the nearest to the start first. Empty
        where the room just ends."""
        starts, ends = (np.array([[point.x, point.z]]) for point in (start, end))
        i, k = np.nonzero(self._touched(starts, ends)[0])
        if not len(i):
            return ()
        (first_x, first_z), _ = self._window(starts, ends)
        i, k = i + int(first_x[0]), k + int(first_z[0])
        far = np.square(self._middles(i, 0) - start.x) + np.square(self._middles(k, 2) - start.z)
        distance = np.full(self.taken.size, np.inf)
        distance[i * self.grid.shape[2] + k] = far
        found: list[tuple[float, str]] = []
        for name, filled in self.standing.items():
            nearest = float(distance[filled].min(initial=np.inf))
            if nearest < np.inf:
                found.append((nearest, name))
        return tuple(name for _, name in sorted(found))

    def _touched(self, starts: Floats, ends: Floats) -> Bools:
        """[N, i, k]: taken columns of each way's window that the body runs into."""
        along = self._distances(starts, ends, starts, ends)
        touched: Bools = along < CONTACT
        if touched.any():
            touched &= along < self._distances(starts, starts, starts, ends) - HAIR
        return touched

    def _distances(
        self, starts: Floats, ends: Floats, window_starts: Floats, window_ends: Floats
    ) -> Floats:
        """[N, i, k]: metres from each way to the taken columns in a window; infinite for free
        columns."""
        (first_x, first_z), size = self._window(window_starts, window_ends)
        i = first_x[:, None] + np.arange(size[0])
        k = first_z[:, None] + np.arange(size[1])
        rows, columns = self.taken.shape
        inside = ((i >= 0) & (i < rows))[:, :, None] & ((k >= 0) & (k < columns))[:, None, :]
        i_in, k_in = np.clip(i, 0, rows - 1), np.clip(k, 0, columns - 1)
        taken = self.taken[i_in[:, :, None], k_in[:, None, :]] & inside
        x = self._middles(i, 0)[:, :, None] - starts[:, 0, None, None]
        z = self._middles(k, 2)[:, None, :] - starts[:, 1, None, None]
        step = ends - starts
        sx, sz = step[:, 0, None, None], step[:, 1, None, None]
        share = np.clip((x * sx + z * sz) / np.maximum(sx * sx + sz * sz, 1e-18), 0.0, 1.0)
        dx, dz = x - share * sx, z - share * sz
        return np.where(taken, np.sqrt(dx * dx + dz * dz), np.inf)

    def _window(
        self, starts: Floats, ends: Floats
    ) -> tuple[tuple[NDArray[np.int64], NDArray[np.int64]], tuple[int, int]]:
        """First column of the window around each way, and the windows' size in columns. Outside the
        grid nothing is taken, so that part of a way needs no window."""
        edge = np.array(self.grid.low)[[0, 2]] * CELL
        least, most = edge - CELL, edge + (np.array(self.taken.shape) + 1) * CELL
        low = np.clip(np.minimum(starts, ends) - RADIUS, least, most)
        high = np.clip(np.maximum(starts, ends) + RADIUS, least, most)
        first = np.floor(low / CELL).astype(np.int64) - np.array(self.grid.low)[[0, 2]]
        size = np.ceil((high - low).max(0, initial=0.0) / CELL).astype(np.int64) + 1
        return (first[:, 0], first[:, 1]), (int(size[0]), int(size[1]))

    def _middles(self, index: NDArray[np.int64], axis: int) -> Floats:
        return (index.astype(np.float64) + (self.grid.low[axis] + 0.5)) * CELL


@lru_cache(maxsize=8192)
def _footprint(shape: Shape, grid: Grid, ground: float, *, hollow: bool) -> Cells:
    """The columns that a shape fills between ankle and shoulder; what it encloses too, unless it
    is hollow. `ground` is the height of the floor."""
    filled = np.zeros(grid.shape[0] * grid.shape[2], np.bool_)
    for mesh, place in shape:
        low, high = part_extent(mesh, place)
        if high.y < ground + ANKLE - CELL or low.y > ground + SHOULDER + CELL:
            continue
        cells = part_cells(mesh, place, grid)
        heights = grid.heights(cells) - ground
        filled[grid.columns(cells[(heights > ANKLE) & (heights < SHOULDER)])] = True
    columns = np.flatnonzero(filled)
    return columns if hollow else _filled(columns, grid.shape[2])


def _filled(columns: Cells, width: int) -> Cells:
    """Columns with those that they enclose."""
    if not len(columns):
        return columns
    i, k = columns // width, columns % width
    low_i, low_k = int(i.min()) - 1, int(k.min()) - 1
    wall = np.zeros((int(i.max()) - low_i + 2, int(k.max()) - low_k + 2), np.bool_)
    wall[i - low_i, k - low_k] = True
    outside = np.zeros_like(wall)
    outside[0, 0] = True
    before = 0
    while before != (before := int(outside.sum())):
        spread = outside.copy()
        spread[1:] |= outside[:-1]
        spread[:-1] |= outside[1:]
        spread[:, 1:] |= outside[:, :-1]
        spread[:, :-1] |= outside[:, 1:]
        outside = spread & ~wall
    i, k = np.nonzero(~outside)
    return (i + low_i) * width + k + low_k


class FloorPlans:
    """Makes floors, each from the one before: what did not change is not looked at again."""

    def __init__(self, scene: SceneSpec) -> None:
        self._scene = scene
        self._grid = Grid.over(scene)
        self._ground = scene.agent.position.y - ORIGIN
        self._trodden = trodden(scene.survey, self._grid, CONTACT) if scene.survey else NOWHERE
        self._fixed = {
            spec.name: self._untrodden(
                self._footprint(structure_shape(spec, scene.palette), hollow=True)
            )
            for spec in scene.structure
            if spec.solid
        }
        self._seen: dict[str, ObjectState] = {}
        self._standing: dict[str, Cells] = {}
        self._latest: Floor | None = None
        self._lock = Lock()

    def floor(self, objects: Mapping[str, ObjectState]) -> Floor:
        """The floor of a state's objects. What is in the agent's hand blocks nothing."""
        with self._lock:
            return self._updated(objects)

    def _updated(self, objects: Mapping[str, ObjectState]) -> Floor:
        changed = self._latest is None
        for gone in self._seen.keys() - objects.keys():
            del self._seen[gone]
            changed |= len(self._standing.pop(gone)) > 0
        for key, item in objects.items():
            if self._seen.get(key) is not item:
                before = self._standing.get(key)
                self._seen[key] = item
                self._standing[key] = self._columns(item)
                changed |= before is None or not np.array_equal(before, self._standing[key])
        if self._latest is None or changed:
            self._latest = self._drawn()
        return self._latest

    def _columns(self, item: ObjectState) -> Cells:
        if item.held or item.in_hand_of is not None or item.replaced:
            return np.zeros(0, np.int64)
        columns = self._footprint(object_shape(item, self._scene.palette), hollow=False)
        moved = item.displaced or item.openness != item.spec.start.openness
        return columns if moved else self._untrodden(columns)

    def _untrodden(self, columns: Cells) -> Cells:
        """The columns of a thing at the start that the survey does not contradict. The survey used
        AI2-THOR's shapes, which differ a little."""
        return np.setdiff1d(columns, self._trodden) if len(self._trodden) else columns

    def _footprint(self, shape: Shape, *, hollow: bool) -> Cells:
        return _footprint(shape, self._grid, self._ground, hollow=hollow)

    def _drawn(self) -> Floor:
        taken = np.zeros((self._grid.shape[0], self._grid.shape[2]), np.bool_)
        standing = {**self._fixed, **self._standing}
        for columns in standing.values():
            taken.reshape(-1)[columns] = True
        before = self._latest
        notes = before.notes if before and np.array_equal(before.taken, taken) else {}
        center, half = self._scene.bounds.center, self._scene.bounds.size * 0.5
        free_x, free_z = half.x - RADIUS + HAIR, half.z - RADIUS + HAIR
        bounds = (
            (center.x - free_x, center.x + free_x),
            (center.z - free_z, center.z + free_z),
        )
        return Floor(self._grid, standing, taken, bounds, notes)


_plans = PerScene(FloorPlans)


def floor_of(state: HouseholdState) -> Floor:
    """The floor plan of a state. Calls with states of one episode share their work."""
    return _plans(state.scene).floor(state.objects)


# --- The surveyed points of the simulator that a scene was captured from, against our floor plan

NOWHERE: Cells = np.zeros(0, np.int64)

SAME = 0.005
"""Metres by which an agent may miss a grid point: AI2-THOR's numbers are single precision, and its
agent does not stop to the micrometre."""


def trodden(survey: Survey, grid: Grid, radius: float) -> Cells:
    """The columns within `radius` of a surveyed point, or of the way between two neighbours."""
    taken = np.zeros((grid.shape[0], grid.shape[2]), np.bool_)
    size = survey.grid_size
    known = _spots(survey, survey.positions)
    for (i, k), point in known.items():
        for right, ahead in ((0, 0), (1, 0), (0, 1)):
            if (i + right, k + ahead) in known:
                _tread(taken, grid, (point.x, point.z, right * size, ahead * size), radius)
    return np.flatnonzero(taken)


def on_grid(survey: Survey, position: Vec3, grid_size: float) -> bool:
    """Whether an agent is on the survey's grid, for the grid size that it asks for."""
    if abs(grid_size - survey.grid_size) > 1e-9:
        return False
    first = survey.positions[0]
    offsets = ((position.x - first.x) / grid_size, (position.z - first.z) / grid_size)
    return all(abs(each - round(each)) * grid_size < SAME for each in offsets)


def updated(survey: Survey, before: Sequence[Vec3], now: Sequence[Vec3]) -> tuple[Vec3, ...]:
    """The survey's points, less those that our floor plan had at the start and has no more, and
    with those that it had not and has now."""
    old, new = _spots(survey, before), _spots(survey, now)
    if old.keys() == new.keys():
        return survey.positions
    known = _spots(survey, survey.positions)
    kept = [point for spot, point in known.items() if spot in new or spot not in old]
    gained = [point for spot, point in new.items() if spot not in old and spot not in known]
    return (*kept, *gained)


def _spots(survey: Survey, points: Sequence[Vec3]) -> dict[tuple[int, int], Vec3]:
    """Points by their steps of the grid, along x and z, from the survey's first."""
    first, size = survey.positions[0], survey.grid_size
    return {(round((p.x - first.x) / size), round((p.z - first.z) / size)): p for p in points}


def _tread(
    taken: NDArray[np.bool_], grid: Grid, way: tuple[float, float, float, float], radius: float
) -> None:
    """Marks the columns whose middles lie within a radius of a way (x, z, and how far it goes)."""
    x, z, dx, dz = way
    spans = []
    for start, step, axis in ((x, dx, 0), (z, dz, 2)):
        first = int(np.floor((start - radius) / CELL)) - grid.low[axis]
        last = int(np.ceil((start + step + radius) / CELL)) - grid.low[axis]
        spans.append(np.arange(max(first, 0), max(min(last + 1, grid.shape[axis]), 0)))
    i, k = spans
    across = ((i + grid.low[0] + 0.5) * CELL - x)[:, None]
    along = ((k + grid.low[2] + 0.5) * CELL - z)[None, :]
    length = dx * dx + dz * dz
    share = np.clip((across * dx + along * dz) / length, 0.0, 1.0) if length else 0.0
    near = np.hypot(across - share * dx, along - share * dz) < radius
    taken[np.ix_(i, k)] |= near
