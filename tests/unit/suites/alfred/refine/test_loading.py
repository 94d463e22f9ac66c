"""Where tasks come from: files in the published format, and task sets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.suites.alfred.dataset.refined_commands import RefinedError, read_records
from env_service.suites.alfred.refine.sources import (
    WORDINGS,
    SourceError,
    chosen,
    digest,
    join,
    load_file,
    load_task_set,
    record_of,
)
from env_service.suites.alfred.task import Goal, TaskType
from tests.support.refining_model import published_file


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file with a task of each type."""
    path = tmp_path / "tasks.json"
    path.write_text(published_file(), encoding="utf-8")
    return path


def changed(path: Path, place: int, **values: object) -> Path:
    """The file with one record changed."""
    records = json.loads(path.read_text("utf-8"))
    records[place].update(values)
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_goals_come_from_the_action_sequences(path: Path) -> None:
    sources = load_file(path)
    assert sources[4].goal == Goal(TaskType.HEAT, "Bread", "GarbageCan", sliced=True)
    assert sources[6].goal == Goal(TaskType.MOVABLE, "KeyChain", "Dresser", "Box")
    assert set(sources[0].texts) == set(WORDINGS)


def test_what_is_read_is_written_the_same(path: Path) -> None:
    records = read_records(path.read_bytes(), "tasks")
    assert tuple(record_of(source, source.texts) for source in load_file(path)) == records


def test_tasks_are_chosen_by_id_type_and_pattern(path: Path) -> None:
    sources = load_file(path)
    assert [each.id for each in chosen(sources, ["look_at_obj_in_light", "*_0"], 0)] == [
        *("trial_0", "trial_2"),
    ]
    assert [each.id for each in chosen(sources, [], 2)] == ["trial_0", "trial_1"]
    with pytest.raises(UnknownNameError, match="trial_9"):
        chosen(sources, ["trial_9"], 0)


def test_the_digest_knows_commands_and_sequences(path: Path) -> None:
    before = digest(load_file(path))
    assert digest(load_file(changed(path, 0, refined="Other."))) == before
    assert digest(load_file(changed(path, 0, original=["Other."]))) != before


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (
            {"action_sequence": "1. Fly(away)"},
            r"tasks\.json: \[3\]\.action_sequence \(trial_3\): .*no PutObject",
        ),
        ({"action_sequence": "PutObject(a,b)"}, r"\[3\]\.action_sequence .*action 1 is"),
        ({"task_type": "pick_and_fly"}, r"\[3\]\.task_type: no task type 'pick_and_fly'"),
        ({"original": []}, r"\[3\]\.original: is an empty list"),
        ({"korean_command": " "}, r"\[3\]\.korean_command: is empty"),
        ({"task_id": "trial_0"}, r"\[3\]\.task_id: is 'trial_0', as that of record \[0\]"),
    ],
    ids=range(6),
)
def test_a_record_that_cannot_be_used_is_named(
    path: Path, values: dict[str, object], problem: str
) -> None:
    with pytest.raises((SourceError, RefinedError), match=problem):
        load_file(changed(path, 3, **values))


def test_an_unknown_task_set_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'valid_seen'"):
        load_task_set("alfred/valid_sen")


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ({"task_id": "trial_x"}, r"\[2\]\.task_id: other has no task 'trial_x'"),
        ({"original": ["Do it."]}, r"\[2\]\.original: is 1, but the task trial_2 has 2"),
        ({"original": ["Do it.", "Not so."]}, r"\[2\]\.original: is \['Do it\.', 'Not so\.'\]"),
        (
            {"action_sequence": "1. PickupObject(cup), 2. ToggleObject(desklamp)"},
            r"action_sequence",
        ),
    ],
    ids=range(4),
)
def test_a_file_that_is_not_the_task_sets_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch, values: dict[str, object], problem: str
) -> None:
    wanted = load_file(path)
    monkeypatch.setattr(
        "env_service.suites.alfred.refine.sources.load_task_set", lambda _name: wanted
    )
    assert join(path, wanted, "other") == wanted
    with pytest.raises(SourceError, match=r"has 6 records, but other has 7 tasks.*none of trial_6"):
        join(path, wanted[:6], "other")
    with pytest.raises(SourceError, match=problem):
        join(path, load_file(changed(path, 2, **values)), "other")
