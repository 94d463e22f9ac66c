"""Definitions are read whatever their spelling, and refused with place and advice."""

from __future__ import annotations

import contextlib
import pickle
import random

import pytest

from env_service.worlds.activity.bddl.expressions import And, Atom, Bound, ForAll, ForN, Not
from env_service.worlds.activity.bddl.parser import (
    MAX_CASES,
    MAX_FACTS,
    MAX_OBJECTS,
    read_expression,
    read_problem,
)
from env_service.worlds.activity.bddl.problem import Literal
from env_service.worlds.activity.bddl.syntax import MAX_TEXT, BddlError
from env_service.worlds.activity.bddl.writer import write_expression, write_problem
from tests.unit.worlds.activity.bddl.texts import definition, problem


def test_a_definition_has_its_objects_opening_and_goal() -> None:
    read = problem()
    assert (read.name, read.domain) == ("tidying_0", "igibson")
    assert read.objects["cup.n.01_2"] == "cup.n.01"
    assert Literal(Atom("inroom", ("sink.n.01_1", "kitchen"))) in read.init
    body = Atom("inside", ("cup.n.01", "sink.n.01_1"))
    assert read.goal == And((ForAll(Bound("cup.n.01", "cup.n.01"), body),))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text.replace("?", ""),
        lambda text: text.replace("\n", "\r\n").replace("    ", "\t"),
        lambda text: text.replace("\n", "\r"),
        lambda text: "\ufeff; a comment\n" + text.upper() + " ; the end",
    ],
    ids=["no marks", "tabs and CRLF", "CR", "mark of byte order, comments, upper case"],
)
def test_spelling_makes_no_difference(spoil) -> None:
    assert read_problem(spoil(definition()), "x") == problem()


def test_what_follows_the_goal_is_kept_apart() -> None:
    read = problem(goal="(dusty cup.n.01_1) (inside cup.n.01_1 bin)")
    assert read.goal == Atom("dusty", ("cup.n.01_1",))
    assert read.dropped == (Atom("inside", ("cup.n.01_1", "bin")),)
    assert read.conjuncts == (read.goal,)


def test_negated_facts_of_the_opening_are_read() -> None:
    read = problem(init="(not (soaked cup.n.01_1))")
    assert Literal(Atom("soaked", ("cup.n.01_1",)), positive=False) in read.init


def test_a_count_may_stand_in_parentheses_or_not() -> None:
    expected = ForN(2, Bound("x", "cup.n.01"), Not(Atom("dusty", ("x",))))
    for count in ("2", "(2)"):
        text = f"(forn {count} (?x - cup.n.01) (not (dusty ?x)))"
        assert read_expression(text, "x") == expected


