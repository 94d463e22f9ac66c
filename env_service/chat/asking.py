"""Asks a model until its reply can be used: ask, read, say what was wrong, ask again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from env_service.chat.client import Message

Ask = Callable[[Sequence[Message]], str]
"""A model: messages, oldest first, to its reply. Raises ModelError."""

T = TypeVar("T")


class ReplyError(ValueError):
    """A reply is not what was asked for. The message suits both the model and a person."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """What came of asking.

    Attributes:
        value: what the last reply says; None where no reply could be used.
        problem: why the last reply could not be used; empty where it could.
        requests: how often the model was asked.
    """

    value: T | None
    problem: str
    requests: int


def ask_until_read(
    ask: Ask,
    opening: Sequence[Message],
    read: Callable[[str], T],
    again: Callable[[str, str], Sequence[Message]],
    tries: int,
) -> Reading[T]:
    """Asks up to ``tries`` times, until ``read`` accepts a reply.

    Args:
        opening: the first request.
        read: takes a reply apart. Raises ReplyError for one that cannot be used.
        again: builds the next request from a reply and from what was wrong with it.

    Whatever else ``ask`` and ``read`` raise is passed on.
    """
    messages, problem = opening, "the model was not asked"
    for number in range(1, tries + 1):
        reply = ask(messages)
        try:
            return Reading(read(reply), "", number)
        except ReplyError as error:
            problem = str(error)
        if number < tries:
            messages = again(reply, problem)
    return Reading(None, problem, tries)


def follow_up(opening: Sequence[Message], reply: str, words: str) -> list[Message]:
    """The opening again, with the reply that could not be used and ``words`` that say why."""
    # Some servers take no empty message.
    return [*opening, Message.assistant(reply.strip() or "(nothing)"), Message.user(words)]
