"""How long a model may take: what the house's budgets leave."""

from __future__ import annotations

import time

from houseguest_agent import Budget, Limits

MARGIN = 0.1
"""Share of a time budget that is kept back, to leave the run in good time."""
LARGEST_MARGIN = 10.0
"""Seconds; leaving takes a call or two."""


class TurnClock:
    """Follows the agent time of one episode. To be made as the episode is taken."""

    def __init__(self, limits: Limits, remaining: Budget) -> None:
        """``remaining`` is what the house tells of an episode that is half played."""
        self._step_budget = limits.agent_step_budget
        self._episode_left = remaining.agent_time
        if self._episode_left is None:
            self._episode_left = limits.agent_episode_budget
        self._answered = time.monotonic()

    def deadline(self) -> float | None:
        """The moment (``time.monotonic``) by which the next action has to be under way."""
        budgets = [each for each in (self._step_budget, self._episode_left) if each is not None]
        if not budgets:
            return None
        seconds = max(0.0, min(budgets))
        return self._answered + seconds - min(LARGEST_MARGIN, MARGIN * seconds)

    def acting(self) -> None:
        """To be called when an action is about to be sent: the agent's time stands still."""
        if self._episode_left is not None:
            self._episode_left -= time.monotonic() - self._answered

    def answered(self) -> None:
        """To be called when the house has answered: the agent's time runs."""
        self._answered = time.monotonic()
