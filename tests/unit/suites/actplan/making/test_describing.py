"""Descriptions by template: everything is told, in English."""

from __future__ import annotations

import re

from env_service.suites.actplan.making.description import (
    INSTRUCTION,
    activity_in_words,
    describe,
    situation,
)
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Problem
from tests.support.making_home import NORMAL
from tests.support.small_activity import OBJECTS, OPENING


def goals(goal: str, objects: str = "cookie.n.01_3 - cookie.n.01") -> list[str]:
    """What is told of a goal in place of the home's own."""
    text = NORMAL.replace(
        "(forall (?cookie.n.01 - cookie.n.01) (inside ?cookie.n.01 ?basket.n.01_1))", goal
    ).replace("agent.n.01_1 -", f"{objects}\n agent.n.01_1 -")
    told = describe("x", read_problem(text, "x"))
    return re.findall(r"^- (.*)[;.]$", told, re.MULTILINE)


def small(goal: str = "(and)") -> Problem:
    """A kitchen and a bathroom with a little of everything."""
    return read_problem(
        f"(define (problem x) (:domain igibson) (:objects {OBJECTS}) (:init {OPENING})"
        f" (:goal {goal}))",
        "x",
    )


def test_a_home_is_told_as_people_would() -> None:
    assert situation(read_problem(NORMAL, "x")) == (
        "In the kitchen there are a table and a cabinet.",
        "On the table is cookie 1.",
        "In the cabinet is cookie 2.",
        "On the floor of the kitchen is a basket.",
        "You start in the kitchen.",
    )


def test_every_thing_every_state_and_every_room_is_told() -> None:
    told = " ".join(situation(small()))
    assert "On the table are plate 2, candle 1, water, sauce and an alarm." in told
    assert "In the electric refrigerator is a fish." in told
    assert "The fish is frozen." in told
    assert "In the bathroom there are a bathtub and a dryer." in told
    for noun in ("soap", "water", "sauce", "alarm", "broom", "tea bag"):
        assert re.search(rf"\b{noun}\b", told), noun
    assert not re.search(r"_|\.n\.|  |\bNone\b", told)


def test_the_description_ends_with_how_to_answer() -> None:
    told = describe("packing_sweets", read_problem(NORMAL, "x"), "The cabinet is stuck.")
    assert told.startswith('The task is called "packing sweets". In the kitchen')
    assert "You start in the kitchen. The cabinet is stuck.\nAt the end" in told
    assert told.endswith(f"- every cookie is in the basket.\n{INSTRUCTION}\n")


def test_quantifiers_are_told_with_their_counts() -> None:
    assert goals("(forn (2) (?c - cookie.n.01) (inside ?c ?basket.n.01_1))") == [
        "this is true of exactly two of the cookies: that cookie is in the basket"
    ]
    assert goals("(forpairs (?b - basket.n.01) (?c - cookie.n.01) (inside ?c ?b))") == [
        "the baskets and the cookies can be paired one to one, as far as both go, so that in each"
        " pair the cookie is in the basket"
    ]
    assert goals("(fornpairs (2) (?b - basket.n.01) (?c - cookie.n.01) (inside ?c ?b))") == [
        "the baskets and the cookies can be paired one to one, in at least two pairs, so that in"
        " each pair the cookie is in the basket"
    ]
    assert goals("(forpairs (?a - cookie.n.01) (?c - cookie.n.01) (nextto ?a ?c))") == [
        "the cookies can be paired one to one, as far as both go, so that in each pair one cookie"
        " is next to the other"
    ]


def test_pairs_that_name_instances_are_told_as_what_they_come_to() -> None:
    assert goals(
        "(forpairs (?b - basket.n.01) (?c - cookie.n.01) (inside ?cookie.n.01_1 ?basket.n.01_1))"
    ) == ["cookie 1 is in the basket"]


def test_a_conjunct_that_stands_twice_is_told_once() -> None:
    assert goals("(ontop ?cookie.n.01_1 ?table.n.02_1) (ontop ?cookie.n.01_1 ?table.n.02_1)") == [
        "cookie 1 is on the table"
    ]


def test_undeclared_names_are_told_by_themselves() -> None:
    assert goals("(ontop ?walker.n.04_1 ?table.n.02_1)") == ["walker 1 is on the table"]


def test_names_of_activities_read_as_english() -> None:
    assert activity_in_words("packing_child_s_bag") == "packing child's bag"
    assert activity_in_words("serving_hors_d_oeuvres") == "serving hors d'oeuvres"
    assert activity_in_words("re-shelving_library_books") == "re-shelving library books"
