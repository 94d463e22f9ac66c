"""What is read out of the many shapes that models give an action."""

from __future__ import annotations

import json
from typing import Any

import pytest
from houseguest_agent import EndReason, Mode, Plan, SkillCall, Text
from model_guest.answers.reader import Answer, AnswerForm, AnswerReader, Form, Section
from model_guest.model import Finish, Reply

from tests.unit.agents.model_guest.episodes import space

FORWARD = SkillCall("forward")
MUG = SkillCall("pickup", {"object": "mug"})
JSON = AnswerForm(Form.JSON, ("thought", "plan", "memory"))


def read(
    text: str,
    mode: Mode = Mode.STEPWISE,
    form: AnswerForm = JSON,
    reasoning: str = "",
    finish: Finish = Finish.STOP,
) -> Answer:
    return AnswerReader(space(), mode, form).read(Reply(text, reasoning, finish))


CLEAN = '{"thought": "go", "action": {"skill": "forward"}}'


@pytest.mark.parametrize(
    ("text", "repairs"),
    [
        (CLEAN, {}),
        (f"```json\n{CLEAN}\n```", {"text_around": 1}),
        (f"Here you are:\n{CLEAN}\nGood luck!", {"text_around": 1}),
        (f"<think>left? no.</think>{CLEAN}", {"thinking_tags": 1}),
        (f"left? no.</think>\n{CLEAN}", {"thinking_tags": 1}),
        (f"◁think▷hm◁/think▷{CLEAN}", {"thinking_tags": 1}),
        (f"[THINK]hm[/THINK]{CLEAN}", {"thinking_tags": 1}),
        (
            "<|channel|>analysis<|message|>hm<|end|><|start|>assistant"
            f"<|channel|>final<|message|>{CLEAN}<|return|>",
            {"thinking_tags": 1},
        ),
        ('{"action": {"skill": "forward",},}', {"trailing_comma": 2}),
        ("{'action': {'skill': 'forward'}}", {"quotes": 3}),
        ("{“action”: {“skill”: “forward”}}", {"quotes": 3}),
        ('{"action": {"skill": "forward", "arguments": None}}', {"literal": 1}),
        ('{action: {skill: "forward"}}', {"bare_key": 2}),
        ('{"action": {"skill": "forward"}', {"unclosed": 1}),
        ('{"thought": "a\nb", "action": {"skill": "forward"}}', {"control_character": 1}),
        ('{"action": {"skill": "Forward"}}', {"skill_name": 1}),
        ('{"skill": "forward"}', {}),
        ('{"name": "forward", "arguments": {}}', {"shape": 1}),
        ('{"action": "forward"}', {"shape": 1}),
        ('{"action": [{"skill": "forward"}]}', {"list": 1}),
        ('<tool_call>{"name": "forward", "arguments": {}}</tool_call>', {"shape": 1}),
        ("forward", {"not_json": 1}),
        ("**Forward.**", {"not_json": 1, "line": 1}),
        ("I see a wall.\nAction: forward", {"not_json": 1, "line": 1}),
    ],
)
def test_forward(text: str, repairs: dict[str, int]) -> None:
    answer = read(text)
    assert answer.action == FORWARD
    assert answer.understood
    found = dict(answer.repairs)
    assert {name: found.get(name) for name in repairs} == repairs
    assert bool(found) == bool(repairs)


@pytest.mark.parametrize(
    "text",
    [
        '{"action": {"skill": "pickup", "arguments": {"object": "mug"}}}',
        '{"action": {"skill": "pickup", "arguments": {"Object": "Mug"}}}',
        '{"action": {"skill": "Pick_Up", "arguments": ["mug"]}}',
        '{"action": {"skill": "pickup", "object": "mug"}}',
        '{"action": "pickup", "object": "mug"}',
        '{"action": "pickup(mug)"}',
        '{"action": "pickup(object=\'mug\')"}',
        '{"action": {"pickup": {"object": "mug"}}}',
        '{"name": "pickup", "arguments": "{\\"object\\": \\"mug\\"}"}',
        '{"function": {"name": "pickup", "arguments": {"object": "mug"}}}',
        '{"type": "function", "function": {"name": "pickup", "arguments": {"object": "mug"}}}',
        '{"tool": "pickup", "tool_input": {"object": "mug"}}',
        "pickup(mug)",
        "`pickup(object=mug)`",
        "Action: pickup mug",
        "1. pickup: mug",
        'pickup("mug").',
    ],
)
def test_pickup(text: str) -> None:
    assert read(text).action == MUG


def test_several_objects_the_last_that_is_on_offer_counts() -> None:
    text = '{"action": {"skill": "left"}} no, rather {"action": {"skill": "forward"}} {"a": 1}'
    answer = read(text)
    assert answer.action == FORWARD
    assert answer.repairs["several_values"] == 1
    text = '{"action": {"skill": "forward"}} or {"action": {"skill": "fly"}}'
    assert read(text).action == FORWARD


def test_a_skill_that_is_not_on_offer_goes_to_the_house_as_it_is() -> None:
    answer = read('{"action": {"skill": "fly", "arguments": {"height": 3}}}')
    assert answer.action == SkillCall("fly", {"height": "3"})
    assert answer.understood


