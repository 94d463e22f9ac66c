"""What the model's calls used, and what is left to spend."""

from __future__ import annotations

import threading
from collections.abc import Iterable

from houseguest_agent import ModelUsage

from .settings import Budget


class Accounts:
    """Sums the calls of a guest. Safe to use from several threads."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._lock = threading.Lock()
        self.calls = self.tokens = 0
        self.cost_usd = 0.0
        self._untold: list[ModelUsage] = []

    def hold(self, calls: Iterable[ModelUsage]) -> None:
        """Books calls that belong to no step; ``release`` hands them to the next one."""
        held = tuple(calls)
        self.add(held)
        with self._lock:
            self._untold += held

    def release(self) -> list[ModelUsage]:
        """The calls that are held, each given out once."""
        with self._lock:
            held, self._untold = self._untold, []
        return held

    def add(self, calls: Iterable[ModelUsage]) -> None:
        """Books calls."""
        with self._lock:
            for call in calls:
                self.calls += 1
                self.tokens += call.input_tokens + call.output_tokens
                self.cost_usd += call.cost_usd

    @property
    def spent(self) -> str:
        """Which budget is used up, in words; empty while there is something left of each."""
        cost, tokens = self._budget.cost_usd, self._budget.tokens
        if cost is not None and self.cost_usd >= cost:
            return f"{self.cost_usd:.4f} USD of {cost:g} are spent (--max-cost)"
        if tokens is not None and self.tokens >= tokens:
            return f"{self.tokens} tokens of {tokens} are used (--max-tokens)"
        return ""

    def __str__(self) -> str:
        cost = f", {self.cost_usd:.4f} USD" if self.cost_usd else ""
        return f"{self.calls} calls, {self.tokens} tokens{cost}"
