from __future__ import annotations

import pytest

from env_service.suites.alfred.rules import EXACT, STRICT_LOTA, Rules
from env_service.suites.alfred.skills.steps import SkillResult
from tests.unit.suites.alfred.skills.paper_world import PaperWorld, place, thing
from tests.unit.suites.alfred.skills.playing import UNSEEN, does, robot


def test_the_nearest_visible_one_outside_closed_things_is_meant():
    shut = thing("Mug", (0.5, 0.9, 1.0))
    hidden = thing("Mug", (1.0, 0.9, 1.0), visible=False)
    open_ = thing("Mug", (3.0, 0.9, 1.0))
    box = place("Cabinet", (0.5, 0.9, 1.0), shut, openable=True)
    world = PaperWorld([box, shut, hidden, open_])
    assert does(robot(world), "pick up the mug").object_id == open_["objectId"]


def test_what_lies_on_a_toilets_closed_lid_is_in_reach():
    roll, far = thing("ToiletPaper", (1.0, 0.9, 1.0)), thing("ToiletPaper", (3.0, 0.9, 1.0))
    toilet = place("Toilet", (1.0, 0.9, 1.0), roll, openable=True)
    world = PaperWorld([toilet, roll, far])
    assert does(robot(world), "pick up the toilet paper").object_id == roll["objectId"]


def test_a_burner_that_is_taken_comes_last():
    pot = thing("Pot", (1.0, 0.9, 1.0))
    full = place("StoveBurner", (1.0, 0.9, 1.0), pot)
    free = place("StoveBurner", (3.0, 0.9, 1.0))
    world = PaperWorld([full, free, pot])
    assert does(robot(world), "find a stove burner").object_id == free["objectId"]


def test_types_that_the_world_calls_otherwise_are_found():
    bottle = thing("Bottle", (1.0, 0.9, 1.0))
    player = robot(PaperWorld([bottle]), Glassbottle="Bottle")
    assert does(player, "find a glassbottle", "pick up the glassbottle").worked


def test_slices_answer_to_the_name_of_the_whole():
    whole = thing("Apple", (0.0, 0.9, 0.8), sliceable=True)
    player = robot(PaperWorld([whole]))
    taken = does(player, "slice the apple", "find an apple", "pick up the apple")
    assert taken.object_id == f"{whole['objectId']}|AppleSliced_0"


def _with_slices_before(rules: Rules) -> SkillResult:
    whole, piece = thing("Apple", (0, 0.9, 0.5)), thing("Apple", (0, 0.9, 0.9))
    piece.update(objectType="AppleSliced", objectId=f"{piece['objectId']}|AppleSliced_0")
    bread = thing("Bread", (0, 0.9, 0.7))
    world = PaperWorld([whole, piece, bread], refused={"SliceObject": UNSEEN})
    return does(robot(world, rules), "slice the bread", "pick up the apple")


def test_a_try_to_slice_makes_lota_bench_prefer_any_slices():
    assert _with_slices_before(EXACT).object_id.count("|") == 3
    assert _with_slices_before(STRICT_LOTA).object_id.endswith("AppleSliced_0")


@pytest.mark.parametrize(("rules", "swapped"), [(EXACT, False), (STRICT_LOTA, True)])
def test_what_was_washed_is_picked_up_again(rules, swapped):
    sink = place("Sink", (1.0, 0.9, 1.0))
    basin = place("SinkBasin", (1.0, 0.8, 1.0), objectId=f"{sink['objectId']}|SinkBasin")
    tap = thing("Faucet", (1.0, 1.0, 1.0), toggleable=True, pickupable=False)
    mug, other = thing("Mug", (0.0, 0.9, 0.5)), thing("Mug", (1.0, 0.9, 0.3))
    player = robot(PaperWorld([sink, basin, tap, mug, other]), rules)
    wash = ("find a sink", "put down the mug", "find a faucet", "turn on the faucet")
    taken = does(player, "pick up the mug", *wash, "find a mug", "pick up the mug")
    assert player.marks.cleaned == {mug["objectId"]}
    assert (taken.object_id == other["objectId"]) is swapped


