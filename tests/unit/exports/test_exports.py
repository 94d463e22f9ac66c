"""Exports of runs, read back with the packages that they are for."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from env_service.exports.conversation import Conversation, UnreadableEpisodeError
from env_service.exports.formats import FORMATS, MissingExtraError, find_format
from env_service.exports.job import Chosen, Job, OccupiedError, Selection, drafted
from env_service.results.run_folder import RunFolder
from env_service.results.run_reader import RunContents, read_run
from env_service.storage.signing_key import SigningKey
from tests.support.exported import Spending, export
from tests.support.extras import extra_module
from tests.support.made_run import USED
from tests.support.played_run import LOSING, WINNING, lab_manifest
from tests.support.viewed import HOSTILE, played

TASKS = ("lab/0", "lab/1")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunContents:
    """The first task won, the second lost, with pictures and thoughts."""
    root = tmp_path_factory.mktemp("exported")
    return read_run(played(root / "runs", "alice", {TASKS[0]: WINNING, TASKS[1]: LOSING}))


def trajectories(out: Path) -> dict[str, dict[str, Any]]:
    """Exported trajectories by task."""
    found = [json.loads(path.read_bytes()) for path in out.rglob("trajectory.json")]
    return {each["extra"]["task_id"]: each for each in found}


def test_a_conversation_has_what_the_agent_saw_and_did(run: RunContents) -> None:
    conversation = Conversation(run, run.episodes[0])
    turns = list(conversation.turns())
    assert conversation.begin.instruction in conversation.opening
    assert [turn.step for turn in turns] == [0, 1, 2]
    assert [[call.name for call in turn.calls] for turn in turns] == [["noop"], ["refuse"], []]
    assert dict(turns[1].calls[0].arguments) == {"code": "PHYSICALLY_BLOCKED"}
    assert {turn.thought for turn in turns} == {"Next."}
    assert {turn.message for turn in turns} == {"I do it."}
    assert turns[1].true[0].code == "PHYSICALLY_BLOCKED"


def test_atif_has_every_step_and_picture(run: RunContents, tmp_path: Path) -> None:
    out = export(run, tmp_path / "atif", "atif")
    found = trajectories(out)
    assert found.keys() == set(TASKS)
    won = found[TASKS[0]]
    assert won["schema_version"] == "ATIF-v1.7"
    assert [step["step_id"] for step in won["steps"]] == [1, 2, 3, 4]
    assert [step["source"] for step in won["steps"]] == ["user", "agent", "agent", "agent"]
    assert won["extra"]["success"] is True
    assert found[TASKS[1]]["extra"]["success"] is False
    folder = out / run.path.name / run.episodes[0].episode_id
    sources = [
        part["source"]
        for step in won["steps"]
        for content in (
            step["message"],
            *(each["content"] for each in step.get("observation", {}).get("results", ())),
        )
        if isinstance(content, list)
        for part in content
        if part["type"] == "image"
    ]
    shots = [*Conversation(run, run.episodes[0]).shots]
    shots += [shot for turn in Conversation(run, run.episodes[0]).turns() for shot in turn.shots]
    assert [Path(each["path"]).stem for each in sources] == [shot.sha256 for shot in shots]
    assert all((folder / each["path"]).is_file() for each in sources)


VALIDATE = """\
import sys
from harbor.utils.trajectory_validator import TrajectoryValidator
for path in sys.argv[1:]:
    validator = TrajectoryValidator()
    if not validator.validate(path):
        sys.exit(f"{path}: {validator.errors}")
