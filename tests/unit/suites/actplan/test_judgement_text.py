"""A judged plan in words."""

from __future__ import annotations

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.judges.judgement import Judgement
from env_service.suites.actplan.judges.judgement_text import (
    judge_lines,
    reading_rows,
    step_rows,
    verdict_line,
    verdict_notes,
)
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.plan_reader import ReadPlan, read_plan
from env_service.worlds.activity.commonsense import PROFILES
from tests.support.small_actplan import STEPS, candles


def trace(plan: str) -> tuple[Activity, ReadPlan, Judgement]:
    activity, read = understand(candles(), corrections=True), read_plan(plan)
    return activity, read, judge(activity, read, PROFILES["standard"])


def judged(plan: str) -> Judgement:
    return trace(plan)[-1]


def test_each_step_says_what_it_was_read_as_and_what_it_changed() -> None:
    rows = step_rows(judged("\n".join(STEPS)))
    assert [row.number for row in rows] == list(range(1, len(STEPS) + 1))
    assert any("candle" in text for text in rows[1].changes)
    assert all(row.done and not row.problems for row in rows)


def test_problems_stand_at_their_step() -> None:
    rows = step_rows(judged("walk_to(cabinet)\ngrab(candle_2)\nfrobnicate(cup)"))
    assert not rows[0].problems
    assert rows[1].problems
    assert "frobnicate" in rows[2].problems[0]


def test_a_problem_is_told_once_of_a_step() -> None:
    rows = step_rows(judged("place_inside(zeppelin, airship)"))
    assert rows[0].problems
    assert len(set(rows[0].problems)) == len(rows[0].problems)


def test_a_name_that_is_literally_so_is_not_listed_as_read_freely() -> None:
    read = judged("grab(candles)\nwalk_to(bascket)")
    assert "candles" in " ".join(each.text for each in read.readings)
    assert [text for _, text, *_ in reading_rows(read)] == ["bascket as basket 1"]


def test_the_verdict_is_a_sentence() -> None:
    assert verdict_line(judged("\n".join(STEPS))) == "Correct, by the automatic judge."
    assert "missing actions" in verdict_line(judged(STEPS[0]))


def test_every_judge_has_its_line() -> None:
    names = [name for name, _ in judge_lines(judged(STEPS[0]))]
    assert [name.partition(" (")[0] for name in names] == [
        *("goal, strict", "goal, names", "goal, relaxed", "goal, collective"),
        "commonsense, profile standard",
    ]


def test_notes_say_what_is_left_undone_and_what_was_read_freely() -> None:
    read = trace("grab(candles)\nwalk_to(bascket)\nThat is all that I have to say today.")
    lines = list(verdict_notes(*read))
    assert lines[0].startswith("Not correct, by the automatic judge")
    assert any(each.startswith("left undone for “") for each in lines)
    assert any(each.startswith("read bascket as basket 1 (") for each in lines)
    assert len(lines) == len(set(lines))
