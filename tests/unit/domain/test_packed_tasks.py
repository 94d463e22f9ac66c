"""Tasks as a service keeps them."""

from __future__ import annotations

import gc
import pickle

import pytest

from env_service.domain.packed_tasks import PackedTasks
from env_service.domain.task import Task

TASKS = [Task(f"t{number}", f"g{number % 3}", "c", {"n": [number]}) for number in range(10)]


def test_a_task_comes_out_as_it_went_in() -> None:
    packed = PackedTasks.of(TASKS)
    assert list(packed) == TASKS
    assert packed[-1] == TASKS[-1]
    assert packed.ids == tuple(task.id for task in TASKS)
    assert list(pickle.loads(pickle.dumps(packed))) == TASKS
    with pytest.raises(IndexError):
        packed[len(TASKS)]


def test_a_slice_stays_packed_and_parts_are_joined() -> None:
    packed = PackedTasks.of(TASKS)
    assert PackedTasks.joined([packed[:3], packed[3:]]) == packed
    assert packed[2:4].ids == ("t2", "t3")


def test_the_garbage_collector_has_nothing_to_look_through() -> None:
    gc.collect()
    before = len(gc.get_objects())
    packed = PackedTasks.of(
        Task(f"t{number}", "g", "c", {"n": [number]}) for number in range(10_000)
    )
    gc.collect()
    assert len(gc.get_objects()) - before < 100
    assert len(packed) == 10_000
