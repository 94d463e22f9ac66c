"""Random schedules of calls, losses and resumes against what the protocol promises.

Two holders drive one session over a wire that loses answers. Whatever they do: every step
is executed at most once and in order, equal keys get equal answers, and an old holder
changes nothing. Whoever withdraws is out for good, and withdraws once.
"""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from env_service.domain.episode import EpisodeStatus
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.session import Expiry, Session, SessionLimits, Verdict
from tests.support.whole import everything

LIMITS = SessionLimits(lease=10, grace=20, step_budget=30, episode_budget=60)
ACTIONS = st.sampled_from(["left", "right", "forward"])
CONFLICTS = {Reason.STEP_CONFLICT, Reason.STEP_OUT_OF_ORDER, Reason.EPISODE_NOT_OPEN}
BUSY = {Reason.EPISODE_STILL_OPEN, Reason.STEP_IN_FLIGHT, Reason.EPISODE_OUT_OF_ORDER}
GONE = {
    Reason.SESSION_SUPERSEDED,
    Reason.LEASE_EXPIRED,
    Reason.SESSION_ENDED,
    Reason.SESSION_IDLE,
    Reason.SESSION_WITHDRAWN,
}


class SessionMachine(RuleBasedStateMachine):
    """The service's side is played by the rules that finish operations."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.session: Session[str] = Session(LIMITS, b"0", self.now)
        self.tokens = [b"0"]
        self.executed: list[tuple[str, int, str]] = []
        self.answers: dict[tuple[str, int], str] = {}
        self.running: tuple[str, int, str] | str | None = None
        self.episodes = 0
        self.over: set[str] = set()
        self.spent: bytes | None = None
        self.withdrew = False

    @property
    def episode(self) -> str:
        return f"ep{self.episodes - 1}"

    def called(self, error: ProtocolError | None = None) -> None:
        """A call of the newest epoch, even a refused one, proves that its grant arrived."""
        if error is None or error.reason not in GONE:
            self.spent = None

    def known(self, error: ProtocolError, *expected: set[Reason]) -> None:
        self.called(error)
        assert any(error.reason in group for group in (GONE, *expected)), error

    @rule(epoch_lag=st.integers(0, 1), action=ACTIONS, offset=st.integers(-2, 1))
    def step(self, epoch_lag: int, action: str, offset: int) -> None:
        index = max(0, self.session.next_step_index + offset)
        epoch = self.session.epoch - epoch_lag
        try:
            self.session.inspect(epoch, self.episode, self.now)
            decision = self.session.request_step(index, action, self.now)
        except ProtocolError as error:
            self.known(error, CONFLICTS)
            return
        assert epoch_lag == 0
        assert not self.withdrew
        self.called()
        key = (self.episode, index)
        match decision.verdict:
            case Verdict.EXECUTE:
                assert self.running is None
                assert index == len([e for e in self.executed if e[0] == self.episode])
                assert self.episode not in self.over
                self.running = (*key, action)
                self.executed.append((*key, action))
            case Verdict.JOIN:
                assert self.running == (*key, action)
            case Verdict.REPLAY:
                assert (*key, action) in self.executed
                assert decision.answer == self.answers[key]
            case Verdict.CLOSED:
                assert self.episode in self.over
                assert decision.status is not EpisodeStatus.RUNNING

    @precondition(lambda self: isinstance(self.running, tuple))
    @rule(status=st.sampled_from(list(EpisodeStatus)), took=st.floats(0, 50))
    def step_finishes(self, status: EpisodeStatus, took: float) -> None:
        assert isinstance(self.running, tuple)
        episode, index, _ = self.running
        self.now += took
        answer = f"{self.running}"
        self.session.stepped(answer, status, self.now)
        self.answers[(episode, index)] = answer
        if status is not EpisodeStatus.RUNNING:
            self.over.add(episode)
        self.running = None

    @rule(epoch_lag=st.integers(0, 1), offset=st.integers(-1, 1))
    def begin(self, epoch_lag: int, offset: int) -> None:
        epoch = self.session.epoch - epoch_lag
        ordinal = max(0, self.session.next_ordinal + offset)
        try:
            decision = self.session.request_begin(epoch, ordinal, self.now)
        except ProtocolError as error:
            self.known(error, BUSY)
            return
        assert epoch_lag == 0
        assert not self.withdrew
        self.called()
        if decision.verdict is Verdict.EXECUTE:
            assert self.running is None
            assert self.episodes == 0 or self.episode in self.over
            assert ordinal == self.episodes
            self.running = "begin"
        elif decision.verdict is Verdict.JOIN:
            assert self.running == "begin"
        else:
            assert decision.answer == f"opening {ordinal}"

    @precondition(lambda self: self.running == "begin")
    @rule(fails=st.booleans())
    def begin_finishes(self, fails: bool) -> None:
        if fails:
            self.session.begin_failed(self.now)
        else:
            self.episodes += 1
            self.session.begun(self.episode, f"opening {self.episodes - 1}", self.now)
        self.running = None

    @rule(epoch_lag=st.integers(0, 1))
    def end(self, epoch_lag: int) -> None:
        epoch = self.session.epoch - epoch_lag
        try:
            decision = self.session.request_end(epoch, self.episode, self.now)
        except ProtocolError as error:
            self.known(error, CONFLICTS, BUSY)
            return
        assert not self.withdrew
        self.called()
        if decision.verdict is Verdict.EXECUTE:
            assert self.running is None
            self.running = "end"

    @precondition(lambda self: self.running == "end")
    @rule()
    def end_finishes(self) -> None:
        self.session.ended_episode(EpisodeStatus.TERMINATED, self.now)
        self.over.add(self.episode)
        self.running = None

    @rule(epoch_lag=st.integers(0, 1))
    def withdraw(self, epoch_lag: int) -> None:
        epoch, open_one = self.session.epoch - epoch_lag, self.session.open_episode_id
        try:
            decision = self.session.request_withdraw(epoch, self.now)
        except ProtocolError as error:
            self.known(error, {Reason.STEP_IN_FLIGHT})
            running = self.running is not None and self.running != "begin"
            assert running or error.reason is not Reason.STEP_IN_FLIGHT
            return
        assert epoch_lag == 0
        assert decision.verdict is (Verdict.JOIN if self.withdrew else Verdict.EXECUTE)
        if decision.verdict is Verdict.EXECUTE:
            self.called()
            assert self.running in (None, "begin")
            self.withdrew = True
        if open_one:
            self.over.add(open_one)
        if self.running == "begin":
            # What the service does: the one that waits is cancelled.
            self.session.begin_failed(self.now)
            self.running = None

    @rule(which=st.integers(0, 3))
    def resume(self, which: int) -> None:
        token = self.tokens[-1 - which % len(self.tokens)]
        new = str(len(self.tokens)).encode()
        try:
            self.session.resume(token, new, self.now)
        except ProtocolError as error:
            assert error.reason in GONE | {Reason.RESUME_REFUSED}
            assert token not in (self.tokens[-1], self.spent) or self.session.ended is not None
            return
        assert not self.withdrew
        assert token in (self.tokens[-1], self.spent)
        self.spent = token
        self.tokens.append(new)

    @rule(seconds=st.floats(0, 40))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds
        expiry = self.session.tick(self.now)
        if expiry is not None:
            assert self.running is None
            assert not self.withdrew
        if expiry in (Expiry.AGENT_TIMEOUT, Expiry.AGENT_LOST) and self.episodes:
            self.over.add(self.episode)

    @invariant()
    def every_step_once_and_in_order(self) -> None:
        for episode in {e for e, _, _ in self.executed}:
            indices = [index for e, index, _ in self.executed if e == episode]
            assert indices == list(range(len(indices)))

    @invariant()
    def at_most_one_episode_is_open(self) -> None:
        open_one = self.session.open_episode_id
        assert open_one in ("", self.episode)
        assert (open_one != "") == (self.episodes > 0 and self.episode not in self.over)


SessionMachine.TestCase.settings = settings(
    max_examples=200 if everything() else 100,
    stateful_step_count=60,
    deadline=None,
    derandomize=True,
)
TestSessionModel = SessionMachine.TestCase
