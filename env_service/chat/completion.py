"""Reads a chat completion, and what the model says in it apart from what it thinks aloud."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

LONGEST = 256 * 1024
"""Characters of a reply that are kept: the last ones, where the answer stands."""

_MOST_TOKENS = 10**9
_CUT = ("length", "max_tokens")


class NonsenseError(ValueError):
    """An answer that is no chat completion."""


@dataclass(frozen=True, slots=True)
class Usage:
    """What replies took. ``reported``: of how many the server told the tokens."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reported: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.reported + other.reported,
        )

    def __str__(self) -> str:
        """For people: "12 replies, 3400 + 560 tokens"."""
        calls = f"{self.calls} {'reply' if self.calls == 1 else 'replies'}"
        if not self.reported:
            return f"{calls}; the server reports no tokens"
        return f"{calls}, {self.input_tokens} + {self.output_tokens} tokens read and written"


@dataclass(frozen=True, slots=True)
class Completion:
    """A reply. ``cut``: it ended at a bound, not by itself."""

    text: str
    usage: Usage
    cut: bool = False


def error_inside(document: Any) -> Any:
    """The error in a document that came with a good status; None where there is none. Routers put
    the error of the model behind them beside the choices, or into the first one."""
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


def read_completion(document: Any) -> Completion:
    """Reads the JSON document of a completion. A refusal is no text. Raises NonsenseError."""
    choices = document.get("choices") if isinstance(document, dict) else None
    if not isinstance(choices, list) or not choices:
        raise NonsenseError("the answer has no list 'choices' with a reply in it")
    choice = choices[0]
    if not isinstance(choice, dict):
        raise NonsenseError("'choices' holds no objects")
    message = choice.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    text = _text(content) or _text(choice.get("text"))
    cut = str(choice.get("finish_reason")) in _CUT
    return Completion(_sound(text), _usage(document.get("usage")), cut)


def _sound(text: str) -> str:
    """Without the halves of characters that UTF-8 cannot tell."""
    return text[-LONGEST:].encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _text(content: Any) -> str:
    """A message's content: a string, or a list of parts of which the texts count."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") if _says(part) else part for part in content)
    return "".join(text for text in texts if isinstance(text, str))


def _says(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type", "text") in ("text", "output_text")


def _usage(told: Any) -> Usage:
    if not isinstance(told, dict):
        return Usage(calls=1)
    read, written = _count(told, "prompt_tokens"), _count(told, "completion_tokens")
    return Usage(1, read, written, reported=int(bool(read or written)))


def _count(told: dict[str, Any], name: str) -> int:
    value = told.get(name)
    return min(max(0, value), _MOST_TOKENS) if isinstance(value, int) else 0


# --- What a model says, apart from what it thinks aloud

_THOUGHTS = re.compile(
    r"<(think|thinking|thought|thoughts|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_UNOPENED = re.compile(r"\A.*</(?:think|thinking|thought|thoughts|reasoning)>", re.DOTALL | re.I)
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$", re.MULTILINE)


def without_thoughts(reply: str) -> str:
    """A reply without the model's thoughts and without fences around it."""
    text = _UNOPENED.sub("", _THOUGHTS.sub("", reply))
    return _FENCE.sub("", text).strip()
