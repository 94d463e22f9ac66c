"""What reports on babybench show, made of made-up episodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.results.report.content import (
    BarChart,
    Cell,
    FigureData,
    LineChart,
    Row,
    RowKind,
    Section,
    TableData,
)
from env_service.results.report.run_report import Designed, make_report
from env_service.results.run_reader import RunContents
from env_service.suites.babybench.report import DESIGN
from env_service.suites.babybench.report_shared import SKILLS
from env_service.suites.babybench.scoring import help_class, subject_labels
from env_service.suites.babybench.tasks import make_task
from env_service.suites.reporting import ReportDesign
from env_service.worlds.babyai.levels import LEVELS
from tests.support.made_run import USED, made_text
from tests.unit.suites.babybench.builders import DEFAULT, subject

READ, UNREAD = {"answer": "parsed"}, {"answer": "no_answer"}


def helped(used: int | None, limit: int = 4, initial: int = 1) -> dict[str, float]:
    """The numbers of a plan that needed so much help; None: the mission was not fulfilled."""
    done = used is not None
    used = 9 if used is None else used
    return {
        "cr": float(done),
        "pr": float(done and used == 0),
        "aci": max(0.0, 1 - used / limit) * done,
        "aci_added": max(0.0, 1 - used / (limit - initial)) * done,
        "help": float(used),
        "help_share": used / limit,
        "help_count": float(limit),
        "help_added": float(limit - initial),
    }


def distant(cells: float) -> dict[str, float]:
    """The numbers of a prediction so far off; at 0 the heading is wrong."""
    place = float(cells == 0)
    return {
        "distance": cells,
        "distance_when_wrong": cells,
        "position_correct": place,
        "heading_correct": 0.0,
    }


RIGHT = {"distance": 0.0, "position_correct": 1.0, "heading_correct": 1.0}
Made = tuple[str, bool, dict[str, float], dict[str, str]]


def run(task_set: str, episodes: list[Made], agent: str = "one", **condition: str) -> RunContents:
    """A run of episodes: (level and seed, success, metrics, labels)."""
    text = made_text(
        f"{agent}-{task_set}-{'-'.join(condition.values())}",
        tasks=len(episodes),
        suite="babybench",
        task_set=task_set,
        task_ids=tuple(name for name, *_ in episodes),
        world="babyai",
        condition=DEFAULT | condition,
        agent=agent,
        usage=USED,
    )
    records = []
    for record, (name, success, metrics, labels) in zip(text.episodes, episodes, strict=True):
        asked = subject(f"{task_set.partition(':')[0]}:{name}")
        task = make_task(asked)
        records.append(
            replace(
                record,
                task_id=task.id,
                group=task.group,
                cluster=task.cluster,
                success=success,
                failure=None if success else "goal_not_reached",
                metrics=metrics,
                labels=subject_labels(asked) | labels,
            )
        )
    return replace(text, episodes=tuple(records))


def section(*texts: RunContents) -> Section:
    (found,) = make_report(texts, lambda _: Designed(DESIGN)).sections
    return found


def table(found: Section, name: str) -> TableData:
    return next(each for each in found.tables() if each.id == name)


def figure(found: Section, name: str) -> FigureData:
    return next(each for each in found.figures() if each.id == name)


def numbers(found: Section, name: str, column: str) -> dict[str, object]:
    """A column of a table by its rows' names, published ones left out."""
    shown = table(found, name)
    place = [each.heading for each in shown.columns].index(column)
    return {
        str(row.cells[0].value): row.cells[place].value
        for row in shown.rows
        if row.kind is not RowKind.PUBLISHED
    }


def published(found: Section, name: str) -> list[Row]:
    return [row for row in table(found, name).rows if row.kind is RowKind.PUBLISHED]


