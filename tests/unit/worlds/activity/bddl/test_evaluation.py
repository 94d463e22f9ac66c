"""Conditions hold by BDDL's rules."""

from __future__ import annotations

import pytest

from env_service.worlds.activity.bddl.expressions import Atom, evaluate
from env_service.worlds.activity.bddl.parser import read_expression
from env_service.worlds.activity.bddl.problem import check_names
from env_service.worlds.activity.bddl.syntax import BddlError
from tests.unit.worlds.activity.bddl.texts import problem

OBJECTS = {"a1": "a", "a2": "a", "a3": "a", "b1": "b", "b2": "b"}


def holds(text: str, *facts: str) -> bool:
    """Whether a condition holds where exactly these facts do: "on a1 b1"."""
    true = {tuple(each.split()) for each in facts}

    def asked(atom: Atom) -> bool:
        return (atom.predicate, *atom.terms) in true

    return evaluate(read_expression(text, "x"), OBJECTS, asked)


@pytest.mark.parametrize(
    ("text", "facts", "expected"),
    [
        ("(and)", (), True),
        ("(or)", (), False),
        ("(not (p a1))", ("p a1",), False),
        ("(imply (p a1) (q a1))", (), True),
        ("(imply (p a1) (q a1))", ("p a1",), False),
        ("(forall (?x - a) (p ?x))", ("p a1", "p a2", "p a3"), True),
        ("(forall (?x - a) (p ?x))", ("p a1", "p a2"), False),
        ("(forall (?x - c) (p ?x))", (), True),
        ("(exists (?x - a) (p ?x))", ("p a3",), True),
        ("(exists (?x - c) (p ?x))", (), False),
        ("(forn (2) (?x - a) (p ?x))", ("p a1", "p a3"), True),
        ("(forn (2) (?x - a) (p ?x))", ("p a1", "p a2", "p a3"), False),
        ("(forn (0) (?x - c) (p ?x))", (), True),
        ("(forpairs (?x - a) (?y - b) (on ?x ?y))", ("on a1 b1", "on a2 b2"), True),
        ("(forpairs (?x - a) (?y - b) (on ?x ?y))", ("on a1 b1", "on a2 b1"), False),
        ("(fornpairs (1) (?x - a) (?y - b) (on ?x ?y))", ("on a3 b2",), True),
        ("(exists (?x - a) (forall (?y - b) (on ?x ?y)))", ("on a2 b1", "on a2 b2"), True),
        ("(exists (?x - a) (forall (?y - b) (on ?x ?y)))", ("on a1 b1", "on a2 b2"), False),
        ("(exists (?a1 - b) (p ?a1))", ("p a1",), False),
        ("(forall (?x - a) (p b1))", ("p b1",), True),
    ],
)
def test_each_operator(text: str, facts: tuple[str, ...], expected: bool) -> None:
    assert holds(text, *facts) is expected


def test_pairs_are_weaker_than_a_matching() -> None:
    cross = ("on a1 b1", "on a2 b1", "on a3 b1", "on a1 b2")
    assert holds("(forpairs (?x - a) (?y - b) (on ?x ?y))", *cross)
    row = ("on a1 b1", "on a1 b2")
    assert not holds("(forpairs (?x - a) (?y - b) (on ?x ?y))", *row)


def test_a_thing_is_no_pair_with_itself() -> None:
    itself = ("on a1 a1", "on a2 a2", "on a3 a3")
    assert not holds("(forpairs (?x - a) (?y - a) (on ?x ?y))", *itself)


def test_names_that_stand_for_nothing_are_told_with_the_nearest_one() -> None:
    with pytest.raises(BddlError, match=r'"cup.n.01_3" in :goal .*or write cup\.n\.01_'):
        check_names(problem(goal="(dusty ?cup.n.01_3)"))
    with pytest.raises(BddlError, match=r'"bowl.n.01_1" in :init'):
        check_names(problem(init="(dusty bowl.n.01_1)"), "here")


def test_bound_names_rooms_and_what_is_dropped_need_no_declaration() -> None:
    check_names(problem(goal="(exists (?x - cup.n.01) (dusty ?x)) (dusty bowl.n.01_7)"))
    with pytest.raises(BddlError, match='"x"'):
        check_names(problem(goal="(and (exists (?x - cup.n.01) (dusty ?x)) (dusty ?x))"))
