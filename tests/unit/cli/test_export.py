"""``houseguest view --export``, ``houseguest trace`` and the episodes of a report, as a user calls
them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from env_service.cli.main import run
from env_service.storage.signing_key import SigningKey
from tests.support.played_run import LAB, play_run


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of the laboratory."""
    place = tmp_path_factory.mktemp("played")
    return play_run(place / "runs", SigningKey.load_or_create(place / "key.pem"))[0]


Capture = pytest.CaptureFixture[str]


def call(capsys: Capture, *words: object) -> tuple[int, str, str]:
    status = run([str(word) for word in words])
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_a_folder_of_runs_is_exported(played: Path, tmp_path: Path, capsys: Capture) -> None:
    command = ("view", played.parent, "--export", tmp_path / "site", "--no-replay")
    status, out, err = call(capsys, *command)
    assert status == 0, err
    assert re.search(
        r"site/index\.html: 1 run, \d+ episodes, \d+ pictures, 0 replays, [\d.]+ ", out
    )
    status, out, _ = call(capsys, *command, "--run", played.name, "--json")
    assert (status, json.loads(out)["runs"]) == (0, 1)


def test_an_export_names_what_is_wrong(played: Path, tmp_path: Path, capsys: Capture) -> None:
    export = ("view", played.parent, "--export", tmp_path / "site", "--no-replay")
    status, _, err = call(capsys, *export, "--run", played.name[:-1])
    assert status == 2
    assert played.name in err
    assert not (tmp_path / "site").exists()
    status, _, err = call(capsys, "view", played.parent, "--run", played.name)
    assert (status, "need --export DIR" in err) == (2, True)
    (tmp_path / "file").write_text("mine")
    status, _, err = call(capsys, "view", played.parent, "--export", tmp_path)
    assert (status, "is not an export" in err) == (2, True)


def test_an_episode_becomes_one_file(played: Path, tmp_path: Path, capsys: Capture) -> None:
    page = tmp_path / "page.html"
    command = ("trace", played, "lab/0", "--out", page, "--no-replay")
    status, out, err = call(capsys, *command)
    assert status == 0, err
    assert str(page) in out
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    status, out, _ = call(capsys, *command, "--json")
    told = json.loads(out)
    assert (told["task"], told["bytes"]) == ("lab/0", page.stat().st_size)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("lab/none",), "lab/0"),
        (("lab/0", "--repeat", "7"), "repeat"),
        (("lab/0", "--max-size", "0"), "max-size"),
    ],
)
def test_a_trace_names_what_is_wrong(
    played: Path, capsys: Capture, words: tuple[str, ...], problem: str
) -> None:
    status, _, err = call(capsys, "trace", played, *words)
    assert status == 2
    assert problem in err


def test_a_report_links_failed_episodes_to_the_viewer(
    played: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "report"
    command = ("report", played, "--suite", LAB, "--format", "html", "--out", out)
    status, _, err = call(capsys, *command)
    assert status == 0, err
    run = f"#/runs/{played.name}"
    links = re.findall(
        rf'href="episodes/index\.html{run}([^"]*)"', (out / "index.html").read_text()
    )
    assert any(link.startswith("/episodes/ep-lab-") for link in links)
    assert (out / "episodes" / "index.html").is_file()
    status, _, err = call(capsys, *command, "--no-episodes")
    assert status == 0, err
    assert "episodes/index.html" not in (out / "index.html").read_text()
