"""Tests of the agent's own actions."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.testing.thor_controller.kit import UNSEEN, ThorTests, answer, state_of
from env_service.worlds.ai2thor_api.controller import ThorController


def agent(thor: ThorController) -> dict[str, Any]:
    return dict(thor.last_event.metadata["agent"])


def free_way(thor: ThorController) -> dict[str, float]:
    """A point of the floor with free points one step along +z and +x."""
    points = answer(thor, "GetReachablePositions")
    known = {(round(p["x"], 2), round(p["z"], 2)) for p in points}
    for point in points:
        x, z = round(point["x"], 2), round(point["z"], 2)
        if {(x + 0.25, z), (x, z + 0.25)} <= known:
            return dict(point)
    raise AssertionError("no free way")


class MotionTests(ThorTests):
    """Tests of the agent's own actions."""

    parameters = UNSEEN

    def test_steps_go_where_the_agent_looks(self, thor: ThorController) -> None:
        start = free_way(thor)
        for yaw, axis in ((0, "z"), (90, "x")):
            assert thor.step("Teleport", position=start, rotation=yaw, horizon=0)
            assert thor.step("MoveAhead")
            assert agent(thor)["position"][axis] == pytest.approx(start[axis] + 0.25, abs=0.01)
            assert thor.step("MoveBack")
            assert agent(thor)["position"][axis] == pytest.approx(start[axis], abs=0.01)
        assert thor.step("Teleport", position=start, rotation=0)
        assert thor.step("MoveRight")
        assert agent(thor)["position"]["x"] == pytest.approx(start["x"] + 0.25, abs=0.01)
        assert thor.step("MoveLeft")
        assert agent(thor)["position"]["x"] == pytest.approx(start["x"], abs=0.01)

    def test_a_step_can_be_told_its_length(self, thor: ThorController) -> None:
        thor.reset(snapToGrid=False)
        start = free_way(thor)
        assert thor.step("Teleport", position=start, rotation=0)
        assert thor.step("MoveAhead", moveMagnitude=0.1)
        assert agent(thor)["position"]["z"] == pytest.approx(start["z"] + 0.1, abs=0.01)

    def test_a_wall_stops_the_agent(self, thor: ThorController) -> None:
        for _ in range(60):
            before = agent(thor)
            event = thor.step("MoveAhead")
            if not event:
                break
        assert not event
        assert "is blocking Agent 0 from moving" in event.metadata["errorMessage"]
        assert agent(thor) == before

    def test_turns(self, thor: ThorController) -> None:
        assert thor.step("Teleport", rotation=0)
        thor.step("RotateRight")
        assert agent(thor)["rotation"]["y"] == pytest.approx(90)
        thor.step("RotateLeft", degrees=30)
        assert agent(thor)["rotation"]["y"] == pytest.approx(60)

    def test_looks_and_their_limits(self, thor: ThorController) -> None:
        assert thor.step("Teleport", horizon=0)
        assert thor.step("LookUp")
        assert agent(thor)["cameraHorizon"] == pytest.approx(-30)
        event = thor.step("LookUp")
        assert not event
        assert "30 degrees above the forward horizon" in event.metadata["errorMessage"]
        assert thor.step("LookDown", degrees=90)
        assert agent(thor)["cameraHorizon"] == pytest.approx(60)
        assert not thor.step("LookDown")

    def test_crouching_and_standing(self, thor: ThorController) -> None:
        high = thor.last_event.metadata["cameraPosition"]["y"]
        assert thor.step("Crouch")
        assert agent(thor)["isStanding"] is False
        assert thor.last_event.metadata["cameraPosition"]["y"] < high - 0.2
        assert not thor.step("Crouch")
        assert thor.step("Stand")
        assert thor.last_event.metadata["cameraPosition"]["y"] == pytest.approx(high)
        assert not thor.step("Stand")

    def test_a_teleport_goes_to_every_reachable_point(self, thor: ThorController) -> None:
        points = answer(thor, "GetReachablePositions")
        assert len(points) > 10
        for point in points[:: len(points) // 10]:
            assert thor.step("Teleport", position=point, rotation=45, horizon=30, standing=False)
            now = agent(thor)
            assert now["position"]["x"] == pytest.approx(point["x"], abs=0.01)
            assert now["position"]["z"] == pytest.approx(point["z"], abs=0.01)
            assert now["rotation"]["y"] == pytest.approx(45)
            assert now["cameraHorizon"] == pytest.approx(30)
            assert now["isStanding"] is False

    @pytest.mark.parametrize(
        "arguments",
        [
            {"position": {"x": 1000.0, "y": 0.9, "z": 0.0}},
            {"horizon": 80},
            {"rotation": {"x": 20, "y": 0, "z": 0}},
        ],
    )
    def test_a_senseless_teleport_changes_nothing(
        self, thor: ThorController, arguments: dict[str, Any]
    ) -> None:
        before = state_of(thor.last_event)
        event = thor.step("Teleport", **arguments)
        assert not event
        assert event.metadata["errorMessage"]
        assert state_of(event) == before

    @pytest.mark.parametrize("name", ["Pass", "Done"])
    def test_doing_nothing(self, thor: ThorController, name: str) -> None:
        before = state_of(thor.last_event)
        event = thor.step(name)
        assert event
        assert event.metadata["lastAction"] == name
        assert state_of(event) == before
