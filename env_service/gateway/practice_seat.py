"""One seat for practice: its session can be reset, and what it plays counts nowhere."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from houseguest.agent.v1 import agent_pb2

from env_service.domain.failure import Withdrawal, WorldFault
from env_service.domain.ledger import Assignment
from env_service.domain.practice import PracticeSession
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.task import Task
from env_service.domain.verdict import Decision, Verdict
from env_service.gateway.playing import EpisodeInPlay
from env_service.gateway.records import NoRecords
from env_service.gateway.seat import Answer, Seat
from env_service.gateway.settings import HouseLimits
from env_service.gateway.table import Attached, Table
from env_service.results.usage import Usage

LOG = logging.getLogger(__name__)

TRIES = 3
"""How often in a row a world may fail to begin the task before the agent hears of it."""


class PracticeDealer:
    """A Dealer (see gateway.dealer) that deals one seat the same task, again and again."""

    def __init__(
        self,
        table: Table[NoRecords],
        task: Task,
        seeds: Iterator[int],
        broke_down: Callable[[str], None],
    ) -> None:
        """``seeds`` are those of the episodes whose agent names none; ``broke_down`` is told
        why, when there is no worker to be had."""
        self.table = table
        self.task = task
        self.over = False
        """Set when the practice closes."""
        self.broke_down = broke_down
        self._seeds = seeds
        self._failed = 0

    def choose(self, seed: int | None) -> None:
        """The next episode's seed; None: the next of the house's own."""
        self.table = replace(self.table, seed=next(self._seeds) if seed is None else seed)
        self._failed = 0

    async def deal(self) -> Assignment | None:
        """The task. Raises ProtocolError DRAINING, or TASK_NOT_BEGUN after TRIES faults."""
        if self.over:
            raise ProtocolError(Reason.DRAINING)
        if self._failed >= TRIES:
            raise ProtocolError(Reason.TASK_NOT_BEGUN)
        return Assignment(self.task, repeat=0)

    def attempt(self, assignment: Assignment) -> int:
        """Which try at this task it is, from 1."""
        del assignment
        return self._failed + 1

    def opened(self, play: EpisodeInPlay) -> None:
        """Nothing is counted."""

    def completed(self, play: EpisodeInPlay) -> None:
        """Nothing is counted."""

    def voided(self, play: EpisodeInPlay, fault: WorldFault) -> None:
        """An episode was lost to the house."""
        del play
        self._failed += 1
        LOG.warning("practice of %s: %s", self.task.id, fault)

    def withdrew(self, session_id: str, withdrawal: Withdrawal, play: EpisodeInPlay | None) -> None:
        """The seat is free for another session."""

    def charge(self, usage: Usage) -> None:
        """No budget is kept."""

    def returned(self, assignment: Assignment) -> None:
        """Nothing is counted."""


class PracticeSeat(Seat):
    """A Seat that serves PracticeReset."""

    def __init__(
        self, session_id: str, dealer: PracticeDealer, limits: HouseLimits, attached: Attached
    ) -> None:
        super().__init__(session_id, dealer, limits, attached)
        self._practice = dealer
        self._resettable: PracticeSession[Answer] = PracticeSession(
            limits.session, secrets.token_bytes(24), time.monotonic()
        )
        self.session = self._resettable

    def leave(self) -> None:
        """Ends the session at once, for another one to take its place."""
        self._abandoned = True
        self.session.end(Reason.SESSION_REPLACED)
        self._operations.cancel()
        self._drop()
        self.notify()

    def _judge_begin(self, request: agent_pb2.BeginEpisodeRequest, now: float) -> Decision[Answer]:
        epoch, ordinal = request.session_epoch, request.episode_ordinal
        if request.HasField("practice"):
            decision = self._resettable.request_reset(epoch, ordinal, now)
        else:
            decision = self.session.request_begin(epoch, ordinal, now)
        if decision.verdict is Verdict.EXECUTE:
            named = request.practice.HasField("seed")
            self._practice.choose(request.practice.seed if named else None)
            self._drop()
        return decision

    def _drop(self) -> None:
        """Lets go of the open episode, unless it is being scored already."""
        play = self._play
        if play is not None and play.live and not play.finishing:
            play.drop()
