"""Picking up and putting down."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from env_service.worlds.household.geometry import Rotation
from env_service.worlds.household.simulation.action import ErrorCode
from env_service.worlds.household.state import HouseholdState
from tests.support.household_player import Player
from tests.support.household_scenes import start, the
from tests.support.small_home import home, thing
from tests.support.turns import Told


@pytest.fixture
def player() -> Player:
    return Player(start())


def test_a_picked_up_object_is_in_hand_and_nowhere_else(player: Player) -> None:
    result = player.do("PickupObject", "Mug")
    assert result.value == player["Mug"].id == player.state.held
    assert player["Mug"].held
    assert player["Mug"].parents is None
    assert player["Mug"].id not in (player["DiningTable"].contents or ())


def test_a_held_object_hangs_before_the_camera_upright(player: Player) -> None:
    player.do("PickupObject", "Mug")
    mug = player["Mug"]
    assert mug.pose.position.tuple() == pytest.approx((0.0, 0.901 + 0.675 - 0.16, 0.38))
    assert mug.euler.tuple() == pytest.approx((0.0, 0.0, 0.0))
    player.do("LookDown")
    player.do("RotateRight")
    assert player["Mug"].euler.tuple() == pytest.approx((0.0, 90.0, 0.0), abs=1e-6)


def test_a_held_object_moves_with_the_agent_and_its_view(player: Player) -> None:
    player.do("PickupObject", "Mug")
    player.do("RotateRight")
    assert player["Mug"].body.center.x == pytest.approx(0.38)
    player.do("LookDown")
    assert player["Mug"].body.center.y < 0.901 + 0.675 - 0.16 - 0.1


def test_what_lies_in_a_dish_comes_along_and_goes_with_it(player: Player) -> None:
    player.put("Apple", "Plate")
    player.do("PickupObject", "Plate")
    assert player["Apple"].in_hand_of == player["Plate"].id
    assert player["Apple"].parents == (player["Plate"].id,)
    apple = player["Apple"].body.center - player["Plate"].body.center
    player.do("RotateRight")
    player.do("PutObject", "CounterTop")
    turned = player["Apple"].body.center - player["Plate"].body.center
    assert turned.length() == pytest.approx(apple.length())
    assert player["Apple"].in_hand_of is None
    assert set(player["Apple"].parents or ()) == {player["Plate"].id, player["CounterTop"].id}
    assert player["Apple"].id in (player["CounterTop"].contents or ())


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("Nothing|+00.00|+00.00|+00.00", "is not the objectId on any object in the scene!"),
        ("Fridge", "must have the property CanPickup to be picked up."),
    ],
)
def test_what_cannot_be_picked_up_says_why(player: Player, target: str, text: str) -> None:
    result = player.attempt("PickupObject", target)
    assert text in result.error
    assert result.code is None
    assert result.state is player.state


def test_an_unknown_id_is_an_ordinary_refusal(player: Player) -> None:
    error = player.attempt("PickupObject", "Mug|1|2|3").error
    assert error == "objectId: Mug|1|2|3 is not the objectId on any object in the scene!"
    assert player.last.code is not ErrorCode.INVALID_ARGUMENT


def test_the_hand_takes_one_thing(player: Player) -> None:
    player.do("PickupObject", "Mug")
    error = player.attempt("PickupObject", "Apple").error
    assert error == "Agent hand has something in it already! Can't pick up anything else"


def test_what_is_not_seen_is_not_picked_up_unless_forced(player: Player) -> None:
    error = player.attempt("PickupObject", "Mug", sight=Told()).error
    assert error == "Target object not found within the specified visibility."
    assert player.attempt("PickupObject", "Mug", sight=Told(), forceAction=True).success


def test_visibility_is_asked_before_the_hand(player: Player) -> None:
    player.do("PickupObject", "Mug")
    assert "visibility" in player.attempt("PickupObject", "Apple", sight=Told()).error


def test_a_target_can_be_a_point_of_the_picture(player: Player) -> None:
    mug = player.id("Mug")
    assert player.attempt("PickupObject", sight=Told(mug, at=mug), x=0.5, y=0.5).success
    assert player.state.held == mug


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"x": 0.5, "y": 1.5}, "x/y must be in [0:1]"),
        ({"x": 0.5, "y": 0.5}, "No SimObject found at (x: 0.5, y: 0.5)"),
        ({}, "Give either objectId or both x and y."),
    ],
)
def test_a_point_without_an_object_is_refused(
    player: Player, arguments: dict[str, Any], text: str
) -> None:
    assert player.attempt("PickupObject", sight=Told(), **arguments).error == text


def test_an_object_picked_up_by_hand_stays_where_it_is(player: Player) -> None:
    before = player["Mug"].pose
    player.do("PickupObject", "Mug", manualInteract=True)
    assert (player["Mug"].pose.position - before.position).length() < 1e-9
    player.do("RotateRight")
    assert (player["Mug"].pose.position - before.position).length() > 0.5


@pytest.mark.parametrize(
    ("item", "receptacle", "text"),
    [
        ("Mug", "Book", "This target object is NOT a receptacle!"),
        ("Mug", "Fridge", "Target openable Receptacle is CLOSED, can't place if target is not"),
        ("Mug", "StoveBurner", "is not a valid Object Type to be placed in StoveBurner"),
        ("Apple", "Toaster", "is not a valid Object Type to be placed in Toaster"),
        ("Book", "Fridge", "Target openable Receptacle is CLOSED"),
        ("CellPhone", "Bowl", "cannot be placed in Bowl"),
        ("Mug", "Mug", "Can't place an object in itself"),
    ],
)
def test_what_cannot_be_put_somewhere_says_why(
    player: Player, item: str, receptacle: str, text: str
) -> None:
    player.do("PickupObject", item)
    assert text in player.attempt("PutObject", receptacle).error
    assert player.state.held == player.id(item)


def test_nothing_in_hand_cannot_be_put(player: Player) -> None:
    error = player.attempt("PutObject", "CounterTop").error
    assert error == "Can't place an object if Agent isn't holding anything"


def test_force_puts_what_the_table_forbids_but_not_into_what_is_closed(player: Player) -> None:
    player.do("PickupObject", "CellPhone")
    assert "CLOSED" in player.attempt("PutObject", "Fridge", forceAction=True).error
    assert "valid Object Type" in player.attempt("PutObject", "Toaster", forceAction=True).error
    player.do("PutObject", "Bowl", forceAction=True)
    assert player["Bowl"].id in (player["CellPhone"].parents or ())


def test_a_thing_is_put_on_the_near_side_and_stands_on_the_surface(player: Player) -> None:
    player.put("Mug", "CounterTop")
    body = player["Mug"].body
    assert body.bottom == pytest.approx(0.91)
    assert body.center.z < 1.4
    assert abs(body.center.x) < 0.1
    assert player["Mug"].parents == (player["CounterTop"].id,)


@pytest.mark.parametrize(("item", "receptacle"), [("Pan", "StoveBurner"), ("Mug", "CoffeeMachine")])
def test_a_place_for_one_thing_takes_one(player: Player, item: str, receptacle: str) -> None:
    other = {"StoveBurner": "Pot", "CoffeeMachine": "Mug"}[receptacle]
    player.put(item, receptacle)
    assert player[receptacle].contents == (player[item].id,)
    if other != item:
        player.do("PickupObject", other)
        error = player.attempt("PutObject", receptacle).error
        assert error == f"{player[receptacle].spec.name} is full right now!"


def test_a_mug_in_the_coffee_machine_stands_on_the_counter_too(player: Player) -> None:
    player.put("Mug", "CoffeeMachine")
    parents = player["Mug"].parents
    assert parents == (player["CounterTop"].id, player["CoffeeMachine"].id)
    machine = player["CoffeeMachine"].body
    assert player["Mug"].body.center.z < machine.center.z  # its front looks to -z


def test_a_pan_stands_over_the_middle_of_its_burner(player: Player) -> None:
    player.put("Pan", "StoveBurner")
    burner, pan = the(player.state, "StoveBurner").body, player["Pan"].body
    assert pan.bottom == pytest.approx(burner.top)
    # the handle sticks out: the middle of the box is beside the middle of the vessel
    assert (pan.center - burner.center).length() < 0.15


def test_a_full_vessel_refuses(player: Player) -> None:
    player.put("Bread", "Plate")
    player.do("PickupObject", "Apple")
    error = player.attempt("PutObject", "Plate").error
    assert error == "No valid positions to place object found"


def test_cutlery_stands_in_a_mug(player: Player) -> None:
    player.put("Fork", "Mug")
    fork, mug = player["Fork"].body, player["Mug"].body
    assert fork.top > mug.top + 0.05
    assert fork.bottom >= mug.bottom
    assert set(player["Fork"].parents or ()) == {player["Mug"].id, player["DiningTable"].id}


def test_seconds_pass_with_an_action(player: Player) -> None:
    player.do("PickupObject", "Mug")
    assert player.state.seconds == pytest.approx(0.1)


def test_what_is_put_into_a_sink_lies_in_its_basin(player: Player) -> None:
    player.put("Apple", "Sink")
    assert player["Apple"].parents == (player["SinkBasin"].id,)
    assert player["Apple"].body.bottom < 0.85


def test_what_toasts_sticks_out_of_the_toaster_even_the_heel(player: Player) -> None:
    player.do("SliceObject", "Bread")
    heel = next(key for key in player.state.objects if key.endswith("|BreadSliced_0"))
    player.put(heel, "Toaster")
    assert player[heel].extent[1].y > player["Toaster"].extent[1].y + 0.01


def test_what_is_put_into_a_deep_basin_is_not_behind_its_near_wall() -> None:
    basin = thing("BathtubBasin", (0.0, 0.3, 0.9), (1.2, 0.6, 0.8))
    sponge = thing("DishSponge", (0.0, 0.0, -0.5), (0.1, 0.03, 0.07))
    player = Player(HouseholdState.at_start(home(basin, sponge, at=(0.0, 0.0))))
    player.put("DishSponge", "BathtubBasin")
    eye, rim, middle = 1.576, 0.9, player["DishSponge"].body.center
    edge = 0.5  # where the near wall stands
    share = (middle.z - edge) / middle.z
    assert middle.y + share * (eye - middle.y) >= rim - 1e-6


class Beyond(Told):
    """A sight that sees everything, of the sponge only what lies further than a line."""

    def __init__(self, state: HouseholdState, line: float) -> None:
        super().__init__(*state.objects)
        self._state, self._line = state, line

    def visible(self, object_id: str) -> bool:
        """Whether it is no sponge, or beyond the line."""
        item = self._state.objects[object_id]
        return item.spec.type != "DishSponge" or item.body.center.z > self._line

    def after(self, state: HouseholdState) -> Beyond:
        """The same line in another state."""
        return Beyond(state, self._line)


@pytest.mark.parametrize(("line", "moves"), [(1.0, True), (3.0, False)])
def test_what_is_put_into_a_basin_is_put_where_it_is_seen(line: float, moves: bool) -> None:
    basin = thing("BathtubBasin", (0.0, 0.3, 0.9), (1.2, 0.6, 0.8))
    sponge = thing("DishSponge", (0.0, 0.0, -0.5), (0.1, 0.03, 0.07))
    player = Player(HouseholdState.at_start(home(basin, sponge, at=(0.0, 0.0))))
    player.do("PickupObject", "DishSponge")
    usual = player.attempt("PutObject", "BathtubBasin").state.objects[sponge.object_id].body.center
    player.do("PickupObject", "DishSponge")
    sight = Beyond(player.state, line)
    player.do("PutObject", "BathtubBasin", sight=sight)
    spot = player["DishSponge"].body.center
    assert spot.z > max(line, usual.z) if moves else spot == usual


class Below(Told):
    """A sight that sees everything; the mug can be taken only from below a height."""

    def __init__(self, state: HouseholdState, height: float) -> None:
        super().__init__(*state.objects)
        self._state, self._height = state, height

    def interactable(self, object_id: str) -> bool:
        """Whether it is no mug, or stands low enough."""
        item = self._state.objects[object_id]
        return item.held or item.spec.type != "Mug" or item.body.bottom < self._height

    def after(self, state: HouseholdState) -> Below:
        """The same height in another state."""
        return Below(state, self._height)


@pytest.mark.parametrize(("height", "moves"), [(0.9, True), (-1.0, False)])
def test_what_is_put_into_a_fridge_is_put_where_it_can_be_taken_again(
    player: Player, height: float, moves: bool
) -> None:
    player.do("OpenObject", "Fridge")
    player.do("PickupObject", "Mug")
    usual = player.attempt("PutObject", "Fridge").state.objects[player.id("Mug")].body.bottom
    player.do("PickupObject", "Mug")
    player.do("PutObject", "Fridge", sight=Below(player.state, height))
    mug = player["Mug"]
    assert mug.parents == (player.id("Fridge"),)
    assert usual >= 0.9
    assert mug.body.bottom < height if moves else mug.body.bottom == usual


def test_what_is_carried_about_in_a_dish_keeps_its_shape(player: Player) -> None:
    bowl = player["Bowl"]
    (a, b, c), (d, e, f), last = bowl.spec.body.rotation.rows
    bent = Rotation(((a, b, c + 1e-5), (d, e, f - 1e-5), last))
    spec = replace(bowl.spec, body=replace(bowl.spec.body, rotation=bent))
    player.state = player.state.having(replace(bowl, spec=spec))
    player.put("Apple", "Bowl")
    for _ in range(20):
        player.put("Bowl", "CounterTop")
        player.put("Bowl", "DiningTable")
    first, second, _ = player["Apple"].pose.rotation.rows
    assert sum(x * x for x in first) == pytest.approx(1.0, abs=1e-8)
    assert sum(x * y for x, y in zip(first, second, strict=True)) == pytest.approx(0.0, abs=1e-8)
