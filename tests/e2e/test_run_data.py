"""Runs of a suite that reads a data pack: what is missing is named, what was used is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import finish, houseguest, run_folder
from tests.support.data import reference_data
from tests.support.needy_lab import NEEDED

PLAY = ("run", "--suite", "tests.support.needy_lab:NeedyLabSuite", "--agent", 'cmd:"python win.py"')
WINNER = """
from houseguest_agent import Client

with Client("winner") as client:
    for episode in client.episodes():
        episode.act("win")
"""


@pytest.fixture(autouse=True)
def packs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "packs"
    monkeypatch.setenv("HOUSEGUEST_DATA", str(folder))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))
    return folder


def play(place: Path, code: int = 0, limit: str = "1") -> str:
    (place / "win.py").write_text(WINNER)
    _, told = finish(houseguest(place, *PLAY, "--limit", limit), code)
    return told


def manifest(place: Path) -> dict[str, object]:
    document: dict[str, object] = json.loads((run_folder(place) / "manifest.json").read_text())
    return document


def test_a_missing_pack_is_named_with_the_command_that_gets_it(tmp_path: Path) -> None:
    told = play(tmp_path, code=1)
    assert "data pack alfred-refined is not installed" in told
    assert "houseguest data fetch alfred-refined" in told
    assert not list((tmp_path / "runs").glob("*"))


@pytest.mark.data
def test_a_run_records_what_it_read(tmp_path: Path) -> None:
    source = reference_data("alfred-refined")
    finish(houseguest(tmp_path, "data", "import", "alfred-refined", str(source)))
    play(tmp_path)
    (pack,) = manifest(tmp_path)["data"]  # type: ignore[misc]
    assert (pack["pack"], pack["files"], pack["modified"]) == ("alfred-refined", 1, [])
    assert len(pack["commit"]) == 40


@pytest.mark.data
def test_a_changed_file_is_recorded_and_mending_it_begins_no_mixture(tmp_path: Path) -> None:
    source, changed = reference_data("alfred-refined"), tmp_path / "changed"
    changed.mkdir()
    (changed / NEEDED).write_bytes((source / NEEDED).read_bytes() + b"\n")
    finish(houseguest(tmp_path, "data", "import", "alfred-refined", str(changed)))
    play(tmp_path)
    (pack,) = manifest(tmp_path)["data"]  # type: ignore[misc]
    assert pack["modified"] == [NEEDED]
    finish(houseguest(tmp_path, "data", "import", "alfred-refined", str(source)))
    told = play(tmp_path, code=2)
    assert "houseguest data verify" in told
