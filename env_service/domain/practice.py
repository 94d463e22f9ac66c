"""Practice: a session whose holder may begin its one task again at any time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from env_service.domain.episode import EpisodeStatus
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.session import A, Session
from env_service.domain.verdict import Decision

_SEEDS = 2**64
"""Seeds travel as uint64."""


@dataclass(slots=True)
class PracticeSession(Session[A]):
    """A Session that can also be reset."""

    def request_reset(self, epoch: int, ordinal: int, now: float) -> Decision[A]:
        """Judges a BeginEpisode that resets: as ``request_begin``, but an open episode is no
        obstacle. With the verdict EXECUTE it is closed, and does not count.

        Raises ProtocolError STEP_IN_FLIGHT while a step or an EndEpisode runs.
        """
        self.admit(epoch, now)
        if ordinal == self.next_ordinal and not self.beginning:
            if self.busy:
                raise ProtocolError(Reason.STEP_IN_FLIGHT)
            self.close_episode(EpisodeStatus.VOIDED)
        return self.request_begin(epoch, ordinal, now)

    @property
    def busy(self) -> bool:
        """Whether any request was received and has no answer yet."""
        return self._running is not None


def house_seeds(seed: int, session: int, sessions: int) -> Iterator[int]:
    """The seeds of the episodes whose agent names none, for session 0 … ``sessions`` - 1 of a
    practice with ``seed``: seed + session + n × sessions for n = 0, 1, …, modulo 2**64.

    So no two sessions play the same one, and what the others do changes nothing.
    """
    n = 0
    while True:
        yield (seed + session + n * sessions) % _SEEDS
        n += 1
