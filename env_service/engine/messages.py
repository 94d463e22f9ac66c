"""What an engine and its worker say to each other.

Both ends run the same code of ours, so messages are pickles. Those of a text-only step are
plain tuples: pickling frozen dataclasses would cost more than all the rest of it.
"""

from __future__ import annotations

import pickle
import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from env_service.domain.action import Action, Plan, SkillCall, Text, Unreadable
from env_service.domain.episode import StepReport
from env_service.domain.observation import EncodedImage

CHUNK = 2**16
"""Bytes read at a time, into a buffer that is used again: a fresh one of this size or more
would cost more than all the rest of a text-only step."""

_LENGTH = struct.Struct("<I")


class Op(IntEnum):
    """What a worker is asked for. A request is (serial, op, episode key, payload)."""

    HELLO = 0
    """Answered with None once the suite is loaded."""
    BEGIN = 1
    """(EpisodeOrder, frame folder or None) → (FirstObservation, packed observation, digest)."""
    ACT = 2
    """Packed action → packed step."""
    FINISH = 3
    """FinishReason → EpisodeResult; frees the episode."""
    ABANDON = 4
    """Frees the episode; None. An unknown key is ignored."""
    BYE = 5
    """Frees every episode and exits; never answered."""


class Verdict(IntEnum):
    """How a request went. An answer is (serial, verdict, payload, worn).

    ``worn`` asks that the worker be replaced once its open episodes have ended.
    """

    OK = 0
    FAULT = 1
    """The payload is (FaultClass value, detail); the episode has been freed."""


def frame_message(message: object) -> bytes:
    """A message in its form on the socket: length (4 bytes, little-endian), pickle."""
    body = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


class Unframer:
    """Cuts a byte stream into messages."""

    def __init__(self) -> None:
        self._pending = bytearray()

    def feed(self, data: memoryview) -> Iterator[Any]:
        """The messages that ``data`` completes, in order. ``data`` is not kept."""
        if not self._pending and len(data) >= 4:
            (length,) = _LENGTH.unpack_from(data)
            if len(data) == 4 + length:
                yield pickle.loads(data[4:])  # noqa: S301 - written by our worker
                return
        self._pending += data
        while (message := self._cut()) is not None:
            yield pickle.loads(message)  # noqa: S301 - written by our worker

    def _cut(self) -> bytes | None:
        if len(self._pending) < 4:
            return None
        (length,) = _LENGTH.unpack_from(self._pending)
        if len(self._pending) < 4 + length:
            return None
        message = bytes(self._pending[4 : 4 + length])
        del self._pending[: 4 + length]
        return message


_SKILL, _TEXT, _PLAN, _UNREADABLE = range(4)

PackedAction = tuple[Any, ...]


def pack_action(action: Action) -> PackedAction:
    """An action as a plain tuple."""
    match action:
        case SkillCall(name, arguments):
            return (_SKILL, name, arguments)
        case Text(text):
            return (_TEXT, text)
        case Plan(steps):
            return (_PLAN, tuple((step.name, step.arguments) for step in steps))
        case Unreadable(problem, digest):
            return (_UNREADABLE, problem, digest)


def unpack_action(packed: PackedAction) -> Action:
    """The action behind ``pack_action``'s tuple."""
    kind, *rest = packed
    if kind == _SKILL:
        return SkillCall(*rest)
    if kind == _TEXT:
        return Text(*rest)
    if kind == _PLAN:
        return Plan(tuple(SkillCall(*step) for step in rest[0]))
    return Unreadable(*rest)


PlacedImage = tuple[EncodedImage, int, int]
"""An image without its data, and the offset and length of that data in the shared page.

An offset of ``SEEN`` means that the data is that of an image with the same digest and
encoding in the episode's previous observation.
"""

SEEN = -1

PackedObservation = tuple[str, tuple[PlacedImage, ...], int]
"""Text, images, and the size in bytes of the shared page that holds their data."""

PackedStep = tuple[tuple[tuple[int, str], ...], PackedObservation, int, int, str]
"""Outcomes as (code, feedback), observation, status, steps left, state digest."""


def pack_step(report: StepReport, observation: PackedObservation, digest: str) -> PackedStep:
    """A step report whose observation was packed before."""
    outcomes = tuple((int(outcome.code), outcome.feedback) for outcome in report.outcomes)
    return (outcomes, observation, int(report.status), report.steps_left, digest)
