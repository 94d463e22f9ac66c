"""A report in words, for people."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from env_service.conformance.report import Report, Result, Verdict
from env_service.conformance.rules import Severity
from env_service.domain.printable import safe

_MARKS = {
    Verdict.PASSED: "pass",
    Verdict.FAILED: "FAIL",
    Verdict.NOT_APPLICABLE: "n/a ",
    Verdict.BLOCKED: "----",
}


def summary_line(report: Report) -> str:
    """ "random: 41 passed, 0 failed, …", as the report ends."""
    counts = ", ".join(f"{number} {verdict.value}" for verdict, number in report.counts().items())
    return f"{report.subject}: {counts}"


def report_text(report: Report) -> str:
    """One line a rule, with what was sent, expected and came below each that was broken."""
    lines = [line for result in report.results for line in result_lines(result)]
    return "\n".join([*lines, "", summary_line(report)])


def result_lines(result: Result) -> Iterator[str]:
    """One rule's part of the report."""
    rule = result.rule
    weight = " (should)" if rule.severity is Severity.SHOULD else ""
    yield f"{_MARKS[result.verdict]}  {rule.id}{weight}: {rule.requirement}"
    if result.reason:
        yield f"        {safe(result.reason)}"
    for finding in result.findings:
        yield from _wrapped("sent", finding.sent)
        yield from _wrapped("expected", finding.expected)
        yield from _wrapped("came", finding.came)
    if result.findings:
        yield f"        see       {rule.source}"
        yield from (f"        | {safe(line)}" for line in result.log.splitlines())


def _wrapped(label: str, text: str) -> list[str]:
    first = f"        {label:<10}"
    return textwrap.wrap(
        safe(text) or "nothing", 100, initial_indent=first, subsequent_indent=" " * len(first)
    )
