"""The built-in rooms as an agent finds them: many, each connected, each thing within reach."""

from __future__ import annotations

import pytest

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.scene.rooms.built_in_rooms import KINDS, BuiltInRooms
from env_service.worlds.household.scene.spec import ObjectSpec, SceneSpec
from env_service.worlds.household.simulation.space.walkable_floor import floor_of
from env_service.worlds.household.state import HouseholdState
from tests.support.whole import everything, sample

GRID = 0.25
LEAST_SHARE = 0.7
"""Of the free floor that the agent can reach."""
ROOMS = 50 if everything() else 10
"""Of each kind: making one takes a tenth of a second."""
NUMBERS = sample((1, 4, 9), (4,))
"""Rooms in which everything has to be reached. Other tests are played in the first of each kind."""
USED = (Trait.PICKUPABLE, Trait.RECEPTACLE, Trait.TOGGLEABLE, Trait.OPENABLE)


@pytest.mark.parametrize("kind", KINDS)
def test_rooms_of_a_kind_differ(kind: str) -> None:
    """Not in colours or clutter alone: the furniture stands elsewhere."""
    layouts = set()
    for number in range(1, ROOMS + 1):
        scene = loaded(f"household-{kind}-{number}")
        fixed = [spec for spec in scene.objects if spec.mass == 0 or spec.type in ("Bed", "Sofa")]
        layouts.add(tuple((spec.type, spec.position) for spec in fixed))
    assert len(layouts) == ROOMS


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("number", NUMBERS)
def test_the_agent_reaches_the_floor_and_all_that_is_used(kind: str, number: int) -> None:
    scene = loaded(f"household-{kind}-{number}")
    with HouseholdController(scene.name, renderer="soft", gridSize=GRID) as thor:
        spots = thor.step("GetReachablePositions").metadata["actionReturn"]
        assert len(spots) >= LEAST_SHARE * free_spots(scene)
        for spec in scene.objects:
            if is_used(scene, spec):
                asked = thor.step("GetInteractablePoses", objectId=spec.object_id, maxPoses=1)
                assert asked.metadata["actionReturn"], spec.object_id


def loaded(name: str) -> SceneSpec:
    scene = BuiltInRooms().load(name)
    assert scene is not None
    return scene


def free_spots(scene: SceneSpec) -> int:
    """How many points of the agent's grid its body fits on, whether it can walk there or not."""
    floor = floor_of(HouseholdState.at_start(scene))
    start, size = scene.agent.position, scene.bounds.size
    steps = range(-32, 33)
    places = ((start.x + i * GRID, start.z + k * GRID) for i in steps for k in steps)
    return sum(abs(x) < size.x / 2 and abs(z) < size.z / 2 and floor.fits(x, z) for x, z in places)


def is_used(scene: SceneSpec, spec: ObjectSpec) -> bool:
    """Whether a task may need a thing at once: not what lies behind a closed door, and not what
    is behind a shower's glass."""
    if spec.type == "Floor" or not any(spec.can(trait) for trait in USED):
        return False
    if spec.type in ("Faucet", "ShowerHead"):
        return all(other.type != "ShowerDoor" for other in scene.objects)
    holders = (scene.by_id[key] for key in spec.parents or ())
    return all(
        not holder.can(Trait.OPENABLE) or holder.start.openness > 0 or holder.type == "Toilet"
        for holder in holders
    )
