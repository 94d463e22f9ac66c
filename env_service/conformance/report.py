"""A rule of the protocol, the verdict of a kit on it, and the report as text."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from env_service.domain.names import UnknownNameError
from env_service.domain.text import safe


class Severity(Enum):
    """The weight of a rule: an agent or service that breaks a MUST does not conform."""

    MUST = "must"
    SHOULD = "should"


@dataclass(frozen=True, slots=True)
class Rule:
    """One requirement.

    Attributes:
        id: Unique in its kit; never changes.
        requirement: One sentence about the agent or the service.
        source: The place in docs/protocol.md or in a .proto file that states it.
    """

    id: str
    requirement: str
    source: str
    severity: Severity = Severity.MUST


def pick_rules(rules: Sequence[Rule], wanted: Iterable[str]) -> tuple[Rule, ...]:
    """The rules with these ids, in the kit's order; all of them if there are none.

    Raises UnknownNameError for an unknown id.
    """
    names = set(wanted)
    known = [rule.id for rule in rules]
    for name in sorted(names):
        if name not in known:
            raise UnknownNameError("rule", name, known)
    return tuple(rule for rule in rules if not names or rule.id in names)


class RuleVerdict(Enum):
    """The verdict on a rule.

    NOT_APPLICABLE: the agent or service never used what the rule is about. BLOCKED: another rule
    was broken first in the same scene, so this one could not be judged.
    """

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class RuleBreach:
    """How a rule was broken: what the kit sent, what it expected and what it received."""

    sent: str
    expected: str
    came: str


@dataclass(frozen=True, slots=True)
class RuleResult:
    """The verdict on one rule.

    Attributes:
        findings: How the rule was broken; empty unless it FAILED.
        reason: Why the rule is NOT_APPLICABLE or BLOCKED.
        log: The agent's last lines of output; may be empty.
    """

    rule: Rule
    verdict: RuleVerdict
    findings: tuple[RuleBreach, ...] = ()
    reason: str = ""
    log: str = ""

    def to_json(self) -> dict[str, Any]:
        """The result as ``--json`` prints it."""
        return {
            "rule": self.rule.id,
            "requirement": self.rule.requirement,
            "severity": self.rule.severity.value,
            "source": self.rule.source,
            "verdict": self.verdict.value,
            "findings": [asdict(finding) for finding in self.findings],
            "reason": self.reason,
            "log": self.log,
        }


@dataclass(frozen=True, slots=True)
class ConformanceReport:
    """All verdicts. ``kit`` is ``agent`` or ``server``; ``subject`` names what was checked."""

    kit: str
    subject: str
    results: tuple[RuleResult, ...]

    @property
    def failed(self) -> tuple[RuleResult, ...]:
        """The rules that were broken, whatever their severity."""
        return tuple(each for each in self.results if each.verdict is RuleVerdict.FAILED)

    @property
    def passed(self) -> bool:
        """Whether no rule was broken, and at least one was kept."""
        kept = any(each.verdict is RuleVerdict.PASSED for each in self.results)
        return kept and not self.failed

    @property
    def conforms(self) -> bool:
        """Whether no MUST was broken, and at least one was kept."""
        return ConformanceReport(self.kit, self.subject, self._musts()).passed

    def result(self, rule_id: str) -> RuleResult:
        """The verdict on a rule. Raises KeyError for one that was not checked."""
        for each in self.results:
            if each.rule.id == rule_id:
                return each
        raise KeyError(rule_id)

    def counts(self) -> dict[RuleVerdict, int]:
        """The number of rules with each verdict."""
        found = Counter(each.verdict for each in self.results)
        return {verdict: found[verdict] for verdict in RuleVerdict}

    def to_json(self) -> dict[str, Any]:
        """The report as ``--json`` prints it."""
        return {
            "kit": self.kit,
            "subject": self.subject,
            "conforms": self.conforms,
            "counts": {verdict.value: number for verdict, number in self.counts().items()},
            "results": [each.to_json() for each in self.results],
        }

    def _musts(self) -> tuple[RuleResult, ...]:
        return tuple(each for each in self.results if each.rule.severity is Severity.MUST)


def failure(sent: str, expected: str, came: str) -> tuple[RuleBreach, ...]:
    """One finding, in the form that judges return."""
    return (RuleBreach(sent, expected, came),)


def merged(findings: Iterable[RuleBreach], most: int = 3) -> tuple[RuleBreach, ...]:
    """The first few distinct findings, so that a repeated mistake is reported once."""
    return tuple(dict.fromkeys(findings))[:most]


# --- The answer of a judge


class NotApplicable(str):
    """Why a rule cannot be judged in this run."""

    __slots__ = ()


Judgement = tuple[RuleBreach, ...] | NotApplicable
"""Empty if the rule is kept."""


# --- The report as text

_MARKS = {
    RuleVerdict.PASSED: "pass",
    RuleVerdict.FAILED: "FAIL",
    RuleVerdict.NOT_APPLICABLE: "n/a ",
    RuleVerdict.BLOCKED: "----",
}


def summary_line(report: ConformanceReport) -> str:
    """The last line of the report: "random: 41 passed, 0 failed, …"."""
    counts = ", ".join(f"{number} {verdict.value}" for verdict, number in report.counts().items())
    return f"{report.subject}: {counts}"


def report_text(report: ConformanceReport) -> str:
    """One line per rule; below each broken one, what was sent, expected and received."""
    lines = [line for result in report.results for line in result_lines(result)]
    return "\n".join([*lines, "", summary_line(report)])


def result_lines(result: RuleResult) -> Iterator[str]:
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
