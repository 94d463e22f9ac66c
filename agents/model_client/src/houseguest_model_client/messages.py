"""A conversation, and the body of a request that contains it."""

from __future__ import annotations

import json
import threading
from binascii import b2a_base64
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Role(StrEnum):
    """The author of a message, as the OpenAI chat format names it."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as a file in memory: ``data`` is a PNG, WebP or JPEG, as ``media_type`` states.

    ``origin`` is the SHA-256 (hex) of the data that it was made from; empty if that is ``data``.
    """

    data: bytes = field(repr=False)
    media_type: str = "image/png"
    origin: str = field(default="", compare=False)


Part = str | Picture


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation. Parts keep their order; an assistant's are texts."""

    role: Role
    parts: tuple[Part, ...]

    @classmethod
    def system(cls, text: str) -> Message:
        """Rules for the whole conversation."""
        return cls(Role.SYSTEM, (text,))

    @classmethod
    def user(cls, text: str, *pictures: Picture) -> Message:
        """A question to the model; the pictures follow the text."""
        return cls(Role.USER, (text, *pictures))

    @classmethod
    def assistant(cls, text: str) -> Message:
        """A reply of the model."""
        return cls(Role.ASSISTANT, (text,))

    @property
    def text(self) -> str:
        """The texts, with an empty line between them."""
        return "\n\n".join(part for part in self.parts if isinstance(part, str))

    @property
    def pictures(self) -> tuple[Picture, ...]:
        """The pictures, in order."""
        return tuple(part for part in self.parts if isinstance(part, Picture))


CACHE_BYTES = 64 * 1024 * 1024
"""The maximum size of a cache of encoded pictures."""

LARGE = 64 * 1024
"""In bytes. To copy fewer costs less than a separate system call."""


class Body:
    """A request's bytes, in pieces that are sent without copying the pictures again.

    You may iterate over it several times, since requests are repeated.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        """Joins small neighbours."""
        self._pieces: list[bytes] = []
        small: list[bytes] = []
        for piece in pieces:
            if len(piece) < LARGE:
                small.append(piece)
                continue
            self._pieces += (b"".join(small), piece)
            small = []
        self._pieces.append(b"".join(small))
        self.length = sum(map(len, self._pieces))

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._pieces)

    def __bytes__(self) -> bytes:
        return b"".join(self._pieces)


class BodyWriter:
    """Writes the bodies of chat completions. Safe to use from several threads: at worst they
    encode a picture twice."""

    def __init__(self) -> None:
        self._encoded: OrderedDict[int, tuple[bytes, bytes]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def write(self, messages: Iterable[Message], parameters: Mapping[str, Any]) -> Body:
        """A JSON object with the messages first, since that is the part that requests share."""
        return Body(self._pieces(messages, parameters))

    def _pieces(
        self, messages: Iterable[Message], parameters: Mapping[str, Any]
    ) -> Iterator[bytes]:
        opening = b'{"messages":['
        for message in messages:
            yield opening
            yield from self._message(message)
            opening = b","
        yield b"],"
        yield _dump(parameters)[1:]

    def _message(self, message: Message) -> Iterator[bytes]:
        yield b'{"role":"%s","content":' % message.role.value.encode()
        if all(isinstance(part, str) for part in message.parts):
            # Some servers accept a list of parts only if there are pictures.
            yield _dump(message.text)
        else:
            opening = b"["
            for part in message.parts:
                yield opening
                yield from self._part(part)
                opening = b","
            yield b"]"
        yield b"}"

    def _part(self, part: Part) -> Iterator[bytes]:
        if isinstance(part, str):
            yield b'{"type":"text","text":'
            yield _dump(part)
            yield b"}"
            return
        yield b'{"type":"image_url","image_url":{"url":"data:'
        yield part.media_type.encode() + b";base64,"
        yield self._picture(part)
        yield b'"}}'

    def _picture(self, picture: Picture) -> bytes:
        data = picture.data
        # The kept data cannot be freed, so no other object gets its id.
        known = self._encoded.get(id(data))
        if known is not None and known[0] is data:
            return known[1]
        encoded = b2a_base64(data, newline=False)
        with self._lock:
            self._encoded[id(data)] = (data, encoded)
            self._size += len(data) + len(encoded)
            while self._size > CACHE_BYTES and len(self._encoded) > 1:
                _, (old, text) = self._encoded.popitem(last=False)
                self._size -= len(old) + len(text)
        return encoded


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
