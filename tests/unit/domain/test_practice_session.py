"""A practice session's rules, beside those that it shares with every other."""

from __future__ import annotations

from itertools import islice

import pytest

from env_service.domain.episode import EpisodeStatus
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.session import (
    Decision,
    PracticeSession,
    Session,
    SessionLimits,
    Verdict,
    practice_seeds,
)

RUNNING = EpisodeStatus.RUNNING


def playing() -> PracticeSession[str]:
    session: PracticeSession[str] = PracticeSession(SessionLimits(), b"first", 0.0)
    assert session.request_reset(1, 0, 0.0).verdict is Verdict.EXECUTE
    session.begun("ep-0", "opening 0", 0.0)
    return session


def request_step(  # noqa: PLR0917 - as a call brings them
    session: Session[str], epoch: int, episode_id: str, index: int, action: str, now: float
) -> Decision[str]:
    session.inspect(epoch, episode_id, now)
    return session.request_step(index, action, now)


def refused(reason: Reason, call: object, *args: object) -> None:
    with pytest.raises(ProtocolError) as caught:
        call(*args)  # type: ignore[operator]
    assert caught.value.reason is reason


def test_a_reset_drops_the_open_episode() -> None:
    session = playing()
    assert session.request_reset(1, 1, 0.0).verdict is Verdict.EXECUTE
    assert not session.open_episode_id
    session.begun("ep-1", "opening 1", 0.0)
    assert session.open_episode_id == "ep-1"
    refused(Reason.EPISODE_NOT_OPEN, request_step, session, 1, "ep-0", 0, "go", 0.0)


def test_without_a_reset_the_open_episode_stands() -> None:
    session = playing()
    refused(Reason.EPISODE_STILL_OPEN, session.request_begin, 1, 1, 0.0)
    assert session.open_episode_id == "ep-0"


def test_a_repeat_of_a_reset_gets_the_same_opening_and_drops_nothing() -> None:
    session = playing()
    session.request_reset(1, 1, 0.0)
    assert session.request_reset(1, 1, 0.0).verdict is Verdict.JOIN
    session.begun("ep-1", "opening 1", 0.0)
    decision = session.request_reset(1, 1, 0.0)
    assert (decision.verdict, decision.answer) == (Verdict.REPLAY, "opening 1")
    assert session.open_episode_id == "ep-1"


def test_a_reset_waits_for_the_step_that_runs() -> None:
    session = playing()
    request_step(session, 1, "ep-0", 0, "go", 0.0)
    refused(Reason.STEP_IN_FLIGHT, session.request_reset, 1, 1, 0.0)
    session.stepped("answer", RUNNING, 0.0)
    assert session.request_reset(1, 1, 0.0).verdict is Verdict.EXECUTE


def test_a_reset_with_a_wrong_ordinal_changes_nothing() -> None:
    session = playing()
    refused(Reason.EPISODE_OUT_OF_ORDER, session.request_reset, 1, 2, 0.0)
    assert session.open_episode_id == "ep-0"


def test_a_reset_that_failed_may_be_tried_again() -> None:
    session = playing()
    session.request_reset(1, 1, 0.0)
    session.begin_failed(0.0)
    decision = request_step(session, 1, "ep-0", 0, "go", 0.0)
    assert (decision.verdict, decision.status) == (Verdict.CLOSED, EpisodeStatus.VOIDED)
    assert session.request_reset(1, 1, 0.0).verdict is Verdict.EXECUTE


def test_an_older_epoch_cannot_reset() -> None:
    session = playing()
    session.resume(b"first", b"second", 0.0)
    refused(Reason.SESSION_SUPERSEDED, session.request_reset, 1, 1, 0.0)
    assert session.open_episode_id == "ep-0"


def test_the_houses_seeds_are_each_sessions_own() -> None:
    assert list(islice(practice_seeds(5, 0, 3), 3)) == [5, 8, 11]
    assert list(islice(practice_seeds(5, 2, 3), 3)) == [7, 10, 13]
    assert list(islice(practice_seeds(2**64 - 1, 0, 1), 2)) == [2**64 - 1, 0]
