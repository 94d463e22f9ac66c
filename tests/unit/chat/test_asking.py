"""Asking a model until its reply can be used."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from env_service.chat.asking import Reading, ReplyError, ask_until_read, follow_up
from env_service.chat.client import Message

OPENING = [Message.system("Count."), Message.user("How many?")]


class Script:
    """Says these things, one after the other, and remembers what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = list(replies), list[Sequence[Message]]()

    def __call__(self, messages: Sequence[Message]) -> str:
        self.asked.append(messages)
        return self.replies[len(self.asked) - 1]


def number(reply: str) -> int:
    """A whole number."""
    if not reply.isdigit():
        raise ReplyError(f"{reply!r} is no number")
    return int(reply)


def asked(script: Script, tries: int = 3) -> Reading[int]:
    """What comes of asking for a number."""
    return ask_until_read(
        script, OPENING, number, lambda reply, why: follow_up(OPENING, reply, why), tries
    )


def test_a_reply_that_can_be_used_takes_one_request() -> None:
    script = Script("4")
    assert asked(script) == Reading(4, "", 1)
    assert script.asked == [OPENING]


def test_the_model_is_told_what_was_wrong_with_its_last_reply() -> None:
    script = Script("four", "some", "4")
    assert asked(script) == Reading(4, "", 3)
    assert script.asked[2] == [
        *OPENING,
        Message.assistant("some"),
        Message.user("'some' is no number"),
    ]


def test_the_last_problem_is_kept_where_no_reply_can_be_used() -> None:
    assert asked(Script("one", "two"), tries=2) == Reading(None, "'two' is no number", 2)
    assert asked(Script(), tries=0) == Reading(None, "the model was not asked", 0)


def test_an_empty_reply_is_not_sent_back_empty() -> None:
    assert follow_up(OPENING, " \n", "Again.")[2].text == "(nothing)"


def test_what_the_model_raises_is_passed_on() -> None:
    with pytest.raises(IndexError):
        asked(Script())
