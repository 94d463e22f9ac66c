"""The guests without a model answer LLM-BabyBench's questions in a real run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Ask, run_folder


@pytest.mark.parametrize(
    ("agent", "tasks", "successes"),
    [("translation", "decompose:GoToSeq:1-2", 2), ("random", "plan:Small-4Dists:1-2", 0)],
)
def test_every_answer_is_of_the_right_form(
    place: Path, ask: Ask, agent: str, tasks: str, successes: int
) -> None:
    options = ("--task-set", tasks, "--set", "formatter=narrative")
    ask("run", "--suite", "babybench", *options, "--agent", agent)
    journal = run_folder(place) / "episodes.jsonl"
    records = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    assert sum(record["success"] for record in records) == successes
    assert len(records) == 2
    assert {record["failure"] for record in records} <= {None, "goal_not_reached"}
    assert {record["labels"]["answer"] for record in records} == {"parsed"}
