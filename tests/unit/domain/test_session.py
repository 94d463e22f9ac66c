"""The session's rules, one by one. Times are plain numbers: there is no clock here."""

from __future__ import annotations

import pytest

from env_service.domain.episode import EpisodeStatus
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.session import Decision, Expiry, Session, SessionLimits, Verdict

RUNNING, TERMINATED = EpisodeStatus.RUNNING, EpisodeStatus.TERMINATED
LIMITS = SessionLimits(lease=10, grace=20, step_budget=100, episode_budget=150)


def fresh(limits: SessionLimits = LIMITS) -> Session[str]:
    return Session(limits, b"first", 0.0)


def playing(limits: SessionLimits = LIMITS) -> Session[str]:
    session = fresh(limits)
    assert session.request_begin(1, 0, 0.0).verdict is Verdict.EXECUTE
    session.begun("ep", "opening", 0.0)
    return session


def step(session: Session[str], index: int, now: float = 0.0, action: str = "go") -> str:
    assert request_step(session, session.epoch, "ep", index, action, now).verdict is Verdict.EXECUTE
    answer = f"answer {index}"
    session.stepped(answer, RUNNING, now)
    return answer


def request_step(  # noqa: PLR0917 - as a call brings them
    session: Session[str], epoch: int, episode_id: str, index: int, action: str, now: float
) -> Decision[str]:
    session.inspect(epoch, episode_id, now)
    return session.request_step(index, action, now)


def refused(reason: Reason, call: object, *args: object) -> None:
    with pytest.raises(ProtocolError) as caught:
        call(*args)  # type: ignore[operator]
    assert caught.value.reason is reason


class TestSteps:
    def test_a_repeat_of_the_last_step_gets_the_same_answer(self) -> None:
        session = playing()
        answer = step(session, 0)
        decision = request_step(session, 1, "ep", 0, "go", 1.0)
        assert (decision.verdict, decision.answer) == (Verdict.REPLAY, answer)

    def test_a_repeat_while_the_step_runs_joins_it(self) -> None:
        session = playing()
        request_step(session, 1, "ep", 0, "go", 0.0)
        assert request_step(session, 1, "ep", 0, "go", 0.0).verdict is Verdict.JOIN

    @pytest.mark.parametrize("done", [False, True])
    def test_another_action_under_a_used_index_conflicts(self, done: bool) -> None:
        session = playing()
        request_step(session, 1, "ep", 0, "go", 0.0)
        if done:
            session.stepped("answer", RUNNING, 0.0)
        refused(Reason.STEP_CONFLICT, request_step, session, 1, "ep", 0, "stop", 0.0)

    @pytest.mark.parametrize("index", [0, 3])
    def test_any_other_index_is_out_of_order(self, index: int) -> None:
        session = playing()
        step(session, 0)
        step(session, 1)
        refused(Reason.STEP_OUT_OF_ORDER, request_step, session, 1, "ep", index, "go", 0.0)

    def test_another_episode_is_not_open(self) -> None:
        refused(Reason.EPISODE_NOT_OPEN, request_step, playing(), 1, "other", 0, "go", 0.0)

    def test_the_last_answer_is_repeated_after_the_end_until_the_next_begin(self) -> None:
        session = playing()
        request_step(session, 1, "ep", 0, "go", 0.0)
        session.stepped("last", TERMINATED, 0.0)
        assert request_step(session, 1, "ep", 0, "go", 0.0).answer == "last"
        refused(Reason.EPISODE_NOT_OPEN, request_step, session, 1, "ep", 1, "go", 0.0)
        session.request_begin(1, 1, 0.0)
        session.begun("next", "opening 2", 0.0)
        refused(Reason.EPISODE_NOT_OPEN, request_step, session, 1, "ep", 0, "go", 0.0)


class TestBegin:
    def test_a_repeat_gets_the_same_opening_even_after_steps(self) -> None:
        session = playing()
        step(session, 0)
        assert session.request_begin(1, 0, 0.0).answer == "opening"

    def test_a_repeat_while_it_begins_joins(self) -> None:
        session = fresh()
        session.request_begin(1, 0, 0.0)
        assert session.request_begin(1, 0, 0.0).verdict is Verdict.JOIN

    def test_the_next_episode_waits_for_the_end_of_this_one(self) -> None:
        refused(Reason.EPISODE_STILL_OPEN, playing().request_begin, 1, 1, 0.0)

    def test_ordinals_are_counted_one_by_one(self) -> None:
        refused(Reason.EPISODE_OUT_OF_ORDER, playing().request_begin, 1, 5, 0.0)

    def test_all_done_is_said_again(self) -> None:
        session = fresh()
        session.request_begin(1, 0, 0.0)
        session.all_done("nothing", 0.0)
        assert session.request_begin(1, 0, 0.0).answer == "nothing"

    def test_a_failed_begin_may_be_tried_again(self) -> None:
        session = fresh()
        session.request_begin(1, 0, 0.0)
        session.begin_failed(0.0)
        assert session.request_begin(1, 0, 0.0).verdict is Verdict.EXECUTE


