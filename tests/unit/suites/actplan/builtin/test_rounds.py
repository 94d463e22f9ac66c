"""Which activity comes when."""

from __future__ import annotations

from env_service.suites.actplan.builtin.activity_kinds import KINDS
from env_service.suites.actplan.builtin.task_set import rooms_for, slots

ALL = {kind.__name__ for kinds in KINDS.values() for kind in kinds}


def test_there_are_many_kinds() -> None:
    assert len(ALL) >= 15


def test_every_activity_comes_once_in_a_round() -> None:
    names = [each.name for each in slots(0, 2 * len(ALL))]
    assert set(names[: len(ALL)]) == set(names[len(ALL) :]) == ALL


def test_fewer_places_are_the_first_of_more() -> None:
    assert list(slots(3, 5)) == list(slots(3, 9))[:5]


def test_seeds_differ() -> None:
    assert [each.name for each in slots(0, 9)] != [each.name for each in slots(1, 9)]


def test_an_activity_is_tried_in_rooms_of_its_kind() -> None:
    slot = next(iter(slots(0, 1)))
    assert all(name.startswith(f"household-{slot.room_kind}-") for name in rooms_for(slot))
