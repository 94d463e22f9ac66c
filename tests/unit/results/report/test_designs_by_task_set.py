"""A suite may show runs of some task sets in a way of their own."""

from __future__ import annotations

import pytest

from env_service.results.report.comparison import make_comparison
from env_service.results.report.run_report import Designed, make_report
from env_service.suites.reporting import EPISODES, Field, ReportDesign, Table, metric, rate
from tests.support.made_run import made_text

OWN = ReportDesign(
    overview=(EPISODES, rate(metric("valid"), "valid answers")),
    items=(Table(id="own", title="Its own", rows=Field.GROUP, columns=(EPISODES,)),),
)
USUAL = ReportDesign(
    items=(Table(id="usual", title="As ever", rows=Field.GROUP, columns=(EPISODES,)),),
    by_task_set={"ask*": OWN},
)


def designed(_suite: str) -> Designed:
    return Designed(USUAL)


@pytest.mark.parametrize(
    ("task_set", "shown"), [("ask", "own"), ("ask:all:1-9", "own"), ("play", "usual")]
)
def test_a_runs_task_set_says_which_design_it_gets(task_set: str, shown: str) -> None:
    (section,) = make_report([made_text(task_set=task_set)], designed).sections
    tables = {table.id: table for table in section.tables()}
    assert {"own", "usual"} & set(tables) == {shown}
    headings = [column.heading for column in tables["overview"].columns]
    assert ("valid answers" in headings) == (shown == "own")


def test_a_comparison_begins_with_the_same_numbers() -> None:
    texts = [made_text("a", task_set="ask"), made_text("b", task_set="ask", seed=9)]
    (section,) = make_comparison(texts, designed).sections
    overview = next(table for table in section.tables() if table.id == "overview")
    assert [column.heading for column in overview.columns[1:]] == ["episodes", "valid answers"]
