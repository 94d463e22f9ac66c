"""LLM-BabyBench with the model guest: a real service, and a model that knows the answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig
from model_guest.agent import serve
from model_guest.endpoint.model import EndpointModel
from model_guest.options import Settings

from env_service.suites.babybench.tasks import Question
from env_service.worlds.babyai.levels import find_any_level
from env_service.worlds.babyai.omnibot.solver import solve
from tests.support.model_server import MODEL, Asked, Call, ModelServer, completion, obliges
from tests.support.service import open_service

LEVELS = {
    Question.PREDICT: "GoToLocal",
    Question.PLAN: "Small-4Dists",
    Question.DECOMPOSE: "GoToObj",
}


def answer(question: Question, seed: int) -> str:
    """A right answer to a question about its level."""
    record = solve(find_any_level(LEVELS[question]), seed)
    match question:
        case Question.PREDICT:
            state = (record.final_position, int(record.final_heading))
            return f"The agent's final state is: {state}"
        case Question.PLAN:
            return f"The LLM's action sequence is: {', '.join(record.actions)}"
        case _:
            (ball,) = (subgoal.chosen for subgoal in record.initial_subgoals)
            return f"<START>\n(GoNextToSubgoal, {ball})\n<END>"


@dataclass(frozen=True)
class Played:
    """A run of two episodes: their records, the requests, what the guest declared."""

    records: list[dict[str, Any]]
    asked: list[Asked]
    declared: dict[str, str]


def play(
    monkeypatch: pytest.MonkeyPatch, question: Question, condition: dict[str, str], **chosen: str
) -> Played:
    """Plays seeds 2 and 3, in words that a model may use around its answer."""
    answers = [answer(question, seed) for seed in (2, 3)]

    def knows(call: Call) -> None:
        if "# Your question" not in call.asked.texts:
            obliges(call)
            return
        said = f"<think>Hm.</think>I thought about it.\n\n{answers.pop(0)}"
        call.send_json(200, completion(said))

    with open_service() as service, ModelServer(knows) as server:
        task_set = f"{question.value}:{LEVELS[question]}:2-3"
        run = service.open_run("babybench", task_set=task_set, condition=condition)
        monkeypatch.setenv("HOUSEGUEST_ADDRESS", service.address)
        monkeypatch.setenv("HOUSEGUEST_TOKEN", service.token(run))
        model = EndpointModel(EndpointConfig(read_address(server.url), MODEL), print)
        assert serve("vlm", "1", model, Settings(prompt_settings=chosen)) == 0
        (journal,) = service.folder.rglob("episodes.jsonl")
        (manifest,) = service.folder.rglob("manifest.json")
        (declared,) = json.loads(manifest.read_text(encoding="utf-8"))["declared"]
        lines = journal.read_text(encoding="utf-8").splitlines()
        asked = [each for each in server.asked if "# Your question" in each.texts]
        return Played([json.loads(line) for line in lines], asked, declared["configuration"])


@pytest.mark.parametrize("question", LEVELS)
def test_a_right_answer_succeeds(monkeypatch: pytest.MonkeyPatch, question: Question) -> None:
    played = play(monkeypatch, question, {"prompter": "few-shot"})
    assert [record["success"] for record in played.records] == [True, True]
    assert all(each.texts.count("\n## ") == 3 for each in played.asked)
    systems = {json.dumps(each.body["messages"][0]) for each in played.asked}
    assert len(systems) == 1, "what never changes is equal, so that servers read it once"
    assert "prompt.prompter" not in played.declared


def test_the_published_rules_read_it_too_and_a_picture_is_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    condition = {"scoring": "compat", "formatter": "json", "observation": "text+picture"}
    played = play(monkeypatch, Question.PLAN, condition)
    assert [record["success"] for record in played.records] == [True, True]
    assert [len(each.pictures) for each in played.asked] == [1, 1]
    assert all("The picture shows the world" in each.texts for each in played.asked)


def test_the_users_prompter_goes_before_the_runs_and_is_declared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    played = play(monkeypatch, Question.PREDICT, {"prompter": "cot"}, prompter="zero-shot")
    assert not any("# How to think" in each.texts for each in played.asked)
    assert played.declared["prompt.prompter"] == "zero-shot"
    assert "prompter is zero-shot, although the run's condition says cot" in capsys.readouterr().err
