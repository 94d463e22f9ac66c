"""Waiting for the world to come to rest, as AsgardBench does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from env_service.worlds.ai2thor_api.settling import INTERACTIONS, Settled, Settling
from env_service.worlds.household.controller import HouseholdController
from tests.support.fake_thor import FakePlayer
from tests.support.small_home import Homes, home, thing


def test_two_passes_follow_an_interaction_that_succeeded() -> None:
    player = FakePlayer()
    assert Settled(player).step("PickupObject", objectId="Mug|1")
    assert player.played == ["PickupObject", "Pass", "Pass"]


def test_one_pass_follows_an_interaction_that_failed() -> None:
    player = FakePlayer()
    player.refuses = frozenset({"OpenObject"})
    assert not Settled(player).step({"action": "OpenObject", "objectId": "Fridge|1"})
    assert player.played == ["OpenObject", "Pass"]


@pytest.mark.parametrize("action", ["Teleport", "Pass", "GetInteractablePoses", "DisableObject"])
def test_what_is_no_interaction_is_played_alone(action: str) -> None:
    player = FakePlayer()
    event = Settled(player).step(action)
    assert player.played == [action]
    assert event is player.last_event


def test_every_interaction_of_asgardbench_counts() -> None:
    player = FakePlayer()
    settled = Settled(player)
    for action in INTERACTIONS:
        settled.step(action)
    assert len(player.played) == 3 * len(INTERACTIONS)


def test_which_actions_and_how_many_passes_can_be_chosen() -> None:
    player = FakePlayer()
    player.refuses = frozenset({"Bang"})
    settled = Settled(
        player, Settling(frozenset({"Bang", "Push"}), after_success=1, after_failure=0)
    )
    for action in ("Bang", "Push", "PickupObject"):
        settled.step(action)
    assert player.played == ["Bang", "Push", "Pass", "PickupObject"]


def test_fewer_than_no_passes_are_refused() -> None:
    with pytest.raises(ValueError, match="after_success is -1 steps; it has to be at least 0"):
        Settling(after_success=-1)
    with pytest.raises(ValueError, match="after_failure is -2 steps; it has to be at least 0"):
        Settling(after_failure=-2)


def test_the_event_tells_of_the_action_and_shows_the_world_at_rest() -> None:
    player = FakePlayer()
    settled = Settled(player)
    event = settled.step("PutObject")
    assert settled.last_event is event
    metadata = event.metadata
    assert (metadata["lastAction"], metadata["actionReturn"]) == ("PutObject", "PutObject")
    assert metadata["currentTime"] == player.last_event.metadata["currentTime"]
    assert metadata["objects"][0]["number"] == 3
    assert set(metadata) == set(player.last_event.metadata)
    assert event.get_object("Mug|1") == event.objects_by_type("Mug")[0] == metadata["objects"][0]
    for name in ("frame", "instance_segmentation_frame", "semantic_segmentation_frame"):
        assert np.unique(getattr(event, name)).tolist() == [3]
    assert event.depth_frame is not None
    assert event.depth_frame[0, 0] == 3
    assert not event.instance_masks["Mug|1"].any()
    assert event.instance_detections2D["Mug|1"][2] == 3
    assert event.third_party_camera_frames[0][0, 0, 0] == 3


def test_an_action_that_failed_is_told_as_failed() -> None:
    player = FakePlayer()
    player.refuses = frozenset({"PutObject"})
    event = Settled(player).step("PutObject")
    assert not event
    assert event.metadata["errorMessage"] == "refused"
    assert event.metadata["lastActionSuccess"] is False
    assert event.metadata["objects"][0]["number"] == 2


def test_pictures_in_between_are_not_looked_at() -> None:
    player = FakePlayer()
    event = Settled(player).step("PutObject")
    assert event.frame is not None
    assert [each.looks for each in player.events] == [0, 0, 0, 1]


def test_a_failure_that_is_to_raise_settles_first() -> None:
    player = FakePlayer()
    player.refuses = frozenset({"PutObject"})
    settled = Settled(player)
    with pytest.raises(RuntimeError, match="refused"):
        settled.step("PutObject", raise_for_failure=True)
    assert player.played == ["PutObject", "Pass"]
    assert settled.last_event.metadata["lastAction"] == "PutObject"


def test_an_action_that_makes_no_sense_raises_and_settles_nothing() -> None:
    player = FakePlayer()
    player.fails = ValueError("no such argument")
    with pytest.raises(ValueError, match="no such argument"):
        Settled(player).step("PutObject", colour="red")
    assert player.played == ["PutObject"]


def test_resets_and_stops_go_through() -> None:
    player = FakePlayer()
    settled = Settled(player)
    assert settled.reset("FloorPlan2", gridSize=0.5) is settled.last_event
    assert player.resets == [("FloorPlan2", {"gridSize": 0.5})]
    settled.stop()
    assert player.stops == 1


def test_the_household_world_comes_to_rest_without_drawing(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = thing("CounterTop", (0.0, 0.0, 1.7), (3.0, 0.9, 0.6), yaw=180.0)
    mug = thing("Mug", (0.0, 0.9, 1.6), (0.1, 0.1, 0.1))
    library = Homes(home(counter, mug, at=(0.0, 0.75)))
    with HouseholdController(
        "small-home", library=library, renderer="soft", width=60, height=40
    ) as thor:
        drawn: list[Any] = []
        views = thor._simulator.state_renderer
        draw = views.draw

        def noted(*given: Any) -> Any:
            drawn.append(given)
            return draw(*given)

        monkeypatch.setattr(views, "draw", noted)
        event = Settled(thor).step(
            "PickupObject", objectId="Mug|+00.00|+00.90|+01.60", forceAction=True
        )
        assert event, event.metadata["errorMessage"]
        assert drawn == []
        assert event.metadata["inventoryObjects"][0]["objectType"] == "Mug"
        assert event.metadata["lastAction"] == "PickupObject"
        assert event.frame is not None
        assert len(drawn) == 1
