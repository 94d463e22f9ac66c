from dataclasses import replace

import pytest

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind, Pattern
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.judges.judgement import ErrorClass, Judgement
from env_service.suites.actplan.overlay.understand import understand
from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.suites.actplan.task import ActPlanTask, Variant
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.commonsense import PROFILES, ViolationKind

BOOKS = """
(define (problem books_0) (:domain igibson)
 (:objects book.n.02_1 book.n.02_2 - book.n.02
  table.n.02_1 - table.n.02 cabinet.n.01_1 - cabinet.n.01
  rag.n.01_1 - rag.n.01 floor.n.01_1 - floor.n.01 agent.n.01_1 - agent.n.01)
 (:init (ontop book.n.02_1 table.n.02_1) (ontop book.n.02_2 table.n.02_1)
  (ontop rag.n.01_1 table.n.02_1)
  (inroom table.n.02_1 living_room) (inroom cabinet.n.01_1 living_room)
  (inroom floor.n.01_1 living_room) (onfloor agent.n.01_1 floor.n.01_1))
 (:goal (and (forall (?book.n.02 - book.n.02) (inside ?book.n.02 ?cabinet.n.01_1)))))
"""

GOOD = """walk_to(table)
grab(book_1)
walk_to(cabinet)
open(cabinet)
place_inside(cabinet, book_1)
walk_to(table)
grab(book_2)
walk_to(cabinet)
place_inside(cabinet, book_2)
close(cabinet)
"""

STANDARD = PROFILES["standard"]


def activity(*assertions: Assertion, problem: str = BOOKS) -> Activity:
    task = ActPlanTask("books/0", "books", Variant.NORMAL, problem, "Put the books away.")
    return replace(understand(task, corrections=False), assertions=assertions)


def judged(text: str, *assertions: Assertion) -> Judgement:
    return judge(activity(*assertions), read_plan(text), STANDARD)


def kinds(judgement: Judgement) -> set[ViolationKind]:
    return {each.kind for _, each in judgement.violations}


def test_a_good_plan_is_correct_and_sensible() -> None:
    found = judged(GOOD)
    assert found.correct and found.sensible
    assert not found.unmet and not found.errors
    assert {each.level: each.reached for each in found.goals} == dict.fromkeys(Level, True)
    assert len(found.trace) == 10
    assert found.profile == "standard"


def test_what_is_left_undone_is_told_by_name() -> None:
    found = judged("\n".join(line for line in GOOD.splitlines() if "book_2" not in line))
    assert not found.correct
    relaxed = next(each for each in found.goals if each.level is Level.RELAXED)
    assert [each.met for each in relaxed.conditions] == [False]
    assert relaxed.conditions[0].undone == "at the end book 2 is not in cabinet 1"
    assert ErrorClass.MISSING_ACTIONS in found.errors


def test_correct_holds_exactly_where_all_conditions_are_met() -> None:
    for text in (GOOD, "", "hello", "walk_to(table)", GOOD.replace("open(cabinet)\n", "")):
        found = judged(text)
        assert found.correct == all(each.met for each in found.conditions)
        assert all(each.undone for each in found.unmet)


def test_reaching_into_what_is_closed_is_not_correct_though_the_goal_is_reached() -> None:
    found = judged(GOOD.replace("open(cabinet)\n", "").replace("close(cabinet)\n", ""))
    assert ViolationKind.CLOSED in kinds(found)
    assert not found.correct
    relaxed = next(each for each in found.goals if each.level is Level.RELAXED)
    assert relaxed.reached
    assert any(step == 4 for step, _ in found.violations)


def test_a_plan_that_never_walks_is_not_correct() -> None:
    found = judged("\n".join(line for line in GOOD.splitlines() if "walk_to" not in line))
    assert found.count(ViolationKind.NOT_NEAR) >= 2
    assert not found.correct
    assert ErrorClass.MISSING_ACTIONS in found.errors


def test_one_step_from_afar_is_let_pass_and_two_are_not() -> None:
    once = GOOD.replace("walk_to(table)\ngrab(book_2)", "grab(book_2)")
    twice = once.replace("walk_to(cabinet)\nopen(cabinet)", "open(cabinet)")
    assert judged(once).count(ViolationKind.NOT_NEAR) == 1
    assert judged(once).correct
    assert judged(twice).count(ViolationKind.NOT_NEAR) > 1
    assert not judged(twice).correct


def test_slips_of_bookkeeping_are_told_and_let_pass() -> None:
    found = judged(GOOD.replace("close(cabinet)\n", "open(cabinet)\n"))
    assert kinds(found) == {ViolationKind.ALREADY_OPEN}
    assert found.correct and not found.sensible


def test_a_loop_without_a_number_is_no_plan_of_steps() -> None:
    found = judged(GOOD + "\n(repeat for all remaining books)")
    assert [each.text for each in found.unmet] == ["the plan is made of steps alone"]
    assert found.errors == (ErrorClass.INCORRECT_FORM,)


