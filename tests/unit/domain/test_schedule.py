"""Which task comes next, and when a run is over."""

from __future__ import annotations

import tracemalloc

from env_service.domain.packed_tasks import PackedTasks
from env_service.domain.schedule import Assignment, Schedule, VoidLimits
from env_service.domain.task import Task

TWO = PackedTasks.of([Task("a", "g", "c"), Task("b", "g", "c")])


def ledger(n: int = 3, limits: VoidLimits | None = None) -> Schedule:
    tasks = [Task(f"t{i}", "group", "cluster") for i in range(n)]
    return Schedule(PackedTasks.of(tasks), limits or VoidLimits())


def take(book: Schedule) -> Assignment:
    assignment = book.take()
    assert assignment is not None
    return assignment


def test_tasks_are_dealt_in_order_and_the_run_ends_when_all_are_done() -> None:
    book = ledger()
    taken = [take(book) for _ in range(3)]
    assert [a.task.id for a in taken] == ["t0", "t1", "t2"]
    assert book.take() is None
    assert not book.finished
    for assignment in taken:
        book.complete(assignment)
    assert book.finished
    assert book.done == 3


def test_a_voided_task_comes_back_last() -> None:
    book = ledger()
    book.void(take(book), collateral=False)
    assert [take(book).task.id for _ in range(3)] == ["t1", "t2", "t0"]


def test_after_three_faults_of_its_own_a_task_is_unscored() -> None:
    book = ledger(1)
    for _ in range(3):
        book.void(take(book), collateral=False)
    assert book.finished
    assert [a.task.id for a in book.unscored] == ["t0"]


def test_a_neighbours_fault_is_charged_to_nobody() -> None:
    book = ledger(1)
    for _ in range(10):
        book.void(take(book), collateral=True)
    assert book.voids == 0
    assert take(book).task.id == "t0"


def test_a_guest_that_crashes_the_house_earns_no_further_tries() -> None:
    book = ledger(5, VoidLimits(per_task=3, per_run=2))
    for _ in range(5):
        book.void(take(book), collateral=False)
    assert [a.task.id for a in book.unscored] == ["t2", "t3", "t4"]


def test_a_restored_run_plays_only_what_is_left() -> None:
    book = ledger(3)
    book.restore(done=[("t0", 0)], voided=[("t1", 0), ("t1", 0), ("t1", 0), ("t2", 0)])
    assert take(book).task.id == "t2"
    assert book.take() is None
    assert [a.task.id for a in book.unscored] == ["t1"]
    assert book.done == 1


def test_every_task_is_dealt_once_before_any_is_dealt_again() -> None:
    book = Schedule(
        PackedTasks.of([Task("a", "g", "c"), Task("b", "g", "c")]), VoidLimits(), repeats=2
    )
    assert [take(book).key for _ in range(4)] == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert book.take() is None


def test_a_restored_run_skips_what_is_done_in_any_repeat() -> None:
    book = Schedule(
        PackedTasks.of([Task("a", "g", "c"), Task("b", "g", "c")]), VoidLimits(), repeats=3
    )
    book.restore(done=[("b", 0), ("a", 2), ("b", 0)], voided=[("a", 1)] * 3)
    assert (book.done, [a.key for a in book.unscored]) == (2, [("a", 1)])
    for key in [("a", 0), ("b", 1), ("b", 2)]:
        assignment = take(book)
        assert assignment.key == key
        book.complete(assignment)
    assert book.finished
    assert book.done == 5


def test_records_of_other_tasks_take_no_episode_away() -> None:
    book = ledger(1)
    book.restore(done=[("another", 0), ("t0", 7)], voided=[("another", 0)] * 3)
    assert take(book).task.id == "t0"
    assert book.unscored == ()


def test_ten_million_episodes_take_no_memory() -> None:
    tasks = PackedTasks.of(Task(f"t{i}", "group", "cluster") for i in range(100))
    tracemalloc.start()
    try:
        book = Schedule(tasks, VoidLimits(), repeats=100_000)
        book.restore(done=[("t0", 0)], voided=[])
        for _ in range(3):
            book.complete(take(book))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (book.total, book.done) == (10_000_000, 4)
    assert not book.played_out
    assert peak < 1_000_000


def test_an_abandoned_task_is_dealt_again_first() -> None:
    book = ledger()
    book.give_back(take(book))
    assert take(book).task.id == "t0"


def test_a_task_set_aside_is_charged_to_nobody_and_not_dealt_again() -> None:
    book = ledger(2, VoidLimits(per_task=1, per_run=0))
    left = take(book)
    book.set_aside(left)
    book.complete(take(book))
    assert book.take() is None
    assert book.played_out
    assert not book.finished
    assert (book.unscored, book.voids, book.attempt(left)) == ((), 0, 1)


def test_seeds_differ_by_task_repeat_and_run_and_are_stable() -> None:
    task, other = Task("t0", "g", "c"), Task("t1", "g", "c")
    seeds = {
        Assignment(task, 0).seed(0),
        Assignment(task, 1).seed(0),
        Assignment(other, 0).seed(0),
        Assignment(task, 0).seed(1),
    }
    assert len(seeds) == 4
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert Assignment(task, 0).seed(0) == 8804690157683165051
