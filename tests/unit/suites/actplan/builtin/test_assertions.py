"""Assertions in the text of a problem."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.activity import (
    MARK,
    Assertion,
    AssertionKind,
    Pattern,
    assertion_comments,
    assertions_in,
)
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.bddl.parser import read_problem

RULES = (
    Assertion(
        AssertionKind.NEVER,
        'the water (all of it; every "drop") is cut off',
        first=Pattern((Verb.SWITCH_ON, Verb.SOAK), ("sink.n.01",)),
    ),
    Assertion(
        AssertionKind.BEFORE,
        "first this, then that",
        first=Pattern((Verb.CLEAN,), ("plate.n.04",), tools=("soap.n.01",)),
        second=Pattern(items=("plate.n.04",)),
    ),
)
PROBLEM = """(define (problem p) (:domain d) (:objects a.n.01_1 - a.n.01) (:init (stained a.n.01_1))
(:goal (not (stained ?a.n.01_1))))"""


def test_what_is_written_is_read_again() -> None:
    assert assertions_in(assertion_comments(RULES) + PROBLEM) == RULES


def test_readers_of_bddl_pass_over_them() -> None:
    assert read_problem(assertion_comments(RULES) + PROBLEM, "one") == read_problem(PROBLEM, "two")


def test_a_problem_without_any_has_none() -> None:
    assert assertions_in(f"; a comment\n{PROBLEM}") == ()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("whatever", "Expecting"),
        ("[]", "indices"),
        ("[" * 100_000, "recursion"),
        ('{"kind": "never"}', "has no 'text'"),
        ('{"kind": "never", "text": "x"}', "has no 'first'"),
        ('{"kind": "before", "text": "x", "first": {}}', "has no 'second'"),
        ('{"kind": "goal", "text": "x"}', "cannot be stated"),
        ('{"kind": "never", "text": 5, "first": {}}', '"text" is not a string'),
        ('{"kind": "never", "text": "x", "first": {"targets": "cup"}}', '"targets" is not a list'),
        ('{"kind": "never", "text": "x", "first": {"verbs": ["fly"]}}', "'fly' is not a valid"),
    ],
)
def test_a_line_that_is_marked_and_states_nothing_is_an_error(line: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        assertions_in(f"{MARK}{line}\n{PROBLEM}")
