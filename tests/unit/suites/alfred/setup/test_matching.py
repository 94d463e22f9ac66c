"""Which object takes which pose."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from env_service.suites.alfred.metadata_view import AlfredView
from env_service.suites.alfred.setup.poses import ProblemKind, matched, nearest
from env_service.suites.alfred.task import ObjectPose
from env_service.worlds.ai2thor_api.geometry import Point

NOWHERE = Point(0.0, 0.0, 0.0)


def item(name: str, x: float, *, pickupable: bool = True) -> dict[str, object]:
    return {
        "name": name,
        "objectId": name,
        "objectType": name.split("_", maxsplit=1)[0],
        "pickupable": pickupable,
        "position": {"x": x, "y": 0.0, "z": 0.0},
    }


def house(*items: dict[str, object]) -> AlfredView:
    return AlfredView({"objects": list(items)})


def at(name: str, x: float) -> ObjectPose:
    return ObjectPose(name, Point(x, 0.0, 0.0), NOWHERE)


def names(found) -> list[str]:
    return [each.name for each in found.placements]


def test_each_pose_gets_the_nearest_object_of_its_type():
    scene = house(item("Mug_a", 0.0), item("Cup_a", 5.0), item("Mug_b", 3.0))
    found = matched(scene, [at("Mug_2", 2.9), at("Mug_1", 0.2), at("Cup_1", 0.0)], {})
    assert names(found) == ["Mug_b", "Mug_a", "Cup_a"]
    assert found.problems == ()


def test_the_nearest_pair_is_taken_first():
    scene = house(item("Mug_a", 0.0), item("Mug_b", 3.0))
    found = matched(scene, [at("Mug_1", 0.5), at("Mug_2", 0.1)], {})
    assert names(found) == ["Mug_b", "Mug_a"]


def test_poses_of_one_name_get_one_object():
    scene = house(item("Mug_a", 0.0), item("Mug_b", 3.0))
    found = matched(scene, [at("Mug_1", 2.0), at("Mug_2", 1.0), at("Mug_1", 9.0)], {})
    assert names(found) == ["Mug_b", "Mug_a", "Mug_b"]


def test_what_cannot_be_picked_up_takes_no_pose():
    scene = house(item("Box_a", 0.0, pickupable=False), item("Box_b", 3.0))
    assert names(matched(scene, [at("Box_1", 0.0)], {})) == ["Box_b"]


def test_a_name_too_many_shares_the_nearest_object_and_is_told_of():
    scene = house(item("Mug_a", 0.0))
    found = matched(scene, [at("Mug_1", 2.0), at("Mug_2", 1.0)], {})
    assert names(found) == ["Mug_a", "Mug_a"]
    assert [each.kind for each in found.problems] == [ProblemKind.COPIED]


def test_a_missing_type_leaves_its_poses_out():
    found = matched(house(item("Mug_a", 0.0)), [at("Cup_1", 0.0), at("Mug_1", 0.0)], {})
    assert names(found) == ["Mug_a"]
    assert [(each.kind, each.subject) for each in found.problems] == [(ProblemKind.ABSENT, "Cup_1")]


def test_an_alias_finds_the_object_under_its_new_type():
    scene = house(item("Bottle_a", 0.0))
    found = matched(scene, [at("Glassbottle_1", 1.0)], {"Glassbottle": "Bottle"})
    assert [(each.name, each.type) for each in found.placements] == [("Bottle_a", "Bottle")]


@given(st.lists(st.floats(-9, 9), max_size=6), st.lists(st.floats(-9, 9), max_size=6))
def test_pairs_are_one_to_one_and_none_is_left_out(places, wanted):
    items = [item(f"Mug_{k}", x) for k, x in enumerate(places)]
    found = nearest(items, [Point(x, 0.0, 0.0) for x in wanted])
    assert len(found) == min(len(items), len(wanted))
    assert len({each["name"] for each, _ in found.values()}) == len(found)
