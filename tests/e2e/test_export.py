"""`houseguest export` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from env_service.results.run_folder import RunFolder
from env_service.storage.signing_key import SigningKey
from tests.support.command_line import Ask
from tests.support.played_run import LOSING, WINNING, Player, lab_manifest
from tests.support.viewed import played


@pytest.fixture
def runs(place: Path) -> Path:
    """Two runs in a folder."""
    played(place / "runs", "alice", {"lab/0": WINNING, "lab/1": LOSING})
    played(place / "runs", "bob", {"lab/0": LOSING})
    return place / "runs"


def test_runs_are_exported_into_a_folder(ask: Ask, runs: Path) -> None:
    out, _ = ask("export", "runs", "--to", "atif")
    assert out == "Exported 3 episodes of 2 runs to export-atif\n"
    assert len(list((runs.parent / "export-atif").rglob("trajectory.json"))) == 3


def test_json_tells_a_script_what_was_written(ask: Ask, runs: Path) -> None:
    arguments = ("export", str(runs), "--to", "atif", "--out", "won", "--only", "success")
    out, _ = ask(*arguments, "--json")
    assert json.loads(out) == {
        "format": "atif",
        "out": "won",
        "episodes": 1,
        "runs": 2,
        "left_out": 0,
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "atff"), "No format named 'atff'. Did you mean 'atif'?"),
        (("--to", "atif", "--out", "runs"), "runs exists: it is not an export"),
        (("--to", "sft", "--only", "all"), "lab are for evaluation"),
        (("--to", "atif", "--license", "mit"), "--license is only for hf and sft, not for atif"),
        (("--to", "csv", "--min-score", "1", "--max-steps", "1"), "--min-score 1 --max-steps 1"),
    ],
    ids=["format", "folder", "evaluation", "license", "nothing"],
)
def test_wrong_arguments_are_named(
    ask: Ask, runs: Path, arguments: tuple[str, ...], message: str
) -> None:
    before = sorted(runs.rglob("*"))
    _, err = ask("export", "runs", *arguments, code=2)
    assert message in err
    assert sorted(runs.rglob("*")) == before


def test_runs_without_a_chosen_episode_are_refused(ask: Ask, place: Path) -> None:
    played(place / "runs", "carol", {"lab/0": LOSING})
    _, err = ask("export", "runs", "--to", "atif", "--only", "success", code=2)
    assert "no episodes to export (--only success)" in err
    assert not (place / "export-atif").exists()


def test_a_run_in_progress_gives_what_is_finished(ask: Ask, place: Path) -> None:
    folder = RunFolder.open(place / "runs", lab_manifest(), SigningKey.generate())
    Player(folder).play("lab/0", 0, WINNING)
    out, err = ask("export", "runs", "--to", "csv")
    folder.close()
    assert out == "Exported 1 episode of 1 run to export-csv\n"
    assert f"note: {folder.path.name} is not complete: 1 of 4 episodes." in err
