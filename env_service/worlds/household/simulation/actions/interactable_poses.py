"""GetInteractablePoses: the poses from which the agent can interact with an object, and the lines
of sight that decide it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.actions.agent_movement import (
    EYE_CROUCHING,
    EYE_STANDING,
    HIGHEST_LOOK,
    LOWEST_LOOK,
)
from env_service.worlds.household.simulation.actions.reachable_positions import (
    SMALLEST_GRID,
    reachable,
    too_small,
)
from env_service.worlds.household.simulation.dispatch import read_number
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulation.space.caches import PerScene
from env_service.worlds.household.simulation.space.containment import closed_holder, innermost
from env_service.worlds.household.simulation.space.occupancy import (
    CELL,
    Grid,
    Shape,
    SurfacePoints,
    object_shape,
    part_cells,
    structure_shape,
    surface_of,
)
from env_service.worlds.household.simulation.space.support_surfaces import HOLLOW
from env_service.worlds.household.simulation.water import BASINS
from env_service.worlds.household.state import HouseholdState, ObjectState

ACTIONS = Register()

FEWEST_POINTS, MOST_POINTS = 48, 160
"""Points spread over an object."""

POINTS_PER_AREA = 40.0
"""Points per square metre of its bounds' faces, between those limits."""

CANDIDATES = 1500
"""Points of a surface among which they are chosen, about."""

LIFT = 1.25 * CELL
"""Metres off the surface where a line of sight starts: outside the object's own cell."""

STEEPEST = 60.0
"""Degrees below the horizon of the lowest line of sight that counts for `seen_from_somewhere`: the
lower edge of a view of 60 degrees that is tilted by 30, as AsgardBench tilts it."""

FEWEST_SEEN = 8
"""Points of an object that one eye has to see for `seen_from_somewhere`; a few may be seen
through gaps between cells that are none."""

