"""The bounds of what is asked for without a message."""

from __future__ import annotations

import pytest
from houseguest.control.v1 import control_pb2

from env_service.gateway.selection_request import SelectionRequest
from env_service.wire.bounds import BoundError

NOTHING_ELSE: dict[str, object] = {"max_cost_usd": None, "repeats": 1, "parallel_sessions": 1024}


def test_what_is_within_its_bounds_passes_and_none_is_not_set() -> None:
    SelectionRequest("babyai").check(control_pb2.CreateRunRequest, NOTHING_ELSE)


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"repeats": 0}, "repeats is 0; it has to be from 1 to 10000"),
        ({"parallel_sessions": 0}, "parallel_sessions is 0; it has to be from 1 to 1024"),
        ({"max_cost_usd": 0.0}, "max_cost_usd is 0; it has to be above 0"),
    ],
)
def test_a_count_of_nothing_does_not_stand_for_one(others: dict[str, object], said: str) -> None:
    with pytest.raises(BoundError, match=said):
        SelectionRequest("babyai").check(control_pb2.CreateRunRequest, NOTHING_ELSE | others)


def test_the_names_that_both_requests_share_are_bounded() -> None:
    with pytest.raises(BoundError, match="suite has 201 characters"):
        SelectionRequest("x" * 201).check(control_pb2.CreatePracticeRequest, {"sessions": 1})
