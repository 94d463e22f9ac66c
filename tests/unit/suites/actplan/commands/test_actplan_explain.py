"""``houseguest actplan explain``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from env_service.cli.main import run
from env_service.suites.actplan.suite import ActPlanSuite

PLAN = "walk_to(kitchen)\nfrobnicate(cup)\n"


@pytest.fixture(scope="module")
def task() -> str:
    """The id of a built-in task; its set takes a while to make."""
    return ActPlanSuite().task_sets()["builtin-2"].tasks[0].id


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    path = tmp_path / "plan.txt"
    path.write_text(PLAN, "utf-8")
    return path


def test_a_plan_is_told_step_by_step(
    task: str, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["actplan", "explain", task, "--task-set", "builtin-2", "--plan", str(plan)]) == 0
    out = capsys.readouterr().out
    assert "frobnicate(cup)" in out
    assert "left undone" in out and "at the end" in out
    assert "Not correct, by the automatic judge" in out


def test_names_that_were_not_read_literally_are_listed_with_their_scores(
    task: str, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan.write_text("walk_to(kitchenette)\nwalk_to(ground)\nwalk_to(lounge)\n", "utf-8")
    given = ["--task-set", "builtin-2", "--plan", str(plan)]
    assert run(["actplan", "explain", task, *given]) == 0
    told = capsys.readouterr().out
    assert "name that was not read literally" in told
    assert "lounge as living room" in told and "0.85" in told
    assert run(["actplan", "explain", task, *given, "--json"]) == 0
    readings = json.loads(capsys.readouterr().out)["readings"]
    assert {"step": 3, "kind": "name_matched", "text": "lounge as living room", "score": 0.85} in (
        readings
    )
    scores = [each["score"] for each in readings]
    assert scores == sorted(scores)


def test_a_plan_of_prose_is_told_without_an_empty_table(
    task: str, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan.write_text("I would rather not say what I do.", "utf-8")
    assert run(["actplan", "explain", task, "--task-set", "builtin-2", "--plan", str(plan)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "No step could be read."
    assert not any("the plan says" in line for line in lines)


def test_as_json(task: str, plan: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = ["--task-set", "builtin-2", "--plan", str(plan), "--set", "commonsense=one-hand"]
    assert run(["actplan", "explain", task, *given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["correct"] is False
    assert found["profile"] == "one-hand"
    assert [each["number"] for each in found["steps"]] == [1, 2]
    assert set(found["goals"]) == {"strict", "names", "relaxed", "collective"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "Give --plan FILE"),
        (["--plan", "missing.txt"], "missing.txt cannot be read"),
        (["--plan", "-", "--run", "."], "Give --plan FILE"),
    ],
)
def test_what_is_wrong_is_said(
    task: str, given: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["actplan", "explain", task, "--task-set", "builtin-2", *given]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("task_set", "said", "status"),
    [
        ("nonsuch", "task set of suite 'actplan' named 'nonsuch'", 2),
        ("builtin-0", "COUNT from 1", 2),
        ("folder:/nonexistent", "/nonexistent: is not a folder", 1),
    ],
)
def test_a_task_set_that_cannot_be_had_is_told(
    task_set: str, said: str, status: int, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--task-set", task_set, "--plan", str(plan)]
    assert run(["actplan", "explain", "any", *given]) == status
    assert said in capsys.readouterr().err


def test_an_unknown_task_names_those_that_are_near(
    task: str, plan: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--task-set", "builtin-2", "--plan", str(plan)]
    assert run(["actplan", "explain", task[:-1], *given]) == 2
    assert task in capsys.readouterr().err
