from __future__ import annotations

import random

import grpc
import pytest
from houseguest_agent import (
    DrainingError,
    HouseguestError,
    RefusedError,
    RetryPolicy,
    SupersededError,
    TokenRefusedError,
    UnreachableError,
)
from houseguest_agent.retry import Backoff, TransientError, classify

CODE = grpc.StatusCode


def kind(code: grpc.StatusCode, reason: str = "") -> type[Exception]:
    return type(classify(code.value[0], reason, "so it is"))


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (CODE.UNAVAILABLE, ""),
        (CODE.DEADLINE_EXCEEDED, ""),
        (CODE.CANCELLED, ""),
        (CODE.UNKNOWN, ""),
        (CODE.RESOURCE_EXHAUSTED, "RATE_LIMITED"),
        (CODE.ABORTED, "STEP_IN_FLIGHT"),
        (CODE.ABORTED, "LEASE_EXPIRED"),
        (CODE.INTERNAL, "INTERNAL"),
    ],
)
def test_what_passes_is_repeated(code: grpc.StatusCode, reason: str) -> None:
    assert kind(code, reason) is TransientError


@pytest.mark.parametrize(
    ("code", "reason", "expected"),
    [
        (CODE.ABORTED, "SESSION_SUPERSEDED", SupersededError),
        (CODE.ABORTED, "STEP_CONFLICT", RefusedError),
        (CODE.UNAVAILABLE, "DRAINING", DrainingError),
        (CODE.RESOURCE_EXHAUSTED, "", RefusedError),
        (CODE.UNAUTHENTICATED, "", TokenRefusedError),
        (CODE.INVALID_ARGUMENT, "", RefusedError),
    ],
)
def test_what_stays_is_raised(
    code: grpc.StatusCode, reason: str, expected: type[HouseguestError]
) -> None:
    assert kind(code, reason) is expected


def test_a_refusal_keeps_code_reason_and_words() -> None:
    error = classify(CODE.INVALID_ARGUMENT.value[0], "PLAN_TOO_LONG", "At most 5 steps.")
    assert isinstance(error, RefusedError)
    assert (error.code, error.reason) == (3, "PLAN_TOO_LONG")
    assert str(error) == "At most 5 steps. [PLAN_TOO_LONG]"


def test_waits_double_up_to_the_longest() -> None:
    policy = RetryPolicy(first_wait=1.0, longest_wait=4.0, rng=random.Random(3))
    backoff = Backoff(policy, patience=None)
    waits = [backoff.next(TransientError("gone")) for _ in range(5)]
    for wait, full in zip(waits, [1.0, 2.0, 4.0, 4.0, 4.0], strict=True):
        assert full / 2 <= wait <= full
    again = Backoff(RetryPolicy(first_wait=1.0, longest_wait=4.0, rng=random.Random(3)), None)
    assert waits == [again.next(TransientError("gone")) for _ in range(5)]


def test_patience_bounds_the_last_wait_and_then_ends() -> None:
    policy = RetryPolicy(first_wait=100.0, longest_wait=100.0)
    assert Backoff(policy, patience=1.0).next(TransientError("gone")) <= 1.0
    with pytest.raises(UnreachableError, match="the last failure was: gone"):
        Backoff(policy, patience=0.0).next(TransientError("gone"))
