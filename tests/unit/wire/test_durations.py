"""Seconds survive the wire to a nanosecond, and no limit stays no limit."""

from __future__ import annotations

import pytest
from google.protobuf.duration_pb2 import Duration
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.wire.durations import duration, seconds

LONGEST = 315_576_000_000.0
"""Seconds: what google.protobuf.Duration promises to hold, about 10,000 years."""


@settings(deadline=None)
@given(st.floats(-LONGEST, LONGEST))
def test_seconds_survive(value: float) -> None:
    message = duration(value)
    assert message is not None
    assert seconds(message) == pytest.approx(value, rel=1e-12, abs=2e-9)
    message.ToJsonString()  # raises for a message that is no legal duration


@pytest.mark.parametrize(
    ("value", "whole", "nanos"),
    [
        (0, 0, 0),
        (60.0, 60, 0),
        (0.25, 0, 250_000_000),
        (1.5, 1, 500_000_000),
        (-1.5, -1, -500_000_000),
        (1e-9, 0, 1),
    ],
)
def test_seconds_are_split(value: float, whole: int, nanos: int) -> None:
    assert duration(value) == Duration(seconds=whole, nanos=nanos)


@settings(deadline=None)
@given(st.integers(0, 10**9 - 1))
def test_a_duration_is_read_to_the_nanosecond(nanos: int) -> None:
    assert round(seconds(Duration(seconds=7, nanos=nanos)) * 1e9) == 7 * 10**9 + nanos


def test_no_limit_stays_absent() -> None:
    assert duration(None) is None
