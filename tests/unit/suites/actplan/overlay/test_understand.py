"""Every task is understood: broken ones with what is broken about them."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.activity import (
    MARK,
    Assertion,
    AssertionKind,
    Pattern,
    assertion_comments,
)
from env_service.suites.actplan.overlay.understand import (
    ASSERTIONS_TABLE,
    TableError,
    all_assertions,
    circumstance_of,
    circumstances,
    has_same_goal,
    read_table,
    understand,
)
from env_service.suites.actplan.task import ActPlanTask, Circumstance, Variant
from env_service.worlds.activity.actions import Verb

WALKER = """(define (problem p) (:domain igibson)
    (:objects sock.n.01_1 - sock.n.01 table.n.02_1 table.n.02_2 - table.n.02)
    (:init (onfloor sock.n.01_1 table.n.02_1) (dusty walker.n.04_1))
    (:goal (and (ontop ?walker.n.04_1 ?table.n.02_2) (ontop ?sock.n.01_1 ?table.n.02_2))))"""


def task(problem: str, activity: str = "tidying", variant: Variant = Variant.NORMAL) -> ActPlanTask:
    return ActPlanTask(f"{activity}/{variant.number}", activity, variant, problem, "Tidy up.")


@pytest.mark.parametrize("text", ["", "(((", "(define (problem p))", "Walk to the sink."])
def test_what_cannot_be_read_is_a_defect_and_no_crash(text: str) -> None:
    activity = understand(task(text), corrections=True)
    assert activity.problem.objects == {}
    assert activity.problem.conjuncts == ()
    assert activity.defects[0].startswith("tidying/0:1:")
    assert activity.description == "Tidy up."


def test_unknown_names_are_a_defect_and_leave_the_opening() -> None:
    activity = understand(task(WALKER), corrections=True)
    assert len(activity.defects) == 1
    assert '"walker.n.04_1"' in activity.defects[0]
    assert [each.atom.predicate for each in activity.problem.init] == ["onfloor"]


def test_corrections_can_be_switched_off() -> None:
    text = WALKER.replace("(dusty walker.n.04_1)", "")
    broken = task(text, activity="collect_misplaced_items")
    assert understand(broken, corrections=False).defects
    mended = understand(broken, corrections=True)
    assert mended.defects == ()
    assert len(mended.problem.conjuncts) == 1


def test_equal_tasks_share_one_activity() -> None:
    assert understand(task(WALKER), corrections=True) is understand(task(WALKER), corrections=True)


PLANTS = """(define (problem p) (:domain igibson)
    (:objects pot_plant.n.01_1 - pot_plant.n.01 water.n.06_1 - water.n.06 sink.n.01_1 - sink.n.01)
    (:goal (soaked ?pot_plant.n.01_1)))"""


def test_assertions_are_of_counterfactuals_alone() -> None:
    name = "watering_houseplants"
    normal = understand(task(PLANTS, name), corrections=True)
    assert normal.assertions == ()
    changed = understand(task(PLANTS, name, Variant.COUNTERFACTUAL), corrections=True)
    kinds = [each.kind for each in changed.assertions]
    assert kinds == [AssertionKind.DOES, AssertionKind.NEVER]


def test_another_activity_of_the_name_gets_none() -> None:
    other = task(WALKER, "watering_houseplants", Variant.COUNTERFACTUAL)
    assert understand(other, corrections=True).assertions == ()


def test_a_definition_may_state_its_own() -> None:
    stated = Assertion(AssertionKind.NEVER, "no tap is opened", first=Pattern((Verb.SWITCH_ON,)))
    own = understand(task(PLANTS + "\n" + assertion_comments([stated])), corrections=True)
    assert own.assertions == (stated,)
    assert own.defects == ()


@pytest.mark.parametrize("comment", ["{", "[]", '{"kind": "never"}', '{"kind": "x", "text": "y"}'])
def test_comments_that_state_nothing_are_a_defect(comment: str) -> None:
    broken = understand(task(f"{PLANTS}\n{MARK}{comment}"), corrections=True)
    assert broken.assertions == ()
    assert "mend it" in broken.defects[0]


def test_circumstances_are_of_counterfactuals_alone() -> None:
    assert len(circumstances()) == 53
    assert all_assertions().keys() <= circumstances().keys()
    name = "watering_houseplants"
    assert circumstance_of(name, Variant.COUNTERFACTUAL) is Circumstance.CAUSALITY
    assert circumstance_of(name, Variant.NORMAL) is Circumstance.NONE
    assert circumstance_of("tidying", Variant.COUNTERFACTUAL) is Circumstance.NONE


def test_same_goals_are_told() -> None:
    assert has_same_goal("watering_houseplants")
    assert not has_same_goal("storing_the_groceries")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"kind": "does", "goal": "(p ?a)"}, "needs"),
        ({"kind": "does", "first": {"verb": ["grab"]}}, 'the key "verb"'),
        ({"kind": "goal", "goal": "(p ?a)", "when": "now"}, 'the key "when"'),
    ],
)
def test_wrong_tables_are_refused(
    monkeypatch: pytest.MonkeyPatch, entry: dict[str, object], message: str
) -> None:
    table = {"assertion": [{"activity": "tidying", "text": "so", **entry}]}
    monkeypatch.setattr(f"{understand.__module__}.read_table", lambda _: table)
    with pytest.raises(TableError, match=message):
        all_assertions.__wrapped__()
    assert read_table(ASSERTIONS_TABLE)["assertion"]
