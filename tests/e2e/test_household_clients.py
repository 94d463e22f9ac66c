"""Small programs in the idioms of AI2-THOR's well-known clients, on the household world.

They use nothing but the public controller API: AI2-THOR's own Python package where it is installed,
with the stand-in player, and this world's controller otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.controller_2_1 import Controller
from tests.support.real_thor import own_home, started, stopped

KITCHEN = "household-kitchen-1"
SIDE = 200
WALL = 10
"""Pixels at the edges of a map that show walls, whose tops are cut off."""

PARAMETERS: Mapping[str, Any] = {
    "scene": KITCHEN,
    "width": SIDE,
    "height": SIDE,
    "fieldOfView": 90,
    "renderDepthImage": True,
    "renderInstanceSegmentation": True,
}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A controller that the programs share."""
    if find_spec("ai2thor") is None:
        with HouseholdController(renderer="soft", **PARAMETERS) as controller:
            yield controller
        return
    home = tmp_path_factory.mktemp("home")
    with own_home(home):
        controller = started(home, **PARAMETERS)
    yield controller
    stopped(controller)


@pytest.fixture
def thor(shared: Any) -> Any:
    """The controller in a fresh kitchen."""
    shared.reset(KITCHEN)
    return shared


def objects(event: Any) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in event.metadata["objects"]}


def first(event: Any, kind: str) -> dict[str, Any]:
    found: dict[str, Any] = event.objects_by_type(kind)[0]
    return found


# --- Navigation to a point and to an object


def test_point_navigation_is_nearly_as_short_as_the_shortest_path(thor: Any) -> None:
    start = thor.last_event.metadata["agent"]["position"]
    spots = thor.step("GetReachablePositions").metadata["actionReturn"]
    goal = max(spots, key=lambda spot: math.dist(spot.values(), start.values()))
    event = thor.step(action="GetShortestPathToPoint", position=start, **goal)
    corners = event.metadata["actionReturn"]["corners"]
    shortest = sum(math.dist(a.values(), b.values()) for a, b in pairwise(corners))
    walked = 0.0
    for _ in range(80):
        action = thor.step("ObjectNavExpertAction", position=goal).metadata["actionReturn"]
        if action is None:
            break
        walked += 0.25 * (action == "MoveAhead")
        assert thor.step(action), "the expert's actions succeed"
    end = thor.last_event.metadata["agent"]["position"]
    assert math.hypot(end["x"] - goal["x"], end["z"] - goal["z"]) < 0.2
    assert 0.65 < shortest / walked <= 1.0


def test_ai2thors_own_metrics_work(thor: Any) -> None:
    metrics = pytest.importorskip("ai2thor.util.metrics", reason="needs houseguest[ai2thor]")
    fridge = first(thor.last_event, "Fridge")["objectId"]
    start = thor.last_event.metadata["agent"]["position"]
    by_id = metrics.get_shortest_path_to_object(thor, fridge, start)
    facing = {"x": 0, "y": 90, "z": 0}
    assert by_id == metrics.get_shortest_path_to_object_type(thor, "Fridge", start, facing)
    there = metrics.get_shortest_path_to_point(thor, start, by_id[-1])
    assert metrics.path_distance(there) == pytest.approx(metrics.path_distance(by_id), rel=0.1)
    assert metrics.compute_single_spl(by_id, by_id, True) == 1.0


@pytest.mark.parametrize("kind", ["Fridge", "Microwave"])
def test_object_navigation_ends_where_the_object_is_seen(thor: Any, kind: str) -> None:
    target = first(thor.last_event, kind)
    for _ in range(80):
        event = thor.step(action="ObjectNavExpertAction", objectType=kind)
        if event.metadata["actionReturn"] is None:
            break
        thor.step(event.metadata["actionReturn"], raise_for_failure=True)
    event = thor.step("Done")
    seen = event.get_object(target["objectId"])
    assert seen["visible"]
    assert seen["distance"] < 2.5
    assert target["objectId"] in event.instance_masks