@pytest.fixture(scope="module")
def predicted() -> Section:
    return section(
        run(
            "predict:all:2-9",
            [
                ("GoToObj/2", True, RIGHT, READ),
                ("GoToObj/3", False, {"position_correct": 0.0, "heading_correct": 0.0}, UNREAD),
                ("GoToRedBallGrey/2", False, distant(0), READ),
                ("BossLevel/2", True, RIGHT, READ),
                ("BossLevel/3", False, distant(4), READ),
            ],
        )
    )


def test_difficulties_stand_in_their_own_order_beside_the_papers(predicted: Section) -> None:
    assert numbers(predicted, "difficulty", "success") == pytest.approx(
        {"Easy": 1 / 3, "Very Hard": 0.5, "all": 0.4}
    )
    rows = published(predicted, "difficulty")
    assert [row.cells[0].value for row in rows[:2]] == ["Easy: Claude", "Very Hard: Claude"]
    assert rows[0].cells[4] == Cell(0.975, *rows[0].cells[4].interval, 40)  # type: ignore[misc]
    assert all("Table 3" in row.source for row in rows)


def test_answers_that_could_not_be_read_can_be_left_out_as_the_paper_does(
    predicted: Section,
) -> None:
    easy = {
        column: numbers(predicted, "as-published", column)["Easy"]
        for column in ("understood", "success", "success, read", "success, read, level mean")
    }
    assert easy == pytest.approx(
        {
            "understood": 2 / 3,
            "success": 1 / 3,
            "success, read": 1 / 2,
            "success, read, level mean": 1 / 2,
        }
    )
    every = numbers(predicted, "as-published", "success, read, level mean")["all"]
    assert every == pytest.approx((1 + 0 + 1 / 2) / 3)
    agents = {
        str(row.cells[0].value).rpartition(": ")[2] for row in published(predicted, "as-published")
    }
    assert {"Claude", "Llama-70B", "Llama-8B"} == agents


def test_what_ends_the_published_evaluator_can_be_left_out_under_compat() -> None:
    failing = {"published_error": "ValueError"}
    found = section(
        run(
            "predict",
            [
                ("GoToObj/2", True, RIGHT, READ | {"published_error": "none"}),
                ("GoToObj/3", False, distant(1), UNREAD | failing),
            ],
            scoring="compat",
        )
    )
    assert numbers(found, "as-published", "success")["Easy"] == 0.5
    assert numbers(found, "as-published", "success, as published")["Easy"] == 1


def test_a_level_counts_under_each_of_its_skills(predicted: Section) -> None:
    counted = numbers(predicted, "skills", "episodes")
    assert counted["room navigation"] == 3
    assert counted["sequence"] == counted["unlocking without an instruction"] == 2
    assert counted["all"] == 5
    named = {level for _, levels in SKILLS.classes for level in levels}
    assert named == set(LEVELS)
    claude = {str(row.cells[0].value): row.cells for row in published(predicted, "skills")}
    assert claude["maze navigation: Claude"][3:5] == (
        Cell(200),
        Cell(171 / 200, *claude["maze navigation: Claude"][4].interval, 200),  # type: ignore[misc]
    )


def test_distances_are_told_in_all_their_meanings(predicted: Section) -> None:
    every = {
        column: numbers(predicted, "distances", column)["all"]
        for column in ("of all answers read", "of wrong states", "of wrong places")
    }
    assert every == {"of all answers read": 1, "of wrong states": 2, "of wrong places": 4}


def test_formatters_stand_beside_the_papers_and_prompters_beside_each_other() -> None:
    won, lost = ("GoToObj/2", True, RIGHT, READ), ("GoToObj/2", False, distant(1), READ)
    found = section(
        run("predict", [won]),
        run("predict", [lost], formatter="narrative"),
        run("predict", [lost], prompter="cot"),
    )
    assert numbers(found, "formatters", "success") == {"narrative": 0, "structured": 0.5}
    assert numbers(found, "prompters", "success") == {"cot": 0, "tot": 0.5}
    shown = {str(row.cells[0].value): row.cells[4].value for row in published(found, "formatters")}
    assert shown["structured: the paper's models"] == 0.6108
    drawing = figure(found, "prompters-by-agent").drawing
    assert isinstance(drawing, BarChart)
    assert {name: cells[0].value for name, cells in drawing.series} == {"cot": 0, "tot": 0.5}


