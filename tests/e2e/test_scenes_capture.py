"""``houseguest scenes``: from a simulator's process to a scene that the household world plays."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.player.stand_in_build import command
from env_service.worlds.household.scene.library import standard_library
from tests.support.command_line import Ask, finish, houseguest, orphans, until
from tests.support.real_thor import own_home
from tests.support.thor_house import house

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")

SCENE = "household-bathroom-1"
COMMAND = ("scenes", "capture")
SMALL = ("--size", "64x48", "--frames", "2", "--json")


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A machine whose AI2-THOR is the stand-in player; its home folder."""
    with own_home(tmp_path):
        monkeypatch.setenv("HOUSEGUEST_THOR_PLATFORM", "executable")
        monkeypatch.setenv("HOUSEGUEST_THOR_EXECUTABLE", command())
        yield tmp_path
    assert orphans(tmp_path) == []


Capture = Callable[..., dict[str, Any]]


@pytest.fixture
def capture(machine: Path, ask: Ask) -> Capture:
    """What a capture of a world into a folder of its name comes to; that of the household world
    is one by this process."""

    def captured(world: str, *words: str, code: int = 0) -> dict[str, Any]:
        arguments = (*COMMAND, "--world", world, "--out", world, *words, *SMALL)
        if world == "household":
            out, _ = ask(*arguments, code=code)
        else:
            out, _ = finish(houseguest(machine, *arguments), code)
        document: dict[str, Any] = json.loads(out)
        return document

    return captured


def test_a_scene_of_ai2thor_becomes_a_household_scene(machine: Path, capture: Capture) -> None:
    """The player is the household world, so what comes through ai2thor's pipes is known."""
    for world in ("ai2thor", "household"):
        assert capture(world, "--scenes", SCENE)["captured"] == [SCENE]
    piped, direct = (
        json.loads((machine / world / f"{SCENE}.json").read_text(encoding="utf-8"))
        for world in ("ai2thor", "household")
    )
    assert piped == direct
    told, known = (
        json.loads((machine / world / f"{SCENE}.capture.json").read_text(encoding="utf-8"))
        for world in ("ai2thor", "household")
    )
    assert told["world"]["package"] == "ai2thor 5.0.0"
    for key in ("agent", "reachablePositions", "sceneBounds", "cameraPosition"):
        assert told[key] == known[key]
    for frame, other in zip(told["frames"], known["frames"], strict=True):
        assert frame["visible"] == other["visible"] != []
        assert frame["instance_detections2D"] == other["instance_detections2D"] != {}
        pictures = [machine / world / frame["file"] for world in ("ai2thor", "household")]
        assert np.array_equal(*(np.asarray(Image.open(path)) for path in pictures))
    library = standard_library(machine / "ai2thor")
    with HouseholdController(SCENE, library=library, renderer="none", gridSize=0.25) as played:
        assert played.last_event.metadata["agent"] == known["agent"]
        points = played.step("GetReachablePositions").metadata["actionReturn"]
    assert points == known["reachablePositions"]
    assert capture("ai2thor", "--scenes", SCENE)["skipped"] == [SCENE]


def test_a_player_that_dies_costs_its_scene_alone(
    capture: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every player dies at its second question for reachable positions: the second scene needs a
    fresh player, and the third another one."""
    fault = {"action": "GetReachablePositions", "do": "signal", "number": 11, "nth": 2}
    monkeypatch.setenv("HOUSEGUEST_PLAYER_FAULTS", json.dumps({"on": [fault]}))
    names = [f"household-bathroom-{number}" for number in (1, 2)]
    assert capture("ai2thor", "--scenes", "household-bathroom-1-2")["captured"] == names
    monkeypatch.setenv("HOUSEGUEST_PLAYER_FAULTS", json.dumps({"on": [{**fault, "nth": 1}]}))
    (lost,) = capture("ai2thor", "--scenes", "household-bathroom-3", code=1)["failed"]
    assert lost["kind"] == "simulator_crash"
    assert "SIGSEGV" in lost["reason"]


def test_a_house_that_the_player_cannot_build_is_listed(machine: Path, capture: Capture) -> None:
    (machine / "train.jsonl").write_text(json.dumps(house()), encoding="utf-8")
    (lost,) = capture("ai2thor", "--houses", "train.jsonl", code=1)["failed"]
    assert lost["scene"] == "procthor-train-0"
    assert "CreateHouse" in lost["reason"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_stopped_it_goes_on_where_it_was(
    machine: Path, ask: Ask, capture: Capture, number: signal.Signals
) -> None:
    words = ("--world", "household", "--out", "household", "--scenes", "household-bathroom-1-3")
    process = houseguest(machine, *COMMAND, *words, *SMALL)
    folder = machine / "household"
    # Of the files of a scene this one is the last.
    until(lambda: list(folder.glob("household-*-?.json")))
    os.kill(process.pid, number)
    process.communicate(timeout=180)
    assert process.returncode in (-signal.SIGKILL, 130, 0)
    for path in folder.glob("household-*-?.json"):
        json.loads(path.read_text(encoding="utf-8"))
    done = capture("household", "--scenes", "household-bathroom-1-3")
    assert len(done["captured"]) + len(done["skipped"]) == 3
    assert done["skipped"]
    shown, _ = ask("scenes", "show", "household", "--json")
    assert [scene["damage"] for scene in json.loads(shown)["scenes"]] == [""] * 3
