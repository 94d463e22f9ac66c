"""Corrections mend what they were written for, and leave everything else alone."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.overlay.understand import (
    Correction,
    DefectKind,
    apply,
    corrections,
)
from env_service.worlds.activity.bddl.parser import read_expression, read_problem
from env_service.worlds.activity.bddl.problem import Problem

TEXT = """(define (problem p) (:domain igibson)
    (:objects cup.n.01_1 cup_n.01_2 - cup_n.01 bin.n.01_1 - bin.n.01)
    (:init (dusty cup.n.01_1) (dusty cup_n.01_2))
    (:goal (and (inside ?cup.n.01_1 ?bin.n.01_1) (open ?mug.n.01_1)) (open bin.n.01_1)))"""


@pytest.fixture
def problem() -> Problem:
    return read_problem(TEXT, "p")


def correction(**fields: object) -> Correction:
    empty = {"rename": {}, "objects": {}, "remove": (), "add": (), "init_remove": ()}
    given = {"activity": "p", "problem": 0, "kind": DefectKind.FILE, "reason": "it is broken"}
    return Correction(**{**given, **empty, "init_add": (), **fields})


def conditions(*texts: str) -> tuple:
    return tuple(read_expression(text, "x") for text in texts)


def test_conditions_go_and_come(problem: Problem) -> None:
    change = correction(
        remove=conditions("(open ?mug.n.01_1)"), add=conditions("(open ?bin.n.01_1)")
    )
    changed = apply(change, problem)
    inside = "(inside ?cup.n.01_1 ?bin.n.01_1)"
    assert changed.conjuncts == conditions(inside, "(open ?bin.n.01_1)")
    assert changed.dropped == ()


def test_names_are_changed_wherever_they_stand(problem: Problem) -> None:
    changed = apply(correction(rename={"cup_n.01": "cup.n.01"}), problem)
    assert dict(changed.objects) == {
        "cup.n.01_1": "cup.n.01",
        "cup.n.01_2": "cup.n.01",
        "bin.n.01_1": "bin.n.01",
    }
    assert [each.atom.terms for each in changed.init] == [("cup.n.01_1",), ("cup.n.01_2",)]
    assert changed.dropped == problem.dropped


@pytest.mark.parametrize(
    "fields",
    [
        {"remove": conditions("(open ?jar.n.01_1)")},
        {"rename": {"jar.n.01": "mug.n.01"}},
        {"objects": {"bin.n.01_1": "bin.n.01"}},
    ],
    ids=["condition that is not there", "name that is not there", "object that is"],
)
def test_what_does_not_fit_changes_nothing(problem: Problem, fields: dict) -> None:
    change = correction(add=conditions("(dusty ?bin.n.01_1)"), **fields)
    assert apply(change, problem) == problem


def test_every_entry_of_the_table_gives_its_reason_and_does_something() -> None:
    for each in corrections():
        assert each.reason.endswith(".")
        assert each.remove or each.add or each.rename, each.activity
