"""What the agent sees, by AI2-THOR's definition of `visible` and `isInteractable`, and the pictures
that decide it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.render.interface import (
    NOTHING,
    Camera,
    CameraPictures,
    Channel,
    Renderer,
)
from env_service.worlds.household.scene.spec import SceneSpec
from env_service.worlds.household.scene_graph_builder import SceneGraphBuilder
from env_service.worlds.household.simulation.actions.cameras import agent_camera
from env_service.worlds.household.simulation.segmentation import Legend
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulation.water import BASINS
from env_service.worlds.household.state import HouseholdState

SIDE = 300
"""Pixels, the shorter side of the picture in which visibility is decided."""

LONGEST = 1200
"""Pixels; of a picture longer than four to one the shorter side shrinks instead."""

LEAST_PIXELS = 4
"""An object of which fewer pixels show is not visible."""

LEAST_FLOOR = 0.006
"""Share of the picture that the floor has to fill to be visible: AI2-THOR looks at a few points of
it. All 60 floor plans where it is visible at the start show more, and 2 of 35 others."""

COUNTER_ENDS = 0.0845
"""Share of a counter's length and width at each end where AI2-THOR looks at no point of it. Of 41
counters in reach at the start of a floor plan, two are seen only there, and one of these two is
visible nevertheless. No other share fits more of them."""

AXIS_LOW, AXIS_HIGH = 0.7, 0.7
"""Metres from the agent's origin down and up to the ends of its capsule's axis."""

LEVEL = 1e-6
"""Of the cosine of a box's tilt: more is not level, and its axis-aligned bounds count."""


