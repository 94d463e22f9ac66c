"""Why a run stops before its last episode, resumable: budgets, withdrawals, breakdowns."""

from __future__ import annotations

from dataclasses import dataclass, field

from env_service.domain.failure import Withdrawal, WithdrawReason
from env_service.results.usage import Usage
from env_service.results.usage_text import dollars, usage_text

_LISTED = 3
"""Withdrawals that are quoted, if their words differ."""

_UNSAID = {
    WithdrawReason.MODEL_UNREACHABLE: "its model cannot be reached",
    WithdrawReason.MODEL_REFUSED: "its model's server refuses it",
    WithdrawReason.BUDGET_SPENT: "its budget is spent",
    WithdrawReason.OTHER: "it did not say why",
}


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """What guests' models may use over the life of a run, by what the guests say.

    US dollars, and tokens sent and received together. None: unbounded.
    """

    max_cost_usd: float | None = None
    max_tokens: int | None = None

    def reached(self, usage: Usage) -> str:
        """Which of them ``usage`` reaches, for people; empty while it reaches none."""
        cost, tokens = self.max_cost_usd, self.max_tokens
        if cost is not None and round(usage.cost_usd, 9) >= cost:
            spent = dollars(cost)
        elif tokens is not None and usage.tokens >= tokens:
            spent = f"{tokens:,} tokens"
        else:
            return ""
        return (
            f"the budget of {spent} is spent, by the agent's own count: {usage_text(usage)}."
            " The same command with a higher budget goes on."
        )

    def unheard(self, usage: Usage) -> str:
        """That a budget bounds nothing, for people: agents who played tell nothing to compare
        it with. Empty where they do."""
        cost, tokens = self.max_cost_usd, self.max_tokens
        parts = []
        if cost is not None and not usage.cost_usd:
            parts.append(f"the budget of {dollars(cost)} bounds nothing: the agent tells no cost")
        if tokens is not None and not usage.tokens:
            parts.append(f"the budget of {tokens:,} tokens bounds nothing: the agent tells none")
        return "; ".join(parts)


@dataclass(slots=True)
class Stops:
    """What keeps a run from going on in this process."""

    breakdown: str = ""
    """Why the house cannot."""
    budget: str = ""
    """Which budget is spent."""
    withdrawals: list[Withdrawal] = field(default_factory=list)

    def words(self) -> str:
        """All of it in a sentence; the same words of several guests once. Empty: nothing."""
        said = [each.message or _UNSAID[each.reason] for each in self.withdrawals]
        said = list(dict.fromkeys(said))
        more = [f"and {len(said) - _LISTED} more"] if len(said) > _LISTED else []
        withdrew = "; ".join(said[:_LISTED] + more)
        parts = [self.breakdown, self.budget, withdrew and f"the agent withdrew: {withdrew}"]
        return "; ".join(filter(None, parts)).replace(".; ", "; ")
