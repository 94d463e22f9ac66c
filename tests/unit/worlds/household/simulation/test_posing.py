"""Objects at given places."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.simulation.space.support_surfaces import supports
from env_service.worlds.household.state import HouseholdState, ObjectState
from tests.support.household_player import Player
from tests.support.household_scenes import all_of, kitchen, start
from tests.support.small_home import thing


@pytest.fixture
def player() -> Player:
    return Player(start())


def entry(item: ObjectState, **position: float) -> dict[str, Any]:
    return {
        "objectName": item.spec.name,
        "position": {**item.pose.position.to_json(), **position},
        "rotation": item.euler.to_json(),
    }


def loose(state: HouseholdState) -> list[ObjectState]:
    return [
        item
        for item in state.objects.values()
        if item.spec.can(Trait.PICKUPABLE) or item.spec.can(Trait.MOVEABLE)
    ]


def test_poses_that_are_there_already_change_nothing(player: Player) -> None:
    before = player.state
    player.do("SetObjectPoses", objectPoses=[entry(item) for item in loose(before)])
    assert all(player.state.objects[key] is item for key, item in before.objects.items())


def test_what_is_not_listed_leaves(player: Player) -> None:
    kept = [entry(player[kind]) for kind in ("Mug", "DiningTable")]
    player.do("SetObjectPoses", objectPoses=kept)
    assert {item.spec.type for item in loose(player.state)} == {"Mug", "DiningTable"}
    assert player["DiningTable"].contents == (player.id("Mug"),)


def test_a_listed_object_moves_to_its_new_receptacle(player: Player) -> None:
    poses = [entry(item) for item in loose(player.state) if item.spec.type != "Mug"]
    poses.append(entry(player["Mug"], x=0.5, y=0.91, z=1.5))
    player.do("SetObjectPoses", objectPoses=poses)
    assert player["Mug"].parents == (player.id("CounterTop"),)
    assert player["Mug"].pose.position == Vec3(0.5, 0.91, 1.5)
    assert player.id("Mug") not in (player["DiningTable"].contents or ())


def test_what_is_listed_twice_is_there_twice(player: Player) -> None:
    mug = player["Mug"]
    poses = [entry(item) for item in loose(player.state)]
    poses.append(entry(mug, x=-1.25, y=0.91, z=1.4))
    player.do("SetObjectPoses", objectPoses=poses)
    first, second = all_of(player.state, "Mug")
    assert (first.id, second.id) == (mug.id, "Mug|-01.25|+00.91|+01.40")
    assert first.spec.name != second.spec.name
    assert second.parents == (player.id("CounterTop"),)
    assert second.id in (player["CounterTop"].contents or ())


def posed_mug(player: Player, x: float, y: float, z: float, **more: Any) -> ObjectState:
    poses = [entry(item) for item in loose(player.state) if item.spec.type != "Mug"]
    poses.append(entry(player["Mug"], x=x, y=y, z=z))
    player.do("SetObjectPoses", objectPoses=poses, **more)
    return player["Mug"]


def test_what_hangs_in_the_air_falls_onto_what_is_below(player: Player) -> None:
    mug = posed_mug(player, 0.5, 1.4, 1.5)
    assert mug.body.bottom == pytest.approx(0.91)
    assert mug.parents == (player.id("CounterTop"),)


def test_what_is_sunk_in_a_table_comes_up(player: Player) -> None:
    mug = posed_mug(player, 0.5, 0.75, 1.5)
    assert mug.body.bottom == pytest.approx(0.91)
    assert mug.parents == (player.id("CounterTop"),)


def test_what_is_placed_stationary_stays_where_it_is_put(player: Player) -> None:
    mug = posed_mug(player, 0.5, 1.4, 1.5, placeStationary=True)
    assert mug.pose.position == Vec3(0.5, 1.4, 1.5)
    assert mug.parents is None


def test_what_overhangs_an_edge_stands_on_it(player: Player) -> None:
    mug = posed_mug(player, 1.55, 0.91, 1.5)
    assert mug.body.bottom == pytest.approx(0.91)
    assert mug.parents == (player.id("CounterTop"),)


def test_what_falls_beside_everything_ends_on_the_floor(player: Player) -> None:
    mug = posed_mug(player, -1.0, 0.6, 0.2)
    assert mug.body.bottom == pytest.approx(0.0, abs=0.01)


def test_what_lies_within_a_basin_is_in_it_though_the_counter_is_near(player: Player) -> None:
    mug = posed_mug(player, -1.9, 0.82, 1.6)
    assert player.id("SinkBasin") in (mug.parents or ())


def test_what_is_among_the_boards_of_furniture_stays_there(player: Player) -> None:
    mug = posed_mug(player, 0.6, 0.3, -0.9)
    assert mug.pose.position == Vec3(0.6, 0.3, -0.9)
    assert mug.parents == (player.id("DiningTable"),)


def test_a_thin_thing_that_is_sunk_a_little_comes_up(player: Player) -> None:
    height = player["CellPhone"].body.size.y
    poses = [entry(item) for item in loose(player.state) if item.spec.type != "CellPhone"]
    poses.append(entry(player["CellPhone"], x=0.5, y=0.91 - 0.4 * height, z=1.5))
    player.do("SetObjectPoses", objectPoses=poses)
    assert player["CellPhone"].body.bottom == pytest.approx(0.91)


def test_what_is_posed_between_the_boards_of_a_fridge_gets_a_board_of_its_own(
    player: Player,
) -> None:
    boards = sorted(each.height for each in supports(player.state.scene, player["Fridge"]))
    middle = boards[1] + 0.6 * (boards[2] - boards[1])
    mug = posed_mug(player, -2.05, middle, -1.2)
    assert mug.parents == (player.id("Fridge"),)
    assert mug.body.bottom == pytest.approx(middle, abs=0.001)
    now = [each.height for each in supports(player.state.scene, player["Fridge"])]
    assert any(height == pytest.approx(middle, abs=0.001) for height in now)


def test_what_is_posed_just_above_a_board_stands_on_that_board(player: Player) -> None:
    before = player["Fridge"].spec
    boards = sorted(each.height for each in supports(player.state.scene, player["Fridge"]))
    mug = posed_mug(player, -2.05, boards[1] + 0.02, -1.2)
    assert mug.body.bottom == pytest.approx(boards[1])
    assert player["Fridge"].spec is before


@pytest.mark.parametrize("above", [0.01, 0.04, 0.08])
def test_what_lies_low_in_a_safe_is_in_the_safe_and_not_on_the_floor_under_it(above: float) -> None:
    safe = thing("Safe", (-0.6, 0.0, 1.0), (0.5, 0.5, 0.5), yaw=180.0)
    player = Player(HouseholdState.at_start(kitchen(safe)))
    phone = player["CellPhone"]
    poses = [entry(item) for item in loose(player.state) if item is not phone]
    poses.append(entry(phone, x=-0.6, y=above, z=1.0))
    player.do("SetObjectPoses", objectPoses=poses)
    assert player["CellPhone"].parents == (player.id("Safe"),)
    inside = [each.height for each in supports(player.state.scene, player["Safe"])]
    assert player["CellPhone"].body.bottom == pytest.approx(min(inside))


def test_what_lies_in_a_closed_container_stays_in_it(player: Player) -> None:
    mug = posed_mug(player, 1.15, 0.13, 1.6)
    assert mug.parents == (player.id("Cabinet"),)


def test_an_unknown_name_is_refused_and_nothing_changes(player: Player) -> None:
    poses = [{"objectName": "Mug_none", "position": {"x": 0, "y": 0, "z": 0}}]
    result = player.attempt("SetObjectPoses", objectPoses=poses)
    assert result.error == "No Pickupable or Moveable object of name Mug_none found in scene."
    assert result.state is player.state


@pytest.mark.parametrize("poses", [[{"objectName": "Mug"}], ["Mug"], [{"objectName": 3}], [None]])
def test_a_list_of_something_else_is_refused(player: Player, poses: list[object]) -> None:
    result = player.attempt("SetObjectPoses", objectPoses=poses)
    assert result.error == "objectPoses must be a list of {objectName, position, rotation}"
    assert result.code is None, "the action fails, as in AI2-THOR, and raises nothing"


def test_the_hand_is_empty_afterwards(player: Player) -> None:
    player.do("PickupObject", "Mug")
    player.do("SetObjectPoses", objectPoses=[entry(item) for item in loose(start())])
    assert player.state.held is None
    assert player["Mug"].parents == (player.id("DiningTable"),)


def test_a_thing_is_placed_with_its_underside_at_a_point(player: Player) -> None:
    player.do("PlaceObjectAtPoint", "Mug", position={"x": 0.9, "y": 0.91, "z": 1.5})
    assert player["Mug"].body.bottom == pytest.approx(0.91)
    assert player["Mug"].parents == (player.id("CounterTop"),)
    player.do(
        "PlaceObjectAtPoint",
        "Fork",
        position={"x": 1.1, "y": 0.91, "z": 1.5},
        rotation={"x": 90.0, "y": 0.0, "z": 0.0},
    )
    assert player["Fork"].body.bottom == pytest.approx(0.91)
    assert player["Fork"].euler.x == pytest.approx(90.0)


def test_a_taken_place_is_refused(player: Player) -> None:
    at = player["Apple"].pose.position.to_json()
    assert "not clear" in player.attempt("PlaceObjectAtPoint", "Mug", position=at).error
    assert "push/pull" in player.attempt("PlaceObjectAtPoint", "Fridge", position=at).error


def test_points_above_a_receptacle_lie_on_it(player: Player) -> None:
    points = player.do("GetSpawnCoordinatesAboveReceptacle", "CounterTop").value
    assert len(points) > 100
    for point in points:
        assert point["y"] == pytest.approx(0.91)
        assert abs(point["x"]) <= 1.5 + 1e-9
    text = player.attempt("GetSpawnCoordinatesAboveReceptacle", "Book").error
    assert text == "This target object is NOT a receptacle!"


def test_points_in_view_are_fewer(player: Player) -> None:
    everywhere = player.do("GetSpawnCoordinatesAboveReceptacle", "CounterTop").value
    seen = player.do("GetSpawnCoordinatesAboveReceptacle", "CounterTop", anywhere=False).value
    assert 0 < len(seen) < len(everywhere)
    player.do("RotateRight")
    player.do("RotateRight")
    assert player.do("GetSpawnCoordinatesAboveReceptacle", "CounterTop", anywhere=False).value == []


def test_a_point_outside_the_scene_is_refused(player: Player) -> None:
    for point in ({"x": 0.0, "y": -3.0, "z": 0.0}, {"x": 9.0, "y": 0.9, "z": 0.0}):
        assert "scene bounds" in player.attempt("PlaceObjectAtPoint", "Mug", position=point).error
