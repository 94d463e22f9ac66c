"""What a report on asgard shows, made of made-up episodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from env_service.domain.action import SkillCall, Text
from env_service.domain.episode import FinishReason
from env_service.domain.outcome import OutcomeCode
from env_service.results.report.content import (
    BarChart,
    FigureData,
    Omissions,
    Row,
    RowKind,
    Section,
    StackChart,
    TableData,
)
from env_service.results.report.run_report import Designed, make_report
from env_service.results.run_reader import RunContents
from env_service.suites.asgard.ai2thor_start import PICTURE
from env_service.suites.asgard.conditions import named_condition
from env_service.suites.asgard.limits import Ending, Limits, StepLimits
from env_service.suites.asgard.plan_reader import read_plan
from env_service.suites.asgard.report import DESIGN, PICTURES, SCORES, action_as_read
from env_service.suites.asgard.rules import PAPER
from env_service.suites.asgard.scoring import (
    TurnTally,
    ending_labels,
    goal_metrics,
    plan_labels,
    turn_metrics,
)
from env_service.suites.asgard.wording import Reason
from env_service.suites.reporting import (
    ActionTree,
    Bins,
    Chosen,
    Classes,
    Histogram,
    Label,
    Only,
    Profile,
    Scatter,
    Table,
)
from tests.support.asgard import SUITE
from tests.support.made_run import made_text
from tests.unit.suites.asgard.builders import plan_data

PLAN = read_plan(plan_data(), "a plan")
LIMITS = Limits(StepLimits.of(PLAN.step_count), PAPER)


def scored(condition: dict[str, str], *, won: bool) -> tuple[dict[str, float], dict[str, str]]:
    """Metrics and labels as the suite gives them: of four turns a loser has one undoable."""
    tally = TurnTally()
    for _ in range(3):
        tally.note(OutcomeCode.SUCCEEDED)
    if won:
        tally.note(OutcomeCode.SUCCEEDED)
    else:
        tally.note(OutcomeCode.PRECONDITION_FAILED, Reason.NOT_VISIBLE)
    metrics = turn_metrics(PLAN, LIMITS, tally) | goal_metrics((False,), (won,))
    ending = Ending.SUCCESS if won else Ending.MAX_STEPS
    return metrics, plan_labels(PLAN, condition) | ending_labels(LIMITS, ending, FinishReason.OVER)


def run(
    agent: str, condition: str, wins: int, *, pixels: str = "", rules: str = "paper"
) -> RunContents:
    """A run of ten tasks, ``wins`` of them solved, under one of the paper's conditions."""
    settings = named_condition(condition) | {
        PICTURE.name: pixels or PICTURE.default,
        "rules": rules,
    }
    text = made_text(
        f"{agent}-{condition}",
        tasks=10,
        wins=lambda task, _: task < wins,
        suite="asgard",
        condition=settings,
        agent=agent,
        declared=({"agent_name": agent, "model": "m", "configuration": {"temperature": "0"}},),
    )
    records = []
    for record in text.episodes:
        metrics, labels = scored(settings, won=record.success)
        records.append(replace(record, metrics=metrics, labels=labels, group="cook_egg"))
    return replace(text, episodes=tuple(records))


def section(*texts: RunContents) -> Section:
    (found,) = make_report(texts, lambda _: Designed(DESIGN)).sections
    return found


def figure(found: Section, name: str) -> FigureData:
    return next(each for each in found.figures() if each.id == name)


def table(found: Section, name: str) -> TableData:
    return next(
        block for block in found.blocks if isinstance(block, TableData) and block.id == name
    )


def ours(rows: Sequence[Row]) -> list[object]:
    return [row.cells[0].value for row in rows if row.kind is not RowKind.PUBLISHED]


@pytest.fixture(scope="module")
def paper() -> Section:
    """Two agents; one of them under every condition of the paper that is compared."""
    conditions = {
        "baseline": 8,
        "text-only-simple": 4,
        "detailed": 9,
        "no-feedback": 6,
        "no-hand": 7,
        "no-memory": 5,
        "no-previous-image": 6,
    }
    return section(
        *(run("one", name, wins) for name, wins in conditions.items()),
        run("two", "baseline", 2),
    )


