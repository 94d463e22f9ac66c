"""``houseguest alfred examples``: pools of examples for guests' prompts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from model_guest.examples import read_pool

from env_service.cli.errors import translated
from env_service.suites.alfred.commands.example_pool import validation_tasks
from env_service.suites.alfred.commands.examples import examples_command
from tests.unit.suites.alfred.dataset.builders import trajectory_text


def examples(*arguments: object) -> int:
    """Runs a command line as ``houseguest alfred examples`` does, in this process."""
    try:
        with translated():
            status = examples_command.main(list(map(str, arguments)), standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    return int(status or 0)


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., None]:
    """Puts a trajectory into a folder in the published layout."""

    def make(split: str, trial: str, **changes: Any) -> None:
        folder = tmp_path / "json_2.1.0" / split / "name" / trial
        folder.mkdir(parents=True)
        text = trajectory_text({"task_id": trial, **changes})
        (folder / "traj_data.json").write_text(text, encoding="utf-8")

    return make


def test_each_command_of_a_demonstration_is_an_example(
    tmp_path: Path, record: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    record("train", "trial_1")
    record("train", "trial_2")
    out = tmp_path / "pools" / "train.json"
    assert examples("--trajectories", tmp_path, "--out", out, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    pool = read_pool(out)
    assert told["tasks"] == len({each.task for each in pool.examples}) == 2
    assert told["examples"] == len(pool.examples) > 2
    assert told["source"] == "trajectories of train"
    assert told["warnings"] == told["problems"] == []
    assert all(set(each.commands) == {"original"} for each in pool.examples)


def test_beside_training_tasks_no_others_are_used(
    tmp_path: Path, record: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    record("train", "trial_1")
    record("valid_seen", "trial_2")
    out = tmp_path / "pool.json"
    assert examples("--trajectories", tmp_path / "json_2.1.0", "--out", out) == 0
    assert {each.task for each in read_pool(out).examples} == {"trial_1"}
    assert "left aside: 1 of valid_seen" in capsys.readouterr().err


def test_tasks_for_testing_are_known_wherever_they_lie(
    tmp_path: Path, record: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    known = sorted(validation_tasks())
    assert len(known) == 251 + 255
    record("train", known[0])
    assert examples("--trajectories", tmp_path, "--out", tmp_path / "pool.json") == 0
    assert "1 of these tasks are for testing" in capsys.readouterr().err


def test_what_cannot_be_read_is_left_out_and_told(
    tmp_path: Path, record: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    record("train", "trial_1")
    broken = tmp_path / "json_2.1.0" / "train" / "broken" / "traj_data.json"
    broken.parent.mkdir()
    broken.write_text("{", encoding="utf-8")
    out = tmp_path / "pool.json"
    assert examples("--trajectories", tmp_path, "--out", out) == 1
    assert f"left out: {broken}" in capsys.readouterr().err
    assert read_pool(out).examples


def test_pairs_can_be_left_out_as_lota_bench_does(
    tmp_path: Path, record: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    record("train", "trial_1", task_type="pick_two_obj_and_place")
    assert examples("--trajectories", tmp_path, "--lota", "--out", tmp_path / "pool.json") == 1
    assert "makes no example" in capsys.readouterr().err


@pytest.mark.parametrize("given", [(), ("--task-set", "builtin-7", "--trajectories", ".")])
def test_it_is_made_from_one_thing(
    given: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert examples(*given, "--out", tmp_path / "pool.json") == 2
    assert "Give either --task-set or --trajectories" in capsys.readouterr().err


def test_a_folder_without_trajectories(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert examples("--trajectories", tmp_path, "--out", tmp_path / "pool.json") == 2
    assert "published layout" in capsys.readouterr().err
