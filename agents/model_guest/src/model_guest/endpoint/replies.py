"""Reads a chat completion."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from houseguest_agent import ModelUsage

from ..model import Finish, Reply

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
