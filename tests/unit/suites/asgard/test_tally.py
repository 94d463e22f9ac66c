import pytest

from env_service.domain.outcome import OutcomeCode
from env_service.suites.asgard.scoring import (
    CATEGORIES,
    TURN_SHARES,
    TurnTally,
    category_metric,
    reason_metric,
)
from env_service.suites.asgard.wording import Reason


def test_every_turn_counts_once():
    tally = TurnTally()
    tally.note(OutcomeCode.SUCCEEDED)
    tally.note(OutcomeCode.UNPARSABLE)
    tally.note(OutcomeCode.PRECONDITION_FAILED, Reason.DIRTY)
    tally.note(OutcomeCode.PHYSICALLY_BLOCKED, Reason.NO_ROOM)
    found = tally.metrics()
    assert found["valid_turns"] == found["unparsable_turns"] == 0.25
    assert found["undoable_turns"] == 0.5
    assert sum(found[name] for name in set(TURN_SHARES.values())) == pytest.approx(1)


def test_undoable_turns_are_counted_by_what_was_wrong():
    tally = TurnTally()
    for reason in (Reason.HAND_FULL, Reason.HAND_EMPTY, Reason.DIRTY):
        tally.note(OutcomeCode.PRECONDITION_FAILED, reason)
    found = tally.metrics()
    assert found[category_metric("hand full or empty")] == 2
    assert found[category_metric("dirty")] == 1
    assert found[category_metric("not visible")] == 0
    assert found[reason_metric(Reason.HAND_FULL)] == 1
    assert reason_metric(Reason.NO_ROOM) not in found


def test_an_episode_without_turns_has_shares_of_nothing():
    assert set(TurnTally().metrics().values()) == {0.0}


def test_every_reason_is_in_one_category():
    listed = [reason for reasons in CATEGORIES.values() for reason in reasons]
    assert sorted(listed) == sorted(Reason)


def test_every_code_that_a_turn_may_come_to_has_its_share():
    said = {OutcomeCode.REFUSED, OutcomeCode.WITHHELD}
    assert set(TURN_SHARES) == set(OutcomeCode) - said
