from __future__ import annotations

import json
from collections import Counter
from functools import cache

from env_service.suites.alfred.builtin.task_set import builtin_task_set
from env_service.suites.alfred.command_wordings import KEPT, Wording, command_of
from env_service.suites.alfred.skills.vocabulary import SKILLS
from env_service.suites.alfred.task import AlfredTask, TaskType, read_task

SET = "builtin-14-3"


@cache
def tasks(name: str = SET) -> tuple[AlfredTask, ...]:
    found = builtin_task_set(name)
    assert found is not None and found.name == name
    for task in found.tasks:
        assert json.loads(json.dumps(task.data)) == task.data
        assert (task.group, task.cluster) == (
            task.data["goal"]["type"],
            task.data["setup"]["scene"],
        )
    return tuple(map(read_task, found.tasks))


def test_a_set_is_the_same_each_time_and_a_part_of_a_longer_one():
    assert tasks() == tasks.__wrapped__()
    assert tasks("builtin-9-3") == tasks()[:9]
    assert tasks("builtin-2-4") != tasks()[:2]


def test_types_are_balanced_and_ids_unique():
    assert Counter(each.goal.type for each in tasks()) == dict.fromkeys(TaskType, 2)
    assert len({each.id for each in tasks()}) == 14


def test_an_id_tells_the_goal_and_the_room():
    for task in tasks():
        goal = task.goal
        thing = goal.object + ("Sliced" if goal.sliced else "")
        parts = (goal.type.value, thing, goal.movable or "None", goal.parent or goal.toggle)
        assert task.id == "-".join((*parts, task.setup.scene))


def test_the_room_stays_as_it_is_but_for_lamps_and_dirt():
    for task in tasks():
        setup = task.setup
        assert not setup.poses and setup.agent is None
        assert setup.dirty_and_empty == (task.goal.type is TaskType.CLEAN)
        assert setup.toggles == (((task.goal.toggle, False),) if task.goal.toggle else ())


def test_every_wording_but_the_crowds_is_there():
    for task in tasks():
        assert tuple(task.commands) == KEPT and task.originals == ()
        for wording in Wording:
            if wording is not Wording.ORIGINAL:
                assert command_of(task, wording).text


def test_reference_plans_are_made_of_skills():
    for task in tasks():
        assert task.reference and set(task.reference) <= set(SKILLS) - {"done"}
