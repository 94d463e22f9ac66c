"""What agents say that their models used: tokens, seconds and money, as numbers and in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from env_service.domain.data_node import DataNode

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
        given = DataNode(value, "usage")
        return Usage(
            calls=given["calls"].whole(),
            input_tokens=given["input_tokens"].whole(),
            output_tokens=given["output_tokens"].whole(),
            cached_input_tokens=given["cached_input_tokens"].whole(),
            reasoning_tokens=given["reasoning_tokens"].whole(),
            images=given["images"].whole(),
            seconds=given["seconds"].number(),
            cost_usd=given["cost_usd"].number(),
        )


_FIELDS = fields(Usage)


# --- What models used, in words


def usage_text(usage: Usage) -> str:
    """``1,234 calls, 1.2 M tokens in (80 % cached), 45 k out, 12 pictures, $0.43``.

    What the agents did not tell, or is 0, is left out.
    """
    calls = f"{usage.calls:,} call{'' if usage.calls == 1 else 's'}"
    sent = f"{amount(usage.input_tokens)} tokens in"
    if usage.cached_input_tokens:
        sent += f" ({100 * usage.cached_input_tokens / usage.input_tokens:.0f} % cached)"
    received = f"{amount(usage.output_tokens)} out"
    pictures = f"{usage.images:,} picture{'' if usage.images == 1 else 's'}"
    parts = [
        calls,
        *([sent, received] if usage.tokens else []),
        *([pictures] if usage.images else []),
        *([dollars(usage.cost_usd)] if usage.cost_usd else []),
    ]
    return ", ".join(parts)


def spent_text(usage: Usage) -> str:
    """``$0.43, 1.2 M tokens``: the least that says how much is spent; empty where nothing is."""
    cost = [dollars(usage.cost_usd)] if usage.cost_usd else []
    tokens = [f"{amount(usage.tokens)} tokens"] if usage.tokens else []
    return ", ".join(cost + tokens)


def dollars(cost: float) -> str:
    """``$12.30``; to a hundredth of a cent where it is below ten."""
    if cost >= 0.1 or cost == 0:
        return f"${cost:,.2f}"
    if cost < 0.0001:
        return "under $0.0001"
    cents, parts = f"{cost:.4f}"[:4], f"{cost:.4f}"[4:].rstrip("0")
    return f"${cents}{parts}"


def amount(count: int) -> str:
    """``812``, ``45 k``, ``1.2 M``: to two digits, at least."""
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        # What would round to a thousand of a unit is one of the next.
        if count >= 0.9995 * size:
            value = count / size
            return f"{value:.1f} {unit}" if value < 9.95 else f"{value:,.0f} {unit}"
    return str(count)
