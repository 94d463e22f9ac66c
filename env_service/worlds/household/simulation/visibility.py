"""What the agent sees, by AI2-THOR's definition of `visible` and `isInteractable`, and the pictures
that decide it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.render.interface import Camera, CameraPictures, Channel, Renderer
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

LEAST_PIXELS = 3
"""An object of which fewer pixels show is not visible."""


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
        """Instances in front, the solid ones behind any glass, depth of the solid ones."""
        drawn = self.state_renderer.look(without_water(self.state), self._camera)
        if drawn.instances is None or drawn.behind_glass is None or drawn.depth is None:
            raise RuntimeError("a renderer left out instances or depth, which decide visibility")
        return drawn.instances, drawn.behind_glass, drawn.depth

    @cached_property
    def _seen(self) -> frozenset[str]:
        _, solid, _ = self._pictures
        return self._touchable | self._named(_counts(solid[self._near]))

    @cached_property
    def _touchable(self) -> frozenset[str]:
        """What shows in front: solid things in reach, and clear ones whose box is in reach, since
        the depth of glass is not drawn."""
        front, solid, _ = self._pictures
        clear = front != solid
        nearby = self._named(_counts(front[self._near & ~clear]))
        glass = self._named(_counts(front[clear]))
        return nearby | frozenset(key for key in glass if self._box_distance(key) <= self._reach)

    @property
    def _reach(self) -> float:
        return self.settings.visibility_distance

    @cached_property
    def _near(self) -> NDArray[np.bool_]:
        """[H, W]: whether the solid surface at a pixel lies within the visibility distance."""
        camera = self._camera
        ratio = horizontal_ratio(camera.width, camera.height, camera.field_of_view, camera.pitch)
        near: NDArray[np.bool_] = self._pictures[2] * ratio <= self._reach
        return near

    def _named(self, counts: NDArray[np.int64]) -> frozenset[str]:
        found = (
            self.state_renderer.object_of(int(k)) for k in np.flatnonzero(counts >= LEAST_PIXELS)
        )
        return frozenset(key for key in found if key is not None)

    def _box_distance(self, object_id: str) -> float:
        """Metres, horizontally, from the agent's axis to the bounds of an object."""
        bounds, agent = self.state.objects[object_id].body.bounds(), self.state.agent.position
        dx = max(abs(agent.x - bounds.center.x) - bounds.size.x / 2, 0.0)
        dz = max(abs(agent.z - bounds.center.z) - bounds.size.z / 2, 0.0)
        return math.hypot(dx, dz)


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


@lru_cache(maxsize=64)
def horizontal_ratio(
    width: int, height: int, field_of_view: float, pitch: float
) -> NDArray[np.float32]:
    """[H, W]: horizontal distance from the eye per metre of depth, for every pixel."""
    half = round(math.tan(math.radians(field_of_view / 2)), 12)
    up = half * (1 - (np.arange(height) + 0.5) * 2 / height)
    right = half * width / height * ((np.arange(width) + 0.5) * 2 / width - 1)
    tilt = math.radians(pitch)
    ahead = round(math.cos(tilt), 12) + round(math.sin(tilt), 12) * up
    ratio = np.sqrt((ahead * ahead)[:, None] + (right * right)[None, :]).astype(np.float32)
    ratio.setflags(write=False)
    return ratio


def _counts(instances: NDArray[np.int32]) -> NDArray[np.int64]:
    """How many pixels each instance has, by its number; NOTHING is left out."""
    return np.bincount(instances[instances >= 0].ravel())


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
        self._graphs = SceneGraphBuilder(scene, before and before._graphs)
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
