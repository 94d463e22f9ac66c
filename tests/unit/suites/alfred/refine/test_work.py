"""What is left to do, and who does it at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest

from env_service.chat.client import UnreachableError
from env_service.chat.concurrency import run_concurrently
from env_service.suites.alfred.refine.pipeline import (
    PERSON,
    Batch,
    Entry,
    Item,
    Key,
    WorkPlan,
    batches,
    text_of,
)
from env_service.suites.alfred.refine.sources import Source, Stage, in_order
from env_service.suites.alfred.task import Goal, TaskType

GOAL = Goal(TaskType.SIMPLE, "Book", "Desk")
SOURCES = tuple(Source(f"t{n}", GOAL, "1. PutObject(book,desk)", ("Go.", "Do.")) for n in range(5))
PLAN = WorkPlan(SOURCES, batch=2)
BASE = {(s.id, Stage.BASE, 0): Entry(s.id, Stage.BASE, f"Base {s.id}.") for s in SOURCES}


def ids(parts: Sequence[Batch]) -> list[list[str]]:
    """The tasks of each batch."""
    return [[item.source.id for item in part] for part in parts]


def made(stage: Stage, task: str, **more: str) -> dict[Key, Entry]:
    """A paraphrase of a base command."""
    entry = Entry(task, stage, "Text.", **{"made_of": f"Base {task}.", **more})
    return {entry.key: entry}


def test_stages_come_in_their_order_each_once() -> None:
    asked = [Stage.KOREAN, Stage.BASE, Stage.KOREAN, Stage.INTEGRITY]
    assert in_order(asked) == (Stage.INTEGRITY, Stage.BASE, Stage.KOREAN)


def test_some_stages_take_several_commands_in_one_request() -> None:
    assert ids(batches(PLAN, Stage.PARAPHRASE_1, BASE)) == [["t0", "t1"], ["t2", "t3"], ["t4"]]
    assert ids(batches(PLAN, Stage.BASE, {})) == [["t0"], ["t1"], ["t2"], ["t3"], ["t4"]]


def test_every_original_command_is_checked() -> None:
    parts = batches(WorkPlan(SOURCES[:1]), Stage.INTEGRITY, {})
    assert [(item.text, item.place) for part in parts for item in part] == [("Go.", 0), ("Do.", 1)]


def test_what_is_done_is_left_out_and_the_rest_keeps_its_batches() -> None:
    known = {**BASE, **made(Stage.PARAPHRASE_1, "t0"), **made(Stage.PARAPHRASE_1, "t4")}
    assert ids(batches(PLAN, Stage.PARAPHRASE_1, known)) == [["t1"], ["t2", "t3"]]


def test_what_gave_nothing_is_asked_again() -> None:
    known = {**BASE, **made(Stage.PARAPHRASE_1, "t0")}
    known["t0", Stage.PARAPHRASE_1, 0] = replace(known["t0", Stage.PARAPHRASE_1, 0], text="")
    assert ids(batches(PLAN, Stage.PARAPHRASE_1, known))[0] == ["t0", "t1"]


def test_what_was_made_of_another_base_is_made_anew_unless_a_person_said_it() -> None:
    old = made(Stage.CONTEXTUAL, "t0", made_of="Base of old.")
    kept = made(Stage.CONTEXTUAL, "t1", made_of="Base of old.", by=PERSON)
    assert ids(batches(PLAN, Stage.CONTEXTUAL, {**BASE, **old, **kept}))[0] == ["t0"]


def test_what_is_flagged_is_asked_again_only_if_that_is_wanted() -> None:
    flagged = {
        key: replace(e, findings=("count: two",)) for key, e in made(Stage.KOREAN, "t0").items()
    }
    assert ids(batches(PLAN, Stage.KOREAN, {**BASE, **flagged}))[0] == ["t1"]
    again = replace(PLAN, again=True)
    assert ids(batches(again, Stage.KOREAN, {**BASE, **flagged}))[0] == ["t0", "t1"]


def test_korean_may_be_made_of_the_first_paraphrase() -> None:
    known = {**BASE, **made(Stage.PARAPHRASE_1, "t0")}
    plan = replace(PLAN, korean_of=Stage.PARAPHRASE_1)
    assert [item.text for item in batches(plan, Stage.KOREAN, known)[0]] == ["Text."]


def test_a_text_that_was_there_before_counts_until_there_is_a_new_one() -> None:
    source = replace(SOURCES[0], texts={Stage.BASE: "Old."})
    assert text_of(source, Stage.BASE, {}) == "Old."
    assert text_of(source, Stage.BASE, BASE) == "Base t0."
    assert text_of(source, Stage.KOREAN, BASE) == ""


def answers(items: Sequence[Item]) -> Iterator[list[Entry]]:
    """An entry for each item, one at a time."""
    for item in items:
        yield [Entry(item.source.id, item.stage, "Text.")]


@pytest.mark.parametrize("parallel", [1, 3, 50])
def test_all_batches_are_done_however_many_at_a_time(parallel: int) -> None:
    parts = batches(PLAN, Stage.PARAPHRASE_1, BASE)
    done: list[str] = []
    run_concurrently(parts, answers, parallel, lambda entries: done.extend(e.task for e in entries))
    assert sorted(done) == ["t0", "t1", "t2", "t3", "t4"]


@pytest.mark.parametrize("parallel", [1, 2])
def test_what_was_answered_before_a_failure_still_comes(parallel: int) -> None:
    def fails(items: Sequence[Item]) -> Iterator[list[Entry]]:
        yield from answers(items[:1])
        raise UnreachableError("gone")

    came: list[str] = []
    with pytest.raises(UnreachableError, match="gone"):
        run_concurrently(
            batches(PLAN, Stage.PARAPHRASE_1, BASE),
            fails,
            parallel,
            lambda entries: came.extend(entry.task for entry in entries),
        )
    assert came[0] == "t0"
    assert set(came) <= {"t0", "t2"}


def test_an_interruption_while_something_is_kept_loses_no_answers() -> None:
    came: list[str] = []

    def keep(entries: Sequence[Entry]) -> None:
        came.extend(entry.task for entry in entries)
        if len(came) == 1:
            everybody.wait(60)
            raise KeyboardInterrupt

    everybody = threading.Event()
    count = iter(range(1, 6))

    def counts(items: Sequence[Item]) -> Iterator[list[Entry]]:
        for entries in answers(items):
            yield entries
            if next(count) == 5:
                everybody.set()

    with pytest.raises(KeyboardInterrupt):
        run_concurrently(batches(PLAN, Stage.BASE, {}), counts, 2, keep)
    assert sorted(came) == ["t0", "t1", "t2", "t3", "t4"]


def test_nothing_to_do_is_done_at_once() -> None:
    run_concurrently([], answers, 4, lambda entries: pytest.fail(str(entries)))
