"""The linter finds what published definitions get wrong, and where."""

from __future__ import annotations

import pytest

from env_service.worlds.activity.bddl.finding import Check, Severity
from env_service.worlds.activity.bddl.lint import lint
from tests.unit.worlds.activity.bddl.texts import INIT, definition


def checks(goal: str, init: str = INIT) -> list[str]:
    return [each.check.value for each in lint(definition(goal, init), "x", "tidying_0")]


def test_a_sound_definition_has_no_findings() -> None:
    assert lint(definition(), "x", "tidying_0") == ()


@pytest.mark.parametrize(
    ("goal", "check"),
    [
        ("(dusty ?bowl.n.01_1)", "unknown-name"),
        ("(dusty ?cup.n.01_1) (dusty ?cup.n.01_2)", "dropped-goal"),
        ("(clean ?cup.n.01_1)", "unknown-predicate"),
        ("(inside ?cup.n.01_1)", "wrong-arity"),
        ("(forall (?cup.n.01 - cup.n.01) (dusty ?cup.n.01_1))", "unused-variable"),
        (
            "(exists (?cup.n.01 - cup.n.01) (forall (?cup.n.01 - cup.n.01) (dusty ?cup.n.01)))",
            "shadowed-variable",
        ),
        ("(exists (?bowl.n.01 - bowl.n.01) (dusty ?bowl.n.01))", "empty-category"),
        ("(forall (?sink.n.01 - cup.n.01) (dusty ?sink.n.01))", "misnamed-variable"),
        ("(and (dusty ?cup.n.01_1) (dusty ?cup.n.01_1))", "repeated-goal"),
        ("(ontop ?cup.n.01_1 ?floor.n.01_1)", "reached-goal"),
        ("(dusty cup.n.01_1)", "missing-mark"),
    ],
)
def test_defects_of_goals(goal: str, check: str) -> None:
    assert checks(goal) == [check]


@pytest.mark.parametrize(
    ("init", "check"),
    [
        ("(ontop cup.n.01_1 floor.n.01_1)", "no-agent"),
        ("(onfloor agent.n.01_1 floor.n.01_1)", "unplaced"),
        (INIT + "(inside cup.n.01_2 sink.n.01_1)", "contradiction"),
        (INIT + "(dusty cup.n.01_1) (not (dusty cup.n.01_1))", "contradiction"),
    ],
)
def test_defects_of_openings(init: str, check: str) -> None:
    assert checks("(dusty ?sink.n.01_1)", init) == [check]


def test_findings_tell_their_place_and_how_to_mend_it() -> None:
    text = definition().replace("cup.n.01_2 - cup", "cup.n.01_2 - mug")
    (found,) = [each for each in lint(text, "x") if each.check is Check.WRONG_CATEGORY][:1]
    assert (found.line, found.column) == (4, 9)
    assert found.severity is Severity.WARNING
    assert "mug.n.01" in found.what
    assert found.mend


def test_a_name_is_held_against_the_files() -> None:
    assert [each.check for each in lint(definition(name="other"), "x", "tidying_0")] == [
        Check.OTHER_NAME
    ]


def test_what_cannot_be_read_is_one_finding() -> None:
    (found,) = lint("(define", "x")
    assert (found.check, found.severity) == (Check.UNREADABLE, Severity.ERROR)