def test_every_step_between_reachable_points_can_be_walked(thor: Any) -> None:
    agent = thor.last_event.metadata["agent"]
    spots = thor.step("GetReachablePositions").metadata["actionReturn"]
    known = {(round(spot["x"] * 4), round(spot["z"] * 4)) for spot in spots}
    generator = np.random.default_rng(3)
    tried = {True: 0, False: 0}
    for number in generator.choice(len(spots), 16, replace=False):
        yaw = float(generator.choice([0, 90, 180, 270]))
        pose = {"rotation": {"x": 0, "y": yaw, "z": 0}, "horizon": 0, "standing": True}
        thor.step("TeleportFull", **spots[number], **pose, raise_for_failure=True)
        ahead = (
            round(spots[number]["x"] * 4 + math.sin(math.radians(yaw))),
            round(spots[number]["z"] * 4 + math.cos(math.radians(yaw))),
        )
        moved = bool(thor.step("MoveAhead"))
        assert not moved or ahead in known
        tried[moved] += 1
    assert all(tried.values())
    assert agent["position"]["y"] == pytest.approx(spots[0]["y"])


# --- Rearrangement


def test_a_shuffled_room_is_put_back_from_recorded_poses(thor: Any) -> None:
    before = objects(thor.last_event)
    loose = [name for name, each in before.items() if each["pickupable"]]
    poses = [
        {"objectName": name, **{key: before[name][key] for key in ("position", "rotation")}}
        for name in loose
    ]
    thor.step("InitialRandomSpawn", randomSeed=7, forceVisible=True, raise_for_failure=True)
    fridge = first(thor.last_event, "Fridge")["objectId"]
    thor.step("OpenObject", objectId=fridge, openness=0.6, forceAction=True, raise_for_failure=True)
    shuffled = objects(thor.last_event)
    assert sum(away(before[name], shuffled[name]) > 0.1 for name in loose) > len(loose) / 2
    thor.step(
        action="SetObjectPoses", objectPoses=poses, placeStationary=True, enablePhysicsJitter=True,
        forceRigidbodySleep=True, skipMoveable=True, raise_for_failure=True,
    )  # fmt: skip
    thor.step("CloseObject", objectId=fridge, forceAction=True, raise_for_failure=True)
    after = objects(thor.last_event)
    assert after.keys() == before.keys()
    assert max(away(before[name], after[name]) for name in loose) < 0.01
    assert all(after[name]["isOpen"] == each["isOpen"] for name, each in before.items())
    kept = [set(after[name]["parentReceptacles"] or ()) for name in loose]
    assert kept == [set(before[name]["parentReceptacles"] or ()) for name in loose]


def away(one: Mapping[str, Any], other: Mapping[str, Any]) -> float:
    return math.dist(one["position"].values(), other["position"].values())


# --- Mapping: the depth that the agent sees against the map of the room from above


