"""Numbers of episodes that are in no record: given afterwards, or looked up by task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from env_service.results.posthoc_scores import PosthocScore, PosthocScores, write_posthoc_scores
from env_service.results.report.content import Commands, Document, Omissions, TableData
from env_service.results.report.declared_tables import tabulate
from env_service.results.report.episode_columns import EpisodeColumns
from env_service.results.report.html_page import as_page
from env_service.results.report.run_report import Designed, make_report
from env_service.results.report.runs import make_family
from env_service.results.report.terminal_text import as_text
from env_service.results.run_reader import RunContents
from env_service.suites.reporting import (
    Afterwards,
    Bins,
    Field,
    Reference,
    ReportDesign,
    Table,
    Unit,
    added,
    mean,
    ratio,
    task_number,
    total,
)
from tests.support.made_run import USED, made_text

AFTER = Afterwards("words", "houseguest lab words", ("lab", "lab/*"))
COUNT = added("words", "count")
SHARED = Table(
    id="shared",
    title="Words in common",
    rows=Field.GROUP,
    columns=(
        total(COUNT, "texts"),
        ratio(added("words", "length"), COUNT, heading="length"),
        ratio(added("words", "share", unit=Unit.PERCENT), COUNT, heading="share"),
    ),
    total=True,
    note="Of words.",
    afterwards=AFTER,
)
PUBLISHED = Reference(
    table="shared", row="", column="length", value=4.5, n=9, source="A paper", world="x", agent="Y"
)


def run(folder: Path, name: str = "run", **manifest: object) -> RunContents:
    """A run of ten episodes that has a folder."""
    text = replace(made_text(name, tasks=10, usage=USED, **manifest), path=folder / name)
    text.path.mkdir()
    return text


def scored(text: RunContents, told: str = "Counted by letters") -> RunContents:
    """The run with scores, whose lengths rise from 0, twice as many texts for every other one."""
    episodes = tuple(
        PosthocScore(
            episode_id=each.episode_id,
            task_id=each.task_id,
            transcript_head=each.transcript_head,
            metrics=_metrics(number),
        )
        for number, each in enumerate(text.episodes)
    )
    write_posthoc_scores(text.path, PosthocScores("words", told, {}, episodes))
    return text


def _metrics(number: int) -> Mapping[str, float]:
    count = 1.0 + number % 2
    few = float(number > 1)
    return {"count": count, "length": number * count, "share": 0.5 * count, "few": few * count}


def report(*texts: RunContents) -> Document:
    design = ReportDesign((SHARED,), (PUBLISHED,))
    return make_report(texts, lambda _: Designed(design))


def shared(document: Document) -> TableData:
    return next(each for each in document.sections[0].tables() if each.id == "shared")


def omitted(document: Document) -> Omissions:
    return next(each for each in document.sections[0].blocks if isinstance(each, Omissions))


def told(document: Document) -> Commands:
    return next(each for each in document.sections[0].blocks if isinstance(each, Commands))


def printed(document: Document) -> str:
    """As on a terminal."""
    console = Console(file=StringIO(), width=100)
    console.print(as_text(document))
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_scores_stand_in_the_report_with_intervals_and_published_numbers(tmp_path: Path) -> None:
    table = shared(report(scored(run(tmp_path))))
    whole, published = table.rows[-2:]
    lengths = [number * (1 + number % 2) for number in range(10)]
    assert [cell.value for cell in whole.cells[3:]] == [15, sum(lengths) / 15, 0.5]
    low, high = whole.cells[4].interval or (0, 0)
    assert 0 <= low < sum(lengths) / 15 < high
    assert (published.cells[4].value, published.source.partition(";")[0]) == (
        4.5,
        "Published in A paper",
    )
    assert table.note == "Counted by letters. Of words."


def test_a_mean_of_small_numbers_is_no_share(tmp_path: Path) -> None:
    text = run(tmp_path)
    scored(text)
    columns = tuple(
        ratio(added("words", "few", unit=unit), COUNT, heading=unit.value)
        for unit in (Unit.NUMBER, Unit.PERCENT)
    )
    table = tabulate(
        replace(SHARED, columns=columns), ReportDesign(), EpisodeColumns(make_family([text]))
    )
    assert table is not None
    number, share = table.rows[-1].cells[1:]
    assert number.value == share.value == 0.8
    # A mean of one word or none may well be of more than one elsewhere.
    assert (number.interval or (0, 0))[1] > 1 >= (share.interval or (0, 9))[1]


def test_where_there_are_none_the_command_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = run(tmp_path, "my run")
    document = report(text)
    why = "Its folder has no such scores; a separate command writes them after a run."
    assert told(document) == Commands("Words in common", ("houseguest lab words 'my run'",), why)
    assert omitted(document) == Omissions((("Words in common", why),))
    for shown in (as_page(document, {}), printed(document)):
        assert shown.index("Words in common") < shown.index("a separate command writes them")
        assert "houseguest lab words" in shown
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert str(text.path) in told(report(text)).lines[0]


def test_scores_of_other_episodes_are_left_out_and_told_of(tmp_path: Path) -> None:
    text = scored(run(tmp_path))
    again = replace(
        text, episodes=tuple(replace(each, transcript_head="1" * 64) for each in text.episodes)
    )
    assert told(report(again)).note == (
        "Those in its folder are omitted: they belong to episodes of another run."
    )


def test_a_run_without_scores_has_dashes_beside_one_with_them(tmp_path: Path) -> None:
    table = shared(report(scored(run(tmp_path, "one")), run(tmp_path, "two", seed=8)))
    rows = [row for row in table.rows if row.cells[0].value == "all"]
    assert [[cell.value is None for cell in row.cells[4:]] for row in rows] == [
        [False, False, False],
        [True, True, True],
    ]
    assert table.note.startswith("A: Counted by letters. B: Its folder has no such scores;")
    assert f"{tmp_path}/two`." in table.note
    assert f"{tmp_path}/one" not in table.note


def test_runs_that_were_scored_otherwise_are_not_to_be_compared(tmp_path: Path) -> None:
    one, two = run(tmp_path, "one"), run(tmp_path, "two", seed=8)
    assert "do not compare" not in shared(report(scored(one), scored(two))).note
    assert "do not compare" in shared(report(one, scored(two, "Counted by words"))).note


def test_task_sets_that_have_nothing_to_compare_with_are_told_no_command(tmp_path: Path) -> None:
    text = run(tmp_path, task_set="made-up")
    assert dict(omitted(report(text)).pairs) == {
        "Words in common": "The task set has no data for it."
    }


def test_a_number_of_the_task_is_looked_up_by_the_task_sets_name() -> None:
    asked: list[str] = []

    def lengths(task_set: str) -> Mapping[str, float]:
        asked.append(task_set)
        return {f"lab/{number}": float(number) for number in range(5)}

    length = task_number("length", lengths)
    text = made_text(tasks=8)
    episodes = EpisodeColumns(make_family([text]))
    table = Table(id="t", title="", rows=Bins(length, (2,)), columns=(mean(length),))
    found = tabulate(table, ReportDesign((table,)), episodes)
    assert found is not None
    assert [[cell.value for cell in row.cells] for row in found.rows] == [
        ["under 2", 0.5],
        ["2 and more", 3.0],
    ]
    assert asked == [text.manifest.task_set]


def test_a_number_of_the_task_needs_what_looks_it_up() -> None:
    with pytest.raises(ValueError, match="of_tasks"):
        replace(task_number("length", lambda _: {}), of_tasks=None)
