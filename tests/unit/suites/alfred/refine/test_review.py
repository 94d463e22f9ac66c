"""The review file: written, looked over, read back."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.suites.alfred.refine.pipeline import PERSON, Entry, Key
from env_service.suites.alfred.refine.review import (
    COLUMNS,
    Applied,
    apply_words,
    read_review,
    write_review,
)
from env_service.suites.alfred.refine.sources import ReviewError, Source, Stage
from env_service.suites.alfred.task import Goal, TaskType

MUG = Source("t1", Goal(TaskType.HEAT, "Mug", "Shelf"), "1. PutObject(mug,shelf)", ("Go, “mug”.",))
BASE = Entry("t1", Stage.BASE, "Put a mug on the shelf.", findings=("state: heated.", "form: x."))
KOREAN = Entry("t1", Stage.KOREAN, "머그를 선반에 놓으세요.", made_of=BASE.text)
JUDGED = Entry("t1", Stage.INTEGRITY, "too short", made_of="Go, “mug”.", type=2)
ENTRIES: Mapping[Key, Entry] = {each.key: each for each in (BASE, KOREAN, JUDGED)}


def written(path: Path) -> list[dict[str, str]]:
    """A review file's rows as a spreadsheet reads them."""
    return list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def looked_over(path: Path, changes: Mapping[str, Mapping[str, str]], delimiter: str = ",") -> Path:
    """The file with columns changed by stage, as a spreadsheet saves it."""
    write_review(path, [MUG], ENTRIES, {})
    rows = [{**row, **changes.get(row["stage"], {})} for row in written(path)]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def applied(path: Path, entries: Mapping[Key, Entry] = ENTRIES) -> Applied:
    """What comes of a file."""
    return apply_words(read_review(path), entries, [MUG])


def test_every_text_has_a_row_with_what_it_was_made_of(tmp_path: Path) -> None:
    path = tmp_path / "review.csv"
    write_review(path, [MUG], ENTRIES, {})
    rows = {row["stage"]: row for row in written(path)}
    assert list(rows) == ["integrity/0", "B", "K"]
    assert rows["integrity/0"]["text"] == "2: too short"
    assert rows["integrity/0"]["made_of"] == "Go, “mug”."
    assert rows["B"]["findings"] == "state: heated.\nform: x."
    assert rows["K"]["text"] == "머그를 선반에 놓으세요."
    assert not any(row["verdict"] or row["correction"] for row in rows.values())


def test_a_file_that_nobody_wrote_into_says_nothing(tmp_path: Path) -> None:
    assert read_review(looked_over(tmp_path / "review.csv", {})) == {}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_correction_takes_the_texts_place(tmp_path: Path, delimiter: str) -> None:
    change = {"B": {"correction": " Put a heated mug\non the shelf. ", "verdict": "OK"}}
    done = applied(looked_over(tmp_path / "review.csv", change, delimiter))
    (entry,) = done.entries
    assert (entry.text, entry.by) == ("Put a heated mug on the shelf.", PERSON)
    assert entry.findings == ()
    assert not done.problems


def test_a_correction_has_the_last_word_though_rules_object(tmp_path: Path) -> None:
    change = {"B": {"correction": "Bring me a mug."}}
    (entry,) = applied(looked_over(tmp_path / "review.csv", change)).entries
    assert entry.findings
    assert not entry.flagged


def test_a_verdict_is_enough(tmp_path: Path) -> None:
    change = {"B": {"verdict": "ok"}, "K": {"verdict": "again"}}
    done = applied(looked_over(tmp_path / "review.csv", change))
    assert done.entries == (replace(BASE, by=PERSON),)
    assert done.again == {KOREAN.key}


def test_a_type_is_corrected_by_a_number(tmp_path: Path) -> None:
    change = {"integrity/0": {"correction": "5"}}
    (entry,) = applied(looked_over(tmp_path / "review.csv", change)).entries
    assert (entry.type, entry.text, entry.by) == (5, "too short", PERSON)


def test_a_word_on_a_text_that_has_changed_is_told(tmp_path: Path) -> None:
    path = looked_over(tmp_path / "review.csv", {"B": {"verdict": "ok"}})
    changed = {**ENTRIES, BASE.key: replace(BASE, text="Put a hot mug on the shelf.")}
    done = applied(path, changed)
    assert not done.entries
    assert done.problems == (
        f"{path}, line 4: the text of task t1, stage B, has changed since it was looked at; look at"
        " it again",
    )
    assert "no such text: task t1, stage B" in applied(path, {}).problems[0]


def test_what_people_wrote_stays_in_the_file_until_it_is_the_text(tmp_path: Path) -> None:
    path = looked_over(
        tmp_path / "review.csv", {"B": {"correction": "Put a hot mug on the shelf."}}
    )
    words = read_review(path)
    write_review(path, [MUG], ENTRIES, words)
    assert written(path)[1]["correction"] == "Put a hot mug on the shelf."
    (entry,) = apply_words(words, ENTRIES, [MUG]).entries
    write_review(path, [MUG], {**ENTRIES, entry.key: entry}, words)
    row = written(path)[1]
    assert (row["text"], row["verdict"], row["correction"]) == (entry.text, "ok", "")


def test_json_lines_do_as_well(tmp_path: Path) -> None:
    path = tmp_path / "review.jsonl"
    write_review(path, [MUG], ENTRIES, {})
    text = path.read_text("utf-8")
    path.write_text(text.replace('"verdict": ""', '"verdict": "ok"'), encoding="utf-8")
    assert len(applied(path).entries) == 3


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"B": {"verdict": "fine"}}, r"line 4: no such verdict: 'fine'; write ok, again"),
        ({"K": {"stage": "X"}}, r"line 5: no such stage: 'X'"),
        ({"integrity/0": {"correction": "spatial"}}, r"line 2: 'spatial' is not a type"),
    ],
    ids=["verdict", "stage", "type"],
)
def test_a_row_that_cannot_be_understood_is_named(
    tmp_path: Path, change: Mapping[str, Mapping[str, str]], problem: str
) -> None:
    with pytest.raises(ReviewError, match=problem):
        read_review(looked_over(tmp_path / "review.csv", change))


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("a.csv", b"task,text\n1,2\n", "is not a review file: it lacks the column 'task_id'"),
        ("a.csv", b"", "is not a review file"),
        ("a.csv", "é".encode("latin-1"), "is not in UTF-8"),
        ("a.csv", f"{','.join(COLUMNS)}\na,b\n".encode(), "line 2 lacks the column"),
        ("a.csv", f'{",".join(COLUMNS)}\n"a"b\n'.encode(), "line 2"),
        ("a.jsonl", b"no\n", "line 1 is not JSON"),
        ("a.jsonl", b"[]\n", "is not a review file: line 1 is not an object"),
    ],
    ids=range(7),
)
def test_a_file_that_is_no_review_is_told(
    tmp_path: Path, name: str, data: bytes, problem: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(ReviewError, match=problem):
        read_review(path)
