"""Answers that are wrong in several ways: reported, and compared with the truth on a page."""

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


def test_wrong_answers_are_reported_and_compared_with_the_truth(place: Path, ask: Ask) -> None:
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

    shown, _ = ask("trace", folder, "GoToObjMaze/2", "--out", "maze.html", "--json")
    assert json.loads(shown)["problem"] == ""
    page = (place / "maze.html").read_text(encoding="utf-8")
    assert "The mission is fulfilled, with " in page
    assert "(added)" in page