class TestEnd:
    def test_ending_twice_changes_nothing(self) -> None:
        session = playing()
        assert session.request_end(1, "ep", 0.0).verdict is Verdict.EXECUTE
        session.ended_episode(TERMINATED, 0.0)
        decision = session.request_end(1, "ep", 0.0)
        assert (decision.verdict, decision.status) == (Verdict.CLOSED, TERMINATED)

    def test_not_while_a_step_runs(self) -> None:
        session = playing()
        request_step(session, 1, "ep", 0, "go", 0.0)
        refused(Reason.STEP_IN_FLIGHT, session.request_end, 1, "ep", 0.0)


class TestResume:
    def test_raises_the_epoch_and_shuts_the_old_holder_out(self) -> None:
        session = playing()
        session.resume(b"first", b"second", 1.0)
        refused(Reason.SESSION_SUPERSEDED, request_step, session, 1, "ep", 0, "go", 1.0)
        assert request_step(session, 2, "ep", 0, "go", 1.0).verdict is Verdict.EXECUTE

    def test_the_new_holder_joins_the_old_holders_step(self) -> None:
        session = playing()
        request_step(session, 1, "ep", 0, "go", 0.0)
        session.resume(b"first", b"second", 1.0)
        assert request_step(session, 2, "ep", 0, "go", 1.0).verdict is Verdict.JOIN

    def test_a_token_is_good_once(self) -> None:
        session = playing()
        session.resume(b"first", b"second", 1.0)
        step_of_the_new_holder = request_step(session, 2, "ep", 0, "go", 1.0)
        assert step_of_the_new_holder.verdict is Verdict.EXECUTE
        refused(Reason.RESUME_REFUSED, session.resume, b"first", b"third", 1.0)

    def test_a_grant_that_was_lost_on_its_way_can_be_had_again(self) -> None:
        session = playing()
        session.resume(b"first", b"lost", 1.0)
        session.hold(2, 1.5)
        session.resume(b"first", b"second", 2.0)
        assert request_step(session, 3, "ep", 0, "go", 2.0).verdict is Verdict.EXECUTE

    def test_says_where_to_go_on(self) -> None:
        session = playing()
        step(session, 0)
        session.resume(b"first", b"second", 1.0)
        assert (session.open_episode_id, session.next_step_index, session.next_ordinal) == (
            "ep",
            1,
            1,
        )


class TestLease:
    def test_every_call_renews_it(self) -> None:
        session = playing()
        for index, now in enumerate((9.0, 18.0, 27.0)):
            step(session, index, now)
        assert session.tick(28.0) is None

    def test_an_expired_lease_needs_a_resume(self) -> None:
        session = playing()
        refused(Reason.LEASE_EXPIRED, request_step, session, 1, "ep", 0, "go", 11.0)
        session.resume(b"first", b"second", 12.0)
        assert request_step(session, 2, "ep", 0, "go", 13.0).verdict is Verdict.EXECUTE

    def test_grace_over_ends_session_and_episode(self) -> None:
        session = playing()
        assert session.tick(30.0) is None
        assert session.tick(31.0) is Expiry.AGENT_LOST
        refused(Reason.SESSION_ENDED, session.resume, b"first", b"second", 32.0)

    def test_a_running_step_is_the_houses_time(self) -> None:
        session = playing()
        request_step(session, 1, "ep", 0, "go", 0.0)
        assert session.tick(1000.0) is None
        session.stepped("late", RUNNING, 1000.0)
        assert request_step(session, 1, "ep", 1, "go", 1001.0).verdict is Verdict.EXECUTE


