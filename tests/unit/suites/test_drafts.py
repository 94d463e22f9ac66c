"""What is known of a suite before it is played."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from pathlib import Path

import pytest

from env_service.domain.packed_tasks import PackedTasks
from env_service.domain.run_bounds import MOST_TASKS
from env_service.domain.task import Task, TaskSet
from env_service.suites import drafts
from env_service.suites.drafts import Draft, PackedDraft, Selection, draft_practice, draft_run
from tests.support.lab import LabSuite

LAB = "tests.support.lab:LabSuite"


class HugeSuite(LabSuite):
    """One task set, of more tasks than a run may have."""

    def task_sets(self) -> Mapping[str, TaskSet]:
        tasks = (Task(f"t{number}", "g", "c") for number in range(MOST_TASKS + 1))
        return {"huge": TaskSet("huge", "Very many.", tuple(tasks))}


class ReadingSuite(LabSuite):
    """Reads a data pack."""

    def data(self, task_set: str, world: str) -> dict[str, tuple[str, ...]]:
        return {"ithor": ("*",)}


def test_a_draft_arrives_as_it_was_sent() -> None:
    tasks = [Task(f"t{number}", "g", "c", {"n": number}) for number in range(5001)]
    draft = Draft("set", "digest", "world", {"a": "b"}, PackedTasks.of(tasks), ({"pack": "p"},))
    packed = PackedDraft.of(draft)
    assert pickle.loads(pickle.dumps(packed)).unpack() == draft
    assert list(packed.unpack().tasks) == tasks
    assert len(packed.draft.tasks) == 0


def test_a_run_is_settled_with_every_name() -> None:
    draft = draft_run(Selection(LAB, limit=3)).unpack()
    assert (draft.task_set, draft.world) == ("lab", "light")
    assert [task.id for task in draft.tasks] == ["lab/0", "lab/1", "lab/2"]
    assert draft.condition["feedback"] == "detailed"
    assert len(bytes.fromhex(draft.digest)) == 32


def test_a_practice_has_a_task_for_each_session() -> None:
    draft = draft_practice(Selection(LAB, tasks=("lab/1", "lab/2")), 3).unpack()
    assert [task.id for task in draft.tasks] == ["lab/1", "lab/2", "lab/1"]


@pytest.mark.parametrize(
    ("selection", "said"),
    [
        (
            Selection(f"{__name__}:HugeSuite"),
            "The selection has 100001 tasks; a run may have 100000",
        ),
        (
            Selection(f"{__name__}:HugeSuite", limit=100_000, repeats=11),
            "100000 tasks in 11 repeats are 1100000 episodes; a run may have 1000000",
        ),
    ],
)
def test_a_run_that_is_too_large_is_refused(selection: Selection, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        draft_run(selection)


def test_a_suite_is_listed_again_only_when_its_data_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"{__name__}:ReadingSuite"
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    state, listed = drafts.list_suites([name], {})[name]
    assert listed is not None
    assert [each.tasks for each in listed.task_sets] == [50, 5, 5]
    assert drafts.list_suites([name], {name: state})[name] == (state, None)
    arrived = tmp_path / "ithor" / "5907c9854524"
    arrived.mkdir(parents=True)
    (arrived / "FloorPlan1.json").write_text("{}")
    changed, listed = drafts.list_suites([name], {name: state})[name]
    assert changed != state
    assert listed is not None
