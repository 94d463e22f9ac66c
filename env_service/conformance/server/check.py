"""Checks a service: makes calls and judges the answers by all rules of the kit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from env_service.conformance.report import (
    ConformanceReport,
    NotApplicable,
    RuleResult,
    RuleVerdict,
    pick_rules,
)
from env_service.conformance.server import answer_rules, episode_rules, session_rules
from env_service.conformance.server.connection import Connection
from env_service.conformance.server.probe import BlockedError, Probe, ServerRule
from env_service.conformance.server.session_rules import TO_THE_END


def check_server(
    address: str, tokens: Sequence[str], options: ServerOptions | None = None
) -> ConformanceReport:
    """Checks the service at ``address`` (``unix:/path`` or ``host:port``), rule by rule.

    ``tokens`` are lease tokens of sessions of one run, at least one; the rule about withdrawing
    takes a second one. The kit plays with the first and uses about two dozen episodes of the run.

    Raises:
        UnknownNameError: ``options.only`` names an unknown rule.
        ValueError: ``tokens`` is empty.
    """
    options = options or ServerOptions()
    if not tokens:
        raise ValueError("no lease token: the check needs the token of at least one session")
    wanted = pick_server_rules(options.only)
    connection = Connection(address, options.timeout, options.ca)
    probe = Probe(connection, tokens)
    try:
        results = tuple(_checked(each, probe, options) for each in wanted)
    finally:
        connection.close()
    return ConformanceReport("server", options.subject or address, results)


def pick_server_rules(only: Iterable[str]) -> tuple[ServerRule, ...]:
    """The rules with these ids; all of them if there are none. Raises UnknownNameError."""
    picked = set(pick_rules([each.rule for each in SERVER_RULES], only))
    return tuple(each for each in SERVER_RULES if each.rule in picked)


def _checked(each: ServerRule, probe: Probe, options: ServerOptions) -> RuleResult:
    if each in TO_THE_END and not options.to_the_end:
        reason = "this would use every episode of the run: set --to-the-end"
        return RuleResult(each.rule, RuleVerdict.NOT_APPLICABLE, reason=reason)
    try:
        judgement = each.check(probe)
    except BlockedError as blocked:
        return RuleResult(each.rule, RuleVerdict.BLOCKED, reason=str(blocked))
    if isinstance(judgement, NotApplicable):
        return RuleResult(each.rule, RuleVerdict.NOT_APPLICABLE, reason=str(judgement))
    return RuleResult(each.rule, RuleVerdict.FAILED if judgement else RuleVerdict.PASSED, judgement)


# --- All rules of the server kit, in the order in which they are checked

SERVER_RULES: tuple[ServerRule, ...] = (
    *session_rules.LISTENER_RULES,
    *session_rules.OPENING_RULES,
    *episode_rules.EPISODE_RULES,
    *episode_rules.STEP_RULES,
    *episode_rules.STREAM_RULES,
    *session_rules.RESUMING_RULES,
    *session_rules.ENDING_RULES,
    *answer_rules.RULES,
)


# --- How services are checked


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Options of `check_server`.

    Attributes:
        only: Ids of the rules to check; all if empty.
        to_the_end: Use every episode of the run, to check AllDone.
        timeout: Seconds after which a call counts as hanging.
        ca: PEM root certificates, which turn on TLS; empty for none.
        subject: The service's name in the report; empty for its address.
    """

    only: tuple[str, ...] = ()
    to_the_end: bool = False
    timeout: float = 30.0
    ca: bytes = b""
    subject: str = ""
