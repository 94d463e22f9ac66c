"""Whether an agent keeps to the protocol, as far as its refused calls show."""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from env_service.domain.episode import FinishReason
from env_service.domain.failure import EpisodePosition, ProtocolViolation
from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.tokens import Lease

LOG = logging.getLogger(__name__)

MOST_VIOLATIONS = 100
"""Calls in a row that a session may have refused as against the protocol. An agent that is
merely confused after a lost link asks a few times; one that never gets a call right is broken."""

VIOLATIONS = frozenset(
    {
        Reason.MALFORMED_REQUEST,
        Reason.SESSION_FOREIGN,
        Reason.EPISODE_NOT_OPEN,
        Reason.EPISODE_STILL_OPEN,
        Reason.EPISODE_OUT_OF_ORDER,
        Reason.STEP_OUT_OF_ORDER,
        Reason.STEP_CONFLICT,
        Reason.STEP_IN_FLIGHT,
        Reason.ACTION_KIND_NOT_ALLOWED,
        Reason.PLAN_TOO_LONG,
        Reason.OBSERVATION_NOT_OFFERED,
        Reason.FEATURE_NOT_OFFERED,
        Reason.REVISION_NOT_SERVED,
        Reason.SEAT_TAKEN,
        Reason.RESUME_REFUSED,
        Reason.RATE_LIMITED,
        Reason.PRACTICE_ONLY,
    }
)
"""Refusals that an agent which keeps to the protocol does not meet again and again."""

_LIGHT = {Reason.RATE_LIMITED: 0.01}
"""Offences that count less: an agent that pipelines is refused long after it passed it."""


class Evictable(Protocol):
    """What is asked of a session."""

    @property
    def position(self) -> EpisodePosition | None:
        """Where its agent is; None between episodes."""

    async def evict(self, session_reason: Reason, finish: FinishReason) -> None:
        """Ends the session; its open episode, if any, is the agent's failure ``finish``."""


class LeaseViolations:
    """Of the agent that holds one lease."""

    def __init__(self) -> None:
        self.offence: ProtocolViolation | None = None
        """The first refusal since a call was last accepted."""
        self.declared: set[bytes] = set()
        """SHA-256 of what it has said of itself."""
        self._refused = 0.0

    @property
    def broken(self) -> bool:
        """Whether it was refused once too often."""
        return self._refused >= MOST_VIOLATIONS

    def accept(self) -> None:
        """A BeginEpisode, Step or EndEpisode was carried out: what came before is forgiven."""
        self.offence = None
        self._refused = 0.0

    def refuse(self, reason: Reason, message: str, position: EpisodePosition | None) -> bool:
        """Notes a refusal; returns whether it is the one too many, which only one is."""
        if reason not in VIOLATIONS:
            return False
        if self.offence is None:
            self.offence = ProtocolViolation(reason.name, message, position)
        before = self.broken
        self._refused += _LIGHT.get(reason, 1.0)
        return self.broken and not before


class ViolationTracker:
    """The violations of all agents of a service, by lease. A replacement agent has a new lease."""

    def __init__(self) -> None:
        self._known: dict[Lease, LeaseViolations] = {}
        self._dismissing: set[asyncio.Task[None]] = set()

    def of(self, lease: Lease) -> LeaseViolations:
        """The violations of a lease's holder."""
        return self._known.setdefault(lease, LeaseViolations())

    def forget(self, run_id: str) -> None:
        """Drops the violations of the agents of a run or a practice."""
        for lease in [lease for lease in self._known if lease.run_id == run_id]:
            del self._known[lease]

    def refuse(self, lease: Lease, session: Evictable | None, error: ProtocolError) -> None:
        """A call was refused. One too many ends the session, as the agent's failure."""
        position = None if session is None else session.position
        if not self.of(lease).refuse(error.reason, error.message, position):
            return
        LOG.warning("session %d is dismissed: %s", lease.session_number, error)
        if session is not None:
            task = asyncio.ensure_future(
                session.evict(Reason.SESSION_DISMISSED, FinishReason.PROTOCOL_ERROR)
            )
            self._dismissing.add(task)
            task.add_done_callback(self._dismissing.discard)
