"""What the seats of a run share."""

from __future__ import annotations

from typing import Protocol

from env_service.domain.failure import WorldFault
from env_service.domain.ledger import Assignment
from env_service.gateway.playing import EpisodeInPlay, Table


class Dealer(Protocol):
    """What a seat asks of its run."""

    table: Table

    async def deal(self) -> Assignment | None:
        """The next task; None when all are final. Raises ProtocolError DRAINING."""

    def attempt(self, assignment: Assignment) -> int:
        """Which try at this task it is, from 1."""

    def opened(self, play: EpisodeInPlay) -> None:
        """An episode has begun."""

    def completed(self, play: EpisodeInPlay) -> None:
        """An episode is final and recorded."""

    def voided(self, play: EpisodeInPlay, fault: WorldFault) -> None:
        """An episode was lost to the house."""

    def returned(self, assignment: Assignment) -> None:
        """An episode was abandoned because its session or the house is closing."""

    def broke_down(self, why: str) -> None:
        """The house cannot go on with this run."""
