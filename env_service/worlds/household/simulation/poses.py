"""GetInteractablePoses: from where, and looking how, the agent can interact with an object.

Visibility is decided by an instance picture; a picture for each of tens of thousands of poses
would take minutes. So points are spread over the object's surface, and for every place of the
camera it is asked once which of them a straight line reaches; each turn and tilt of the camera
is then a matter of angles. The cells of `sight_lines` stand for what is in between. How well this
agrees with the pictures is measured in `benchmarks/household_agreement.py`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation import refusals
from env_service.worlds.household.simulation.action import (
    Kind,
    Parameter,
    Register,
    Result,
    Turn,
    refuse,
)
from env_service.worlds.household.simulation.agent_motion import (
    EYE_CROUCHING,
    EYE_STANDING,
    HIGHEST_LOOK,
    LOWEST_LOOK,
)
from env_service.worlds.household.simulation.containment import closed_holder, innermost
from env_service.worlds.household.simulation.dispatch import read_number
from env_service.worlds.household.simulation.reach import SMALLEST_GRID, reachable, too_small
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulation.shapes import object_shape
from env_service.worlds.household.simulation.sight_lines import lines_of
from env_service.worlds.household.simulation.solids import Shape
from env_service.worlds.household.simulation.surface import CELL, SurfacePoints, surface_of
from env_service.worlds.household.simulation.surfaces import HOLLOW
from env_service.worlds.household.state import HouseState, ObjectState

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
    Parameter("objectId", Kind.TEXT),
    Parameter("positions", Kind.LIST, None),
    Parameter("rotations", Kind.LIST, None),
    Parameter("horizons", Kind.LIST, None),
    Parameter("standings", Kind.LIST, None),
    Parameter("maxDistance", Kind.NUMBER, None),
    Parameter("maxPoses", Kind.WHOLE, None),
)
def get_interactable_poses(turn: Turn) -> Result:
    """Poses as {x, y, z, rotation, standing, horizon}, each of which TeleportFull takes: by
    horizon, then standing, then rotation, then position, in the order in which those came."""
    item = turn.state.objects.get(turn["objectId"])
    if item is None:
        return refuse(turn, refusals.unknown_id(turn["objectId"]))
    if turn["maxPoses"] is not None and turn["maxPoses"] <= 0:
        return refuse(turn, f"maxPoses must be > 0. You gave {turn['maxPoses']}.")
    try:
        question = _question(turn)
    except (TypeError, ValueError, KeyError) as error:
        return refuse(turn, str(error))
    found = interactable_poses(turn.state, turn.settings, item, question)
    return Result(turn.state, value=found[: turn["maxPoses"]], quick=True)


def _question(turn: Turn) -> Question:
    """What the caller asks. Raises ValueError, TypeError or KeyError for nonsense."""
    horizons = _numbers(turn["horizons"], HORIZONS)
    for horizon in horizons:
        if not HIGHEST_LOOK <= horizon <= LOWEST_LOOK:
            limits = f"[{HIGHEST_LOOK:g}:{LOWEST_LOOK:g}]"
            raise ValueError(f"Each horizon must be in {limits}. You gave {horizon}.")
    standings = STANDINGS if turn["standings"] is None else turn["standings"]
    if not all(isinstance(standing, bool) for standing in standings):
        raise ValueError(f"Each standing must be true or false. You gave {standings}.")
    if turn["positions"] is None and turn.settings.grid_size < SMALLEST_GRID:
        raise ValueError(too_small(turn.settings.grid_size))
    if turn["positions"] is None:
        positions = reachable(turn.state, turn.settings.grid_size)
    else:
        positions = tuple(_place(each) for each in turn["positions"])
    distance = turn["maxDistance"]
    return Question(
        positions,
        _numbers(turn["rotations"], _all_around(turn)),
        horizons,
        tuple(standings),
        turn.settings.visibility_distance if distance is None else distance,
    )


def _all_around(turn: Turn) -> tuple[float, ...]:
    step = turn.settings.rotate_step
    count = round(360 / step)
    return tuple((turn.state.agent.yaw + k * step) % 360.0 for k in range(count))


def _place(given: Any) -> Vec3:
    """A position with all of its coordinates; one that lacks any raises KeyError."""
    return Vec3(*(read_number(given[axis]) for axis in ("x", "y", "z")))


def _numbers(given: Sequence[Any] | None, default: tuple[float, ...]) -> tuple[float, ...]:
    return default if given is None else tuple(read_number(value) for value in given)


def interactable_poses(
    state: HouseState, settings: Settings, item: ObjectState, question: Question
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
    state: HouseState, item: ObjectState, places: Sequence[Vec3], distance: float
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


def spread_over(state: HouseState, item: ObjectState) -> SurfacePoints:
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
    state: HouseState, item: ObjectState, eyes: Floats, surface: SurfacePoints, distance: float
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


def _lifts(state: HouseState, item: ObjectState, normals: Floats) -> Floats:
    """[N, 3]: from each point of an object to where its lines of sight start: off the surface, or
    straight up for what lies between walls, so that no line starts behind one."""
    if _between_walls(state, item):
        return np.tile(np.array([0.0, LIFT, 0.0]), (len(normals), 1))
    lifts: Floats = normals * LIFT
    return lifts


def _between_walls(state: HouseState, item: ObjectState) -> bool:
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
