"""Reads answers that carry pictures without copying the pictures.

Protobuf's Python objects copy a bytes field when they parse the message, and again each time the
field is read. For a large answer, this module therefore takes the pictures out first, as views of
the received bytes, and protobuf parses the rest. The format is plain protobuf: a tag, and then a
varint, 4 or 8 bytes, or a length and that many bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from houseguest.agent.v1 import agent_pb2, observation_pb2

_STEP_PATH = (
    agent_pb2.StepResponse.OBSERVATION_FIELD_NUMBER,
    observation_pb2.Observation.IMAGES_FIELD_NUMBER,
    observation_pb2.Image.DATA_FIELD_NUMBER,
)
_PLAY_PATH = (agent_pb2.PlayResponse.STEP_FIELD_NUMBER, *_STEP_PATH)

_LARGE = 32 * 1024
"""In bytes. To copy a smaller answer costs less than to scan it."""

_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5

Pictures = tuple[memoryview, ...]
"""The data of the extracted pictures, in the order of the observation's images."""


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """A StepResponse; an extracted picture has empty data in it."""

    response: agent_pb2.StepResponse
    pictures: Pictures = ()


@dataclass(frozen=True, slots=True)
class PlayAnswer:
    """A PlayResponse; an extracted picture has empty data in it."""

    response: agent_pb2.PlayResponse
    pictures: Pictures = ()


def read_step(data: bytes) -> StepAnswer:
    """Parses a StepResponse. Raises protobuf's DecodeError for anything else."""
    rest, pictures = take_out(data, _STEP_PATH)
    return StepAnswer(agent_pb2.StepResponse.FromString(rest), pictures)


def read_play(data: bytes) -> PlayAnswer:
    """Parses a PlayResponse. Raises protobuf's DecodeError for anything else."""
    rest, pictures = take_out(data, _PLAY_PATH)
    return PlayAnswer(agent_pb2.PlayResponse.FromString(rest), pictures)


def take_out(data: bytes, path: tuple[int, ...]) -> tuple[bytes, Pictures]:
    """Splits a message: without the bytes fields at ``path`` (field numbers), and those fields.

    Returns small or broken data unchanged, for protobuf to judge.
    """
    if len(data) < _LARGE:
        return data, ()
    pictures: list[memoryview] = []
    try:
        return _without(memoryview(data), path, pictures), tuple(pictures)
    except IndexError:
        return data, ()


def _without(message: memoryview, path: tuple[int, ...], pictures: list[memoryview]) -> bytes:
    kept = bytearray()
    position, end = 0, len(message)
    while position < end:
        start = position
        tag, position = _varint(message, position)
        kind = tag & 7
        if kind == _LENGTH:
            length, position = _varint(message, position)
            body = message[position : position + length]
            if len(body) != length:
                raise IndexError("a field extends beyond its message")
            position += length
            if tag >> 3 == path[0]:
                kept += _tagged(tag, _inner(body, path[1:], pictures))
                continue
        elif kind == _VARINT:
            _, position = _varint(message, position)
        elif kind in (_FIXED64, _FIXED32):
            position += 8 if kind == _FIXED64 else 4
        else:
            raise IndexError("not a protobuf field")
        kept += message[start:position]
    return bytes(kept)


def _inner(body: memoryview, path: tuple[int, ...], pictures: list[memoryview]) -> bytes:
    if path:
        return _without(body, path, pictures)
    pictures.append(body)
    return b""


def _tagged(tag: int, body: bytes) -> bytes:
    return _to_varint(tag) + _to_varint(len(body)) + body


def _varint(message: memoryview, position: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
        if shift > 63:
            raise IndexError("a varint without end")


def _to_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
