from __future__ import annotations

import pytest

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.expert.knowledge import is_dirty
from env_service.suites.asgard.expert.play import Play, StuckError
from env_service.suites.asgard.expert.transport import act_on, bring, fetch, put, stow
from env_service.suites.asgard.plan import ContentsGoal
from tests.unit.suites.asgard.expert.kitchen import (
    CABINET,
    COUNTER,
    FIXTURES,
    FRIDGE,
    SINK,
    TABLE,
    house,
    mug,
    play_in,
)
from tests.unit.suites.asgard.expert.toy_house import Thing, ToyHouse, fixture, item


def steps(play: Play) -> list[str]:
    return [each.text for each in play.steps]


def test_what_is_in_view_is_taken_at_once() -> None:
    play = play_in(house(mug(visible=True)))
    fetch(play, "Mug")
    assert steps(play) == ["PICKUP Mug"]


def test_what_is_out_of_view_is_found_first() -> None:
    play = play_in(house(mug()))
    fetch(play, "Mug")
    assert steps(play) == ["FIND Mug", "PICKUP Mug"]


def test_what_is_held_is_put_down_first() -> None:
    actor = house(item("Apple", TABLE), mug())
    play = play_in(actor)
    fetch(play, "Apple")
    fetch(play, "Mug")
    assert play.held == "Mug"
    assert actor.inside("Apple", "DiningTable")


def test_what_is_held_already_costs_nothing() -> None:
    play = play_in(house(mug(visible=True)))
    fetch(play, "Mug")
    fetch(play, "Mug")
    assert len(play.steps) == 1


def test_what_is_shut_in_is_let_out() -> None:
    play = play_in(house(item("Apple", FRIDGE)))
    fetch(play, "Apple")
    assert play.held == "Apple"
    assert steps(play)[:2] == ["FIND Fridge", "OPEN Fridge"]


def test_of_what_is_not_there_nothing_can_be_fetched() -> None:
    with pytest.raises(StuckError, match="Kettle"):
        fetch(play_in(house()), "Kettle")


def test_what_is_in_the_way_is_taken_away() -> None:
    actor = house(mug(), item("Plate", COUNTER), refuse=[("", "Mug_0123abcd")])
    play = play_in(actor)
    with pytest.raises(StuckError):
        fetch(play, "Mug")
    assert "PICKUP Plate" in steps(play)


def test_a_full_cabinet_is_passed_over() -> None:
    other = fixture("Cabinet", 12.5, openable=True, objectId="Cabinet_2", name="Cabinet_second")
    actor = house(mug(), other, refuse=[("Mug", "Cabinet_0123abcd")])
    play = play_in(actor)
    fetch(play, "Mug")
    put(play, "Cabinet")
    assert actor.the("Mug")["parentReceptacles"] == ["Cabinet_2"]


def test_where_nothing_takes_it_the_play_is_stuck_and_learns() -> None:
    play = play_in(house(mug(), refuse=[("Mug", CABINET["name"])]))
    fetch(play, "Mug")
    with pytest.raises(StuckError, match="no room"):
        put(play, "Cabinet")
    assert play.experience.was_full("Mug", "Cabinet")


def test_what_does_not_belong_together_is_not_even_tried() -> None:
    play = play_in(house(item("Apple", COUNTER)))
    fetch(play, "Apple")
    with pytest.raises(StuckError, match="does not go"):
        put(play, "Toaster")
    assert steps(play)[-1] == "PICKUP Apple"


def test_nothing_is_stowed_where_only_what_is_named_may_be() -> None:
    goals = (ContentsGoal("DiningTable", ("Mug",)),)
    actor = house(item("Apple", TABLE))
    play = play_in(actor, goals)
    fetch(play, "Apple")
    stow(play)
    assert actor.inside("Apple", "CounterTop")


def test_what_is_acted_on_is_found_first() -> None:
    actor = house()
    play = play_in(actor)
    act_on(play, Verb.OPEN, "Microwave")
    assert steps(play) == ["FIND Microwave", "OPEN Microwave"]


def test_what_has_to_be_washed_is_known() -> None:
    assert is_dirty(house(mug(isDirty=True)).view, "Mug")
    assert not is_dirty(house(mug()).view, "Mug")
    assert not is_dirty(house().view, "Mug")


class Stacked(ToyHouse):
    """In it something stands over the plate, so that it takes nothing until it is moved."""

    def _pick_up(self, target: Thing) -> None:
        super()._pick_up(target)
        self.refuse.discard(("Apple", target["name"]))


def test_a_dish_that_takes_nothing_is_taken_elsewhere() -> None:
    plate = item("Plate", SINK)
    blocked = [("Apple", plate["name"])]
    actor = Stacked(*FIXTURES, plate, item("Apple", COUNTER), refuse=blocked)
    play = play_in(actor)
    bring(play, "Apple", "Plate")
    assert actor.inside("Apple", "Plate")
    assert not actor.inside("Plate", "SinkBasin")


def test_what_takes_nothing_and_cannot_be_carried_ends_the_attempt() -> None:
    actor = house(item("Apple", COUNTER), refuse=[("Apple", SINK["name"])])
    with pytest.raises(StuckError, match="no room"):
        bring(play_in(actor), "Apple", "SinkBasin")
