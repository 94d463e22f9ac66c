"""What an episode is played with, and by whom."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import EpisodeResult
from env_service.domain.observation import ObservationRequest
from env_service.domain.outcome import Disclosure
from env_service.engine.base import Engine
from env_service.gateway.records import Records
from env_service.results.usage import Usage
from env_service.suites.base import Suite

NO_USAGE = Usage()
R_co = TypeVar("R_co", bound=Records, covariant=True)


def nothing_told(_result: EpisodeResult) -> agent_pb2.PracticeResult | None:
    """What an agent hears of the result of an episode that counts: nothing."""
    return None


@dataclass(frozen=True, slots=True)
class Table(Generic[R_co]):
    """What every episode of a run is played with: the run's fixed parts."""

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
    tell_result: Callable[[EpisodeResult], agent_pb2.PracticeResult | None] = nothing_told
    """What the agent hears of an episode's result."""
    features: tuple[agent_pb2.Feature.ValueType, ...] = ()
    """What the lease offers beyond what the suite does."""


@dataclass(frozen=True, slots=True)
class Attached:
    """What the holder of a seat asked for and was granted."""

    observation: ObservationRequest
    references: bool
    agent: str


@dataclass(frozen=True, slots=True)
class Guest:
    """Who plays an episode: a session, and what it was granted."""

    session: str
    ordinal: int
    request: ObservationRequest
    references: bool
    agent: str


@dataclass(frozen=True, slots=True)
class StepClaims:
    """What comes with a request beside its action.

    The agent's trace, as JSON, and what it says that its model used; and its clock: the
    seconds of this decision or of the whole episode, and what is left of its budget.
    """

    trace: Mapping[str, object] | None
    agent_seconds: float
    agent_seconds_left: float | None
    usage: Usage = NO_USAGE
