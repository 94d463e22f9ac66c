"""``houseguest conformance``: what it prints, and its exit status."""

from __future__ import annotations

import json

import pytest

from env_service.cli.main import run


def test_a_guest_that_breaks_a_rule_ends_the_command_with_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["conformance", "agent", "cmd:false", "--only", "finishes,voided"]) == 1
    told = capsys.readouterr().out
    assert "FAIL  finishes:" in told
    assert "----  voided:" in told
    assert "0 passed, 1 failed, 0 not applicable, 1 blocked" in told


def test_a_guest_that_passes_ends_it_with_none_and_gets_its_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["conformance", "agent", "random", "--only", "no-episodes", "--json", "--"]
    assert run([*words, "--seed", "7"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["subject"] == "random --seed 7"
    assert document["conforms"] is True
    assert [each["verdict"] for each in document["results"]] == ["passed"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["agent", "random", "--only", "voidd"], "Did you mean 'voided'"),
        (["agent", "rndom"], "Did you mean 'random'"),
        (["agent", "external"], "--listen"),
        (["agent", "external", "--listen", "unix:/tmp/a", "--sandbox", "bwrap"], "--sandbox"),
        (["agent", "random", "--seats", "seats"], "only for external agents"),
        (["server"], "--token"),
        (["server", "127.0.0.1:1", "--token", "a", "--self"], "--self"),
        (["rules", "guest"], "agent"),
    ],
)
def test_wrong_usage_ends_it_with_two_and_says_what_to_mend(
    capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert run(["conformance", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_the_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conformance", "rules", "server", "--json"]) == 0
    rules = json.loads(capsys.readouterr().out)
    assert rules[0].keys() == {"id", "requirement", "source", "severity"}
    assert "step-conflict" in {rule["id"] for rule in rules}
