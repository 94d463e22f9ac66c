"""What follows by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import StartState
from env_service.worlds.household.simulation.contextual_rules import settle
from env_service.worlds.household.state import HouseholdState
from tests.support.household_player import Player
from tests.support.household_scenes import TABLE_TOP, kitchen, start
from tests.support.small_home import thing


@pytest.fixture
def player() -> Player:
    return Player(start())


def test_water_fills_washes_and_stands_in_the_basin(player: Player) -> None:
    for dish in ("Mug", "Bowl"):
        player.do("DirtyObject", dish)
        player.put(dish, "SinkBasin")
    player.do("ToggleObjectOn", "Faucet")
    for dish in ("Mug", "Bowl"):
        assert not player[dish].dirty
        assert player[dish].liquid == "water"
    assert player["SinkBasin"].liquid == "water"
    player.do("ToggleObjectOff", "Faucet")
    assert player["SinkBasin"].liquid is None
    assert player["Mug"].liquid == "water"


def test_water_meets_what_comes_while_it_runs(player: Player) -> None:
    player.do("ToggleObjectOn", "Faucet")
    player.do("DirtyObject", "Plate")
    player.do("PickupObject", "Plate")
    assert player["Plate"].dirty
    player.do("PutObject", "SinkBasin")
    assert not player["Plate"].dirty
    player.do("DirtyObject", "Plate")
    assert not player["Plate"].dirty


def test_water_does_not_mix_with_coffee(player: Player) -> None:
    player.do("FillObjectWithLiquid", "Mug", fillLiquid="coffee")
    player.put("Mug", "SinkBasin")
    player.do("ToggleObjectOn", "Faucet")
    assert player["Mug"].liquid == "coffee"


def test_water_leaves_the_counter_dry(player: Player) -> None:
    player.do("DirtyObject", "Mug")
    player.put("Mug", "CounterTop")
    player.do("ToggleObjectOn", "Faucet")
    assert player["Mug"].dirty
    assert player["Mug"].liquid is None


def test_a_held_thing_under_the_stream_gets_wet() -> None:
    at_sink = replace(start().agent, position=Vec3(-1.9, 0.901, 1.0))
    player = Player(replace(start(), agent=at_sink))
    player.do("ToggleObjectOn", "Faucet")
    player.do("DirtyObject", "Mug")
    player.do("PickupObject", "Mug")
    assert player["Mug"].dirty
    player.do("MoveHeldObject", ahead=0.22, up=-0.36)
    assert not player["Mug"].dirty
    assert player["Mug"].liquid == "water"


def test_a_tilted_vessel_spills(player: Player) -> None:
    player.do("FillObjectWithLiquid", "Mug", fillLiquid="water")
    player.do("PickupObject", "Mug")
    assert player["Mug"].liquid == "water"
    player.do("RotateHeldObject", rotation={"x": 0.0, "y": 0.0, "z": 45.0})
    assert player["Mug"].liquid == "water"
    player.do("RotateHeldObject", rotation={"x": 0.0, "y": 0.0, "z": 90.0})
    assert player["Mug"].liquid is None


def test_a_coffee_machine_fills_the_empty_mug(player: Player) -> None:
    player.put("Mug", "CoffeeMachine")
    player.do("ToggleObjectOn", "CoffeeMachine")
    assert player["Mug"].liquid == "coffee"
    assert player["Mug"].temperature.value == "Hot"


def test_a_coffee_machine_leaves_a_full_mug_as_it_is(player: Player) -> None:
    player.do("FillObjectWithLiquid", "Mug", fillLiquid="water")
    player.put("Mug", "CoffeeMachine")
    player.do("ToggleObjectOn", "CoffeeMachine")
    assert player["Mug"].liquid == "water"


def test_a_burner_heats_the_pan_and_cooks_what_is_in_it(player: Player) -> None:
    player.put("Potato", "Pan")
    player.put("Pan", "StoveBurner")
    assert not player["Potato"].cooked
    player.do("ToggleObjectOn", "StoveKnob")
    assert player["Pan"].temperature.value == "Hot"
    assert player["Potato"].cooked
    assert player["Potato"].temperature.value == "Hot"
    player.do("ToggleObjectOff", "StoveKnob")
    player.wait(11.0)
    assert player["Pan"].temperature.value == "RoomTemp"
    assert player["Potato"].cooked


def test_a_microwave_heats_everything_and_cooks_potatoes(player: Player) -> None:
    player.do("OpenObject", "Microwave")
    player.put("Potato", "Microwave")
    player.do("CloseObject", "Microwave")
    player.do("ToggleObjectOn", "Microwave")
    assert player["Potato"].cooked
    player.do("ToggleObjectOff", "Microwave")
    player.do("OpenObject", "Microwave")
    player.do("PickupObject", "Potato")
    assert player["Potato"].temperature.value == "Hot"


def test_a_microwave_only_warms_an_apple(player: Player) -> None:
    player.do("OpenObject", "Microwave")
    player.put("Apple", "Microwave")
    player.do("CloseObject", "Microwave")
    player.do("ToggleObjectOn", "Microwave")
    assert player["Apple"].temperature.value == "Hot"
    assert not player["Apple"].cooked


def test_a_toaster_browns_its_slices(player: Player) -> None:
    player.do("SliceObject", "Bread")
    player.put("BreadSliced", "Toaster")
    player.do("ToggleObjectOn", "Toaster")
    assert player["BreadSliced"].cooked
    assert player["Toaster"].id in (player["BreadSliced"].parents or ())


def test_a_fridge_cools(player: Player) -> None:
    player.do("OpenObject", "Fridge")
    player.put("Apple", "Fridge")
    assert player["Apple"].temperature.value == "Cold"
    player.do("PickupObject", "Apple")
    player.wait(11.0)
    assert player["Apple"].temperature.value == "RoomTemp"


def test_heat_follows_cold(player: Player) -> None:
    player.do("FillObjectWithLiquid", "Mug", fillLiquid="coffee")
    player.do("OpenObject", "Fridge")
    player.put("Mug", "Fridge")
    assert player["Mug"].temperature.value == "Cold"


def test_a_candle_goes_out_in_water(player: Player) -> None:
    player.do("ToggleObjectOn", "Candle")
    player.put("Candle", "SinkBasin", forceAction=True)
    assert player["Candle"].toggled
    player.do("ToggleObjectOn", "Faucet")
    assert not player["Candle"].toggled


def test_a_candle_catches_fire_from_another() -> None:
    thin = thing("Candle", (1.4, TABLE_TOP, -0.5), (0.03, 0.1, 0.03))
    player = Player(HouseholdState.at_start(kitchen(thin)))
    player.do("ToggleObjectOn", "Candle")
    assert not player[thin.object_id].toggled
    beside = player["Candle"].pose.position + Vec3(0.05, 0.0, 0.0)
    player.do("PlaceObjectAtPoint", thin.object_id, position=beside.to_json())
    assert player[thin.object_id].toggled


def test_the_rules_change_nothing_twice(player: Player) -> None:
    player.put("Potato", "Pan")
    player.put("Pan", "StoveBurner")
    for switch in ("StoveKnob", "Faucet", "CoffeeMachine"):
        player.do("ToggleObjectOn", switch)
    once = settle(player.state)
    assert once == player.state


def test_what_nothing_happens_to_stays_the_same_object(player: Player) -> None:
    before = player.state.objects
    player.do("ToggleObjectOn", "Faucet")
    changed = {key for key, item in player.state.objects.items() if item is not before[key]}
    assert changed == {player.id("Faucet"), player.id("SinkBasin")}


def test_a_shower_wets_the_tub_below() -> None:
    tub = thing("Bathtub", (-0.5, 0.0, 0.3), (0.8, 0.55, 1.5))
    head = thing("ShowerHead", (-0.5, 1.9, 0.3), (0.1, 0.1, 0.2))
    cloth = thing("Cloth", (-0.5, 0.6, 0.95), (0.1, 0.02, 0.1), start=StartState(dirty=True))
    player = Player(HouseholdState.at_start(kitchen(tub, head, cloth)))
    assert player["Cloth"].dirty
    player.do("ToggleObjectOn", "ShowerHead")
    assert player["Bathtub"].liquid == "water"
