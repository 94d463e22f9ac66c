"""What a kit found: a verdict for each rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

from env_service.conformance.rules import Rule, Severity


class Verdict(Enum):
    """What came of a rule.

    NOT_APPLICABLE: what the rule speaks of was never used. BLOCKED: another rule was broken
    first in the same scene, so that this one could not be judged.
    """

    PASSED = "passed"
    FAILED = "failed"
    NOT_APPLICABLE = "not applicable"
    BLOCKED = "blocked"


@dataclass(frozen=True, slots=True)
class Finding:
    """How a rule was broken: what the kit sent, what had to come of it, and what came."""

    sent: str
    expected: str
    came: str


@dataclass(frozen=True, slots=True)
class Result:
    """The verdict on one rule.

    ``findings`` are there exactly where it FAILED. ``reason`` says why it is NOT_APPLICABLE or
    BLOCKED. ``log`` holds the guest's last lines, empty where there are none.
    """

    rule: Rule
    verdict: Verdict
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    log: str = ""

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
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
class Report:
    """All verdicts. ``kit`` is ``agent`` or ``server``; ``subject`` names what was checked."""

    kit: str
    subject: str
    results: tuple[Result, ...]

    @property
    def failed(self) -> tuple[Result, ...]:
        """The rules that were broken, whatever their severity."""
        return tuple(each for each in self.results if each.verdict is Verdict.FAILED)

    @property
    def passed(self) -> bool:
        """Whether no rule was broken, and at least one was kept."""
        kept = any(each.verdict is Verdict.PASSED for each in self.results)
        return kept and not self.failed

    @property
    def conforms(self) -> bool:
        """Whether no MUST was broken, and at least one was kept."""
        return Report(self.kit, self.subject, self._musts()).passed

    def result(self, rule_id: str) -> Result:
        """The verdict on a rule. Raises KeyError for one that was not checked."""
        for each in self.results:
            if each.rule.id == rule_id:
                return each
        raise KeyError(rule_id)

    def counts(self) -> dict[Verdict, int]:
        """How many rules came to each verdict."""
        found = Counter(each.verdict for each in self.results)
        return {verdict: found[verdict] for verdict in Verdict}

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "kit": self.kit,
            "subject": self.subject,
            "conforms": self.conforms,
            "counts": {verdict.value: number for verdict, number in self.counts().items()},
            "results": [each.to_json() for each in self.results],
        }

    def _musts(self) -> tuple[Result, ...]:
        return tuple(each for each in self.results if each.rule.severity is Severity.MUST)


def failure(sent: str, expected: str, came: str) -> tuple[Finding, ...]:
    """One finding, as judges return it."""
    return (Finding(sent, expected, came),)


def merged(findings: Iterable[Finding], most: int = 3) -> tuple[Finding, ...]:
    """The first few different findings: one mistake made a hundred times is told once."""
    return tuple(dict.fromkeys(findings))[:most]
