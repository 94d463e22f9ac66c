"""Listings of episodes, facts about tasks, and what the house lost in the overview."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from env_service.domain.task import TaskSet
from env_service.results.records import EpisodeRecord, VoidRecord
from env_service.results.report.content import Document, Omissions, RowKind, TableData
from env_service.results.report.html_page import as_page
from env_service.results.report.report_files import as_csv
from env_service.results.report.run_report import Designed, make_report
from env_service.results.report.terminal_text import as_text
from env_service.results.run_reader import RunContents
from env_service.results.statistics import rate_interval
from env_service.suites.reporting import (
    FAILED,
    FactRow,
    Field,
    Label,
    Listing,
    Only,
    ReportDesign,
    TaskFacts,
    Unit,
)
from tests.support.lab import LabSuite
from tests.support.made_run import made_text

REASONS = Listing(
    id="reasons",
    title="Why it failed",
    columns=(Label("command"), Label("why", "reason"), Label("other")),
    only=Only(Field.RESULT, (FAILED,)),
    note="Read them.",
)


def told(name: str = "run", tasks: int = 12, repeats: int = 1) -> RunContents:
    """A run whose labels say what was asked and why it failed; every third task is solved."""
    text = made_text(name, tasks=tasks, repeats=repeats, wins=lambda task, _: task % 3 == 0)
    records = [
        replace(each, labels={"command": f"Do {each.task_id}.", "why": "=No room. " * 12, "x": "y"})
        for each in text.episodes
    ]
    return replace(text, episodes=tuple(reversed(records)))


def report(design: ReportDesign, *texts: RunContents, suite: LabSuite | None = None) -> Document:
    return make_report(texts, lambda _: Designed(design, suite))


def table(document: Document, name: str) -> TableData:
    return next(item for item in document.sections[0].tables() if item.id == name)


def printed(document: Document) -> str:
    file = StringIO()
    Console(file=file, width=90, color_system=None).print(as_text(document), crop=False)
    return file.getvalue()


def test_every_failed_episode_is_listed_with_what_its_labels_say() -> None:
    found = table(report(ReportDesign((REASONS,)), told()), "reasons")
    assert [column.heading for column in found.columns] == ["task", "command", "reason", "other"]
    assert [row.cells[0].value for row in found.rows] == [
        f"lab/{n}" for n in (1, 2, 4, 5, 7, 8, 10, 11)
    ]
    assert found.rows[0].cells[1].value == "Do lab/1."
    assert found.rows[0].cells[3].value is None
    assert len(as_csv(found).splitlines()) == 9


def test_runs_and_repeats_are_named_where_there_are_several() -> None:
    found = table(report(ReportDesign((REASONS,)), told("a", repeats=2), told("b")), "reasons")
    assert [column.id for column in found.columns[:3]] == ["task", "run", "repeat"]
    assert [cell.value for cell in found.rows[1].cells[:3]] == ["lab/1", "A", "1"]
    assert found.rows[-1].cells[1].value == "B"


def test_a_terminal_gets_the_first_of_them_as_paragraphs_and_the_page_all() -> None:
    document = report(ReportDesign((REASONS,)), told())
    text = printed(document)
    assert "lab/1\n  command  Do lab/1." in "\n".join(line.rstrip() for line in text.splitlines())
    assert "other" not in text.split("Why it failed")[1].split("Read them.")[0]
    assert "Do lab/8." in text
    assert "Do lab/10." not in text
    assert "… and 2 more" in text
    page = as_page(document, {})
    assert all(f"Do lab/{n}." in page for n in (1, 10, 11))


def test_nothing_is_listed_where_nothing_failed() -> None:
    text = made_text("run", tasks=4, wins=lambda task, _: True)
    names = [each.id for each in report(ReportDesign((REASONS,)), text).sections[0].tables()]
    assert "reasons" not in names


def count(task_set: TaskSet) -> Sequence[FactRow]:
    groups = len({task.group for task in task_set.tasks})
    return [
        FactRow(("tasks", len(task_set.tasks), 0.25)),
        FactRow(("tasks", 99, None), "a paper, table 1"),
        FactRow(("groups", groups, None)),
    ]


FACTS = TaskFacts(
    id="facts",
    title="What there is",
    columns=(("what", None), ("count", Unit.NUMBER), ("share", Unit.PERCENT)),
    rows=count,
    note="Counted.",
)


def played() -> RunContents:
    """A run of the laboratory's tasks as they are."""
    suite = LabSuite()
    text = made_text()
    digest = suite.task_sets()["lab"].digest(suite.name, suite.version)
    return replace(text, manifest=replace(text.manifest, task_set_digest=digest))


