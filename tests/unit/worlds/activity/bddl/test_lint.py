"""The linter finds what published definitions get wrong, and where."""

from __future__ import annotations

import random
import re

import pytest

from env_service.worlds.activity.lint import lint
from env_service.worlds.activity.lint_findings import Check, Finding, Severity
from tests.unit.worlds.activity.bddl.texts import INIT, definition

HERE = "(onfloor agent.n.01_1 floor.n.01_1) "


def checks(goal: str, init: str = INIT) -> list[str]:
    return [each.check.value for each in lint(definition(goal, init), "x", "tidying_0")]


def serious(goal: str) -> list[Finding]:
    """What is found of a goal beside notes."""
    found = lint(definition(goal), "x")
    return [each for each in found if each.severity is not Severity.NOTE]


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
        (
            "(or (dusty ?cup.n.01_1) (exists (?bowl.n.01 - bowl.n.01) (dusty ?bowl.n.01)))",
            "empty-category",
        ),
        ("(forall (?sink.n.01 - cup.n.01) (dusty ?sink.n.01))", "misnamed-variable"),
        ("(and (dusty ?cup.n.01_1) (dusty ?cup.n.01_1))", "repeated-goal"),
        ("(and (ontop ?cup.n.01_1 ?floor.n.01_1) (dusty ?cup.n.01_1))", "reached-goal"),
        ("(ontop ?cup.n.01_1 ?floor.n.01_1)", "nothing-to-do"),
        ("(and)", "nothing-to-do"),
        ("(inroom ?cup.n.01_1 garage)", "empty-room"),
        ("(inside ?cup.n.01_1 ?floor.n.01_1)", "misfit"),
        ("(dusty cup.n.01_1)", "missing-mark"),
    ],
)
def test_defects_of_goals(goal: str, check: str) -> None:
    assert checks(goal) == [check]


@pytest.mark.parametrize("goal", ["(clean ?cup.n.01_1)", "(inside ?cup.n.01_1)"])
def test_a_predicate_that_cannot_be_evaluated_is_an_error(goal: str) -> None:
    (found,) = serious(goal)
    assert found.severity is Severity.ERROR


@pytest.mark.parametrize(
    ("init", "check"),
    [
        ("(ontop cup.n.01_1 floor.n.01_1)", "no-agent"),
        ("(onfloor agent.n.01_1 floor.n.01_1)", "unplaced"),
        (HERE + "(not (ontop cup.n.01_1 floor.n.01_1))", "unplaced"),
        (INIT + "(inside cup.n.01_2 sink.n.01_1)", "contradiction"),
        (INIT + "(soaked cup.n.01_1) (not (soaked cup.n.01_1))", "contradiction"),
        (INIT + "(inroom sink.n.01_1 bathroom)", "contradiction"),
        (INIT + "(inroom cup.n.01_1 bathroom)", "contradiction"),
        (HERE + "(inside cup.n.01_1 cup.n.01_1)", "cycle"),
        (INIT + "(soaked cup.n.01_2) (soaked cup.n.01_2)", "repeated-fact"),
        (HERE + "(onfloor cup.n.01_1 sink.n.01_1)", "misfit"),
        (HERE + "(inside cup.n.01_1 floor.n.01_1)", "misfit"),
    ],
)
def test_defects_of_openings(init: str, check: str) -> None:
    assert checks("(dusty ?cup.n.01_1)", init) == [check]


def test_findings_tell_their_place_and_how_to_mend_it() -> None:
    text = definition().replace("cup.n.01_2 - cup", "cup.n.01_2 - mug")
    (found,) = [each for each in lint(text, "x") if each.check is Check.WRONG_CATEGORY][:1]
    assert (found.line, found.column) == (4, 9)
    assert found.severity is Severity.WARNING
    assert "mug.n.01" in found.what
    assert found.mend


@pytest.mark.parametrize("goal", ["(inside ?cup.n.01_1 ?{0})", "(ontop ?cup.n.01_1 ?{0})"])
@pytest.mark.parametrize("kind", ["agent", "apple", "fork"])
def test_a_misfit_has_the_right_article(goal: str, kind: str) -> None:
    text = definition(goal.format(f"{kind}.n.01_1"))
    if kind != "agent":
        text = text.replace("agent.n.01_1 - ag", f"{kind}.n.01_1 - {kind}.n.01 agent.n.01_1 - ag")
    told = [each.what for each in lint(text, "x") if each.check is Check.MISFIT]
    article = "a" if kind == "fork" else "an"
    assert all(words.endswith(f" {article} {kind}") for words in told)
    assert told or "ontop" in goal


