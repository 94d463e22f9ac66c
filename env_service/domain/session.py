"""The session state machine: who may do what, and what a repeat gets."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Generic, TypeVar

from env_service.domain.episode import EpisodeStatus
from env_service.domain.reasons import ProtocolError, Reason

# --- The session

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """Seconds. ``None``: unbounded.

    ``step_budget`` bounds the agent's time from our answer to its next request, within an
    episode and between two; ``episode_budget`` its sum over an episode.
    """

    lease: float = 60.0
    grace: float = 120.0
    step_budget: float | None = 600.0
    episode_budget: float | None = 3600.0


class _Operation(Enum):
    BEGIN = auto()
    STEP = auto()
    END = auto()


@dataclass(slots=True)
class _Slot(Generic[A]):
    """The session's latest episode."""

    ordinal: int
    episode_id: str
    opening: A
    status: EpisodeStatus = EpisodeStatus.RUNNING
    next_index: int = 0
    last_action: Hashable = None
    last_answer: A | None = None
    closed_between_steps: bool = False
    agent_seconds: float = 0.0
    last_agent_seconds: float = 0.0

    @property
    def open(self) -> bool:
        return self.status is EpisodeStatus.RUNNING


@dataclass(slots=True)
class Session(Generic[A]):
    """What one agent process may do under its lease. ``A`` is the type of the stored answers.

    ``inspect`` and every ``request_*`` method but ``request_step`` admit the call first. They
    check, in this order: the session lives (SESSION_ENDED or the reason it ended for), the epoch
    is current (SESSION_SUPERSEDED), the lease holds (LEASE_EXPIRED); then they renew the lease and
    decide. A request with verdict EXECUTE must be reported before any other is executed.
    """

    limits: SessionLimits
    resume_token: bytes
    now: float
    epoch: int = 1
    ended: Reason | None = None
    _lease_until: float = field(init=False)
    _spent_token: bytes | None = None
    _called: bool = False
    _slot: _Slot[A] | None = None
    _running: _Operation | None = None
    _running_action: Hashable = None
    _beginning: int = -1
    _all_done: A | None = None
    _answered_at: float = field(init=False)

    def __post_init__(self) -> None:
        self._lease_until = self.now + self.limits.lease
        self._answered_at = self.now

    # --- what the caller may look at

    @property
    def open_episode_id(self) -> str:
        """The running episode, or empty."""
        return self._slot.episode_id if self._slot is not None and self._slot.open else ""

    @property
    def next_ordinal(self) -> int:
        """The ordinal that the next BeginEpisode has to carry."""
        if self._running is _Operation.BEGIN or self._all_done is not None:
            return self._beginning
        return 0 if self._slot is None else self._slot.ordinal + 1

    @property
    def next_step_index(self) -> int:
        """The index that a new step of the latest episode has to carry."""
        return 0 if self._slot is None else self._slot.next_index

    @property
    def step_in_flight(self) -> bool:
        """Whether a step was received and has no answer yet."""
        return self._running is _Operation.STEP

    @property
    def beginning(self) -> bool:
        """Whether a BeginEpisode was received and has no answer yet."""
        return self._running is _Operation.BEGIN

    @property
    def unused(self) -> bool:
        """Whether no call was ever made under it: its grant may have been lost."""
        return not self._called

    @property
    def withdrawn(self) -> bool:
        """Whether the agent left the run."""
        return self.ended is Reason.SESSION_WITHDRAWN

    @property
    def all_done_answered(self) -> bool:
        """Whether BeginEpisode was answered with AllDone."""
        return self._all_done is not None

    @property
    def agent_seconds(self) -> float:
        """Agent time spent in the latest episode, up to the last request."""
        return 0.0 if self._slot is None else self._slot.agent_seconds

    @property
    def last_agent_seconds(self) -> float:
        """Agent time from our last answer to the request that followed it."""
        return 0.0 if self._slot is None else self._slot.last_agent_seconds

    def agent_seconds_left(self) -> float | None:
        """What the last request left of the episode's budget; None: unbounded."""
        if self.limits.episode_budget is None:
            return None
        return max(0.0, self.limits.episode_budget - self.agent_seconds)

    def lease_seconds_left(self, now: float) -> float:
        """Until the lease runs out; negative in the grace period."""
        return self._lease_until - now

    # --- the lease

    def admit(self, epoch: int, now: float) -> None:
        """Checks a call of any kind and renews the lease. Raises ProtocolError."""
        self.hold(epoch, now)
        self._called = True
        self._spent_token = None

    def hold(self, epoch: int, now: float) -> None:
        """Checks an open Attach and renews the lease. Raises ProtocolError."""
        if self.ended is not None:
            raise ProtocolError(self.ended)
        if epoch != self.epoch:
            raise ProtocolError(
                Reason.SESSION_SUPERSEDED, f"The session is in epoch {self.epoch}, not {epoch}."
            )
        if now > self._lease_until and self._running is None:
            raise ProtocolError(Reason.LEASE_EXPIRED)
        self._renew(now)

    def resume(self, token: bytes, new_token: bytes, now: float) -> None:
        """Hands the session to a new holder: the epoch rises, the token is spent.

        A grant may be lost on its way. So the token that won an epoch still resumes until
        the first call of that epoch, which proves that the grant arrived. Raises
        ProtocolError RESUME_REFUSED, or why the session ended.
        """
        if self.ended is not None:
            raise ProtocolError(self.ended)
        if token not in (self.resume_token, self._spent_token):
            raise ProtocolError(Reason.RESUME_REFUSED)
        self._spent_token, self.resume_token = token, new_token
        self.epoch += 1
        self._renew(now)

    def grant_again(self, new_token: bytes, now: float) -> None:
        """Hands a session under which no call was ever made to a new holder.

        Raises ProtocolError SEAT_TAKEN once there was one, or why the session ended.
        """
        if self.ended is not None:
            raise ProtocolError(self.ended)
        if self._called:
            raise ProtocolError(Reason.SEAT_TAKEN)
        self.resume_token = new_token
        self.epoch += 1
        self._renew(now)

    def end(self, reason: Reason) -> None:
        """Ends the session: later calls fail with ``reason``. A second end changes nothing."""
        if self.ended is None:
            self.ended = reason

    # --- requests

    def request_begin(self, epoch: int, ordinal: int, now: float) -> Decision[A]:
        """Judges a BeginEpisode."""
        self.admit(epoch, now)
        if self._running is _Operation.BEGIN and ordinal == self._beginning:
            return Decision(Verdict.JOIN)
        if self._all_done is not None and ordinal == self._beginning:
            return Decision(Verdict.REPLAY, self._all_done)
        if self._slot is not None and ordinal == self._slot.ordinal:
            return Decision(Verdict.REPLAY, self._slot.opening)
        if ordinal != self.next_ordinal:
            raise ProtocolError(
                Reason.EPISODE_OUT_OF_ORDER,
                f"Episode ordinal {ordinal}; the next one is {self.next_ordinal}.",
            )
        if self.open_episode_id or self._running is not None:
            raise ProtocolError(Reason.EPISODE_STILL_OPEN)
        self._running = _Operation.BEGIN
        self._beginning = ordinal
        return Decision(Verdict.EXECUTE)

    def request_step(self, index: int, action: Hashable, now: float) -> Decision[A]:
        """Judges a Step that ``inspect`` has just admitted.

        An action can only be read once its episode is known, hence in two calls. ``action`` is
        compared by equality with that of a repeat.
        """
        slot = self._require_slot()
        if index == slot.next_index - 1:
            self._same_action(slot.last_action, action, index)
            return Decision(Verdict.REPLAY, slot.last_answer)
        if index != slot.next_index:
            raise ProtocolError(
                Reason.STEP_OUT_OF_ORDER, f"Step {index}; the next one is {slot.next_index}."
            )
        if self._running is _Operation.STEP:
            self._same_action(self._running_action, action, index)
            return Decision(Verdict.JOIN)
        if not slot.open and slot.closed_between_steps:
            return Decision(Verdict.CLOSED, status=slot.status)
        if not slot.open or self._running is not None:
            raise ProtocolError(Reason.EPISODE_NOT_OPEN, f"Episode {slot.episode_id} has ended.")
        self._stop_agent_clock(now)
        self._running = _Operation.STEP
        self._running_action = action
        return Decision(Verdict.EXECUTE)

    def request_end(self, epoch: int, episode_id: str, now: float) -> Decision[A]:
        """Judges an EndEpisode."""
        self.admit(epoch, now)
        slot = self._slot_of(episode_id)
        if self._running is _Operation.END:
            return Decision(Verdict.JOIN)
        if not slot.open:
            return Decision(Verdict.CLOSED, status=slot.status)
        if self._running is not None:
            raise ProtocolError(Reason.STEP_IN_FLIGHT)
        self._stop_agent_clock(now)
        self._running = _Operation.END
        return Decision(Verdict.EXECUTE)

    def request_withdraw(self, epoch: int, now: float) -> Decision[A]:
        """Judges a Withdraw. EXECUTE has ended the session, and closed its open episode.

        The caller cancels a BeginEpisode that runs. A repeat gets JOIN, for ever.
        """
        if self.withdrawn and epoch == self.epoch:
            return Decision(Verdict.JOIN)
        self.admit(epoch, now)
        if self._running not in (None, _Operation.BEGIN):
            raise ProtocolError(Reason.STEP_IN_FLIGHT)
        if self.open_episode_id:
            self._stop_agent_clock(now)
            self.close_episode(EpisodeStatus.VOIDED)
        self.end(Reason.SESSION_WITHDRAWN)
        return Decision(Verdict.EXECUTE)

    def inspect(self, epoch: int, episode_id: str, now: float) -> None:
        """Admits a request about an episode, which has to be the session's latest."""
        self.admit(epoch, now)
        self._slot_of(episode_id)

    # --- reports

    def begun(self, episode_id: str, answer: A, now: float) -> None:
        """An episode has begun."""
        self._slot = _Slot(self._beginning, episode_id, answer)
        self._finish_operation(now)

    def all_done(self, answer: A, now: float) -> None:
        """BeginEpisode found nothing left; the same ordinal gets the same answer for ever."""
        self._all_done = answer
        self._finish_operation(now)

    def begin_failed(self, now: float) -> None:
        """BeginEpisode ended with an error; the same ordinal may be tried again."""
        self._finish_operation(now)

    def stepped(self, answer: A, status: EpisodeStatus, now: float) -> None:
        """The running step has its answer."""
        slot = self._require_slot()
        slot.last_answer, slot.last_action = answer, self._running_action
        slot.next_index += 1
        slot.status = status
        self._finish_operation(now)

    def ended_episode(self, status: EpisodeStatus, now: float) -> None:
        """The running EndEpisode is done."""
        self._require_slot().status = status
        self._finish_operation(now)

    def restate(self, answer: A | None) -> None:
        """Replaces the stored answer of the last step by one that says the same."""
        if self._slot is not None and self._slot.last_answer is not None and answer is not None:
            self._slot.last_answer = answer

    def revise(self, status: EpisodeStatus) -> None:
        """The service could not score an episode that it had closed between two requests."""
        if self._slot is not None and self._slot.closed_between_steps:
            self._slot.status = status

    def close_episode(self, status: EpisodeStatus) -> None:
        """The service closes the open episode between two requests. No-op if none is open."""
        if self._slot is not None and self._slot.open:
            self._slot.status = status
            self._slot.closed_between_steps = True

    # --- time

    def tick(self, now: float) -> Expiry | None:
        """Applies what the time does. The caller then finishes the episode that it closed.

        While an operation runs, nothing expires: that is the service's time.
        """
        if self.ended is not None or self._running is not None:
            return None
        if now > self._lease_until + self.limits.grace:
            self.close_episode(EpisodeStatus.TRUNCATED)
            self.end(Reason.SESSION_ENDED)
            return Expiry.AGENT_LOST
        if now <= self._budget_until():
            return None
        if self.open_episode_id:
            self._stop_agent_clock(now)
            self._answered_at = now
            self.close_episode(EpisodeStatus.TRUNCATED)
            return Expiry.AGENT_TIMEOUT
        if self._all_done is not None:
            return None
        self.end(Reason.SESSION_IDLE)
        return Expiry.IDLE

    def _budget_until(self) -> float:
        step, episode = self.limits.step_budget, self.limits.episode_budget
        deadlines = [self._answered_at + step] if step is not None else []
        if self.open_episode_id and episode is not None:
            deadlines.append(self._answered_at + episode - self.agent_seconds)
        return min(deadlines, default=float("inf"))

    # --- inside

    def _renew(self, now: float) -> None:
        self._lease_until = max(self._lease_until, now + self.limits.lease)

    def _stop_agent_clock(self, now: float) -> None:
        slot = self._require_slot()
        slot.last_agent_seconds = now - self._answered_at
        slot.agent_seconds += slot.last_agent_seconds

    def _finish_operation(self, now: float) -> None:
        self._running = None
        self._running_action = None
        self._answered_at = now
        self._renew(now)

    def _require_slot(self) -> _Slot[A]:
        if self._slot is None:
            raise RuntimeError("a report came for an episode that never began")
        return self._slot

    def _slot_of(self, episode_id: str) -> _Slot[A]:
        if self._slot is None or self._slot.episode_id != episode_id:
            raise ProtocolError(
                Reason.EPISODE_NOT_OPEN, f"Episode {episode_id!r} is not the session's latest."
            )
        return self._slot

    @staticmethod
    def _same_action(known: Hashable, action: Hashable, index: int) -> None:
        if known != action:
            raise ProtocolError(
                Reason.STEP_CONFLICT, f"Step {index} was already received with another action."
            )


