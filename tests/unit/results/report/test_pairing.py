"""Runs that play a task as several: which share a section, and what they are paired by."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.results.report.comparison import make_comparison
from env_service.results.report.content import Document, TableData
from env_service.results.report.episode_columns import EpisodeColumns
from env_service.results.report.run_report import Designed, make_items, make_report
from env_service.results.report.runs import NotComparableError, families, make_family
from env_service.results.run_reader import RunContents
from env_service.results.statistics import cluster_difference, mcnemar_p_value
from env_service.suites.reporting import Label, Paired, ReportDesign
from tests.support.made_run import made_text, with_condition

TRIAL = Label("trial", "task")
PAIRED = Paired(
    id="paired",
    title="Pairs",
    by=Label("condition"),
    settings=("feedback",),
    baseline=(("feedback", "simple"),),
)
DESIGN = ReportDesign((PAIRED,), paired_by=TRIAL)


def whole(name: str, wins: int, *, tasks: int = 20, **settings: str) -> RunContents:
    """A run of plain tasks, the first ``wins`` of them solved."""
    text = made_text(name, tasks=tasks, wins=lambda task, _: task < wins)
    manifest = replace(text.manifest, condition=with_condition(text.manifest, **settings))
    told = ", ".join(f"{key} {value}" for key, value in settings.items()) or "plain"
    return replace(text, manifest=manifest, episodes=tuple(_labelled(text, told)))


def _labelled(text: RunContents, condition: str):
    for record in text.episodes:
        yield replace(record, labels={"trial": record.task_id, "condition": condition})


def split(name: str, wins: int, parts: int = 3) -> RunContents:
    """A run that plays each task as several, of which those after the first fail."""
    text = whole(name, wins, feedback="detailed")
    records = [
        replace(
            record,
            task_id=f"{record.task_id}/{part}",
            episode_id=f"{record.episode_id}-{part}",
            success=record.success and part == 0,
            failure=None if record.success and part == 0 else "gave_up",
        )
        for record in text.episodes
        for part in range(parts)
    ]
    manifest = replace(
        text.manifest,
        task_set_digest="0" * 64,
        task_ids=tuple(record.task_id for record in records),
    )
    return replace(text, manifest=manifest, episodes=tuple(records))


def compare(*texts: RunContents, design: ReportDesign = DESIGN, **options: bool) -> Document:
    return make_comparison(texts, lambda _: Designed(design), **options)


def table(document: Document, name: str) -> TableData:
    (section,) = document.sections
    return next(item for item in section.tables() if item.id == name)


def values(found: TableData) -> list[list[object]]:
    return [[cell.value for cell in row.cells] for row in found.rows]


def test_a_task_is_paired_with_the_mean_of_what_it_was_played_as() -> None:
    document = compare(whole("a", 9), split("b", 9))
    (row,) = values(table(document, "pairs"))
    # Nine tasks fall from 1 to 1/3.
    assert row[2:4] == [20, pytest.approx(-9 * (2 / 3) / 20)]
    assert row[6:] == [None, 0, 9, 11], "what could be seen is not known of means"
    assert [line[0] for line in values(table(document, "flipped"))] == [
        f"lab/{n}" for n in range(9)
    ]
    notices = [notice.text for notice in document.sections[0].notices]
    assert notices[0] == (
        "Compared on 20 tasks, scored in all of these runs."
        " For a task with several episodes, their mean counts."
    )
    note = table(document, "pairs").note
    assert "Student's test" in note
    assert "McNemar" not in note
    assert "Detectable" not in note


def test_the_test_of_means_is_that_of_their_difference() -> None:
    one, other = whole("a", 9), split("b", 9)
    scores = [float(record.success) for record in one.episodes]
    rooms = [record.cluster for record in one.episodes]
    expected = cluster_difference(scores, [score / 3 for score in scores], rooms)
    (row,) = table(compare(one, other), "pairs").rows
    assert row.cells[3].interval == (expected.low, expected.high)
    assert row.cells[4].value == expected.p_value


def test_runs_of_the_same_tasks_are_paired_by_them_beside_one_that_splits_them() -> None:
    texts = (whole("a", 9), whole("b", 14, feedback="none"), split("c", 9))
    rows = values(table(compare(*texts), "pairs"))
    assert rows[0][4] == mcnemar_p_value(0, 5)
    note = table(compare(*texts), "pairs").note
    assert "McNemar" in note
    assert "for a task with several episodes, Student's test" in note
    by_group = values(table(compare(*texts), "groups"))
    assert [row[1:3] for row in by_group[:2]] == [["B − A", 4], ["C − A", 4]]


def test_tasks_that_all_play_as_several_are_paired_with_each_other() -> None:
    document = compare(split("a", 9), split("b", 12))
    (row,) = values(table(document, "pairs"))
    assert (row[2], row[4]) == (60, mcnemar_p_value(0, 3))


def test_without_the_suites_word_other_tasks_are_refused() -> None:
    with pytest.raises(NotComparableError, match="task set"):
        compare(whole("a", 9), split("b", 9), design=ReportDesign())
    other = replace(split("b", 9).manifest, task_set="another")
    with pytest.raises(NotComparableError, match="task set"):
        compare(whole("a", 9), replace(split("b", 9), manifest=other))


def test_runs_that_split_tasks_share_a_section_with_those_that_do_not() -> None:
    texts = [whole("a", 9), split("b", 9), whole("c", 3)]
    assert len(families(texts)) == 2
    assert len(families(texts, lambda _: TRIAL)) == 1
    changed = replace(texts[2].manifest, task_set_digest="1" * 64)
    stray = [*texts, replace(texts[2], manifest=changed)]
    assert len(families(stray, lambda _: TRIAL)) == 3, "plain tasks that differ stay apart"


def test_a_report_has_the_pairs_of_each_agent() -> None:
    texts = [whole("a", 14, feedback="none"), whole("b", 9), split("c", 9)]
    document = make_report(texts, lambda _: Designed(DESIGN))
    found = table(document, "paired")
    agent = found.rows[0].cells[0].value
    assert [row[1:6] for row in values(found)] == [
        ["feedback none", "plain", 20, 0.7, 0.45],
        ["feedback detailed", "plain", 20, pytest.approx(0.15), 0.45],
    ]
    assert {row[0] for row in values(found)} == {agent}
    assert [cell.value for cell in found.rows[0].cells[6:8]] == [
        pytest.approx(0.25),
        mcnemar_p_value(0, 5),
    ]
    assert "`houseguest compare`" in found.note


def test_other_agents_and_settings_are_no_pair() -> None:
    base = whole("a", 9)
    other = whole("b", 3, feedback="none")
    agent = replace(other, manifest=replace(other.manifest, agent="another"))
    steps = whole("c", 3, feedback="none", steps="40")
    episodes = EpisodeColumns(make_family([base, agent, steps]))
    assert make_items(DESIGN, episodes, None) == [None, None]


def test_without_the_baseline_the_first_run_is_one_and_runs_of_a_name_are_marked() -> None:
    texts = [whole("a", 9, feedback="none"), *(whole(n, 3, feedback="detailed") for n in "bc")]
    found = table(make_report(texts, lambda _: Designed(DESIGN)), "paired")
    assert [row[1:3] for row in values(found)] == [
        ["feedback detailed (run B)", "feedback none"],
        ["feedback detailed (run C)", "feedback none"],
    ]
