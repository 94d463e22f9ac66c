"""What people are told when a run stops before its last episode."""

from __future__ import annotations

import pytest

from env_service.domain.failure import Withdrawal, WithdrawReason
from env_service.domain.usage import Usage
from env_service.gateway.run import SpendingLimits, StopReasons

USED = Usage(calls=3, input_tokens=60, output_tokens=40, cost_usd=0.1 + 0.2)


def left(*words: str) -> StopReasons:
    return StopReasons(withdrawals=[Withdrawal(WithdrawReason.OTHER, each) for each in words])


def test_nothing_stops_a_run_by_itself() -> None:
    assert StopReasons().words() == ""
    assert SpendingLimits().reached(USED) == ""


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (SpendingLimits(max_cost_usd=0.3), "$0.30"),
        (SpendingLimits(max_cost_usd=0.31), ""),
        (SpendingLimits(max_tokens=100), "100 tokens"),
        (SpendingLimits(max_tokens=101), ""),
        (SpendingLimits(0.31, 100), "100 tokens"),
    ],
)
def test_a_budget_is_spent_when_it_is_reached(limits: SpendingLimits, named: str) -> None:
    words = limits.reached(USED)
    assert words.startswith(f"the budget of {named} is spent") if named else words == ""


FREE = Usage(calls=1, input_tokens=60)


@pytest.mark.parametrize(
    ("limits", "usage", "named"),
    [
        (SpendingLimits(), Usage(), ()),
        (SpendingLimits(5.0, 100), USED, ()),
        (SpendingLimits(max_tokens=100), FREE, ()),
        (SpendingLimits(max_cost_usd=5.0), FREE, ("$5.00 has no effect",)),
        (SpendingLimits(5.0, 100), Usage(), ("$5.00 has", "100 tokens has no effect")),
    ],
)
def test_a_budget_that_bounds_nothing_is_named(
    limits: SpendingLimits, usage: Usage, named: tuple[str, ...]
) -> None:
    """Whoever sets one for an agent that tells nothing would wait in vain for it to stop."""
    words = limits.ineffective(usage)
    assert all(each in words for each in named) if named else words == ""


def test_equal_words_are_said_once_and_not_all_of_many() -> None:
    assert left("a", "a", "b").words() == "the agent withdrew: a; b"
    assert left("a", "b", "c", "d", "e").words() == "the agent withdrew: a; b; c; and 2 more"


def test_who_says_nothing_is_spoken_for() -> None:
    stops = StopReasons(withdrawals=[Withdrawal(WithdrawReason.MODEL_UNREACHABLE, "")])
    assert stops.words() == "the agent withdrew: its model cannot be reached"


def test_several_causes_are_all_named() -> None:
    stops = left("no key")
    stops.breakdown, stops.budget = "no room", "spent."
    assert stops.words() == "no room; spent; the agent withdrew: no key"
