"""The whole guest, between a model's server that fails and a service that watches."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from houseguest.agent.v1 import agent_pb2 as pb
from houseguest_agent import EndReason, WithdrawReason
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig, Waiting
from model_guest.agent import serve
from model_guest.endpoint.model import EndpointModel
from model_guest.options import Settings, SpendingBudget

from tests.support.fake_service import TOKEN, FakeService, Script
from tests.support.model_server import MODEL, Behaviour, ModelServer, fails, hang_up, says

FORWARD = json.dumps({"thought": "t", "plan": ["x"], "action": {"skill": "forward"}})


@pytest.fixture
def service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    features = (pb.FEATURE_STREAMING_PLAY, pb.FEATURE_FRAME_REFERENCE, pb.FEATURE_WITHDRAW)
    with FakeService(tmp_path, Script(episodes=2, steps=3, features=features)) as running:
        monkeypatch.setenv("HOUSEGUEST_ADDRESS", running.address)
        monkeypatch.setenv("HOUSEGUEST_TOKEN", TOKEN)
        yield running


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(says(FORWARD)) as running:
        yield running


def play(server: ModelServer, patience: float = 0.3, key: str = "", **settings: Any) -> int:
    waiting = Waiting(60.0, patience, first=0.01, longest=0.05, rng=random.Random(0))
    config = EndpointConfig(read_address(server.url), MODEL, key, waiting=waiting)
    return serve("vlm", "1", EndpointModel(config, print), Settings(**settings))


def texts(service: FakeService) -> list[str]:
    return [action.text or action.skill.name for _, _, action in service.executed]


def after(count: int, then: Behaviour) -> Behaviour:
    """Answers well so many times, then like that."""
    left = [count]

    def behave(call: Any) -> None:
        left[0] -= 1
        (says(FORWARD) if left[0] >= 0 else then)(call)

    return behave


def test_it_plays_every_episode(service: FakeService, server: ModelServer) -> None:
    assert play(server) == 0
    assert texts(service) == ["forward"] * 6
    (hello,) = service.hellos[-1:]
    assert hello.client.model == MODEL
    assert hello.client.configuration["guided"] == "json-schema (auto)"
    assert "prompts_sha256" in str(hello.client.configuration) or any(
        name.startswith("prompts.") for name in hello.client.configuration
    )
    # One request proves the model, then one a step.
    assert len(server.asked) == 7


def test_it_sees_pictures(service: FakeService, server: ModelServer) -> None:
    play(server)
    assert server.asked[1].pictures[0].startswith(b"\x89PNG")


def test_words_that_cannot_be_read_go_to_the_service_unchanged(
    service: FakeService, server: ModelServer
) -> None:
    server.queue += [says(FORWARD), says("  Perhaps <left>?\n")]
    assert play(server) == 0
    assert texts(service)[0] == "  Perhaps <left>?\n"


def test_it_asks_again_where_it_may(service: FakeService, server: ModelServer) -> None:
    server.queue += [says(FORWARD), says("Perhaps left?")]
    assert play(server, reask=1) == 0
    assert texts(service) == ["forward"] * 6
    last = server.asked[2].body["messages"][-2:]
    assert last[0] == {"role": "assistant", "content": "Perhaps left?"}
    assert "No action could be read" in last[1]["content"]


def test_a_refusal_is_the_agents_turn(service: FakeService, server: ModelServer) -> None:
    server.queue += [says(FORWARD), says(None, refusal="I will not.")]
    assert play(server, reask=1) == 0
    assert texts(service)[0] == "I will not."


def test_a_server_that_is_gone_ends_the_run_and_fails_no_episode(
    service: FakeService, server: ModelServer
) -> None:
    server.default = after(3, hang_up)
    assert play(server) == 1
    (left,) = service.withdrawn
    assert WithdrawReason(left.reason) is WithdrawReason.MODEL_UNREACHABLE
    assert "--patience" in left.message
    assert service.ended == {}
    assert texts(service) == ["forward"] * 2


def test_a_server_that_is_gone_before_the_first_episode(
    service: FakeService, server: ModelServer
) -> None:
    server.stop()
    assert play(server) == 1
    assert WithdrawReason(service.withdrawn[0].reason) is WithdrawReason.MODEL_UNREACHABLE
    assert service.ordinal == -1


def test_a_wrong_key_stops_before_any_episode(service: FakeService, server: ModelServer) -> None:
    server.key = "another"
    assert play(server, key="sk-wrong-key-here") == 1
    (left,) = service.withdrawn
    assert WithdrawReason(left.reason) is WithdrawReason.MODEL_REFUSED
    assert "HOUSEGUEST_API_KEY" in left.message
    assert "sk-wrong-key-here" not in str(service.hellos) + left.message
    assert service.ordinal == -1


def test_nothing_that_was_paid_for_is_forgotten_when_it_leaves(
    service: FakeService, server: ModelServer
) -> None:
    server.default = after(1, fails(401, "no such key"))
    assert play(server) == 1
    (left,) = service.withdrawn
    # The first question was answered, and no step was there to tell of it.
    assert [call.input_tokens for call in left.trace.usage] == [100]
    assert service.executed == []


def test_a_reply_that_cannot_be_sent_as_it_is_costs_its_turn_and_no_more(
    service: FakeService, server: ModelServer
) -> None:
    server.queue += [says(FORWARD), says("\ud800 lone"), says("x" * 20_000_000)]
    assert play(server) == 0
    assert texts(service)[0] == "\ufffd lone"
    assert set(texts(service)[1]) == {"x"}
    assert texts(service)[2:] == ["forward"] * 4


def test_seeds_follow_the_episode_and_the_turn(service: FakeService, server: ModelServer) -> None:
    waiting = Waiting(60.0, 0.3, first=0.01, rng=random.Random(0))
    config = EndpointConfig(read_address(server.url), MODEL, seed=7, waiting=waiting)
    assert serve("vlm", "1", EndpointModel(config, print), Settings()) == 0
    sent = [asked.body["seed"] for asked in server.asked[1:4]]
    assert len(set(sent)) == 3


def test_a_budget_of_its_own(service: FakeService, server: ModelServer) -> None:
    assert play(server, budget=SpendingBudget(tokens=400)) == 1
    (left,) = service.withdrawn
    assert WithdrawReason(left.reason) is WithdrawReason.BUDGET_SPENT
    assert "480 tokens of 400" in left.message
    assert texts(service) == ["forward"] * 3


def test_a_budget_that_is_spent_with_an_episode_takes_no_other(
    service: FakeService, server: ModelServer
) -> None:
    assert play(server, budget=SpendingBudget(tokens=480)) == 1
    assert texts(service) == ["forward"] * 3
    assert service.ordinal == 0


def test_a_request_that_is_too_long_loses_its_oldest_parts(
    service: FakeService, server: ModelServer
) -> None:
    too_long = fails(400, "This model's maximum context length is 4096 tokens.")

    def behave(call: Any) -> None:
        replies = [m for m in call.asked.body["messages"] if m["role"] == "assistant"]
        (too_long if len(replies) > 1 else says(FORWARD))(call)

    server.default = behave
    assert play(server) == 0
    assert texts(service) == ["forward"] * 6


def test_a_task_that_is_too_long_by_itself_is_given_up(
    service: FakeService, server: ModelServer
) -> None:
    too_long = fails(400, "This model's maximum context length is 4096 tokens.")
    server.default = after(2, too_long)
    assert play(server) == 0
    assert [reason for reason, _ in service.ended.values()] == [EndReason.AGENT_GAVE_UP] * 2
    assert all("too long" in thought for _, thought in service.ended.values())


def test_a_model_too_small_for_any_request_leaves_the_run(
    service: FakeService, server: ModelServer
) -> None:
    too_long = fails(400, "This model's maximum context length is 64 tokens.")
    server.default = after(1, too_long)
    assert play(server) == 1
    (left,) = service.withdrawn
    assert WithdrawReason(left.reason) is WithdrawReason.MODEL_REFUSED
    assert "64 tokens" in left.message
    assert not service.ended


def test_a_bad_prompt_set_is_told_before_anything_else(
    service: FakeService, server: ModelServer, tmp_path: Path
) -> None:
    assert play(server, prompts=tmp_path) == 2
    assert service.hellos == []


def test_plans_and_answers(service: FakeService, server: ModelServer) -> None:
    service.script.mode = pb.MODE_PLAN
    server.default = says('{"steps": [{"skill": "forward"}, {"skill": "forward"}]}')
    assert play(server) == 0
    assert [step.name for step in service.executed[0][2].plan.steps] == ["forward"] * 2


def test_a_model_without_eyes_plays_by_the_texts(service: FakeService, server: ModelServer) -> None:
    waiting = Waiting(60.0, 0.3, first=0.01, rng=random.Random(0))
    address = read_address(server.url)
    config = EndpointConfig(address, MODEL, sees_pictures=False, waiting=waiting)
    assert serve("vlm", "1", EndpointModel(config, print), Settings(pictures="off")) == 0
    assert not service.attached[-1].observation.images
    assert all(asked.pictures == [] for asked in server.asked)
