"""``houseguest parity recorded``: sessions that were recorded in a world, played in it again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from env_service.cli.main import run
from env_service.worlds.ai2thor_api.commands import parity_recorded
from env_service.worlds.household.controller import HouseholdController
from env_service.worlds.household.scene.thor_metadata import Capture, scene_from_metadata
from tests.support.doctored_thor import APPLE, COUNTER, LIBRARY, MUG, SCENE
from tests.support.small_home import Homes

Change = Callable[[list[dict[str, Any]], list[dict[str, Any]]], None]
"""Changes a session's actions and events."""

ACTIONS: tuple[dict[str, Any], ...] = (
    {"action": "PickupObject", "objectId": APPLE.object_id, "forceAction": True},
    {"action": "PutObject", "objectId": COUNTER.object_id, "forceAction": True},
    {"action": "RotateRight"},
    {"action": "OpenObject", "objectId": MUG.object_id},
)


@pytest.fixture(scope="module")
def recording() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    with HouseholdController(SCENE, library=LIBRARY, renderer="none") as controller:
        first = controller.last_event.metadata
    # A scene as metadata describe it, because walls and shapes are not among them.
    capture = Capture(first["agent"], first["sceneBounds"])
    scenes = Homes(scene_from_metadata(SCENE, first["objects"], capture))
    with HouseholdController(SCENE, library=scenes, renderer="none") as controller:
        events = [controller.last_event, *(controller.step(dict(each)) for each in ACTIONS)]
        metadata = [{"metadata": json.loads(json.dumps(dict(e.metadata)))} for e in events]
    actions = [{"action": "Initialize"}, *ACTIONS]
    return [{**each, "sequenceId": n} for n, each in enumerate(actions)], metadata


@pytest.fixture
def record(
    recording: tuple[list[Any], list[Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Change], Path]:
    """Writes the session, changed, and gives its folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOUSEGUEST_RENDERER", "none")
    monkeypatch.setenv("HOUSEGUEST_ITHOR_SCENES", str(tmp_path))

    def written(change: Change) -> Path:
        actions, events = json.loads(json.dumps(recording))
        change(actions, events)
        folder = tmp_path / "sessions" / "apple"
        folder.mkdir(parents=True)
        (folder / "actions.json").write_text(json.dumps(actions))
        (folder / "events.json.gz").write_bytes(gzip.compress(json.dumps(events).encode()))
        return folder

    return written


def kinds(capsys: pytest.CaptureFixture[str], folder: Path, status: int) -> dict[str, Any]:
    assert run(["parity", "recorded", str(folder), "--json"]) == status
    recorded: dict[str, Any] = json.loads(capsys.readouterr().out)["recorded"]
    found = {each["kind"]: each for each in recorded["kinds"]}
    return {**found, "left out": recorded["sessions"][0]["left_out"]}


def test_a_world_reaches_every_aim_on_its_own_recording(
    record: Callable[[Change], Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = record(lambda _actions, _events: None)
    found = kinds(capsys, folder, 0)
    assert found["success of actions"]["agreed"] == found["success of actions"]["compared"] == 5
    assert found["error messages"]["compared"] == 1
    assert found["within 0.10 m after PutObject"]["value"] == 1
    assert found["visible: F1"]["value"] == 1
    assert found["left out"] == []
    assert run(["parity", "recorded", str(folder.parent), "--sessions", "app*"]) == 0
    summary = (tmp_path / "parity-household-recorded" / "summary.md").read_text()
    assert "**household reaches every aim.**" in summary
    assert "| apple " in summary


def test_what_differs_is_counted_and_misses_its_aim(
    record: Callable[[Change], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    def change(_actions: list[dict[str, Any]], events: list[dict[str, Any]]) -> None:
        put = next(o for o in events[2]["metadata"]["objects"] if o["objectType"] == "Apple")
        put["position"]["x"] += 0.2
        put["parentReceptacles"] = None
        events[4]["metadata"]["lastActionSuccess"] = True

    found = kinds(capsys, record(change), 1)
    assert found["success of actions"]["agreed"] == 4
    missed = [name for name, each in found.items() if name != "left out" and each["missed"]]
    assert missed == [
        "success of actions",
        "parents of objects",
        "within 0.10 m after PutObject",
        "same receptacles after PutObject",
    ]


def test_unknown_actions_and_objects_are_named_and_the_rest_is_compared(
    record: Callable[[Change], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    def change(actions: list[dict[str, Any]], events: list[dict[str, Any]]) -> None:
        actions[1] = {"action": "SummonObject", "objectId": APPLE.object_id}
        for event in events:
            objects = event["metadata"]["objects"]
            objects.append({**objects[0], "objectId": "Robot|1|2|3", "objectType": "Robot"})
            for each in objects:
                del each["isBroken"]

    found = kinds(capsys, record(change), 0)
    assert found["success of actions"]["compared"] == 4
    assert found["within 0.10 m after PutObject"]["value"] == 1
    assert found["left out"] == [
        "keys that no object has: isBroken",
        "objects of unknown types: Robot",
        "unknown actions: SummonObject",
    ]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda actions, _: actions.clear(), "is not a list of 1 to"),
        (lambda actions, _: actions.append("Fly"), "action 5 is not an object"),
        (lambda _, events: events[1].pop("metadata"), "event 1: it has no object"),
        (lambda _, events: events[2]["metadata"]["objects"][0].pop("rotation"), "event 2: an"),
        (lambda _, events: events[0]["metadata"]["agent"].clear(), "event 0: "),
    ],
)
def test_what_is_not_a_session_is_refused(
    record: Callable[[Change], Path],
    capsys: pytest.CaptureFixture[str],
    change: Change,
    problem: str,
) -> None:
    folder = record(change)
    assert run(["parity", "recorded", str(folder)]) == 2
    assert problem in capsys.readouterr().err


def test_pictures_are_compared_and_bad_ones_named(
    record: Callable[[Change], Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOUSEGUEST_RENDERER", "soft")
    folder = record(lambda actions, _events: actions.__delitem__(slice(1, None)))
    Image.new("RGB", (300, 300), "white").save(folder / "000.png")
    found = kinds(capsys, folder, 1)
    assert 25 < found["mean colour difference, of 255"]["value"] < 255
    assert found["left out"] == ["1 actions and 5 events: only the first 1 are compared"]
    (folder / "000.png").write_bytes(b"no picture")
    assert run(["parity", "recorded", str(folder)]) == 2
    assert "not a readable PNG picture" in capsys.readouterr().err


def test_a_folder_without_sessions_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSEGUEST_DATA", str(tmp_path))
    assert run(["parity", "recorded"]) == 2
    assert str(tmp_path / parity_recorded.RECORDED_FOLDER) in capsys.readouterr().err
    assert run(["parity", "recorded", str(tmp_path)]) == 2
    assert "has no recorded sessions" in capsys.readouterr().err
