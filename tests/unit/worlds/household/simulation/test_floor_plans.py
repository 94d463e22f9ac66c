"""The rules on AI2-THOR's own rooms."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.scene.thor_metadata import scene_from_metadata
from env_service.worlds.household.simulation.contextual_rules import settle
from env_service.worlds.household.simulation.metadata import object_metadata
from env_service.worlds.household.simulation.space.collisions import overlap
from env_service.worlds.household.simulation.space.supporting_objects import holder_of
from env_service.worlds.household.state import HouseholdState, ObjectState
from tests.support.data import reference_data
from tests.support.household_player import Player
from tests.support.whole import sample

pytestmark = pytest.mark.data

PLANS = ("FloorPlan5", "FloorPlan12", "FloorPlan210", "FloorPlan306", "FloorPlan410")


OF_THE_MOMENT = {"visible", "isInteractable", "distance", "isMoving"}


def dumped(name: str) -> dict[str, Any]:
    path = reference_data(f"ithor/dev/data/objects_metadata_samples/{name}_physics.json")
    read: dict[str, Any] = json.loads(path.read_text())
    return read


def loaded(name: str) -> HouseholdState:
    return HouseholdState.at_start(scene_from_metadata(f"{name}_physics", dumped(name)))


def alike(ours: Any, theirs: Any) -> bool:
    """Whether two pieces of metadata are the same, numbers to a millimetre."""
    if isinstance(theirs, dict):
        same = set(ours) == set(theirs)
        return bool(same and all(alike(ours[k], theirs[k]) for k in theirs))
    if isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    if isinstance(theirs, float):
        return abs(ours - theirs) < 0.001 or abs(abs(ours - theirs) - 360.0) < 0.001
    return type(ours) is type(theirs) and bool(ours == theirs)


def small_things(state: HouseholdState) -> Iterator[ObjectState]:
    return (item for item in state.objects.values() if item.spec.can(Trait.PICKUPABLE))


@pytest.mark.parametrize("name", PLANS)
def test_metadata_are_those_of_ai2thor(name: str) -> None:
    state, real = loaded(name), dumped(name)
    assert list(state.objects) == list(real)
    for key, item in state.objects.items():
        ours = object_metadata(item, visible=False, interactable=False, distance=0.0, state=state)
        assert list(ours) == list(real[key])
        for word in ours.keys() - OF_THE_MOMENT:
            assert alike(ours[word], real[key][word]), (key, word)


@pytest.mark.parametrize("name", PLANS)
def test_the_rules_leave_a_room_as_it_was_dumped(name: str) -> None:
    state = loaded(name)
    after = settle(state)
    for key, item in state.objects.items():
        now = after.objects[key]
        assert (now.pose, now.parents, now.contents) == (item.pose, item.parents, item.contents)
        assert now.look == item.look
        assert now.temperature == item.temperature


def test_what_holds_a_thing_is_found_by_where_it_is() -> None:
    found = [
        holder_of(state, item) in (item.parents or (None,))
        for state in map(loaded, PLANS)
        for item in small_things(state)
    ]
    assert sum(found) > 0.9 * len(found)


@pytest.mark.parametrize("name", sample(PLANS, ("FloorPlan12", "FloorPlan410")))
def test_things_are_spawned_apart(name: str) -> None:
    player = Player(loaded(name))
    player.do("InitialRandomSpawn", randomSeed=1, forceVisible=True)
    things = list(small_things(player.state))
    for k, first in enumerate(things):
        for second in things[k + 1 :]:
            related = {*(first.parents or ()), *(second.parents or ())} & {first.id, second.id}
            assert related or not overlap(first.body, second.body, 0.005), (first.id, second.id)
    moved = [i for i in things if i.pose != i.spec.pose]
    assert len(moved) > 0.6 * len(things)
