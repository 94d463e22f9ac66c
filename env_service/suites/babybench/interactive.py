"""The levels themselves, played action by action: the suite ``babyai`` does it.

It is asked through the interface of any suite; what is added are labels for our reports.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from env_service.domain.action import Action
from env_service.domain.episode import (
    Episode,
    EpisodeResult,
    FinishReason,
    FirstObservation,
    StepReport,
)
from env_service.suites.babybench.scoring.classes import subject_labels
from env_service.suites.babybench.tasks import read_task
from env_service.suites.base import EpisodeOrder, Suite
from env_service.suites.registry import load_suite


@cache
def player() -> Suite:
    """The suite that plays. Its settings are among ours, its tasks' data within ours."""
    return load_suite("babyai")


class InteractiveEpisode:
    """An Episode (see domain.episode) of ``babyai``, with our labels in its result."""

    def __init__(self, order: EpisodeOrder) -> None:
        """Hands the order on."""
        self._subject = read_task(order.task)
        self._episode: Episode = player().open_episode(order)

    def start(self) -> FirstObservation:
        """Generates the level and shows it."""
        first = self._episode.start()
        return replace(first, context={**first.context, "question": self._subject.question.value})

    def act(self, action: Action) -> StepReport:
        """Takes one turn."""
        return self._episode.act(action)

    def finish(self, reason: FinishReason) -> EpisodeResult:
        """Scores the episode. Success is minigrid's: the mission ended with a reward."""
        result = self._episode.finish(reason)
        return replace(result, labels={**result.labels, **subject_labels(self._subject)})

    def state_digest(self) -> str:
        """SHA-256 (hex) of the world's true state."""
        return self._episode.state_digest()

    def close(self) -> None:
        """Closes the episode."""
        self._episode.close()
