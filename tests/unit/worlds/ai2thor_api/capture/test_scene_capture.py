"""Captures: what is written, what is left, what goes wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from env_service.worlds.ai2thor_api.capture import scene_capture
from env_service.worlds.ai2thor_api.capture.folder import CaptureFolder, FolderBusyError
from env_service.worlds.ai2thor_api.capture.procthor_houses import HouseFile
from env_service.worlds.ai2thor_api.capture.scene_capture import (
    Lost,
    SceneCapture,
    Summary,
    listed_scenes,
)
from env_service.worlds.ai2thor_api.capture.sidecar import SCHEMA, CaptureRequest, Subject
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.household.scene.library import MetadataFolder
from tests.support.scripted_thor import ScriptedWorld, grid
from tests.support.thor_house import AGENT, house, house_objects
from tests.support.thor_objects import kitchen, xyz

START = ThorStart(4, 3, initialization={"gridSize": 0.25})
REQUEST = CaptureRequest("ai2thor", START, frames=3)
ONE = "FloorPlan1_physics"


@pytest.fixture(autouse=True)
def no_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """The world's build is what this says, whatever this machine has."""
    facts = {"commit": "f0825767", "package": "ai2thor 5.0.0"}
    monkeypatch.setattr(scene_capture, "describe_world", lambda _world: facts)


def capture(
    folder: Path,
    world: ScriptedWorld,
    *subjects: Subject | str,
    request: CaptureRequest = REQUEST,
    fresh: bool = False,
) -> Summary:
    """Captures scenes into a folder."""
    wanted = [Subject(each) if isinstance(each, str) else each for each in subjects]
    with SceneCapture(request, CaptureFolder(folder), world.open) as recorder:
        return recorder.run(wanted, fresh=fresh)


def sidecar(folder: Path, name: str = ONE) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / f"{name}.capture.json").read_text())
    return document


def a_house(folder: Path, **changes: Any) -> Subject:
    path = folder / "train.jsonl"
    path.write_text(json.dumps(house(**changes)) + "\n", encoding="utf-8")
    (subject,) = HouseFile(path).select(["0"])
    return subject


def test_the_objects_are_written_as_published_dumps_are(tmp_path: Path) -> None:
    assert capture(tmp_path, ScriptedWorld(), ONE).captured == [ONE]
    written = json.loads((tmp_path / f"{ONE}.json").read_text())
    assert list(written) == [item["objectId"] for item in kitchen()]
    for item in kitchen():
        assert {**written[item["objectId"]], "visible": 0} == {**item, "visible": 0}


def test_the_sidecar_tells_the_rest(tmp_path: Path) -> None:
    capture(tmp_path, ScriptedWorld(), ONE)
    told = sidecar(tmp_path)
    assert told["schema"] == SCHEMA
    assert told["world"] == {"name": "ai2thor", "commit": "f0825767", "package": "ai2thor 5.0.0"}
    assert told["agent"]["position"] == xyz(AGENT)
    assert told["reachablePositions"] == grid()
    assert (told["gridSize"], told["fov"], told["cameraFarPlane"]) == (0.25, 90.0, 20.0)
    assert told["sceneBounds"]["size"] == xyz((9.0, 3.0, 9.0))
    assert told["request"]["initialization"] == {"gridSize": 0.25}
    assert told["house"] is None


def test_pictures_come_with_their_pose_and_what_they_show(tmp_path: Path) -> None:
    capture(tmp_path, ScriptedWorld(), ONE)
    told, floor = sidecar(tmp_path), kitchen()[0]["objectId"]
    assert [each["file"] for each in told["frames"]] == [f"{ONE}/00{k}.png" for k in range(3)]
    positions = [tuple(each["agent"]["position"].values()) for each in told["frames"]]
    assert positions == [AGENT, (-0.5, 0.901, 0.0), (-0.5, 0.901, 1.0)]
    for each in told["frames"]:
        assert each["visible"] == [floor]
        assert each["instance_detections2D"] == {floor: [0, 1, 2, 3]}
        with Image.open(tmp_path / each["file"]) as picture:
            assert picture.size == (4, 3)


def test_no_pictures_are_taken_where_none_are_wanted(tmp_path: Path) -> None:
    world = ScriptedWorld(draws=False)
    assert capture(tmp_path, world, ONE, request=replace(REQUEST, frames=0)).captured == [ONE]
    assert not (tmp_path / ONE).exists()
    assert "Teleport" not in [action for action, _ in world.opened[0].calls]


def test_where_nobody_may_go_another_picture_is_taken(tmp_path: Path) -> None:
    capture(tmp_path, ScriptedWorld(blocked=frozenset({(-0.5, 0.0)})), ONE)
    told = sidecar(tmp_path)
    assert len(told["frames"]) == 3
    assert "something is in the way" in told["notes"][0]


def test_a_house_comes_to_rest_first(tmp_path: Path) -> None:
    name, subject = "procthor-train-0", a_house(tmp_path)
    capture(tmp_path / "calm", ScriptedWorld(unrest=2), subject)
    told = sidecar(tmp_path / "calm", name)
    assert (told["settlingPasses"], told["isSceneAtRest"], told["notes"]) == (2, True, [])
    capture(tmp_path / "restless", ScriptedWorld(unrest=999), subject)
    assert "not at rest" in sidecar(tmp_path / "restless", name)["notes"][0]


