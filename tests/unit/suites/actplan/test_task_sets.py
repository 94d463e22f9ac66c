"""Task sets of the published data: what is in them, what is not, and what is said of bad files."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import replace
from pathlib import Path

import pytest

from env_service.datasets.errors import (
    DataPackCorruptError,
    DataPackError,
    DataPackMissingError,
)
from env_service.datasets.pack import open_pack
from env_service.domain.task import TaskSet
from env_service.suites.actplan.dataset.published_files import LABELLED_FILE, SPLIT_FILE
from env_service.suites.actplan.task import ActPlanTask, Variant, read_task
from env_service.suites.actplan.task_sets import ActPlanTaskSets, data_patterns, gold_steps
from tests.unit.suites.actplan.dataset.packs import (
    GOLD_1,
    GOLD_2,
    PROBLEM,
    actplan_files,
    add_files,
    archive_files,
    lines,
    record,
    sample_files,
    use_pack,
)

PUBLISHED = [name for name in ActPlanTaskSets() if name != "builtin"]


@pytest.fixture
def pack(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    return use_pack(monkeypatch, tmp_path)


def ids(task_set: TaskSet) -> list[str]:
    return [task.id for task in task_set.tasks]


def tasks(name: str) -> dict[str, ActPlanTask]:
    return {task.id: read_task(task) for task in ActPlanTaskSets()[name].tasks}


def test_names_are_known_without_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    sets = ActPlanTaskSets()
    assert next(iter(sets)) == "problems"
    assert {"labelled/val", "problems/counterfactual", "pictured", "archive"} < set(sets)
    assert len(sets) == len(list(sets))
    assert "builtin-7-3" in sets
    assert "labelled/nobody" not in sets
    for name in PUBLISHED:
        with pytest.raises(DataPackMissingError, match="houseguest data fetch actplan"):
            sets[name]


def test_other_names_are_refused(pack: Path) -> None:
    with pytest.raises(KeyError):
        ActPlanTaskSets()["labelled/nobody"]


def test_a_problem_is_a_task_where_it_has_a_description(pack: Path) -> None:
    sets = ActPlanTaskSets()
    found = ids(sets["problems"])
    assert found == [
        "baking_pie/0",
        "baking_pie/1",
        "storing_cups/0",
        "storing_cups/1",
        "washing_cups/0",
    ]
    assert ids(sets["problems/counterfactual"]) == ["baking_pie/1", "storing_cups/1"]
    assert ids(sets["problems/test"]) == ["washing_cups/0"]


def test_a_problem_by_itself_has_its_text_and_no_scene(pack: Path) -> None:
    found = tasks("problems")["storing_cups/1"]
    assert (found.problem, found.description) == (PROBLEM, "Variant 1 of storing_cups.")
    assert (found.variant, found.split) == (Variant.COUNTERFACTUAL, "train")
    assert (found.scene, found.sample, bool(found.pictures)) == ("", "", False)


def test_tasks_cluster_by_activity_and_group_by_variant(pack: Path) -> None:
    for name in ("problems", "labelled", "archive"):
        for task in ActPlanTaskSets()[name].tasks:
            assert task.cluster == read_task(task).activity
            assert task.group == read_task(task).variant.value


def test_labelled_instances_have_scene_split_and_pictures(pack: Path) -> None:
    found = tasks("labelled")
    assert len(found) == 4
    shown = found["Rs_int/storing_cups/0/sample_0"]
    folder = "annotation/Rs_int/storing_cups/0/sample_0"
    assert shown.pictures.files == tuple(
        f"{folder}/{frame}.png" for frame in ("8", "00020", "00102")
    )
    assert (shown.scene, shown.sample) == ("Rs_int", "sample_0")


def test_an_instance_without_pictures_is_there_by_its_description_alone(pack: Path) -> None:
    found = tasks("labelled")["Merom_1_int/storing_cups/0/sample_0"]
    assert not found.pictures
    assert found.description
    assert "Merom_1_int/storing_cups/0/sample_0" not in tasks("pictured")


def test_a_set_that_is_empty_here_says_what_is_missing(pack: Path) -> None:
    with pytest.raises(DataPackError, match=f"no task of 'labelled/test': {LABELLED_FILE} is not"):
        ActPlanTaskSets()["labelled/test"]


@pytest.mark.parametrize("name", ["problems", "problems/counterfactual", "pictured", "archive"])
def test_a_task_set_is_the_same_without_labelled_plans(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    use_pack(monkeypatch, tmp_path)
    before = ActPlanTaskSets()[name].digest("actplan", "1")
    assert "storing_cups/0" in gold_steps(name)
    files = {path: data for path, data in actplan_files().items() if path != LABELLED_FILE}
    use_pack(monkeypatch, tmp_path / "other", files)
    assert ActPlanTaskSets()[name].digest("actplan", "1") == before
    assert "storing_cups/0" not in gold_steps(name)


def test_lengths_of_gold_plans_are_known_by_problem_instance_and_sample(
    pack: Path, tmp_path: Path
) -> None:
    known = gold_steps("problems")
    assert known["storing_cups/1"] == known["Rs_int/storing_cups/0/sample_0"] == 3
    add_files(tmp_path / "archive", archive_files())
    # Of what people have not judged, the plans beside its pictures.
    assert gold_steps("archive")["Rs_int/baking_pie/1/sample_0"] == 4


def test_tasks_that_were_not_published_have_no_gold_plans(pack: Path) -> None:
    assert gold_steps("builtin-4") == gold_steps("folder:mine") == {}


def test_recorded_tasks_may_tell_a_length(pack: Path) -> None:
    task = ActPlanTaskSets()["problems"].tasks[0]
    recorded = replace(task, data={**task.data, "gold_steps": 25.5})
    assert read_task(recorded) == read_task(task)


@pytest.mark.parametrize("name", ["problems", "labelled", "archive"])
def test_no_plan_of_anybodys_is_in_a_task(pack: Path, tmp_path: Path, name: str) -> None:
    add_files(tmp_path / "archive", archive_files())
    told = [json.dumps(dict(task.data)) for task in ActPlanTaskSets()[name].tasks]
    assert told
    for text in told:
        assert "grab(" not in text
        assert "walk_to(" not in text
        assert GOLD_1 not in text
        assert GOLD_2.strip() not in text


def test_the_archive_brings_more_samples(pack: Path, tmp_path: Path) -> None:
    add_files(tmp_path / "archive", archive_files())
    sets = ActPlanTaskSets()
    more = [f"Rs_int/baking_pie/1/sample_{number}" for number in (0, 2, 10)]
    assert ids(sets["archive"]) == [*more, "Rs_int/storing_cups/0/sample_0"]
    assert ids(sets["pictured"]) == [*more[:2], "Rs_int/storing_cups/0/sample_0"]
    first = tasks("archive")[more[0]]
    assert [Path(file).name for file in first.pictures.files] == ["00001.png", "00002.png"]
    assert first.split == "val"


def test_a_sample_of_an_unknown_activity_is_left_out_and_told_of(
    pack: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    add_files(tmp_path / "archive", sample_files("annotation/Rs_int/juggling/0/sample_0", "1"))
    with caplog.at_level(logging.WARNING):
        assert len(ActPlanTaskSets()["archive"].tasks) == 1
    assert "annotation/Rs_int/juggling/0/sample_0: no activity of that name" in caplog.text


def test_a_copy_that_says_otherwise_is_told_of(
    pack: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    above = "annotation/Rs_int/baking_pie/1"
    changed = {f"{above}/problem1.bddl": b"(define)", f"{above}/task_description_1.txt": b"\xff"}
    add_files(tmp_path / "archive", {**archive_files(), **changed})
    with caplog.at_level(logging.WARNING):
        found = tasks("archive")["Rs_int/baking_pie/1/sample_0"]
    assert found.problem == PROBLEM
    assert f"{above}/problem1.bddl is not used: baking_pie/1 is defined otherwise" in caplog.text
    assert f"{above}/task_description_1.txt: byte 0: is not UTF-8 text" in caplog.text


def test_a_picture_that_got_lost_is_named(pack: Path) -> None:
    lost = "annotation/Rs_int/storing_cups/0/sample_0/00020.png"
    (pack / lost).unlink()
    with pytest.raises(DataPackMissingError, match=lost):
        ActPlanTaskSets()["labelled"]
    assert len(ActPlanTaskSets()["problems"].tasks) == 5


@pytest.mark.parametrize("file", ["task_description_0.txt", "problem1.bddl"])
def test_a_missing_definition_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str
) -> None:
    path = f"bddl/activity_definitions/storing_cups/{file}"
    files = {name: data for name, data in actplan_files().items() if name != path}
    use_pack(monkeypatch, tmp_path, files)
    with pytest.raises(DataPackMissingError, match=path):
        ActPlanTaskSets()["problems"]


@pytest.mark.parametrize(
    ("file", "data", "problem"),
    [
        ("task_description_0.txt", b" \n", "is empty"),
        ("task_description_0.txt", b"caf\xe9", "byte 3: is not UTF-8 text"),
        ("problem0.bddl", b"", "is empty"),
    ],
)
def test_a_definition_that_is_no_text_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, data: bytes, problem: str
) -> None:
    path = f"bddl/activity_definitions/storing_cups/{file}"
    use_pack(monkeypatch, tmp_path, {**actplan_files(), path: data})
    with pytest.raises(DataPackCorruptError, match=f"{path}: {problem}.*data fetch actplan"):
        ActPlanTaskSets()["problems"]


def test_an_activity_of_no_split_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    use_pack(monkeypatch, tmp_path, {**actplan_files(), SPLIT_FILE: b"storing_cups\ttrain\n"})
    with pytest.raises(DataPackCorruptError, match="does not have activity 'baking_pie'"):
        ActPlanTaskSets()["problems"]


def test_an_instance_of_a_problem_that_nobody_described_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = lines(record(), record("washing_cups", 1)).encode()
    use_pack(monkeypatch, tmp_path, {**actplan_files(), LABELLED_FILE: text})
    with pytest.raises(DataPackCorruptError, match="line 2: is of washing_cups/1, which has no"):
        ActPlanTaskSets()["labelled"]


def test_what_a_run_reads_is_named_for_its_record(pack: Path) -> None:
    (patterns,) = data_patterns("problems/val").values()
    held = open_pack("actplan").require(patterns)
    assert not any(path.endswith(".png") for path in held)
    (patterns,) = data_patterns("pictured").values()
    assert any(path.endswith(".png") for path in open_pack("actplan").require(patterns))
    assert data_patterns("builtin") == data_patterns("builtin-7-3") == {}


def test_a_folder_of_ones_own_is_a_task_set(tmp_path: Path) -> None:
    folder = tmp_path / "bddl" / "activity_definitions" / "lighting"
    folder.mkdir(parents=True)
    (folder / "problem0.bddl").write_text(PROBLEM, "utf-8")
    (folder / "task_description_0.txt").write_text("Put both candles into the basket.", "utf-8")
    name = f"folder:{tmp_path}"
    sets = ActPlanTaskSets()
    assert name in sets
    assert [each.id for each in sets[name].tasks] == ["own/lighting/0"]
    assert data_patterns(name) == {}


def test_a_folder_without_activities_says_so(tmp_path: Path) -> None:
    with pytest.raises(DataPackError, match=re.escape(str(tmp_path))):
        ActPlanTaskSets()[f"folder:{tmp_path}"]