@pytest.fixture(scope="module")
def decomposed() -> Section:
    episodes: list[Made] = [
        (f"Synth/{seed}", used is not None, helped(used), READ)
        for seed, used in enumerate([0, 0, 1, 3, 3, 6, None])
    ]
    few = {"help_class": help_class(1), "help_added_class": help_class(0)}
    many = {"help_class": help_class(12), "help_added_class": help_class(6)}
    episodes = [(*made[:3], READ | (few if n < 4 else many)) for n, made in enumerate(episodes)]
    return section(run("decompose", [*episodes, ("Synth/9", False, {"cr": 0, "pr": 0}, UNREAD)]))


def test_the_assistance_curve_has_a_point_for_each_help_that_is_allowed(
    decomposed: Section,
) -> None:
    shown = figure(decomposed, "assistance")
    rows = {row.cells[0].value: row.cells[1] for row in shown.table.rows}
    assert list(rows) == list(range(10))
    shares = [rows[allowed].value for allowed in range(10)]
    assert shares == [pytest.approx(n / 8) for n in (2, 3, 3, 5, 5, 5, 6, 6, 6, 6)]
    assert all(cell.interval and cell.n == 8 for cell in rows.values())
    assert shares[0] == numbers(decomposed, "difficulty", "PR")["Hard"]
    assert shares[-1] == numbers(decomposed, "difficulty", "CR")["Hard"]
    assert isinstance(shown.drawing, LineChart)
    assert shown.drawing.x.whole


def test_subgoals_of_the_expert_are_counted_in_both_ways(decomposed: Section) -> None:
    counted = {name: numbers(decomposed, name, "CR") for name in ("help", "help-added")}
    assert counted["help"] == pytest.approx({"0-2": 1, "10+": 2 / 3, "all": 0.75})
    assert counted["help-added"] == pytest.approx({"0-2": 1, "5-6": 2 / 3, "all": 0.75})
    assert "translation counted" in table(decomposed, "help").columns[0].heading
    for name in ("cr-help", "pr-help", "aci-help", "cr-help-added", "aci-help-added"):
        drawing = figure(decomposed, name).drawing
        assert isinstance(drawing, BarChart)
        assert len(drawing.categories) == 2


def test_plan_is_broken_down_by_room_and_obstacles() -> None:
    found = section(
        run(
            "plan",
            [
                ("Small-4Dists/2", True, {"efficiency": 0.5, "efficiency_or_zero": 0.5}, READ),
                ("Small-4Dists/3", False, {"efficiency_or_zero": 0.0}, READ),
                ("Ultra-120Dists/2", True, {"efficiency": 1.1, "efficiency_or_zero": 1.1}, READ),
            ],
        )
    )
    assert numbers(found, "sizes", "success") == pytest.approx(
        {"Small": 0.5, "Ultra": 1, "all": 2 / 3}
    )
    assert numbers(found, "environments", "efficiency") == {
        "Small-4Dists": 0.5,
        "Ultra-120Dists": 1.1,
        "all": 0.8,
    }
    assert numbers(found, "sizes", "efficiency, failures 0")["Small"] == 0.25
    for name in ("success-environment", "efficiency-obstacles", "success-grid"):
        drawing = figure(found, name).drawing
        assert isinstance(drawing, BarChart)
        assert len(drawing.categories) == 2


@pytest.mark.parametrize(
    ("task_set", "first"),
    [
        ("predict-dataset", "place"),
        ("plan:all:2", "efficiency"),
        ("decompose", "CR"),
        ("interactive", ""),
    ],
)
def test_each_question_has_a_design(task_set: str, first: str) -> None:
    design = DESIGN.of_task_set(task_set)
    headings = [measure.heading for measure in design.overview]
    assert first in headings if first else design is DESIGN
    assert isinstance(design, ReportDesign)
