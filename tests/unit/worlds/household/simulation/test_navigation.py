"""Shortest paths, the expert's actions, and the agent's old ways of turning."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import pytest

from env_service.worlds.household.render.selection import choose
from env_service.worlds.household.simulator import HouseholdSimulator
from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import Homes, home, thing
from tests.support.turns import play

TABLE = thing("DiningTable", (0.0, 0.0, 0.0), (2.6, 0.7, 0.8))
FRIDGE = thing("Fridge", (0.0, 0.0, 1.55), (0.8, 1.8, 0.8), yaw=180.0)
MUGS = (
    thing("Mug", (0.0, 0.7, 0.0), (0.1, 0.1, 0.1)),
    thing("Mug", (0.5, 0.7, 0.0), (0.1, 0.1, 0.1)),
)
SCENE = home(TABLE, FRIDGE, *MUGS, at=(0.0, -1.0))
STATE = HouseholdState.at_start(SCENE)


@pytest.fixture
def simulator() -> Iterator[HouseholdSimulator]:
    built = HouseholdSimulator(Homes(SCENE), "small-home", pictures=choose("soft"))
    yield built
    built.close()


def length(corners: list[dict[str, float]]) -> float:
    return sum(math.hypot(b["x"] - a["x"], b["z"] - a["z"]) for a, b in pairwise(corners))


def test_a_way_goes_round_what_is_in_between() -> None:
    answer = play(STATE, "GetShortestPathToPoint", x=0.0, y=0.9, z=0.75)
    corners = answer.value["corners"]
    assert (corners[0]["x"], corners[0]["z"]) == (0.0, -1.0)
    assert (corners[-1]["x"], corners[-1]["z"]) == (0.0, 0.75)
    assert max(abs(corner["x"]) for corner in corners) > 1.3, "past the table's end"
    assert 3.4 < length(corners) < 4.4
    free = play(STATE, "GetShortestPathToPoint", target={"x": 1.5, "y": 0.9, "z": -1.0})
    assert len(free.value["corners"]) == 2
    assert free.value["corners"][0]["y"] == pytest.approx(0.0)


def test_a_way_needs_two_ends_on_the_floor() -> None:
    answer = play(STATE, "GetShortestPathToPoint", x=0.0, y=0.0, z=0.0)
    assert answer.error.startswith("No point on NavMesh near targetPosition")
    answer = play(
        STATE, "GetShortestPathToPoint", x=0, y=0, z=-1, position={"x": 9, "y": 0, "z": 9}
    )
    assert answer.error.startswith("No point on NavMesh near startPosition")
    assert not play(STATE, "GetShortestPathToPoint", x=0).success
    away = {"x": 9, "y": 0, "z": 9}
    far = play(STATE, "GetShortestPathToPoint", x=0, y=0, z=-1, position=away, allowedError=1e9)
    assert far.success, "any error may be allowed"
    assert not play(STATE, "GetShortestPathToPoint", x=0, y=0, z=-1, allowedError=-1).success


def test_a_way_to_an_object_ends_where_it_is_interactable() -> None:
    answer = play(STATE, "GetShortestPath", objectType="Fridge")
    end = answer.value["corners"][-1]
    there = {"x": end["x"], "y": 0.901, "z": end["z"]}
    poses = play(STATE, "GetInteractablePoses", objectId=FRIDGE.object_id, positions=[there]).value
    assert poses
    assert play(STATE, "GetShortestPath", objectId=FRIDGE.object_id).value == answer.value


def test_an_object_has_to_be_named_without_doubt() -> None:
    assert "Multiple objects of type Mug" in play(STATE, "GetShortestPath", objectType="Mug").error
    assert "No object of type Bed" in play(STATE, "GetShortestPath", objectType="Bed").error
    assert not play(STATE, "GetShortestPath").success
    assert not play(STATE, "ObjectNavExpertAction").success


def test_the_expert_leads_to_an_object(simulator: HouseholdSimulator) -> None:
    query = {"action": "ObjectNavExpertAction", "objectId": FRIDGE.object_id}
    for _ in range(40):
        action = simulator.perform(query).value
        if action is None:
            break
        assert simulator.perform({"action": action}).success
    event = simulator.event(simulator.perform({"action": "Pass"}))
    fridge = event.get_object(FRIDGE.object_id)
    assert fridge is not None
    assert fridge["isInteractable"]


def test_the_expert_leads_to_a_place(simulator: HouseholdSimulator) -> None:
    goal = {"x": 1.75, "y": 0.9, "z": 0.5}
    actions = []
    for _ in range(40):
        action = simulator.perform({"action": "ObjectNavExpertAction", "position": goal}).value
        if action is None:
            break
        actions.append(action)
        assert simulator.perform({"action": action}).success
    place = simulator.state.agent.position
    assert (place.x, place.z) == (1.75, 0.5)
    assert actions.count("MoveAhead") == 7 + 6


def test_reachable_points_can_follow_the_agents_axes() -> None:
    turned = play(STATE, "Teleport", rotation={"y": 30}).state
    along = play(turned, "GetReachablePositions").value
    assert along == play(STATE, "GetReachablePositions").value
    own = play(turned, "GetReachablePositions", directionsRelativeAgent=True).value
    assert {"x": 0.125, "y": 0.901, "z": pytest.approx(-0.783494)} in own
    assert 0.6 * len(along) < len(own) < 1.4 * len(along)
    assert play(STATE, "GetReachablePositions", maxStepCount=10**400).value == along
    error = play(STATE, "GetReachablePositions", maxStepCount=1).error
    assert error == "Too many steps taken in GetReachablePositions."


def test_a_teleport_takes_single_coordinates() -> None:
    state = play(STATE, "Teleport", x=1.0, y=0.901, z=-1.0).state
    assert state.agent.position.tuple() == (1.0, 0.901, -1.0)
    assert "missing the following arguments: z" in play(STATE, "Teleport", x=1.0, y=0.9).error


def test_old_actions_turn_to_an_angle() -> None:
    agent = play(STATE, "RotateLook", rotation={"y": 450}, horizon=30).state.agent
    assert (agent.yaw, agent.horizon) == (90.0, 30.0)
    assert play(STATE, "Rotate", rotation={"y": 180}).state.agent.yaw == 180.0
    assert play(STATE, "Look", horizon=-30).state.agent.horizon == -30.0
    assert not play(STATE, "Look", horizon=80).success
