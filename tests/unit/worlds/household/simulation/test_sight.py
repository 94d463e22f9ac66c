"""What counts as visible and interactable."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.render.interface import Camera, CameraPictures
from env_service.worlds.household.simulation.settings import Settings
from env_service.worlds.household.simulation.visibility import (
    AgentVisibility,
    reaches,
    sight_size,
    without_water,
)
from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import home, thing

MUG = thing("Mug", (0.0, 0.9, 1.0), (0.1, 0.1, 0.1))
GLASS = thing("ShowerDoor", (0.0, 0.0, 0.8), (1.0, 2.0, 0.05))
WALL, MUG_NUMBER, GLASS_NUMBER = 0, 1, 2
STATE = HouseholdState.at_start(home(MUG, GLASS))
SETTINGS = Settings(visibility_distance=1.5)


class Painted:
    """A StateRenderer that shows a patch of a thing before a wall, a pane of glass before both."""

    def __init__(
        self,
        rows: int,
        columns: int,
        depth: float,
        *,
        glass: bool = False,
        shown: str = MUG.object_id,
    ) -> None:
        self.patch = (slice(150, 150 + rows), slice(150, 150 + columns))
        self.depth, self.glass, self.shown, self.looks = depth, glass, shown, 0

    def look(self, state: HouseholdState, camera: Camera) -> CameraPictures:
        """What the renderer would give."""
        self.looks += 1
        solid = np.full((camera.height, camera.width), WALL, np.int32)
        depth = np.full(solid.shape, 4.0, np.float32)
        solid[self.patch], depth[self.patch] = MUG_NUMBER, self.depth
        front = np.full_like(solid, GLASS_NUMBER) if self.glass else solid
        return CameraPictures(instances=front, behind_glass=solid, depth=depth)

    def object_of(self, instance: int) -> str | None:
        """Mug and glass are objects, the wall is none."""
        return {MUG_NUMBER: self.shown, GLASS_NUMBER: GLASS.object_id}.get(instance)


def sight(
    state_renderer: Painted, settings: Settings = SETTINGS, state: HouseholdState = STATE
) -> AgentVisibility:
    return AgentVisibility(state, settings, state_renderer)


def at(z: float) -> HouseholdState:
    return replace(STATE, agent=replace(STATE.agent, position=Vec3(0.0, 0.901, z)))


def test_what_shows_is_visible_if_a_part_of_it_is_within_the_distance() -> None:
    near, far = (sight(Painted(4, 4, 4.0), state=at(z)) for z in (-0.5, -0.6))
    assert near.visible(MUG.object_id)
    assert near.interactable(MUG.object_id)
    assert not far.visible(MUG.object_id)
    assert not far.interactable(MUG.object_id)


def test_a_pixel_or_two_are_not_enough() -> None:
    assert not sight(Painted(1, 3, 1.0)).visible(MUG.object_id)
    assert sight(Painted(1, 4, 1.0)).visible(MUG.object_id)


def test_what_shows_through_glass_alone_cannot_be_touched() -> None:
    behind = sight(Painted(4, 4, 1.0, glass=True))
    assert behind.visible(MUG.object_id)
    assert not behind.interactable(MUG.object_id)
    assert behind.interactable(GLASS.object_id)


def test_glass_counts_by_its_box() -> None:
    away = sight(Painted(4, 4, 1.0, glass=True), state=at(-1.9))
    assert not away.visible(GLASS.object_id)


def test_what_is_held_is_seen_without_a_look() -> None:
    state_renderer = Painted(0, 0, 1.0)
    held = STATE.having(replace(STATE.objects[MUG.object_id], held=True))
    seen = sight(state_renderer, state=held)
    assert seen.visible(MUG.object_id)
    assert seen.interactable(MUG.object_id)
    assert state_renderer.looks == 0


def test_a_point_of_the_picture_names_the_front_most_object() -> None:
    found = sight(Painted(6, 6, 3.0))
    assert found.object_at(0.505, 0.505) == MUG.object_id
    assert found.object_at(0.1, 0.1) is None
    assert found.object_at(1.0, 1.0) is None


def test_one_look_answers_everything() -> None:
    state_renderer = Painted(4, 4, 1.0)
    seen = sight(state_renderer)
    for _ in range(3):
        seen.visible(MUG.object_id)
        seen.interactable(GLASS.object_id)
        seen.object_at(0.5, 0.5)
    assert state_renderer.looks == 1


@pytest.mark.parametrize(
    ("picture", "size"),
    [
        ((1024, 1024), (300, 300)),
        ((64, 64), (300, 300)),
        ((640, 480), (400, 300)),
        ((480, 640), (300, 400)),
        ((8192, 1), (1200, 1)),
    ],
)
def test_the_look_has_a_fixed_size_in_the_pictures_proportions(
    picture: tuple[int, int], size: tuple[int, int]
) -> None:
    assert sight_size(*picture) == size


BOX = Box(Vec3(0.0, 1.0, 2.0), Vec3(1.0, 0.2, 1.0))
TURNED = Box(Vec3(0.0, 1.0, 2.0), Vec3(1.0, 0.2, 1.0), Rotation.yaw(45.0))


@pytest.mark.parametrize(
    ("body", "at", "reached"),
    [
        (BOX, Vec3(0.0, 0.9, 0.01), True),
        (BOX, Vec3(0.0, 0.9, -0.01), False),
        (BOX, Vec3(-1.6, 0.9, 0.4), False),  # past its corner
        (TURNED, Vec3(0.0, 0.9, -0.15), True),  # a corner points to the agent
        (TURNED, Vec3(0.0, 0.9, -0.25), False),
        (BOX, Vec3(0.0, -1.2, 1.0), True),  # as high as it reaches up, plus the distance
        (BOX, Vec3(0.0, -2.9, 1.0), False),
    ],
)
def test_reach_is_from_the_agents_axis_to_the_nearest_part(
    body: Box, at: Vec3, *, reached: bool
) -> None:
    assert reaches(at, body, 1.5) is reached


@pytest.mark.parametrize(("side", "visible"), [(22, False), (24, True)])
def test_a_little_of_the_floor_is_not_enough(side: int, *, visible: bool) -> None:
    floor = thing("Floor", (0.0, -0.1, 0.0), (4.0, 0.1, 4.0))
    state = HouseholdState.at_start(home(floor))
    painted = Painted(side, side, 1.0, shown=floor.object_id)
    assert sight(painted, state=state).visible(floor.object_id) is visible


@pytest.mark.parametrize(("depth", "visible"), [(0.72, False), (0.9, True)])
def test_a_counter_is_not_seen_at_its_ends_alone(depth: float, *, visible: bool) -> None:
    counter = thing("CounterTop", (0.0, 0.0, 1.0), (1.0, 0.9, 0.6))
    state = HouseholdState.at_start(home(counter))
    painted = Painted(4, 4, depth, shown=counter.object_id)
    assert sight(painted, state=state).visible(counter.object_id) is visible


def test_visibility_is_decided_without_the_water_that_stands_in_basins() -> None:
    basin, mug = thing("SinkBasin", (0.0, 0.8, 1.0), (0.4, 0.1, 0.4)), MUG
    state = HouseholdState.at_start(home(basin, mug))
    assert without_water(state) is state
    wet = state.having(
        replace(state.objects[basin.object_id], liquid="water"),
        replace(state.objects[mug.object_id], liquid="coffee"),
    )
    dry = without_water(wet)
    assert dry.objects[basin.object_id].liquid is None
    assert dry.objects[mug.object_id].liquid == "coffee"