# --- How a session judges requests, and the passing of time


class Verdict(Enum):
    """What the caller has to do with a request that was accepted."""

    EXECUTE = auto()
    """Do it, then report with ``begun``, ``stepped`` or ``ended``."""
    JOIN = auto()
    """The same request is running: wait for it and give its answer."""
    REPLAY = auto()
    """It was done: give the stored answer again."""
    CLOSED = auto()
    """The episode is over; answer with its status and execute nothing."""


@dataclass(frozen=True, slots=True)
class Decision(Generic[A]):
    """A verdict, with the answer for REPLAY and the status for CLOSED."""

    verdict: Verdict
    answer: A | None = None
    status: EpisodeStatus | None = None


class Expiry(Enum):
    """What the passing of time did to a session."""

    AGENT_TIMEOUT = auto()
    """A budget ran out: the open episode is closed, the session lives."""
    AGENT_LOST = auto()
    """The grace period ran out: the session ended, with its open episode if any."""
    IDLE = auto()
    """The session was held too long without an episode, and ended."""


# --- Practice: a session whose holder may begin its one task again at any time

_SEEDS = 2**64
"""Seeds travel as uint64."""


@dataclass(slots=True)
class PracticeSession(Session[A]):
    """A Session that can also be reset."""

    def request_reset(self, epoch: int, ordinal: int, now: float) -> Decision[A]:
        """Judges a BeginEpisode that resets: as ``request_begin``, but an open episode is allowed.
        With the verdict EXECUTE it is closed, and does not count.

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


def practice_seeds(seed: int, session: int, sessions: int) -> Iterator[int]:
    """The seeds of the episodes whose agent names none, for session 0 … ``sessions`` - 1 of a
    practice with ``seed``: seed + session + n × sessions for n = 0, 1, …, modulo 2**64.

    So no two sessions play the same one, and what the others do changes nothing.
    """
    n = 0
    while True:
        yield (seed + session + n * sessions) % _SEEDS
        n += 1
