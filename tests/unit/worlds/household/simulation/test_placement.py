"""Surfaces, ways to stand, free spots."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.worlds.household.geometry import Box, Transform, Vec3
from env_service.worlds.household.simulation.space.collisions import overlap
from env_service.worlds.household.simulation.space.placement import (
    Search,
    find_spot,
    nearest_to,
    stances,
)
from env_service.worlds.household.simulation.space.support_surfaces import supports
from env_service.worlds.household.state import HouseholdState, ObjectState
from tests.support.household_player import Player
from tests.support.household_scenes import kitchen, start, the
from tests.support.small_home import thing

MIDDLE = Search(nearest_to(Vec3(0.0, 0.9, 0.0)))


def stood(
    state: HouseholdState, item: ObjectState, receptacle: str, search: Search = MIDDLE
) -> Box:
    """The item's box where it would be put."""
    pose = find_spot(state, item, the(state, receptacle), search)
    assert pose is not None
    return replace(item, pose=pose).body


def test_a_table_offers_its_top() -> None:
    state = start()
    top = max(supports(state.scene, the(state, "DiningTable")), key=lambda each: each.height)
    assert top.height == pytest.approx(0.75)
    assert top.covers(Vec3(0.6, 2.0, -0.9))
    assert not top.covers(Vec3(2.0, 0.75, -0.9))


def test_the_bottom_of_a_drawer_comes_out_with_it() -> None:
    player = Player(start())
    (shut,) = supports(player.state.scene, player["Drawer"])
    player.do("OpenObject", "Drawer")
    (out,) = supports(player.state.scene, player["Drawer"])
    assert out.height == shut.height
    assert out.frame.position.z < shut.frame.position.z - 0.3


def test_what_leans_offers_nothing() -> None:
    state = start()
    table = the(state, "DiningTable")
    tipped = replace(table, pose=Transform.at(table.pose.position, Vec3(0.0, 0.0, 30.0)))
    assert supports(state.scene, tipped) == ()


def test_spots_are_searched_from_where_one_asks() -> None:
    state = start()
    mug = the(state, "Mug")
    left = stood(state, mug, "CounterTop", Search(nearest_to(Vec3(-1.5, 0.9, 1.3))))
    right = stood(state, mug, "CounterTop", Search(nearest_to(Vec3(1.5, 0.9, 1.3))))
    assert left.center.x < -1.3
    assert right.center.x > 1.3
    assert left.bottom == right.bottom == pytest.approx(0.91)


def test_a_spot_is_free() -> None:
    state = start()
    pot = the(state, "Pot")
    machine = the(state, "CoffeeMachine")
    body = stood(state, pot, "CounterTop", Search(nearest_to(machine.body.center)))
    assert not any(
        overlap(body, other.body)
        for other in state.objects.values()
        if other.id in (the(state, "CounterTop").contents or ())
    )


def test_what_is_too_high_for_a_drawer_is_refused() -> None:
    bottle = thing("WineBottle", (1.4, 0.75, -0.5), (0.08, 0.3, 0.08))
    state = HouseholdState.at_start(kitchen(bottle))
    drawer = replace(the(state, "Drawer"), openness=1.0)
    item = state.objects[bottle.object_id]
    assert find_spot(state, item, drawer, MIDDLE) is None
    assert find_spot(state, the(state, "Knife"), drawer, MIDDLE) is not None


def test_a_table_gets_full() -> None:
    stool = thing("Stool", (-1.0, 0.0, 0.5), (0.3, 0.5, 0.3))
    player = Player(HouseholdState.at_start(kitchen(stool)))
    player.put("Book", "Stool", forceAction=True)
    player.do("PickupObject", "Bread")
    error = player.attempt("PutObject", "Stool", forceAction=True).error
    assert error == "No valid positions to place object found"


def test_a_wide_thing_gets_stuck_higher_in_a_bowl() -> None:
    state = start()
    bowl = the(state, "Bowl")
    low = stood(state, the(state, "Egg"), "Bowl").bottom
    wide = thing("AppleSliced", (1.4, 0.75, -0.5), (0.15, 0.02, 0.15))
    more = HouseholdState.at_start(kitchen(wide))
    high = stood(more, more.objects[wide.object_id], "Bowl").bottom
    assert bowl.body.bottom <= low < high < bowl.body.top


@pytest.mark.parametrize(
    ("kind", "size", "heights"),
    [
        ("Mug", Vec3(0.1, 0.12, 0.1), [0.12]),
        ("Towel", Vec3(0.5, 0.6, 0.04), [0.04]),
        ("BaseballBat", Vec3(0.1, 0.9, 0.1), [0.9, 0.1]),
        ("Plate", Vec3(0.2, 0.02, 0.2), [0.02]),
    ],
)
def test_ways_to_stand(kind: str, size: Vec3, heights: list[float]) -> None:
    assert [each.height for each in stances(kind, size)] == pytest.approx(heights)


def test_whatever_the_stance_nothing_is_below_the_ground() -> None:
    for vessel in (None, "Mug"):
        for size in (Vec3(0.3, 0.02, 0.05), Vec3(0.02, 0.03, 0.3), Vec3(0.03, 0.25, 0.02)):
            for stance in stances("Spoon", size, vessel=vessel):
                frame = stance.place(Vec3(1.0, 0.5, 2.0), 30.0)
                box = Box(Vec3(0.0, size.y / 2, 0.0), size).moved(frame)
                assert box.bottom == pytest.approx(0.5)
                assert box.top == pytest.approx(0.5 + stance.height)


def test_a_pan_wider_than_a_basins_bottom_gets_stuck_between_its_walls() -> None:
    basin = thing("SinkBasin", (-1.9, 0.78, -1.6), (0.56, 0.13, 0.184))
    pan = thing("Pan", (0.0, 0.0, 0.0), (0.25, 0.05, 0.42))
    state = HouseholdState.at_start(kitchen(basin, pan))
    narrow, item = state.objects[basin.object_id], state.objects[pan.object_id]
    pose = find_spot(state, item, narrow, MIDDLE)
    assert pose is not None
    box = replace(item, pose=pose).body
    bottom = supports(state.scene, narrow)[0].height
    assert bottom < box.bottom < narrow.extent[1].y