@dataclass(frozen=True, eq=False)
class AgentVisibility:
    """What the agent sees in one state; computed at the first request."""

    state: HouseholdState
    settings: Settings
    state_renderer: StateRenderer

    def visible(self, object_id: str) -> bool:
        """See `action.Visibility`."""
        return object_id in self._in_hand or object_id in self._seen

    def interactable(self, object_id: str) -> bool:
        """See `action.Visibility`."""
        return object_id in self._in_hand or object_id in self._touchable

    def object_at(self, x: float, y: float) -> str | None:
        """See `action.Visibility`."""
        front = self._pictures[0]
        height, width = front.shape
        row, column = min(int(y * height), height - 1), min(int(x * width), width - 1)
        return self.state_renderer.object_of(int(front[row, column]))

    def point_at(self, x: float, y: float) -> Vec3 | None:
        """See `action.Visibility`."""
        depth, camera = self._pictures[2], self._camera
        height, width = depth.shape
        row, column = min(int(y * height), height - 1), min(int(x * width), width - 1)
        ahead = float(depth[row, column])
        if ahead >= camera.far:
            return None
        up = math.tan(math.radians(camera.field_of_view / 2)) * ahead
        right = up * width / height
        turn = Rotation.from_euler(Vec3(camera.pitch, camera.yaw, 0.0))
        return camera.position + turn.apply(Vec3(right * (2 * x - 1), up * (1 - 2 * y), ahead))

    def after(self, state: HouseholdState) -> AgentVisibility:
        """See `action.Visibility`."""
        return AgentVisibility(state, self.settings, self.state_renderer)

    @cached_property
    def _in_hand(self) -> frozenset[str]:
        return frozenset(
            key
            for key, item in self.state.objects.items()
            if item.held or item.in_hand_of is not None
        )

    @cached_property
    def _camera(self) -> Camera:
        width, height = sight_size(self.settings.width, self.settings.height)
        return replace(agent_camera(self.state.agent, self.settings), width=width, height=height)

    @cached_property
    def _pictures(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """Instances in front, the solid ones behind any glass, and depth of the solid ones."""
        drawn = self.state_renderer.look(without_water(self.state), self._camera)
        if drawn.instances is None or drawn.behind_glass is None or drawn.depth is None:
            raise RuntimeError("a renderer left out instances or depth, which decide visibility")
        return drawn.instances, drawn.behind_glass, drawn.depth

    @cached_property
    def _seen(self) -> frozenset[str]:
        front, solid, _ = self._pictures
        if np.array_equal(front, solid):  # no glass
            return self._touchable
        return self._touchable | self._in_reach(solid)

    @cached_property
    def _touchable(self) -> frozenset[str]:
        """What shows in front of all else, glass included."""
        return self._in_reach(self._pictures[0])

    def _in_reach(self, instances: NDArray[np.int32]) -> frozenset[str]:
        """The objects of which enough pixels show, and some part, seen or not, is in reach."""
        counts = _counts(instances)
        least_floor = round(instances.size * LEAST_FLOOR)
        found = set()
        for number in np.flatnonzero(counts >= LEAST_PIXELS):
            key = self.state_renderer.object_of(int(number))
            if key is None:
                continue
            item = self.state.objects[key]
            if item.spec.type == "Floor" and counts[number] < least_floor:
                continue
            body, reach = item.body, self.settings.visibility_distance
            if not reaches(self.state.agent.position, body, reach):
                continue
            if item.spec.type != "CounterTop" or self._inner(instances == number, body):
                found.add(key)
        return frozenset(found)

    def _inner(self, mask: NDArray[np.bool_], body: Box) -> bool:
        """Whether a pixel of a mask, bool [H, W], shows a box further than COUNTER_ENDS from all of
        its ends."""
        camera = self._camera
        row, column = np.divmod(np.flatnonzero(mask), camera.width)
        depth = self._pictures[2][row, column].astype(np.float64)
        half = math.tan(math.radians(camera.field_of_view / 2))
        right = half * camera.width / camera.height * ((column + 0.5) * 2 / camera.width - 1)
        up = half * (1 - (row + 0.5) * 2 / camera.height)
        turn = Rotation.from_euler(Vec3(camera.pitch, camera.yaw, camera.roll))
        a, _, c = (body.rotation.inverse() @ turn).rows
        eye = body.rotation.inverse().apply(camera.position - body.center)
        x = (a[0] * right + a[1] * up + a[2]) * depth + eye.x
        z = (c[0] * right + c[1] * up + c[2]) * depth + eye.z
        share = 0.5 - COUNTER_ENDS
        inside = (np.abs(x) < share * body.size.x) & (np.abs(z) < share * body.size.z)
        return bool(inside.any())


def reaches(origin: Vec3, body: Box, reach: float) -> bool:
    """Whether any part of a box is in the reach of an agent whose origin is given.

    AI2-THOR's collider scheme: the box touches a capsule of the radius ``reach`` around the
    agent's axis, which starts AXIS_LOW below the origin and ends ``reach`` above AXIS_HIGH.
    """
    if abs(body.rotation.rows[1][1] - 1.0) > LEVEL:
        body = body.bounds()
    there = body.rotation.inverse().apply(origin - body.center)
    half = body.size * 0.5
    dx = max(abs(there.x) - half.x, 0.0)
    dz = max(abs(there.z) - half.z, 0.0)
    dy = max(there.y - AXIS_LOW - half.y, -half.y - (there.y + AXIS_HIGH + reach), 0.0)
    return dx * dx + dy * dy + dz * dz <= reach * reach


def without_water(state: HouseholdState) -> HouseholdState:
    """The state with dry basins: water in a basin hides nothing, and the agent can reach through
    it, other than through glass."""
    dry = [
        replace(item, liquid=None)
        for item in state.objects.values()
        if item.liquid is not None and item.spec.type in BASINS
    ]
    return state.having(*dry) if dry else state


def _without_hidden(state: HouseholdState) -> HouseholdState:
    hidden = state.presentation.hidden
    return state.without(*hidden) if hidden else state


def sight_size(width: int, height: int) -> tuple[int, int]:
    """Size of the instance picture for a picture of some size, pixels."""
    scale = min(SIDE / min(width, height), LONGEST / max(width, height))
    return max(round(width * scale), 1), max(round(height * scale), 1)


def _counts(instances: NDArray[np.int32]) -> NDArray[np.int64]:
    """How many pixels each instance has, by its number; NOTHING is left out."""
    return np.bincount(instances.ravel() - NOTHING)[-NOTHING:]


# --- Draws states of one scene: pictures for callers, and the instance pictures of sight


class StateRenderer:
    """Draws the states of one scene. Older states than the last can be drawn too; the cost depends
    on how much differs."""

    def __init__(
        self,
        scene: SceneSpec,
        pictures: Renderer,
        sight: Renderer,
        before: StateRenderer | None = None,
    ) -> None:
        """`sight` has to be exact to the pixel on every machine; `pictures` need not. `before` has
        drawn with the same renderers, whose work on what both scenes have is kept."""
        earlier = None if before is None else before._graphs
        self._graphs: SceneGraphBuilder = SceneGraphBuilder(scene, earlier)
        self._pictures, self._sight = pictures, sight
        self._legend: tuple[tuple[str, ...], Legend] | None = None

    @property
    def in_color(self) -> bool:
        """Whether there are pictures at all, not only sight."""
        return self._pictures.name != "none"

    def draw(self, state: HouseholdState, camera: Camera, channels: Channel) -> CameraPictures:
        """A picture of a state. Depth counts from `camera.setback` metres before its eye."""
        drawn = self._pictures.render(self._graphs.graph(_without_hidden(state)), camera, channels)
        if drawn.depth is None or not camera.setback:
            return drawn
        depth = drawn.depth - np.float32(camera.setback)
        depth.setflags(write=False)
        return replace(drawn, depth=depth)

    def look(self, state: HouseholdState, camera: Camera) -> CameraPictures:
        """Instances and depth of a state, for sight."""
        channels = Channel.INSTANCES | Channel.DEPTH
        return self._sight.render(self._graphs.graph(_without_hidden(state)), camera, channels)

    def object_of(self, instance: int) -> str | None:
        """The id of the object of an instance number; None for structure and for NOTHING."""
        return self._graphs.object_of(instance)

    def legend(self, state: HouseholdState) -> Legend:
        """What the instance numbers of a state's pictures stand for."""
        keys = tuple(state.objects)
        if self._legend is None or self._legend[0] != keys:
            self._legend = (keys, self._read(state))
        return self._legend[1]

    def _read(self, state: HouseholdState) -> Legend:
        number = self._graphs.instance_of
        names = {number(key): key for key in state.objects}
        types = {number(key): item.spec.type for key, item in state.objects.items()}
        kinds = {number(spec.name): spec.type for spec in state.scene.structure}
        return Legend(names | kinds, types | kinds)
