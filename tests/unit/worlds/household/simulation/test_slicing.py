"""Slicing and cracking."""

from __future__ import annotations

import pytest

from env_service.worlds.household.scene.spec import Temperature
from env_service.worlds.household.simulation.actions.slicing import PIECES
from env_service.worlds.household.simulation.space.collisions import overlap
from tests.support.household_player import Player
from tests.support.household_scenes import all_of, start
from tests.support.turns import Told


@pytest.fixture
def player() -> Player:
    return Player(start())


@pytest.mark.parametrize("kind", ["Apple", "Bread", "Potato"])
def test_the_pieces_stand_where_the_whole_was(player: Player, kind: str) -> None:
    whole = player[kind]
    player.do("SliceObject", kind)
    pieces = all_of(player.state, f"{kind}Sliced")
    assert [each.id for each in pieces] == [
        f"{whole.id}|{kind}Sliced_{k}" for k in range(PIECES[kind])
    ]
    for each in pieces:
        low, high = each.extent
        assert all(a >= b - 1e-9 for a, b in zip(low.tuple(), whole.extent[0].tuple(), strict=True))
        assert all(
            a <= b + 1e-9 for a, b in zip(high.tuple(), whole.extent[1].tuple(), strict=True)
        )
        assert low.y == pytest.approx(whole.extent[0].y)
        assert each.parents == whole.parents
    assert not any(overlap(a.body, b.body) for k, a in enumerate(pieces) for b in pieces[k + 1 :])
    assert len({each.spec.name for each in player.state.objects.values()}) == len(
        player.state.objects
    )


def test_the_whole_is_listed_on_and_out_of_reach(player: Player) -> None:
    player.do("SliceObject", "Apple")
    apple = player["Apple"]
    assert apple.sliced
    assert apple.replaced
    assert apple.parents is None
    assert apple.id not in (player["DiningTable"].contents or ())
    assert "visibility" in player.attempt("PickupObject", "Apple").error
    assert "cannot be sliced" in player.attempt("SliceObject", "Apple").error


def test_pieces_can_be_picked_up_and_lie_flat_where_they_are_put(player: Player) -> None:
    player.do("SliceObject", "Bread")
    piece = player["BreadSliced"]
    assert piece.body.rotation.rows[1][1] == pytest.approx(0.0)  # it stands, as it was cut
    player.put(piece.id, "Plate")
    laid = player[piece.id]
    assert laid.body.rotation.rows[1][1] == pytest.approx(1.0)
    assert laid.body.bottom >= player["Plate"].body.bottom


def test_a_plate_takes_a_slice_of_everything(player: Player) -> None:
    for kind in ("Apple", "Potato"):
        player.do("SliceObject", kind)
        player.put(f"{kind}Sliced", "Bowl")
        assert player.id("Bowl") in (player[f"{kind}Sliced"].parents or ())


def test_a_cooked_potato_gives_cooked_pieces(player: Player) -> None:
    player.do("CookObject", "Potato")
    player.do("SliceObject", "Potato")
    assert all(each.cooked for each in all_of(player.state, "PotatoSliced"))


def test_pieces_are_as_cold_as_the_whole(player: Player) -> None:
    player.do("OpenObject", "Fridge")
    player.put("Apple", "Fridge")
    player.do("SliceObject", "Apple")
    assert {e.temperature for e in all_of(player.state, "AppleSliced")} == {Temperature.COLD}


def test_slices_lie_in_the_dish_of_the_whole(player: Player) -> None:
    player.put("Apple", "Plate")
    player.do("SliceObject", "Apple")
    assert len(player["Plate"].contents or ()) == PIECES["Apple"]
    player.do("PickupObject", "Plate")
    assert all(e.in_hand_of == player.id("Plate") for e in all_of(player.state, "AppleSliced"))


@pytest.mark.parametrize(
    ("target", "text"),
    [
        ("Mug", "Mug_fa62db79 Does not have the CanBeSliced property!"),
        ("Apple|1|2|3", "objectId: Apple|1|2|3 is not the objectId on any object in the scene!"),
    ],
)
def test_refusals(player: Player, target: str, text: str) -> None:
    assert player.attempt("SliceObject", target).error == text


def test_what_is_in_hand_is_not_sliced(player: Player) -> None:
    player.do("PickupObject", "Apple")
    error = player.attempt("SliceObject", "Apple").error
    assert error == "target object cannot be sliced if it is in the agent's hand"


def test_slicing_needs_no_knife_but_sight(player: Player) -> None:
    assert "visibility" in player.attempt("SliceObject", "Apple", sight=Told()).error


@pytest.mark.parametrize("action", ["SliceObject", "BreakObject"])
def test_an_egg_becomes_one_cracked_egg_where_it_lay(player: Player, action: str) -> None:
    player.put("Egg", "Pan")
    player.do(action, "Egg")
    egg, inside = player["Egg"], player["EggCracked"]
    assert egg.broken
    assert egg.replaced
    assert egg.sliced is (action == "SliceObject")
    assert inside.id == f"{egg.id}|EggCracked_0"
    assert player.id("Pan") in (inside.parents or ())
    assert player["Pan"].body.contains(inside.body.center, 0.01)


def test_a_cracked_egg_cooks_in_its_pan(player: Player) -> None:
    player.put("Egg", "Pan")
    player.do("SliceObject", "Egg")
    player.put("Pan", "StoveBurner")
    player.do("ToggleObjectOn", "StoveKnob")
    assert player["EggCracked"].cooked


def test_an_egg_breaks_in_the_hand_and_falls(player: Player) -> None:
    player.do("PickupObject", "Egg")
    player.do("BreakObject", "Egg")
    assert player.state.held is None
    assert player["EggCracked"].parents == (player.id("Floor"),)
