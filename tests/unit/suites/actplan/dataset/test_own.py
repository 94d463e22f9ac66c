"""Activities of a user's own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from env_service.suites.actplan.making.files import TaskFolder, WrittenVariant
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.task import Circumstance, Variant, read_task
from env_service.suites.actplan.task_sets import CIRCUMSTANCES, OwnTasksError, read_own_tasks
from tests.support.making_home import CLEAN_TABLE, NORMAL

NAME = "assembling_gift_baskets"
"""A published activity's: the overlay has corrections and assertions for that."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with one activity in both variants."""
    folder = TaskFolder(tmp_path)
    folder.write(WrittenVariant(NAME, Variant.COUNTERFACTUAL, CLEAN_TABLE, "Pack and wipe.\n"))
    folder.write(WrittenVariant(NAME, Variant.NORMAL, NORMAL, "Pack.\n"))
    line = f'{{"activity": "{NAME}", "kind": "event_causality", "text": "Sugar."}}\n'
    (tmp_path / CIRCUMSTANCES).write_text(line, encoding="utf-8")
    return tmp_path


def test_what_was_made_can_be_played(root: Path) -> None:
    normal, other = map(read_task, read_own_tasks(root))
    assert (normal.id, other.id) == (f"own/{NAME}/0", f"own/{NAME}/1")
    assert (normal.description, other.description) == ("Pack.", "Pack and wipe.")
    assert normal.circumstance is Circumstance.NONE
    assert other.circumstance is Circumstance.CAUSALITY


def test_nothing_that_is_known_of_a_published_namesake_holds_for_it(root: Path) -> None:
    for task in map(read_task, read_own_tasks(root)):
        one, two = (understand(task, corrections=each) for each in (True, False))
        assert one.problem == two.problem
        assert not one.assertions
        assert not one.defects


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        (f"bddl/activity_definitions/{NAME}/problem1.bddl", None, "problem1.bddl: cannot be read"),
        (f"bddl/activity_definitions/{NAME}/problem0.bddl", " \n", "problem0.bddl: is empty"),
        (CIRCUMSTANCES, "{}\n", "line 1"),
    ],
)
def test_a_damaged_folder_is_named(root: Path, file: str, content: str | None, told: str) -> None:
    (root / file).unlink()
    if content is not None:
        (root / file).write_text(content, encoding="utf-8")
    with pytest.raises(OwnTasksError, match=told):
        read_own_tasks(root)


def test_blank_lines_of_the_circumstances_are_let_pass(root: Path) -> None:
    path = root / CIRCUMSTANCES
    path.write_text(f"\n{path.read_text(encoding='utf-8')}\r\n \n", encoding="utf-8")
    assert read_task(read_own_tasks(root)[1]).circumstance is Circumstance.CAUSALITY


def test_an_empty_folder_has_no_tasks(tmp_path: Path) -> None:
    with pytest.raises(OwnTasksError, match="has no file"):
        read_own_tasks(tmp_path)


@pytest.mark.parametrize(
    "text", ["(define (problem p) (:goal", "\0" * 99, f"; assertion: {{}}\n{CLEAN_TABLE}"]
)
def test_a_broken_definition_is_warned_of(
    root: Path, caplog: pytest.LogCaptureFixture, text: str
) -> None:
    broken = f"bddl/activity_definitions/{NAME}/problem1.bddl"
    (root / broken).write_text(text, encoding="utf-8")
    assert len(read_own_tasks(root)) == 2
    assert f"own/{NAME}/1" in caplog.text
    assert "lint" in caplog.text


def test_a_definition_without_a_description_is_warned_of(
    root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (root / f"bddl/activity_definitions/{NAME}/task_description_1.txt").unlink()
    (task,) = read_own_tasks(root)
    assert task.id == f"own/{NAME}/0"
    assert "problem1.bddl is left out, as it has no task_description_1.txt" in caplog.text


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(OwnTasksError, match="nowhere: is not a folder"):
        read_own_tasks(tmp_path / "nowhere")
