"""Runs on several GPUs, and in a world that says what it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Ask, finish, houseguest, orphans, run_folder
from tests.support.fake_nvidia import UUID, fake_nvidia
from tests.support.placed_lab import FACTS, PLACED_LAB

WINNER = """
from houseguest_agent import Client

with Client("winner") as client:
    for episode in client.episodes():
        episode.act("win")
"""
PLAY = ("run", "--suite", PLACED_LAB, "--agent", 'cmd:"python win.py"')
BUILD = {"platform": "Linux64", "commit": "f0825767", "driver": "535.1"}


@pytest.fixture(autouse=True)
def _winner(place: Path) -> None:
    (place / "win.py").write_text(WINNER)


def manifest(place: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((run_folder(place) / "manifest.json").read_text())
    return document


def test_worlds_are_spread_over_the_gpus(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_nvidia(place / "nvidia", monkeypatch)
    many = ("--limit", "6", "--parallel", "4", "--gpus", f"1,{UUID.format(0)}")
    out, _ = finish(
        houseguest(place, *PLAY, "--world", "heavy", *many, "--worlds-per-gpu", "1", "--json")
    )
    assert json.loads(out.splitlines()[-1])["summary"]["overall"]["n"] == 6
    logs = sorted((run_folder(place) / "logs").glob("worker-*.log"))
    where = [log.read_text().partition(" ---")[0].partition("GPU ")[2][0] for log in logs]
    assert where == ["1", "0"]
    assert not orphans(place)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--gpus", "0,7"), "no GPU 7; `nvidia-smi -L` lists 0"),
        (("--gpus", "all", "--worlds-per-gpu", "0"), "0 is not 1 or more"),
        (("--worlds-per-gpu", "2"), "needs --gpus"),
        (
            ("--gpus", "none", "--worlds-per-gpu", "2"),
            "--worlds-per-gpu needs GPUs, but --gpus is none",
        ),
        (("--gpus", "all", "--workers", "9"), "2 GPUs × 4 worlds a GPU = 8 places"),
    ],
)
def test_what_cannot_be_placed_is_refused_before_anything_starts(
    asked: tuple[str, ...], told: str, place: Path, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_nvidia(place / "nvidia", monkeypatch)
    _, err = ask(*PLAY, "--world", "heavy", *asked, code=2)
    assert told in " ".join(err.split())
    assert not (place / "runs").exists()


def test_a_world_that_cannot_be_had_stops_a_run_before_it_begins(place: Path) -> None:
    _, err = finish(houseguest(place, *PLAY, "--world", "lab-thor", "--limit", "1"), code=1)
    assert "Error: lab-thor is not installed here. Set LAB_THOR_FACTS." in err
    assert not list(place.glob("runs/*"))


def test_a_run_keeps_what_its_world_says_and_goes_on_in_no_other(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = (*PLAY, "--world", "lab-thor", "--limit", "1")
    monkeypatch.setenv(FACTS, json.dumps(BUILD))
    finish(houseguest(place, *play))
    assert manifest(place)["world_facts"] == BUILD
    folder = str(run_folder(place))
    shown, _ = finish(houseguest(place, "show", folder))
    assert "commit f0825767" in shown
    finish(houseguest(place, "report", folder, "--format", "html"))
    page = run_folder(place) / "report" / "index.html"
    assert "commit f0825767, driver 535.1, platform Linux64" in page.read_text()
    finish(houseguest(place, "verify", folder, "--no-replay"))

    monkeypatch.setenv(FACTS, json.dumps({**BUILD, "platform": "CloudRendering"}))
    _, err = finish(houseguest(place, *play), code=2)
    assert "another build of the world lab-thor: platform Linux64 → CloudRendering" in err

    monkeypatch.setenv(FACTS, json.dumps({**BUILD, "driver": "570.2"}))
    finish(houseguest(place, *play))
    (resumed,) = manifest(place)["resumed"]
    assert resumed["world_facts"]["driver"] == "570.2"
