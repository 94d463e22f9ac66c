import copy
import json

import pytest

from env_service.suites.asgard.plan_reader import PlanError, read_plan
from env_service.suites.asgard.task_sets import SceneItems, check_room, read_item_cache
from tests.unit.suites.asgard.builders import ROOM_ITEMS, plan_data


def without(types=(), names=()):
    items = ROOM_ITEMS
    return SceneItems(items.types - set(types), items.names - set(names))


def check(items):
    check_room(read_plan(plan_data(), "plan.json"), items, "plan.json")


def test_the_items_of_each_scene_are_read():
    text = json.dumps(
        {
            "types": {"FloorPlan1": ["Mug", "StoveKnob", "Apple"]},
            "names": {"FloorPlan1": ["Mug_0123abcd"]},
        }
    )
    items = read_item_cache(text)["FloorPlan1"]
    assert items == SceneItems(
        frozenset({"Mug", "StoveKnob", "Apple"}), frozenset({"Mug_0123abcd"})
    )
    assert items.words == ("Apple", "Mug")


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"types": []}', '{"types": {"A": []}}', '{"types": {"A": 3}}'),
        '{"types": {"A": []}, "names": {}}',
        b"\xff{}",
        "[" * 100_000,
    ],
)
def test_what_is_no_item_cache_is_refused(text):
    with pytest.raises(ValueError, match="the item cache has to be a JSON object"):
        read_item_cache(text)


def test_a_room_that_has_everything_will_do():
    check(ROOM_ITEMS)


def test_an_object_that_is_not_in_the_scene_is_named_and_located():
    items = without(names=["Pan_0123abcd"])
    items = SceneItems(items.types, items.names | {"Pan_99887766"})
    with pytest.raises(
        PlanError,
        match=r"plan.json: setup_actions\[0\].object_name: FloorPlan13 has no Pan_0123abcd;"
        r" of Pan it has Pan_99887766",
    ):
        check(items)


@pytest.mark.parametrize(
    ("missing", "kind"),
    [
        ("Plate", "LocationGoal"),
        ("EggCracked", "LocationGoal"),
        ("Egg", "StateGoal"),
        ("Mug", "PutAwayGoal"),
        ("DiningTable", "ContentsGoal"),
    ],
)
def test_a_goal_about_what_the_scene_lacks_is_impossible(missing, kind):
    data = copy.deepcopy(plan_data())
    goals = data["goal"]
    keys = {
        "LocationGoal": "location_goals",
        "StateGoal": "state_goals",
        "PutAwayGoal": "put_away_goals",
        "ContentsGoal": "contents_goals",
    }
    data["goal"] = {key: goals[key] if key == keys[kind] else type(goals[key])() for key in goals}
    with pytest.raises(PlanError, match=rf"goal \({kind}\): is impossible: \S+ has no {missing}"):
        check_room(read_plan(data, "plan.json"), without(types=[missing]), "plan.json")
