"""Goal conditions gained: what an episode changed, as a share of what it could change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.domain.episode import GoalCondition, share_gained, share_met, since_start


def conditions(*ends: tuple[bool | None, bool]) -> tuple[GoalCondition, ...]:
    """Of (held at the start, holds at the end)."""
    return tuple(
        GoalCondition(str(number), met, held_at_start=held)
        for number, (held, met) in enumerate(ends)
    )


HELD, LOST, GAINED, OPEN = (True, True), (True, False), (False, True), (False, False)


@pytest.mark.parametrize(
    ("ends", "gained"),
    [
        ((HELD, HELD, HELD, OPEN), 0.0),
        ((OPEN, OPEN), 0.0),
        ((HELD, GAINED, OPEN), 0.5),
        ((HELD, GAINED, GAINED), 1.0),
        ((GAINED, LOST), 0.0),
        ((GAINED, GAINED, OPEN, OPEN, LOST), 0.25),
        ((OPEN, LOST, HELD, HELD, HELD), -0.25),
        ((OPEN, LOST, LOST), -1.0),
        ((HELD, HELD), None),
        ((LOST, HELD), None),
        ((), None),
        ((GAINED, (None, True)), None),
    ],
    ids=str,
)
def test_gains_less_losses(ends: tuple[tuple[bool, bool], ...], gained: float | None) -> None:
    assert share_gained(conditions(*ends)) == gained


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1))
def test_it_is_bounded_and_one_is_success(ends: list[tuple[bool, bool]]) -> None:
    made = conditions(*ends)
    gained = share_gained(made)
    if any(not held for held, _ in ends):
        assert gained is not None
        assert -1 <= gained <= 1
        assert (gained == 1) == (share_met(made) == 1)
    else:
        assert gained is None


def test_the_start_is_found_by_name_and_in_order() -> None:
    opening = (GoalCondition("a", True), GoalCondition("b", False), GoalCondition("b", True))
    end = (GoalCondition("b", True), GoalCondition("b", True), GoalCondition("new", False))
    assert [each.held_at_start for each in since_start(end, opening)] == [False, True, False]


def test_without_conditions_there_is_no_share() -> None:
    assert share_met(()) is None
