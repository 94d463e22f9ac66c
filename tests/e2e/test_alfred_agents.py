"""ALFRED with the model guest: a real service, and a model that knows the plans."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig
from model_guest.agent import serve
from model_guest.endpoint.model import EndpointModel
from model_guest.options import Settings

from env_service.suites.alfred.builtin.task_set import builtin_task_set
from env_service.suites.alfred.task import AlfredTask, read_task
from tests.support.model_server import MODEL, Asked, Call, ModelServer, completion, obliges
from tests.support.service import open_service

TASK_SET = "builtin-2-3"
Say = Callable[[AlfredTask, str], str]
"""What the model says to a request with this text about a task."""


@dataclass(frozen=True)
class Played:
    """A run: its records, the requests, what the guest declared."""

    records: list[dict[str, Any]]
    asked: list[Asked]
    declared: dict[str, str]


def tasks() -> list[AlfredTask]:
    made = builtin_task_set(TASK_SET)
    assert made is not None
    return [read_task(task) for task in made.tasks]


def play(monkeypatch: pytest.MonkeyPatch, say: Say, /, **condition: str) -> Played:
    """Plays the two tasks with a model that knows which one it is asked about."""
    known = tasks()

    def answers(call: Call) -> None:
        text = call.asked.texts.partition("# The command\n\n")[2]
        if not text:
            obliges(call)
            return
        told = [task for task in known if any(map(text.startswith, endings(task)))]
        call.send_json(200, completion(say(told[0], text)))

    with open_service() as service, ModelServer(answers) as server:
        run = service.open_run("alfred", task_set=TASK_SET, condition=condition)
        monkeypatch.setenv("HOUSEGUEST_ADDRESS", service.address)
        monkeypatch.setenv("HOUSEGUEST_TOKEN", service.token(run))
        model = EndpointModel(EndpointConfig(read_address(server.url), MODEL), print)
        assert serve("vlm", "1", model, Settings()) == 0
        (journal,) = service.folder.rglob("episodes.jsonl")
        (manifest,) = service.folder.rglob("manifest.json")
        (declared,) = json.loads(manifest.read_text(encoding="utf-8"))["declared"]
        lines = journal.read_text(encoding="utf-8").splitlines()
        asked = [each for each in server.asked if "# The command" in each.texts]
        return Played([json.loads(line) for line in lines], asked, declared["configuration"])


def endings(task: AlfredTask) -> list[str]:
    """The task's commands, and the contextual one without its context."""
    told = list(task.commands.values())
    return [*told, task.commands["C"].partition(". ")[2]]


def whole_plan(task: AlfredTask, _: str) -> str:
    return f"<think>Hm.</think>{', '.join(task.reference)}, done"


def test_a_plan_is_carried_out(monkeypatch: pytest.MonkeyPatch) -> None:
    played = play(monkeypatch, whole_plan, wording="K", pictures="on")
    assert [record["success"] for record in played.records] == [True, True]
    for asked in played.asked:
        assert asked.texts.count("Command: ") == 14
        assert len(asked.pictures) == 1
    systems = {json.dumps(each.body["messages"][0]) for each in played.asked}
    assert len(systems) == 1, "what never changes is equal, so that servers read it once"
    assert played.declared["examples.alfred"].startswith("14 even, seed 0, pool sha256:")


def test_a_question_is_answered_before_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    misplaced = tasks()[1].id

    def asks_first(task: AlfredTask, text: str) -> str:
        if "# What you asked" not in text:
            return "ask: Which one?"
        plan = whole_plan(task, text)
        return plan.replace("garbage can", "sink") if task.id == misplaced else plan

    played = play(monkeypatch, asks_first, wording="C-without-context", ask="on")
    assert {each["task_id"]: each["success"] for each in played.records} == {
        tasks()[0].id: True,
        misplaced: False,
    }
    (lost,) = (each["labels"] for each in played.records if not each["success"])
    assert lost["failure_types"] == "3", "the answer told the place: the command is not to blame"
    assert [record["metrics"]["asked"] for record in played.records] == [1.0, 1.0]
    contexts = [task.commands["C"].partition(". ")[0] for task in tasks()]
    told = [context for context in contexts for each in played.asked if context in each.texts]
    assert sorted(told) == sorted(contexts)


def test_steps_come_one_a_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    def next_step(task: AlfredTask, text: str) -> str:
        row = text.partition("# The steps so far\n\n")[2].partition("\n")[0]
        return (*task.reference, "done")[row.count(", ") + bool(row)]

    played = play(monkeypatch, next_step, play="steps", feedback="simple")
    assert [record["success"] for record in played.records] == [True, True]
    steps = sum(len(task.reference) + 1 for task in tasks())
    assert len(played.asked) == steps


def test_what_is_no_plan_fails_with_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    first = tasks()[0].id
    played = play(monkeypatch, lambda task, _: "I cannot do that." if task.id == first else "1.")
    assert [record["success"] for record in played.records] == [False, False]
    assert len(played.asked) == 2
    told = {each["labels"]["ending"]: each["labels"]["explanation"] for each in played.records}
    assert set(told) == {"empty_plan", "unreadable"}
    assert "It begins 'I cannot do that'" in told["unreadable"]
