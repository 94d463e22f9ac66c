"""An official task of AsgardBench as a user runs it: played, verified by replay, reported; and in
AI2-THOR's world, with the stand-in player in the place of Unity's, which dies in the middle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.main import run
from env_service.worlds.household.player.stand_in_build import command
from tests.support.command_line import Ask, finish, houseguest, lines, orphans, run_folder, until
from tests.support.data import reference_data

SUITE = ("--suite", "env_service.suites.asgard.suite:AsgardSuite")
TASK = "turn_on_tv__FloorPlan202_V1"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the data packs that the suite reads."""
    folder = tmp_path_factory.mktemp("packs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOUSEGUEST_DATA", str(folder))
        for name in ("asgard", "ithor"):
            assert run(["data", "import", name, str(reference_data(name))]) == 0
    return folder


@pytest.fixture
def packs(imported: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(imported))


def solution() -> list[dict[str, Any]]:
    """The published solution, half of it in words."""
    plans = json.loads(reference_data("asgard/solutions.json").read_text(encoding="utf-8"))
    steps = next(plan["solution"] for plan in plans if plan["name"] == TASK)
    return [
        {"text": f"<answer>Action: {verb} {kind}</answer>"}
        if number % 2
        else {"skill": verb, "arguments": {"object": kind}}
        for number, (verb, kind) in enumerate(steps)
    ]


def script(place: Path) -> Path:
    """A script of the solution, for the scripted agent."""
    opening = {"instruction": "Turn on the television", "text": "", "images": []}
    path = place / "solution.jsonl"
    path.write_text(json.dumps({"task": TASK, "opening": opening, "actions": solution()}) + "\n")
    return path


@pytest.mark.data
@pytest.mark.usefixtures("packs")
def test_a_published_solution_solves_its_task_in_the_household_world(place: Path, ask: Ask) -> None:
    agent = ("--agent", "scripted", "--actions", str(script(place)))
    task = (*SUITE, "--tasks", TASK, "--set", "picture=300")
    finish(houseguest(place, "run", *task, *agent))
    folder = run_folder(place)
    (episode,) = map(json.loads, (folder / "episodes.jsonl").read_text().splitlines())
    assert (episode["success"], episode["steps"]) == (True, 4)
    assert episode["labels"]["ending"] == "Success"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert {pack["pack"] for pack in manifest["data"]} == {"asgard", "ithor"}
    assert manifest["condition"]["picture"] == "300"

    told, _ = ask("verify", str(folder), *SUITE)
    assert "1" in told
    told, _ = ask("report", str(folder), *SUITE)
    assert "Success by condition" in told


@pytest.mark.data
@pytest.mark.usefixtures("packs")
def test_text_alone_is_played_without_any_picture(place: Path) -> None:
    text_only = ("text_only=on", "hand=0", "previous_image=none", "feedback=none")
    settings = [word for each in text_only for word in ("--set", each)]
    finish(houseguest(place, "run", *SUITE, "--tasks", TASK, "--agent", "random", *settings))
    folder = run_folder(place)
    (episode,) = map(json.loads, (folder / "episodes.jsonl").read_text().splitlines())
    assert episode["steps"] >= 9
    assert episode["labels"]["condition"] == "text-only-none"
    frames = [path.name for path in (folder / "frames").rglob("*") if path.is_file()]
    assert all(name.startswith(".") for name in frames), frames


@pytest.mark.data
@pytest.mark.usefixtures("packs")
def test_a_player_that_dies_costs_the_agent_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ai2thor", reason="needs houseguest[ai2thor]")
    # The warm player's second PickupObject is the second episode's; a fresh one plays it again.
    faults = {"on": [{"action": "PickupObject", "nth": 2, "do": "signal", "number": 9}]}
    for name, value in {
        "HOUSEGUEST_RENDERER": "soft",
        "HOUSEGUEST_THOR_PLATFORM": "executable",
        "HOUSEGUEST_THOR_EXECUTABLE": command(),
        "HOUSEGUEST_PLAYER_FAULTS": json.dumps(faults),
    }.items():
        monkeypatch.setenv(name, value)
    agent = ("--agent", "scripted", "--actions", str(script(place)))
    task = (*SUITE, "--tasks", TASK, "--set", "picture=300", "--repeats", "2")
    finish(houseguest(place, "run", *task, "--world", "ai2thor", *agent))
    folder = run_folder(place)
    episodes = [json.loads(line) for line in lines(folder / "episodes.jsonl")]
    assert [(each["success"], each["steps"]) for each in episodes] == [(True, 4), (True, 4)]
    (void,) = (json.loads(line) for line in lines(folder / "voids.jsonl"))
    assert (void["fault"], void["collateral"]) == ("simulator_crash", False)
    assert "SIGKILL" in void["detail"]
    assert json.loads((folder / "manifest.json").read_text())["world_facts"]
    until(lambda: not orphans(place))