def test_a_suite_tells_what_its_task_set_is_made_of() -> None:
    found = table(report(ReportDesign((FACTS,)), played(), suite=LabSuite()), "facts")
    tasks = LabSuite().task_sets()["lab"].tasks
    assert [cell.value for cell in found.rows[0].cells] == ["tasks", len(tasks), 0.25]
    assert [row.kind for row in found.rows] == [
        RowKind.OURS,
        RowKind.PUBLISHED,
        RowKind.OURS,
    ]
    assert found.sources == ("Published in a paper, table 1",)


def why(document: Document) -> str:
    (missing,) = (b for b in document.sections[0].blocks if isinstance(b, Omissions))
    return dict(missing.pairs)["What there is"]


def test_why_facts_are_missing_is_told() -> None:
    design = ReportDesign((FACTS,))
    assert "The suite is not installed" in why(report(design, played()))
    text = played()
    unknown = replace(text, manifest=replace(text.manifest, task_set="unknown"))
    assert "unknown task set 'unknown'" in why(report(design, unknown, suite=LabSuite()))
    other = replace(text, manifest=replace(text.manifest, task_set_digest="0" * 64))
    assert "differ from those of the runs" in why(report(design, other, suite=LabSuite()))
    assert "What there is\nThe installed tasks differ from those" in printed(
        report(design, other, suite=LabSuite())
    )
    empty = ReportDesign((replace(FACTS, rows=lambda _: ()),))
    assert "no data for it" in why(report(empty, text, suite=LabSuite()))


def lost(text: RunContents, *tasks: str) -> RunContents:
    """The run, with these tasks voided and never scored."""
    kept = tuple(record for record in text.episodes if record.task_id not in tasks)
    voids = tuple(map(_void, (r for r in text.episodes if r.task_id in tasks)))
    return replace(text, episodes=kept, voids=voids)


def _void(record: EpisodeRecord) -> VoidRecord:
    return VoidRecord(
        episode_id=f"void-{record.episode_id}",
        task_id=record.task_id,
        repeat=record.repeat,
        attempt=1,
        fault="simulator_crash",
        detail="",
        collateral=False,
        session="s",
        guest="g",
    )


def test_what_the_house_lost_stays_in_one_denominator() -> None:
    text = made_text(tasks=10, wins=lambda task, _: task < 6)
    (row,) = table(report(ReportDesign(), lost(text, "lab/0", "lab/9")), "overview").rows
    assert [cell.value for cell in row.cells[1:4]] == [8, 5 / 8, 0.5]
    scores = [float(record.success) for record in text.episodes if record.task_id != "lab/0"]
    names = [record.task_id for record in text.episodes]
    # Of a task without any episode its cluster is not known; here all have their own.
    assert row.cells[3].interval == rate_interval([*scores, 0.0], names, names)
    document = report(ReportDesign(), lost(text, "lab/0", "lab/9"))
    assert "Success, unscored as failed" in " ".join(printed(document).split())
    assert "Success, unscored as failed" in as_page(document, {})


@pytest.mark.parametrize("texts", [1, 2])
def test_without_losses_the_overview_has_no_second_success(texts: int) -> None:
    found = report(ReportDesign(), *(made_text(f"r{n}", seed=n) for n in range(texts)))
    assert "unscored" not in " ".join(column.id for column in table(found, "overview").columns)
