"""What a person may type for an action."""

from __future__ import annotations

import pytest
from houseguest.agent.v1.action_pb2 import ActionSpace as Message
from houseguest_agent import ActionSpace, Parameter, SkillCall

from agents.human.human_guest.terminal.parsing import TypingError, is_skill, read_call
from tests.support.human_seat import SKILLS

SPACE = ActionSpace.from_proto(Message(skills=SKILLS))


def call(line: str, *answers: str) -> SkillCall:
    said = iter(answers)

    def ask(parameter: Parameter) -> str:
        return next(said)

    return read_call(line, SPACE, ask)


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


def test_what_is_missing_is_asked_for() -> None:
    assert call("put", "3", "the sink") == put("BreadSliced", "the sink")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("3", "from 1 to 2"),
        ("jump", "There are: forward, PUT"),
        ("put br sink", "could be Bread, BreadSliced"),
        ("put cup sink", "no object 'cup'"),
        ("forward now", "too much"),
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
