"""What counts as a difference, and what does not."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.making.counterfactuals import canonical, difference
from env_service.worlds.activity.bddl.parser import read_expression, read_problem
from tests.support.making_home import CLEAN_TABLE, NORMAL

SAME = [
    ("(and (dusty ?a) (open ?b))", "(and (open ?b) (dusty ?a))"),
    ("(and (dusty ?a) (and (open ?b)))", "(and (open ?b) (dusty ?a))"),
    ("(or (dusty ?a) (or (open ?b) (dusty ?a)))", "(or (open ?b) (dusty ?a))"),
    ("(not (not (dusty ?a)))", "(dusty ?a)"),
    ("(and (dusty ?a))", "(dusty ?a)"),
    ("(nextto ?a ?b)", "(nextto ?b ?a)"),
    ("(forall (?v - cup) (dusty ?v))", "(forall (?w - cup) (dusty ?w))"),
    (
        "(forall (?v - cup) (exists (?w - box) (inside ?v ?w)))",
        "(forall (?a - cup) (exists (?b - box) (inside ?a ?b)))",
    ),
]
OTHER = [
    ("(inside ?a ?b)", "(inside ?b ?a)"),
    ("(dusty ?a)", "(not (dusty ?a))"),
    ("(and (dusty ?a) (open ?b))", "(or (dusty ?a) (open ?b))"),
    ("(forall (?v - cup) (dusty ?v))", "(exists (?v - cup) (dusty ?v))"),
    ("(forall (?v - cup) (dusty ?v))", "(forall (?v - mug) (dusty ?v))"),
    ("(forn (2) (?v - cup) (dusty ?v))", "(forn (3) (?v - cup) (dusty ?v))"),
    ("(imply (dusty ?a) (open ?b))", "(imply (open ?b) (dusty ?a))"),
    (
        "(forall (?v - cup) (exists (?w - cup) (nextto ?v ?a)))",
        "(forall (?v - cup) (exists (?w - cup) (nextto ?w ?a)))",
    ),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_order_and_names_of_variables_do_not_count(one: str, other: str) -> None:
    assert canonical(read_expression(one, "1")) == canonical(read_expression(other, "2"))


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_meaning_counts(one: str, other: str) -> None:
    assert canonical(read_expression(one, "1")) != canonical(read_expression(other, "2"))


def test_a_difference_is_told_in_words() -> None:
    found = difference(read_problem(NORMAL, "0"), read_problem(CLEAN_TABLE, "1"))
    assert found.init
    assert str(found) == (
        "things +rag 1; facts +table 1 is dusty, +rag 1 is on table 1; goal +table 1 is not dusty"
    )


def test_blanks_and_order_in_a_file_are_no_difference() -> None:
    lines = NORMAL.replace("    ", "\t").upper()
    found = difference(read_problem(NORMAL, "0"), read_problem(lines, "1"))
    assert not found.init
    assert not found.goals
    assert str(found) == "nothing"
