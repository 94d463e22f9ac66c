"""Where what becomes of an episode is written: in a run's folder, or nowhere."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Protocol

from env_service.results.records import EpisodeRecord, VoidRecord
from env_service.results.transcript import Exchange, TranscriptHeader
from env_service.results.uncounted import UncountedRecord


class Minutes(Protocol):
    """Of one episode, while it is played."""

    count: int
    """Exchanges so far."""

    def append(self, exchange: Exchange) -> None:
        """Notes one exchange."""

    def close(self) -> str:
        """Ends them, and returns the head of their chain. May be called twice."""


class Records(Protocol):
    """What an episode asks of where it is recorded. RunFolder is one."""

    @property
    def frames(self) -> Path | None:
        """The folder of the FrameStore for its pictures; None keeps none."""

    def transcript(self, header: TranscriptHeader) -> Minutes:
        """Begins an episode's minutes."""

    def record(self, record: EpisodeRecord) -> None:
        """Counts an episode."""

    def record_void(self, record: VoidRecord) -> None:
        """Notes a voided attempt."""

    def record_uncounted(self, record: UncountedRecord) -> None:
        """Notes an episode without an end, or a withdrawal."""


class _NoMinutes:
    count = 0

    def append(self, exchange: Exchange) -> None:
        """Drops it."""

    def close(self) -> str:
        """There is no chain."""
        return ""


class NoRecords:
    """Records that keep nothing of an episode, in memory or on the disk.

    ``logs`` is a scratch folder for what processes write about themselves, until ``close``.
    """

    frames: Path | None = None

    def __init__(self) -> None:
        self.logs = Path(tempfile.mkdtemp(prefix="houseguest-practice-"))

    def transcript(self, header: TranscriptHeader) -> Minutes:
        """Minutes that keep nothing."""
        del header
        return _NoMinutes()

    def record(self, record: EpisodeRecord) -> None:
        """Drops it."""

    def record_void(self, record: VoidRecord) -> None:
        """Drops it."""

    def record_uncounted(self, record: UncountedRecord) -> None:
        """Drops it."""

    def close(self) -> None:
        """Removes the scratch folder. May be called twice."""
        shutil.rmtree(self.logs, ignore_errors=True)
