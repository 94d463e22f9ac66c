"""What the seats of a run share."""

from __future__ import annotations

from typing import Protocol

from env_service.domain.failure import Withdrawal, WorldFault
from env_service.domain.ledger import Assignment
from env_service.gateway.playing import EpisodeInPlay
from env_service.gateway.records import Records
from env_service.gateway.table import Table
from env_service.results.usage import Usage


class Dealer(Protocol):
    """What a seat asks of its run."""

    @property
    def table(self) -> Table[Records]:
        """What the next episode is played with."""

    @property
    def over(self) -> bool:
        """Whether nothing will be played or recorded any more."""

    async def deal(self) -> Assignment | None:
        """The next task; None when none can come any more. Raises ProtocolError DRAINING."""

    def attempt(self, assignment: Assignment) -> int:
        """Which try at this task it is, from 1."""

    def opened(self, play: EpisodeInPlay) -> None:
        """An episode has begun."""

    def completed(self, play: EpisodeInPlay) -> None:
        """An episode is final and recorded."""

    def voided(self, play: EpisodeInPlay, fault: WorldFault) -> None:
        """An episode was lost to the house."""

    def withdrew(self, session_id: str, withdrawal: Withdrawal, play: EpisodeInPlay | None) -> None:
        """A guest left the run, and its open episode, if it had one."""

    def charge(self, usage: Usage) -> None:
        """A guest says that its model was used."""

    def returned(self, assignment: Assignment) -> None:
        """An episode was abandoned because its session or the house is closing."""

    def broke_down(self, why: str) -> None:
        """The house cannot go on with this run."""
