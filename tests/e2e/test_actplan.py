"""ActPlan-1K as a user meets it: plans and steps played, verified, explained, reported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Ask, done, finish, houseguest

TASKS = ("--suite", "actplan", "--task-set", "builtin-2")
UNSEEN = ("--set", "pictures=off")
STEPS = ("--condition", "interactive")


def play(place: Path, *arguments: str) -> dict[str, Any]:
    """Plays a run to its end; what it printed last."""
    out, _ = finish(houseguest(place, "run", *TASKS, "--json", *arguments))
    return done(out)


def episodes(place: Path, run: dict[str, Any]) -> list[dict[str, Any]]:
    """What was recorded of the run's episodes."""
    written = (place / run["folder"] / "episodes.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in written.splitlines()]


def told(place: Path, run: dict[str, Any]) -> str:
    """All that the agent was told, as transcripts have it: not what the house knows."""
    heard = []
    for file in sorted((place / run["folder"] / "transcripts").iterdir()):
        for line in file.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            opening = entry.get("truth", {}) if entry["kind"] == "begin" else {}
            heard += [entry.get("shown"), opening.get("instruction"), opening.get("context")]
    return json.dumps(heard)


@pytest.mark.parametrize("how", [UNSEEN, (*UNSEEN, *STEPS)], ids=["a plan", "steps"])
def test_the_experts_answers_are_correct_and_others_are_told_what_is_undone(
    place: Path, ask: Ask, how: tuple[str, ...]
) -> None:
    ask("expert", *TASKS, *how, "--jobs", "1", "--out", "answers.jsonl")
    scripts = [json.loads(line) for line in (place / "answers.jsonl").read_text().splitlines()]
    first = scripts[0]["actions"]
    first[0]["text"] = "\n".join(first[0]["text"].split("\n")[:-1])
    scripts[0]["actions"] = first[:-1] or first
    (place / "edited.jsonl").write_text("\n".join(map(json.dumps, scripts)))
    run = play(place, *how, "--agent", "scripted", "--actions", "edited.jsonl")
    undone, right = episodes(place, run)
    assert (undone["success"], right["success"]) == (False, True)
    assert "missing actions" in undone["labels"]["errors"]
    assert all(met for _, met, _ in right["goal_conditions"])
    out, _ = ask("verify", run["folder"], "--json")
    assert json.loads(out)["problems"] == []
    shown, _ = ask("show", run["folder"], "--failures")
    assert undone["labels"]["explanation"][:40] in shown

    if how is UNSEEN:
        shown, _ = ask("report", run["folder"])
        assert "Correct plans (automatic verdict)" in shown
    out, _ = ask("actplan", "explain", right["task_id"], "--run", run["folder"], "--json")
    assert json.loads(out)["correct"] is True
    assert json.loads(out)["steps"][0]["said"].startswith("walk_to(")


def test_an_agent_is_told_what_it_sees_and_nothing_of_the_definition(place: Path) -> None:
    run = play(place, *STEPS, "--limit", "1", "--agent", "random")
    (floor,) = episodes(place, run)
    assert not floor["success"]
    assert floor["labels"]["modality"] == "pictures"
    assert sum(met for _, met, _ in floor["goal_conditions"]) < len(floor["goal_conditions"]) / 2
    heard = told(place, run)
    assert "You hold nothing." in heard
    assert '"view_1"' in heard
    for secret in (":goal", ":init", ".n.01", "counterfactual", "is not open", "sample_0"):
        assert secret not in heard
