"""What a person may type for an action."""

from __future__ import annotations

import pytest
from houseguest.agent.v1.action_pb2 import ActionSpace as Message
from houseguest.agent.v1.action_pb2 import Parameter as ParameterMessage
from houseguest.agent.v1.action_pb2 import Skill as SkillMessage
from houseguest_agent import ActionSpace, Parameter, SkillCall

from agents.human.human_guest.terminal.prompt import TypingError, is_skill, read_call
from tests.support.human_seat import SKILLS

SPACE = ActionSpace.from_proto(Message(skills=SKILLS))

PHRASES = ActionSpace.from_proto(
    Message(
        skills=[
            SkillMessage(name=name, parameters=[ParameterMessage(name="object", choices=choices)])
            for name, choices in (
                ("turn on", ["the desk lamp", "the faucet"]),
                ("turn off", ["the desk lamp", "the faucet"]),
                ("find", ["a desk", "a desk lamp", "an apple"]),
            )
        ]
    )
)
"""Skills and choices of several words."""


def call(line: str, *answers: str, space: ActionSpace = SPACE) -> SkillCall:
    said = iter(answers)

    def ask(parameter: Parameter) -> str:
        return next(said)

    return read_call(line, space, ask)


def put(what: str, where: str) -> SkillCall:
    return SkillCall("PUT", {"object": what, "where": where})


@pytest.mark.parametrize("line", ["1", "forward", "FORWARD", "fo", "  forward "])
def test_a_skill_goes_by_number_name_or_beginning(line: str) -> None:
    assert call(line) == SkillCall("forward")


@pytest.mark.parametrize(
    "line", ["2 1 sink", "PUT Mug sink", "put mug sink", "put m sink", 'put "mug" sink']
)
def test_choices_go_by_number_name_or_beginning(line: str) -> None:
    assert call(line) == put("Mug", "sink")


def test_a_whole_name_is_meant_before_a_longer_one() -> None:
    assert call("put bread sink") == put("Bread", "sink")


def test_free_text_takes_the_rest_of_the_line() -> None:
    assert call("put mug into the sink") == put("Mug", "into the sink")
    assert call("put mug the cat's bowl") == put("Mug", "the cat's bowl")


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("turn on the desk lamp", SkillCall("turn on", {"object": "the desk lamp"})),
        ("Turn off desk lamp", SkillCall("turn off", {"object": "the desk lamp"})),
        ("turn on a faucet", SkillCall("turn on", {"object": "the faucet"})),
        ("find an apple", SkillCall("find", {"object": "an apple"})),
        ("find desk", SkillCall("find", {"object": "a desk"})),
        ("find the desk l", SkillCall("find", {"object": "a desk lamp"})),
        ("f apple", SkillCall("find", {"object": "an apple"})),
    ],
)
def test_names_and_choices_of_several_words_are_typed_as_they_are_read(
    line: str, meant: SkillCall
) -> None:
    assert call(line, space=PHRASES) == meant


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("turn the desk lamp", "could be turn on, turn off"),
        ("find a pear", "Unknown object 'a pear'"),
    ],
)
def test_what_may_be_several_skills_or_no_choice_is_explained(line: str, told: str) -> None:
    with pytest.raises(TypingError, match=told):
        call(line, space=PHRASES)


def test_what_is_missing_is_asked_for() -> None:
    assert call("put", "3", "the sink") == put("BreadSliced", "the sink")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("3", "from 1 to 2"),
        ("jump", "Choose from: forward, PUT"),
        ("put br sink", "could be Bread, BreadSliced"),
        ("put cup sink", "Unknown object 'cup'"),
        ("forward now", "too much: the action takes no arguments"),
        ('""', "no action was typed"),
    ],
)
def test_what_cannot_be_meant_is_explained(line: str, told: str) -> None:
    with pytest.raises(TypingError, match=told):
        call(line)


def test_an_empty_argument_does_nothing() -> None:
    with pytest.raises(TypingError, match="object is missing"):
        call("put", " ")


def test_only_a_whole_name_hides_a_command() -> None:
    assert is_skill("Forward please", SPACE)
    assert not is_skill("f", SPACE)
    assert is_skill("turn on", PHRASES)
    assert not is_skill("turn", PHRASES)
