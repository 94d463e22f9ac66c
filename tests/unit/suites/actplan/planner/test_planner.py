"""Plans, and that the executor agrees with them."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.activity import Activity, Assertion, AssertionKind, Pattern
from env_service.suites.actplan.grounding.grounded_plan import Level
from env_service.suites.actplan.judges.judge import judge
from env_service.suites.actplan.planner.planner import PlanningAssumptions, plan_for, plan_under
from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.bddl.expressions import Atom
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.commonsense import PROFILES

KITCHEN = """
    cabinet.n.01_1 cabinet.n.01_2 - cabinet.n.01
    plate.n.04_1 plate.n.04_2 plate.n.04_3 - plate.n.04
    table.n.02_1 - table.n.02
    sink.n.01_1 - sink.n.01
    stove.n.01_1 - stove.n.01
    pan.n.01_1 - pan.n.01
    rag.n.01_1 - rag.n.01
    soap.n.01_1 - soap.n.01
    carving_knife.n.01_1 - carving_knife.n.01
    tomato.n.01_1 tomato.n.01_2 - tomato.n.01
    basket.n.01_1 basket.n.01_2 - basket.n.01
    pot_plant.n.01_1 - pot_plant.n.01
    floor.n.01_1 - floor.n.01
    agent.n.01_1 - agent.n.01
"""
OPENING = """
    (inside plate.n.04_1 cabinet.n.01_1) (inside plate.n.04_2 cabinet.n.01_1)
    (ontop plate.n.04_3 table.n.02_1) (stained plate.n.04_1) (dusty table.n.02_1)
    (ontop pan.n.01_1 table.n.02_1) (inside rag.n.01_1 sink.n.01_1)
    (ontop soap.n.01_1 table.n.02_1) (inside carving_knife.n.01_1 cabinet.n.01_2)
    (ontop tomato.n.01_1 table.n.02_1) (ontop tomato.n.01_2 table.n.02_1)
    (frozen tomato.n.01_2) (burnt tomato.n.01_1)
    (onfloor basket.n.01_1 floor.n.01_1) (onfloor basket.n.01_2 floor.n.01_1)
    (onfloor pot_plant.n.01_1 floor.n.01_1)
    (inroom cabinet.n.01_1 kitchen) (inroom cabinet.n.01_2 kitchen)
    (inroom table.n.02_1 kitchen) (inroom sink.n.01_1 kitchen) (inroom stove.n.01_1 kitchen)
    (inroom floor.n.01_1 kitchen) (onfloor agent.n.01_1 floor.n.01_1)
