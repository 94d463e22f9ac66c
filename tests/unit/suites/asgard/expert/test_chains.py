"""The skills, each from a room where it is needed to what it is to bring about."""

from __future__ import annotations

import pytest

from env_service.suites.asgard.expert.cleaning import bring_about, wash
from env_service.suites.asgard.expert.cooking import slice_food
from env_service.suites.asgard.expert.play import StuckError
from env_service.suites.asgard.expert.transport import store
from env_service.suites.asgard.plan import (
    ContentsGoal,
    EventGoal,
    Goal,
    LocationGoal,
    PutAwayGoal,
    RequiredEvent,
    State,
    StateGoal,
)
from env_service.suites.asgard.rules import UPSTREAM
from tests.unit.suites.asgard.expert.kitchen import (
    COUNTER,
    FRIDGE,
    KNOB,
    SINK,
    STOVE,
    TABLE,
    house,
    mug,
    play_in,
    solve_in,
    texts,
)
from tests.unit.suites.asgard.expert.toy_house import fixture, item

PLATE = item("Plate", COUNTER, dirtyable=True)
PAN = item("Pan", COUNTER, dirtyable=True)
BOWL = item("Bowl", COUNTER, dirtyable=True)
KNIFE = item("Knife", COUNTER)
SPONGE = item("DishSponge", COUNTER)
DRUNK = EventGoal(RequiredEvent.DRINK_COFFEE)
MUG_CLEAN = StateGoal("Mug", State.DIRTY, value=False)
MUG_EMPTY = StateGoal("Mug", State.FILLED, value=False)
EGG_COOKED = StateGoal("Egg", State.COOKED, value=True)


def test_water_alone_washes_where_it_does() -> None:
    actor = house(mug(isDirty=True), SPONGE)
    play = play_in(actor)
    wash(play, ["Mug"])
    assert not actor.the("Mug")["isDirty"]
    assert not actor.the("Faucet")["isToggled"]
    assert "PICKUP DishSponge" not in [each.text for each in play.steps]


def test_the_sponge_washes_what_water_does_not() -> None:
    actor = house(mug(isDirty=True), SPONGE, water_cleans=False)
    wash(play_in(actor), ["Mug"])
    assert not actor.the("Mug")["isDirty"]
    assert not actor.the("Mug")["isFilledWithLiquid"]


def test_two_dishes_are_washed_under_one_run_of_water() -> None:
    actor = house({**PLATE, "isDirty": True}, {**PAN, "isDirty": True})
    play = play_in(actor)
    wash(play, ["Pan", "Plate"])
    assert not actor.the("Pan")["isDirty"]
    assert not actor.the("Plate")["isDirty"]
    assert [each.text for each in play.steps].count("TOGGLE_ON Faucet") == 1


def test_food_is_taken_out_of_the_sink_before_the_water_runs() -> None:
    actor = house(mug(isDirty=True), item("Egg", SINK))
    wash(play_in(actor), ["Mug"])
    assert not actor.inside("Egg", "SinkBasin")
    assert not actor.the("Mug")["isDirty"]


def test_food_is_taken_out_of_a_dish_that_is_washed() -> None:
    bowl = {**BOWL, "isDirty": True}
    actor = house(bowl, item("Apple", bowl))
    wash(play_in(actor), ["Bowl"])
    assert not actor.inside("Apple", "Bowl")
    assert not actor.the("Bowl")["isDirty"]


def test_without_a_sink_nothing_is_washed() -> None:
    actor = house(mug(isDirty=True))
    del actor.objects["SinkBasin"]
    with pytest.raises(StuckError):
        wash(play_in(actor), ["Mug"])


def test_food_is_laid_on_a_surface_to_be_sliced() -> None:
    actor = house(item("Apple", SINK), KNIFE)
    slice_food(play_in(actor), "Apple")
    assert actor.view.of_type("AppleSliced")


def test_what_is_sliced_is_not_sliced_again() -> None:
    actor = house(item("Apple", COUNTER), KNIFE)
    play = play_in(actor)
    slice_food(play, "Apple")
    before = len(play.steps)
    slice_food(play, "Apple")
    assert len(play.steps) == before


def test_an_egg_is_fried_in_a_clean_pan_and_served() -> None:
    goals: list[Goal] = [LocationGoal("EggCracked", "Plate"), EGG_COOKED]
    actor = house({**PAN, "isDirty": True}, PLATE, item("Egg", FRIDGE), KNOB)
    attempt = solve_in(actor, goals)
    assert attempt.won
    assert attempt.is_flawless
    assert texts(attempt)[-1] == "PUT Plate"


def test_a_slice_of_potato_is_fried_and_served() -> None:
    goals: list[Goal] = [
        LocationGoal("PotatoSliced", "Plate"),
        StateGoal("PotatoSliced", State.COOKED, value=True),
        StateGoal("StoveKnob", State.TOGGLED, value=False),
    ]
    pan = item("Pan", STOVE, dirtyable=True)
    actor = house(pan, PLATE, item("Potato", COUNTER), KNIFE)
    assert solve_in(actor, goals).is_flawless
    assert not actor.the("StoveKnob")["isToggled"]


def test_toast_is_served_on_a_plate_that_is_washed_first() -> None:
    goals: list[Goal] = [
        LocationGoal("BreadSliced", "Plate"),
        StateGoal("Bread", State.COOKED, value=True),
        StateGoal("Plate", State.DIRTY, value=False),
    ]
    actor = house({**PLATE, "isDirty": True}, item("Bread", COUNTER), KNIFE)
    assert solve_in(actor, goals).is_flawless