def test_what_the_agent_measures_is_on_the_map(thor: Any) -> None:
    top = thor.step("GetMapViewCameraProperties").metadata["actionReturn"]
    event = thor.step("AddThirdPartyCamera", **top)
    heights = top["position"]["y"] - event.third_party_depth_frames[0]
    spots = thor.step("GetReachablePositions").metadata["actionReturn"]
    points = []
    for spot in spots[:: len(spots) // 5]:
        for yaw in (0, 90, 180, 270):
            pose = {"rotation": {"x": 0, "y": yaw, "z": 0}, "horizon": 30, "standing": True}
            event = thor.step("TeleportFull", **spot, **pose)
            points.append(measured(event))
    world = np.concatenate(points)
    x, y, z = world.T
    half = top["orthographicSize"]
    column = ((x - top["position"]["x"] + half) / (2 * half) * SIDE).astype(int)
    row = ((half - (z - top["position"]["z"])) / (2 * half) * SIDE).astype(int)
    room = (np.minimum(row, column) >= WALL) & (np.maximum(row, column) < SIDE - WALL)
    x, y, z, row, column = (each[room] for each in (x, y, z, row, column))
    around = [heights[row + i, column + k] for i in (-1, 0, 1) for k in (-1, 0, 1)]
    higher = y - np.stack(around).max(0)
    assert room.mean() > 0.4
    assert (higher < 0.02).mean() > 0.99, "nothing is higher than what the map shows there"
    level = np.abs(y - heights[row, column]) < 0.02
    assert level.mean() > 0.4, "floor and tops are at the map's heights"


def measured(event: Any) -> NDArray[np.float64]:
    """Every fifth pixel's place in the room, [N, 3]."""
    agent, depth = event.metadata["agent"], event.depth_frame[2::5, 2::5].astype(np.float64)
    offsets = (np.arange(2, SIDE, 5) + 0.5) * 2 / SIDE - 1
    ahead = depth.ravel()
    right = (depth * offsets[None, :]).ravel()
    up = (depth * -offsets[:, None]).ravel()
    tilt, yaw = (math.radians(each) for each in (agent["cameraHorizon"], agent["rotation"]["y"]))
    level = ahead * math.cos(tilt) + up * math.sin(tilt)
    rise = up * math.cos(tilt) - ahead * math.sin(tilt)
    eye = event.metadata["cameraPosition"]
    return np.stack(
        [
            eye["x"] + level * math.sin(yaw) + right * math.cos(yaw),
            eye["y"] + rise,
            eye["z"] + level * math.cos(yaw) - right * math.sin(yaw),
        ],
        1,
    )


def test_the_agents_place_is_found_on_the_toggled_map(thor: Any) -> None:
    event = thor.step({"action": "ToggleMapView"})
    place, size = event.metadata["cameraPosition"], event.metadata["cameraOrthSize"]
    assert event.frame.shape == (SIDE, SIDE, 3)
    back = thor.step({"action": "ToggleMapView"})
    assert back.metadata["cameraOrthSize"] == -1.0
    agent = back.metadata["agent"]["position"]
    row, column = (
        round((size - (agent["z"] - place["z"])) / (2 * size) * SIDE),
        round((size + (agent["x"] - place["x"])) / (2 * size) * SIDE),
    )
    floor = event.instance_segmentation_frame[row, column]
    assert event.color_to_object_id[tuple(int(each) for each in floor)].startswith("Floor")


# --- ALFRED's environment, which is written for AI2-THOR 2.1


class ThorEnv(Controller):
    """An environment as ALFRED's agents have it: a controller that restores a recorded scene."""

    def __init__(self) -> None:
        super().__init__(quality="MediumCloseFitShadows")
        self.local_executable_path = None
        self.start(x_display="0", player_screen_height=150, player_screen_width=150)

    def prepared(self, scene: str, toggles: list[Any], poses: list[Any], *, dirty: bool) -> Any:
        """The scene, initialized and restored."""
        super().reset(scene)
        super().step(
            {"action": "Initialize", "gridSize": 0.25, "cameraY": 0.675, "renderImage": True,
             "renderDepthImage": False, "renderClassImage": False, "renderObjectImage": True,
             "visibility_distance": 1.5, "makeAgentsVisible": False}
        )  # fmt: skip
        if toggles:
            super().step({"action": "SetObjectToggles", "objectToggles": toggles})
        if dirty:
            change = {"action": "SetStateOfAllObjects", "StateChange": "CanBeDirty"}
            super().step({**change, "forceAction": True})
        return super().step({"action": "SetObjectPoses", "objectPoses": poses})


def test_an_environment_of_the_old_api_restores_and_plays() -> None:
    env = ThorEnv()
    recorded = objects(env.reset(KITCHEN))
    poses = [
        {"objectName": name, "position": each["position"], "rotation": each["rotation"]}
        for name, each in recorded.items()
        if each["pickupable"] or each["moveable"]
    ]
    toggles = [{"objectType": "Microwave", "isOn": True}]
    event = env.prepared(KITCHEN, toggles, poses, dirty=True)
    assert event.metadata["lastActionSuccess"]
    assert event.metadata["fov"] == 60.0
    assert first(event, "Microwave")["isToggled"]
    assert all(each["isDirty"] for each in event.metadata["objects"] if each["dirtyable"])
    mug, counter = first(event, "Mug"), first(event, "CounterTop")
    pose = {"action": "TeleportFull", "rotateOnTeleport": True, "rotation": 180, "horizon": 30}
    spot = env.step({"action": "GetReachablePositions"}).metadata["reachablePositions"][0]
    assert env.step({**pose, **spot, "tempRenderChange": True}), "old arguments are ignored"
    assert env.step({"action": "PickupObject", "objectId": mug["objectId"], "forceAction": True})
    put = {"action": "PutObject", "objectId": mug["objectId"], "placeStationary": True}
    event = env.step({**put, "receptacleObjectId": counter["objectId"], "forceAction": True})
    assert event.metadata["lastActionSuccess"]
    put_down = event.get_object(mug["objectId"])
    assert put_down["parentReceptacles"] == [counter["objectId"]]
    assert put_down["ObjectTemperature"] == put_down["temperature"]
    assert event.instance_segmentation_frame.shape == (150, 150, 3)
    assert not env.step({"action": "Fly"}), "a mistake fails and raises nothing"
    assert env.last_event.metadata["errorCode"] == "InvalidAction"
    with pytest.raises(AssertionError, match="Fly"):
        env.step({"action": "Fly"}, raise_for_failure=True)
    env.stop()
    with pytest.raises(RuntimeError, match=r"start\(\)"):
        env.step({"action": "Pass"})
