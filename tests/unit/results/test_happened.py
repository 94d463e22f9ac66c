"""What is told of an episode, whatever its transcript holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from env_service.domain.episode import GoalCondition
from env_service.results.recorded_episode import LAST_ACTIONS, account_of
from env_service.results.records import EpisodeRecord

RECORD = EpisodeRecord(
    episode_id="ep-1",
    task_id="t",
    group="g",
    cluster="c",
    repeat=0,
    seed=1,
    success=False,
    failure="agent_crash",
    goal_conditions=(GoalCondition("the mug is clean", met=False), GoalCondition("on", met=True)),
    steps=1,
    agent_seconds=0.0,
    environment_seconds=0.0,
    session="s",
    guest="g",
    transcript_head="",
    exchanges=0,
)


def written(run: Path, *lines: Any) -> Path:
    (run / "transcripts").mkdir()
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (run / "transcripts" / "ep-1.jsonl").write_text(text, encoding="utf-8")
    return run


def step(action: dict[str, Any], *outcomes: list[str], said: str = "") -> dict[str, Any]:
    trace = {"thought": said} if said else None
    return {"kind": "step", "action": action, "truth": {"outcomes": outcomes}, "trace": trace}


def test_the_last_actions_with_their_outcomes(tmp_path: Path) -> None:
    call = {"skill": "put", "arguments": [["thing", "mug"], ["place", "sink"]]}
    plan = {"plan": [call, {"skill": "open", "arguments": []}]}
    run = written(
        tmp_path,
        {"kind": "begin", "truth": {"instruction": "Clean the mug."}},
        *[step({"skill": "look", "arguments": []}, ["SUCCEEDED", ""])] * 4,
        step({"text": "wash it"}, ["UNPARSABLE", "Nobody understands."], said="I wonder"),
        step(plan, ["PRECONDITION_FAILED", "It is full."]),
    )
    told = account_of(run, RECORD)
    assert told.instruction == "Clean the mug."
    assert told.actions[-3:] == (
        "5. “wash it” → UNPARSABLE: Nobody understands.",
        "6. put(mug, sink) → PRECONDITION_FAILED: It is full.",
        "7. open → not reached",
    )
    assert (len(told.actions), told.earlier) == (LAST_ACTIONS, 2)
    assert told.open_goals == ("the mug is clean",)
    assert told.last_words == "I wonder"


def test_the_words_of_a_process_that_was_lost_in_it(tmp_path: Path) -> None:
    lost = [
        {"first_offending_step": {"episode_id": "ep-0"}, "log_tail": "another"},
        {"first_offending_step": {"episode_id": "ep-1"}, "log_tail": "Traceback\n\nKeyError: \x1b"},
        {"first_offending_step": None},
    ]
    told = account_of(tmp_path, RECORD, lost)
    assert told.log_tail == ("Traceback", "KeyError: \N{REPLACEMENT CHARACTER}")
    assert (told.actions, told.earlier, told.instruction) == ((), 0, "")


def test_what_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    run = written(tmp_path, step({"jump": 1}, ["OK"]), step({"skill": "x"}), {"kind": "close"}, [])
    assert [each.split(" → ")[0] for each in account_of(run, RECORD).actions] == [
        "1. (an action that cannot be read)",
        "2. (an action that cannot be read)",
    ]
    long = "y" * 100_000
    (tmp_path / "long").mkdir()
    run = written(tmp_path / "long", step({"text": long}, ["A", long], said=long))
    assert len(json.dumps(account_of(run, RECORD).to_json())) < 3000
