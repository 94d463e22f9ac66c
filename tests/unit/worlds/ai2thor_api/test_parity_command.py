"""``houseguest parity``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from env_service.cli.errors import Misuse
from env_service.cli.main import run
from env_service.domain.action import Plan, SkillCall, Text
from env_service.worlds.ai2thor_api import floor_plans
from env_service.worlds.ai2thor_api.commands import parity
from env_service.worlds.ai2thor_api.controller import ThorStart
from env_service.worlds.ai2thor_api.parity.script_play import Script, read_scripts, write_scripts
from env_service.worlds.base import WorldUnavailableError
from env_service.worlds.household import opening
from env_service.worlds.household.controller import HouseholdController
from tests.support.doctored_thor import LIBRARY, MUG, SCENE, START

SUITE = "tests.support.thor_lab:ThorLab"
MADE = ["parity", "--right", "household", "--scenes", SCENE, "--length", "4", "--size", "64x48"]


@pytest.fixture(autouse=True)
def small_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def open_scene(scene: str, start: ThorStart) -> HouseholdController:
        size = {"width": start.width, "height": start.height}
        return HouseholdController(
            scene, library=LIBRARY, renderer="none", **size, **start.initialization
        )

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(opening, "open_scene", open_scene)
    monkeypatch.setattr(floor_plans, "share_floor_plans", lambda: None)


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_world_agrees_with_itself(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(MADE) == 0
    assert "**They agree.**" in capsys.readouterr().out
    folder = tmp_path / "parity-household-household"
    assert {path.name for path in folder.iterdir()} == {
        "parity-household-household.json.gz",
        "records.jsonl",
        "scripts.jsonl",
        "summary.md",
    }


def test_the_report_is_shown_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*MADE, "--json"]) == 0
    first = told(capsys)
    assert first["totals"] == {"records": 1, "rows": 5, "parted": 0, "voided": 0, "retried": 0}
    assert run(["parity", "show", first["file"]]) == 0
    assert "**They agree.**" in capsys.readouterr().out
    assert run(["parity", "show", first["file"], "--json"]) == 0
    assert told(capsys)["rates"] == first["rates"]


def test_scripts_are_written_without_the_other_world(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "made.jsonl"
    assert run([*MADE, "--right", "ai2thor", "--save-scripts", str(file), "--no-play"]) == 0
    (script,) = read_scripts(file)
    assert len(script.actions) == 4
    capsys.readouterr()
    assert run(["parity", "--right", "household", "--scripts", str(file), "--json"]) == 0
    assert told(capsys)["totals"]["rows"] == 5


def test_the_same_command_goes_on_where_it_was(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run([*MADE, "--json"]) == 0
    first = told(capsys)
    monkeypatch.setattr(opening, "open_scene", None)  # nothing is opened any more
    assert run([*MADE, "--json"]) == 0
    assert told(capsys)["records"] == first["records"]


def test_an_interruption_keeps_what_is_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "two.jsonl"
    write_scripts(file, [Script(name, SCENE, START, ({"action": "Pass"},)) for name in "ab"])
    genuine, opened = opening.open_scene, []

    def third_time(scene: str, start: ThorStart) -> HouseholdController:
        opened.append(scene)
        if len(opened) == 3:
            raise KeyboardInterrupt
        return genuine(scene, start)

    monkeypatch.setattr(opening, "open_scene", third_time)
    command = ["parity", "--right", "household", "--scripts", str(file)]
    assert run(command) == 130
    assert "1 finished and kept in parity-household-household" in capsys.readouterr().err
    assert run([*command, "--json"]) == 0
    assert told(capsys)["totals"]["records"] == 2
    assert len(opened) == 5


def test_disagreement_is_exit_status_1_and_limits_move_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "one.jsonl"
    actions = ({"action": "DirtyObject", "objectId": MUG.object_id, "forceAction": True},)
    write_scripts(file, [Script("a", SCENE, START, actions)])
    genuine, opened = opening.open_scene, []

    def second_is_dirty(scene: str, start: ThorStart) -> HouseholdController:
        controller = genuine(scene, start)
        opened.append(scene)
        if len(opened) % 2 == 0:
            controller.step("DirtyObject", objectId=MUG.object_id, forceAction=True)
        return controller

    monkeypatch.setattr(opening, "open_scene", second_is_dirty)
    command = ["parity", "--right", "household", "--scripts", str(file), "--json"]
    assert run(command) == 1
    verdict = told(capsys)["verdict"]
    missed = {each["name"] for each in verdict["missed"]}
    assert missed >= {"success", "isDirty", "state", "effects"}
    assert (
        run([*command, "--least", "0.4", "--least", "effects=0", "--least", "return kind=0"]) == 0
    )


def test_a_suite_is_played_in_both_worlds(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["parity", "--right", "household", "--suite", SUITE, "--json"]
    # Its rooms are none of this world's: both lack them.
    assert run([*command, "--limit", "1"]) == 1
    document = told(capsys)
    assert document["verdict"]["voided"] == ["household-bathroom-1/Cloth/hand"]
    assert document["source"]["actions"] == "expert"


def test_actions_of_a_file_are_read_as_the_expert_wrote_them(tmp_path: Path) -> None:
    file = tmp_path / "expert.jsonl"
    skill = {"skill": "put", "arguments": {"object": "Mug"}}
    actions = [skill, {"text": "go"}, {"plan": [skill]}]
    file.write_text(json.dumps({"task": "a", "actions": actions}) + "\n")
    put = SkillCall("put", (("object", "Mug"),))
    assert parity._actions(file) == {"a": (put, Text("go"), Plan((put,)))}
    file.write_text('{"task": "a"}\n')
    with pytest.raises(Misuse, match="line 1"):
        parity._actions(file)


def test_actions_of_other_tasks_are_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "expert.jsonl"
    file.write_text('{"task": "another", "actions": [{"skill": "left", "arguments": {}}]}\n')
    command = ["parity", "--right", "household", "--suite", SUITE, "--actions", str(file)]
    assert run(command) == 2
    assert "none of these tasks" in capsys.readouterr().err


def test_a_world_that_this_machine_lacks_is_told_without_a_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> dict[str, str]:
        raise WorldUnavailableError("no build here; install one")

    monkeypatch.setattr(opening, "describe", missing)
    assert run(MADE) == 1
    assert "no build here; install one" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "Choose the source of the actions"),
        (["--scenes", "a", "--suite", "b"], "Choose the source of the actions"),
        (["--scenes", "nowhere"], "nowhere"),
        (["--scenes", "FloorPlan9-2"], "FloorPlan9-2"),
        (["--scenes", "a", "--right", "ai2tor"], "ai2thor"),
        (["--scenes", "a", "--size", "64x"], "640x480"),
        (["--scenes", "a", "--least", "isopen=0.5"], "isOpen"),
        (["--scenes", "a", "--least", "2"], "from 0 to 1"),
        (["--scenes", "a", "--tolerance", "position"], "NAME=NUMBER"),
        (["--scenes", "a", "--tolerance", "position=-1"], "at least 0"),
        (["--scenes", "a", "--no-play"], "--save-scripts"),
        (["--scenes", "a", "--tasks", "b"], "--tasks needs --suite"),
        (["--scenes", "a", "--limit", "3"], "--limit needs --suite"),
        (["--suite", "babyai", "--length", "3"], "--length needs --scenes"),
        (["--suite", "babyai", "--settle", "2"], "--settle needs --scenes or --scripts"),
        (["--scenes", "FloorPlan31-200"], "1-30, 201-230"),
        (["sho"], "Did you mean 'parity show'"),
        (["--suite", "babyai"], "household"),
    ],
)
def test_wrong_usage_is_named(
    capsys: pytest.CaptureFixture[str], arguments: list[str], problem: str
) -> None:
    given = arguments if "--right" in arguments else ["--right", "household", *arguments]
    assert run(["parity", *given]) == 2
    assert problem in capsys.readouterr().err


def test_a_scene_that_there_is_not_is_told_without_all_others(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["parity", "--right", "household", "--scenes", "nowhere"]) == 2
    told = capsys.readouterr().err
    assert "`houseguest scenes list --world household`" in told
    assert len(told.splitlines()) == 1


@pytest.mark.parametrize("option", ["--scripts", "--actions"])
def test_a_file_of_something_else_is_misuse(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, option: str
) -> None:
    file = tmp_path / "picture"
    file.write_bytes(b"\x89PNG\xd0")
    suite = ["--suite", SUITE] if option == "--actions" else []
    assert run(["parity", "--right", "household", *suite, option, str(file)]) == 2
    assert f"{file}, line 1" in capsys.readouterr().err


def test_a_folder_of_another_comparison_is_refused_with_what_differs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(MADE) == 0
    assert run([*MADE, "--seed", "1", "--settle", "0"]) == 2
    told = capsys.readouterr().err
    assert "source.made.seed was 0, now 1" in told
    assert "manner.settle was 2, now 0" in told
