"""The household world against AI2-THOR's package and the stand-in player, which is the same world
behind everything that the real simulator is behind: they have to agree in everything."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from env_service.worlds.household.player.stand_in_build import command
from tests.support.command_line import finish, houseguest, orphans, until

pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")

ASGARD = {
    *("Pass", "Done", "Crouch", "Stand", "MoveAhead", "MoveBack", "LookUp", "LookDown"),
    *("RotateLeft", "RotateRight", "Teleport", "PickupObject", "PutObject", "OpenObject"),
    *("CloseObject", "ToggleObjectOn", "ToggleObjectOff", "SliceObject", "CleanObject"),
    *("DirtyObject", "EmptyLiquidFromObject", "FillObjectWithLiquid", "DirectionalPush"),
    *("RotateHeldObject", "DisableObject", "GetInteractablePoses", "GetReachablePositions"),
    *("GetObjectInFrame", "InitialRandomSpawn"),
}
"""The actions that AsgardBench's published code calls."""
ALFRED = {"TeleportFull", "SetObjectPoses", "MoveLeft", "MoveRight", "DropHandObject", "CookObject"}
"""Further actions that ALFRED's published code calls."""

SUITE = ["--suite", "tests.support.thor_lab:ThorLab", "--tasks", "household-bathroom-1/*"]


@pytest.fixture
def world(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place to run in, with the stand-in player as AI2-THOR's. No process may be left of it."""
    temporary = Path(tempfile.mkdtemp(prefix="thor-"))  # short: sockets lie below it
    for name in ("DISPLAY", "CUDA_VISIBLE_DEVICES", "HOUSEGUEST_ITHOR_SCENES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "HOME": str(place),
        "TMPDIR": str(temporary),
        "HOUSEGUEST_RENDERER": "soft",
        "HOUSEGUEST_THOR_PLATFORM": "executable",
        "HOUSEGUEST_THOR_EXECUTABLE": command(),
    }.items():
        monkeypatch.setenv(name, value)
    yield place
    until(lambda: orphans(place) == [])
    shutil.rmtree(temporary)


def parity(place: Path, *arguments: str, code: int = 0) -> dict[str, Any]:
    """The document of a comparison."""
    out, _ = finish(houseguest(place, "parity", *arguments, "--json"), code)
    document: dict[str, Any] = json.loads(out)
    return document


def test_every_action_comes_to_the_same(world: Path) -> None:
    """One script over a kitchen, with everything that suites do and the mistakes of agents."""
    scene = ["--scenes", "household-kitchen-1", "--length", "80"]
    document = parity(world, *scene, "--size", "64x48", "--settle", "0")
    assert document["verdict"] == {"agrees": True, "missed": [], "voided": []}
    assert document["disagreements"] == []
    assert all(rate["agreed"] == rate["compared"] for rate in document["rates"])
    assert document["right"]["facts"]["platform"] == "executable"
    counted = {rate["row"] for rate in document["actions"]}
    assert counted >= ASGARD | ALFRED
    refused = {rate["row"] for rate in document["actions"] if rate["name"] == "error code"}
    assert len(refused) >= 3
    file = world / document["file"]
    assert file.stat().st_size < 100_000
    shown, _ = finish(houseguest(world, "parity", "show", str(file)))
    assert "**They agree.**" in shown


def test_a_suites_tasks_come_to_the_same_to_the_picture(world: Path) -> None:
    document = parity(world, *SUITE, "--pictures")
    assert document["verdict"] == {"agrees": True, "missed": [], "voided": []}
    rates = {rate["name"]: rate for rate in document["rates"]}
    assert {"outcome", "calls", "digest", "solved", "masks", "colour"} <= set(rates)
    assert all(rate["rate"] == 1 for rate in rates.values())
    assert document["totals"]["records"] == 2


def test_a_player_that_dies_voids_its_task_which_the_same_command_plays_again(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = {"on": [{"action": "PutObject", "nth": 1, "do": "signal", "number": 9}]}
    monkeypatch.setenv("HOUSEGUEST_PLAYER_FAULTS", json.dumps(fault))
    document = parity(world, *SUITE, code=1)
    assert document["verdict"]["voided"] == ["household-bathroom-1/Cloth/SinkBasin"]
    faults = document["records"][1]["faults"]
    assert [(each["world"], each["fault"]) for each in faults] == [
        ("ai2thor", "simulator_crash")
    ] * 2
    assert document["records"][0]["divergence"] is None
    monkeypatch.delenv("HOUSEGUEST_PLAYER_FAULTS")
    assert parity(world, *SUITE)["verdict"]["agrees"]
