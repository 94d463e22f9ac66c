"""No reply breaks the reader, or makes it slow, or makes it invent something."""

from __future__ import annotations

import pytest
from houseguest_agent import Mode, SkillCall, Text
from hypothesis import given, settings
from hypothesis import strategies as st
from model_guest.answers.reader import AnswerForm, AnswerReader, Form, Section
from model_guest.model import Finish, Reply

from tests.unit.agents.model_guest.episodes import SKILLS, space

_PIECES = [
    *"{}[]\"'“”‘’`,:()\\/ \n",
    *("<think>", "</think>", "```json", "Action:", '"skill"', '"action"', "arguments", "pickup"),
    *("forward", "mug", "null", "None", "1.5", "//", "\\u12", "<|channel|>final<|message|>", "é"),
]
_texts = st.one_of(
    st.text(max_size=200), st.lists(st.sampled_from(_PIECES), max_size=40).map("".join)
)
_FORMS = [
    AnswerForm(Form.JSON, ("thought", "plan", "memory"), endings=("done",)),
    AnswerForm(Form.CALL, ("plan",), marker="Action:", sections={"plan": Section("plan", ("x",))}),
    AnswerForm(Form.WORDS),
]


@settings(max_examples=400, deadline=None)
@given(
    _texts,
    st.sampled_from(_FORMS),
    st.sampled_from([Mode.STEPWISE, Mode.PLAN, Mode.ANSWER]),
    st.sampled_from(list(Finish)),
)
def test_any_reply_is_read(text: str, form: AnswerForm, mode: Mode, finish: Finish) -> None:
    answer = AnswerReader(space(), mode, form).read(Reply(text, finish=finish))
    if isinstance(answer.action, SkillCall):
        known = {skill.name for skill in SKILLS}
        # A name that is not on offer can only be the model's own.
        assert answer.action.name in known or answer.action.name.strip() in text
    if isinstance(answer.action, Text) and form.form is Form.JSON and not answer.understood:
        # Thoughts are taken out of the middle, too: what is left stands there in the same order.
        letters = iter(text)
        assert all(letter in letters for letter in answer.action.text)


_HARD = 20_000


@pytest.mark.parametrize(
    "text",
    [
        "{" * _HARD,
        "[" * _HARD,
        '{"a":' * _HARD,
        '{"' * _HARD,
        "{'a':'" * _HARD,
        "<think>" * _HARD,
        "</think>" * _HARD,
        "<|channel|>" * _HARD,
        "pickup(" * _HARD,
        "forward " * _HARD,
        "forward\n" * _HARD,
        " " * _HARD + "(",
        '{"action": "' + "a " * _HARD + '"}',
        '{"action": "pickup(' + "a=" * _HARD + ')"}',
        "//" * _HARD + "{",
        '{"skill": "forward"}' * (_HARD // 20),
        "1" * _HARD,
        "[" + "1" * _HARD + "]",
    ],
)
def test_nothing_takes_long(text: str) -> None:
    # Read in anything but linear time, any of these would keep the test busy for minutes.
    # Forms that look for JSON do so in every mode.
    for form, mode in zip(_FORMS, (Mode.STEPWISE, Mode.PLAN, Mode.STEPWISE), strict=True):
        assert AnswerReader(space(), mode, form).read(Reply(text)) is not None