@pytest.mark.parametrize(
    "text",
    [
        "I would like to go forward now.",
        "",
        "{}",
        "[]",
        '{"thought": "go forward"}',
        "forward or left",
        "pickup the sofa",
        '{"action": {"skill": ',
        "<think>forward",
        '"',
    ],
)
def test_what_cannot_be_read_goes_as_words(text: str) -> None:
    answer = read(text, finish=Finish.LENGTH if "think" in text else Finish.STOP)
    assert answer.action == Text(text)
    assert not answer.understood


def test_an_answer_inside_thinking_that_was_never_closed_counts_when_the_model_was_done() -> None:
    answer = read(f"<think>so {CLEAN}")
    assert answer.action == FORWARD
    assert answer.repairs["unclosed_thinking"] == 1
    assert isinstance(read(f"<think>so {CLEAN}", finish=Finish.LENGTH).action, Text)


def test_a_draft_in_the_thinking_does_not_count() -> None:
    answer = read('<think>{"action": {"skill": "left"}}</think>' + CLEAN)
    assert answer.action == FORWARD
    assert answer.thought == "go"


def test_a_refusal_is_the_models_answer() -> None:
    answer = read("I cannot help with that.", finish=Finish.REFUSED)
    assert answer.action == Text("I cannot help with that.")
    assert answer.repairs == {"refusal": 1}


def test_fields_are_carried() -> None:
    reply = {"Thought": "t", "plan": ["a", "b"], "memory": "m", "action": {"skill": "left"}}
    answer = read(json.dumps(reply))
    assert (answer.thought, answer.plan, answer.memory) == ("t", "a\nb", "m")
    assert answer.plan_length == 2


def test_reasoning_told_apart_is_the_thought_where_there_is_no_other() -> None:
    assert read('{"skill": "left"}', reasoning="because").thought == "because"


@pytest.mark.parametrize(
    "value",
    [
        {"steps": [{"skill": "forward"}, {"skill": "pickup", "arguments": {"object": "mug"}}]},
        {"plan": ["forward", "pickup(mug)"]},
        [{"name": "forward"}, {"name": "pickup", "arguments": {"object": "mug"}}],
    ],
)
def test_plans(value: Any) -> None:
    assert read(json.dumps(value), Mode.PLAN).action == Plan((FORWARD, MUG))


def test_a_plan_with_a_step_that_cannot_be_read_goes_as_words() -> None:
    text = '{"steps": ["forward", "somehow get there"]}'
    assert read(text, Mode.PLAN).action == Text(text)


def test_plans_in_lines() -> None:
    form = AnswerForm(Form.CALL, marker="Plan:")
    text = "I think.\nPlan:\n1. forward\n2. pickup(mug)\n"
    assert read(text, Mode.PLAN, form).action == Plan((FORWARD, MUG))


def test_words_go_without_the_thinking() -> None:
    form = AnswerForm(Form.WORDS, ("plan",), sections={"plan": Section("PLAN", ("Action:",))})
    text = "<think>Action: X</think>PLAN:\n1. a\n2. b\nAction: FIND Mug"
    answer = read(text, form=form)
    assert answer.action == Text("PLAN:\n1. a\n2. b\nAction: FIND Mug")
    assert answer.plan == "1. a\n2. b"


def test_answers_in_json() -> None:
    assert read('{"answer": "42"}', Mode.ANSWER).action == Text("42")
    assert read('{"answer": [1, 2]}', Mode.ANSWER).action == Text("[1, 2]")


def test_endings_only_where_they_are_offered() -> None:
    offered = AnswerForm(Form.JSON, (), endings=("done", "give_up"))
    assert read('{"skill": "done"}', form=offered).action is EndReason.AGENT_DONE
    assert read("give up", form=offered).action is EndReason.AGENT_GAVE_UP
    assert read('{"skill": "done"}').action == SkillCall("done")


def test_candidates_are_read_as_they_are() -> None:
    reader = AnswerReader(space(), Mode.STEPWISE, JSON, {"go!": FORWARD})
    assert reader.read(Reply("go!")).action == FORWARD


@pytest.mark.parametrize(
    ("text", "finish"),
    [
        ('{"thought": "I go", "plan": ["forward"], "action": {"ski', Finish.LENGTH),
        ('{"thought": "He said "stop", "plan": ["forward"], "action": "left"}', Finish.STOP),
        ('The only way is ["forward"], and I refuse.', Finish.STOP),
        ('[{"name": "forward"}, {"name": "left"}]', Finish.STOP),
    ],
)
def test_a_plan_is_never_taken_for_the_action(text: str, finish: Finish) -> None:
    answer = read(text, finish=finish)
    assert (answer.action, answer.understood) == (Text(text), False)


@pytest.mark.parametrize(
    ("written", "means"), [(r"\ud83d\ude00", "😀"), (r"\ud800", "\ufffd"), (r"\ude00x", "\ufffdx")]
)
@pytest.mark.parametrize("quote", ['"', "'"])
def test_half_characters_are_mended(written: str, means: str, quote: str) -> None:
    text = '{"skill": "pickup", "arguments": {"object": "HERE"}}'.replace("HERE", written)
    assert read(text.replace('"', quote)).action == SkillCall("pickup", {"object": means})
