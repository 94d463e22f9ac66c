"""When a failed call may be repeated, and how long to wait before that."""

from __future__ import annotations

import random
import time

import grpc

from .errors import (
    DrainingError,
    HouseguestError,
    RefusedError,
    SupersededError,
    TokenRefusedError,
    UnreachableError,
)
from .options import RetryPolicy

_DEADLINE_EXCEEDED = grpc.StatusCode.DEADLINE_EXCEEDED.value[0]
_PASSING = frozenset(
    code.value[0]
    for code in (
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        # How calls may end when their connection is dropped, depending on gRPC's version.
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.UNKNOWN,
        # The service may also have a fault that it did not foresee.
        grpc.StatusCode.INTERNAL,
    )
)
_PASSING_REASONS = frozenset(
    {
        "RATE_LIMITED",
        # An episode cannot end while the step that an interrupt left behind is still running.
        "STEP_IN_FLIGHT",
        # The connection was down for long; the thread that holds Attach is about to resume.
        "LEASE_EXPIRED",
    }
)


class TransientError(Exception):
    """A failure that a repeat of the same request may fix. Never leaves the library.

    ``timed_out`` is true if the answer was only late.
    """

    reason = ""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


def classify(code: int, reason: str, message: str) -> TransientError | HouseguestError:
    """The error for a status. ``code`` is a google.rpc.Code."""
    text = f"{message} [{reason}]" if reason else message
    if reason == "DRAINING":
        return DrainingError(text, reason)
    if code in _PASSING or reason in _PASSING_REASONS:
        return TransientError(text, timed_out=code == _DEADLINE_EXCEEDED)
    if reason == "SESSION_SUPERSEDED":
        return SupersededError(
            f"{text} Another process holds this session now; this one has to stop.", reason
        )
    if code == grpc.StatusCode.UNAUTHENTICATED.value[0]:
        return TokenRefusedError(
            f"The service refused the lease token: {text} A token is valid for one session of one"
            " run: check HOUSEGUEST_TOKEN, or ask for a new lease.",
            reason,
        )
    return RefusedError(text, reason, code)


def classify_rpc(error: grpc.RpcError) -> TransientError | HouseguestError:
    """The error for a failed call, whose reason is in its trailing metadata."""
    reason = ""
    if isinstance(error, grpc.Call):
        for key, value in error.trailing_metadata() or ():
            if key == "houseguest-reason":
                reason = value if isinstance(value, str) else value.decode()
    return classify(error.code().value[0], reason, error.details() or "")


class Backoff:
    """The waits between the attempts of one request. The time counts from its creation."""

    def __init__(self, policy: RetryPolicy, patience: float | None) -> None:
        """``patience`` in seconds; None never runs out."""
        self._wait, self._longest = policy.first_wait, policy.longest_wait
        self._rng: random.Random = policy.rng
        self._patience = patience
        self._started = time.monotonic()

    def next(self, problem: Exception) -> float:
        """Seconds to wait before the next attempt.

        Raises UnreachableError, with ``problem`` as its cause, once the patience has run out.
        """
        waited = time.monotonic() - self._started
        if self._patience is not None and waited >= self._patience:
            raise UnreachableError(
                f"The service did not answer for {waited:.1f} s; the last failure was: {problem}"
            ) from problem
        wait = self._wait * self._rng.uniform(0.5, 1.0)
        self._wait = min(2 * self._wait, self._longest)
        return wait if self._patience is None else min(wait, self._patience - waited)
