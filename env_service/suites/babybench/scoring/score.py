"""The score of one answer, whatever the question was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from env_service.domain.episode import GoalCondition

NO_ERROR = "none"
HANG = "hang"
"""Values of the label ``published_error`` beside exceptions' classes."""

PARSED = "parsed"
"""The label ``answer`` of an answer that could be read; else an AnswerProblem's value."""


@dataclass(frozen=True, slots=True)
class Score:
    """What an answer came to. ``conditions`` are all met exactly when it succeeded."""

    conditions: tuple[GoalCondition, ...]
    metrics: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def success(self) -> bool:
        """Whether all conditions are met."""
        return all(condition.met for condition in self.conditions)


def error_class(published_error: str) -> str:
    """The label for an error of LLM-BabyBench's evaluator: its class, or NO_ERROR."""
    return published_error.partition(":")[0] or NO_ERROR
