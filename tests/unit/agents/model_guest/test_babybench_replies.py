"""Replies to LLM-BabyBench's questions: the house is given the model's own words."""

from __future__ import annotations

import pytest
from houseguest_agent import Text
from model_guest.answers.reader import Answer, AnswerReader
from model_guest.model import Reply

from tests.unit.agents.model_guest.babybench_episodes import converse, question_episode

STATE = "The agent's final state is: ((3, 4), 1)"
PLAN = "So:\n**The LLM's action sequence is:** left, forward"
SUBGOALS = "First the door.\n<START>\n(GoNextToSubgoal, (3,4))\n(OpenSubgoal)\n<END>"


def read(text: str, question: str = "predict") -> Answer:
    playing = question_episode(question)
    return AnswerReader(playing.action_space, playing.mode, converse(playing).form).read(
        Reply(text)
    )


@pytest.mark.parametrize("text", [STATE, PLAN, SUBGOALS])
def test_the_whole_reply_is_the_answer(text: str) -> None:
    answer = read(text)
    assert answer.action == Text(text)
    assert answer.understood
    assert not answer.repairs


def test_what_was_thought_aloud_is_no_part_of_it() -> None:
    answer = read(f"<think>The agent's final state is: ((9, 9), 0)?</think>\n{STATE}")
    assert answer.action == Text(STATE)
    assert answer.thought == "The agent's final state is: ((9, 9), 0)?"


@pytest.mark.parametrize(
    "text", ["It ends up in the kitchen.", "The agent's final state is:", "<START>\n<END>"]
)
def test_a_reply_without_an_answer_goes_to_the_house_as_it_is(text: str) -> None:
    answer = read(text)
    assert answer.action == Text(text)
    assert not answer.understood
