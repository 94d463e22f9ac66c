"""A word for pieces comes to one that is on no dish yet, wherever such a piece is left."""

from __future__ import annotations

from env_service.suites.asgard.action_language import Verb
from env_service.suites.asgard.plan import Goal, LocationGoal
from tests.unit.suites.asgard.expert.kitchen import COUNTER, house, play_in
from tests.unit.suites.asgard.expert.toy_house import item


def test_a_piece_that_serves_a_goal_is_meant_last() -> None:
    goals: list[Goal] = [LocationGoal("AppleSliced", each) for each in ("Plate", "Bowl")]
    plate = item("Plate", COUNTER, visible=True)
    served = item("AppleSliced", plate, visible=True, objectId="AppleSliced_0", name="served")
    left = item("AppleSliced", COUNTER, visible=True, objectId="AppleSliced_1", name="left")
    play = play_in(house(plate, served, left, goals=goals), goals)
    assert [each["name"] for each in play.prospects(Verb.PICKUP, "AppleSliced")] == [
        "left",
        "served",
    ]
