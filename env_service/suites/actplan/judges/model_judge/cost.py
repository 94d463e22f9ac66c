"""What asking a model costs."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.chat.completion import Usage

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Prices:
    """Of a million tokens that the model reads, and that it writes; in whatever currency."""

    read: float
    written: float

    def of(self, usage: Usage) -> float | None:
        """What a usage costs; None where the server did not report the tokens of every reply."""
        if usage.reported < usage.calls:
            return None
        tokens = usage.input_tokens * self.read + usage.output_tokens * self.written
        return tokens / _MILLION
