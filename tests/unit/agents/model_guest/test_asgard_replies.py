"""What is read out of replies to AsgardBench's prompts."""

from __future__ import annotations

import pytest
from houseguest_agent import SkillCall, Text
from model_guest.answers.reader import Answer, AnswerReader, said_action
from model_guest.model import Finish, Reply

from env_service.domain import action as house
from env_service.suites.asgard.action_language import Command, Parser
from env_service.suites.asgard.rules import PAPER
from tests.unit.agents.model_guest.asgard_episodes import (
    OBJECTS,
    asgard_episode,
    condition,
    converse,
)

WHOLE = """\
<think>
The mug is dirty.
</think>
<answer>
SUGGESTED PLAN SEQUENCE:
1. PUT SinkBasin
2. FIND Mug

THINGS TO REMEMBER:
- the sink is on the left
- the mug is dirty

Action: PUT SinkBasin
</answer>"""


def read(
    text: str, name: str = "baseline", finish: Finish = Finish.STOP, **settings: str
) -> Answer:
    playing = asgard_episode(condition(name))
    form = converse(playing, settings).form
    return AnswerReader(playing.action_space, playing.mode, form).read(Reply(text, finish=finish))


def done(answer: Answer) -> str:
    """What the house makes of an answer: the command, or nothing."""
    parser = Parser(OBJECTS, PAPER)
    match answer.action:
        case Text(text):
            there: house.Action = house.Text(text)
        case SkillCall(name, arguments):
            there = house.SkillCall(name, tuple(arguments.items()))
        case other:
            raise AssertionError(f"no action of this suite: {other}")
    turn = parser.read(there)
    return turn.text if isinstance(turn, Command) else ""


def test_a_reply_as_asked_for() -> None:
    answer = read(WHOLE)
    assert answer.understood
    assert done(answer) == "PUT SinkBasin"
    assert answer.thought == "The mug is dirty."
    assert answer.plan == "1. PUT SinkBasin\n2. FIND Mug"
    assert answer.memory == "- the sink is on the left\n- the mug is dirty"
    assert answer.plan_length == 2
    assert answer.repairs == {}


PLANS = {
    "no header": ("<answer>Action: FIND Mug", ""),
    "markdown": ("**SUGGESTED PLAN SEQUENCE:**\n1. A\n\n**Action:** FIND Mug", "1. A"),
    "heading": (
        "## Suggested Plan Sequence\n1. A\n2. B\n\n## Things to remember\n- c",
        "1. A\n2. B",
    ),
    "words behind the header": ("SUGGESTED PLAN SEQUENCE (the rest):\n1. A\nAction: X", "1. A"),
    "in one line": ("Suggested plan sequence: 1. A 2. B\nAction: FIND Mug", "1. A 2. B"),
    "other name of the notes": (
        "SUGGESTED PLAN SEQUENCE\n1. A\nThings I want to remember: x",
        "1. A",
    ),
    "to the end": ("SUGGESTED PLAN SEQUENCE:\n1. A\n2. B\n</answer>", "1. A\n2. B"),
    "only in a thought": ("<think>SUGGESTED PLAN SEQUENCE: no</think>Action: FIND Mug", ""),
    "before the answer": ("Suggested plan sequence: no\n<answer>\nAction: FIND Mug", ""),
    "a step that says action": (
        "SUGGESTED PLAN SEQUENCE:\n1. Action: A\nAction: A",
        "1. Action: A",
    ),
}


@pytest.mark.parametrize(("text", "plan"), PLANS.values(), ids=PLANS)
def test_the_plan(text: str, plan: str) -> None:
    assert read(text).plan == plan


