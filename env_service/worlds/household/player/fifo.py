"""AI2-THOR's FIFO protocol, the player's side (spec: ai2thor.md section 3.1).

Two named pipes. A message is a row of fields, each a header of one type byte and a big-endian
32-bit length, then the body; it ends with the type END and the length 0. The player speaks
first, then both take turns.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import struct
import time
from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import Any

HEADER = struct.Struct("!BI")
PIPE_SIZE = 1 << 20
"""Bytes that a pipe may hold; Linux's default of 64 KiB costs a switch of process per chunk."""
OPEN_PAUSE = 0.005
"""Seconds between two looks for the controller at the other end."""


class Field(IntEnum):
    """The types of fields, by their byte."""

    METADATA = 1
    ACTION = 2
    COLOR = 4
    DEPTH = 5
    NORMALS = 6
    CLASSES = 8
    INSTANCES = 9
    THIRD_PARTY_COLOR = 10
    METADATA_PATCH = 11
    THIRD_PARTY_DEPTH = 12
    THIRD_PARTY_NORMALS = 13
    THIRD_PARTY_INSTANCES = 14
    THIRD_PARTY_CLASSES = 15
    END = 255


class ControllerGoneError(Exception):
    """The other end closed its pipe: there is nobody to play for."""


class ProtocolError(Exception):
    """What came is no message of the protocol."""


def encode(fields: Iterable[tuple[Field, bytes]]) -> list[bytes]:
    """A message as pieces to write one after the other."""
    pieces: list[bytes] = []
    for kind, body in fields:
        pieces += (HEADER.pack(kind, len(body)), body)
    return [*pieces, HEADER.pack(Field.END, 0)]


class Pipes:
    """Both pipes, opened when they are first used, in the order that the controller expects."""

    def __init__(self, to_controller: str, from_controller: str) -> None:
        self._to_path, self._from_path = to_controller, from_controller
        self._to: int | None = None
        self._from: int | None = None

    def send(self, pieces: Iterable[bytes]) -> None:
        """Writes the pieces of a message, all of them.

        Raises:
            ControllerGoneError: nobody reads any more.
        """
        out = self.open_for_sending()
        for piece in pieces:
            view = memoryview(piece)
            while view:
                try:
                    view = view[os.write(out, view) :]
                except BrokenPipeError:
                    raise ControllerGoneError from None

    def open_for_sending(self) -> int:
        """The descriptor of the pipe to the controller; waits until somebody reads it."""
        while self._to is None:
            try:
                descriptor = os.open(self._to_path, os.O_WRONLY | os.O_NONBLOCK)
            except FileNotFoundError:
                raise ControllerGoneError from None
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                time.sleep(OPEN_PAUSE)
                continue
            os.set_blocking(descriptor, True)
            _widen(descriptor)
            self._to = descriptor
        return self._to

    def receive(self) -> Mapping[str, Any]:
        """The next action.

        Raises:
            ControllerGoneError: the controller closed its end.
            ProtocolError: something else than an action came.
        """
        if self._from is None:
            self._from = os.open(self._from_path, os.O_RDONLY)
            _widen(self._from)
        action: Mapping[str, Any] | None = None
        while True:
            kind, length = HEADER.unpack(self._read(self._from, HEADER.size))
            if kind == Field.END:
                break
            if kind != Field.ACTION:
                raise ProtocolError(f"a field of type {kind} where an action was expected")
            action = _action(self._read(self._from, length))
        if action is None:
            raise ProtocolError("a message without an action")
        return action

    def close(self) -> None:
        """Closes both pipes."""
        for descriptor in (self._to, self._from):
            if descriptor is not None:
                os.close(descriptor)
        self._to = self._from = None

    @staticmethod
    def _read(descriptor: int, count: int) -> bytes:
        chunks: list[bytes] = []
        while count:
            chunk = os.read(descriptor, count)
            if not chunk:
                raise ControllerGoneError
            chunks.append(chunk)
            count -= len(chunk)
        return b"".join(chunks)


def _action(body: bytes) -> Mapping[str, Any]:
    try:
        action = json.loads(body)
    except ValueError as error:
        raise ProtocolError(f"an action that is not JSON: {error}") from None
    if not isinstance(action, dict):
        raise ProtocolError(f"an action that is no mapping: {type(action).__name__}")
    return action


def _widen(descriptor: int) -> None:
    """Asks for a larger pipe; a kernel that refuses leaves it as it is."""
    request = getattr(fcntl, "F_SETPIPE_SZ", None)
    if request is not None:
        try:
            fcntl.fcntl(descriptor, request, PIPE_SIZE)
        except OSError:
            return
