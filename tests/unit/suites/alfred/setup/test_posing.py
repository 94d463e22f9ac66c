"""How posed things come to rest, and what is done where they fall."""

from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.setup.opening import ProblemKind, set_up
from env_service.suites.alfred.setup.poses import LEAST_PASSES, MOST_PASSES, pose
from tests.unit.suites.alfred.setup.rooms import Kitchen, poses, task
from tests.unit.suites.alfred.setup.rooms import pose as pose_of


class Restless:
    """A world without things, which is in motion from its second frame to that of ``rests_at``."""

    def __init__(self, rests_at: float) -> None:
        self.calls: list[str] = []
        self._rests_at = rests_at

    @property
    def last_event(self) -> SimpleNamespace:
        count = self.calls.count("Pass")
        at_rest = count < 1 or count >= self._rests_at
        return SimpleNamespace(metadata={"objects": [], "isSceneAtRest": at_rest})

    def step(self, action: str, **_: object) -> bool:
        self.calls.append(action)
        return True


@pytest.mark.parametrize(
    ("rests_at", "passes"), [(0, LEAST_PASSES), (9, 9), (math.inf, MOST_PASSES)]
)
def test_a_scene_is_waited_for_until_it_is_at_rest(rests_at, passes):
    world = Restless(rests_at)
    pose(world, AlfredView({"objects": []}), ())
    assert world.calls == ["SetObjectPoses", *["Pass"] * passes]


class Strict(Kitchen):
    """A kitchen of a build that has other parameters for one action."""

    def __init__(self, unknown: str) -> None:
        self._unknown = unknown
        super().__init__()

    def step(self, action, **arguments):
        if action == self._unknown:
            raise ValueError(f"Action: {action} called with invalid argument")
        return super().step(action, **arguments)


def fallen_beside_its_table(world):
    """A task in which a tomato is posed a hand's breadth off what it lies on."""
    tomato = world.view.of_type("Tomato")[0]
    spot = min(
        world.step("GetReachablePositions").metadata["actionReturn"],
        key=lambda each: math.hypot(
            each["x"] - tomato["position"]["x"], each["z"] - tomato["position"]["z"]
        ),
    )
    given = [each for each in poses(world.view) if each.type != "Tomato"]
    return task([*given, pose_of(tomato, 7, x=spot["x"], z=spot["z"])])


@pytest.mark.parametrize("unknown", ["GetSpawnCoordinatesAboveReceptacle", "PlaceObjectAtPoint"])
def test_what_cannot_be_put_back_stays_where_it_fell_and_is_told_of(unknown):
    world = Strict(unknown)
    prepared = set_up(world, fallen_beside_its_table(world))
    world.stop()
    (problem,) = prepared.problems
    assert (problem.kind, problem.subject) == (ProblemKind.MOVED, "Tomato_00000007")
    assert "Floor" in problem.reason


def test_what_fell_off_is_put_back_beside_its_pose():
    world = Kitchen()
    prepared = set_up(world, fallen_beside_its_table(world))
    (problem,) = prepared.problems
    assert problem.kind is ProblemKind.MOVED
    assert "Floor" not in problem.reason
    assert "PlaceObjectAtPoint" in world.calls
    world.stop()
