"""The one question that an agent may ask."""

from __future__ import annotations

import pytest

from env_service.domain.action import Plan, SkillCall, Text
from env_service.suites.alfred.wording import ClarifyingQuestion

QUESTION = SkillCall("ask", (("question", "Where to?"),))


@pytest.mark.parametrize(
    "action", [QUESTION, Text("Ask: where to?"), Text("ask(where)"), Plan((QUESTION,))]
)
def test_a_question_is_answered_once(action) -> None:  # type: ignore[no-untyped-def]
    question = ClarifyingQuestion(allowed=True, answer="On the table.")
    assert question.answer(action) == "On the table."
    assert question.asked
    assert question.answer(action) is None
    assert question.extra_turns == 1


@pytest.mark.parametrize(
    "action",
    [Text("find an apple"), SkillCall("find"), Plan((QUESTION, SkillCall("done"))), Text("task")],
)
def test_anything_else_is_no_question(action) -> None:  # type: ignore[no-untyped-def]
    assert ClarifyingQuestion(allowed=True, answer="yes").answer(action) is None


def test_it_is_too_late_once_the_robot_has_begun() -> None:
    question = ClarifyingQuestion(allowed=True, answer="yes")
    question.forgo()
    assert question.answer(QUESTION) is None
    assert not question.asked


def test_where_nothing_was_left_out_there_is_nothing_to_ask() -> None:
    question = ClarifyingQuestion(allowed=False, answer="")
    assert question.answer(QUESTION) is None
    assert question.extra_turns == 0
