"""InitialRandomSpawn."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.ai2thor_api.object_types import Trait, object_types
from env_service.worlds.household.simulation.space.collisions import overlap
from env_service.worlds.household.state import HouseholdState, ObjectState, digest
from tests.support.household_player import Player
from tests.support.household_scenes import all_of, start
from tests.support.small_home import home, thing


def spawned(seed: int = 1, **arguments: Any) -> HouseholdState:
    player = Player(start())
    player.do("InitialRandomSpawn", randomSeed=seed, **arguments)
    return player.state


def small_things(state: HouseholdState) -> list[ObjectState]:
    return [item for item in state.objects.values() if item.spec.can(Trait.PICKUPABLE)]


def holder(state: HouseholdState, item: ObjectState) -> ObjectState:
    parents = [state.objects[key] for key in item.parents or ()]
    return max(parents, key=lambda each: len(each.parents or ()))


@pytest.mark.parametrize("seed", range(4))
def test_everything_stands_somewhere_that_suits_it_and_apart(seed: int) -> None:
    state = spawned(seed)
    before = start()
    things = small_things(state)
    for item in things:
        if item.pose != before.objects[item.id].pose:
            assert holder(state, item).spec.type in object_types()[item.spec.type].receptacles
    loose = [item for item in things if not item.contents]
    for k, first in enumerate(loose):
        for second in loose[k + 1 :]:
            assert not overlap(first.body, second.body, 0.002), (first.id, second.id)


def test_the_seed_decides() -> None:
    assert digest(spawned(3)) == digest(spawned(3))
    assert digest(spawned(3)) != digest(spawned(4))


def test_most_things_move() -> None:
    before, after = start(), spawned()
    moved = [item for item in small_things(after) if item.pose != before.objects[item.id].pose]
    assert len(moved) > 0.8 * len(small_things(after))


@pytest.mark.parametrize("seed", range(3))
def test_visible_things_are_behind_no_door(seed: int) -> None:
    closed = {"Cabinet", "Drawer", "Fridge", "Microwave"}
    state = spawned(seed, forceVisible=True)
    for item in small_things(state):
        kinds = {state.objects[key].spec.type for key in item.parents or ()}
        assert not kinds & closed


def test_without_force_some_things_go_behind_doors() -> None:
    kinds = {
        holder(state, i).spec.type for state in map(spawned, range(3)) for i in small_things(state)
    }
    assert kinds & {"Cabinet", "Drawer", "Fridge"}


def test_excluded_receptacles_and_objects_are_left_alone() -> None:
    before = start()
    mug = all_of(before, "Mug")[0].id
    state = spawned(
        excludedReceptacles=["DiningTable", "Fridge", "Cabinet", "Drawer"],
        excludedObjectIds=[mug],
    )
    assert state.objects[mug].pose == before.objects[mug].pose
    for item in small_things(state):
        if item.pose != before.objects[item.id].pose and item.id != mug:
            assert holder(state, item).spec.type not in {"DiningTable", "Fridge"}


def test_the_floor_is_used_only_when_allowed() -> None:
    only_floor = ["DiningTable", "CounterTop", "Cabinet", "Drawer"]
    book = all_of(start(), "Book")[0].id
    others = [item.id for item in small_things(start()) if item.id != book]
    without = spawned(excludedReceptacles=only_floor, excludedObjectIds=others)
    assert without.objects[book].pose == start().objects[book].pose
    allowed = spawned(excludedReceptacles=only_floor, excludedObjectIds=others, allowFloor=True)
    assert holder(allowed, allowed.objects[book]).spec.type == "Floor"


def test_copies_are_made_up_to_the_number_wanted() -> None:
    state = spawned(numDuplicatesOfType=[{"objectType": "Apple", "count": 4}])
    apples = all_of(state, "Apple")
    assert len(apples) == 4
    assert len({each.spec.name for each in apples}) == 4
    assert all(each.parents for each in apples)


def test_what_is_no_list_fails_as_an_action() -> None:
    player = Player(start())
    result = player.attempt("InitialRandomSpawn", numDuplicatesOfType=[{"objectType": "Apple"}])
    # With a code, AI2-THOR's controller would raise.
    assert result.code is None
    assert "numDuplicatesOfType must be a list" in result.error


def test_what_the_agent_holds_stays_in_its_hand() -> None:
    player = Player(start())
    player.do("PickupObject", "Mug")
    player.do("InitialRandomSpawn", randomSeed=2)
    assert player.state.held == player.id("Mug")
    assert player["Mug"].held


def test_dishes_take_along_what_lies_in_them() -> None:
    player = Player(start())
    player.put("Apple", "Bowl")
    apple = player.id("Apple")
    others = [i.id for i in small_things(player.state) if i.spec.type not in ("Bowl",)]
    player.do("InitialRandomSpawn", randomSeed=5, excludedObjectIds=others)
    assert player.id("Bowl") in (player[apple].parents or ())
    assert player["Bowl"].body.contains(player[apple].body.center, 0.05)


@pytest.mark.parametrize("seed", range(6))
def test_visible_things_are_not_put_where_no_place_shows_them(seed: int) -> None:
    table = thing("DiningTable", (0.0, 0.0, 0.8), (0.8, 0.75, 0.6))
    bin_ = thing("GarbageCan", (2.2, 0.0, 1.7), (0.3, 1.0, 0.3))
    sponge = thing("DishSponge", (0.0, 0.75, 0.8), (0.1, 0.03, 0.07))
    player = Player(HouseholdState.at_start(home(table, bin_, sponge)))
    player.do("InitialRandomSpawn", randomSeed=seed, forceVisible=True)
    assert bin_.object_id not in (player["DishSponge"].parents or ())
