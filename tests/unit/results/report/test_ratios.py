"""Ratios, labels with several values, and conditions that tell runs apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from env_service.results.report.content import EMPTY, RowKind, StackChart, TableData
from env_service.results.report.declared_tables import tabulate
from env_service.results.report.episode_columns import EpisodeColumns
from env_service.results.report.figures import MOST_PARTS, make_figure
from env_service.results.report.runs import make_family
from env_service.results.run_reader import RunContents
from env_service.results.statistics import ratio_interval
from env_service.suites.reporting import (
    EPISODES,
    SUCCESS,
    Classes,
    Field,
    Label,
    Reference,
    ReportDesign,
    Stacked,
    Table,
    Unit,
    metric,
    ratio,
    share,
)
from tests.support.made_run import USED, made_text

KINDS = Label("kinds", "kind", separator=", ")
CONDITION = Label("condition", condition=True)
ONE, TWO = (metric(name, unit=Unit.PERCENT) for name in ("one", "two"))


def text(name: str = "run", condition: str = "plain", **manifest: object) -> RunContents:
    """Ten episodes: those of even number are of kind a, of odd of a and b, the last of none."""
    made = made_text(name, tasks=10, wins=lambda task, _: task < 4, **manifest)
    records = []
    for number, record in enumerate(made.episodes):
        kinds = "" if number == 9 else "a, b" if number % 2 else "a"
        labels = {"kinds": kinds, "condition": condition}
        metrics = {"one": float("a" in kinds), "two": float("b" in kinds)}
        records.append(replace(record, labels=labels, metrics=metrics))
    return replace(made, episodes=tuple(records))


def made(table: Table, *texts: RunContents, **design: object) -> TableData | None:
    episodes = EpisodeColumns(make_family(texts or [text()]))
    return tabulate(table, ReportDesign((table,), **design), episodes)  # type: ignore[arg-type]


def values(table: TableData | None) -> list[list[object]]:
    assert table is not None
    return [[cell.value for cell in row.cells] for row in table.rows]


def test_a_ratio_is_of_sums_with_its_interval() -> None:
    columns = (ratio(ONE, ONE, TWO, heading="one"), ratio(TWO, ONE, TWO, heading="two"))
    table = made(Table(id="t", title="", rows=Field.RUN, columns=columns))
    assert values(table)[0][1:] == [9 / 13, 4 / 13]
    assert table is not None
    records = text().episodes
    one = [record.metrics["one"] for record in records]
    both = [record.metrics["one"] + record.metrics["two"] for record in records]
    rooms, tasks = [r.cluster for r in records], [r.task_id for r in records]
    assert table.rows[0].cells[1].interval == ratio_interval(one, both, rooms, tasks)
    assert table.rows[0].cells[1].n == 10


def test_a_ratio_of_other_numbers_stays_a_share_where_it_is_one() -> None:
    base = text()
    records = tuple(
        replace(each, metrics={"part": 1.0 - 0.09 * (n % 2), "all": 1.0})
        for n, each in enumerate(base.episodes)
    )
    columns = (ratio(metric("part", unit=Unit.PERCENT), metric("all"), heading="r"),)
    table = made(
        Table(id="t", title="", rows=Field.RUN, columns=columns), replace(base, episodes=records)
    )
    assert table is not None
    cell = table.rows[0].cells[1]
    assert cell.value == pytest.approx(0.955)
    assert cell.interval is not None
    assert 0.9 < cell.interval[0] < 0.955 < cell.interval[1] <= 1


def test_there_is_no_ratio_to_nothing() -> None:
    nothing = metric("nothing")
    columns = (EPISODES, ratio(ONE, nothing, heading="r"), ratio(ONE, TWO, heading="s"))
    found = values(made(Table(id="t", title="", rows=KINDS, columns=columns)))
    assert found == [["a", 9, 9 / 4], ["b", 4, 1.0]]


def test_an_episode_has_each_of_several_values_that_a_label_lists() -> None:
    table = Table(id="t", title="", rows=KINDS, columns=(EPISODES, SUCCESS))
    assert values(made(table)) == [["a", 9, 4 / 9], ["b", 4, 0.5]]
    shares = Table(id="t", title="", rows=Field.RUN, columns=(share(KINDS, "b", heading="b"),))
    assert values(made(shares))[0][1] == pytest.approx(4 / 9)


def test_what_is_in_no_class_may_stand_for_itself() -> None:
    key = Classes(KINDS, "kind", (("both", ("a", "b")), ("second", ("b",))))
    table = Table(id="t", title="", rows=key, columns=(EPISODES,))
    assert values(made(table)) == [["both", 9], ["second", 4]]
    rest = replace(key, classes=(("second", ("b",)),), rest=True)
    assert values(made(replace(table, rows=rest))) == [["second", 4], ["a", 9]]


def conditions() -> Mapping[str, RunContents]:
    return {
        "one": text("one", "x", agent="one"),
        "other": text("other", "y", agent="one"),
        "two": text("two", "x", agent="two"),
    }


def test_a_label_that_tells_the_condition_tells_runs_apart() -> None:
    runs = conditions()
    table = Table(id="t", title="", rows=CONDITION, columns=(EPISODES,))
    assert values(made(table, runs["one"], runs["other"])) == [["x", 10], ["y", 10]]
    assert values(made(table, *runs.values())) == [
        ["x", "one", 10],
        ["x", "two", 10],
        ["y", "one", 10],
    ]
    plain = replace(table, rows=Label("condition"))
    assert values(made(plain, runs["one"], runs["other"])) == [["x", "A", 10], ["y", "B", 10]]


def test_what_an_agent_did_not_play_is_none_and_what_did_not_happen_is_0() -> None:
    table = Table(id="t", title="", rows=KINDS, across=CONDITION, columns=(EPISODES,))
    runs = conditions()
    without = tuple(replace(r, labels={**r.labels, "kinds": "a"}) for r in runs["other"].episodes)
    runs = {**runs, "other": replace(runs["other"], episodes=without)}
    assert values(made(table, *runs.values())) == [
        ["a", "one", 9, 10],
        ["a", "two", 9, EMPTY.value],
        ["b", "one", 4, 0],
        ["b", "two", 4, EMPTY.value],
    ]


def test_published_rows_that_we_have_none_of_stand_together_at_the_end() -> None:
    table = Table(id="t", title="", rows=KINDS, columns=(SUCCESS,))
    others = tuple(
        Reference(
            table="t",
            row=row,
            column="success",
            value=0.5,
            n=None,
            source="s",
            world="w",
            agent="x",
        )
        for row in ("z", "b", "y", "a")
    )
    found = made(table, text(usage=USED), references=others)
    assert found is not None
    shown = [(row.cells[0].value, row.kind is RowKind.PUBLISHED) for row in found.rows]
    assert shown == [
        ("a", False),
        ("a: x", True),
        ("b", False),
        ("b: x", True),
        ("z: x", True),
        ("y: x", True),
    ]


def drawn(*texts: RunContents, parts: Label = KINDS) -> StackChart:
    figure = Stacked(id="f", title="", by=CONDITION, parts=parts, counted="kinds told")
    made = make_figure(figure, ReportDesign((figure,)), EpisodeColumns(make_family(texts)))
    assert made is not None
    assert made.description.startswith("Stacked bars: kinds told of each condition")
    assert isinstance(made.drawing, StackChart)
    return made.drawing


def test_a_stack_counts_each_value_and_says_what_it_counts() -> None:
    chart = drawn(text("one", "x"))
    assert (chart.parts, chart.counts, chart.counted) == (("a", "b"), ((9, 4),), "kinds told")


def test_a_stack_of_more_kinds_than_colours_takes_the_rarest_together() -> None:
    base = made_text(tasks=20)
    # Kind n, of 0 … 11, comes once or, below 8, twice.
    records = tuple(
        replace(each, labels={"kinds": f"k{n % 12}", "condition": "x"})
        for n, each in enumerate(base.episodes)
    )
    chart = drawn(replace(base, episodes=records))
    assert len(chart.parts) == MOST_PARTS
    assert chart.parts == (*(f"k{n}" for n in range(MOST_PARTS - 1)), "5 others")
    assert chart.counts == ((2, 2, 2, 2, 2, 2, 2, 6),)
