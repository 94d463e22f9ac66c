from __future__ import annotations

import pytest

from env_service.suites.alfred.builtin.goals import (
    CLEANABLE,
    COOLABLE,
    HEATABLE,
    LAMPS,
    MOVABLES,
    PARENTS,
    SLICED,
    may_hold,
    possible_goals,
)
from env_service.suites.alfred.builtin.rooms import Inventory, Place, Thing, inventory
from env_service.suites.alfred.object_words import (
    BASINS,
    PICKABLE,
    RECEPTACLES,
    SLICEABLE,
    SWITCHABLE,
)
from env_service.suites.alfred.task import TaskType

ROOMS = ("household-kitchen-2", "household-bedroom-2", "household-bathroom-2")
"""Few, as each takes time."""


def goals(kind: TaskType):
    found = [inventory(room) for room in ROOMS]
    return [(room, goal) for room in found if room for goal in possible_goals(kind, room)]


def apple(within: str, *, shut_in: str = "", at_hand: bool = True) -> Thing:
    return Thing("Apple", (0.1, 0.1, 0.1), frozenset({within}), shut_in, at_hand)


def kitchen(*things: Thing, **places: int) -> Inventory:
    wide = Place((2.0, 1.0, 1.8), taken=0.0)
    listed = {kind: (wide,) * number for kind, number in places.items()}
    return Inventory("k", "kitchen", {"Apple": things}, listed, frozenset((*listed, "Apple")))


@pytest.mark.parametrize("kind", TaskType)
def test_goals_use_the_words_of_the_skills_and_pairs_that_belong_together(kind):
    found = goals(kind)
    assert found
    for _, goal in found:
        assert goal.type is kind and goal.object in PICKABLE
        assert not goal.sliced or goal.object in SLICEABLE
        if kind is TaskType.LOOK:
            assert goal.toggle in LAMPS and goal.toggle in SWITCHABLE and not goal.parent
            continue
        assert goal.parent in RECEPTACLES or goal.parent in BASINS.values()
        carried = goal.movable or goal.object
        assert goal.parent in may_hold(carried)
        if kind is TaskType.MOVABLE:
            assert goal.movable in MOVABLES and goal.movable in may_hold(goal.object)


def test_no_goal_is_met_as_the_room_opens():
    for kind in (TaskType.SIMPLE, TaskType.TWO, TaskType.MOVABLE):
        for room, goal in goals(kind):
            if not goal.sliced:
                where = goal.movable or goal.parent
                assert all(where not in each.within for each in room.things[goal.object])


def test_only_what_can_be_changed_is_changed():
    for kind, able in (
        (TaskType.CLEAN, CLEANABLE),
        (TaskType.HEAT, HEATABLE),
        (TaskType.COOL, COOLABLE),
    ):
        assert {g.object + SLICED * g.sliced for _, g in goals(kind)} <= able
    assert (len(HEATABLE), len(COOLABLE), len(CLEANABLE)) == (12, 18, 25)


def test_what_is_changed_is_brought_elsewhere():
    assert all(goal.parent != "Microwave" for _, goal in goals(TaskType.HEAT))
    assert all(goal.parent != "Fridge" for _, goal in goals(TaskType.COOL))
    assert all(goal.parent != "SinkBasin" for _, goal in goals(TaskType.CLEAN))


def test_two_things_take_two_and_one_receptacle_of_the_type():
    def parents(room: Inventory) -> set[str]:
        return {g.parent for g in possible_goals(TaskType.TWO, room) if not g.sliced}

    two = (apple("CounterTop"), apple("CounterTop"))
    assert parents(kitchen(*two, DiningTable=1)) == {"DiningTable"}
    assert parents(kitchen(*two, DiningTable=2)) == set()
    assert parents(kitchen(two[0], DiningTable=1)) == set()


def test_what_the_skills_cannot_come_to_is_not_asked_for():
    hidden = apple("Drawer", shut_in="Drawer", at_hand=False)
    assert possible_goals(TaskType.SIMPLE, kitchen(hidden, DiningTable=1)) == ()
    seen = apple("Fridge", shut_in="Fridge")
    assert len(possible_goals(TaskType.SIMPLE, kitchen(seen, DiningTable=1))) == 1


def test_every_parent_is_one_that_a_skill_can_find():
    wholes = {part: whole for whole, part in BASINS.items()}
    assert {wholes.get(each, each) for each in PARENTS} <= set(RECEPTACLES)