@pytest.mark.parametrize(("rules", "placed"), [(EXACT, 2), (STRICT_LOTA, 1)])
def test_two_of_a_type_are_placed_together(rules, placed):
    near, far = place("Sofa", (2.0, 0.5, 1.0)), place("Sofa", (0.0, 0.5, 1.0))
    first, second = thing("Book", (2.5, 0.5, 0.5)), thing("Book", (0.5, 0.5, 0.5), visible=False)
    world = PaperWorld([near, far, first, second], place=(2.0, 0.9, 0.0))
    bring = ("find a book", "pick up the book", "find a sofa", "put down the book")
    player = robot(world, rules)
    # the second lies by the other sofa, which the robot would come by
    assert does(player, *bring).receptacle_id == near["objectId"]
    does(player, *bring)
    assert len(world.item(near["objectId"])["receptacleObjectIds"]) == placed


@pytest.mark.parametrize(("rules", "same"), [(EXACT, True), (STRICT_LOTA, False)])
def test_the_cabinet_that_was_found_is_the_one_that_is_opened(rules, same):
    found = place("Cabinet", (1.0, 0.3, 0.9), openable=True)
    nearer = place("Cabinet", (1.0, 1.0, 0.5), openable=True)
    nearer["visible"] = False
    player = robot(PaperWorld([found, nearer]), rules)
    opened = does(player, "find a cabinet", "open the cabinet")
    assert (opened.object_id == found["objectId"]) is same


def test_a_held_cup_is_no_place_to_put_it():
    held, other = thing("Cup", (0, 0.9, 0.3)), place("Cup", (3.0, 0.9, 1.0))
    player = robot(PaperWorld([held, other]))
    assert does(player, "pick up the cup", "find a cup").object_id == other["objectId"]


@pytest.mark.parametrize(("rules", "sliced"), [(EXACT, True), (STRICT_LOTA, False)])
def test_after_slicing_the_slices_are_meant_even_where_a_whole_one_is_nearer(rules, sliced):
    cut, whole = thing("Tomato", (3.0, 0.9, 0.5)), thing("Tomato", (0.5, 0.9, 0.5), visible=False)
    world = PaperWorld([cut, whole], place=(3.0, 0.9, 0.0))
    player = robot(world, rules)
    does(player, "slice the tomato")
    for each in world.items:
        each["visible"] = each is whole
    world.step("Pass")
    assert (does(player, "find a tomato").object_id != whole["objectId"]) is sliced


@pytest.mark.parametrize(("rules", "same"), [(EXACT, True), (STRICT_LOTA, False)])
def test_the_second_goes_into_the_drawer_where_the_first_went(rules, same):
    used = place("Drawer", (0.0, 0.9, 0.5), openable=True)
    nearer = place("Drawer", (3.0, 0.9, 0.5), openable=True)
    first, second = thing("Fork", (0.0, 0.9, 0.3)), thing("Fork", (3.0, 0.9, 0.3))
    player = robot(PaperWorld([used, nearer, first, second]), rules)
    put = ("find a drawer", "open the drawer", "put down the fork")
    does(player, "pick up the fork", *put, "close the drawer", "find a fork", "pick up the fork")
    assert (does(player, *put).receptacle_id == used["objectId"]) is same


@pytest.mark.parametrize(("rules", "same"), [(EXACT, True), (STRICT_LOTA, False)])
def test_with_a_knife_in_hand_the_apple_that_was_put_down_is_meant(rules, same):
    apple, other = thing("Apple", (0.0, 0.9, 0.5)), thing("Apple", (3.0, 0.9, 0.9), visible=False)
    knife, home = thing("Knife", (3.0, 0.9, 0.4)), place("Pot", (0.0, 0.9, 0.6))
    world = PaperWorld([apple, other, knife, home])
    player = robot(world, rules)
    does(player, "pick up the apple", "find a pot", "put down the apple")
    does(player, "find a knife", "pick up the knife")
    world.item(apple["objectId"]).update(visible=False)
    world.step("Teleport", position={"x": 3.0, "y": 0.9, "z": 0.0}, rotation={"y": 0.0}, horizon=0)
    assert (does(player, "find an apple").object_id == apple["objectId"]) is same


@pytest.mark.parametrize(("rules", "meant"), [(EXACT, "low"), (STRICT_LOTA, "high")])
def test_the_door_behind_which_the_found_thing_lies_is_opened(rules, meant):
    mug = thing("Mug", (3.0, 0.3, 1.0), visible=False)
    low = place("Drawer", (3.0, 0.3, 1.0), mug, openable=True)
    high = place("Drawer", (3.0, 0.9, 1.0), openable=True)
    player = robot(PaperWorld([high, low, mug]), rules)
    opened = does(player, "find a mug", "open the drawer")
    assert opened.object_id == {"low": low, "high": high}[meant]["objectId"]
