"""Puts messages together around pictures without copying them into protobuf and out again.

Protobuf's Python objects copy a bytes field each time that its message becomes part of
another one, and once more to serialize it. A step's answer nests a picture four deep, so
here the small parts are serialized by protobuf and the picture is put between them. The
result is ordinary protobuf: a length-delimited field is its tag, its length and its bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from houseguest.agent.v1 import agent_pb2, observation_pb2

Parts = tuple[bytes, ...]
"""Bytes that, joined, are a serialized message."""

_LENGTH_DELIMITED = 2


def embed(field_number: int, parts: Sequence[bytes]) -> Parts:
    """A message as a field of another one: ``parts`` behind its tag and length."""
    length = sum(map(len, parts))
    return (_varint(field_number << 3 | _LENGTH_DELIMITED) + _varint(length), *parts)


def image_parts(head: observation_pb2.Image, data: bytes) -> Parts:
    """An Image whose ``head`` holds all but its data."""
    data_number = observation_pb2.Image.DATA_FIELD_NUMBER
    return (head.SerializeToString(), *embed(data_number, (data,)))


def observation_parts(head: observation_pb2.Observation, images: Iterable[Parts]) -> Parts:
    """An Observation whose ``head`` holds all but its images."""
    number = observation_pb2.Observation.IMAGES_FIELD_NUMBER
    embedded = (part for image in images for part in embed(number, image))
    return (head.SerializeToString(), *embedded)


@dataclass(frozen=True, slots=True)
class StepAnswer:
    """A StepResponse that can be sent any number of times, by Step or on Play."""

    parts: Parts

    @staticmethod
    def of(response: agent_pb2.StepResponse, observation: Parts = ()) -> StepAnswer:
        """The response, with an observation that it does not hold yet."""
        number = agent_pb2.StepResponse.OBSERVATION_FIELD_NUMBER
        embedded = embed(number, observation) if observation else ()
        return StepAnswer((response.SerializeToString(), *embedded))

    def with_result(self, disclosed: agent_pb2.PracticeResult | None) -> StepAnswer:
        """The answer with what is disclosed of the episode's result; itself for None.

        Protobuf merges what follows another into one message.
        """
        if disclosed is None:
            return self
        return StepAnswer(
            (*self.parts, agent_pb2.StepResponse(practice_result=disclosed).SerializeToString())
        )

    def to_bytes(self) -> bytes:
        """The StepResponse, serialized."""
        return b"".join(self.parts)

    def to_play_bytes(self, request_id: int) -> bytes:
        """The PlayResponse that answers a request with it, serialized."""
        head = agent_pb2.PlayResponse(request_id=request_id).SerializeToString()
        return b"".join((head, *embed(agent_pb2.PlayResponse.STEP_FIELD_NUMBER, self.parts)))

    def to_message(self) -> agent_pb2.StepResponse:
        """The StepResponse as protobuf's object."""
        return agent_pb2.StepResponse.FromString(self.to_bytes())


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
