"""Room where boxes leave none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.worlds.household.geometry import Box, Vec3
from env_service.worlds.household.scene.spec import ObjectSpec, StartState
from env_service.worlds.household.simulation.space.collisions import overlap
from env_service.worlds.household.simulation.space.crowded_receptacle import crowded_spot
from env_service.worlds.household.simulation.space.placement import Search, find_spot, nearest_to
from env_service.worlds.household.simulation.space.support_surfaces import supports
from env_service.worlds.household.state import HouseholdState, ObjectState
from tests.support.household_player import Player
from tests.support.household_scenes import all_of, kitchen, the
from tests.support.small_home import thing

MIDDLE = Search(nearest_to(Vec3(0.0, 0.9, 0.0)))
BOTTLE = thing("WineBottle", (1.4, 0.75, -0.5), (0.08, 0.3, 0.08))


def squeezed(state: HouseholdState, item: ObjectState, receptacle: ObjectState) -> Box | None:
    """The item's box where it finds room, if it does; by its box alone there has to be none."""
    assert find_spot(state, item, receptacle, MIDDLE) is None
    pose = crowded_spot(state, item, receptacle, MIDDLE)
    return None if pose is None else replace(item, pose=pose).body


def with_more(*specs: ObjectSpec, on: dict[str, str] | None = None) -> HouseholdState:
    return HouseholdState.at_start(kitchen(*specs, on=on))


def test_a_watch_lies_before_the_foot_of_a_television() -> None:
    dresser = thing("Dresser", (-1.0, 0.0, 0.3), (1.2, 0.7, 0.4))
    screen = thing("Television", (-1.0, 0.7, 0.3), (1.19, 0.8, 0.39))
    watch = thing("Watch", (1.4, 0.75, -0.5), (0.08, 0.03, 0.05))
    state = with_more(dresser, screen, watch, on={"Television": "Dresser"})
    body = squeezed(state, state.objects[watch.object_id], the(state, "Dresser"))
    assert body is not None
    assert body.bottom == pytest.approx(0.7, abs=0.01)
    assert overlap(body, the(state, "Television").body)


def test_a_bottle_is_laid_down_where_it_is_too_high() -> None:
    state = with_more(BOTTLE)
    drawer = replace(the(state, "Drawer"), openness=1.0)
    body = squeezed(state, state.objects[BOTTLE.object_id], drawer)
    assert body is not None
    low, high = body.bounds().bottom, body.bounds().top
    assert high - low == pytest.approx(0.08)


def test_a_cup_is_not_laid_down() -> None:
    cup = thing("Cup", (1.4, 0.75, -0.5), (0.08, 0.3, 0.08))
    state = with_more(cup)
    drawer = replace(the(state, "Drawer"), openness=1.0)
    assert squeezed(state, state.objects[cup.object_id], drawer) is None


def test_an_open_bottle_with_something_in_it_is_not_laid_down() -> None:
    full = replace(BOTTLE, start=StartState(liquid="water"))
    state = with_more(full)
    drawer = replace(the(state, "Drawer"), openness=1.0)
    assert squeezed(state, state.objects[full.object_id], drawer) is None


def test_a_bottle_is_higher_than_the_box_of_a_shelf_with_nothing_above() -> None:
    shelf = thing("Shelf", (-1.0, 1.0, 0.5), (0.6, 0.2, 0.2))
    state = with_more(BOTTLE, shelf)
    body = squeezed(state, state.objects[BOTTLE.object_id], the(state, "Shelf"))
    assert body is not None
    assert body.bounds().top > the(state, "Shelf").extent[1].y
    roof = thing("Shelf", (-1.0, 1.2, 0.5), (0.6, 0.2, 0.2))
    roofed = with_more(BOTTLE, shelf, roof)
    body = squeezed(roofed, roofed.objects[BOTTLE.object_id], the(roofed, "Shelf"))
    assert body is not None
    assert body.bounds().top - body.bottom == pytest.approx(0.08)


def test_a_plunger_stands_upright_in_a_cabinet_with_a_board() -> None:
    plunger = thing("Plunger", (1.4, 0.75, -0.5), (0.15, 0.64, 0.15))
    state = with_more(plunger)
    cabinet = replace(the(state, "Cabinet"), openness=1.0)
    boards = sorted(each.height for each in supports(state.scene, cabinet))
    body = squeezed(state, state.objects[plunger.object_id], cabinet)
    assert body is not None
    assert body.bottom == pytest.approx(boards[0])
    assert boards[-1] < body.bounds().top < cabinet.extent[1].y


def test_newspapers_are_piled_but_no_bread_on_them() -> None:
    papers = [thing("Newspaper", (x, 0.75, -0.5), (0.26, 0.03, 0.2)) for x in (1.3, 1.4)]
    stool = thing("Stool", (-1.0, 0.0, 0.5), (0.3, 0.5, 0.3))
    player = Player(with_more(*papers, stool))
    for paper in papers:
        player.put(paper.object_id, "Stool", forceAction=True)
    low, high = sorted(each.body.bottom for each in all_of(player.state, "Newspaper"))
    assert low == pytest.approx(0.5, abs=0.01)
    assert high == pytest.approx(low + 0.03, abs=0.002)
    player.do("PickupObject", "Bread")
    assert not player.attempt("PutObject", "Stool", forceAction=True).success
