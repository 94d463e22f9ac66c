"""What a report on alfred shows, made of made-up episodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from env_service.domain.action import SkillCall, Text
from env_service.domain.episode import GoalCondition
from env_service.domain.task import TaskSet
from env_service.results.report.content import BarChart, RowKind, Section, StackChart, TableData
from env_service.results.report.run_report import Designed, make_report
from env_service.results.run_reader import RunContents
from env_service.suites.alfred.conditions import NAMED, SETTINGS
from env_service.suites.alfred.judging.analysis import NO_FAILURE, Analysis
from env_service.suites.alfred.report import (
    DESIGN,
    ERRORS_FOUND,
    FAILURES,
    SCORES,
    SCORES_DRAWN,
    VARIETY,
    WORDINGS,
    plan_as_read,
)
from env_service.suites.alfred.scoring import (
    failure_labels,
    failure_metrics,
    goal_metrics,
    task_labels,
)
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType, make_task
from env_service.suites.reporting import (
    Bins,
    Chosen,
    Classes,
    FactRow,
    Field,
    Label,
    Listing,
    Only,
    Paired,
    ReportDesign,
    Scatter,
    Table,
    TaskFacts,
)
from tests.support.made_run import USED, made_text

COMMANDS = {
    "B": "Put the mug in the cabinet.",
    "P1": "Place the mug in the cabinet.",
    "P2": "Set the mug inside the cabinet.",
    "C": "We keep cups away. Bring the mug back to its place.",
    "K": "머그잔을 캐비닛에 넣으세요.",
}
ORIGINALS = ("put a mug in the cabinet", "Put the pan in the sink.", "a mug into a drawer")


def task(number: int) -> AlfredTask:
    return AlfredTask(
        id=f"trial_{number}",
        goal=Goal(TaskType.SIMPLE, "Mug", parent="Cabinet"),
        setup=SceneSetup(f"FloorPlan{number}"),
        commands=COMMANDS,
        originals=ORIGINALS,
        annotation=None,
        reference=("find a mug", "pick up the mug", "find a cabinet", "put down the mug"),
    )


def condition(name: str, **settings: str) -> dict[str, str]:
    return {each.name: each.default for each in SETTINGS} | dict(NAMED[name]) | settings


def run(
    name: str, wins: int, *types: tuple[int, ...], agent: str = "one", **settings: str
) -> RunContents:
    """A run of ten tasks, ``wins`` of them solved; the others fail for ``types``, in turn."""
    chosen = condition(name, **settings)
    text = made_text(
        f"{agent}-{name}-{len(settings)}",
        tasks=10,
        wins=lambda number, _: number < wins,
        suite="alfred",
        task_set="valid_seen/lota",
        world="household",
        condition=chosen,
        agent=agent,
        usage=USED,
    )
    records = []
    for number, record in enumerate(text.episodes):
        told = types[(number - wins) % len(types)] if types else (2,)
        analysis = (
            NO_FAILURE if record.success else Analysis(told, ("no_room", "hand_full"), "Why.")
        )
        records.append(replace(record, **_scored(task(number), chosen, analysis)))
    ids = tuple(record.task_id for record in records)
    manifest = replace(text.manifest, task_ids=ids, declared=())
    return replace(text, manifest=manifest, episodes=tuple(records))


def _scored(task: AlfredTask, chosen: Mapping[str, str], analysis: Analysis) -> dict[str, Any]:
    """What the suite writes down of an episode."""
    won = not analysis.types
    told = replace(task, annotation=1) if chosen["wording"] == "original" else task
    return {
        "task_id": task.id,
        "group": task.goal.type.value,
        "cluster": task.setup.scene,
        "metrics": {
            **goal_metrics(task, (GoalCondition("object", won),), 8),
            **failure_metrics(analysis),
            "plan_steps": 8.0,
            "failed_steps": 0.0 if won else 0.25,
            "unknown_steps": 0.0,
            "asked": float(chosen["ask"] == "on"),
            "astray": 0.5,
            "not_reproduced": 0.0 if won else 2.0,
        },
        "labels": {**task_labels(told, chosen), **failure_labels(analysis)},
    }


def section(*texts: RunContents, design: ReportDesign = DESIGN) -> Section:
    (found,) = make_report(texts, lambda _: Designed(design)).sections
    return found


def table(found: Section, name: str) -> TableData:
    return next(each for each in found.tables() if each.id == name)


def drawing(found: Section, name: str):
    return next(each for each in found.figures() if each.id == name).drawing


def values(found: TableData) -> list[list[object]]:
    return [[cell.value for cell in row.cells] for row in found.rows]


@pytest.fixture(scope="module")
def several() -> Section:
    return section(
        run("K", 5, (2,)),
        run("original", 4, (1,), (1, 2), (2,)),
        run("P2", 6),
        run("B", 8, (2,), (2, 3)),
        run("P1", 7),
        run("B", 9, play="steps"),
        run("C-interactive", 5),
        run("B", 2, (3,), agent="two"),
    )


def test_success_stands_by_wording_beside_the_papers(several: Section) -> None:
    found = table(several, SCORES)
    assert [column.heading for column in found.columns] == [
        "agent",
        "world",
        "rules",
        "B",
        "P1",
        "P2",
        "C-interactive",
        "K",
        "original",
        "B, play=steps",
    ]
    ours = [row for row in found.rows if row.kind is RowKind.OURS]
    assert [[cell.value for cell in row.cells[3:]] for row in ours] == [
        [0.8, 0.7, 0.6, 0.5, 0.5, 0.4, 0.9],
        [0.2, None, None, None, None, None, None],
    ]
    published = {row.cells[0].value: row.cells for row in found.rows if row.source}
    assert [cell.value for cell in published["gpt-4o-mini"][3:]] == [
        *(0.587, 0.541, 0.504, None, 0.486, None, None)
    ]
    low, high = published["o1-preview"][3].interval or (0, 0)
    assert (low, high) == pytest.approx((0.605, 0.776), abs=0.001)
    assert published["o1-preview"][3].n == 109
    assert all("a different world than household" in row.source for row in found.rows if row.source)


def test_the_one_published_value_of_fewer_tasks_is_known_for_it() -> None:
    found = table(section(run("C-without-context", 2)), SCORES)
    published = {row.cells[0].value: row.cells[3] for row in found.rows if row.source}
    assert {name: cell.n for name, cell in published.items()} == {
        "gpt-4o-mini": 109,
        "gpt-4o": 109,
        "o1-preview": 109,
        "Llama-3.1-70B": 107,
    }


def test_bars_show_default_settings_alone(several: Section) -> None:
    chart = drawing(several, SCORES_DRAWN)
    assert isinstance(chart, BarChart)
    assert [name for name, _ in chart.series] == [
        *("B", "P1", "P2", "C-interactive", "K", "original")
    ]
    assert (len(chart.categories), chart.published) == (6, 4)
    assert [cells[0].value for _, cells in chart.series] == [0.8, 0.7, 0.6, 0.5, 0.5, 0.4]


def test_types_of_failures_are_shares_of_all_that_were_told(several: Section) -> None:
    found = table(several, FAILURES)
    rows = {(row[0], row[1]): row[4:] for row in values(found) if row[1] != "published"}
    assert list(rows) == [
        ("original", "one"),
        ("B", "one"),
        ("B", "two"),
        ("P1", "one"),
        ("P2", "one"),
        ("P1&2", "one"),
        ("C-interactive", "one"),
        ("K", "one"),
        ("B, play=steps", "one"),
    ]
    # Six failures: (1), (1, 2), (2), and again.
    assert rows["original", "one"] == [6, 0.5, 0.5, 0.0]
    assert rows["B", "one"] == [2, 0.0, pytest.approx(2 / 3), pytest.approx(1 / 3)]
    assert rows["P1&2", "one"][0] == 7
    assert all(sum(row[1:]) == pytest.approx(1) for row in rows.values())  # type: ignore[arg-type]
    published = {str(row[0]): row[5:] for row in values(found) if row[1] == "published"}
    assert published["original: the paper"] == [0.27, 0.49, 0.24]
    assert published["P1&2: the paper"] == [0.0, 0.65, 0.35]
    chart = drawing(several, "failure-types-drawn")
    assert isinstance(chart, StackChart)
    assert chart.parts == ("1 misleading command", "2 action failure", "3 plan failure")
    assert (chart.counted, chart.counts[0]) == ("types", (4, 4, 0))


def test_every_failed_episode_has_its_reason(several: Section) -> None:
    found = table(several, "reasons")
    assert len(found.rows) == 80 - (5 + 4 + 6 + 8 + 7 + 9 + 5 + 2)
    headings = [column.heading for column in found.columns]
    assert headings[2:] == ["wording", "command", "types", "what failed", "explanation"]
    first = values(found)[0]
    assert first == ["trial_5", "A", "K", COMMANDS["K"], "2", "no room, hand full", "Why."]
    asked = next(row for row in values(found) if row[2] == "C-interactive")
    assert asked[3] == "Bring the mug back to its place."


def test_codes_are_counted_by_wording(several: Section) -> None:
    found = table(several, "failure-codes")
    assert [row[:3] for row in values(found)] == [
        ["hand full", "one", 2],
        ["hand full", "two", 8],
        ["no room", "one", 2],
        ["no room", "two", 8],
    ]
    chart = drawing(several, "failure-codes-by-task-type")
    assert isinstance(chart, StackChart)
    assert chart.parts == ("no room",), "the first code of each"


def test_wordings_are_compared_on_the_same_tasks(several: Section) -> None:
    found = table(several, "paired")
    assert [row[:6] for row in values(found)] == [
        ["one", "K", "B", 10, 0.5, 0.8],
        ["one", "original", "B", 10, 0.4, 0.8],
        ["one", "P2", "B", 10, 0.6, 0.8],
        ["one", "P1", "B", 10, 0.7, 0.8],
        ["one", "C-interactive", "B", 10, 0.5, 0.8],
    ]


def test_set_ups_that_are_not_exact_are_counted() -> None:
    (row,) = values(table(section(run("B", 8)), "set-ups"))
    assert row[1:] == [10, 0.2, 0.4, 0.5]


def test_published_scores_are_shown_of_the_tasks_that_they_are_of() -> None:
    def sources(task_set: str) -> set[str]:
        text = run("B", 8)
        text = replace(text, manifest=replace(text.manifest, task_set=task_set))
        return {row.source[13:52] for each in section(text).tables() for row in each.rows} - {""}

    table_3 = "ALFRED with refined commands, Table 3, "
    table_4 = "ALFRED with refined commands, Table 4, "
    assert sources("valid_seen/lota-109") == {table_3, table_4}
    assert sources("valid_unseen/lota") == {table_4}
    assert sources("builtin-7") == set()


def facts(found: TaskFacts, name: str = "valid_seen/lota-109") -> list[FactRow]:
    tasks = tuple(make_task(task(number)) for number in range(2))
    return list(found.rows(TaskSet(name, "Made up.", tasks)))


def test_the_variety_of_commands_is_told_with_the_papers_for_whole_splits_alone() -> None:
    rows = facts(VARIETY)
    assert [row.cells[0] for row in rows] == ["B", "P1", "P2", "C", "K", "original"]
    assert rows[0].cells[1:4] == (2, 12, 5)
    assert not any(row.source for row in rows)
    whole = facts(VARIETY, "valid_seen")
    assert [row.cells[3] for row in whole if row.source] == [129, 165, 171, 521, 144]


def test_errors_in_commands_are_counted_with_the_papers_of_their_split() -> None:
    rows = facts(ERRORS_FOUND)
    assert rows[0].cells[:2] == ("original", 6)
    # Of three originals one has another object and place, and one another place.
    assert rows[0].cells[2:6] == (2, 2, 0, pytest.approx(4 / 6))
    assert rows[1].cells == ("original", 820, 176, 160, 128, pytest.approx(464 / 820), None)
    assert rows[1].source.endswith("valid_seen")
    assert [row.cells[2:5] for row in rows[2:5]] == [(0, 0, 0)] * 3
    assert facts(ERRORS_FOUND, "valid_unseen")[1].cells[1:5] == (821, 112, 146, 136)


def test_plans_are_shown_by_their_steps() -> None:
    assert plan_as_read(Text("1. find a mug, 2. pick up the mug, done")) == (
        "find a mug",
        "pick up the mug",
        "done",
    )
    assert plan_as_read(SkillCall("find", (("object", "a mug"),))) == ("find a mug",)
    assert plan_as_read(Text("  ")) == ("(empty plan)",)


def test_every_wording_has_its_place() -> None:
    assert set(WORDINGS) == set(NAMED)


def keys() -> Iterator[Any]:
    for item in DESIGN.items:
        for name in ("rows", "across", "by", "series", "parts", "points"):
            yield getattr(item, name, None)
        if getattr(item, "only", None):
            yield item.only.key  # type: ignore[union-attr]
        if isinstance(item, Listing):
            yield from item.columns
        for measure in measures(item):
            for only in (measure.only, measure.share_of):
                yield only.key if isinstance(only, Only) else None
    yield DESIGN.paired_by


def measures(item: object) -> tuple[Any, ...]:
    match item:
        case Table():
            return item.columns
        case Scatter():
            return (item.x, item.y)
        case _:
            return ()


def test_what_is_shown_is_recorded() -> None:
    (record, *_) = run("B", 0).episodes
    found = [key.of if isinstance(key, Classes) else key for key in keys()]
    assert {key.name for key in found if isinstance(key, Label)} <= set(record.labels)
    settings = {each.name for each in SETTINGS}
    assert {key.setting for key in found if isinstance(key, Chosen)} <= settings
    for item in DESIGN.items:
        if isinstance(item, Paired):
            assert {*item.settings} <= settings
    shown = {
        each.name
        for item in DESIGN.items
        for measure in measures(item)
        for each in (measure.quantity, *measure.per)
        if each is not None and each.source == "metric"
    }
    shown |= {key.quantity.name for key in found if isinstance(key, Bins)}
    assert shown <= set(record.metrics)
    assert len(shown) > 10
    assert Field.GROUP in found
