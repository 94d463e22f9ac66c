"""``houseguest doctor --world ai2thor`` as a user meets it, with the stand-in player as Unity's."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from env_service.worlds.household.player import stand_in_build
from tests.support.command_line import ROOT, Ask

SCENE = "household-bathroom-1"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, and nothing of this machine's in the environment."""
    for name in list(os.environ):
        if name.startswith(("HOUSEGUEST_", "AI2THOR_", "CUDA_VISIBLE", "DISPLAY", "NVIDIA_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HOUSEGUEST_RENDERER", "soft")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


Findings = dict[str, dict[str, Any]]
Doctor = Callable[..., Findings]


@pytest.fixture
def doctor(home: Path, ask: Ask) -> Doctor:
    """What the command finds, in this process, at that home."""
    assert os.environ["HOME"] == str(home)

    def findings(*arguments: str, code: int = 0) -> Findings:
        out, _ = ask("doctor", "--json", *arguments, code=code)
        return {each["name"]: each for each in json.loads(out)["checks"]}

    return findings


def test_who_does_not_use_it_is_not_alarmed(doctor: Doctor) -> None:
    findings = doctor()

    assert findings["world ai2thor"]["state"] == "note"
    assert not [name for name in findings if name.startswith("build ")]


def test_asked_for_and_not_there_is_a_problem(doctor: Doctor) -> None:
    pytest.importorskip("ai2thor")

    findings = doctor("--world", "ai2thor", code=1)

    assert findings["package ai2thor"]["state"] == "ok"
    assert findings["world ai2thor"]["state"] == "problem"
    assert "houseguest thor install" in findings["build Linux64"]["mend"]
    assert "docker" in findings


def test_a_start_needs_a_world(ask: Ask) -> None:
    _, err = ask("doctor", "--start", code=2)
    assert "--world" in err


def test_the_player_is_really_started(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ai2thor")
    monkeypatch.setenv("HOUSEGUEST_THOR_EXECUTABLE", stand_in_build.command())

    findings = doctor("--world", "ai2thor", "--start", "--scene", SCENE)

    assert "a step in" in findings["ai2thor start"]["found"]
    assert findings["ai2thor picture"]["found"].startswith("400x300 pixels, mean brightness")


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="there is no Xvfb")
def test_a_build_on_an_xvfb_is_started(home: Path, doctor: Doctor) -> None:
    pytest.importorskip("ai2thor")
    stand_in_build.install(home, "Linux64")

    findings = doctor("--world", "ai2thor", "--start", "--scene", SCENE)

    assert findings["world ai2thor"]["found"].startswith("Linux64")
    assert "platform Linux64" in findings["ai2thor start"]["found"]


def test_a_player_that_dies_is_a_problem_with_advice(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ai2thor")
    monkeypatch.setenv("HOUSEGUEST_THOR_EXECUTABLE", f"{sys.executable} -c exit(3)")

    findings = doctor("--world", "ai2thor", "--start", "--scene", SCENE, code=1)

    assert findings["ai2thor start"]["state"] == "problem"
    assert "exit status 3" in findings["ai2thor start"]["found"]
    assert "docs/ai2thor.md" in findings["ai2thor start"]["mend"]


def test_a_scene_that_is_not_there_is_named(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ai2thor")
    monkeypatch.setenv("HOUSEGUEST_THOR_EXECUTABLE", stand_in_build.command())

    findings = doctor("--world", "ai2thor", "--start", "--scene", "FloorPlan999", code=1)

    assert "FloorPlan999" in findings["ai2thor start"]["found"]
    assert "household-" not in findings["ai2thor start"]["found"]
    assert "houseguest scenes list" in findings["ai2thor start"]["mend"]
