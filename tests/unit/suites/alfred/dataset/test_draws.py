"""Which tasks the subsets hold."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import pairwise

import pytest

from env_service.suites.alfred.dataset.splits import (
    Entry,
    SplitsError,
    half_of,
    lota_sample,
    lota_tasks,
    read_split,
)
from env_service.suites.alfred.task import TaskType

FOLDERS = [
    f"{kind.value}-Mug-None-Desk-301/trial_{place}"
    for number, kind in enumerate(TaskType)
    for place in range(4 + number)
]


def test_lota_leaves_out_tasks_with_two_objects() -> None:
    kinds = {folder.partition("-")[0] for folder in lota_tasks(FOLDERS)}
    assert kinds == {kind.value for kind in TaskType} - {"pick_two_obj_and_place"}


def test_the_half_is_a_half_of_every_type_whatever_the_order() -> None:
    half = half_of(FOLDERS)
    counts = Counter(folder.partition("-")[0] for folder in half)
    assert len(half) == len(FOLDERS) // 2
    for number, kind in enumerate(TaskType):
        assert (4 + number) // 2 <= counts[kind.value] <= (5 + number) // 2
    assert half_of(FOLDERS[::-1]) == half
    assert half_of(FOLDERS, seed=7) != half


def test_odd_types_share_what_is_left_from_the_first_on() -> None:
    counts = Counter(folder.partition("-")[0] for folder in half_of(FOLDERS))
    extra = [
        counts[kind.value] - (4 + number) // 2
        for number, kind in enumerate(TaskType)
        if (4 + number) % 2
    ]
    assert all(first >= second for first, second in pairwise(extra))


def test_the_sample_is_what_pythons_own_generator_draws() -> None:
    entries = [
        Entry(folder.partition("/")[0], f"trial_{place}", place)
        for place, folder in enumerate(FOLDERS)
    ]
    listed = [entry for entry in entries if "pick_two" not in entry.name]
    random.seed(1)
    assert lota_sample(entries) == tuple(random.sample(listed, int(len(listed) * 0.3)))


def test_a_split_is_read_in_its_order() -> None:
    items = [{"task": "a-b/trial_2", "repeat_idx": 1}, {"task": "trial_1", "repeat_idx": 0}]
    found = read_split(json.dumps({"tests_seen": [], "train": items}), "train", "oct21.json")
    assert found == (Entry("a-b", "trial_2", 1), Entry("", "trial_1", 0))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{}", "lacks the key 'train'"),
        ('{"train": [{"task": "a/b"}]}', r"train\[0\]: lacks the key 'repeat_idx'"),
        ('{"train": [{"task": "a/b", "repeat_idx": -1}]}', r"train\[0\].repeat_idx: is -1"),
        ("no", "is not JSON"),
    ],
)
def test_a_list_that_cannot_be_read_is_told(text: str, problem: str) -> None:
    with pytest.raises(SplitsError, match=problem):
        read_split(text, "train", "oct21.json")
