"""Asks a model until its reply is usable: asks, reads, explains what was wrong, asks again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from env_service.chat.client import Message

Ask = Callable[[Sequence[Message]], str]
"""A model: from messages, oldest first, to its reply. Raises ModelError."""

T = TypeVar("T")


class ReplyError(ValueError):
    """A reply is unusable. The message suits both the model and a person."""


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """The result of asking.

    Attributes:
        value: The content of the last reply; None if no reply was usable.
        problem: Why the last reply was unusable; empty if it was usable.
        requests: How often the model was asked.
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
        opening: The first request.
        read: Parses a reply. Raises ReplyError for one that is unusable.
        again: Builds the next request from a reply and from what was wrong with it.

    Passes on all other exceptions of ``ask`` and ``read``.
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
    """The opening again, with the unusable reply and ``words`` that say why it is unusable."""
    # Some servers reject empty messages.
    return [*opening, Message.assistant(reply.strip() or "(nothing)"), Message.user(words)]
