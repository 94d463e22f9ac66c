"""The state file: nothing that was kept is lost, nothing is mixed unasked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from env_service.chat.completion import Usage
from env_service.chat.model_state import StateError, set_aside
from env_service.suites.alfred.refine.pipeline import Entry, RefinementState
from env_service.suites.alfred.refine.sources import Stage

SETTINGS = {"model": "tiny", "prompts": "1"}
ONE = Entry("t1", Stage.BASE, "Put the mug on the desk.", findings=("count: two.",), requests=3)
TWO = Entry("t1", Stage.INTEGRITY, "no lamp", made_of="Look.", place=2, type=2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A state file with two entries."""
    path = tmp_path / "made" / "refined.state.jsonl"
    with RefinementState(path, SETTINGS) as state:
        state.keep([ONE])
        state.keep([TWO])
        state.keep_usage(Usage(5, 100, 20, 5))
    return path


def opened(path: Path, settings: Mapping[str, Any] = SETTINGS, **more: bool) -> RefinementState:
    """The state, closed again."""
    with RefinementState(path, settings, **more) as state:
        return state


def test_entries_and_usage_come_back(path: Path) -> None:
    state = opened(path)
    assert state.entries == {ONE.key: ONE, TWO.key: TWO}
    assert state.usage == Usage(5, 100, 20, 5)


def test_the_later_of_two_entries_is_right(path: Path) -> None:
    other = Entry("t1", Stage.BASE, "Put two mugs on the desk.")
    with RefinementState(path, SETTINGS) as state:
        state.keep([other])
    assert opened(path).entries[ONE.key] == other


@pytest.mark.parametrize("torn", [b'{"task": "t2", "sta', b"\xff\xfe", b'{"task"'])
def test_a_torn_last_line_is_dropped(path: Path, torn: bytes) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert set(opened(path).entries) == {ONE.key, TWO.key}
    assert path.read_bytes() == whole


def test_a_last_line_without_its_end_is_taken_up(path: Path) -> None:
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    with RefinementState(path, SETTINGS) as state:
        state.keep([Entry("t2", Stage.BASE, "Do.")])
    assert len(opened(path).entries) == 3


def test_a_damaged_line_is_named(path: Path) -> None:
    first, second, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, second[:-5] + b"\n", *rest]))
    with pytest.raises(StateError, match=r"refined\.state\.jsonl has an invalid line 2"):
        opened(path)


@pytest.mark.parametrize("text", ["[1]\n", "task_id,text\n1,2\n", "notes", '{"format": "other"}\n'])
def test_what_is_no_state_file_stays_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StateError, match="is not a state file"):
        opened(path)
    assert path.read_text(encoding="utf-8") == text


def test_other_settings_are_refused_by_name_unless_they_may_mix(path: Path) -> None:
    other = {"model": "huge", "prompts": "1"}
    with pytest.raises(StateError, match='model was "tiny", now "huge"'):
        opened(path, other)
    state = opened(path, other, mix=True)
    assert set(state.entries) == {ONE.key, TWO.key}
    assert state.settings == [SETTINGS, other]
    assert opened(path, other).settings == [SETTINGS, other]


def test_two_processes_do_not_share_a_file(path: Path) -> None:
    with RefinementState(path, SETTINGS), pytest.raises(StateError, match="in use"):
        opened(path)


def test_a_file_that_is_set_aside_is_kept(path: Path) -> None:
    whole = path.read_bytes()
    old = set_aside(path)
    assert old is not None
    assert old.read_bytes() == whole
    assert not opened(path).entries
    assert set_aside(path.with_name("none")) is None
