"""What holds what, and taking things out of the scene."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.worlds.household.simulation.space.containment import (
    carried_with,
    closed_holder,
    holders,
    innermost,
)
from env_service.worlds.household.state import HouseholdState
from tests.support.household_player import Player
from tests.support.household_scenes import kitchen, start, the
from tests.support.small_home import home, thing

EGG = (0.05, 0.07, 0.05)


@pytest.fixture
def player() -> Player:
    return Player(start())


def mutual(state: HouseholdState) -> bool:
    """Whether each parent lists its contents and the other way round."""
    for item in state.objects.values():
        for key in item.parents or ():
            if item.id not in (state.objects[key].contents or ()):
                return False
        for key in item.contents or ():
            if item.id not in (state.objects[key].parents or ()):
                return False
    return True


def test_the_contents_of_a_dish_share_in_its_counter_but_not_in_its_floor(player: Player) -> None:
    state = player.state
    fork = player["Fork"]
    assert holders(state, player["Plate"], fork) == (player.id("DiningTable"), player.id("Plate"))
    assert holders(state, player["DiningTable"], fork) == (player.id("DiningTable"),)
    assert holders(state, player["Toaster"], fork) == (
        player.id("CounterTop"),
        player.id("Toaster"),
    )


def test_things_are_carried_through_several_dishes(player: Player) -> None:
    player.put("Fork", "Mug")
    player.put("Mug", "Plate")
    carried = [item.spec.type for item in carried_with(player.state, player["Plate"])]
    assert sorted(carried) == ["Fork", "Mug"]
    player.put("Plate", "CounterTop")
    assert mutual(player.state)
    assert set(player["Fork"].parents or ()) == {
        player.id(kind) for kind in ("CounterTop", "Plate", "Mug")
    }
    player.do("PickupObject", "Mug")
    assert player["Fork"].parents == (player.id("Mug"),)
    assert player["Plate"].contents == ()
    assert mutual(player.state)


def test_taking_a_dish_away_lets_its_contents_lie(player: Player) -> None:
    player.put("Apple", "Bowl")
    player.do("DisableObject", "Bowl")
    assert player["Apple"].parents == (player.id("DiningTable"),)
    assert player["Apple"].body.bottom == pytest.approx(0.75)
    assert mutual(player.state)


def test_a_disabled_object_comes_back_as_it_was(player: Player) -> None:
    mug = player["Mug"]
    order = list(player.state.objects)
    player.do("DisableObject", mug.id)
    assert mug.id not in player.state.objects
    assert "not the objectId" in player.attempt("PickupObject", mug.id).error
    player.do("EnableObject", mug.id)
    assert player[mug.id] == mug
    assert list(player.state.objects) == order
    assert mutual(player.state)
    player.do("EnableObject", mug.id)


def test_what_was_removed_does_not_come_back(player: Player) -> None:
    mug = player.id("Mug")
    player.do("RemoveFromScene", mug)
    assert "not the objectId" in player.attempt("EnableObject", mug).error


def test_disabling_what_is_held_empties_the_hand(player: Player) -> None:
    player.put("Apple", "Plate")
    player.do("PickupObject", "Plate")
    player.do("DisableObject", "Plate")
    assert player.state.held is None
    assert player["Apple"].in_hand_of is None
    assert player["Apple"].parents == (player.id("Floor"),)


def test_things_in_a_box_that_vanishes_fall(player: Player) -> None:
    player.do("DisableObject", "DiningTable")
    assert player["Mug"].body.bottom == pytest.approx(0.0)
    assert mutual(player.state)


def test_furniture_that_only_touches_a_closed_cabinet_is_not_shut_in_it() -> None:
    state = HouseholdState.at_start(kitchen(on={"Fridge": "Cabinet", "Mug": "Cabinet"}))
    assert closed_holder(state, the(state, "Fridge")) is None
    shut = closed_holder(state, the(state, "Mug"))
    assert shut is not None
    assert shut.spec.type == "Cabinet"


def test_a_counter_in_its_basin_is_not_nearer_than_the_pan_on_it(player: Player) -> None:
    player.put("Egg", "Pan")
    counter, egg, pan = (player[each] for each in ("CounterTop", "Egg", "Pan"))
    # Dumps list a counter in the basin that is let into it.
    odd = replace(counter, parents=(player.id("SinkBasin"),))
    both = replace(egg, parents=(counter.id, pan.id))
    state = player.state.having(odd, both, replace(pan, parents=(counter.id,)))
    found = innermost(state, state.objects[egg.id])
    assert found is not None
    assert found.id == pan.id


def test_the_floor_is_a_parent_of_what_is_low_in_a_bin_that_stands_on_it() -> None:
    can = thing("GarbageCan", (0.0, 0.0, 1.0), (0.5, 0.5, 0.34))
    player = Player(HouseholdState.at_start(home(can, thing("Egg", (0.0, 0.0, -1.0), EGG))))
    standing = replace(player["GarbageCan"], parents=(player.id("Floor"),))
    player.state = player.state.having(standing)
    player.put("Egg", "GarbageCan")
    assert set(player["Egg"].parents or ()) == {player.id("Floor"), can.object_id}
