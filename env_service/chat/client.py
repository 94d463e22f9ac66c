"""A model behind an OpenAI-compatible server, for tools that write or judge texts."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Protocol

from houseguest_model_client.client import ChatClient
from houseguest_model_client.completion import CallUsage, Finish
from houseguest_model_client.config import EndpointConfig
from houseguest_model_client.errors import (
    ContextOverflowError,
    ModelError,
    RefusedError,
    UnreachableError,
)
from houseguest_model_client.messages import Message, Picture, Role
from houseguest_model_client.transport import Caller, ClientError, Say

from env_service.chat.completion import Usage

__all__ = [
    "Asks",
    "ChatModel",
    "Message",
    "ModelError",
    "Picture",
    "RefusedError",
    "Role",
    "UnreachableError",
]

SAY_AGAIN = 30.0
"""Seconds between two lines about waits: parallel requests wait for the same server."""


class Asks(Protocol):
    """A model that answers: `ChatModel`, or a substitute."""

    def ask(self, messages: Sequence[Message]) -> str:
        """The reply. Raises ModelError."""


class ChatModel:
    """Asks one question at a time for one text, and counts the usage. Safe to use from several
    threads."""

    def __init__(self, config: EndpointConfig, say: Say) -> None:
        """Opens no connection yet. ``say`` gets a line for each wait and each adaptation.

        Raises:
            RefusedError: The environment names a proxy or certificates that cannot be used.
        """
        self.config, self._say = config, say
        caller = Caller(
            say,
            notify=self._say_waiting,
            name="Houseguest",
            blind_advice="Choose a vision model, or ask without pictures.",
        )
        try:
            # The caller explains what was wrong with an empty reply, and asks again: see `asking`.
            self._client = ChatClient(config, caller, empty_replies=0)
        except ClientError as error:
            raise RefusedError(str(error)) from error
        self._usage = Usage()
        self._lock = threading.Lock()
        self._said_cut = False
        self._said_waiting = float("-inf")

    @property
    def usage(self) -> Usage:
        """The usage of all replies so far."""
        return self._usage

    def ask(self, messages: Sequence[Message]) -> str:
        """The model's reply, unchanged; empty if the model says nothing, or declines.

        Raises:
            UnreachableError: The server does not reply within the patience.
            RefusedError: It refuses the request.
        """
        try:
            completion = self._client.complete(messages)
        except ContextOverflowError as error:
            self._count(error.usage)
            raise RefusedError(
                f"{error}. Give the server a longer context, or ask for less at once (--batch)"
            ) from error
        except ModelError as error:
            self._count(error.usage)
            raise
        self._count(completion.usage)
        if completion.finish is Finish.LENGTH:
            self._say_cut()
        return completion.text

    def models(self) -> list[str]:
        """The names of the models that the server lists; may be empty."""
        return self._client.models()

    def _count(self, calls: Sequence[CallUsage]) -> None:
        with self._lock:
            for call in calls:
                told = int(call.reported)
                self._usage += Usage(1, call.input_tokens, call.output_tokens, reported=told)

    def _say_cut(self) -> None:
        with self._lock:
            said, self._said_cut = self._said_cut, True
        if not said:
            bound = self._client.parameters.reply_tokens or "the most"
            self._say(
                f"  a reply was cut at {bound} tokens: --reply-tokens gives the model more, or a"
                " smaller --batch less to say"
            )

    def _say_waiting(self, line: str) -> None:
        now = time.monotonic()
        with self._lock:
            due = now - self._said_waiting >= SAY_AGAIN
            self._said_waiting = now if due else self._said_waiting
        if due:
            self._say(f"  {line} Ctrl-C stops waiting.")
