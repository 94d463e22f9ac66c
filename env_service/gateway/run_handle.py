"""The part of a run or a practice that AgentService uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from env_service.domain.observation import ObservationOffer
from env_service.gateway.agent_session import AgentSession
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.run_context import AttachGrant, EpisodeRecords, RunContext
from env_service.gateway.run_state import Counts


class RunHandle(Protocol):
    """A run or a practice with numbered sessions."""

    limits: ServiceLimits
    offer: ObservationOffer
    agent_name: str
    drained_by: float
    """When a draining run abandons its open episodes, by ``time.monotonic``."""

    @property
    def run_id(self) -> str:
        """The id in its leases."""

    @property
    def context(self) -> RunContext[EpisodeRecords]:
        """The fixed parts of its episodes."""

    @property
    def over(self) -> bool:
        """Whether nothing will be played any more."""

    @property
    def draining(self) -> bool:
        """Whether no new episode will begin."""

    def counts(self) -> Counts:
        """How many episodes are done, unscored, and left."""

    async def declare(self, claims: Mapping[str, object]) -> None:
        """Takes an agent's declaration."""

    def serial(self, number: int) -> int:
        """The serial of the newest lease of a session number."""

    def session(self, number: int, serial: int) -> AgentSession | None:
        """The session of a lease; None before it is attached. Raises ProtocolError."""

    def check_vacant(self, number: int) -> None:
        """Raises ProtocolError SEAT_TAKEN, or why no session can begin under this number."""

    def open_session(self, number: int, grant: AttachGrant) -> AgentSession:
        """A new session under a free number. It holds a place of the queue. Raises as
        ``check_vacant``."""
