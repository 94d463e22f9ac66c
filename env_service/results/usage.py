"""What guests say that their models used."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from env_service.results.fields import Fields

MOST = 2**63 - 1
"""Of any number: what every reader of our files and messages can hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Model calls, summed. The agent's own claims: never part of a score.

    ``input_tokens`` include the cached ones, ``output_tokens`` the reasoning. ``seconds`` are
    the calls' latencies, ``cost_usd`` US dollars by the agent's own price list.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    images: int = 0
    seconds: float = 0.0
    cost_usd: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        """The sum; no number grows beyond MOST, whatever is claimed.

        To the ninth decimal, so that what files hold adds up to what was summed in play, in
        the same order, also where the claims are so large that the order matters.
        """
        return Usage(
            **{
                item.name: min(round(getattr(self, item.name) + getattr(other, item.name), 9), MOST)
                for item in _FIELDS
            }
        )

    def __bool__(self) -> bool:
        """Whether there was any call."""
        return self.calls > 0

    @property
    def tokens(self) -> int:
        """Sent and received."""
        return self.input_tokens + self.output_tokens

    @staticmethod
    def total(usages: Iterable[Usage]) -> Usage:
        """The sum, added up in the given order."""
        return sum(usages, Usage())

    def to_json(self) -> dict[str, Any]:
        """The usage as a run's files hold it: seconds and dollars to the ninth decimal."""
        return {
            item.name: round(value, 9) if isinstance(value, float) else value
            for item in _FIELDS
            for value in (getattr(self, item.name),)
        }

    @staticmethod
    def from_json(value: object) -> Usage:
        """Reads a usage. Raises FormatError naming what is wrong."""
        given = Fields(value, "usage")
        return Usage(
            calls=given.integer("calls"),
            input_tokens=given.integer("input_tokens"),
            output_tokens=given.integer("output_tokens"),
            cached_input_tokens=given.integer("cached_input_tokens"),
            reasoning_tokens=given.integer("reasoning_tokens"),
            images=given.integer("images"),
            seconds=given.number("seconds"),
            cost_usd=given.number("cost_usd"),
        )


_FIELDS = fields(Usage)