def test_a_potato_is_cooked_in_the_microwave_which_is_closed_again() -> None:
    goals: list[Goal] = [
        LocationGoal("Potato", "Bowl"),
        StateGoal("Potato", State.COOKED, value=True),
        StateGoal("Microwave", State.OPEN, value=False),
    ]
    actor = house(BOWL, item("Potato", COUNTER))
    assert solve_in(actor, goals).is_flawless
    assert not actor.the("Microwave")["isOpen"]


def test_coffee_is_brewed_and_drunk_and_the_mug_washed_and_put_away() -> None:
    goals: list[Goal] = [DRUNK, MUG_CLEAN, MUG_EMPTY, PutAwayGoal("Mug")]
    actor = house(mug(isDirty=True))
    assert solve_in(actor, goals).is_flawless
    assert actor.inside("Mug", "Cabinet")


def test_coffee_that_is_there_is_drunk_as_it_is() -> None:
    actor = house(mug(isFilledWithLiquid=True, fillLiquid="coffee"))
    attempt = solve_in(actor, [DRUNK])
    assert texts(attempt) == ["FIND Mug", "PICKUP Mug", "DRINK Mug"]


def test_water_in_the_mug_gives_way_to_coffee() -> None:
    actor = house(mug(isFilledWithLiquid=True, fillLiquid="water"))
    assert "EMPTY Mug" in texts(solve_in(actor, [DRUNK]))


def test_what_has_several_homes_goes_to_the_one_at_hand() -> None:
    actor = house(item("Pot", TABLE, visible=True))
    play = play_in(actor, rules=UPSTREAM)
    store(play, "Pot")
    assert actor.inside("Pot", "CounterTop") or actor.inside("Pot", "DiningTable")


def test_what_has_no_home_here_cannot_be_put_away() -> None:
    with pytest.raises(StuckError, match="no home"):
        store(play_in(house(KNIFE)), "Knife")


def test_food_that_is_put_away_leaves_the_fridge_closed() -> None:
    closed = StateGoal("Fridge", State.OPEN, value=False)
    actor = house(item("Apple", COUNTER), item("Egg", TABLE))
    attempt = solve_in(actor, [PutAwayGoal("Apple"), PutAwayGoal("Egg"), closed])
    assert attempt.is_flawless
    assert texts(attempt).count("OPEN Fridge") == 1


def test_each_dish_gets_a_piece_of_its_own() -> None:
    goals: list[Goal] = [LocationGoal("AppleSliced", each) for each in ("Plate", "Bowl", "Pan")]
    actor = house(item("Apple", COUNTER), KNIFE, PLATE, BOWL, PAN)
    actor_goals = house(*actor.objects.values(), goals=goals)
    assert solve_in(actor_goals, goals).is_flawless


def test_the_table_is_set_and_cleared() -> None:
    goals: list[Goal] = [
        LocationGoal("BreadSliced", "Plate"),
        StateGoal("Mug", State.FILLED, value=True),
        StateGoal("Bread", State.COOKED, value=True),
        ContentsGoal("DiningTable", ("Mug", "Plate", "BreadSliced")),
    ]
    clutter = [item("Egg", TABLE), item("Book", TABLE), item("Knife", TABLE)]
    actor = house(mug(isDirty=True), PLATE, item("Bread", TABLE), *clutter)
    assert solve_in(actor, goals, most_steps=120).is_flawless
    assert not actor.inside("Egg", "DiningTable")


def test_a_mirror_is_sprayed_then_wiped() -> None:
    mirror = fixture("Mirror", 30.0, isDirty=True, receptacle=False)
    goals: list[Goal] = [
        EventGoal(RequiredEvent.SPRAY_MIRROR),
        StateGoal("Mirror", State.DIRTY, value=False),
    ]
    actor = house(mirror, item("SprayBottle", COUNTER), item("Cloth", TABLE))
    attempt = solve_in(actor, goals)
    assert attempt.is_flawless
    assert texts(attempt).index("SPRAY Mirror") < texts(attempt).index("CLEAN Mirror")


def test_a_television_is_switched_on_with_the_remote_control() -> None:
    television = fixture("Television", 30.0, receptacle=False, toggleable=True)
    goals: list[Goal] = [StateGoal("Television", State.TOGGLED, value=True)]
    attempt = solve_in(house(television, item("RemoteControl", TABLE)), goals)
    assert texts(attempt)[-3:] == [
        "PICKUP RemoteControl",
        "FIND Television",
        "TOGGLE_ON Television",
    ]


def test_a_burner_that_is_on_is_switched_off_though_no_agent_knows_its_knob() -> None:
    actor = house()
    actor.the("StoveKnob")["isToggled"] = True
    play = play_in(actor)
    bring_about(play, StateGoal("StoveKnob", State.TOGGLED, value=False))
    assert [each.text for each in play.steps][-1] == "TOGGLE_OFF StoveBurner"


def test_raw_food_that_is_locked_in_its_dirty_dish_is_washed_and_cooked_in_it() -> None:
    goals: list[Goal] = [
        LocationGoal("Potato", "Bowl"),
        StateGoal("Potato", State.COOKED, value=True),
        StateGoal("Bowl", State.DIRTY, value=False),
        StateGoal("Faucet", State.TOGGLED, value=False),
    ]
    bowl = {**BOWL, "isDirty": True}
    actor = house(bowl, item("Potato", bowl), goals=goals, rules=UPSTREAM)
    assert solve_in(actor, goals, rules=UPSTREAM).won
    assert actor.inside("Potato", "Bowl")
