"""``houseguest alfred setups``."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from env_service.domain.names import UnknownNameError
from env_service.domain.task import TaskSet
from env_service.suites.alfred import task_sets
from env_service.suites.alfred.commands.setups import setups_command
from env_service.suites.alfred.task import (
    AgentStart,
    AlfredTask,
    Goal,
    SceneSetup,
    TaskType,
    make_task,
)
from env_service.worlds.ai2thor_api.geometry import Point
from env_service.worlds.household.render.selection import VARIABLE as RENDERER

OUTSIDE = AgentStart(Point(0.0, 0.9, 40.0), yaw=0.0, horizon=0.0)


def made(name: str, goal: Goal, agent: AgentStart | None = None):
    return make_task(AlfredTask(name, goal, SceneSetup("household-kitchen-1", agent=agent)))


@pytest.fixture(autouse=True)
def _tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    mug = Goal(TaskType.SIMPLE, "Mug", "Fridge")
    tasks = (
        made("easy", mug),
        made("far_off", mug, OUTSIDE),
        made("without_object", Goal(TaskType.SIMPLE, "Plunger", "Fridge")),
    )
    monkeypatch.setattr(
        task_sets, "AlfredTaskSets", lambda: {"some": TaskSet("some", "Some.", tasks)}
    )
    monkeypatch.setenv(RENDERER, "none")


def play(capsys: pytest.CaptureFixture[str], *given: str) -> tuple[int, str]:
    arguments: Sequence[str] = ["some", "--jobs", "1", *given]
    status = setups_command.main(list(arguments), standalone_mode=False)
    return status, capsys.readouterr().out


def test_what_cannot_be_reproduced_is_listed_with_its_reason(capsys):
    status, out = play(capsys)
    assert status == 1
    assert "2 of 3 tasks can be set up, 1 of them without any difference" in out
    assert "its pose is not free" in out
    assert "it has no pickupable Plunger" in out


def test_status_is_0_where_all_can_be_set_up(capsys):
    status, out = play(capsys, "--tasks", "easy", "--summary")
    assert status == 0
    assert "1 of 1 task can be set up, 1 of them without any difference" in out


def test_json_tells_all_of_every_task(capsys):
    _, out = play(capsys, "--json")
    told = json.loads(out)
    assert (told["total"], told["set_up"], told["without_problems"]) == (3, 2, 1)
    assert told["problems"] == {"agent": 1}
    easy, far_off, impossible = told["tasks"]
    assert easy["problems"] == []
    assert far_off["astray"] > 10.0
    assert impossible["fault"].startswith("data_fault: without_object cannot be set up")


def test_an_unknown_task_set_names_those_that_there_are():
    with pytest.raises(UnknownNameError, match="some"):
        setups_command.main(["sum"], standalone_mode=False)