"""
STANDARD = PROFILES["standard"]


def activity(goal: str, *assertions: Assertion, without: str = "nothing") -> Activity:
    """The kitchen with a goal, and without the things of a category."""
    lines = [line for line in KITCHEN.splitlines() if without not in line]
    facts = OPENING.replace(" (", "\n(").splitlines()
    init = " ".join(fact for fact in facts if without not in fact)
    text = (
        f"(define (problem p) (:domain igibson) (:objects {' '.join(lines)}) (:init {init})"
        f" (:goal {goal}))"
    )
    problem = read_problem(text, "test")
    return Activity("kitchen", Variant.NORMAL, problem, "", assertions)


GOALS = {
    "all": "(forall (?plate.n.04 - plate.n.04) (ontop ?plate.n.04 ?table.n.02_1))",
    "some": """(forall (?plate.n.04 - plate.n.04) (exists (?basket.n.01 - basket.n.01)
        (inside ?plate.n.04 ?basket.n.01)))""",
    "exactly": "(forn (2) (?plate.n.04 - plate.n.04) (ontop ?plate.n.04 ?table.n.02_1))",
    "none": "(forall (?plate.n.04 - plate.n.04) (not (inside ?plate.n.04 ?cabinet.n.01_1)))",
    "pairs": """(forpairs (?basket.n.01 - basket.n.01) (?plate.n.04 - plate.n.04)
        (inside ?plate.n.04 ?basket.n.01))""",
    "either": "(or (burnt ?plate.n.04_1) (ontop ?plate.n.04_1 ?stove.n.01_1))",
    "implied": """(forall (?plate.n.04 - plate.n.04) (imply (stained ?plate.n.04)
        (inside ?plate.n.04 ?sink.n.01_1)))""",
    "denied": "(not (exists (?basket.n.01 - basket.n.01) (onfloor ?basket.n.01 ?floor.n.01_1)))",
    "nested": "(and (inside ?tomato.n.01_2 ?pan.n.01_1) (inside ?pan.n.01_1 ?cabinet.n.01_2))",
    "beside": "(and (ontop ?plate.n.04_1 ?table.n.02_1) (nextto ?plate.n.04_1 ?plate.n.04_3))",
    "under": "(under ?plate.n.04_1 ?table.n.02_1)",
    "clean": "(and (not (stained ?plate.n.04_1)) (not (dusty ?table.n.02_1)))",
    "sliced": "(forall (?tomato.n.01 - tomato.n.01) (sliced ?tomato.n.01))",
    "cooked": "(and (cooked ?tomato.n.01_2) (ontop ?tomato.n.01_2 ?plate.n.04_3))",
    "thawed": "(not (frozen ?tomato.n.01_2))",
    "watered": "(soaked ?pot_plant.n.01_1)",
    "soaked": "(and (soaked ?rag.n.01_1) (ontop ?rag.n.01_1 ?table.n.02_1))",
    "switched": "(and (toggled_on ?stove.n.01_1) (open ?cabinet.n.01_1))",
    "nothing": "(ontop ?pan.n.01_1 ?table.n.02_1)",
}


@pytest.mark.parametrize("name", GOALS)
def test_a_plan_reaches_the_goal_and_violates_nothing(name: str) -> None:
    asked = activity(GOALS[name])
    plan = plan_under(asked, PlanningAssumptions(), STANDARD)
    assert plan is not None
    verdict = judge(asked, read_plan("\n".join(plan)), STANDARD)
    assert next(each for each in verdict.goals if each.level is Level.STRICT).reached
    assert verdict.sensible


@pytest.mark.parametrize("name", ["all", "some", "clean", "sliced", "cooked", "watered"])
def test_a_single_hand_will_do(name: str) -> None:
    asked = activity(GOALS[name])
    plan = plan_for(asked, PROFILES["one-hand"])
    assert plan is not None
    assert judge(asked, read_plan("\n".join(plan)), PROFILES["one-hand"]).sensible


def test_where_everything_is_so_already_there_is_nothing_to_do() -> None:
    assert plan_for(activity(GOALS["nothing"])) == ()


def test_what_is_opened_is_closed_again_and_tools_go_back() -> None:
    plan = plan_for(activity(GOALS["sliced"])) or ()
    assert plan[-3:] == (
        "walk_to(cabinet_2)",
        "place_inside(cabinet_2, carving_knife_1)",
        "close(cabinet_2)",
    )


def test_nobody_unburns_a_tomato() -> None:
    assert plan_for(activity("(not (burnt ?tomato.n.01_1))")) is None


def test_facts_that_exclude_each_other_have_no_plan() -> None:
    both = "(and (inside ?pan.n.01_1 ?sink.n.01_1) (inside ?pan.n.01_1 ?cabinet.n.01_1))"
    assert plan_for(activity(both)) is None


def test_on_a_plate_in_a_basket_is_in_the_basket_as_people_read_it() -> None:
    goal = "(and (inside ?tomato.n.01_2 ?basket.n.01_1) (ontop ?tomato.n.01_2 ?plate.n.04_3))"
    asked = activity(goal)
    assert plan_under(asked, PlanningAssumptions()) is None
    assert "place_inside(basket_1, plate_3)" in (plan_for(asked) or ())


def test_every_home_has_a_stove() -> None:
    asked = activity(GOALS["cooked"], without="stove")
    assert plan_under(asked, PlanningAssumptions()) is None
    plan = plan_for(asked) or ()
    assert "switch_on(stove_1)" in plan
    assert judge(asked, read_plan("\n".join(plan)), STANDARD).correct


def test_where_the_water_is_off_soap_helps() -> None:
    off = Pattern((Verb.SWITCH_ON, Verb.SOAK), ())
    rule = Assertion(AssertionKind.NEVER, "the water is cut off", first=off)
    asked = activity(GOALS["clean"], rule)
    plan = plan_for(asked) or ()
    assert any("soap_1" in step for step in plan)
    assert not any("switch_on" in step or "soak" in step for step in plan)
    assert judge(asked, read_plan("\n".join(plan)), STANDARD).correct


def test_what_a_rule_wants_used_is_used() -> None:
    soap = Pattern((Verb.CLEAN,), ("plate.n.04",), tools=("soap.n.01",))
    rule = Assertion(AssertionKind.DOES, "old stains", first=soap)
    plan = plan_for(activity(GOALS["clean"], rule)) or ()
    assert any(step.startswith("clean(plate_1") and "soap_1" in step for step in plan)


def test_what_is_to_be_made_use_of_somehow_is_taken() -> None:
    rule = Assertion(AssertionKind.DOES, "a pan is used", first=Pattern(targets=("pan.n.01",)))
    plan = plan_for(activity("(inside ?soap.n.01_1 ?sink.n.01_1)", rule)) or ()
    assert [step for step in plan if "pan_1" in step] == ["walk_to(pan_1)", "grab(pan_1)"]


def test_what_a_rule_wants_first_is_done_first() -> None:
    opens = Pattern((Verb.OPEN,), ("cabinet.n.01",))
    walks = Pattern((Verb.GRAB,), ("pan.n.01",))
    rule = Assertion(AssertionKind.BEFORE, "cabinets are opened first", first=opens, second=walks)
    plan = plan_for(activity("(inside ?pan.n.01_1 ?sink.n.01_1)", rule)) or ()
    assert plan.index("grab(pan_1)") > min(k for k, s in enumerate(plan) if s.startswith("open"))


def test_what_a_rule_asks_of_the_end_belongs_to_the_goal() -> None:
    end = Atom("inside", ("soap.n.01_1", "sink.n.01_1"))
    rule = Assertion(AssertionKind.GOAL, "the soap is in the sink", goal=end)
    assert "place_inside(sink_1, soap_1)" in (plan_for(activity(GOALS["nothing"], rule)) or ())


def test_a_goal_that_cannot_be_decided_has_no_plan() -> None:
    asked = activity(GOALS["nothing"])
    broken = Activity(asked.name, asked.variant, asked.problem, "", defects=("a name is unknown",))
    assert plan_for(broken) is None


def test_equal_activities_have_equal_plans() -> None:
    assert plan_for(activity(GOALS["some"])) == plan_for(activity(GOALS["some"]))
