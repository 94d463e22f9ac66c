"""Doors, drawers, switches."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.household_player import Player
from tests.support.household_scenes import all_of, start, the


@pytest.fixture
def player() -> Player:
    return Player(start())


def test_a_drawer_carries_what_lies_in_it(player: Player) -> None:
    player.do("OpenObject", "Drawer")
    player.put("Book", "Drawer")
    out = player["Book"].body.center
    player.do("CloseObject", "Drawer")
    shut = player["Book"].body.center
    assert shut.z > out.z + 0.3  # the drawer opens towards -z
    assert (shut.x, shut.y) == pytest.approx((out.x, out.y))
    assert player["Drawer"].body.contains(shut)
    player.do("OpenObject", "Drawer")
    assert (player["Book"].body.center - out).length() < 1e-9


def test_a_drawer_carries_as_far_as_it_opens(player: Player) -> None:
    player.do("OpenObject", "Drawer")
    player.put("Fork", "Drawer", forceAction=True)
    fork = player["Fork"].pose.position
    player.do("OpenObject", "Drawer", openness=0.5)
    half = player["Fork"].pose.position
    player.do("CloseObject", "Drawer")
    shut = player["Fork"].pose.position
    assert (half - fork).z == pytest.approx((shut - half).z)


def test_a_door_leaves_what_stands_on_the_shelves(player: Player) -> None:
    player.do("OpenObject", "Fridge")
    player.put("Apple", "Fridge")
    before = player["Apple"].pose
    player.do("CloseObject", "Fridge")
    assert player["Apple"].pose == before
    assert player["Apple"].parents == (player["Fridge"].id,)


@pytest.mark.parametrize(
    ("action", "target", "arguments", "text"),
    [
        ("OpenObject", "Mug", {}, "Mug|-00.10|+00.75|-01.25 is not an Openable object"),
        ("CloseObject", "Mug", {}, "Mug|-00.10|+00.75|-01.25 is not an Openable object"),
        ("OpenObject", "Fridge", {"openness": 1.5}, "openness must be in [0:1]"),
        ("CloseObject", "Fridge", {}, "object already closed: Fridge|-02.05|+00.00|-01.20"),
        ("OpenObject", "Fridge", {"openness": 0.0}, "object already closed: Fridge"),
        ("ToggleObjectOff", "Toaster", {}, "can't toggle object off if it's already off!"),
        ("ToggleObjectOn", "Apple", {}, "object is not toggleable"),
        ("ToggleObjectOn", "StoveBurner", {}, "target object is controlled by another sim object."),
    ],
)
def test_refusals(
    player: Player, action: str, target: str, arguments: dict[str, Any], text: str
) -> None:
    assert player.attempt(action, target, **arguments).error.startswith(text)


def test_what_is_open_opens_further_but_not_again(player: Player) -> None:
    player.do("OpenObject", "Fridge", openness=0.4)
    assert player["Fridge"].openness == 0.4
    player.do("OpenObject", "Fridge")
    assert player.attempt("OpenObject", "Fridge").error.startswith("object already open")


def test_a_microwave_runs_only_while_shut_and_opens_only_while_off(player: Player) -> None:
    player.do("OpenObject", "Microwave")
    error = player.attempt("ToggleObjectOn", "Microwave").error
    assert error == "Target must be closed to Toggle On!"
    player.do("CloseObject", "Microwave")
    player.do("ToggleObjectOn", "Microwave")
    assert player.attempt("OpenObject", "Microwave").error == "Target must be OFF to open!"
    assert (
        player.attempt("ToggleObjectOn", "Microwave").error
        == "can't toggle object on if it's already on!"
    )


def test_each_knob_lights_its_own_burner(player: Player) -> None:
    first, second = all_of(player.state, "StoveKnob")
    player.do("ToggleObjectOn", second.id)
    assert [each.toggled for each in all_of(player.state, "StoveBurner")] == [False, True]
    player.do("ToggleObjectOn", first.id)
    player.do("ToggleObjectOff", second.id)
    assert [each.toggled for each in all_of(player.state, "StoveBurner")] == [True, False]


def test_the_light_switch_rules_the_rooms_light(player: Player) -> None:
    assert player.state.ceiling_on
    player.do("ToggleObjectOff", "LightSwitch")
    assert not player.state.ceiling_on
    player.do("ToggleObjectOn", "LightSwitch")
    assert player.state.ceiling_on


def test_a_broken_screen_goes_dark_for_good(player: Player) -> None:
    player.do("ToggleObjectOn", "CellPhone")
    player.do("BreakObject", "CellPhone")
    assert not player["CellPhone"].toggled
    assert "broken" in player.attempt("ToggleObjectOn", "CellPhone").error
    player.do("PickupObject", "CellPhone")


def test_what_is_closed_around_things_hides_them_only_from_sight(player: Player) -> None:
    player.do("OpenObject", "Fridge")
    player.put("Apple", "Fridge")
    player.do("CloseObject", "Fridge")
    assert the(player.state, "Fridge").contents == (player["Apple"].id,)
