"""What a run's plans are given: the names of numbers that the report reads."""

from __future__ import annotations

from env_service.suites.actplan.lcs.splitting import Mode

SCORES = "lcs"
"""Of the file in the run's folder."""

INSTANCES = "instances"
"""That a plan is compared with the gold plans of; every other number is a sum over them."""
LENGTH = "length"
"""Steps of the longest common subsequence, with the gold plan that the plan is most like."""
NORMALISED = "normalised"
"""The same over the longer plan's steps, 0 … 1 an instance."""
MEAN_NORMALISED = "mean_normalised"
"""The mean over gold plans, in the place of the one that the plan is most like."""


def number(mode: Mode, name: str) -> str:
    """What one of these is called in one mode: "clean_length"."""
    return f"{mode.value}_{name}"