class TestBudgets:
    LONG = SessionLimits(lease=10_000, grace=20, step_budget=100, episode_budget=150)

    def test_thinking_too_long_over_one_step(self) -> None:
        session = playing(self.LONG)
        assert session.tick(100.0) is None
        assert session.tick(101.0) is Expiry.AGENT_TIMEOUT
        decision = request_step(session, 1, "ep", 0, "go", 102.0)
        assert (decision.verdict, decision.status) == (Verdict.CLOSED, EpisodeStatus.TRUNCATED)

    def test_thinking_too_long_over_the_episode(self) -> None:
        session = playing(self.LONG)
        step(session, 0, 90.0)
        assert session.agent_seconds_left() == 60.0
        assert session.tick(149.0) is None
        assert session.tick(151.0) is Expiry.AGENT_TIMEOUT

    def test_the_worlds_time_is_not_the_agents(self) -> None:
        session = playing(self.LONG)
        request_step(session, 1, "ep", 0, "go", 10.0)
        session.stepped("slow", RUNNING, 500.0)
        assert session.agent_seconds == 10.0
        assert session.tick(590.0) is None

    def test_repeating_a_call_buys_no_time(self) -> None:
        session = playing(self.LONG)
        step(session, 0, 0.0)
        request_step(session, 1, "ep", 0, "go", 99.0)
        assert session.tick(101.0) is Expiry.AGENT_TIMEOUT

    def test_a_seat_is_not_held_for_nothing(self) -> None:
        session = fresh(self.LONG)
        assert session.tick(101.0) is Expiry.IDLE
        refused(Reason.SESSION_IDLE, session.request_begin, 1, 0, 102.0)

    def test_after_a_timeout_the_session_goes_on(self) -> None:
        session = playing(self.LONG)
        session.tick(101.0)
        assert session.request_begin(1, 1, 110.0).verdict is Verdict.EXECUTE


class TestWithdrawing:
    def test_it_ends_the_session_and_its_open_episode(self) -> None:
        session = playing()
        step(session, 0)
        assert session.request_withdraw(1, 1.0).verdict is Verdict.EXECUTE
        assert session.withdrawn
        assert session.open_episode_id == ""
        for call, arguments in (
            (session.request_begin, (1, 1, 2.0)),
            (request_step, (session, 1, "ep", 1, "go", 2.0)),
            (session.request_end, (1, "ep", 2.0)),
            (session.inspect, (1, "ep", 2.0)),
            (session.resume, (b"first", b"second", 2.0)),
            (session.grant_again, (b"second", 2.0)),
        ):
            refused(Reason.SESSION_WITHDRAWN, call, *arguments)

    def test_the_agents_clock_stops(self) -> None:
        session = playing()
        session.request_withdraw(1, 7.0)
        assert session.agent_seconds == 7.0

    def test_it_needs_no_episode(self) -> None:
        assert fresh().request_withdraw(1, 0.0).verdict is Verdict.EXECUTE

    def test_a_repeat_joins_it_for_ever(self) -> None:
        session = fresh()
        session.request_withdraw(1, 0.0)
        assert session.request_withdraw(1, 1000.0).verdict is Verdict.JOIN

    def test_not_while_a_step_runs(self) -> None:
        session = playing()
        request_step(session, 1, "ep", 0, "go", 0.0)
        refused(Reason.STEP_IN_FLIGHT, session.request_withdraw, 1, 0.0)
        session.stepped("answer", RUNNING, 0.0)
        assert session.request_withdraw(1, 0.0).verdict is Verdict.EXECUTE

    def test_not_while_the_episode_is_being_ended(self) -> None:
        session = playing()
        session.request_end(1, "ep", 0.0)
        refused(Reason.STEP_IN_FLIGHT, session.request_withdraw, 1, 0.0)

    def test_a_begin_that_waits_is_no_hindrance(self) -> None:
        session = fresh()
        session.request_begin(1, 0, 0.0)
        assert session.request_withdraw(1, 0.0).verdict is Verdict.EXECUTE
        session.begin_failed(0.0)
        refused(Reason.SESSION_WITHDRAWN, session.request_begin, 1, 0, 0.0)

    def test_an_old_holder_cannot(self) -> None:
        session = playing()
        session.resume(b"first", b"second", 0.0)
        refused(Reason.SESSION_SUPERSEDED, session.request_withdraw, 1, 0.0)
        session.request_withdraw(2, 0.0)
        refused(Reason.SESSION_WITHDRAWN, session.request_withdraw, 1, 0.0)

    def test_nor_one_whose_lease_ran_out(self) -> None:
        refused(Reason.LEASE_EXPIRED, playing().request_withdraw, 1, 15.0)

    def test_time_does_nothing_to_it_any_more(self) -> None:
        session = playing()
        session.request_withdraw(1, 0.0)
        assert session.tick(10_000.0) is None
        assert session.ended is Reason.SESSION_WITHDRAWN