def test_a_scene_is_taken_as_its_reset_shows_it(tmp_path: Path) -> None:
    world = ScriptedWorld(unrest=2)
    capture(tmp_path, world, ONE)
    assert (sidecar(tmp_path)["settlingPasses"], sidecar(tmp_path)["isSceneAtRest"]) == (0, False)
    assert "Pass" not in [action for action, _ in world.opened[0].calls]


def test_finished_scenes_are_left(tmp_path: Path) -> None:
    capture(tmp_path, ScriptedWorld(), ONE)
    world = ScriptedWorld()
    again = capture(tmp_path, world, ONE, "FloorPlan2_physics")
    assert (again.skipped, again.captured) == ([ONE], ["FloorPlan2_physics"])
    assert [call for call in world.opened[0].calls if call[0] == "Reset"] == [
        ("Reset", "FloorPlan2_physics")
    ]
    assert capture(tmp_path, world, ONE, fresh=True).captured == [ONE]


def test_nothing_is_started_where_all_is_finished(tmp_path: Path) -> None:
    capture(tmp_path, ScriptedWorld(), ONE)
    world = ScriptedWorld()
    assert capture(tmp_path, world, ONE).skipped == [ONE]
    assert world.opened == []


@pytest.mark.parametrize("file", [f"{ONE}.json", f"{ONE}/001.png", f"{ONE}.capture.json"])
@pytest.mark.parametrize("harm", ["changed", "lost"])
def test_a_damaged_scene_is_captured_again(tmp_path: Path, file: str, harm: str) -> None:
    capture(tmp_path, ScriptedWorld(), ONE)
    if harm == "changed":
        (tmp_path / file).write_bytes(b"{}")
    else:
        (tmp_path / file).unlink()
    if (harm, file) == ("lost", f"{ONE}.capture.json"):  # then it could be anybody's
        with pytest.raises(ValueError, match="no capture wrote"):
            capture(tmp_path, ScriptedWorld(), ONE)
        return
    assert capture(tmp_path, ScriptedWorld(), ONE).captured == [ONE]
    found = CaptureFolder(tmp_path).look(ONE)
    assert found is not None
    assert found.damage == ""


def test_other_settings_are_not_mixed_in(tmp_path: Path) -> None:
    capture(tmp_path, ScriptedWorld(), ONE)
    other, world = replace(REQUEST, frames=1), ScriptedWorld()
    with pytest.raises(ValueError, match=r"frames was 3, now 1.*--fresh"):
        capture(tmp_path, world, ONE, request=other)
    assert world.opened == []
    assert capture(tmp_path, world, ONE, request=other, fresh=True).captured == [ONE]
    assert sorted(path.name for path in (tmp_path / ONE).iterdir()) == ["000.png"]


def test_what_others_wrote_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / f"{ONE}.json").write_text("{}")
    for fresh in (False, True):
        with pytest.raises(ValueError, match="no capture wrote"):
            capture(tmp_path, ScriptedWorld(), ONE, fresh=fresh)
    (tmp_path / f"{ONE}.capture.json").write_text(
        json.dumps({"format": "houseguest-scene-capture", "schema": SCHEMA + 1})
    )
    with pytest.raises(ValueError, match="update houseguest"):
        capture(tmp_path, ScriptedWorld(), ONE, fresh=True)


def test_a_simulator_that_breaks_once_is_started_afresh(tmp_path: Path) -> None:
    world = ScriptedWorld(faults={"FloorPlan2_physics": 1})
    names = [ONE, "FloorPlan2_physics", "FloorPlan3_physics"]
    summary = capture(tmp_path, world, *names)
    assert summary.captured == names
    assert summary.lost == []
    assert (len(world.opened), world.stopped) == (2, 2)


def test_a_scene_that_breaks_twice_is_listed_and_the_others_go_on(tmp_path: Path) -> None:
    world = ScriptedWorld(faults={ONE: 2})
    summary = capture(tmp_path, world, ONE, "Castle", "FloorPlan2_physics")
    assert summary.captured == ["FloorPlan2_physics"]
    assert summary.lost == [
        Lost(ONE, "simulator_crash", "the player died, exit status 139"),
        Lost("Castle", "refused", "Scene 'Castle' not contained in build"),
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "FloorPlan2_physics",
        "FloorPlan2_physics.capture.json",
        "FloorPlan2_physics.json",
    ]


@pytest.mark.parametrize(
    ("world", "said"),
    [
        (ScriptedWorld(refused=frozenset({"GetReachablePositions"})), "does not work here."),
        (ScriptedWorld(draws=False), "--frames 0"),
    ],
)
def test_what_a_simulator_refuses_is_told_without_its_stack(
    tmp_path: Path, world: ScriptedWorld, said: str
) -> None:
    (lost,) = capture(tmp_path, world, ONE).lost
    assert said in lost.reason
    assert "trace" not in lost.reason
    assert list(tmp_path.iterdir()) == []


