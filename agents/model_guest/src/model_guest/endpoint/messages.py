"""A chat completion's request and reply, as bytes."""

from __future__ import annotations

import json
import threading
from binascii import b2a_base64
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from houseguest_agent import ModelUsage

from ..model import Finish, Message, Part, Picture, Reply

CACHE_BYTES = 64 * 1024 * 1024
"""What a cache of encoded pictures may hold."""

LARGE = 64 * 1024
"""Bytes. Copying fewer costs less than a system call of their own."""


class Body:
    """A request's bytes, in pieces that are sent as they are: nobody copies a picture again.

    May be iterated over and over, since requests are repeated.
    """

    def __init__(self, pieces: Iterable[bytes]) -> None:
        """Small neighbours are made one."""
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
    """Writes the bodies of chat completions. Safe to use from several threads: they may at
    worst encode a picture twice."""

    def __init__(self) -> None:
        self._encoded: OrderedDict[int, tuple[bytes, bytes]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def write(self, messages: Iterable[Message], parameters: Mapping[str, Any]) -> Body:
        """A JSON object with the messages first, since they are what requests share."""
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
        texts = [part for part in message.parts if isinstance(part, str)]
        if len(texts) == len(message.parts):
            # Some servers take a list of parts only where there are pictures.
            yield _dump("\n\n".join(texts))
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
        # The kept data cannot be freed, so its id names no other object.
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


# --- Reads a chat completion

_FINISH = {"length": Finish.LENGTH, "content_filter": Finish.REFUSED, "max_tokens": Finish.LENGTH}
_MOST_USD = 1e6
"""No call costs more; a server that says so is not believed."""
_REASONING = ("reasoning_content", "reasoning", "thinking")
_MOST_TOKENS = 10**9
"""As for the dollars."""
LONGEST = 256 * 1024
"""Characters of a reply that are kept: the last ones, where the answer stands."""
_WITHHELD = "(the model's server withheld the reply: content filter)"


class NonsenseError(ValueError):
    """An answer that is no chat completion."""


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply, and whether the server told what it used."""

    reply: Reply
    usage_reported: bool

    @property
    def empty(self) -> bool:
        """Whether the model said nothing, though nothing kept it from that."""
        return not self.reply.text.strip() and self.reply.finish is Finish.STOP


def error_inside(document: Any) -> Any:
    """The error in a document that came with a good status; None where there is none.

    Routers answer before they know that the model behind them fails: they put the error beside
    the choices, or into the first one, perhaps behind half a reply.
    """
    if not isinstance(document, dict):
        return None
    choices = document.get("choices")
    if not choices:
        return document.get("error") or None
    choice = choices[0] if isinstance(choices, list) else None
    if not isinstance(choice, dict):
        return None
    if choice.get("finish_reason") == "error":
        return choice.get("error") or document.get("error") or "the model failed"
    return choice.get("error") or None


def read_completion(document: Any, latency: float, model: str, pictures: int) -> Completion:
    """Reads the JSON document of a completion. Raises NonsenseError."""
    choices = document.get("choices") if isinstance(document, dict) else None
    if not isinstance(choices, list) or not choices:
        raise NonsenseError("the answer has no list 'choices' with a reply in it")
    usage, reported = _usage(document.get("usage"), model, latency, pictures)
    choice = choices[0]
    if not isinstance(choice, dict):
        raise NonsenseError("'choices' holds no objects")
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    finish = _FINISH.get(str(choice.get("finish_reason")), Finish.STOP)
    text = _text(message.get("content")) or _text(choice.get("text"))
    if not text.strip() and message.get("tool_calls"):
        text = _tool_calls(message["tool_calls"])
    refusal = _text(message.get("refusal"))
    if refusal:
        text, finish = text or refusal, Finish.REFUSED
    if finish is Finish.REFUSED and not text.strip():
        text = _WITHHELD
    thoughts = (_text(message.get(name)) for name in _REASONING)
    reasoning = next(filter(None, thoughts), "")
    return Completion(Reply(_sound(text), _sound(reasoning), finish, (usage,)), reported)


def _sound(text: str) -> str:
    """The end of a text, as far as it is kept, without the halves of characters that UTF-8
    cannot tell: they would break the guest when it sends them on."""
    return text[-LONGEST:].encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(content: Any) -> str:
    """A message's content: a string, or a list of parts of which the texts count, but for those
    that are thoughts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") if _says(part) else part for part in content)
    return "".join(text for text in texts if isinstance(text, str))


def _says(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")


def _tool_calls(calls: Any) -> str:
    """Tool calls as the JSON text that a model without tools would have written: an object, or
    a list where there are several."""
    functions = [
        call["function"]
        for call in (calls if isinstance(calls, list) else [])
        if isinstance(call, dict) and isinstance(call.get("function"), dict)
    ]
    told = functions[0] if len(functions) == 1 else functions
    return json.dumps(told, ensure_ascii=False) if told else ""


def _usage(told: Any, model: str, latency: float, pictures: int) -> tuple[ModelUsage, bool]:
    if not isinstance(told, dict):
        return ModelUsage(model, images=pictures, latency=latency), False
    sent, got = _count(told, "prompt_tokens"), _count(told, "completion_tokens")
    cached = _count(_inside(told, "prompt_tokens_details"), "cached_tokens") or _count(
        told, "prompt_cache_hit_tokens"
    )
    reasoning = _count(_inside(told, "completion_tokens_details"), "reasoning_tokens")
    cost = told.get("cost")
    paid = float(cost) if isinstance(cost, int | float) and 0 <= cost < _MOST_USD else 0.0
    usage = ModelUsage(
        model,
        input_tokens=sent,
        output_tokens=got,
        cached_input_tokens=min(cached, sent),
        reasoning_tokens=min(reasoning, got),
        images=pictures,
        latency=latency,
        cost_usd=paid,
    )
    return usage, bool(sent or got)


def _inside(told: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = told.get(name)
    return inner if isinstance(inner, dict) else {}


def _count(told: Mapping[str, Any], name: str) -> int:
    value = told.get(name)
    return min(max(0, value), _MOST_TOKENS) if isinstance(value, int) else 0