@pytest.mark.parametrize(
    ("text", "line", "column", "what"),
    [
        ("", 1, 1, "there is nothing in it"),
        ("(define (problem x)", 1, 1, 'a "(" is never closed'),
        ("(define)\n)", 2, 1, 'a ")" has no "("'),
        ("(define)\n (define)", 2, 2, "more after the end"),
        ("define", 1, 1, "outside of all parentheses"),
        ("(domain x)", 1, 1, "is not a definition"),
        ("(define (problem x) (:goal (a b)))", 1, 1, ":objects is missing"),
        ("(define (:objects) (:objects))", 1, 20, "or is repeated"),
        ("(define (:objects) (:actions))", 1, 20, "not a section"),
        ("(define (:objects a b) (:goal (x a)))", 1, 19, '"a" has no category'),
        ("(define (:objects - b) (:goal (x a)))", 1, 19, "lacks instances"),
        ("(define (:objects a - b a - c) (:goal (x a)))", 1, 25, "declared as b before"),
        ("(define (:objects (a)) (:goal (x a)))", 1, 19, "parenthesis among"),
        ("(define (:objects) (:goal))", 1, 20, "the goal is empty"),
        ("(define (:objects) (:goal a))", 1, 27, "instead of a condition"),
        ("(define (:objects) (:goal ()))", 1, 27, "a fact is due"),
        ("(define (:objects) (:goal (a)))", 1, 27, '"a" has 0 terms'),
        ("(define (:objects) (:goal (a b c d)))", 1, 27, '"a" has 3 terms'),
        ("(define (:objects) (:goal (a (b))))", 1, 30, "instead of a name"),
        ("(define (:objects) (:goal (a ?)))", 1, 30, '"?" has no name'),
        ("(define (:objects) (:goal (not)))", 1, 27, '"not" has 0 conditions'),
        ("(define (:objects) (:goal (forall (a b))))", 1, 27, '"forall" is not complete'),
        ("(define (:objects) (:goal (forall (?a b) (x a))))", 1, 35, "a variable with its"),
        ("(define (:objects) (:goal (forn (x) (?a - b) (x a))))", 1, 33, "a whole number"),
        ("(define (:objects) (:goal (forn (²) (?a - b) (x a))))", 1, 33, "a whole number"),
        (
            f"(define (:objects) (:goal (forn ({'9' * 50}) (?a - b) (x a))))",
            1,
            33,
            "at most 4 digits",
        ),
        ("(define (:objects a - b) (:init (inroom a)) (:goal (x a)))", 1, 33, '"inroom" has no'),
        ("(define (:objects a - b) (:goal (inroom ?a)))", 1, 33, '"inroom" has no room'),
        (
            "(define (:objects) (:goal " + "(exists (?x - c) " * 5 + "(p ?x)" + ")" * 7,
            1,
            27,
            "more than 4 variables",
        ),
        ("(" * 65 + ")" * 65, 1, 65, "nested more than 64 deep"),
        ("(" * 100_000, 1, 65, "nested more than 64 deep"),
        ("(define (problem a) (problem b) (:objects) (:goal (x a)))", 1, 21, "or is repeated"),
        ("(define (problem a b) (:objects) (:goal (x a)))", 1, 9, "no one name"),
        ("(define (problem a\u200b) (:objects) (:goal (x a)))", 1, 18, "U+200B"),
        ("\0" * 500, 1, 1, "U+0000"),
        (f"(define (problem {'a' * 101}))", 1, 18, "has 101 characters, and 100 are the most"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text, line, column, what) -> None:
    with pytest.raises(BddlError) as caught:
        read_problem(text, "some.bddl")
    error = caught.value
    assert (error.source, error.line, error.column) == ("some.bddl", line, column)
    assert what in error.what
    assert error.mend
    assert str(error).startswith(f"some.bddl:{line}:{column}: ")


def test_names_may_be_of_any_script() -> None:
    text = definition().replace("cup", "tässe").replace("kitchen", "台所")
    assert read_problem(text, "x").objects["tässe.n.01_1"] == "tässe.n.01"


def test_a_text_that_is_far_too_long_is_not_looked_at() -> None:
    with pytest.raises(BddlError, match=rf"x: the text has {MAX_TEXT + 1} characters"):
        read_problem(" " * (MAX_TEXT + 1), "x")


def test_errors_travel_between_processes() -> None:
    error = BddlError("a", 1, 2, "is wrong", "mend it")
    assert str(pickle.loads(pickle.dumps(error))) == "a:1:2: is wrong; mend it"


EXPRESSIONS = (
    "(and (dusty ?a) (not (inside ?a ?b)))",
    "(or (imply (open ?a) (open ?b)) (inroom ?a kitchen))",
    "(exists (?x - cup.n.01) (forn (2) (?y - cup.n.01) (nextto ?x ?y)))",
    "(forpairs (?x - cup.n.01) (?y - sink.n.01) (inside ?x ?y))",
    "(fornpairs (3) (?x - cup.n.01) (?y - sink.n.01) (inside ?x ?y))",
)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_conditions_are_written_as_they_are_read(text: str) -> None:
    assert write_expression(read_expression(text, "x")) == text


def test_long_conditions_are_broken_into_lines() -> None:
    goal = f"(and {' '.join(EXPRESSIONS)})"
    written = write_problem(problem(goal=goal))
    assert max(map(len, written.splitlines())) <= 100
    assert read_problem(written, "x") == problem(goal=goal)


def test_spoilt_texts_are_refused_or_read_and_never_crash() -> None:
    draw = random.Random(0)
    text = definition(
        "(and (forpairs (?c - cup.n.01) (?s - sink.n.01) (inside ?c ?s)) (not (a b)))"
    )
    for _ in range(400):
        start = draw.randrange(len(text))
        end = start + draw.randrange(12)
        spoilt = text[:start] + draw.choice(["", "(", ")", " - ", "?", "; ", "and "]) + text[end:]
        with contextlib.suppress(BddlError):
            assert read_problem(spoilt, "x").goal is not None


def of_cups(count: int, goal: str) -> str:
    cups = " ".join(f"cup.n.01_{number}" for number in range(1, count + 1))
    return f"(define (problem a_0) (:objects {cups} - cup.n.01)\n(:init)\n(:goal {goal}))"


def test_a_definition_too_large_to_be_judged_is_refused() -> None:
    every = "(forall (?{0} - cup.n.01) "
    with pytest.raises(BddlError, match=rf"{MAX_OBJECTS + 1} instances .* {MAX_OBJECTS}") as found:
        read_problem(of_cups(MAX_OBJECTS + 1, "(open cup.n.01_1)"), "huge")
    assert (found.value.line, found.value.column) == (1, 23)
    three = "".join(map(every.format, "abc")) + "(nextto ?a ?b))))"
    assert len(read_problem(of_cups(10, three), "small").objects) == 10
    with pytest.raises(BddlError, match=rf"and {MAX_CASES} are the most") as found:
        read_problem(of_cups(60, three), "many")
    assert found.value.line == 3


def test_an_opening_and_what_is_dropped_of_a_goal_are_bounded() -> None:
    facts = "(dusty cup.n.01_1) " * MAX_FACTS
    with pytest.raises(BddlError, match=rf"the opening has \d+ facts, and {MAX_FACTS} are"):
        read_problem(definition(init=facts), "x")
    with pytest.raises(BddlError, match=rf"takes {MAX_CASES + 1} facts"):
        read_problem(definition("(dusty ?cup.n.01_1) " * (MAX_CASES + 2)), "x")