NOTES = {
    "none": ("<answer>Action: FIND Mug", ""),
    "up to a blank line": ("THINGS TO REMEMBER:\n- a\n- b\n\nAnd so on.", "- a\n- b"),
    "a blank line first": ("Things to remember:\n\n- a\n\nAction: FIND Mug", "- a"),
    "no blank line": ("THINGS TO REMEMBER:\n- a\nAction: FIND Mug\n</answer>", "- a"),
    "in one line": ("Things to remember: a\n\nAction: FIND Mug", "a"),
    "markdown": ("**THINGS TO REMEMBER**\n- a\n**Action:** FIND Mug", "- a"),
    "in a thought": ("<think>Things to remember: a\n\nGo.</think><answer>Action: FIND Mug", "a"),
    "the answer's own first": (
        "<think>Things to remember: no</think><answer>Things to remember: yes\n\nAction: FIND Mug",
        "yes",
    ),
    "windows' lines": ("THINGS TO REMEMBER:\r\n- a\r\n\r\nAction: FIND Mug", "- a"),
}


@pytest.mark.parametrize(("text", "memory"), NOTES.values(), ids=NOTES)
def test_the_notes(text: str, memory: str) -> None:
    assert read(text).memory == memory


def test_notes_are_not_read_where_there_shall_be_none() -> None:
    assert read(WHOLE, "no-memory").memory == ""
    assert read(WHOLE, memory="off").memory == ""
    assert read(WHOLE, "no-memory").plan == "1. PUT SinkBasin\n2. FIND Mug"


ACTIONS = {
    "plain": ("Action: FIND Mug", "FIND Mug"),
    "the last counts": ("Action: FIND Mug\nAction: OPEN Cabinet", "OPEN Cabinet"),
    "lines between": ("Action:\n  FIND   Mug", "FIND Mug"),
    "a thought is no answer": ("<think>Action: OPEN Cabinet</think>Action: FIND Mug", "FIND Mug"),
    "never closed": ("<think>Hm.\n<answer>\nAction: FIND Mug\n</answer>", "FIND Mug"),
    "not before the answer": ("Action: OPEN Cabinet\n<answer>FIND Mug</answer>", ""),
    "markup": ("**Action:** FIND Mug", ""),
    "lower case": ("action: find mug", ""),
    "no object": ("Action: FIND", ""),
    "nothing": ("", ""),
}


@pytest.mark.parametrize(("text", "command"), ACTIONS.values(), ids=ACTIONS)
def test_the_house_reads_the_action_and_the_history_says_the_same(text: str, command: str) -> None:
    answer = read(text)
    assert done(answer) == command
    assert isinstance(answer.action, Text)
    form = converse(asgard_episode()).form
    assert said_action(answer.action.text, form) == command
    assert answer.understood == bool(command)


@pytest.mark.parametrize("text", ["Action: JUMP Mug", "Action: FIND Unicorn"])
def test_what_the_house_refuses_stands_in_the_history_as_it_was_said(text: str) -> None:
    answer = read(text)
    assert done(answer) == ""
    assert said_action(text, converse(asgard_episode()).form) == text.removeprefix("Action: ")


def test_a_refusal_is_sent_as_it_is() -> None:
    answer = read("I will not.", finish=Finish.REFUSED)
    assert answer.action == Text("I will not.")
    assert not answer.understood


JSON = {
    "as asked": '{"thought": "t", "plan": ["FIND Mug"], "memory": "m",'
    ' "action": {"skill": "FIND", "arguments": {"object": "Mug"}}}',
    "fenced": '```json\n{"plan": ["FIND Mug"], "memory": "m",'
    ' "action": {"skill": "find", "arguments": {"object": "mug"}}}\n```',
    "a line": "{'plan': ['FIND Mug'], 'memory': 'm', 'action': 'FIND Mug'}",
}


@pytest.mark.parametrize("text", JSON.values(), ids=JSON)
def test_json(text: str) -> None:
    answer = read(text, answer="json")
    assert done(answer) == "FIND Mug"
    assert (answer.plan, answer.memory) == ("FIND Mug", "m")


def test_text_where_json_was_asked_for_is_read_all_the_same() -> None:
    assert done(read("Hm.\nAction: FIND Mug", answer="json")) == "FIND Mug"
    assert done(read("<answer>\nAction: FIND Mug\n</answer>", answer="json")) == "FIND Mug"
