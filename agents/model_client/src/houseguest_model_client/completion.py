"""Parses a server's answer: a chat completion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any


class Finish(Enum):
    """Why a reply ends."""

    STOP = "stop"
    """The model finished."""
    LENGTH = "length"
    """The token limit cut it off."""
    REFUSED = "refused"
    """The model, or a filter, declined to answer."""


@dataclass(frozen=True, slots=True)
class CallUsage:
    """The usage of one call, as far as the server reports it; other values are 0.

    Attributes:
        model: The model's name, as requested.
        input_tokens: Tokens of the request, including cached ones.
        output_tokens: Tokens of the reply, including those of its reasoning.
        cached_input_tokens: At most ``input_tokens``.
        reasoning_tokens: At most ``output_tokens``.
        images: Pictures in the request.
        latency: Seconds from the request to the end of its reply.
        cost_usd: US dollars.
    """

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    images: int = 0
    latency: float = 0.0
    cost_usd: float = 0.0

    @property
    def reported(self) -> bool:
        """Whether the server reported any tokens."""
        return bool(self.input_tokens or self.output_tokens)


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply.

    Attributes:
        text: The model's answer; tool calls as JSON if it contains nothing else.
        reasoning: The model's thinking, if the server reports it separately.
        refusal: Why the model, or a filter, declined to answer; may be empty.
        finish: Why the reply ends.
        usage: Every paid call, including failed ones; the reply's own is last.
        parameters: The request that it answers, without its messages.
    """

    text: str
    reasoning: str = ""
    refusal: str = ""
    finish: Finish = Finish.STOP
    usage: tuple[CallUsage, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether the model wrote nothing although nothing prevented it."""
        return not self.text.strip() and self.finish is Finish.STOP

    @property
    def said(self) -> str:
        """The answer, or else the refusal: never blank if the model declined."""
        if self.finish is not Finish.REFUSED or self.text.strip():
            return self.text
        return self.refusal if self.refusal.strip() else _WITHHELD


_FINISH = {"length": Finish.LENGTH, "content_filter": Finish.REFUSED, "max_tokens": Finish.LENGTH}
_MOST_USD = 1e6
"""No call costs more; a higher value from a server is ignored."""
_REASONING = ("reasoning_content", "reasoning", "thinking")
_MOST_TOKENS = 10**9
"""The same for tokens."""
LONGEST = 256 * 1024
"""The number of characters of a reply to keep: the last ones, where the answer is."""
_WITHHELD = "(the model's server withheld the reply: content filter)"


class NonsenseError(ValueError):
    """An answer that is not a chat completion."""


def error_inside(document: Any) -> Any:
    """The error in a document that came with a good status; None if there is none.

    Routers answer before they know that the model behind them fails: they put the error next to
    the choices, or into the first one, perhaps after half a reply.
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


def read_completion(document: Any, latency: float, model: str, images: int) -> Completion:
    """Parses the JSON document of a completion.

    Args:
        latency: Seconds that the call took.
        model: The requested name.
        images: Pictures in the request.

    Raises:
        NonsenseError: It is not a completion.
    """
    choices = document.get("choices") if isinstance(document, dict) else None
    if not isinstance(choices, list) or not choices:
        raise NonsenseError("the answer has no list 'choices' with a reply in it")
    usage = _usage(document.get("usage"), model, latency, images)
    choice = choices[0]
    if not isinstance(choice, dict):
        raise NonsenseError("'choices' contains no objects")
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    finish = _FINISH.get(str(choice.get("finish_reason")), Finish.STOP)
    text = _text(message.get("content")) or _text(choice.get("text"))
    if not text.strip() and message.get("tool_calls"):
        text = _tool_calls(message["tool_calls"])
    refusal = _text(message.get("refusal"))
    finish = Finish.REFUSED if refusal else finish
    thoughts = (_text(message.get(name)) for name in _REASONING)
    reasoning = next(filter(None, thoughts), "")
    return Completion(_sound(text), _sound(reasoning), _sound(refusal), finish, (usage,))


def _sound(text: str) -> str:
    """The kept end of a text, without lone surrogates, which UTF-8 cannot encode: they would break
    an agent that sends them on."""
    return text[-LONGEST:].encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(content: Any) -> str:
    """A message's content: a string, or the texts in a list of parts, except thoughts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") if _says(part) else part for part in content)
    return "".join(text for text in texts if isinstance(text, str))


def _says(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")


def _tool_calls(calls: Any) -> str:
    """Tool calls as the JSON text that a model without tools would write: an object, or a list of
    several."""
    functions = [
        call["function"]
        for call in (calls if isinstance(calls, list) else [])
        if isinstance(call, dict) and isinstance(call.get("function"), dict)
    ]
    call = functions[0] if len(functions) == 1 else functions
    return json.dumps(call, ensure_ascii=False) if call else ""


def _usage(usage: Any, model: str, latency: float, images: int) -> CallUsage:
    if not isinstance(usage, dict):
        return CallUsage(model, images=images, latency=latency)
    sent, got = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    cached = _count(_inside(usage, "prompt_tokens_details"), "cached_tokens") or _count(
        usage, "prompt_cache_hit_tokens"
    )
    reasoning = _count(_inside(usage, "completion_tokens_details"), "reasoning_tokens")
    cost = usage.get("cost")
    paid = float(cost) if isinstance(cost, int | float) and 0 <= cost < _MOST_USD else 0.0
    return CallUsage(
        model,
        input_tokens=sent,
        output_tokens=got,
        cached_input_tokens=min(cached, sent),
        reasoning_tokens=min(reasoning, got),
        images=images,
        latency=latency,
        cost_usd=paid,
    )


def _inside(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = usage.get(name)
    return inner if isinstance(inner, dict) else {}


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    return min(max(0, value), _MOST_TOKENS) if isinstance(value, int) else 0
