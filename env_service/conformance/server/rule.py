"""A rule of the server kit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from env_service.conformance.report import Judgement, failure
from env_service.conformance.rules import Rule
from env_service.conformance.server.connection import RpcOutcome
from env_service.conformance.server.probe import Probe

Check = Callable[[Probe], Judgement]


@dataclass(frozen=True, slots=True)
class ServerRule:
    """A rule, and the calls that check whether a service keeps it.

    ``check`` may raise BlockedError. Rules are checked in the kit's order, over one session.
    """

    rule: Rule
    check: Check


def wants_error(sent: str, answer: RpcOutcome, *reasons: str) -> Judgement:
    """Expects the call to fail for one of these reasons."""
    if any(answer.is_error(reason) for reason in reasons):
        return ()
    return failure(sent, f"an error {' or '.join(reasons)}", str(answer))


def wants_response(sent: str, answer: RpcOutcome) -> Judgement:
    """Expects the call to return a response."""
    return () if answer.code is None else failure(sent, "a response", str(answer))


def first(*judgements: Judgement) -> Judgement:
    """The first judgement with a finding."""
    return next((judgement for judgement in judgements if judgement), ())
