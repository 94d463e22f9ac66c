"""Pushing, dropping, throwing, turning in hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from env_service.worlds.household.simulation.space.collisions import overlap
from tests.support.household_player import Player
from tests.support.household_scenes import start


@pytest.fixture
def player() -> Player:
    return Player(start())


@pytest.mark.parametrize(("angle", "axis", "sign"), [(0, 2, 1), (90, 0, 1), (180, 2, -1)])
def test_a_push_goes_where_it_is_aimed(player: Player, angle: float, axis: int, sign: int) -> None:
    player.put("Mug", "CounterTop")
    player.do("PlaceObjectAtPoint", "Mug", position={"x": 0.7, "y": 0.91, "z": 1.6})
    before = player["Mug"].pose.position.tuple()
    player.do("DirectionalPush", "Mug", moveMagnitude=60, pushAngle=angle)
    after = player["Mug"].pose.position.tuple()
    moved = [b - a for a, b in zip(before, after, strict=True)]
    assert moved[axis] * sign > 0.05
    assert all(abs(value) < 1e-9 for k, value in enumerate(moved) if k != axis)
    assert player["Mug"].parents == (player.id("CounterTop"),)


def test_what_is_pushed_stops_at_an_obstacle(player: Player) -> None:
    player.do("PlaceObjectAtPoint", "Mug", position={"x": -0.8, "y": 0.91, "z": 1.75})
    player.do("DirectionalPush", "Mug", moveMagnitude=500, pushAngle=90)
    assert not overlap(player["Mug"].body, player["Toaster"].body)
    assert player["Mug"].extent[1].x == pytest.approx(player["Toaster"].extent[0].x, abs=0.02)


def test_what_is_pushed_over_the_edge_falls_and_breaks(player: Player) -> None:
    player.do("PlaceObjectAtPoint", "Mug", position={"x": 0.7, "y": 0.91, "z": 1.35})
    player.do("DirectionalPush", "Mug", moveMagnitude=100, pushAngle=180)
    assert player["Mug"].broken
    assert player["Mug"].body.bottom == pytest.approx(0.0)
    assert player["Mug"].parents == (player.id("Floor"),)


@pytest.mark.parametrize(
    ("target", "arguments", "text"),
    [
        ("Fridge", {"pushAngle": 0}, "Target Primary Property type incompatible with push/pull"),
        ("Mug", {"pushAngle": 400}, "pushAngle must be in [0:360]"),
    ],
)
def test_refused_pushes(player: Player, target: str, arguments: dict[str, Any], text: str) -> None:
    assert player.attempt("DirectionalPush", target, moveMagnitude=5, **arguments).error == text


def test_a_pull_comes_nearer(player: Player) -> None:
    player.do("PlaceObjectAtPoint", "Mug", position={"x": 0.7, "y": 0.91, "z": 1.6})
    player.do("PullObject", "Mug", moveMagnitude=50)
    near = player["Mug"].pose.position.z
    assert near < 1.6
    player.do("PushObject", "Mug", moveMagnitude=50)
    assert player["Mug"].pose.position.z > near


def test_what_is_dropped_lies_below_the_hand(player: Player) -> None:
    player.do("PickupObject", "Book")
    result = player.do("DropHandObject")
    assert player.state.held is None
    assert player["Book"].body.bottom == pytest.approx(0.0)
    assert player["Book"].parents == (player.id("Floor"),)
    assert result.value == player["Book"].pose.position.to_json()


def test_what_is_dropped_over_the_table_lies_on_it(player: Player) -> None:
    agent = replace(player.state.agent, yaw=180.0)
    player = Player(replace(player.state, agent=agent))
    player.do("PickupObject", "Book")
    before = player["Book"].body.center
    player.do("MoveHeldObject", ahead=0.5)
    assert (player["Book"].body.center - before).z == pytest.approx(-0.5)
    player.do("DropHandObject")
    assert player["Book"].parents == (player.id("DiningTable"),)


@pytest.mark.parametrize(("kind", "breaks"), [("Plate", True), ("Mug", True), ("Apple", False)])
def test_a_fall_to_the_floor_breaks_what_is_brittle(
    player: Player, kind: str, *, breaks: bool
) -> None:
    player.do("PickupObject", kind)
    player.do("DropHandObject")
    assert player[kind].broken is breaks


def test_a_dropped_egg_cracks(player: Player) -> None:
    player.do("PickupObject", "Egg")
    player.do("DropHandObject")
    assert player["Egg"].replaced
    assert player["EggCracked"].parents == (player.id("Floor"),)


def test_a_throw_goes_along_the_view_and_not_through_walls(player: Player) -> None:
    player.do("RotateLeft")
    player.do("PickupObject", "Apple")
    player.do("ThrowObject", moveMagnitude=30.0)
    near = player["Apple"].pose.position
    assert near.x < -0.8
    player.do("PickupObject", "Apple")
    player.do("ThrowObject", moveMagnitude=2000.0)
    assert -2.5 <= player["Apple"].extent[0].x < near.x


@pytest.mark.parametrize(
    ("action", "arguments", "text"),
    [
        ("DropHandObject", {}, "nothing in hand to drop!"),
        ("ThrowObject", {"moveMagnitude": 10}, "can't throw nothing!"),
        ("RotateHeldObject", {"yaw": 10}, "Can't rotate an object if Agent isn't holding anything"),
        ("MoveHeldObjectUp", {"moveMagnitude": 0.1}, "Agent can only move hand if holding an item"),
    ],
)
def test_an_empty_hand_can_do_little(
    player: Player, action: str, arguments: dict[str, Any], text: str
) -> None:
    assert player.attempt(action, **arguments).error == text


def test_the_hand_turns_what_it_holds(player: Player) -> None:
    player.do("PickupObject", "Book")
    player.do("RotateHeldObject", rotation={"x": 0.0, "y": 90.0, "z": 0.0})
    assert player["Book"].euler.y == pytest.approx(90.0)
    player.do("RotateHeldObject", yaw=45.0)
    assert player["Book"].euler.y == pytest.approx(135.0)


@pytest.mark.parametrize(
    ("direction", "axis", "sign"),
    [
        ("Ahead", 2, 1),
        ("Back", 2, -1),
        ("Right", 0, 1),
        ("Left", 0, -1),
        ("Up", 1, 1),
        ("Down", 1, -1),
    ],
)
def test_the_hand_moves_what_it_holds(player: Player, direction: str, axis: int, sign: int) -> None:
    player.do("PickupObject", "Mug")
    before = player["Mug"].pose.position.tuple()[axis]
    player.do(f"MoveHeldObject{direction}", moveMagnitude=0.1)
    assert player["Mug"].pose.position.tuple()[axis] - before == pytest.approx(0.1 * sign)


def test_the_hand_does_not_reach_through_the_room(player: Player) -> None:
    player.do("PickupObject", "Mug")
    error = player.attempt("MoveHeldObjectAhead", moveMagnitude=3.0).error
    assert error == "Hand collided with something and could not be moved that far"


def test_what_is_dropped_falls_straight_down_and_keeps_its_turn(player: Player) -> None:
    player.do("RotateRight")
    player.do("PickupObject", "Apple")
    held = player["Apple"]
    player.do("DropHandObject")
    dropped = player["Apple"]
    assert dropped.euler == held.euler
    assert (dropped.pose.position.x, dropped.pose.position.z) == pytest.approx(
        (held.pose.position.x, held.pose.position.z)
    )


def test_what_rolls_off_something_loose_does_not_break(player: Player) -> None:
    for name in ("Apple", "Mug"):
        player.do("PickupObject", name)
        player.do("DropHandObject")
    assert not player["Mug"].broken
