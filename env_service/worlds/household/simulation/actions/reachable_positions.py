"""Where the agent can go: the points of its grid that it can walk to."""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.simulation.action import (
    ActionContext,
    Parameter,
    ParameterType,
    Register,
    Result,
    refuse,
)
from env_service.worlds.household.simulation.actions.configuration import LARGEST_GRID
from env_service.worlds.household.simulation.space.caches import PerScene
from env_service.worlds.household.simulation.space.walkable_floor import (
    Floor,
    FloorPlans,
    floor_of,
    on_grid,
    updated,
)
from env_service.worlds.household.state import HouseholdState

ACTIONS = Register()

SMALLEST_GRID = 0.05
"""Metres: a finer grid of a whole floor has too many points to be useful."""

Spot = tuple[int, int]
"""A point of the grid: steps along x and z from the agent's position."""

STEPS: tuple[Spot, ...] = ((1, 0), (-1, 0), (0, 1), (0, -1))


MOST_STEPS = 10000
"""AI2-THOR's default of `maxStepCount`."""


@ACTIONS.action(
    "GetReachablePositions",
    Parameter("gridSize", ParameterType.NUMBER, None),
    Parameter("maxStepCount", ParameterType.WHOLE, MOST_STEPS),
    Parameter("directionsRelativeAgent", ParameterType.TRUTH, default=False),
)
def get_reachable_positions(context: ActionContext) -> Result:
    """Every point that single steps lead to, as {x, y, z}: steps along x and z, or with
    `directionsRelativeAgent` along the agent's axes.

    `maxStepCount` bounds the floor's area in square metres that the points may cover."""
    size = context.settings.grid_size if context["gridSize"] is None else context["gridSize"]
    if size < SMALLEST_GRID:
        return refuse(context, too_small(size))
    if size > LARGEST_GRID:
        return refuse(context, f"gridSize must be at most {LARGEST_GRID:g}. You gave {size}.")
    if context["directionsRelativeAgent"]:
        points = _turned_grid(context.state, size)
    else:
        points = reachable(context.state, size)
    if len(points) * size * size > context["maxStepCount"]:
        return refuse(context, "Too many steps taken in GetReachablePositions.")
    return Result(context.state, value=[point.to_json() for point in points], quick=True)


def _turned_grid(state: HouseholdState, size: float) -> tuple[Vec3, ...]:
    """The points that steps along the agent's axes lead to, on our floor plan; sorted by steps to
    its right, then ahead."""
    floor, start, turn = floor_of(state), state.agent.position, Rotation.yaw(state.agent.yaw)

    def place(spot: Spot) -> tuple[float, float]:
        point = start + turn.apply(Vec3(spot[0] * size, 0.0, spot[1] * size))
        return round(point.x, 6), round(point.z, 6)

    found, queue = {(0, 0)}, deque([(0, 0)])
    while queue:
        i, k = queue.popleft()
        around = [(i + right, k + ahead) for right, ahead in STEPS]
        starts = np.array([place((i, k))] * len(around))
        clear = floor.clear(starts, np.array([place(each) for each in around]))
        fresh = [each for each, free in zip(around, clear, strict=True) if free]
        queue.extend(each for each in fresh if each not in found)
        found.update(fresh)
    return tuple(Vec3(x, start.y, z) for x, z in map(place, sorted(found)))


def too_small(grid_size: float) -> str:
    """Why a grid cannot be searched."""
    return f"gridSize must be at least {SMALLEST_GRID:g} in this world. You gave {grid_size}."


def reachable(state: HouseholdState, grid_size: float) -> tuple[Vec3, ...]:
    """The points that the agent can walk to by steps of `grid_size` metres, at the height of its
    origin; sorted by x, then z. The agent's position is one of them.

    In a scene with a survey of that grid they are the survey's, in its order, plus the points that
    became free and minus those that were blocked since the start.
    """
    points, survey = _walked(state, grid_size), state.scene.survey
    if survey is None or not on_grid(survey, state.agent.position, grid_size):
        return points
    return updated(survey, _starts(state.scene), points)


def _at_start(scene: SceneSpec) -> tuple[Vec3, ...]:
    """The points of the survey's grid that the agent can walk to at the start; none without."""
    if scene.survey is None:
        return ()
    state = HouseholdState.at_start(scene)
    floor = FloorPlans(scene).floor(state.objects)
    return _points(floor, state.agent.position, scene.survey.grid_size)


