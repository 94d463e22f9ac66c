"""A judged plan as a page."""

from __future__ import annotations

import re

import numpy as np

from env_service.domain.observation import Channel, Frame, ImageRole
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.suites.actplan.trace_page import (
    PlanTrace,
    as_page,
    judge_lines,
    reading_rows,
    step_rows,
    verdict_line,
)
from env_service.worlds.activity.commonsense import PROFILES
from tests.support.small_actplan import STEPS, candles


def trace(plan: str, *frames: Frame) -> PlanTrace:
    task = candles()
    activity, read = understand(task, corrections=True), read_plan(plan)
    judgement = judge(activity, read, PROFILES["standard"])
    return PlanTrace(task, activity, read, judgement, frames)


def test_each_step_says_what_it_was_read_as_and_what_it_changed() -> None:
    rows = step_rows(trace("\n".join(STEPS)).judgement)
    assert [row.number for row in rows] == list(range(1, len(STEPS) + 1))
    assert any("candle" in text for text in rows[1].changes)
    assert all(row.done and not row.problems for row in rows)


def test_problems_stand_at_their_step() -> None:
    rows = step_rows(trace("walk_to(cabinet)\ngrab(candle_2)\nfrobnicate(cup)").judgement)
    assert not rows[0].problems
    assert rows[1].problems
    assert "frobnicate" in rows[2].problems[0]


def test_a_problem_is_told_once_of_a_step() -> None:
    rows = step_rows(trace("place_inside(zeppelin, airship)").judgement)
    assert rows[0].problems
    assert len(set(rows[0].problems)) == len(rows[0].problems)


def test_a_name_that_is_literally_so_is_not_listed_as_read_freely() -> None:
    read = trace("grab(candles)\nwalk_to(bascket)").judgement
    assert "candles" in " ".join(each.text for each in read.readings)
    assert [text for _, text, *_ in reading_rows(read)] == ["bascket as basket 1"]


def test_the_verdict_is_a_sentence() -> None:
    assert verdict_line(trace("\n".join(STEPS)).judgement) == "Correct, by the automatic judge."
    assert "missing actions" in verdict_line(trace(STEPS[0]).judgement)


def test_every_judge_has_its_line() -> None:
    names = [name for name, _ in judge_lines(trace(STEPS[0]).judgement)]
    assert [name.partition(" (")[0] for name in names] == [
        *("goal, strict", "goal, names", "goal, relaxed", "goal, collective"),
        "commonsense, profile standard",
    ]


def test_a_page_needs_nothing_else() -> None:
    frame = Frame(Channel.RGB, np.zeros((4, 3, 3), np.uint8), ImageRole.VIEW, "view_1")
    page = as_page(trace("\n".join(STEPS), frame))
    assert "data:image/png;base64," in page
    assert not re.search(r"https?://", page)
    assert "<script" not in page


def test_what_a_plan_says_cannot_become_markup() -> None:
    page = as_page(trace("grab(<script>alert(1)</script>)\x00\nwalk_to(<b>table</b>)"))
    assert "<script" not in page
    assert "<b>" not in page


def test_no_step_and_no_picture_are_told() -> None:
    page = as_page(trace("Nothing comes to mind."))
    assert "No step could be read." in page
    assert "No pictures." in page
