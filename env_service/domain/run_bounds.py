"""How much one run or practice may ask for, whoever asks: a client or the command line.

The bounds protect the service and every other run in it. They are far above what an evaluation
needs and far below what takes a machine's memory or holds up its other work.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers from ``least`` to ``most``, both included; above 0 where ``least`` is None."""

    least: int | None
    most: int

    def holds(self, number: float) -> bool:
        """Whether a number is within the range. NaN is not."""
        if self.least is None:
            return 0 < number <= self.most
        return self.least <= number <= self.most

    def __str__(self) -> str:
        """The range as the end of a sentence, after "has to be"."""
        if self.least is None:
            return f"above 0 and up to {self.most}"
        return f"from {self.least} to {self.most}"


SESSIONS = Range(1, 1024)
"""Sessions of one run or practice. The answer that opens it carries a token of about 150 bytes for
each, which together stay far below the 4 MiB that a gRPC client takes by default."""

MOST_PLACES = 65_536
"""Sessions that one service plays at once, of all runs together."""

REPEATS = Range(1, 10_000)
"""How often a run plays each task."""

MOST_TASKS = 100_000
"""Tasks of one run. The service holds them in memory, one or two kilobytes each."""

MOST_EPISODES = 1_000_000
"""Tasks times repeats of one run. Each leaves a transcript in the run's folder."""

WORKERS = Range(0, 1024)
"""Worker processes of one run; 0 lets the service choose."""

SEED = Range(0, 2**64 - 1)

LIMIT = Range(0, 2**32 - 1)
"""Of the selected tasks, the first so many; 0 takes all."""

SECONDS = Range(None, 30 * 24 * 3600)
"""Seconds of a time budget, and of a practice without use: up to thirty days."""

COST_USD = Range(None, 10**9)
"""US dollars that the models of a run may cost."""

TOKENS = Range(1, 10**15)
"""Tokens that the models of a run may send and receive."""