_starts = PerScene(_at_start)


def _walked(state: HouseholdState, grid_size: float) -> tuple[Vec3, ...]:
    """The points that steps on our floor plan lead to."""
    floor, start = floor_of(state), state.agent.position
    key = ("reachable", start, grid_size)
    known = floor.notes.get(key)
    if isinstance(known, tuple):
        return known
    floor.notes[key] = points = _points(floor, start, grid_size)
    return points


def _points(floor: Floor, start: Vec3, grid_size: float) -> tuple[Vec3, ...]:
    return tuple(
        Vec3(round(start.x + i * grid_size, 6), start.y, round(start.z + k * grid_size, 6))
        for i, k in sorted(Walk(floor, start, grid_size).spots())
    )


class Walk:
    """The grid around a start, and which of its points are connected.

    Whether the body fits between two points is computed once for all grids with the same points.
    Where the body touches something already, as it may at the start, each step is checked
    separately. `home` is the spot of the start.
    """

    def __init__(self, floor: Floor, start: Vec3, grid_size: float) -> None:
        self._floor, self._size = floor, grid_size
        self.home = (math.floor(start.x / grid_size), math.floor(start.z / grid_size))
        self._phase = (
            round(start.x - self.home[0] * grid_size, 6),
            round(start.z - self.home[1] * grid_size, 6),
        )
        self._free, self._ways = self._untouched()

    def spots(self) -> set[Spot]:
        """All points that steps lead to, as steps from the start."""
        found, queue = {self.home}, deque([self.home])
        while queue:
            spot = queue.popleft()
            for following in self.steps_from(spot):
                if following not in found:
                    found.add(following)
                    queue.append(following)
        return {(i - self.home[0], k - self.home[1]) for i, k in found}

    def steps_from(self, spot: Spot) -> Iterator[Spot]:
        """The neighbours of a spot that one step leads to."""
        around = [(spot[0] + i, spot[1] + k) for i, k in STEPS]
        if spot in self._free:
            yield from (other for other in around if (spot, other) in self._ways)
            return
        starts = np.array([self.place(spot)] * len(around))
        clear = self._floor.clear(starts, np.array([self.place(other) for other in around]))
        yield from (other for other, free in zip(around, clear, strict=True) if free)

    def place(self, spot: Spot) -> tuple[float, float]:
        """x and z of a spot, metres."""
        x, z = self._phase
        return (x + spot[0] * self._size, z + spot[1] * self._size)

    def _untouched(self) -> tuple[frozenset[Spot], frozenset[tuple[Spot, Spot]]]:
        """The points, and the steps both ways, on which the body touches nothing."""
        key = ("walk", self._phase, self._size)
        known = self._floor.notes.get(key)
        if isinstance(known, _Untouched):
            return known.spots, known.ways
        (left, right), (near, far) = self._floor.bounds
        columns = _range(left, right, self._phase[0], self._size)
        rows = _range(near, far, self._phase[1], self._size)
        i, k = (each.ravel() for each in np.meshgrid(columns, rows, indexing="ij"))
        places = np.stack([i * self._size + self._phase[0], k * self._size + self._phase[1]], 1)
        spots = list(zip(i.tolist(), k.tolist(), strict=True))
        ways: set[tuple[Spot, Spot]] = set()
        for step in ((1, 0), (0, 1)):
            free = self._floor.untouched(places, places + np.array(step) * self._size)
            for n in np.flatnonzero(free):
                here = spots[n]
                there = (here[0] + step[0], here[1] + step[1])
                ways.update(((here, there), (there, here)))
        standing = np.flatnonzero(self._floor.untouched(places, places))
        found = _Untouched(frozenset(spots[n] for n in standing), frozenset(ways))
        self._floor.notes[key] = found
        return found.spots, found.ways


@dataclass(frozen=True)
class _Untouched:
    """What `Walk` keeps for all grids with the same points."""

    spots: frozenset[Spot]
    ways: frozenset[tuple[Spot, Spot]]


def _range(low: float, high: float, phase: float, size: float) -> NDArray[np.int64]:
    """The numbers n with phase + n * size between two limits."""
    return np.arange(math.ceil((low - phase) / size), math.floor((high - phase) / size) + 1)
