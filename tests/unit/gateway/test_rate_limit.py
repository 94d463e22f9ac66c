"""Bursts pass, floods do not, and waiting helps."""

from __future__ import annotations

import pytest

from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.admission import TokenBucket


def test_a_flood_is_refused_and_told_how_long_to_wait() -> None:
    bucket = TokenBucket(rate=10, burst_seconds=2, now=0.0)
    for _ in range(20):
        bucket.take(0.0)
    with pytest.raises(ProtocolError) as caught:
        bucket.take(0.0)
    assert caught.value.reason is Reason.RATE_LIMITED
    assert caught.value.retry_after == pytest.approx(0.1)
    bucket.take(0.11)


def test_a_steady_caller_is_never_refused() -> None:
    bucket = TokenBucket(rate=10, burst_seconds=2, now=0.0)
    for call in range(1000):
        bucket.take(call / 10)