"""


def test_harbor_reads_the_trajectories(run: RunContents, tmp_path: Path) -> None:
    python = os.environ.get("HARBOR_PYTHON")
    if python is None:
        pytest.skip("HARBOR_PYTHON names no Python, 3.12 or newer, that has harbor installed")
    paths = [*export(run, tmp_path / "atif", "atif").rglob("trajectory.json")]
    assert len(paths) == len(run.episodes)
    program = [python, "-c", VALIDATE, *map(str, paths)]
    read = subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)
    assert read.returncode == 0, read.stderr


def test_inspect_reads_the_log_with_equal_numbers(run: RunContents, tmp_path: Path) -> None:
    log = inspect_log(run, tmp_path / "logs")
    rate = run.summary.overall
    metrics = {score.name: score.metrics for score in log.results.scores}
    assert metrics["success"]["accuracy"].value == rate.rate
    assert metrics["success"]["ci_low"].value == rate.low
    assert metrics["goal_conditions"]["mean"].value == rate.goal_conditions
    assert log.results.completed_samples == len(run.episodes) == len(log.samples)
    for record, sample in zip(run.episodes, log.samples, strict=True):
        assert (sample.id, sample.epoch) == (record.task_id, record.repeat + 1)
        assert sample.scores["success"].value == ("C" if record.success else "I")
        assert sample.scores["goal_conditions"].value == record.goals_met
        said = [each for each in sample.messages if each.role == "assistant"]
        assert len(said) == record.steps
        assert said[0].tool_calls[0].function == "noop"
    pictures = [
        part
        for each in log.samples[0].messages
        for part in each.content
        if not isinstance(each.content, str) and part.type == "image"
    ]
    assert len(pictures) == 1 + sum(
        len(turn.shots) for turn in Conversation(run, run.episodes[0]).turns()
    )


def inspect_log(run: RunContents, out: Path) -> Any:
    """An exported log, as inspect_ai reads it."""
    logs = extra_module("inspect_ai.log", "houseguest[inspect]", "REQUIRE_EXPORTS")
    (path,) = export(run, out, "inspect").glob("*.eval")
    return logs.read_eval_log(str(path), resolve_attachments=True)


def test_inspect_lists_the_runs_of_several_agents_on_the_same_tasks(
    run: RunContents, tmp_path: Path
) -> None:
    listing = extra_module("inspect_ai._eval.evalset", "houseguest[inspect]", "REQUIRE_EXPORTS")
    runs = [
        replace(run, path=tmp_path / name, manifest=replace(run.manifest, run_id=name, agent=name))
        for name in ("first", "second", "third")
    ]
    for each in runs:
        shutil.copytree(run.path, each.path)
    with drafted(tmp_path / "logs", "inspect", runs, replace=False) as draft:
        find_format("inspect").writer("inspect")(Job(tuple(runs), draft))
    logs = listing.list_all_eval_logs(str(tmp_path / "logs"))
    shown = listing.latest_completed_task_eval_logs(logs)
    assert {Path(each.info.name).stem for each in shown} == {"first", "second", "third"}


@pytest.fixture
def spent(tmp_path: Path) -> RunContents:
    """A run whose agent reports usage and says hostile things."""
    key = SigningKey.load_or_create(tmp_path / "key.pem")
    folder = RunFolder.open(tmp_path / "runs", lab_manifest(tasks=1), key)
    folder.declare({"agent_name": "mallory", "model": "small"})
    player = Spending(folder)
    player.trace = {"thought": HOSTILE, "raw_model_output": HOSTILE}
    player.play(TASKS[0], 0, WINNING)
    folder.close()
    return read_run(folder.path)


def test_usage_and_hostile_texts_are_in_every_step_of_a_trajectory(
    spent: RunContents, tmp_path: Path
) -> None:
    found = trajectories(export(spent, tmp_path / "atif", "atif"))[TASKS[0]]
    assert found["agent"]["model_name"] == "small"
    agent = found["steps"][1:]
    assert [step["message"] for step in agent] == [HOSTILE] * 3
    assert [step["metrics"]["prompt_tokens"] for step in agent] == [USED.input_tokens] * 3
    assert [step["llm_call_count"] for step in agent] == [USED.calls] * 3


def test_hostile_texts_are_texts_in_a_log(spent: RunContents, tmp_path: Path) -> None:
    log = inspect_log(spent, tmp_path / "logs")
    assert log.eval.model == "small"
    assert [part.text for part in log.samples[0].messages[1].content[1:]] == [HOSTILE]


def test_only_chosen_episodes_are_exported(run: RunContents, tmp_path: Path) -> None:
    won = export(run, tmp_path / "won", "atif", selection=Selection(Chosen.SUCCESS))
    lost = export(
        run, tmp_path / "lost", "atif", selection=Selection(Chosen.FAILURE), pictures=False
    )
    assert trajectories(won).keys() == {TASKS[0]}
    assert trajectories(lost).keys() == {TASKS[1]}
    assert not list(lost.rglob("images"))


def test_runs_of_the_same_name_do_not_meet(run: RunContents, tmp_path: Path) -> None:
    shutil.copytree(run.path, tmp_path / "copies" / run.path.name)
    other = read_run(tmp_path / "copies" / run.path.name)
    with drafted(tmp_path / "atif", "atif", [run, other], replace=False) as draft:
        find_format("atif").writer("atif")(Job((run, other), draft))
    names = {path.name for path in (tmp_path / "atif").iterdir() if path.is_dir()}
    assert names == {run.path.name, f"{run.path.name}-2"}


def test_a_damaged_transcript_is_named_and_nothing_is_left(
    run: RunContents, tmp_path: Path
) -> None:
    shutil.copytree(run.path, tmp_path / "damaged")
    damaged = read_run(tmp_path / "damaged")
    name = damaged.episodes[1].episode_id
    path = damaged.path / "transcripts" / f"{name}.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:3], b"{broken\n", *lines[4:]]))
    with pytest.raises(UnreadableEpisodeError, match=f"{name}.*line 4.*houseguest verify"):
        export(damaged, tmp_path / "atif", "atif")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["damaged"]


def test_a_missing_package_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("env_service.exports.formats.find_spec", lambda _name: None)
    with pytest.raises(MissingExtraError, match=r"pip install 'houseguest\[inspect\]'"):
        FORMATS["inspect"].writer("inspect")


def test_only_an_export_is_replaced(run: RunContents, tmp_path: Path) -> None:
    out = export(run, tmp_path / "out", "atif")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").touch()
    with pytest.raises(OccupiedError, match="--replace"), drafted(out, "x", [], replace=False):
        pytest.fail("it may not begin")
    with (
        pytest.raises(OccupiedError, match="it is not an export"),
        drafted(tmp_path / "mine", "x", [], replace=True),
    ):
        pytest.fail("it may not begin")
    with drafted(out, "x", [run], replace=True) as draft:
        (draft / "new").touch()
    assert sorted(each.name for each in out.iterdir()) == ["export.json", "new"]
    assert sorted(each.name for each in tmp_path.iterdir()) == ["mine", "out"]


def test_an_interrupted_export_leaves_the_old_one(run: RunContents, tmp_path: Path) -> None:
    out = export(run, tmp_path / "out", "atif")
    before = sorted(out.rglob("*"))
    with (
        pytest.raises(KeyboardInterrupt),
        drafted(out, "atif", [run], replace=True) as draft,
    ):
        (draft / "half").touch()
        raise KeyboardInterrupt
    assert sorted(out.rglob("*")) == before
    assert [each.name for each in tmp_path.iterdir()] == ["out"]
