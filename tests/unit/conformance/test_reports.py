"""What a report says, and to whom."""

from __future__ import annotations

import pytest

from env_service.conformance.report import (
    ConformanceReport,
    Rule,
    RuleBreach,
    RuleResult,
    RuleVerdict,
    Severity,
    merged,
    report_text,
)

MUST = Rule("voided", "The agent continues.", "agent.proto, Step")
SHOULD = Rule("backs-off", "The agent waits.", "docs/protocol.md", Severity.SHOULD)
FINDING = RuleBreach("VOIDED", "that the agent continues", "status 1\x1b[31m")


def report(*results: RuleResult) -> ConformanceReport:
    return ConformanceReport("agent", "my guest", results)


def test_a_guest_conforms_that_breaks_no_must() -> None:
    kept = RuleResult(MUST, RuleVerdict.PASSED)
    broken = RuleResult(SHOULD, RuleVerdict.FAILED, (FINDING,))
    assert report(kept).passed
    assert report(kept, broken).conforms
    assert not report(kept, broken).passed
    assert not report(RuleResult(MUST, RuleVerdict.FAILED, (FINDING,))).conforms


def test_nothing_that_could_be_judged_is_no_pass() -> None:
    blocked = RuleResult(MUST, RuleVerdict.BLOCKED, reason="The agent made no call.")
    assert not report(blocked).passed
    assert not report(blocked).conforms


def test_the_text_tells_what_was_sent_expected_and_came_and_the_log() -> None:
    text = report_text(
        report(RuleResult(MUST, RuleVerdict.FAILED, (FINDING,), log="Traceback\nboom"))
    )
    assert "FAIL  voided: The agent continues." in text
    assert "sent      VOIDED" in text
    assert "expected  that the agent continues" in text
    assert "| boom" in text
    assert "\x1b" not in text
    assert text.endswith("my guest: 0 passed, 1 failed, 0 not applicable, 0 blocked")


def test_a_report_travels_as_json() -> None:
    document = report(RuleResult(SHOULD, RuleVerdict.FAILED, (FINDING,), log="boom")).to_json()
    assert document["kit"] == "agent"
    assert document["counts"]["failed"] == 1
    result = document["results"][0]
    assert result["rule"] == "backs-off"
    assert result["severity"] == "should"
    assert result["findings"] == [
        {"sent": "VOIDED", "expected": "that the agent continues", "came": "status 1\x1b[31m"}
    ]


def test_one_mistake_made_often_is_told_once() -> None:
    other = RuleBreach("a", "b", "c")
    assert merged([FINDING, FINDING, other]) == (FINDING, other)


def test_a_rule_that_was_not_checked_has_no_result() -> None:
    with pytest.raises(KeyError):
        report().result("voided")
