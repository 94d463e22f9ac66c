"""The context of an episode: the fixed parts of its run, its agent, and its records."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import EpisodeResult
from env_service.domain.observation import ObservationRequest
from env_service.domain.outcome import Disclosure
from env_service.domain.usage import Usage
from env_service.engine.base import Engine
from env_service.results.records import EpisodeRecord, UncountedRecord, VoidRecord
from env_service.results.transcript import Exchange, TranscriptHeader
from env_service.suites.base import Suite

# --- Where what becomes of an episode is written: in a run's folder, or nowhere


class TranscriptWriter(Protocol):
    """Writes the transcript of one episode."""

    count: int
    """Exchanges so far."""

    def append(self, exchange: Exchange) -> None:
        """Notes one exchange."""

    def close(self) -> str:
        """Ends them, and returns the head of their chain. May be called twice."""


class EpisodeRecords(Protocol):
    """Where episodes are recorded, as RunFolder does."""

    @property
    def frames(self) -> Path | None:
        """The folder of the FrameStore for its pictures; None keeps none."""

    def transcript(self, header: TranscriptHeader) -> TranscriptWriter:
        """Begins an episode's transcript."""

    def record(self, record: EpisodeRecord) -> None:
        """Counts an episode."""

    def record_void(self, record: VoidRecord) -> None:
        """Notes a voided attempt."""

    def record_uncounted(self, record: UncountedRecord) -> None:
        """Notes an episode without an end, or a withdrawal."""


class _NullTranscript:
    count = 0

    def append(self, exchange: Exchange) -> None:
        """Drops it."""

    def close(self) -> str:
        """Returns an empty head: nothing is recorded."""
        return ""


class NullRecords:
    """Records that keep nothing of an episode, in memory or on the disk.

    ``logs`` is a scratch folder for what processes write about themselves, until ``close``.
    """

    frames: Path | None = None

    def __init__(self) -> None:
        self.logs = Path(tempfile.mkdtemp(prefix="houseguest-practice-"))

    def transcript(self, header: TranscriptHeader) -> TranscriptWriter:
        """A transcript that keeps nothing."""
        del header
        return _NullTranscript()

    def record(self, record: EpisodeRecord) -> None:
        """Drops it."""

    def record_void(self, record: VoidRecord) -> None:
        """Drops it."""

    def record_uncounted(self, record: UncountedRecord) -> None:
        """Drops it."""

    def close(self) -> None:
        """Removes the scratch folder. May be called twice."""
        shutil.rmtree(self.logs, ignore_errors=True)


# --- What an episode is played with, and by whom

NO_USAGE = Usage()
R_co = TypeVar("R_co", bound=EpisodeRecords, covariant=True)


def nothing_disclosed(_result: EpisodeResult) -> agent_pb2.PracticeResult | None:
    """What an agent sees of the result of an episode that counts: nothing."""
    return None


@dataclass(frozen=True, slots=True)
class RunContext(Generic[R_co]):
    """The fixed parts of a run, for every episode."""

    run_id: str
    suite: Suite
    world: str
    condition: Mapping[str, str]
    disclosure: Disclosure
    engine: Engine
    folder: R_co
    seed: int
    episode_budget: float | None
    """Agent seconds for one episode; None: unbounded."""
    disclose_result: Callable[[EpisodeResult], agent_pb2.PracticeResult | None] = nothing_disclosed
    """What the agent is shown of an episode's result."""
    features: tuple[agent_pb2.Feature.ValueType, ...] = ()
    """What the lease offers beyond what the suite does."""


@dataclass(frozen=True, slots=True)
class AttachGrant:
    """What the service granted the holder of a lease in Attach."""

    observation: ObservationRequest
    references: bool
    agent: str


@dataclass(frozen=True, slots=True)
class EpisodeAgent:
    """The agent of an episode: its session, and what it was granted."""

    session: str
    ordinal: int
    request: ObservationRequest
    references: bool
    name: str


@dataclass(frozen=True, slots=True)
class StepClaims:
    """What comes with a request in addition to its action.

    The agent's trace, as JSON; the usage of its model, as the agent reports it; and the agent's
    clock: the seconds of this decision or of the whole episode, and what is left of its budget.
    """

    trace: Mapping[str, object] | None
    agent_seconds: float
    agent_seconds_left: float | None
    usage: Usage = NO_USAGE
