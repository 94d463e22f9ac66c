"""The numbers of a report lead to their episodes on the viewer's page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

from env_service.results.report.content import Cell, Document, FigureData, TableData
from env_service.results.report.html_page import as_page
from env_service.results.report.run_report import Designed, make_report
from env_service.results.run_reader import RunContents
from tests.support.lab import LabSuite
from tests.support.made_run import made_text


def report(*runs: RunContents) -> Document:
    return make_report(runs, lambda _: Designed(LabSuite.report))


def table(document: Document, name: str) -> TableData:
    return next(each for each in document.sections[0].tables() if each.id == name)


def filters(cell: Cell) -> list[tuple[str, str]]:
    place, _, query = cell.link.partition("?")
    assert place == "#/episodes"
    return parse_qsl(query)


def by_heading(data: TableData, row: int) -> dict[str, Cell]:
    return {
        column.heading: cell
        for column, cell in zip(data.columns, data.rows[row].cells, strict=True)
    }


def test_a_run_leads_to_its_page_and_its_numbers_to_episodes() -> None:
    text = replace(made_text("one"), path=Path("runs/a run & more"))
    row = by_heading(table(report(text), "overview"), 0)
    assert row["run"].link == "#/runs/a%20run%20%26%20more"
    assert filters(row["success"]) == [("run", "a run & more"), ("outcome", "success")]


def test_rows_of_endings_lead_to_the_episodes_that_ended_so() -> None:
    data = table(report(made_text("one")), "failures")
    chosen = [filters(row.cells[0])[1:] for row in data.rows]
    assert chosen[0] == [("outcome", "success")]
    assert {("failure", "max_steps"), ("failure", "gave_up")} == {each for (each,) in chosen[1:]}


def test_rows_over_several_runs_name_those_that_they_are_of() -> None:
    document = report(made_text("one"), made_text("two", agent="other"))
    _, *numbers = table(document, "failures").rows[0].cells
    assert list(map(filters, numbers)) == [
        [("run", name), ("outcome", "success")] for name in ("one", "two")
    ]


def test_without_an_export_nothing_is_linked() -> None:
    whole = report(made_text("one"))
    section = whole.sections[0]
    tables = tuple(each for each in section.blocks if not isinstance(each, FigureData))
    document = replace(whole, sections=(replace(section, blocks=tables),))
    assert "#/episodes" not in as_page(document, {})
    assert 'href="site#/episodes?' in as_page(replace(document, viewer="site"), {})
