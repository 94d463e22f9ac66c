"""``houseguest alfred classify``: logs, results and runs, and a model's opinion beside ours."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import pytest

from env_service.cli.errors import translated
from env_service.domain.action import Text
from env_service.domain.observation import ObservationRequest
from env_service.results.domain_json import action_json, order_json
from env_service.suites.alfred.commands.classify import classify_command
from env_service.suites.alfred.task import AlfredTask, Goal, SceneSetup, TaskType, make_task
from env_service.suites.base import EpisodeOrder
from tests.support.made_run import made_record, made_text, write_run
from tests.support.model_server import MODEL, ModelServer, says

_Turn = tuple[str, list[str], str]
"""What was said in a turn, what came of each step, what was shown then."""

_LOG = """\
[INFO] pick_and_place_simple-SoapBar-None-Cart-401
[INFO] Task: To place the soap on the rack.
[INFO] 1. find a soap bar
[INFO] 2. pick up the soap bar
[INFO] 3. find a shelf
[INFO] 4. put down the soap bar
[INFO] target goal: {"object": "SoapBar", "parent": "Cart", "toggle": "", "mrecep": ""}
[INFO] success: False
"""


@pytest.fixture(autouse=True)
def _no_packs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path / "none"))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "evaluate.log"
    path.write_text(_LOG + _LOG.replace("False", "True"))
    return path


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def classify(*arguments: object) -> int:
    try:
        with translated():
            status = classify_command.main(list(map(str, arguments)), standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return int(status or 0)


def test_a_log_is_told_attempt_by_attempt(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert classify(log) == 0
    told = capsys.readouterr().out
    assert f"{log}:1" in told
    assert "types: 1  codes: command_contradicts" in told
    assert 'the command says "rack"' in told
    assert "succeeded" in told
    assert told.endswith("2 attempts, 1 failed: 1 of type 1, 0 of type 2, 0 of type 3\n")


def test_json_holds_the_same(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert classify(log, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["failure_types"] for each in told["attempts"]] == [[1], []]
    assert told["types"] == {"1": 1, "2": 0, "3": 0}
    assert told["problems"] == []


def test_a_run_is_told_as_it_was_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = {
        "failure_types": "2, 3",
        "failure_codes": "no_room, hand_full",
        "explanation": "Step 4 failed.",
        "command": "Put it there.",
    }
    records = [
        made_record(0, success=False, labels=labels),
        made_record(1, success=True, labels=dict.fromkeys(labels, "")),
    ]
    run = write_run(tmp_path, made_text(tasks=2, suite="alfred"), records)
    assert classify(run, "--json") == 0
    first, second = json.loads(capsys.readouterr().out)["attempts"]
    assert first["failure_types"] == [2, 3]
    assert first["failure_codes"] == ["no_room", "hand_full"]
    assert (first["explanation"], first["command"]) == ("Step 4 failed.", "Put it there.")
    assert second["success"]


def test_what_cannot_be_read_is_named_and_the_rest_is_told(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cut = tmp_path / "cut.log"
    cut.write_text("\n".join(_LOG.splitlines()[:-1]))
    other = write_run(tmp_path / "runs", made_text(tasks=2))
    assert classify(log, cut, other, other.parent, tmp_path) == 1
    told = capsys.readouterr()
    assert "2 attempts" in told.out
    assert "cut.log, line 1: the task that begins here" in told.err
    assert f"{other} is a run of suite " in told.err
    assert f"{other.parent} contains no run of suite alfred" in told.err
    assert f"{tmp_path} is not a run folder and contains none" in told.err


def test_of_a_folder_of_runs_those_of_this_suite_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = {"failure_types": "3", "failure_codes": "hand_full", "explanation": "Step 1."}
    write_run(tmp_path, made_text(tasks=1))
    for name in ("first", "second"):
        text = made_text(name, tasks=1, suite="alfred")
        write_run(tmp_path, text, [made_record(0, success=False, labels=labels)])
    assert classify(tmp_path) == 0
    told = capsys.readouterr()
    assert "2 attempts, 2 failed" in told.out
    assert not told.err


def test_an_interrupted_run_is_told_as_far_as_it_came(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    labels = {"failure_types": "3", "failure_codes": "hand_full", "explanation": "Step 1."}
    text = made_text(tasks=5, suite="alfred")
    run = write_run(tmp_path / "some", text, [made_record(0, success=False, labels=labels)])
    assert classify(run) == 0
    told = capsys.readouterr()
    assert "1 attempt, 1 failed" in told.out
    assert "1 of 5 episodes were scored" in told.err
    none = write_run(tmp_path / "none", text, [])
    assert classify(none) == 1
    assert "none of its episodes was scored" in capsys.readouterr().err


def test_a_model_is_asked_beside(
    log: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.queue.append(says('<ANALYSIS>{"types": [1], "explanation": "a cart"}</ANALYSIS>'))
    assert classify(log, "--model", MODEL, "--base-url", server.url, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert told["attempts"][0]["model"] == {"failure_types": [1], "explanation": "a cart"}
    assert [each["agree"] for each in told["agreement"]] == [1.0, 1.0, 1.0]


_TOWEL = AlfredTask("towel", Goal(TaskType.SIMPLE, "HandTowel", "Sink"), SceneSetup("made"))


def attempt(tmp_path: Path, turns: Sequence[_Turn], **condition: str) -> Path:
    """A run with one failed attempt at bringing a towel to the sink."""
    order = EpisodeOrder(
        task=make_task(_TOWEL),
        world="household",
        condition={"ask": "off", "play": "plan", **condition},
        request=ObservationRequest(),
        seed=0,
    )
    labels = {"failure_types": "2", "command": "Bring the towel."}
    record = made_record(0, success=False, task_id="towel", labels=labels)
    run = write_run(tmp_path, made_text(tasks=1, suite="alfred"), [record])
    lines: list[dict[str, Any]] = [{"kind": "header", "order": order_json(order)}]
    for said, messages, shown in turns:
        told = {"truth": {"outcomes": [["", each] for each in messages]}, "shown": {"text": shown}}
        lines.append({"kind": "step", "action": action_json(Text(said)), **told})
    (run / "transcripts").mkdir()
    place = run / "transcripts" / f"{record.episode_id}.jsonl"
    place.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return run


@pytest.mark.parametrize(
    ("condition", "turns"),
    [
        ({}, [("find a hand towel, pick up the hand towel, done", ["", "It hangs.", ""], "")]),
        (
            {"play": "steps"},
            [
                ("find a hand towel", [""], ""),
                ("pick up the hand towel", ["It hangs."], ""),
                ("done", [""], ""),
            ],
        ),
    ],
)
def test_a_model_is_asked_about_a_runs_attempts_as_they_went(
    tmp_path: Path, server: ModelServer, condition: dict[str, str], turns: list[_Turn]
) -> None:
    server.default = says('<ANALYSIS>{"types": [2], "explanation": "it hangs"}</ANALYSIS>')
    run = attempt(tmp_path, turns, **condition)
    assert classify(run, "--model", MODEL, "--base-url", server.url) == 0
    assert server.asked[0].texts.partition("Command: ")[2] == (
        "Bring the towel.\nSteps:\n1. find a hand towel\n2. pick up the hand towel\n"
        "   robot: It hangs.\n3. done\n"
        'Goal: {"object": "HandTowel", "parent": "Sink", "mrecep": "", "toggle": ""}'
        " (task type pick_and_place_simple)\nSuccess: false"
    )


def test_a_model_sees_what_was_asked_and_what_was_no_plan(
    tmp_path: Path, server: ModelServer
) -> None:
    server.default = says('<ANALYSIS>{"types": [3]}</ANALYSIS>')
    turns = [("ask: Where to?", [""], "To the sink."), ("No.", ["No skill."], "")]
    run = attempt(tmp_path, turns, ask="on")
    assert classify(run, "--model", MODEL, "--base-url", server.url) == 0
    assert (
        "1. ask: Where to?\n   robot: To the sink.\n2. (an answer that is not a plan)\n"
        "   robot: No skill.\nGoal:"
    ) in server.asked[0].texts


def test_a_run_without_its_transcripts_is_named(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run = attempt(tmp_path, [])
    next((run / "transcripts").iterdir()).unlink()
    assert classify(run, "--model", MODEL, "--base-url", server.url) == 1
    assert "transcripts/ep-0-0.jsonl cannot be read" in capsys.readouterr().err


def test_a_model_without_a_server_is_told(
    log: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("HOUSEGUEST_BASE_URL", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    assert classify(log, "--model", MODEL) == 2
    assert "pass --base-url URL" in capsys.readouterr().err
