"""Prompts: the request to a model that a decision came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from houseguest.agent.v1 import agent_pb2


@dataclass(frozen=True, slots=True)
class PromptPicture:
    """A picture that was sent to a model, by its digest.

    Attributes:
        sha256: For a picture of an observation ``Image.digest``, also if the model got it in
            another format. For any other picture the SHA-256 (hex) of what the model got.
        media_type: The format in which the model got it, such as ``image/png``.
    """

    sha256: str
    media_type: str = ""

    def to_proto(self) -> agent_pb2.PromptPicture:
        """The picture as a protobuf message."""
        return agent_pb2.PromptPicture(sha256=self.sha256, media_type=self.media_type)


@dataclass(frozen=True, slots=True)
class PromptMessage:
    """One message: its author (``system``, ``user``, …), and its texts and pictures in order."""

    role: str
    parts: tuple[str | PromptPicture, ...]

    def to_proto(self) -> agent_pb2.PromptMessage:
        """The message as a protobuf message."""
        parts = [
            agent_pb2.PromptPart(text=part)
            if isinstance(part, str)
            else agent_pb2.PromptPart(picture=part.to_proto())
            for part in self.parts
        ]
        return agent_pb2.PromptMessage(role=self.role, parts=parts)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request to a model, as it was sent. Leave out credentials.

    Attributes:
        messages: All messages, in the order of the request.
        parameters: The rest of the request, by name: the model, the parameters of sampling, the
            definitions of tools, the format of the reply. Each value is JSON.
    """

    messages: tuple[PromptMessage, ...]
    parameters: Mapping[str, str] = field(default_factory=dict)

    def to_proto(self) -> agent_pb2.Prompt:
        """The prompt as a protobuf message."""
        return agent_pb2.Prompt(
            messages=[message.to_proto() for message in self.messages],
            parameters=self.parameters,
        )
