"""A suite may show runs in one of its worlds in a way of their own."""

from __future__ import annotations

from dataclasses import replace

from env_service.results.report.comparison import make_comparison
from env_service.results.report.content import Section
from env_service.results.report.run_report import Designed, make_report
from env_service.suites.reporting import EPISODES, Field, ReportDesign, Table, metric, rate
from tests.support.made_run import made_text

OTHER = ReportDesign(
    overview=(EPISODES, rate(metric("valid"), "valid answers")),
    endings=False,
    items=(Table(id="own", title="Its own", rows=Field.GROUP, columns=(EPISODES,)),),
)
USUAL = ReportDesign(
    items=(Table(id="usual", title="As ever", rows=Field.GROUP, columns=(EPISODES,)),),
    by_world={"heavy": OTHER},
)


def designed(_suite: str) -> Designed:
    return Designed(USUAL)


def tables(section: Section) -> dict[str, list[str]]:
    """The headings of each table, by its id."""
    return {table.id: [column.heading for column in table.columns] for table in section.tables()}


def test_a_run_in_a_world_with_its_own_design_shows_that_alone() -> None:
    usual, other = (
        tables(make_report([made_text(world=world)], designed).sections[0])
        for world in ("light", "heavy")
    )
    assert "usual" in usual
    assert "own" not in usual
    assert "own" in other
    assert {"usual", "failures"}.isdisjoint(other)
    assert "success" in usual["overview"]
    assert other["overview"][1:] == ["episodes", "valid answers"]


def test_a_comparison_begins_with_the_same_numbers() -> None:
    texts = [made_text("a", world="heavy"), made_text("b", world="heavy", seed=9)]
    shown = tables(make_comparison(texts, designed).sections[0])
    assert shown["overview"][1:] == ["episodes", "valid answers"]


def test_a_design_is_its_own_where_no_world_has_another() -> None:
    assert replace(USUAL, by_world={}).in_world("heavy").items == USUAL.items
