"""The dialogue with a player, as the package `ai2thor` wants a server to be.

It takes the place of the package's FIFO server, whose waits do not end (spec: ai2thor.md section
4.2). Imports the package.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ai2thor.server import Event, NumpyAwareEncoder, Server

from env_service.worlds.ai2thor import messages
from env_service.worlds.ai2thor.messages import END, HEADER, Answer
from env_service.worlds.ai2thor.pipes import Attempt, NonsenseError, TransportError
from env_service.worlds.ai2thor.player import Player

ACTION = 2
_END = HEADER.pack(END, 0)

PASSING = frozenset({"", "ChangeQuality", "ChangeResolution", "GetScenesInBuild", "Reset"})
"""What goes before Initialize, "" being the player's first message: a picture that is not there,
or has still another size, is no matter then."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the controller, under one deadline for all its messages.

    ``name`` is that of its deadline: start, reset or step. ``until`` is by time.monotonic.
    """

    name: str
    seconds: float
    until: float


class PlayerServer(Server):  # type: ignore[misc]  # the package has no types
    """One player's dialogue."""

    server_type = "FIFO"

    def __init__(self, player: Player, **parameters: Any) -> None:
        """``parameters``: those of the package's Server."""
        super().__init__(timeout=None, **parameters)
        self.sequence_id: int = 0
        self._player = player
        self._before: Answer | None = None
        self._draws = True
        self.call: Call | None = None
        self._action: Mapping[str, Any] = {}
        self.owed = True
        """Whether the player owes an answer: what breaks off then cannot be resumed."""

    @contextmanager
    def under(self, name: str, seconds: float) -> Iterator[None]:
        """A call with its deadline. Calls within calls are part of the outermost."""
        if self.call is not None:
            yield
            return
        self.call = Call(name, seconds, time.monotonic() + seconds)
        try:
            yield
        finally:
            self.call = None

    @property
    def pictures(self) -> object:
        """The same object as long as the pictures are the same."""
        return None if self._before is None else self._before.files

    def start(self) -> None:
        """The pipes are there already."""
        self.started = True

    def stop(self) -> None:
        """Stops the player; a second call does nothing."""
        self._player.stop()
        self._before = None

    def unity_params(self) -> dict[str, str]:
        """What the player is told of its pipes."""
        pipes = self._player.pipes
        return {
            "fifo_server_pipe_path": str(pipes.from_player),
            "fifo_client_pipe_path": str(pipes.to_player),
        }

    def send(self, action: dict[str, Any]) -> None:
        """Sends an action.

        Raises:
            ValueError: it cannot be written as JSON; nothing was sent.
            TransportError: the player does not take it.
        """
        sequence = action.get("sequenceId", self.sequence_id + 1)
        try:
            text = json.dumps({**action, "sequenceId": sequence}, cls=NumpyAwareEncoder)
        except (TypeError, ValueError, RecursionError) as error:
            name = action.get("action")
            raise ValueError(f"action {name!r} cannot be written as JSON: {error}") from error
        body = text.encode()
        self._action, self.sequence_id, self.owed = action, sequence, True
        message = HEADER.pack(ACTION, len(body)) + body + _END
        with self._telling() as until:
            self._player.pipes.write(memoryview(message), until=until)

    def receive(self, timeout: float | None = None) -> Any:  # noqa: ARG002 - the package's
        """The player's answer as the package's event; the deadline is the call's.

        Raises:
            TransportError: there is none, or it is none.
        """
        with self._telling() as until:
            shown = self._name() not in PASSING
            pipes, before = self._player.pipes, self._before
            answer = messages.read(pipes, before, self.sequence_id, until, shown=shown)
            self._before = answer
            if shown:
                self._check_picture(answer)
            event = self._event(answer)
        self.owed = False
        if self._player.process is not None:
            self._player.process.trim_log()
        return event

    def _event(self, answer: Answer) -> Any:
        try:
            event = self.create_event(answer.metadata, answer.files)
        except Exception as error:
            raise NonsenseError(f"what ai2thor cannot read: {error!r}") from error
        if isinstance(event, Event):
            event.events = []  # itself: a circle keeps all its pictures until somebody collects
        return event

    def _check_picture(self, answer: Answer) -> None:
        wanted = self._action.get("renderImage", True)
        if self._name() == "Initialize":
            self._draws = wanted
        if wanted and self._draws and not answer.patched and "image" not in answer.files:
            raise NonsenseError("an answer without a picture")

    def _name(self) -> str:
        """What was asked for, "" before anything was."""
        return str(self._action.get("action", ""))

    @contextmanager
    def _telling(self) -> Iterator[float]:
        """Gives the deadline; what breaks off inside tells what it was about."""
        if self.call is None:
            raise RuntimeError("a message outside of any call")
        try:
            yield self.call.until
        except TransportError as error:
            error.during = Attempt(self.call.name, self.call.seconds, self._action)
            raise
