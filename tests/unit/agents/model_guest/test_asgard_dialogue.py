"""AsgardBench over several turns: what a server is sent, and what comes back to it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from houseguest_agent import Episode, OutcomeCode, SkillCall, Text
from houseguest_agent.step import PastStep
from houseguest_model_client.address import read_address
from houseguest_model_client.config import EndpointConfig
from model_guest.budget import SpendingAccount
from model_guest.decision import Decider, Decision
from model_guest.endpoint.model import EndpointModel
from model_guest.options import Settings, SpendingBudget

from tests.support.model_server import MODEL, Asked, ModelServer, says
from tests.unit.agents.model_guest.asgard_episodes import asgard_episode, condition, converse
from tests.unit.agents.model_guest.episodes import PNG, advance


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def reply(action: str, plan: str = "", memory: str = "") -> str:
    parts = ["<think>Hm.</think>\n<answer>"]
    if plan:
        parts.append(f"SUGGESTED PLAN SEQUENCE:\n{plan}\n")
    if memory:
        parts.append(f"THINGS TO REMEMBER:\n{memory}\n")
    return "\n".join([*parts, action, "</answer>"])


class Dialogue:
    """One episode, played with a server that says what it is told to."""

    def __init__(
        self, server: ModelServer, model: EndpointModel, playing: Episode, **settings: str
    ) -> None:
        self._server, self._playing = server, playing
        self._conversation = converse(playing, settings)
        accounts = SpendingAccount(SpendingBudget())
        chosen = Settings(prompt_settings=settings)
        self._decider = Decider(model, chosen, accounts, playing, self._conversation)

    def turn(self, said: str, **outcome: Any) -> Decision:
        """The model says this, and the house answers."""
        self._server.queue.append(says(said))
        decision = self._decider.decide(None)
        number = len(self._playing.history)
        pictures = (f"picture {number + 1}".encode(), f"picture {number}".encode())
        eyes = self._playing.condition["text_only"] == "off"
        outcomes = advance(self._playing, "", pictures if eyes else (), **outcome)
        self._conversation.record(decision.answer, outcomes)
        return decision

    def ask(self) -> Asked:
        """The next request."""
        self._server.queue.append(says("Action: FIND Mug"))
        self._decider.decide(None)
        return self._server.asked[-1]


@pytest.fixture
def begin(server: ModelServer) -> Iterator[Callable[..., Dialogue]]:
    config = EndpointConfig(read_address(server.url), MODEL)
    model = EndpointModel(config, lambda _: None)
    yield lambda playing, **settings: Dialogue(server, model, playing, **settings)
    model.close()


def system(asked: Asked) -> str:
    content = asked.body["messages"][0]["content"]
    assert isinstance(content, str)
    return content


def now(asked: Asked) -> str:
    """The texts of the last message."""
    content = asked.body["messages"][-1]["content"]
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def test_history_plan_and_notes_go_with_the_dialogue(begin: Callable[..., Dialogue]) -> None:
    dialogue = begin(asgard_episode())
    decision = dialogue.turn(reply("Action: FIND Mug", "1. FIND Mug\n2. PICKUP Mug", "- a"))
    assert decision.answer.action == Text(
        "<answer>\nSUGGESTED PLAN SEQUENCE:\n1. FIND Mug\n2. PICKUP Mug\n\n"
        "THINGS TO REMEMBER:\n- a\n\nAction: FIND Mug\n</answer>"
    )
    assert decision.trace.plan_length == 2
    dialogue.turn(
        reply("Action: PICKUP Mug", "1. PICKUP Mug\n2. FIND Cabinet", "- the mug is dirty"),
        code=OutcomeCode.REFUSED,
    )
    asked = dialogue.ask()
    text = now(asked)
    assert "1. FIND Mug  Success\n2. PICKUP Mug  Failure\n" in text
    assert "1. PICKUP Mug\n2. FIND Cabinet" in text
    assert "- the mug is dirty" in text
    assert "- a\n" not in text
    assert asked.pictures == [b"picture 1", b"picture 2"]
    order = [
        "# Your chore",
        "# Available objects",
        "1. FIND Mug  Success",
        "PLAN SEQUENCE",
        "- the",
    ]
    places = [text.index(each) for each in order]
    assert places == sorted(places)


def test_every_request_begins_as_the_one_before(
    begin: Callable[..., Dialogue], server: ModelServer
) -> None:
    dialogue = begin(asgard_episode())
    for n in range(4):
        dialogue.turn(reply("Action: FIND Mug", f"{n}. PICKUP Mug", f"- note {n}"))
    first, *others = server.asked
    assert {system(each) for each in others} == {system(first)}
    starts = [now(each).partition("# SUGGESTED")[0] for each in others]
    for earlier, later in itertools.pairwise(starts):
        actions = earlier.partition("\nThe pictures")[0].rstrip("\n")
        assert later.startswith(actions)
    assert all(len(each.body["messages"]) == 2 for each in server.asked)


def test_only_the_first_turn_is_called_the_first(
    begin: Callable[..., Dialogue], server: ModelServer
) -> None:
    dialogue = begin(asgard_episode())
    dialogue.turn(reply("Action: FIND Mug"))
    second = dialogue.ask()
    assert "first turn" in now(server.asked[0])
    assert "first turn" not in now(second)
    assert server.asked[0].pictures == [PNG]


def test_a_turn_without_an_action_is_left_out_and_the_numbers_close_up(
    begin: Callable[..., Dialogue],
) -> None:
    dialogue = begin(asgard_episode())
    dialogue.turn(reply("Action: FIND Mug"))
    decision = dialogue.turn("Let me see.", code=OutcomeCode.REFUSED)
    assert decision.answer.action == Text("Let me see.")
    assert decision.notes == {"not_understood": 1}
    dialogue.turn(reply("Action: JUMP Mug"), code=OutcomeCode.REFUSED)
    text = now(dialogue.ask())
    assert "1. FIND Mug  Success\n2. JUMP Mug  Failure\n" in text
    assert "Let me see" not in text


def test_a_reply_without_plan_and_notes_clears_them(begin: Callable[..., Dialogue]) -> None:
    dialogue = begin(asgard_episode())
    dialogue.turn(reply("Action: FIND Mug", "1. PICKUP Mug", "- a note"))
    dialogue.turn("Let me see.", code=OutcomeCode.REFUSED)
    text = now(dialogue.ask())
    assert "PLAN SEQUENCE" not in text
    assert "REMEMBER" not in text


def test_without_memory_notes_do_not_come_back(begin: Callable[..., Dialogue]) -> None:
    dialogue = begin(asgard_episode(condition("no-memory")))
    dialogue.turn(reply("Action: FIND Mug", "1. PICKUP Mug", "- a note"))
    text = now(dialogue.ask())
    assert "1. PICKUP Mug" in text
    assert "a note" not in text
    assert "REMEMBER" not in text


def test_text_only_sends_no_picture_and_no_feedback_where_none_is_given(
    begin: Callable[..., Dialogue],
) -> None:
    dialogue = begin(asgard_episode(condition("text-only-none"), ()))
    dialogue.turn(reply("Action: FIND Mug", "1. PICKUP Mug"), code=OutcomeCode.WITHHELD)
    asked = dialogue.ask()
    assert asked.pictures == []
    assert "1. FIND Mug\n" in now(asked)
    assert "Success" not in asked.texts


def test_json_is_guided_and_comes_back_as_the_same_history(begin: Callable[..., Dialogue]) -> None:
    dialogue = begin(asgard_episode(), answer="json")
    said = (
        '{"thought": "t", "plan": ["PICKUP Mug"], "memory": "left",'
        ' "action": {"skill": "FIND", "arguments": {"object": "Mug"}}}'
    )
    decision = dialogue.turn(said)
    assert decision.answer.action == SkillCall("FIND", {"object": "Mug"})
    asked = dialogue.ask()
    assert asked.body["response_format"]["type"] == "json_schema"
    assert "1. FIND Mug  Success\n" in now(asked)
    assert "\nPICKUP Mug\n" in now(asked)
    assert "\nleft\n" in now(asked)


def test_a_half_played_episode_is_taken_over() -> None:
    playing = asgard_episode()
    outcomes = advance(playing, "", (b"now", PNG))
    playing.history = [
        PastStep(Text("<answer>\nAction: FIND Mug\n</answer>"), outcomes),
        PastStep(Text("Hm."), outcomes),
        PastStep(SkillCall("PICKUP", {"object": "Mug"}), outcomes),
    ]
    text = str(converse(playing).messages()[-1].parts[0])
    assert text.endswith("1. FIND Mug  Success\n2. PICKUP Mug  Success")
