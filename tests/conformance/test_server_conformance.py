"""The server kit: our service passes, and one that breaks a rule fails that rule."""

from __future__ import annotations

from typing import Any

import pytest
from houseguest.agent.v1 import agent_pb2

from env_service.conformance.report import ConformanceReport, RuleVerdict
from env_service.conformance.server import ServerOptions, check_server
from env_service.conformance.server.own_service import check_own_service
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.session import Session
from env_service.gateway import agent_service, rpc
from env_service.gateway.agent_session import AgentSession


def failures(report: ConformanceReport) -> list[str]:
    """The rules that failed, each with what came."""
    return [f"{each.rule.id}: {each.findings}" for each in report.failed]


def test_our_service_passes() -> None:
    report = check_own_service()
    assert failures(report) == []
    left_out = [each.rule.id for each in report.results if each.verdict is not RuleVerdict.PASSED]
    # The small run has no plans.
    assert left_out == ["plan-too-long"]


def _no_authentication(patch: pytest.MonkeyPatch) -> None:
    """Whoever brings no token is taken for the first one who did."""
    seen: list[str] = []
    real = rpc.bearer

    def bearer(context: Any) -> str:
        try:
            seen.append(real(context))
        except ProtocolError:
            if not seen:
                raise
        return seen[0]

    patch.setattr(agent_service, "bearer", bearer)


def _steps_conflict_with_nothing(patch: pytest.MonkeyPatch) -> None:
    real = Session.request_step

    def request_step(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return real(self, *arguments, **named)
        except ProtocolError as error:
            if error.reason is Reason.STEP_CONFLICT:
                raise ProtocolError(Reason.STEP_OUT_OF_ORDER) from error
            raise

    patch.setattr(Session, "request_step", request_step)


def _endings_differ(patch: pytest.MonkeyPatch) -> None:
    real = AgentSession.end
    statuses = iter([agent_pb2.EPISODE_STATUS_TERMINATED, agent_pb2.EPISODE_STATUS_TRUNCATED] * 100)

    async def end(self: Any, request: Any) -> Any:
        await real(self, request)
        return agent_pb2.EndEpisodeResponse(status=next(statuses))

    patch.setattr(AgentSession, "end", end)


def _reasons_are_kept_quiet(patch: pytest.MonkeyPatch) -> None:
    real = rpc.trailing_metadata
    patch.setattr(rpc, "trailing_metadata", lambda error: real(error)[:1])


def test_a_broken_service_fails_the_rules_that_it_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    faults = {
        "no-token": _no_authentication,
        "end-repeats": _endings_differ,
        "step-conflict": _steps_conflict_with_nothing,
        "error-details": _reasons_are_kept_quiet,
    }
    for breaks in faults.values():
        breaks(monkeypatch)
    unbroken = ("hello", "grant", "episode-still-open", "step-out-of-order", "observation-order")
    report = check_own_service(ServerOptions(only=(*faults, *unbroken)))
    assert [each.rule.id for each in report.failed] == list(faults)


def test_a_service_that_is_not_there_blocks_what_needs_one() -> None:
    options = ServerOptions(only=("grant", "opening"), timeout=1.0)
    report = check_server("127.0.0.1:1", ("token",), options)
    assert {each.verdict for each in report.results} == {RuleVerdict.BLOCKED}
    assert not report.passed


def test_a_service_is_checked_with_a_token() -> None:
    with pytest.raises(ValueError, match="lease token"):
        check_server("127.0.0.1:1", ())
