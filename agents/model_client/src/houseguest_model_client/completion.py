"""What a server answers: a chat completion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Finish(Enum):
    """Why a reply ends."""

    STOP = "stop"
    """The model was done."""
    LENGTH = "length"
    """The limit of tokens cut it."""
    REFUSED = "refused"
    """The model, or a filter before it, declined to answer."""


@dataclass(frozen=True, slots=True)
class CallUsage:
    """What one call took, as far as the server tells; what it does not tell is 0.

    Attributes:
        model: the model's name, as it was asked for.
        input_tokens: of the request, those from a cache included.
        output_tokens: of the reply, those of its reasoning included.
        cached_input_tokens: at most ``input_tokens``.
        reasoning_tokens: at most ``output_tokens``.
        images: pictures in the request.
        latency: seconds from the request to the end of its reply.
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
        """Whether the server told any tokens."""
        return bool(self.input_tokens or self.output_tokens)


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply.

    Attributes:
        text: what the model answers; tool calls as JSON where it says nothing else.
        reasoning: what it thought aloud, where the server tells that apart.
        refusal: why it, or a filter before it, declined to answer; empty where none is told.
        finish: why the reply ends.
        usage: every call that was paid for, those in vain included, the reply's own last.
    """

    text: str
    reasoning: str = ""
    refusal: str = ""
    finish: Finish = Finish.STOP
    usage: tuple[CallUsage, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether the model said nothing, though nothing kept it from that."""
        return not self.text.strip() and self.finish is Finish.STOP

    @property
    def said(self) -> str:
        """The answer, or else the refusal: never blank where the model declined."""
        if self.finish is not Finish.REFUSED or self.text.strip():
            return self.text
        return self.refusal if self.refusal.strip() else _WITHHELD


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


def read_completion(document: Any, latency: float, model: str, images: int) -> Completion:
    """Reads the JSON document of a completion.

    Args:
        latency: seconds that the call took.
        model: the name that was asked for.
        images: pictures in the request.

    Raises:
        NonsenseError: it is none.
    """
    choices = document.get("choices") if isinstance(document, dict) else None
    if not isinstance(choices, list) or not choices:
        raise NonsenseError("the answer has no list 'choices' with a reply in it")
    usage = _usage(document.get("usage"), model, latency, images)
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
    finish = Finish.REFUSED if refusal else finish
    thoughts = (_text(message.get(name)) for name in _REASONING)
    reasoning = next(filter(None, thoughts), "")
    return Completion(_sound(text), _sound(reasoning), _sound(refusal), finish, (usage,))


def _sound(text: str) -> str:
    """The end of a text, as far as it is kept, without the halves of characters that UTF-8
    cannot tell: they would break an agent that sends them on."""
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