def test_the_profile_is_of_commonsense_and_not_of_correctness() -> None:
    both = "walk_to(table) grab(book_1) grab(book_2) walk_to(cabinet) open(cabinet)"
    both += " place_inside(cabinet, book_1) place_inside(cabinet, book_2)"
    plan = read_plan(both)
    one, any_number = (judge(activity(), plan, PROFILES[name]) for name in ("one-hand", "standard"))
    assert ViolationKind.HANDS_FULL in kinds(one)
    assert ViolationKind.HANDS_FULL not in kinds(any_number)
    assert one.correct == any_number.correct
    assert one.conditions == any_number.conditions


def test_a_thing_that_is_not_there_is_an_extra_tool() -> None:
    found = judged("walk_to(table)\ngrab(teleporter)\n")
    assert ViolationKind.NO_SUCH_THING in kinds(found)
    assert not found.correct
    assert ErrorClass.EXTRA_TOOLS in found.errors


@pytest.mark.parametrize("text", ["", "   ", "I would tidy the books away.", "grab(", "((((", "x"])
def test_what_is_no_plan_is_judged_not_correct(text: str) -> None:
    found = judged(text)
    assert not found.correct
    assert not any(each.reached for each in found.goals)
    assert found.errors


def test_a_goal_that_cannot_be_decided_is_told() -> None:
    found = judge(activity(problem="(define (problem broken"), read_plan(GOOD), STANDARD)
    assert not found.correct
    assert [each.text for each in found.unmet][:1] == ["the goal can be decided"]
    assert all(each.conditions == () for each in found.goals)


def test_what_holds_as_stated_holds_at_every_level() -> None:
    """Read freely, both books are next to the cabinet; as stated exactly one is."""
    goal = "(:goal (forn (1) (?book.n.02 - book.n.02) (nextto ?book.n.02 ?cabinet.n.01_1))))"
    problem = BOOKS[: BOOKS.index("(:goal")] + goal
    text = "walk_to(table) grab(book_1) walk_to(cabinet) place_next_to(cabinet, book_1)"
    text += " walk_to(table) grab(book_2) walk_to(floor) place_on_top(floor, book_2)"
    found = judge(activity(problem=problem), read_plan(text), STANDARD)
    assert {each.level: each.reached for each in found.goals} == dict.fromkeys(Level, True)


def test_a_goal_that_asks_for_nothing_proves_nothing() -> None:
    problem = BOOKS[: BOOKS.index("(:goal")] + "(:goal (and)))"
    found = judge(activity(problem=problem), read_plan(GOOD), STANDARD)
    assert not found.correct
    assert [each.text for each in found.unmet] == ["the goal can be decided"]


RAG_FIRST = Assertion(
    AssertionKind.BEFORE,
    "the rag is taken before a book",
    first=Pattern((Verb.GRAB,), ("rag.n.01",)),
    second=Pattern((Verb.GRAB,), ("book.n.02",)),
)


def test_a_constraint_of_order_is_kept_where_its_first_deed_comes_first() -> None:
    early = judged("walk_to(table)\ngrab(rag)\nplace_on_top(table, rag)\n" + GOOD, RAG_FIRST)
    late = judged(GOOD + "walk_to(table)\ngrab(rag)\n", RAG_FIRST)
    never = judged(GOOD, RAG_FIRST)
    nothing = judged("walk_to(table)", RAG_FIRST)
    assert [each.assertions[0].met for each in (early, late, never, nothing)] == [
        *(True, False, False),
        True,
    ]
    assert "step 2" in late.assertions[0].undone
    assert not never.correct
    assert ErrorClass.CAUSE_AND_EFFECT in never.errors


@pytest.mark.parametrize(
    ("kind", "pattern", "met"),
    [
        (AssertionKind.DOES, Pattern((Verb.OPEN,), ("cabinet.n.01",)), True),
        (AssertionKind.DOES, Pattern((Verb.CLEAN,)), False),
        (AssertionKind.NEVER, Pattern((Verb.CLEAN,)), True),
        (AssertionKind.NEVER, Pattern((Verb.PLACE_INSIDE,), items=("book.n.02",)), False),
        (AssertionKind.NEVER, Pattern((Verb.OPEN,), tools=("book.n.02",)), False),
        (AssertionKind.NEVER, Pattern((Verb.CLOSE,), tools=("book.n.02",)), True),
    ],
)
def test_a_constraint_on_deeds_looks_at_verb_things_and_what_is_held(
    kind: AssertionKind, pattern: Pattern, met: bool
) -> None:
    found = judged(GOOD, Assertion(kind, "so it is", first=pattern))
    assert found.assertions[0].met is met
    assert found.correct is met
    assert (ErrorClass.PROPERTY_OR_FUNCTION in found.errors) is not met


def test_a_constraint_on_the_end_is_judged_like_the_goal() -> None:
    shut = Assertion(
        AssertionKind.GOAL, "the rag stays", goal=Atom("ontop", ("rag.n.01_1", "table.n.02_1"))
    )
    assert judged(GOOD, shut).correct
    found = judged("walk_to(table)\ngrab(rag)\n" + GOOD, shut)
    assert [each.text for each in found.unmet] == ["the rag stays"]


def test_equal_plans_get_equal_judgements() -> None:
    assert judged(GOOD) == judged(GOOD)
