"""Tables as CSV."""

from __future__ import annotations

import csv
import io

import pytest

from env_service.results.report.content import Cell, Column, Row, RowKind, TableData, words_table
from env_service.results.report.report_files import as_csv
from env_service.suites.reporting import Unit


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_numbers_are_not_rounded_and_bring_their_interval() -> None:
    table = TableData(
        id="t",
        title="T",
        columns=(Column("key", "level"), Column("success", "success", Unit.PERCENT)),
        rows=(Row((Cell("GoTo"), Cell(1 / 3, 0.1, 0.6, 3))), Row((Cell("Open"), Cell(None)))),
    )
    assert read(as_csv(table)) == [
        ["level", "success", "success low", "success high", "success n"],
        ["GoTo", repr(1 / 3), "0.1", "0.6", "3"],
        ["Open", "", "", "", ""],
    ]


def test_published_and_total_rows_are_told_apart() -> None:
    table = TableData(
        id="t",
        title="T",
        columns=(Column("key", "agent"), Column("success", "success", Unit.PERCENT)),
        rows=(
            Row((Cell("a"), Cell(0.5))),
            Row((Cell("all"), Cell(0.5)), RowKind.TOTAL),
            Row((Cell("b"), Cell(0.25)), RowKind.PUBLISHED, "Some Journal"),
        ),
    )
    assert read(as_csv(table)) == [
        ["agent", "success", "kind", "source"],
        ["a", "0.5", "ours", ""],
        ["all", "0.5", "total", ""],
        ["b", "0.25", "published", "Some Journal"],
    ]


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "  =HYPERLINK(1)", '=cmd|"/c calc"!A1']
)
def test_no_text_is_a_formula(text: str) -> None:
    (_, (cell,)) = read(as_csv(words_table("t", "T", ("name",), ((text,),))))
    assert cell == f"'{text}"


def test_lines_and_quotes_stay_in_their_cell() -> None:
    ((_, _), (first, second)) = read(
        as_csv(words_table("t", "T", ("a", "b"), (("x\ny", 'say "a, b"'),)))
    )
    assert (first, second) == ("x�y", 'say "a, b"')


def test_a_label_stands_in_every_row() -> None:
    table = words_table("t", "T", ("a",), (("x",), ("y",)))
    assert read(as_csv(table, "not comparable: worlds")) == [
        ["a", "label"],
        ["x", "not comparable: worlds"],
        ["y", "not comparable: worlds"],
    ]


def test_columns_that_are_called_alike_stay_apart() -> None:
    columns = (
        Column("key", "group"),
        *(Column(name, name, Unit.NUMBER) for name in ("kind", "key", "kind")),
    )
    row = Row((Cell("a"), Cell(1), Cell(2), Cell(3)))
    table = TableData(id="t", title="T", columns=columns, rows=(row,))
    assert table.to_json()["rows"] == [
        {"kind": "ours", "key": "a", "kind 2": 1, "key 2": 2, "kind 3": 3}
    ]
    assert as_csv(table).splitlines() == ["group,kind 2,key 2,kind 3", "a,1,2,3"]
