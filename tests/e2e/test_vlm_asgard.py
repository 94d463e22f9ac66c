"""AsgardBench with the model guest: a real service, a real room, and a model that knows the way."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig
from model_guest.agent import serve
from model_guest.endpoint.model import EndpointModel
from model_guest.options import Settings

from env_service.domain.task import TaskSet
from env_service.suites.asgard.suite import AsgardSuite
from tests.support.asgard import SMALL, SOLUTION, TEXT_ONLY, mirror_task
from tests.support.model_server import MODEL, Asked, Call, ModelServer, completion, obliges
from tests.support.service import open_service

SUITE = f"{__name__}:OneMirror"
PNG = b"\x89PNG"


class OneMirror(AsgardSuite):
    """The suite with one task in a built-in room, which needs no data."""

    def task_sets(self) -> Mapping[str, TaskSet]:
        return {"one": TaskSet("one", "A mirror to clean.", (mirror_task(),))}

    def data(self, task_set: str, world: str) -> Mapping[str, tuple[str, ...]]:
        del task_set, world
        return {}


def knows_the_way(call: Call) -> None:
    """Says the action of the solution that the history has come to, with a plan and a note."""
    if "Available objects" not in call.asked.texts:
        obliges(call)
        return
    turn = call.asked.texts.split("# Available objects")[-1]
    done = len(
        re.findall(r"^\d+\. [A-Z_]+ \w+(?:  Success)?$", turn.split("PLAN")[0], re.MULTILINE)
    )
    rest = "\n".join(f"{n}. {each}" for n, each in enumerate(SOLUTION[done:], start=1))
    text = (
        f"<think>Turn {done + 1}.</think>\n<answer>\nSUGGESTED PLAN SEQUENCE:\n{rest}\n\n"
        f"THINGS TO REMEMBER:\n- {done} done\n\nAction: {SOLUTION[done]}\n</answer>"
    )
    call.send_json(200, completion(text))


@dataclass(frozen=True)
class Played:
    """A run of one episode: its record, the requests of its turns, what the guest declared."""

    record: dict[str, Any]
    asked: list[Asked]
    declared: dict[str, str]


def play(monkeypatch: pytest.MonkeyPatch, condition: Mapping[str, str], **chosen: str) -> Played:
    """Plays the task with the guest, and settings that the user chose."""
    with open_service() as service, ModelServer(knows_the_way) as server:
        run = service.open_run(SUITE, condition=condition)
        monkeypatch.setenv("HOUSEGUEST_ADDRESS", service.address)
        monkeypatch.setenv("HOUSEGUEST_TOKEN", service.token(run))
        model = EndpointModel(EndpointConfig(read_address(server.url), MODEL), print)
        assert serve("vlm", "1", model, Settings(prompt_settings=chosen)) == 0
        asked = [each for each in server.asked if "Available objects" in each.texts]
        (journal,) = service.folder.rglob("episodes.jsonl")
        (manifest,) = service.folder.rglob("manifest.json")
        (declared,) = json.loads(manifest.read_text(encoding="utf-8"))["declared"]
        lines = journal.read_text(encoding="utf-8").splitlines()
        return Played(json.loads(lines[-1]), asked, declared["configuration"])


def test_the_baseline_from_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    played = play(monkeypatch, SMALL)
    assert played.record["success"] is True
    assert len(played.asked) == len(SOLUTION)
    assert [len(each.pictures) for each in played.asked] == [1] + [2] * (len(SOLUTION) - 1)
    assert all(picture.startswith(PNG) for each in played.asked for picture in each.pictures)
    for before, after in itertools.pairwise(played.asked):
        assert after.pictures[0] == before.pictures[-1]
    assert len({each.pictures[-1] for each in played.asked}) > len(SOLUTION) // 2
    last = played.asked[-1].texts
    assert "1. FIND SprayBottle  Success\n2. PICKUP SprayBottle  Success\n" in last
    assert "- 8 done" in last
    assert "1. FIND Mirror\n2. CLEAN Mirror" in last
    assert not [name for name in played.declared if name.startswith("prompt.")]


def test_text_only_without_feedback_and_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    condition = {**TEXT_ONLY, "feedback": "none"}
    played = play(monkeypatch, condition, memory="off", common_sense="on")
    assert played.record["success"] is True
    assert not any(each.pictures for each in played.asked)
    last = played.asked[-1].texts
    assert "1. FIND SprayBottle\n2. PICKUP SprayBottle\n" in last
    assert "done" not in last.split("# Available objects")[-1].replace("have done so far", "")
    assert "# Common sense" in last
    assert played.declared["prompt.memory"] == "off"
    assert played.declared["prompt.common_sense"] == "on"
