"""Answers that are wrong in several ways: reported, and stepped through on a page."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from tests.support.command_line import Ask, done, finish, houseguest

ASKED = ["--suite", "babybench", "--task-set", "decompose:GoToObj,GoToObjMaze:2,3"]


def edit(place: Path) -> None:
    """Of the expert's answers, one loses its form, and those of mazes all but their last line."""
    scripts = [json.loads(line) for line in (place / "answers.jsonl").read_text().splitlines()]
    for script in scripts:
        (action,) = script["actions"]
        if script["task"] == "GoToObj/2":
            action["text"] = "Walk there."
        if script["task"].startswith("GoToObjMaze"):
            start, *_, last, end = action["text"].split("\n")
            action["text"] = "\n".join(["<think>The door at (3, 4).</think>", start, last, end])
    (place / "edited.jsonl").write_text("\n".join(map(json.dumps, scripts)))


def test_answers_are_reported_and_stepped_through(place: Path, ask: Ask) -> None:
    ask("expert", *ASKED, "--jobs", "1", "--out", "answers.jsonl")
    edit(place)
    agent = ["--agent", "scripted", "--actions", "edited.jsonl"]
    played, _ = finish(houseguest(place, "run", *ASKED, "--json", *agent))
    folder = done(played)["folder"]

    ask("report", folder, "--out", "told", "--format", "csv,html")
    with (place / "told" / "assistance.csv").open(newline="") as file:
        shares = [float(row["success"]) for row in csv.DictReader(file)]
    assert shares[0] == 0.25, "one answer is perfect"
    assert shares[-1] == 0.75, "and two are with help"
    assert "Without unreadable answers" in (place / "told" / "index.html").read_text()

    shown, _ = ask("babybench", "trace", folder, "GoToObjMaze/2", "--out", "maze.html", "--json")
    assert json.loads(shown)["verdict"].startswith("The mission is fulfilled, with ")
    page = (place / "maze.html").read_text(encoding="utf-8")
    assert '"added"' in page
    assert 'data-x="3" data-y="4"' in page
    shown, _ = ask("babybench", "trace", folder, "GoToObj/2")
    assert "counts as wrong" in shown
    assert (place / "trace-gotoobj-2.html").exists()
    _, told = ask("babybench", "trace", folder, "GoToObj/9", code=2)
    assert "GoToObj/2" in told
    _, told = ask("babybench", "trace", folder, "GoToObj/2", "--repeat", "4", code=2)
    assert "repeat" in told
