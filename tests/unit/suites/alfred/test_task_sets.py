"""Task sets of the data packs: which there are, and what is said where files are bad."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from env_service.datasets.errors import DataPackCorruptError, DataPackMissingError
from env_service.domain.task import Task, TaskSet
from env_service.suites.alfred.command_wordings import NoCommandError
from env_service.suites.alfred.dataset.splits import SPLITS_FILE
from env_service.suites.alfred.task import read_task
from env_service.suites.alfred.task_sets import AlfredTaskSets, data_patterns, under_original
from tests.unit.suites.alfred.dataset.builders import trajectory_text
from tests.unit.suites.alfred.dataset.packs import (
    CLEAN,
    KINDS,
    alfred_files,
    refined_files,
    trajectory_path,
    trial,
    use_packs,
)

SEEN, UNSEEN = "valid_seen", "valid_unseen"
BOTH = {"alfred": alfred_files(), "alfred-refined": refined_files()}
BROKEN = trajectory_path(SEEN, CLEAN, 1)


def ids(task_set: TaskSet) -> list[str]:
    return [task.id for task in task_set.tasks]


def of_split(files: dict[str, bytes], split: str) -> dict[str, bytes]:
    return {path: text for path, text in files.items() if split in path}


def test_names_are_known_without_any_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_packs(monkeypatch, tmp_path, {})
    task_sets = AlfredTaskSets()
    assert next(iter(task_sets)) == SEEN
    assert {f"{SEEN}/lota-208", f"{UNSEEN}/lota-222", "builtin"} <= set(task_sets)
    assert len(list(task_sets)) == len(task_sets)
    assert "builtin-14-3" in task_sets
    assert "valid_seen/lota-210" not in task_sets
    with pytest.raises(DataPackMissingError, match="houseguest data fetch alfred"):
        task_sets[SEEN]
    with pytest.raises(KeyError):
        task_sets["train"]


def test_a_task_has_goal_commands_originals_and_reference(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_packs(monkeypatch, tmp_path, BOTH)
    tasks = AlfredTaskSets()[SEEN].tasks
    assert len(tasks) == 12
    task = read_task(tasks[0])
    assert (task.id, tasks[0].group, tasks[0].cluster) == (
        trial(SEEN, CLEAN, 0),
        CLEAN,
        "FloorPlan7",
    )
    assert task.goal.object == "Mug"
    assert set(task.commands) == {"B", "P1", "P2", "C", "K"}
    assert len(task.originals) == 2
    assert task.reference[-1] == "close the cabinet"


def test_subsets_leave_out_tasks_with_two_objects(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_packs(monkeypatch, tmp_path, BOTH)
    task_sets = AlfredTaskSets()
    lota = task_sets[f"{SEEN}/lota"]
    assert {task.group for task in lota.tasks} == set(KINDS) - {"pick_two_obj_and_place"}
    half = task_sets[f"{SEEN}/lota-109"]
    assert len(half.tasks) == 4
    assert set(ids(half)) < set(ids(lota))
    assert "seed 1" in half.description
    assert task_sets["lota-109"] is half
    assert task_sets[f"{UNSEEN}/lota-109"].name == f"{UNSEEN}/lota-115"


def test_the_sample_is_of_single_annotations(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_packs(monkeypatch, tmp_path, BOTH)
    sample = AlfredTaskSets()[f"{SEEN}/lota-208"]
    assert len(sample.tasks) == 4  # 30 % of 16
    for task in sample.tasks:
        whole, _, number = task.id.partition("/")
        assert read_task(task).annotation == int(number)
        assert whole.startswith("trial_seen_")
    assert under_original(sample) is sample


def test_under_original_each_annotation_is_a_task(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use_packs(monkeypatch, tmp_path, BOTH)
    lota = AlfredTaskSets()[f"{SEEN}/lota"]
    found = under_original(lota)
    first, second = ids(lota)[:2]
    assert ids(found)[:3] == [f"{first}/0", f"{first}/1", f"{second}/0"]
    assert len(found.tasks) == 16
    assert found.name == lota.name
    assert found.digest("alfred", "1") != lota.digest("alfred", "1")


def test_a_task_without_originals_cannot_be_played_under_them() -> None:
    task = Task("made/1", "a", "b", {"annotation": None, "originals": []})
    with pytest.raises(NoCommandError, match="made/1 has no original commands"):
        under_original(TaskSet("builtin", "", (task,)))


def test_one_split_is_enough_for_its_tasks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    part = {name: of_split(files, SEEN) for name, files in BOTH.items()}
    use_packs(monkeypatch, tmp_path, part)
    task_sets = AlfredTaskSets()
    assert len(task_sets[SEEN].tasks) == 12
    assert len(task_sets[f"{SEEN}/lota-109"].tasks) == 4
    with pytest.raises(DataPackMissingError, match="valid_unseen"):
        task_sets[UNSEEN]
    with pytest.raises(DataPackMissingError, match="oct21"):
        task_sets[f"{SEEN}/lota-208"]


def test_without_refined_commands_there_are_the_original_ones(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    use_packs(monkeypatch, tmp_path, {"alfred": alfred_files()})
    task = read_task(AlfredTaskSets()[SEEN].tasks[0])
    assert (dict(task.commands), len(task.originals)) == ({}, 2)
    assert "houseguest data fetch alfred-refined" in caplog.text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "is not JSON"),
        (trajectory_text({"scene": ...}), "lacks the key 'scene'"),
        (trajectory_text({"task_id": trial(SEEN, CLEAN, 2)}), "belongs to another task"),
    ],
)
def test_a_broken_trajectory_is_left_out_and_the_draws_stay(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    text: str,
    problem: str,
) -> None:
    use_packs(monkeypatch, tmp_path / "sound", BOTH)
    names = (SEEN, f"{SEEN}/lota-109", f"{SEEN}/lota-208")
    sound = AlfredTaskSets()
    whole = {name: ids(sound[name]) for name in names}
    broken = {**alfred_files(), BROKEN: text.encode()}
    use_packs(monkeypatch, tmp_path / "broken", {**BOTH, "alfred": broken})
    lost = trial(SEEN, CLEAN, 1)
    task_sets = AlfredTaskSets()
    with caplog.at_level(logging.WARNING):
        for name in names:
            kept = [each for each in whole[name] if each.partition("/")[0] != lost]
            assert ids(task_sets[name]) == kept
    (told,) = (record.getMessage() for record in caplog.records)
    assert BROKEN in told
    assert problem in told


def test_commands_of_the_other_split_are_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    refined = refined_files()
    swapped = dict(zip(refined, reversed(refined.values()), strict=True))
    use_packs(monkeypatch, tmp_path, {**BOTH, "alfred-refined": swapped})
    told = r"refined_valid_seen_commands.json: 12 of its 12 records are of tasks of valid_unseen"
    with pytest.raises(DataPackCorruptError, match=told):
        AlfredTaskSets()[SEEN]


def test_a_list_of_annotations_that_there_are_not_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    listed = alfred_files()[SPLITS_FILE].replace(b'"repeat_idx": 1', b'"repeat_idx": 9')
    use_packs(monkeypatch, tmp_path, {**BOTH, "alfred": {**alfred_files(), SPLITS_FILE: listed}})
    with pytest.raises(DataPackCorruptError, match=r"oct21.json: .* has no annotation 9"):
        AlfredTaskSets()[f"{SEEN}/lota-208"]


def test_a_set_names_the_files_that_it_reads() -> None:
    trajectories = "data/json_2.1.0/valid_seen/*/*/traj_data.json"
    commands = ("refined_valid_seen_commands.json",)
    assert data_patterns(SEEN) == {"alfred": (trajectories,), "alfred-refined": commands}
    assert data_patterns(f"{SEEN}/lota-208")["alfred"] == (trajectories, SPLITS_FILE)
    assert data_patterns("builtin-10") == {}
