"""The budget of a model: money, tokens and time, and what remains of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

from houseguest_agent import Budget, Limits

from .model import CallUsage
from .options import SpendingBudget


class SpendingAccount:
    """Sums the calls of an agent. Safe to use from several threads."""

    def __init__(self, budget: SpendingBudget) -> None:
        self._budget = budget
        self._lock = threading.Lock()
        self.calls = self.tokens = 0
        self.cost_usd = 0.0
        self._untold: list[CallUsage] = []

    def hold(self, calls: Iterable[CallUsage]) -> None:
        """Books calls that belong to no step; ``release`` assigns them to the next one."""
        held = tuple(calls)
        self.add(held)
        with self._lock:
            self._untold += held

    def release(self) -> list[CallUsage]:
        """The held calls; each is returned once."""
        with self._lock:
            held, self._untold = self._untold, []
        return held

    def add(self, calls: Iterable[CallUsage]) -> None:
        """Books calls."""
        with self._lock:
            for call in calls:
                self.calls += 1
                self.tokens += call.input_tokens + call.output_tokens
                self.cost_usd += call.cost_usd

    @property
    def spent(self) -> str:
        """The budget that is used up, as text; empty while something remains of each."""
        cost, tokens = self._budget.cost_usd, self._budget.tokens
        if cost is not None and self.cost_usd >= cost:
            return f"{self.cost_usd:.4f} USD of {cost:g} are spent (--max-cost)"
        if tokens is not None and self.tokens >= tokens:
            return f"{self.tokens} tokens of {tokens} are used (--max-tokens)"
        return ""

    def __str__(self) -> str:
        cost = f", {self.cost_usd:.4f} USD" if self.cost_usd else ""
        return f"{self.calls} calls, {self.tokens} tokens{cost}"


# --- The time that the service's budgets leave to a model

MARGIN = 0.1
"""Share of a time budget that is reserved, so that the agent can leave the run in time."""
LARGEST_MARGIN = 10.0
"""Seconds; leaving takes a call or two."""


class TurnClock:
    """Tracks the agent time of one episode. Create it when the episode starts."""

    def __init__(self, limits: Limits, remaining: Budget) -> None:
        """``remaining`` is the remaining budget that the service reports for a resumed episode."""
        self._step_budget = limits.agent_step_budget
        self._episode_left = remaining.agent_time
        if self._episode_left is None:
            self._episode_left = limits.agent_episode_budget
        self._answered = time.monotonic()

    def deadline(self) -> float | None:
        """The time (``time.monotonic``) by which the agent has to send the next action."""
        budgets = [each for each in (self._step_budget, self._episode_left) if each is not None]
        if not budgets:
            return None
        seconds = max(0.0, min(budgets))
        return self._answered + seconds - min(LARGEST_MARGIN, MARGIN * seconds)

    def acting(self) -> None:
        """Call this before you send an action: the agent's time stops."""
        if self._episode_left is not None:
            self._episode_left -= time.monotonic() - self._answered

    def answered(self) -> None:
        """Call this when the service has answered: the agent's time continues."""
        self._answered = time.monotonic()
