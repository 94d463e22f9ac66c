from __future__ import annotations

import json
import pickle

import pytest

from env_service.suites.asgard.builtin.rounds import Variation, draw_for, variations
from env_service.suites.asgard.builtin.task_set import (
    away_types,
    builtin_task_set,
    inventory,
    kind_of,
    make_task,
    room_for,
    will_do,
)
from env_service.suites.asgard.object_types import object_tables
from env_service.suites.asgard.plan import Family, State, StateGoal
from env_service.suites.asgard.task_sets import SceneItems, check_room, read_task
from env_service.worlds.household.scene.rooms.built_in_rooms import BuiltInRooms

ROOMS = {"kitchen": "household-kitchen-1", "bathroom": "household-bathroom-2"}
"""Rooms that the tests draw up, few as each takes time."""


def room_of(variation):
    return ROOMS.get(kind_of(variation), "household-living-room-1")


def made(variation, version=1):
    away = away_types(variation, draw_for("test", variation))
    return make_task(variation, room_of(variation), away, version)


@pytest.mark.parametrize("family", Family)
def test_every_variation_reads_back_as_what_it_was_made_from(family):
    for variation in dict.fromkeys(each for each in variations() if each.family is family):
        task = made(variation)
        plan = read_task(pickle.loads(pickle.dumps(task))).plan
        assert (plan.family, plan.scene) == (family, room_of(variation))
        assert (task.id, task.group, task.cluster) == (plan.name, family.value, plan.scene)
        dirty = [a.object_name.split("_")[0] for a in plan.setup_actions if a.kind == "dirty"]
        assert tuple(dirty) == variation.dirty
        for kind in variation.dirty:
            assert StateGoal(kind, State.DIRTY, value=False) in plan.goals
        assert json.loads(json.dumps(task.data)) == task.data
        assert plan.description and not set("{}_") & set(plan.description)


def test_names_follow_the_published_grammar():
    kitchen = ROOMS["kitchen"]

    def named(family, **told):
        return made(Variation(family, **told)).id

    assert named(Family.COOK_EGG, dirty=("Pan", "Plate")) == (
        f"cook__Egg_Pan(d)_Plate(d)_{kitchen}_V1"
    )
    assert named(Family.COFFEE, mug="has_coffee") == f"coffee__has_coffee_{kitchen}_V1"
    assert named(Family.TURN_ON_TV) == "turn_on_tv__household-living-room-1_V1"
    assert named(
        Family.SLICE_AND_DISTRIBUTE, food="Tomato", dishes=("Plate", "Bowl"), dirty=("Bowl",)
    ) == (f"distribute__Tomato_Plate_Bowl(d)_{kitchen}_V1")
    away = make_task(Variation(Family.PUT_AWAY_FOOD, away=2), kitchen, ("Apple", "Egg"), 3)
    assert away.id == f"putaway__Food_{kitchen}_V3-Apple Egg"
    assert away.data["plan"]["task_description"] == "Put away the Apple and Egg"


def test_what_is_put_away_is_drawn_from_its_class_with_what_is_dirty():
    variation = Variation(Family.PUT_AWAY_DISHES, dirty=("Cup",), away=3)
    drawn = {away_types(variation, draw_for("test", number)) for number in range(20)}
    assert len(drawn) > 3
    for listed in drawn:
        assert len(set(listed)) == 3 and "Cup" in listed
        assert set(listed) <= {"Bowl", "Plate", "Cup", "Mug", "Pot"}


def test_the_same_name_is_the_same_task_and_another_version_another_disorder():
    variation = Variation(Family.MAKE_TOAST)
    assert made(variation) == made(variation)
    one, other = (read_task(made(variation, version)).plan for version in (1, 2))
    assert one.seed != other.seed and one.step_count == other.step_count


def test_what_a_task_needs_is_in_its_room():
    held = {}
    for variation in dict.fromkeys(variations()):
        room = room_of(variation)
        if room not in held:
            objects = BuiltInRooms().load(room).objects
            types = {*object_tables().slices.values(), *(each.type for each in objects)}
            held[room] = SceneItems(frozenset(types), frozenset(each.name for each in objects))
        plan = read_task(made(variation)).plan
        check_room(plan, held[room], plan.name)
        assert will_do(variation, room)


def test_a_room_that_lacks_something_is_passed_over():
    table = Variation(Family.SET_TABLE, mug="empty")
    lacking = next(
        room
        for room in (f"household-kitchen-{number}" for number in range(1, 60))
        if "DiningTable" not in inventory(room).counts
    )
    assert not will_do(table, lacking)
    assert will_do(Variation(Family.COOK_EGG), lacking)
    assert not will_do(table, "household-attic-1")
    for place in range(3):
        assert will_do(table, room_for(table, 5, 0, place))


def test_words_are_those_of_the_room_and_of_what_slicing_makes():
    task = made(Variation(Family.COOK_EGG))
    words = task.data["objects"]
    assert words == sorted(set(words))
    assert {"Egg", "EggCracked", "BreadSliced", "StoveBurner"} <= set(words)
    assert not {"PepperShaker", "StoveKnob"} & set(words)


def test_a_set_begins_like_a_longer_one_and_lists_each_task_once():
    short, long = builtin_task_set("builtin-3-9"), builtin_task_set("builtin-6-9")
    assert short.name == "builtin-3-9"
    assert short.tasks == long.tasks[:3]
    assert len({task.id for task in long.tasks}) == 6
    assert len({task.cluster for task in long.tasks}) == 6
    other = builtin_task_set("builtin-3-10")
    assert {task.id for task in other.tasks}.isdisjoint(task.id for task in long.tasks)
