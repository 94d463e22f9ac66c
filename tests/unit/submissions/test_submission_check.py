"""What a submitter is told of rules of the protocol that an agent breaks."""

from __future__ import annotations

import pytest

from env_service.conformance.report import (
    ConformanceReport,
    Rule,
    RuleResult,
    RuleVerdict,
    Severity,
    failure,
)
from env_service.submissions.check_report import StageFailedError
from env_service.submissions.failures import SubmissionFailure
from env_service.submissions.submission_check import check_conforming


def broken(name: str, severity: Severity = Severity.MUST) -> RuleResult:
    rule = Rule(name, f"The agent keeps {name}.", "docs/protocol.md", severity)
    return RuleResult(
        rule, RuleVerdict.FAILED, failure("a call", "an answer", "nothing"), log=f"of {name}"
    )


def test_every_broken_rule_is_named_those_that_decide_in_full() -> None:
    results = (broken("polite", Severity.SHOULD), *map(broken, ("one", "two", "three")))
    with pytest.raises(StageFailedError) as caught:
        check_conforming(ConformanceReport("agent", "an-agent", results))
    lines = caught.value.problem.splitlines()
    assert caught.value.failure is SubmissionFailure.NOT_CONFORMING
    assert caught.value.log_tail == "of one"
    assert lines[0].startswith("an-agent: 0 passed, 4 failed")
    assert [line for line in lines if line.startswith("FAIL")] == [
        "FAIL  one: The agent keeps one.",
        "FAIL  two: The agent keeps two.",
    ]
    assert lines[-2] == "also broken: three, polite"
    assert "houseguest conformance agent" in lines[-1]


def test_rules_that_should_be_kept_are_notes() -> None:
    kept = RuleResult(Rule("kept", "The agent plays.", "docs/protocol.md"), RuleVerdict.PASSED)
    report = ConformanceReport("agent", "an-agent", (kept, broken("polite", Severity.SHOULD)))
    assert check_conforming(report) == ("polite (should): The agent keeps polite.",)
