"""Decisions, their traces, the clock and the command line."""

from __future__ import annotations

import time
from typing import Any

import pytest
from houseguest_agent import Budget as HouseBudget
from houseguest_agent import Limits, ModelUsage, SkillCall, Text
from houseguest_model_client.config import Guided
from model_guest.answers.reader import Answer
from model_guest.budget import SpendingAccount, TurnClock
from model_guest.conversation import Conversation, Window
from model_guest.decision import BudgetSpentError, Decider, TooLongError
from model_guest.endpoint.options import add_endpoint_options, read_endpoint
from model_guest.model import CallUsage, ContextOverflowError, Reply, Request, UnreachableError
from model_guest.options import ALL, Settings, SpendingBudget, agent_parser, read_settings
from model_guest.prices import Price, Prices
from model_guest.prompt_set import DEFAULT_FOLDER, PromptSet

from tests.unit.agents.model_guest.episodes import ScriptedModel, advance, as_json, episode


def decider(
    model: ScriptedModel,
    accounts: SpendingAccount | None = None,
    turns: int = 0,
    agent_seed: int = 0,
    **settings: Any,
) -> Decider:
    playing = episode(agent_seed=agent_seed)
    conversation = Conversation(
        playing, PromptSet(DEFAULT_FOLDER), Window(ALL, 0), choosing=False, sees=True
    )
    for _ in range(turns):
        outcomes = advance(playing, "There.")
        conversation.record(Answer(SkillCall("forward")), outcomes)
    booked = accounts or SpendingAccount(SpendingBudget())
    return Decider(model, Settings(**settings), booked, playing, conversation)


def test_a_decision_tells_what_was_overlooked() -> None:
    model = ScriptedModel(lambda _: "```json\n{'action': {'skill': 'forward',},}\n```")
    decision = decider(model).decide(None)
    assert decision.answer.action == SkillCall("forward")
    trace = decision.trace
    assert trace.thought == "[guest: quotes 3, text_around 1, trailing_comma 2]"
    assert trace.raw_model_output.startswith("```json")
    assert trace.usage == (ModelUsage("scripted", input_tokens=10, output_tokens=2),)


def test_a_clean_decision_has_no_notes() -> None:
    decision = decider(ScriptedModel(lambda _: as_json("forward"))).decide(None)
    assert decision.notes == {}
    assert decision.trace.thought == ""


def test_every_call_of_a_decision_is_paid_for() -> None:
    replies = iter(["what?", "hm.", as_json("left")])
    model = ScriptedModel(lambda _: next(replies))
    prices = Prices({"scripted": Price(100.0, 1000.0)})
    accounts = SpendingAccount(SpendingBudget())
    decision = decider(model, accounts, reask=2, prices=prices).decide(None)
    assert decision.notes == {"asked_again": 2}
    assert [round(call.cost_usd, 6) for call in decision.usage] == [0.003] * 3
    assert accounts.cost_usd == pytest.approx(0.009)
    assert len(model.requests[2].messages) == len(model.requests[0].messages) + 4


def test_what_is_still_unreadable_goes_as_words() -> None:
    decision = decider(ScriptedModel(lambda _: "what?"), reask=1).decide(None)
    assert decision.answer.action == Text("what?")
    assert decision.notes == {"asked_again": 1, "not_understood": 1}


def test_too_long_requests_shrink() -> None:
    def say(request: Request) -> str:
        if len(request.messages) > 4:
            raise ContextOverflowError("too long", (CallUsage("scripted", input_tokens=5),))
        return as_json("forward")

    decision = decider(ScriptedModel(say), turns=6).decide(None)
    assert decision.notes == {"dropped_turns": 2}
    assert len(decision.usage) == 3


def test_nothing_left_to_drop() -> None:
    def say(_: Request) -> str:
        raise ContextOverflowError("much too long", (CallUsage("scripted"),))

    with pytest.raises(TooLongError, match="much too long") as caught:
        decider(ScriptedModel(say)).decide(None)
    assert len(caught.value.usage) == 1
    assert "longer context" in str(caught.value)
    assert "--history" not in str(caught.value)


def test_a_spent_budget_asks_nothing_more() -> None:
    accounts = SpendingAccount(SpendingBudget(tokens=10))
    accounts.add([CallUsage("m", input_tokens=10)])
    model = ScriptedModel(lambda _: as_json("forward"))
    with pytest.raises(BudgetSpentError):
        decider(model, accounts).decide(None)
    assert model.requests == []


