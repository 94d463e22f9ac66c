from __future__ import annotations

from collections import Counter

from env_service.suites.alfred.builtin.rounds import slots
from env_service.suites.alfred.task import TaskType


def test_every_seven_tasks_are_of_the_seven_types():
    types = [each.type for each in slots(3, 210)]
    for start in range(0, 210, 7):
        assert set(types[start : start + 7]) == set(TaskType)


def test_a_round_has_all_kinds_of_rooms_in_the_shares_of_the_recorded_tasks():
    kinds = Counter(each.kind for each in slots(0, 70))
    assert kinds == {"kitchen": 40, "bedroom": 11, "living-room": 10, "bathroom": 9}
    assert Counter(each.kind for each in slots(9, 140)) == Counter(kinds) + Counter(kinds)


def test_what_comes_at_a_place_does_not_depend_on_the_length():
    assert slots(5, 200)[:33] == slots(5, 33)
    assert slots(5, 70) != slots(6, 70)


def test_things_are_heated_in_kitchens_and_lamps_stand_elsewhere():
    rooms = {(each.type, each.kind) for each in slots(1, 140)}
    assert {kind for type_, kind in rooms if type_ is TaskType.HEAT} == {"kitchen"}
    assert {kind for type_, kind in rooms if type_ is TaskType.LOOK} == {"bedroom", "living-room"}
