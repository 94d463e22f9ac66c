"""Files: what is read is what was written, and equal rows are equal bytes."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from env_service.suites.babybench.dataset import formats
from env_service.suites.babybench.dataset.formats import (
    Column,
    Format,
    FormatUnavailableError,
    Kind,
    Row,
    check_formats,
    open_writer,
    read_rows,
)

COLUMNS = (
    Column("words", Kind.TEXT, "Any."),
    Column("number", Kind.INTEGER, "Any."),
    Column("truth", Kind.BOOLEAN, "Any."),
    Column("skills", Kind.TEXTS, "Any."),
    Column("doors", Kind.DOORS, "Any."),
    Column("subgoals", Kind.SUBGOALS, "Any."),
)
BARE = {"name": "DropSubgoal", "reason": "", "target": "", "x": None, "y": None}
THERE = {"name": "GoNextToSubgoal", "reason": "Open", "target": "red door", "x": 3, "y": 4}
ROWS: list[Row] = [
    {
        "words": 'two\nlines, "quoted"; ü',
        "number": 2**31 - 1,
        "truth": True,
        "skills": ["a", "b c"],
        "doors": [{"color": "red", "x": 1, "y": 2, "state": "locked"}],
        "subgoals": [THERE, BARE],
    },
    {"words": "", "number": 0, "truth": False, "skills": [], "doors": [], "subgoals": []},
]


def write(path: Path, form: Format, rows: Sequence[Row] = ROWS) -> bytes:
    if form is Format.PARQUET:
        pytest.importorskip("pyarrow")
    with open_writer(path, form, COLUMNS) as writer:
        for each in rows:
            writer.write(each)
    return path.read_bytes()


@pytest.mark.parametrize("form", Format)
def test_what_is_read_is_what_was_written(tmp_path: Path, form: Format) -> None:
    path = tmp_path / "rows"
    write(path, form)
    assert list(read_rows(path, form, COLUMNS)) == ROWS


@pytest.mark.parametrize("form", Format)
def test_equal_rows_are_equal_bytes(tmp_path: Path, form: Format) -> None:
    assert write(tmp_path / "one", form) == write(tmp_path / "other", form)


@pytest.mark.parametrize("form", Format)
def test_a_set_without_rows_is_a_file_too(tmp_path: Path, form: Format) -> None:
    write(tmp_path / "rows", form, [])
    assert list(read_rows(tmp_path / "rows", form, COLUMNS)) == []


def test_csv_is_as_the_standard_has_it(tmp_path: Path) -> None:
    data = write(tmp_path / "rows.csv", Format.CSV)
    assert data.startswith(b"words,number,truth,skills,doors,subgoals\r\n")
    assert data.endswith(b"\r\n")
    assert '"two\nlines, ""quoted""; ü",2147483647,true,'.encode() in data
    with (tmp_path / "rows.csv").open(encoding="utf-8", newline="") as file:
        first, _ = csv.DictReader(file)
    assert first["words"] == ROWS[0]["words"]
    assert json.loads(first["doors"]) == ROWS[0]["doors"]


def test_parquet_has_rows_in_groups_of_one_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(formats, "ROWS_PER_GROUP", 3)
    path = tmp_path / "rows.parquet"
    write(path, Format.PARQUET, ROWS * 4)
    file = parquet.ParquetFile(path)
    assert [file.metadata.row_group(n).num_rows for n in range(3)] == [3, 3, 2]
    assert file.schema_arrow.metadata[b"schema_version"] == b"1"
    assert str(file.schema_arrow.field("doors").type).startswith("list<")


def test_parquet_takes_a_library_and_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formats, "find_spec", lambda _: None)
    with pytest.raises(FormatUnavailableError, match=r"pip install 'houseguest\[parquet\]'"):
        check_formats([Format.CSV, Format.PARQUET])
    check_formats([Format.CSV, Format.JSONL])


@pytest.mark.parametrize(
    ("form", "text", "words"),
    [
        (Format.CSV, "words,number\r\n", "does not name the manifest's columns"),
        (
            Format.CSV,
            "words,number,truth,skills,doors,subgoals\r\na,b,true,[],[],[]\r\n",
            "line 2",
        ),
        (Format.JSONL, "{}\n", "line 1"),
        (Format.JSONL, '{"words"', "line 1 is not JSON"),
    ],
)
def test_another_file_is_told_with_its_line(
    tmp_path: Path, form: Format, text: str, words: str
) -> None:
    (tmp_path / "rows").write_text(text, encoding="utf-8", newline="")
    with pytest.raises(ValueError, match=words):
        list(read_rows(tmp_path / "rows", form, COLUMNS))
