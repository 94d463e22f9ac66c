"""The nine keys of a record, and whether records belong to their tasks."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from env_service.suites.alfred.dataset.refined_commands import (
    RefinedError,
    RefinedRecord,
    Split,
    join_records,
    read_records,
    write_records,
)
from env_service.suites.alfred.dataset.trajectories import read_trajectory
from tests.unit.suites.alfred.dataset.builders import TRIAL, record_data, trajectory_text

FILE = "refined_valid_seen_commands.json"
SPLIT = Split("valid_seen", {TRIAL}, {"valid_unseen": {"trial_far", "trial_away"}})
TRAJECTORIES = {TRIAL: read_trajectory(trajectory_text(), "traj_data.json")}


def read(*records: Any) -> tuple[RefinedRecord, ...]:
    return read_records(json.dumps(list(records)), FILE)


def test_a_record_has_a_command_in_each_wording() -> None:
    (record,) = read(record_data())
    assert record.commands == {
        "B": "Put the cleaned mug in the cabinet.",
        "P1": "Place the washed mug in the cabinet.",
        "P2": "Set the rinsed cup in the cupboard.",
        "C": "Clean mugs live in the cabinet. Wash the mug and put it away.",
        "K": "씻은 머그잔을 캐비닛에 넣으세요.",
    }
    assert record.original[1] == "put a clean mug in the cupboard"


def test_what_is_written_is_read_back_and_can_be_read_by_people() -> None:
    records = read(record_data(), record_data({"task_id": "trial_2"}))
    text = write_records(records)
    assert read_records(text, FILE) == records
    assert "씻은 머그잔을" in text
    assert list(json.loads(text)[0]) == list(record_data())


@pytest.mark.parametrize(
    ("changes", "where", "problem"),
    [
        ({"refined": ...}, "[1]", "lacks the key 'refined'"),
        ({"korean_command": ...}, "[1]", f"the record ({TRIAL}) lacks the key 'korean_command'"),
        (
            {"paraphras1_command": ..., "paraphrase1_command": "Place it."},
            "[1]",
            "it has 'paraphrase1_command', which is spelt otherwise",
        ),
        ({"notes": "good"}, "[1]", "has the key 'notes', which the format has not"),
        ({"contextual_command": ""}, "[1].contextual_command", "is empty"),
        ({"refined": 5}, "[1].refined", "is 5, not a text"),
        ({"refined": "Put \ud83d."}, "[1].refined", "half of a character"),
        ({"task_id": "trial_1"}, "[1].task_id", "as that of record [0]"),
        ({"task_type": "pick"}, "[1].task_type", "no task type 'pick'"),
        ({"original": []}, "[1].original", "is an empty list"),
        ({"original": ["put", " "]}, "[1].original[1]", "is empty"),
    ],
)
def test_a_bad_record_is_named_with_its_key(
    changes: dict[str, Any], where: str, problem: str
) -> None:
    with pytest.raises(RefinedError, match=re.escape(problem)) as caught:
        read(record_data({"task_id": "trial_1"}), record_data(changes))
    assert (caught.value.source, caught.value.where) == (FILE, where)


def test_it_is_told_how_to_mend_a_file() -> None:
    with pytest.raises(RefinedError, match="houseguest data fetch alfred-refined"):
        read(record_data({"refined": ...}))


@pytest.mark.parametrize("text", ["", "{}", '"commands"', "[3]", "[" * 100_000])
def test_a_text_without_records_is_refused(text: str) -> None:
    with pytest.raises(RefinedError, match=FILE):
        read_records(text, FILE)


def test_records_of_their_tasks_are_found_by_id() -> None:
    joined = join_records(read(record_data()), TRAJECTORIES, SPLIT, FILE)
    assert joined[TRIAL].base == "Put the cleaned mug in the cabinet."


def test_a_task_that_could_not_be_read_keeps_its_record_from_being_strange() -> None:
    assert set(join_records(read(record_data()), {}, SPLIT, FILE)) == {TRIAL}


def test_the_file_of_the_other_split_is_told_apart() -> None:
    records = read(record_data({"task_id": "trial_far"}), record_data({"task_id": "trial_away"}))
    with pytest.raises(RefinedError, match=r"2 of its 2 records.*valid_unseen, not of valid_seen"):
        join_records(records, TRAJECTORIES, SPLIT, FILE)


@pytest.mark.parametrize(
    ("changes", "where", "problem"),
    [
        ({"task_id": "trial_x"}, "[0].task_id", "valid_seen has no task 'trial_x'"),
        ({"task_type": "pick_and_place_simple"}, "[0].task_type", "pick_clean_then_place"),
        ({"original": ["Wash a cup."]}, "[0].original", "is 1, but"),
        ({"original.1": "put it there"}, "[0].original[1]", "is 'put it there', but"),
        ({"action_sequence": "1. Done."}, "[0].action_sequence", "is '1. Done.', but"),
    ],
)
def test_a_record_that_is_not_its_tasks_is_named(
    changes: dict[str, Any], where: str, problem: str
) -> None:
    with pytest.raises(RefinedError, match=re.escape(problem)) as caught:
        join_records(read(record_data(changes)), TRAJECTORIES, SPLIT, FILE)
    assert caught.value.where == where


def test_missing_records_are_counted_and_named() -> None:
    split = Split("valid_seen", {TRIAL, "trial_2", "trial_3"}, {})
    told = "has 1 record, but valid_seen has 3 tasks; no record for trial_2, trial_3"
    with pytest.raises(RefinedError, match=re.escape(told)):
        join_records(read(record_data()), TRAJECTORIES, split, FILE)