def test_a_name_is_held_against_the_files() -> None:
    assert [each.check for each in lint(definition(name="other"), "x", "tidying_0")] == [
        Check.OTHER_NAME
    ]


def test_what_cannot_be_read_is_one_finding() -> None:
    (found,) = lint("(define", "x")
    assert (found.check, found.severity) == (Check.UNREADABLE, Severity.ERROR)


@pytest.mark.parametrize(
    "goal",
    [
        "(forn (3) (?cup.n.01 - cup.n.01) (dusty ?cup.n.01))",
        "(fornpairs (2) (?cup.n.01 - cup.n.01) (?sink.n.01 - sink.n.01)"
        " (inside ?cup.n.01 ?sink.n.01))",
        "(or)",
        "(and (dusty ?cup.n.01_1) (not (dusty ?cup.n.01_1)))",
        "(and (forall (?cup.n.01 - cup.n.01) (dusty ?cup.n.01)) (not (dusty ?cup.n.01_2)))",
        "(and (dusty ?cup.n.01_1) (not (exists (?cup.n.01 - cup.n.01) (dusty ?cup.n.01))))",
        "(and (dusty ?cup.n.01_1) (not (imply (dusty ?cup.n.01_2) (dusty ?cup.n.01_1))))",
        "(exists (?cup.n.01 - cup.n.01) (and (dusty ?cup.n.01) (not (dusty ?cup.n.01))))",
        "(forall (?cup.n.01 - cup.n.01) (nextto ?cup.n.01 ?cup.n.01_1))",
        "(and (inside ?cup.n.01_1 ?cup.n.01_2) (inside ?cup.n.01_2 ?cup.n.01_1))",
        "(inside ?agent.n.01_1 ?sink.n.01_1)",
    ],
)
def test_goals_that_nothing_reaches(goal: str) -> None:
    (found,) = serious(goal)
    assert (found.check, found.severity) == (Check.IMPOSSIBLE_GOAL, Severity.ERROR)
    assert found.line == 11
    assert found.mend


@pytest.mark.parametrize(
    "goal",
    [
        "(exists (?apple.n.01 - apple.n.01) (inside ?apple.n.01 ?sink.n.01_1))",
        "(and (dusty ?cup.n.01_1) (exists (?apple.n.01 - apple.n.01) (dusty ?apple.n.01)))",
        "(or (exists (?apple.n.01 - apple.n.01) (dusty ?apple.n.01))"
        " (exists (?pear.n.01 - pear.n.01) (dusty ?pear.n.01)))",
        "(not (forall (?apple.n.01 - apple.n.01) (dusty ?apple.n.01)))",
        "(forall (?cup.n.01 - cup.n.01)"
        " (exists (?apple.n.01 - apple.n.01) (inside ?apple.n.01 ?cup.n.01)))",
        "(imply (forall (?apple.n.01 - apple.n.01) (dusty ?apple.n.01))"
        " (exists (?apple.n.01 - apple.n.01) (dusty ?apple.n.01)))",
    ],
)
def test_a_goal_that_an_undeclared_category_makes_unreachable_is_an_error(goal: str) -> None:
    (found,) = (each for each in serious(goal) if each.severity is Severity.ERROR)
    assert found.check is Check.IMPOSSIBLE_GOAL
    assert 'no instance of "apple.n.01"' in found.what
    assert found.line == 11


@pytest.mark.parametrize(
    "goal",
    [
        "(forall (?apple.n.01 - apple.n.01) (dusty ?apple.n.01))",
        "(or (dusty ?cup.n.01_1) (exists (?apple.n.01 - apple.n.01) (dusty ?apple.n.01)))",
        "(and (dusty ?cup.n.01_1)"
        " (not (exists (?apple.n.01 - apple.n.01) (inside ?apple.n.01 ?sink.n.01_1))))",
    ],
)
def test_an_undeclared_category_that_leaves_a_goal_reachable_is_a_warning(goal: str) -> None:
    assert {each.severity for each in serious(goal)} == {Severity.WARNING}


@pytest.mark.parametrize(
    "goal",
    [
        "(or (dusty ?cup.n.01_1) (or))",
        "(or (dusty ?cup.n.01_1) (forn (3) (?cup.n.01 - cup.n.01) (open ?cup.n.01)))",
        "(or (dusty ?cup.n.01_1) (and (open ?sink.n.01_1) (not (open ?sink.n.01_1))))",
        "(and (dusty ?cup.n.01_1) (not (forn (9) (?cup.n.01 - cup.n.01) (open ?cup.n.01))))",
    ],
)
def test_a_part_that_is_never_true_beside_others_that_may_be(goal: str) -> None:
    (found,) = serious(goal)
    assert (found.check, found.severity) == (Check.IMPOSSIBLE_PART, Severity.WARNING)


