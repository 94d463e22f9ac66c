"""Laboratories in which opening or scoring an episode takes its time."""

from __future__ import annotations

import time

from env_service.domain.episode import EpisodeResult, FinishReason, FirstObservation
from env_service.suites.base import EpisodeOrder
from tests.support.lab import LabEpisode, LabSuite

SECONDS = 2.0


class _SlowStart(LabEpisode):
    def start(self) -> FirstObservation:
        time.sleep(SECONDS)
        return super().start()


class _SlowFinish(LabEpisode):
    def finish(self, reason: FinishReason) -> EpisodeResult:
        time.sleep(SECONDS)
        return super().finish(reason)


class SlowStartSuite(LabSuite):
    """Opening takes SECONDS."""

    def open_episode(self, order: EpisodeOrder) -> LabEpisode:
        """Makes the episode."""
        return _SlowStart(order)


class SlowFinishSuite(LabSuite):
    """Scoring takes SECONDS."""

    def open_episode(self, order: EpisodeOrder) -> LabEpisode:
        """Makes the episode."""
        return _SlowFinish(order)
