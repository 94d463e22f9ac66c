"""The 251 tasks of valid_seen with their refined commands, and LoTa-Bench's draws of each split."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

from env_service.datasets.registry import definition
from env_service.suites.alfred import task_sets
from env_service.suites.alfred.dataset.refined_commands import read_records, write_records
from env_service.suites.alfred.dataset.splits import (
    SPLITS_FILE,
    half_of,
    lota_sample,
    lota_tasks,
    read_split,
)
from env_service.suites.alfred.dataset.statistics import Recipe, by_wording
from env_service.suites.alfred.dataset.trajectories import read_task_name
from env_service.suites.alfred.skills.vocabulary import parse_skill, skill_text
from env_service.suites.alfred.task import TaskType, read_task
from env_service.suites.alfred.task_sets import AlfredTaskSets, under_original
from tests.support.data import reference_data

pytestmark = pytest.mark.data

BY_TYPE = {
    TaskType.SIMPLE: (46, 5.5),
    TaskType.TWO: (33, 10.9),
    TaskType.LOOK: (29, 5.0),
    TaskType.CLEAN: (37, 13.6),
    TaskType.HEAT: (34, 19.1),
    TaskType.COOL: (38, 16.3),
    TaskType.MOVABLE: (34, 10.7),
}
"""Tasks, and mean steps of the reference plans with "done"."""

TABLE_2 = {
    Recipe.A: {
        "B": (134, 0.062, 5.213),
        "P1": (170, 0.081, 5.736),
        "P2": (180, 0.085, 5.782),
        "C": (526, 0.066, 6.987),
        "K": (161, 0.135, 6.264),
    },
    Recipe.B: {
        "B": (129, 0.060, 5.174),
        "P1": (164, 0.078, 5.701),
        "P2": (170, 0.081, 5.732),
        "C": (515, 0.065, 6.935),
        "K": (161, 0.135, 6.264),
    },
}
"""Unique words, diversity, entropy."""

HALF_DIGEST = "09b9425ecc1d596a"
"""The first digits of the SHA-256 of lota-109's ids, a line each: the draw has to stay."""


class Folder:
    """A data pack as it lies among the reference data."""

    def __init__(self, name: str) -> None:
        self._root = reference_data(name)

    def require(self, patterns: list[str]) -> tuple[str, ...]:
        found = [path for pattern in patterns for path in self._root.glob(pattern)]
        return tuple(sorted(str(path.relative_to(self._root)) for path in found))

    def path(self, relative: str) -> Path:
        return self._root / relative


@pytest.fixture(scope="module")
def sets() -> Iterator[AlfredTaskSets]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(task_sets, "open_pack", Folder)
        yield AlfredTaskSets()


def test_all_tasks_are_read_and_agree_with_their_names_and_records(sets: AlfredTaskSets) -> None:
    tasks = [read_task(task) for task in sets["valid_seen"].tasks]
    assert len(tasks) == 251
    assert Counter(task.goal.type for task in tasks) == {
        kind: count for kind, (count, _) in BY_TYPE.items()
    }
    assert all(len(task.commands) == 5 for task in tasks)
    assert sum(len(task.originals) for task in tasks) == 820
    assert sum(task.goal.sliced for task in tasks) == 40
    assert sum(len(task.setup.poses) for task in tasks) == 8243
    assert len({task.setup.scene for task in tasks}) == 88
    for task in tasks:
        assert task.setup.dirty_and_empty == (task.goal.type is TaskType.CLEAN)
        assert bool(task.setup.toggles) == (task.goal.type is TaskType.LOOK)


def test_reference_plans_are_skills_and_as_long_as_counted(sets: AlfredTaskSets) -> None:
    lengths = defaultdict(list)
    for task in sets["valid_seen"].tasks:
        found = read_task(task)
        lengths[found.goal.type].append(len(found.reference) + 1)
        for text in found.reference:
            step = parse_skill(text)
            assert step is not None
            assert skill_text(step) == text
    for kind, (_, mean) in BY_TYPE.items():
        assert fmean(lengths[kind]) == pytest.approx(mean, abs=0.051)
    every = [length for found in lengths.values() for length in found]
    assert max(every) == 32
    assert sum(length > 25 for length in every) == 3


@pytest.mark.parametrize("recipe", Recipe)
def test_the_commands_are_as_varied_as_counted(sets: AlfredTaskSets, recipe: Recipe) -> None:
    found = by_wording(sets["valid_seen"], recipe)
    rounded = {
        wording: (each.unique, round(each.diversity, 3), round(each.entropy, 3))
        for wording, each in found.items()
        if wording != "original"
    }
    assert rounded == TABLE_2[recipe]


def test_a_published_file_is_written_as_it_is() -> None:
    path = reference_data("alfred-refined") / "refined_valid_seen_commands.json"
    text = path.read_text(encoding="utf-8")
    assert write_records(read_records(text, path.name)) == text


def test_subsets_have_the_published_sizes(sets: AlfredTaskSets) -> None:
    lota, half = sets["valid_seen/lota"], sets["valid_seen/lota-109"]
    assert (len(lota.tasks), len(half.tasks)) == (218, 109)
    assert len(under_original(lota).tasks) == 696
    listed = "".join(f"{task.id}\n" for task in half.tasks)
    assert hashlib.sha256(listed.encode()).hexdigest()[:16] == HALF_DIGEST


def test_the_draw_is_that_of_the_logs_that_the_paper_prints(sets: AlfredTaskSets) -> None:
    """Entries 1, 2, 4 and 5: soap to the "rack", a cabinet, a sponge to the "metal rack", a sliced
    loaf."""
    drawn = sets["valid_seen/lota-208"].tasks
    assert len(drawn) == len({task.id for task in drawn}) == 208
    told = []
    for place in (0, 1, 3, 4):
        task = read_task(drawn[place])
        assert task.annotation is not None
        assert task.id.endswith(f"/{task.annotation}")
        goal, command = task.goal, task.originals[task.annotation].strip()
        told.append((goal.type, goal.object, goal.parent, goal.sliced, command))
    assert told == [
        (TaskType.SIMPLE, "SoapBar", "Cart", False, "To place the soap on the rack."),
        (TaskType.COOL, "Plate", "Cabinet", False, "Put a plate in a cabinet."),
        (TaskType.CLEAN, "DishSponge", "Cart", False, "Put a clean sponge on a metal rack."),
        (TaskType.COOL, "Bread", "DiningTable", True, "Slice bread and chill it in the fridge."),
    ]


def test_valid_unseen_is_drawn_from_by_its_names() -> None:
    entries = read_split(
        (reference_data("alfred") / SPLITS_FILE).read_bytes(), "valid_unseen", SPLITS_FILE
    )
    paths = [path.split("/") for path in definition("alfred").files if "/valid_unseen/" in path]
    folders = ["/".join(path[-3:-1]) for path in paths]
    assert {f"{entry.name}/{entry.trial}" for entry in entries} == set(folders)
    lota = lota_tasks(folders)
    assert (len(folders), len(lota), len(half_of(lota))) == (255, 231, 115)
    assert (len(entries), len(lota_sample(entries))) == (821, 222)


def test_every_name_of_train_and_valid_is_a_goal() -> None:
    text = (reference_data("alfred") / SPLITS_FILE).read_bytes()
    found = {
        (entry.name, entry.trial)
        for split in ("train", "valid_seen", "valid_unseen")
        for entry in read_split(text, split, SPLITS_FILE)
    }
    assert len(found) == 7080
    scenes = {read_task_name(name, SPLITS_FILE)[1] for name, _ in found}
    assert len(scenes) == 112
