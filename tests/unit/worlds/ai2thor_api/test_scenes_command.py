"""``houseguest scenes``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from env_service.cli.main import run
from env_service.worlds.ai2thor_api.capture import scene_capture
from env_service.worlds.ai2thor_api.capture.sidecar import SCHEMA
from env_service.worlds.ai2thor_api.commands.scenes import scenes_command
from env_service.worlds.ai2thor_api.world_registry import thor_worlds
from env_service.worlds.base import WorldUnavailableError
from tests.support.scripted_thor import ScriptedWorld
from tests.support.thor_house import house


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> ScriptedWorld:
    """What every world of the commands is; its calls are the test's to look at."""
    scripted = ScriptedWorld(scenes=(*scene_capture.LOBBIES, "FloorPlan2_physics"))
    monkeypatch.setattr(scene_capture, "describe_world", lambda _world: {"commit": "f0825767"})
    monkeypatch.setattr(scene_capture.SceneCapture.__init__, "__defaults__", (scripted.open,))
    monkeypatch.setattr(scene_capture.listed_scenes, "__defaults__", (scripted.open,))
    return scripted


def document(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(capsys.readouterr().out)
    return read


def capture(out: Path, *words: str) -> int:
    return run(["scenes", "capture", "--out", str(out), "--size", "4x3", *words])


def test_worlds_are_those_that_can_be_opened() -> None:
    help_text = told(["capture", "--help"]).output
    assert all(name in help_text for name in thor_worlds())


def told(words: Sequence[str]) -> Result:
    return CliRunner().invoke(scenes_command, list(words))


def test_scenes_are_captured_and_then_skipped(
    world: ScriptedWorld, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert capture(tmp_path, "--scenes", "FloorPlan1-2", "--json") == 0
    names = ["FloorPlan1_physics", "FloorPlan2_physics"]
    assert document(capsys) == {
        "folder": str(tmp_path), "captured": names, "skipped": [], "failed": [],
    }  # fmt: skip
    assert capture(tmp_path, "--scenes", "FloorPlan1-2") == 0
    assert capsys.readouterr().out == f"0 captured, 2 were there already: {tmp_path}\n"
    assert world.stopped == len(world.opened) == 1


def test_a_scene_that_fails_is_listed_with_its_reason(
    world: ScriptedWorld, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.faults["FloorPlan1_physics"] = 9
    assert capture(tmp_path, "--scenes", "FloorPlan1,FloorPlan2") == 1
    printed = capsys.readouterr()
    assert printed.out == f"1 captured: {tmp_path}\n"
    assert "not captured: FloorPlan1_physics: simulator_crash: the player died" in printed.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Name the scenes"),
        (["--scenes", "FloorPlan9-1"], "it must rise"),
        (["--scenes", "Castle*"], "no scene fits 'Castle*'"),
        (["--scenes", "all", "--world", "doom"], "ai2thor"),
        (["--scenes", "all", "--size", "wide"], "640x480"),
        (["--scenes", "all", "--size", "0"], "640x480"),
        (["--scenes", "all", "--quality", "Best"], "Very High"),
        (["--houses", "nothing.jsonl"], "does not exist"),
    ],
)
@pytest.mark.usefixtures("world")
def test_what_makes_no_sense_is_told(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert capture(tmp_path / "out", *words) == 2
    assert said in capsys.readouterr().err


def test_houses_come_from_a_file(
    world: ScriptedWorld, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "val.jsonl"
    file.write_text("\n".join([json.dumps(house())] * 3), encoding="utf-8")
    out = tmp_path / "out"
    assert capture(out, "--houses", str(file), "--scenes", "1-2", "--frames", "0", "--json") == 0
    assert document(capsys)["captured"] == ["procthor-val-1", "procthor-val-2"]
    assert len(world.opened) == 1


def test_a_machine_without_the_world_is_told_so(
    world: ScriptedWorld,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(*_: object) -> None:
        raise WorldUnavailableError("no build is installed; run `houseguest thor install`")

    monkeypatch.setattr(scene_capture.SceneCapture.__init__, "__defaults__", (refuse,))
    assert capture(tmp_path, "--scenes", "FloorPlan1", "--json") == 1
    error = document(capsys)["error"]
    assert (error["kind"], "no build is installed" in error["message"]) == (
        "WorldUnavailableError", True,
    )  # fmt: skip
    assert world.opened == []


def test_a_simulator_that_breaks_before_any_scene_is_told(
    world: ScriptedWorld, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    world.broken = True
    assert capture(tmp_path, "--scenes", "FloorPlan*", "--json") == 1
    told = document(capsys)["error"]
    assert told["kind"] == "simulator_crash"
    assert "`houseguest doctor --world ai2thor --start`" in told["message"]
    assert run(["scenes", "list"]) == 1
    assert "the player died" in capsys.readouterr().err


def test_interrupted_it_says_how_to_go_on(
    world: ScriptedWorld,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(scene_capture, "record", interrupt)
    assert capture(tmp_path, "--scenes", "FloorPlan1") == 130
    assert "run the same command to resume" in capsys.readouterr().err
    assert world.stopped == 1


@pytest.mark.usefixtures("world")
def test_a_worlds_scenes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scenes", "list", "FloorPlan*"]) == 0
    assert capsys.readouterr().out == "FloorPlan1_physics\nFloorPlan2_physics\n"
    assert run(["scenes", "list", "--world", "household", "--json"]) == 0
    assert len(document(capsys)["scenes"]) == 3
    assert run(["scenes", "list", "Castle"]) == 2


@pytest.mark.usefixtures("world")
def test_a_folder_is_shown_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scenes", "show", str(tmp_path)]) == 0
    assert "no captured scenes" in capsys.readouterr().out
    capture(tmp_path, "--scenes", "FloorPlan1-2", "--frames", "2")
    capsys.readouterr()
    assert run(["scenes", "show", str(tmp_path)]) == 0
    assert "FloorPlan1_physics  ai2thor  f0825767" in capsys.readouterr().out
    (tmp_path / "FloorPlan1_physics" / "001.png").unlink()
    (tmp_path / "FloorPlan2_physics.capture.json").write_text(
        json.dumps({"format": "houseguest-scene-capture", "schema": SCHEMA + 1})
    )
    assert run(["scenes", "show", str(tmp_path), "--json"]) == 1
    damage = [scene["damage"] for scene in document(capsys)["scenes"]]
    assert damage[0] == "FloorPlan1_physics/001.png is missing"
    assert "update houseguest" in damage[1]


def test_a_command_that_is_not_there_gets_the_nearest(
    world: ScriptedWorld, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["scenes", "captur"]) == 2
    assert "scenes capture" in capsys.readouterr().err
    assert world.opened == []
