"""Checks a house: makes calls, and judges the answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from env_service.conformance.judgement import NotApplicable
from env_service.conformance.report import Report, Result, Verdict
from env_service.conformance.rules import pick_rules
from env_service.conformance.server.connection import Connection
from env_service.conformance.server.kit import SERVER_RULES
from env_service.conformance.server.options import ServerOptions
from env_service.conformance.server.probe import BlockedError, Probe
from env_service.conformance.server.rule import ServerRule
from env_service.conformance.server.rules.ending import TO_THE_END


def check_server(
    address: str, tokens: Sequence[str], options: ServerOptions | None = None
) -> Report:
    """Checks the house at ``address`` (``unix:/path`` or ``host:port``), rule by rule.

    ``tokens`` are lease tokens of seats of one run, at least one; a rule about leaving takes a
    second. Plays with the first, and so uses up some two dozen episodes of the run. Raises
    UnknownNameError for a rule in ``options.only`` that is none, ValueError without a token.
    """
    options = options or ServerOptions()
    if not tokens:
        raise ValueError("a house is checked with a lease token of a seat: none was given")
    wanted = pick_server_rules(options.only)
    connection = Connection(address, options.timeout, options.ca)
    probe = Probe(connection, tokens)
    try:
        results = tuple(_checked(each, probe, options) for each in wanted)
    finally:
        connection.close()
    return Report("server", options.subject or address, results)


def pick_server_rules(only: Iterable[str]) -> tuple[ServerRule, ...]:
    """The rules of these ids; all where none is named. Raises UnknownNameError."""
    picked = set(pick_rules([each.rule for each in SERVER_RULES], only))
    return tuple(each for each in SERVER_RULES if each.rule in picked)


def _checked(each: ServerRule, probe: Probe, options: ServerOptions) -> Result:
    if each in TO_THE_END and not options.to_the_end:
        reason = "it would use up the whole run: --to-the-end"
        return Result(each.rule, Verdict.NOT_APPLICABLE, reason=reason)
    try:
        judgement = each.check(probe)
    except BlockedError as blocked:
        return Result(each.rule, Verdict.BLOCKED, reason=str(blocked))
    if isinstance(judgement, NotApplicable):
        return Result(each.rule, Verdict.NOT_APPLICABLE, reason=str(judgement))
    return Result(each.rule, Verdict.FAILED if judgement else Verdict.PASSED, judgement)
