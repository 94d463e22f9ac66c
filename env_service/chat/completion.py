"""The usage of replies, and the separation of a model's answer from its thoughts."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage of replies. ``reported``: for how many of them the server reported the tokens."""

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
        """As text: "12 replies, 3400 + 560 tokens"."""
        calls = f"{self.calls} {'reply' if self.calls == 1 else 'replies'}"
        if not self.reported:
            return f"{calls}; the server reports no tokens"
        return f"{calls}, {self.input_tokens} + {self.output_tokens} tokens read and written"


# --- A model's answer without its thoughts

_THOUGHTS = re.compile(
    r"<(think|thinking|thought|thoughts|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE
)
_UNOPENED = re.compile(r"\A.*</(?:think|thinking|thought|thoughts|reasoning)>", re.DOTALL | re.I)
_FENCE = re.compile(r"^\s*(?:```|~~~)\w*\s*$", re.MULTILINE)


def without_thoughts(reply: str) -> str:
    """A reply without the model's thoughts and without fences around it."""
    text = _UNOPENED.sub("", _THOUGHTS.sub("", reply))
    return _FENCE.sub("", text).strip()
