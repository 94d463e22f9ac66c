"""Walking through conditions, and making others of them."""

from __future__ import annotations

from env_service.worlds.activity.bddl.expressions import (
    Atom,
    Bound,
    all_bounds,
    atoms,
    bound_depth,
    parts,
    renamed,
)
from env_service.worlds.activity.bddl.parser import read_expression
from env_service.worlds.activity.bddl.writer import write_expression

NESTED = """(and (imply (open ?a) (not (open ?b)))
    (forpairs (?a - cup) (?c - box) (or (inside ?a ?c) (exists (?b - cup) (nextto ?a ?b)))))"""


def changed(text: str, **names: str) -> str:
    return write_expression(renamed(read_expression(text, "x"), names))


def test_names_are_changed_wherever_no_quantifier_binds_them() -> None:
    assert changed("(and (open ?a) (not (dusty ?b)))", a="x") == "(and (open ?x) (not (dusty ?b)))"
    assert changed("(or (imply (open ?a) (open ?b)))", b="x") == "(or (imply (open ?a) (open ?x)))"
    assert changed("(forall (?a - cup) (nextto ?a ?b))", a="x", b="y") == (
        "(forall (?a - cup) (nextto ?a ?y))"
    )
    assert changed("(forn (2) (?a - cup) (open ?b))", a="x", b="y") == (
        "(forn (2) (?a - cup) (open ?y))"
    )
    assert changed("(fornpairs (1) (?a - cup) (?b - box) (inside ?a ?c))", a="x", b="y", c="z") == (
        "(fornpairs (1) (?a - cup) (?b - box) (inside ?a ?z))"
    )


def test_names_change_places_at_once() -> None:
    assert changed("(inside ?a ?b)", a="b", b="a") == "(inside ?b ?a)"


def test_all_facts_and_all_variables_are_found_in_order() -> None:
    goal = read_expression(NESTED, "x")
    assert [each.predicate for each in atoms(goal)] == ["open", "open", "inside", "nextto"]
    assert [each.variable for each in all_bounds(goal)] == ["a", "c", "b"]
    assert bound_depth(goal) == 3


def test_a_condition_is_made_of_its_parts() -> None:
    goal = read_expression(NESTED, "x")
    assert len(parts(goal)) == 2
    assert parts(Atom("open", ("a",))) == ()
    assert list(all_bounds(parts(goal)[0])) == []
    assert Bound("b", "cup") in list(all_bounds(goal))