HORIZONS = (-30.0, 0.0, 30.0, 60.0)
STANDINGS = (False, True)
"""What is tried where the caller names nothing, as in AI2-THOR."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Question:
    """Which poses are asked about: all combinations."""

    positions: tuple[Vec3, ...]
    rotations: tuple[float, ...]
    horizons: tuple[float, ...]
    standings: tuple[bool, ...]
    distance: float


@ACTIONS.action(
    "GetInteractablePoses",
    Parameter("objectId", ParameterType.TEXT),
    Parameter("positions", ParameterType.LIST, None),
    Parameter("rotations", ParameterType.LIST, None),
    Parameter("horizons", ParameterType.LIST, None),
    Parameter("standings", ParameterType.LIST, None),
    Parameter("maxDistance", ParameterType.NUMBER, None),
    Parameter("maxPoses", ParameterType.WHOLE, None),
)
def get_interactable_poses(context: ActionContext) -> Result:
    """Poses as {x, y, z, rotation, standing, horizon}, each of which TeleportFull takes: by
    horizon, then standing, then rotation, then position, in the order in which those came."""
    item = context.state.objects.get(context["objectId"])
    if item is None:
        return refuse(context, refusals.unknown_id(context["objectId"]))
    if context["maxPoses"] is not None and context["maxPoses"] <= 0:
        return refuse(context, f"maxPoses must be > 0. You gave {context['maxPoses']}.")
    try:
        question = _question(context)
    except (TypeError, ValueError, KeyError) as error:
        return refuse(context, str(error))
    found = interactable_poses(context.state, context.settings, item, question)
    return Result(context.state, value=found[: context["maxPoses"]], quick=True)


def _question(context: ActionContext) -> Question:
    """What the caller asks. Raises ValueError, TypeError or KeyError for nonsense."""
    horizons = _numbers(context["horizons"], HORIZONS)
    for horizon in horizons:
        if not HIGHEST_LOOK <= horizon <= LOWEST_LOOK:
            limits = f"[{HIGHEST_LOOK:g}:{LOWEST_LOOK:g}]"
            raise ValueError(f"Each horizon must be in {limits}. You gave {horizon}.")
    standings = STANDINGS if context["standings"] is None else context["standings"]
    if not all(isinstance(standing, bool) for standing in standings):
        raise ValueError(f"Each standing must be true or false. You gave {standings}.")
    if context["positions"] is None and context.settings.grid_size < SMALLEST_GRID:
        raise ValueError(too_small(context.settings.grid_size))
    if context["positions"] is None:
        positions = reachable(context.state, context.settings.grid_size)
    else:
        positions = tuple(_place(each) for each in context["positions"])
    distance = context["maxDistance"]
    return Question(
        positions,
        _numbers(context["rotations"], _all_around(context)),
        horizons,
        tuple(standings),
        context.settings.visibility_distance if distance is None else distance,
    )


def _all_around(context: ActionContext) -> tuple[float, ...]:
    step = context.settings.rotate_step
    count = round(360 / step)
    return tuple((context.state.agent.yaw + k * step) % 360.0 for k in range(count))


def _place(given: Any) -> Vec3:
    """A position with all of its coordinates; one that lacks any raises KeyError."""
    return Vec3(*(read_number(given[axis]) for axis in ("x", "y", "z")))


def _numbers(given: Sequence[Any] | None, default: tuple[float, ...]) -> tuple[float, ...]:
    return default if given is None else tuple(read_number(value) for value in given)


def interactable_poses(
    state: HouseholdState, settings: Settings, item: ObjectState, question: Question
) -> list[dict[str, Any]]:
    """The poses of a question from which the object is visible with nothing in between."""
    eyes, places = _eyes(question)
    points = spread_over(state, item)
    if not len(points.points) or not len(eyes):
        return []
    eye, point = _in_sight(state, item, eyes, points, question.distance)
    away = point - eyes[eye]
    seen = _looked_at(eye, away, len(eyes), settings, question)
    return _written(question, np.stack([seen[:, :, place] for place in places], 1))


def seen_from_somewhere(
    state: HouseholdState, item: ObjectState, places: Sequence[Vec3], distance: float
) -> bool:
    """Whether an agent at one of some places, standing or crouching, can see an object at most
    `distance` metres away without looking down by more than STEEPEST degrees."""
    eyes, _ = _eyes(Question(tuple(places), (), (), STANDINGS, distance))
    points = spread_over(state, item)
    if not len(points.points) or not len(eyes):
        return False
    eye, point = _in_sight(state, item, eyes, points, distance)
    away = point - eyes[eye]
    level = np.sqrt(away[:, 0] * away[:, 0] + away[:, 2] * away[:, 2])
    gentle = -away[:, 1] <= level * round(math.tan(math.radians(STEEPEST)), 12)
    return int(np.bincount(eye[gentle]).max(initial=0)) >= FEWEST_SEEN


def _written(question: Question, seen: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """The poses that an array [horizon, standing, rotation, position] marks."""
    positions = [point.tuple() for point in question.positions]
    horizons, standings = question.horizons, question.standings
    return [
        {
            "x": positions[p][0],
            "y": positions[p][1],
            "z": positions[p][2],
            "rotation": question.rotations[r],
            "standing": standings[s],
            "horizon": horizons[h],
        }
        for h, s, r, p in zip(*(index.tolist() for index in np.nonzero(seen)), strict=True)
    ]


def _eyes(question: Question) -> tuple[Floats, list[slice]]:
    """[N, 3]: every place of the camera, and which of them belong to each standing."""
    positions = np.array([p.tuple() for p in question.positions]).reshape(-1, 3)
    eyes, places = [np.zeros((0, 3))], []
    for k, standing in enumerate(question.standings):
        height = EYE_STANDING if standing else EYE_CROUCHING
        eyes.append(positions + np.array([0.0, height, 0.0]))
        places.append(slice(k * len(positions), (k + 1) * len(positions)))
    return np.concatenate(eyes), places


def spread_over(state: HouseholdState, item: ObjectState) -> SurfacePoints:
    """Points over an object's surface, each as far from those before as can be; none for what is
    in hand, in something closed, or no longer there."""
    if item.held or item.in_hand_of is not None or item.replaced or closed_holder(state, item):
        return SurfacePoints(np.zeros((0, 3)), np.zeros((0, 3)))
    points, normals = _candidates(object_shape(item, state.scene.palette))
    size = item.body.size
    area = size.x * size.y + size.y * size.z + size.z * size.x
    count = int(min(max(FEWEST_POINTS, area * POINTS_PER_AREA), MOST_POINTS, len(points)))
    x, y, z = (np.ascontiguousarray(points[:, k]) for k in range(3))
    chosen = [0]
    distance = np.full(len(points), np.inf)
    for _ in range(count - 1):
        last = chosen[-1]
        dx, dy, dz = x - x[last], y - y[last], z - z[last]
        distance = np.minimum(distance, dx * dx + dy * dy + dz * dz)
        chosen.append(int(distance.argmax()))
    return SurfacePoints(points[chosen], normals[chosen])


def _candidates(shape: Shape) -> tuple[Floats, Floats]:
    """About CANDIDATES points over a shape, [N, 3], and their normals: every so many of all."""
    surfaces = [surface_of(mesh) for mesh, _ in shape]
    stride = max(sum(len(each.points) for each in surfaces) // CANDIDATES, 1)
    parts, passed = [], 0
    for surface, (_, place) in zip(surfaces, shape, strict=True):
        chosen = surface.every(stride, -passed % stride)
        parts.append(chosen.placed(np.frombuffer(place).reshape(3, 4)))
        passed += len(surface.points)
    points = np.concatenate([part.points for part in parts])
    return points, np.concatenate([part.normals for part in parts])


def _in_sight(
    state: HouseholdState, item: ObjectState, eyes: Floats, surface: SurfacePoints, distance: float
) -> tuple[NDArray[np.int64], Floats]:
    """Pairs of an eye and a point that it sees: numbers of the eyes, in order, and the points."""
    away = surface.points[None] - eyes[:, None]
    level = away[:, :, 0] * away[:, :, 0] + away[:, :, 2] * away[:, :, 2]
    facing = (away * surface.normals[None]).sum(2) < 0
    eye, point = np.nonzero((level <= distance * distance) & facing)
    lifted = surface.points + _lifts(state, item, surface.normals)
    ends = eyes[eye].astype(np.float32)
    stride = 0.5 if _between_walls(state, item) else 1.0
    free = lines_of(state).free(state.objects, lifted[point], ends, stride=stride)
    return eye[free], surface.points[point[free]]


def _lifts(state: HouseholdState, item: ObjectState, normals: Floats) -> Floats:
    """[N, 3]: from each point of an object to where its lines of sight start: off the surface, or
    straight up for what lies between walls, so that no line starts behind one."""
    if _between_walls(state, item):
        return np.tile(np.array([0.0, LIFT, 0.0]), (len(normals), 1))
    lifts: Floats = normals * LIFT
    return lifts


def _between_walls(state: HouseholdState, item: ObjectState) -> bool:
    holder = innermost(state, item)
    return holder is not None and holder.spec.type in HOLLOW


def _looked_at(
    eye: NDArray[np.int64], away: Floats, eyes: int, settings: Settings, question: Question
) -> NDArray[np.bool_]:
    """[horizon, rotation, eye]: whether one of the points that an eye sees is in its view."""
    seen = np.zeros((len(question.horizons), len(question.rotations), eyes), np.bool_)
    if not len(eye):
        return seen
    x, y, z = (away[:, k].astype(np.float32) for k in range(3))
    half = round(math.tan(math.radians(settings.field_of_view / 2)), 12)
    wide = half * settings.width / settings.height
    first = np.flatnonzero(np.diff(eye, prepend=-1))
    for r, rotation in enumerate(question.rotations):
        cosine, sine = _cos_sin(rotation)
        right = np.abs(x * cosine - z * sine)
        ahead = x * sine + z * cosine
        for h, horizon in enumerate(question.horizons):
            c, s = _cos_sin(horizon)
            depth = ahead * c - y * s
            up = np.abs(y * c + ahead * s)
            inside = (right <= depth * wide) & (up <= depth * half)
            seen[h, r, eye[first]] = np.logical_or.reduceat(inside, first)
    return seen


def _cos_sin(degrees: float) -> tuple[float, float]:
    """Rounded, so that two machines' libraries agree."""
    angle = math.radians(degrees)
    return round(math.cos(angle), 12), round(math.sin(angle), 12)


# --- Whether something blocks the line between two points of a room: the whole room in cells

SightLinesFloats = NDArray[np.float32]

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
        ends: SightLinesFloats,
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

    def _marched(
        self, starts: NDArray[np.float64], ends: SightLinesFloats, step: float
    ) -> NDArray[np.bool_]:
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


def lines_of(state: HouseholdState) -> SightLines:
    """The sight lines of a state's scene."""
    return _lines(state.scene)