def test_a_simulator_is_given_back_after_some_scenes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_capture, "SCENES_EACH", 2)
    world = ScriptedWorld()
    capture(tmp_path, world, *world.scenes)
    assert (len(world.opened), world.stopped) == (2, 2)


def test_a_house_is_built_and_the_agent_put_where_it_says(tmp_path: Path) -> None:
    world, out = ScriptedWorld(), tmp_path / "out"
    subject = a_house(tmp_path)
    assert capture(out, world, subject).captured == ["procthor-train-0"]
    told = sidecar(out, "procthor-train-0")
    assert told["house"] == house()
    assert told["agent"]["rotation"]["y"] == 90.0
    assert told["request"]["houseSha256"] == subject.house.digest()  # type: ignore[union-attr]
    calls = [action for action, _ in world.opened[0].calls]
    assert calls[:3] == ["Reset", "Reset", "TeleportFull"]
    written = json.loads((out / "procthor-train-0.json").read_text())
    assert list(written) == [item["objectId"] for item in house_objects()]


def test_a_captured_house_is_a_household_scene(tmp_path: Path) -> None:
    out = tmp_path / "out"
    capture(out, ScriptedWorld(), a_house(tmp_path))
    scene = MetadataFolder(out).load("procthor-train-0")
    assert scene is not None
    assert len([part for part in scene.structure if part.type == "Wall"]) == 7
    assert (scene.agent.yaw, scene.agent.horizon) == (90.0, 30.0)
    assert scene.survey is not None


def test_houses_need_no_floor_plan(tmp_path: Path) -> None:
    world = ScriptedWorld(scenes=("household-bathroom-1",))
    assert capture(tmp_path / "out", world, a_house(tmp_path)).lost == []


def test_another_house_of_the_name_is_not_taken_for_it(tmp_path: Path) -> None:
    out = tmp_path / "out"
    capture(out, ScriptedWorld(), a_house(tmp_path))
    with pytest.raises(ValueError, match="houseSha256 was"):
        capture(out, ScriptedWorld(), a_house(tmp_path, objects=[1]))


def test_a_house_that_cannot_be_built_is_listed(tmp_path: Path) -> None:
    world = ScriptedWorld(refuses_houses=True)
    (lost,) = capture(tmp_path / "out", world, a_house(tmp_path)).lost
    assert lost.reason == "the house cannot be built: no asset Bed_99."
    world = ScriptedWorld(refused=frozenset({"TeleportFull"}))
    (lost,) = capture(tmp_path / "out", world, a_house(tmp_path)).lost
    assert "at the house's start" in lost.reason


def test_a_house_without_a_start_is_captured_with_a_note(tmp_path: Path) -> None:
    capture(tmp_path / "out", ScriptedWorld(), a_house(tmp_path, metadata={}))
    assert (
        "does not define the agent's start"
        in sidecar(tmp_path / "out", "procthor-train-0")["notes"][0]
    )


def test_a_world_that_breaks_at_every_start_loses_each_scene(tmp_path: Path) -> None:
    summary = capture(tmp_path, ScriptedWorld(broken=True), ONE, "FloorPlan2_physics")
    assert [each.kind for each in summary.lost] == ["simulator_crash"] * 2


def test_a_world_lists_its_scenes() -> None:
    world = ScriptedWorld()
    assert listed_scenes("ai2thor", START, world.open) == list(world.scenes)
    assert world.stopped == 1


def test_one_capture_at_a_time_writes_into_a_folder(tmp_path: Path) -> None:
    (tmp_path / ".draft-FloorPlan9").mkdir()
    with CaptureFolder(tmp_path).held():
        assert not (tmp_path / ".draft-FloorPlan9").exists()
        with (
            pytest.raises(FolderBusyError, match="another capture"),
            CaptureFolder(tmp_path).held(),
        ):
            pass
    with CaptureFolder(tmp_path).held():
        pass


@pytest.mark.parametrize("stop_at", range(1, 9))
def test_whoever_is_stopped_while_writing_leaves_nothing_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int
) -> None:
    """Whichever file operation is the last one: what counts as there is whole."""
    capture(tmp_path, ScriptedWorld(), ONE)
    done = 0

    def counted(operation: Any) -> Any:
        def either(*args: Any, **options: Any) -> Any:
            nonlocal done
            done += 1
            if done >= stop_at:
                raise KeyboardInterrupt
            return operation(*args, **options)

        return either

    with monkeypatch.context() as patch:
        for name in ("rename", "unlink"):
            patch.setattr(Path, name, counted(getattr(Path, name)))
        with suppress(KeyboardInterrupt):
            capture(tmp_path, ScriptedWorld(), ONE, fresh=True)
    found = CaptureFolder(tmp_path).look(ONE)
    if (tmp_path / f"{ONE}.json").exists():
        assert found is not None
        assert found.damage == ""
    with CaptureFolder(tmp_path).held():
        after = capture(tmp_path, ScriptedWorld(), ONE)
    assert ONE in (*after.captured, *after.skipped)