def test_a_budget_that_is_spent_in_the_middle_tells_what_was_asked() -> None:
    accounts = SpendingAccount(SpendingBudget(tokens=12))
    model = ScriptedModel(lambda _: "what?")
    with pytest.raises(BudgetSpentError) as caught:
        decider(model, accounts, reask=5).decide(None)
    assert [call.input_tokens for call in caught.value.usage] == [10]


def test_each_turn_of_each_episode_draws_anew() -> None:
    model = ScriptedModel(lambda _: as_json("forward"))
    for seed, turns in ((1, 0), (1, 0), (1, 1), (2, 0)):
        decider(model, turns=turns, agent_seed=seed).decide(None)
    first, again, *others = [request.draw for request in model.requests]
    assert first == again
    assert len({first, *others}) == 3


def test_calls_before_the_end_are_told_with_it() -> None:
    def say(request: Request) -> Reply | str:
        if len(model.requests) == 1:
            return "what?"
        raise UnreachableError("gone")

    model = ScriptedModel(say)
    with pytest.raises(UnreachableError) as caught:
        decider(model, reask=1).decide(None)
    assert len(caught.value.usage) == 1


def test_requests_carry_schema_and_deadline() -> None:
    model = ScriptedModel(lambda _: as_json("forward"))
    decider(model).decide(12.5)
    (request,) = model.requests
    assert request.deadline == 12.5
    assert request.schema is not None
    assert "action" in request.schema["properties"]


def test_the_clock_leaves_time_to_leave() -> None:
    now = time.monotonic()
    clock = TurnClock(Limits(agent_step_budget=600.0, agent_episode_budget=3600.0), HouseBudget())
    assert clock.deadline() == pytest.approx(now + 590, abs=5)
    clock = TurnClock(Limits(agent_step_budget=600.0), HouseBudget(agent_time=20.0))
    assert clock.deadline() == pytest.approx(now + 18, abs=5)
    assert TurnClock(Limits(), HouseBudget()).deadline() is None


def options(*words: str, **environment: str) -> Any:
    parser = agent_parser("vlm", "d", "e")
    add_endpoint_options(parser)
    arguments = parser.parse_args(["--model", "m", *words])
    return read_settings(parser, arguments), read_endpoint(parser, arguments, environment)


def test_the_command_line() -> None:
    settings, config = options(
        *("--base-url", "http://h", "--history", "all", "--prompt-setting", "plan=off"),
        *("--header", "X-Title: a:b", "--extra-body", '{"k": 1}', "--guided", "off"),
        *("--reply-tokens", "0", "--pictures", "off", "--max-cost", "2.5"),
        HOUSEGUEST_API_KEY=" key ",
        OPENAI_API_KEY="other",
    )
    assert settings.history == ALL
    assert settings.prompt_settings == {"plan": "off"}
    assert settings.budget == SpendingBudget(cost_usd=2.5)
    assert config.headers == {"x-title": "a:b"}
    assert config.extra_body == {"k": 1}
    assert config.guided is Guided.OFF
    assert config.reply_tokens is None
    assert not config.sees_pictures
    assert config.key == "key"
    assert "key" not in repr(config).replace("key_", "")


def test_the_environment() -> None:
    _, config = options(HOUSEGUEST_BASE_URL="http://h", OPENAI_API_KEY="o")
    assert (config.address.declared, config.key) == ("http://h/v1", "o")
    named = ("--base-url", "http://h", "--api-key-env", "MINE")
    _, config = options(*named, MINE="m", OPENAI_API_KEY="o")
    assert config.key == "m"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "--base-url"),
        (["--base-url", "nowhere"], "base URL"),
        (["--base-url", "http://h", "--api-key-env", "NONE"], "has no variable NONE"),
        (["--base-url", "http://h", "--extra-body", "[1]"], "JSON object"),
        (["--base-url", "http://h", "--extra-body", '{"messages": []}'], "is reserved"),
        (["--base-url", "http://h", "--history", "-1"], "whole number"),
        (["--base-url", "http://h", "--timeout", "0"], "above 0"),
        (["--base-url", "http://h", "--prompt-setting", "plan"], "NAME=VALUE"),
        (["--base-url", "http://h", "--header", "secret"], "NAME:VALUE"),
        (["--base-url", "http://h", "--prices", "/nowhere.toml"], "/nowhere.toml"),
    ],
)
def test_wrong_usage(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        options(*words)
    assert caught.value.code == 2
    assert told in capsys.readouterr().err