def test_scores_stand_beside_the_papers_with_intervals(paper: Section) -> None:
    scores = table(paper, SCORES)
    assert scores.columns[3].above == "condition baseline"
    assert scores.columns[4].above == "condition text-only-simple"
    assert ours(scores.rows) == ["one · m", "two · m"]
    assert (scores.rows[0].cells[3].value, scores.rows[1].cells[3].value) == (0.8, 0.2)
    assert scores.rows[0].cells[3].interval
    assert [cell.value for cell in scores.rows[0].cells[1:3]] == ["light", "paper (version 1)"]
    published = [row for row in scores.rows if row.kind is RowKind.PUBLISHED]
    assert len(published) == 9
    assert [cell.value for cell in published[0].cells[:5]] == [
        "Claude Opus 4.5",
        "ai2thor",
        "upstream (released code)",
        0.765,
        0.361,
    ]
    assert all("2603.15888" in row.source and "ai2thor" in row.source for row in published)
    bounded = [row.cells[0].value for row in published if row.cells[3].interval]
    assert bounded == ["GPT-5.2"], "of one run it is known how many episodes there were"


def test_pictures_and_text_only_are_drawn_beside_the_published_models(paper: Section) -> None:
    drawing = figure(paper, PICTURES).drawing
    assert isinstance(drawing, BarChart)
    assert [name for name, _ in drawing.series] == ["with pictures", "text only"]
    assert (len(drawing.categories), drawing.published) == (11, 9)
    assert [cells[0].value for _, cells in drawing.series] == [0.8, 0.4]
    assert [cells[2].value for _, cells in drawing.series] == [0.765, 0.361]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("feedback", {"none": 0.6, "simple": 0.8, "detailed": 0.9}),
        ("hand", {"drawn": 0.8, "not drawn": 0.7}),
        ("memory", {"with notes": 0.8, "without": 0.5}),
        ("previous-image", {"shown": 0.8, "not shown": 0.6}),
    ],
)
def test_conditions_are_contrasted_with_the_baseline(
    paper: Section, name: str, values: dict[str, float]
) -> None:
    drawing = figure(paper, name).drawing
    assert isinstance(drawing, BarChart)
    assert drawing.categories == ("one · m", "two · m")
    assert {series: cells[0].value for series, cells in drawing.series} == values


def test_steps_endings_turns_and_reasons_are_drawn(paper: Section) -> None:
    shown = {each.id for each in paper.figures()}
    assert shown >= {"by-length", "steps", "steps-success", "step-ratios", "undoable-success"}
    length = figure(paper, "by-length").drawing
    assert isinstance(length, BarChart)
    endings = figure(paper, "terminations-by-run").drawing
    assert isinstance(endings, StackChart)
    assert endings.parts == ("succeeded", "Max_Steps")
    assert endings.counts[:2] == ((8, 2), (4, 6)), "no two conditions are taken together"
    reasons = figure(paper, "undoable-categories").drawing
    assert isinstance(reasons, BarChart)
    counted = dict(zip(reasons.categories, reasons.series[-1][1], strict=True))
    assert (counted["not visible"].value, counted["dirty"].value) == (0.8, 0.0)
    turns = table(paper, "turns").rows[-1].cells
    assert [turns[1].value, turns[-1].value] == pytest.approx([0.8, 0.2])


def test_how_models_were_run_stands_beside_the_papers(paper: Section) -> None:
    found = table(paper, "inference")
    rows = {row.cells[0].value: [cell.value for cell in row.cells[2:]] for row in found.rows}
    assert [column.id for column in found.columns[2:]] == ["temperature", "max tokens per reply"]
    assert rows["GPT-4o"] == ["0", "4096"]
    assert rows["Claude Opus 4.5"] == ["0", "16384"]
    assert rows["one · m"] == ["0", None]


