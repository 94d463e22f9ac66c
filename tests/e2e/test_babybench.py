"""The questions of babybench as a user meets them: asked, answered, shown and reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Ask, done, finish, houseguest

SETS = {
    "predict": "predict:GoToLocal,Synth:2-4",
    "decompose": "decompose:PutNextLocal,Open:2-4",
}


@pytest.mark.parametrize("question", SETS)
def test_the_experts_answers_are_right(place: Path, ask: Ask, question: str) -> None:
    asked = ["--suite", "babybench", "--task-set", SETS[question]]
    ask("expert", *asked, "--jobs", "1", "--out", "answers.jsonl")
    run = ["run", *asked, "--json", "--parallel", "2"]
    played, _ = finish(houseguest(place, *run, "--agent", "scripted", "--actions", "answers.jsonl"))
    overall = done(played)["summary"]["overall"]
    assert (overall["n"], overall["success_rate"]) == (6, 1.0)
    folder = done(played)["folder"]
    told, _ = ask("verify", folder, "--json")
    assert json.loads(told)["problems"] == []
    shown, _ = ask("report", folder)
    assert "By difficulty" in shown
    assert "100.0 %" in shown


def test_wrong_parts_of_a_task_sets_name_are_told(ask: Ask) -> None:
    _, told = ask("expert", "--suite", "babybench", "--task-set", "predict:GoTwo:1-3", code=2)
    assert "Did you mean 'GoTo'?" in told