@pytest.mark.parametrize(
    "goal",
    [
        "(or (dusty ?cup.n.01_1) (open ?sink.n.01_1))",
        "(and (dusty ?cup.n.01_1) (not (dusty ?cup.n.01_2)))",
        "(and (dusty ?cup.n.01_1) (or (not (dusty ?cup.n.01_1)) (open ?cup.n.01_1)))",
        "(and (exists (?cup.n.01 - cup.n.01) (dusty ?cup.n.01))"
        " (exists (?cup.n.01 - cup.n.01) (not (dusty ?cup.n.01))))",
        "(exists (?cup.n.01 - cup.n.01) (nextto ?cup.n.01 ?cup.n.01_1))",
        "(and (inside ?cup.n.01_1 ?cup.n.01_2) (inside ?cup.n.01_2 ?sink.n.01_1))",
        "(forn (2) (?cup.n.01 - cup.n.01) (dusty ?cup.n.01))",
        "(inroom ?cup.n.01_1 kitchen)",
    ],
)
def test_goals_that_can_be_reached_are_let_pass(goal: str) -> None:
    assert serious(goal) == []


@pytest.mark.parametrize(
    ("room", "check"),
    [("kichen", "misspelt-room"), ("observatory", "unknown-room"), ("bedroom_2", "unknown-room")],
)
def test_rooms_that_no_published_task_has(room: str, check: str) -> None:
    text = definition().replace("kitchen", room)
    assert [each.check.value for each in lint(text, "x")] == [check]
    assert ("write" in lint(text, "x")[0].mend) == (check == "misspelt-room")


def test_things_in_each_other_are_named_once_with_their_place() -> None:
    init = f"{HERE}\n(inside cup.n.01_1 sink.n.01_1)\n(inside sink.n.01_1 cup.n.01_1)"
    found = [each for each in lint(definition(init=init), "x") if each.check is Check.CYCLE]
    assert [(each.line, each.column) for each in found] == [(11, 1)]
    assert '"cup.n.01_1"' in found[0].what
    assert "sink.n.01_1" in found[0].what


@pytest.mark.parametrize(
    ("objects", "check"),
    [
        ("agent.n.01_1 agent.n.01_2 - agent.n.01", "many-agents"),
        ("agent.n.01_1 agent.n.01_1 - agent.n.01", "repeated-object"),
        ("agent.n.01_1 - agent.n.01 bowl.n.01_1 - bowl.n.01", "unused-object"),
    ],
)
def test_defects_of_declarations(objects: str, check: str) -> None:
    text = definition().replace("agent.n.01_1 - agent.n.01", objects)
    assert [(each.check.value, each.line) for each in lint(text, "x")] == [(check, 7)]


def test_an_unknown_name_is_told_with_one_that_is_like_it() -> None:
    (found,) = lint(definition("(dusty ?cupp.n.01_1)"), "x")
    assert found.check is Check.UNKNOWN_NAME
    assert "cup.n.01_1" in found.mend


def test_a_repeated_conjunct_is_told_where_it_stands_again() -> None:
    goal = "(and (dusty ?cup.n.01_1)\n(dusty ?cup.n.01_2)\n(dusty ?cup.n.01_1))"
    (found,) = lint(definition(goal), "x")
    assert (found.check, found.line, found.column) == (Check.REPEATED_GOAL, 13, 1)


def test_one_place_of_a_goal_is_told_once() -> None:
    every = "(forall (?cup.n.01 - cup.n.01) (nextto ?cup.n.01 ?cup.n.01))"
    for goal in (every, f"(not (not {every}))"):
        assert [each.check for each in serious(goal)] == [Check.IMPOSSIBLE_GOAL]


def test_whatever_words_stand_in_a_definition_it_is_looked_through() -> None:
    draw = random.Random(0)
    goal = "(and (forpairs (?c - cup.n.01) (?s - sink.n.01) (inside ?c ?s)) (not (open ?s)))"
    text = definition(goal)
    words = list(re.finditer(r"[^\s()]+", text))
    others = ["not", "or", "and", "forall", "forn", "3", "?", "-", "agent.n.01_1", "inroom"]
    for _ in range(200):
        word = draw.choice(words)
        other = draw.choice([*others, draw.choice(words)[0]])
        for found in lint(text[: word.start()] + other + text[word.end() :], "x"):
            assert found.what
            assert found.mend