def test_smaller_pictures_are_a_condition_of_their_own_and_share_a_figure() -> None:
    found = section(run("one", "baseline", 8, pixels="300"), run("one", "text-only-simple", 4))
    headings = [column.above for column in table(found, SCORES).columns[3:]]
    assert headings == ["condition baseline, 300 pixels", "condition text-only-simple"]
    drawing = figure(found, PICTURES).drawing
    assert isinstance(drawing, BarChart)
    assert [cells[0].value for _, cells in drawing.series] == [0.8, 0.4]


def test_scores_by_different_rules_are_never_taken_together() -> None:
    found = section(run("one", "baseline", 8), run("one", "baseline", 5, rules="upstream"))
    scores = table(found, SCORES)
    assert [column.above for column in scores.columns[3:]] == [
        "condition baseline",
        "condition baseline, upstream rules",
    ]
    assert scores.rows[0].cells[2].value == "paper (version 1), upstream (version 1)"
    assert [cell.value for cell in scores.rows[0].cells[3:]] == [0.8, 0.5]
    assert [cell.value for cell in scores.rows[1].cells[3:]] == [0.765, 0.765]
    drawing = figure(found, PICTURES).drawing
    assert isinstance(drawing, BarChart)
    assert {name: cells[0].value for name, cells in drawing.series} == {
        "with pictures": 0.8,
        "with pictures, upstream rules": 0.5,
    }
    assert [row.cells[1].value for row in table(found, "progress").rows] == [0.8, 0.5]


def test_what_a_single_run_has_nothing_for_is_told() -> None:
    found = section(run("one", "baseline", 8))
    (missing,) = (block for block in found.blocks if isinstance(block, Omissions))
    told = dict(missing.pairs)
    assert told["Without the drawn hand"].endswith("differ in hand.")
    assert "Undoable actions and success" in told
    assert "No transcript" in told["Action tree for one instruction"]


def test_actions_are_shown_as_the_rules_read_them() -> None:
    assert action_as_read(SkillCall("pickup", (("object", "Mug"),))) == ("PICKUP Mug",)
    assert action_as_read(Text("<answer>Action: PUT Sofa</answer>")) == ("PUT Sofa",)
    assert action_as_read(Text("I would rather not.")) == ("(no action)",)


def keys():
    for item in DESIGN.items:
        for name in ("rows", "across", "by", "series", "parts", "points"):
            yield getattr(item, name, None)
        yield item.only.key if item.only else None
        for measure in measures(item):
            for only in (measure.only, measure.share_of):
                yield only.key if isinstance(only, Only) else None


def measures(item):
    match item:
        case Table():
            return item.columns
        case Profile():
            return item.measures
        case Scatter():
            return (item.x, item.y)
        case _:
            return ()


def quantities():
    for item in DESIGN.items:
        if isinstance(item, Histogram):
            yield item.quantity
        yield from (measure.quantity for measure in measures(item) if measure.quantity)
    yield from (key.quantity for key in keys() if isinstance(key, Bins))


def test_every_label_and_setting_that_is_shown_exists() -> None:
    _, labels = scored(named_condition("baseline") | {PICTURE.name: PICTURE.default}, won=True)
    found = [key.of if isinstance(key, Classes) else key for key in keys() if key is not None]
    assert {key.name for key in found if isinstance(key, Label)} <= set(labels)
    settings = {setting.name for setting in SUITE.settings}
    assert {key.setting for key in found if isinstance(key, Chosen)} <= settings


def test_every_metric_that_is_shown_is_recorded() -> None:
    metrics, _ = scored(named_condition("baseline") | {PICTURE.name: PICTURE.default}, won=True)
    shown = {each.name for each in quantities() if each.source == "metric"}
    assert shown <= set(metrics)
    assert len(shown) > 15


def test_one_tree_of_actions_is_drawn() -> None:
    assert [item.words for item in DESIGN.items if isinstance(item, ActionTree)] == [action_as_read]
