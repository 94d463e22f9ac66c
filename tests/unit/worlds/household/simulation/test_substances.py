"""Dirt, liquids, cooking, breaking, temperature."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.worlds.ai2thor_api.object_types import Trait
from tests.support.household_player import Player
from tests.support.household_scenes import start


@pytest.fixture
def player() -> Player:
    return Player(start())


def test_dirt_comes_and_goes(player: Player) -> None:
    player.do("DirtyObject", "Mug")
    assert player["Mug"].dirty
    assert "already dirty" in player.attempt("DirtyObject", "Mug").error
    player.do("CleanObject", "Mug")
    assert not player["Mug"].dirty
    assert "already clean" in player.attempt("CleanObject", "Mug").error
    assert "not dirtyable" in player.attempt("DirtyObject", "Apple").error


@pytest.mark.parametrize("liquid", ["water", "wine", "coffee"])
def test_a_vessel_is_filled_and_emptied(player: Player, liquid: str) -> None:
    player.do("FillObjectWithLiquid", "Mug", fillLiquid=liquid)
    assert player["Mug"].liquid == liquid
    hot = player["Mug"].temperature.value == "Hot"
    assert hot is (liquid == "coffee")
    assert (
        "already filled" in player.attempt("FillObjectWithLiquid", "Mug", fillLiquid="water").error
    )
    player.do("EmptyLiquidFromObject", "Mug")
    assert player["Mug"].liquid is None
    assert "already empty" in player.attempt("EmptyLiquidFromObject", "Mug").error


def test_a_liquid_has_to_be_one_and_the_vessel_one_too(player: Player) -> None:
    error = player.attempt("FillObjectWithLiquid", "Mug", fillLiquid="tea").error
    assert error == "tea is not a valid Liquid Type"
    error = player.attempt("FillObjectWithLiquid", "Plate", fillLiquid="water").error
    assert "not fillable" in error


def test_a_missing_liquid_is_the_callers_mistake(player: Player) -> None:
    with pytest.raises(ValueError, match="missing the following arguments: fillLiquid"):
        player.do("FillObjectWithLiquid", "Mug")


def test_cooking_by_decree(player: Player) -> None:
    player.do("CookObject", "Potato")
    assert player["Potato"].cooked
    assert "already cooked" in player.attempt("CookObject", "Potato").error
    assert "not cookable" in player.attempt("CookObject", "Apple").error


def test_what_breaks_spills_and_lets_go(player: Player) -> None:
    player.put("Fork", "Mug")
    player.do("FillObjectWithLiquid", "Mug", fillLiquid="water")
    player.do("BreakObject", "Mug")
    mug = player["Mug"]
    assert mug.broken
    assert mug.liquid is None
    assert mug.contents == ()
    assert player["Fork"].parents == (player["DiningTable"].id,)
    assert player["Fork"].body.bottom == pytest.approx(0.75)
    assert "already broken" in player.attempt("BreakObject", "Mug").error
    assert "not breakable" in player.attempt("BreakObject", "Apple").error


def test_nothing_breaks_once_it_was_made_unbreakable(player: Player) -> None:
    player.do("MakeObjectsOfTypeUnbreakable", objectType="Mug")
    assert "unbreakable" in player.attempt("BreakObject", "Mug").error
    player.do("BreakObject", "Plate")
    player.do("MakeAllObjectsUnbreakable")
    assert "unbreakable" in player.attempt("BreakObject", "Bowl").error


def test_hot_things_cool_after_ten_seconds(player: Player) -> None:
    player.do("FillObjectWithLiquid", "Mug", fillLiquid="coffee")
    player.wait(9.8)
    assert player["Mug"].temperature.value == "Hot"
    player.wait(0.3)
    assert player["Mug"].temperature.value != "Hot"


def test_cooling_can_be_set_and_stopped(player: Player) -> None:
    player.do("SetRoomTempDecayTimeForType", objectType="Mug", TimeUntilRoomTemp=30.0)
    player.do("FillObjectWithLiquid", "Mug", fillLiquid="coffee")
    player.wait(29.0)
    assert player["Mug"].temperature.value == "Hot"
    player.do("SetDecayTemperatureBool", allowDecayTemperature=False)
    player.wait(100.0)
    assert player["Mug"].temperature.value == "Hot"
    player.do("SetDecayTemperatureBool", allowDecayTemperature=True)
    assert player["Mug"].temperature.value != "Hot"


def test_a_roll_is_used_up_once(player: Player) -> None:
    assert "not usable" in player.attempt("UseUpObject", "Mug").error
    book = player["Book"]
    usable = replace(book.spec, traits=book.spec.traits | {Trait.USABLE})
    player = Player(player.state.having(replace(book, spec=usable)))
    player.do("UseUpObject", "Book")
    assert player["Book"].used_up
    assert "already used up" in player.attempt("UseUpObject", "Book").error
