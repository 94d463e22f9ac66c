"""Free names of plans stand for things of the house."""

from __future__ import annotations

from dataclasses import replace

import pytest

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.grounded_plan import GroundedPlan, Level
from env_service.suites.actplan.grounding.grounder import ground
from env_service.suites.actplan.plans.plan_reader import RepairKind, read_plan
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.bddl.expressions import Atom, evaluate
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.bddl.problem import Literal
from env_service.worlds.activity.world import ActivityWorld
from tests.unit.suites.actplan.grounding.homes import EACH_ITS_OWN, home


def grounded(text: str, level: Level = Level.NAMES, goal: str = EACH_ITS_OWN) -> GroundedPlan:
    return ground(home(goal), read_plan(text), level)


def targets(plan: GroundedPlan) -> list[str]:
    return [action.target for step in plan.steps for action in step.actions]


def unresolved(plan: GroundedPlan) -> list[str]:
    return [name for step in plan.steps for name in step.unresolved]


def kinds(plan: GroundedPlan) -> list[RepairKind]:
    return [each.kind for each in plan.repairs]


def reaches(plan: GroundedPlan, goal: str) -> bool:
    problem = home(goal).problem
    world = ActivityWorld(problem, None, plan.phantoms)
    for step in plan.steps:
        for action in step.actions:
            world.apply(action)
    return evaluate(problem.goal, problem.objects, world.holds)


@pytest.mark.parametrize("level", Level)
def test_exact_names_stand_for_what_they_name(level: Level) -> None:
    plan = grounded(
        "walk_to(sofa) grab(sock_1) walk_to(table_2) place_on_top(table_2, sock_1)", level
    )
    assert targets(plan) == ["sofa.n.01_1", "sock.n.01_1", "table.n.02_2", "table.n.02_2"]
    assert not kinds(plan)


@pytest.mark.parametrize(
    ("name", "instance"),
    [
        ("fridge", "electric_refrigerator.n.01_1"),
        ("Refrigerator", "electric_refrigerator.n.01_1"),
        ("electric refrigerator", "electric_refrigerator.n.01_1"),
        ("couch", "sofa.n.01_1"),
        ("the_living_room_table", "table.n.02_2"),
        ("table_in_kitchen", "table.n.02_1"),
        ("table_with_candles", "table.n.02_1"),
        ("table_with_rag", "table.n.02_2"),
        ("faucet", "sink.n.01_1"),
        ("stained_sock", "sock.n.01_2"),
        ("sock_on_sofa", "sock.n.01_1"),
        ("sock_from_floor", "sock.n.01_2"),
        ("wet cloth", "rag.n.01_1"),
        ("basckets", "basket.n.01_1"),
        ("living room", "living_room"),
        ("kitchen", "kitchen"),
        ("second_basket", "basket.n.01_2"),
        ("basketB", "basket.n.01_1"),
        ("basket_B", "basket.n.01_2"),
    ],
)
def test_names_are_matched_by_meaning(name: str, instance: str) -> None:
    assert targets(grounded(f"walk_to({name})")) == [instance]


def test_strict_names_are_lemmas_with_numbers_that_there_are() -> None:
    plan = grounded(
        "walk_to(fridge) walk_to(table_3) walk_to(kitchen_table) grab(rag)", Level.STRICT
    )
    assert unresolved(plan) == ["fridge", "table_3", "kitchen_table"]
    assert targets(plan) == ["rag.n.01_1"]


def test_a_name_that_stands_for_nothing_is_unresolved() -> None:
    plan = grounded("grab(chainsaw) walk_to(sofa)", Level.COLLECTIVE)
    assert unresolved(plan) == ["chainsaw"]
    assert plan.steps[0].actions == ()


def test_what_carries_items_is_no_item() -> None:
    plan = grounded("walk_to(sock_sofa) grab(sock_sofa)")
    assert targets(plan) == ["sock.n.01_1", "sock.n.01_1"]


@pytest.mark.parametrize("arguments", ["basket_1, candle_1", "candle_1, basket_1"])
def test_either_order_of_arguments_is_understood(arguments: str) -> None:
    plan = grounded(f"grab(candle_1) place_inside({arguments})", goal="(open ?basket.n.01_1)")
    action = plan.steps[1].actions[0]
    assert (action.target, action.item) == ("basket.n.01_1", "candle.n.01_1")
    swapped = RepairKind.ARGUMENTS_SWAPPED in kinds(plan)
    assert swapped == arguments.startswith("candle")


def test_a_missing_item_is_what_is_held() -> None:
    plan = grounded("grab(candle_1) place_inside(basket_1)", goal="(open ?basket.n.01_1)")
    action = plan.steps[1].actions[0]
    assert (action.target, action.item) == ("basket.n.01_1", "candle.n.01_1")
    assert kinds(plan) == [RepairKind.ARGUMENT_MISSING]


def test_tools_come_after_what_they_are_used_on() -> None:
    plan = grounded("clean(table_1, rag) use(rag, table_1) scrub(rag, table_1)")
    actions = [step.actions[0] for step in plan.steps]
    assert {(action.verb, action.target, action.tools) for action in actions} == {
        (Verb.CLEAN, "table.n.02_1", ("rag.n.01_1",))
    }
    assert kinds(plan) == [RepairKind.ARGUMENTS_SWAPPED]


def test_the_plans_numbers_need_not_be_the_definitions() -> None:
    plan = grounded(
        "grab(candle_1) place_inside(basket_1, candle_1)"
        " grab(candle_2) place_inside(basket_2, candle_2)"
    )
    assert reaches(plan, EACH_ITS_OWN)
    assert RepairKind.NUMBER_MATCHED in kinds(plan)
    assert not reaches(
        grounded(
            "grab(candle_1) place_inside(basket_1, candle_1)"
            " grab(candle_2) place_inside(basket_2, candle_2)",
            Level.STRICT,
        ),
        EACH_ITS_OWN,
    )


def test_a_noun_that_is_taken_up_again_elsewhere_is_the_next_of_its_kind() -> None:
    plan = grounded(
        "walk_to(table) grab(candle) walk_to(basket_1) place_inside(basket_1, candle)"
        " walk_to(table) grab(candle) walk_to(basket_2) place_inside(basket_2, candle)"
    )
    assert reaches(plan, EACH_ITS_OWN)


def test_a_tool_that_is_taken_up_again_is_the_same() -> None:
    goal = "(forall (?sock.n.01 - sock.n.01) (not (stained ?sock.n.01)))"
    plan = grounded(
        "grab(rag) place_inside(sink, rag) grab(soaked_rag) clean(sock, soaked_rag)", goal=goal
    )
    assert targets(plan)[2] == "rag.n.01_1"
    assert reaches(plan, goal)


def test_fixtures_of_every_home_exist_when_plans_are_read_freely() -> None:
    text = "walk_to(countertop) place_on_top(countertop, rag)"
    assert unresolved(grounded(text, Level.NAMES)) == ["countertop", "countertop"]
    plan = grounded(text, Level.RELAXED)
    assert not unresolved(plan)
    ((instance, category, _),) = plan.phantoms
    assert category == "countertop.n.01"
    assert plan.steps[1].actions[0].target == instance
    assert RepairKind.PHANTOM in kinds(plan)


@pytest.mark.parametrize(
    ("noun", "level"), [("candles", Level.RELAXED), ("candle", Level.COLLECTIVE)]
)
def test_one_word_stands_for_all_where_it_is_read_so(noun: str, level: Level) -> None:
    goal = "(forall (?candle.n.01 - candle.n.01) (inside ?candle.n.01 ?basket.n.01_1))"
    text = f"walk_to(table_1) grab({noun}) walk_to(basket) place_inside(basket, {noun})"
    assert not reaches(grounded(text, Level(level - 1), goal), goal)
    plan = grounded(text, level, goal)
    assert reaches(plan, goal)
    assert RepairKind.COLLECTIVE in kinds(plan)


def test_a_bare_noun_is_what_the_agent_stands_at() -> None:
    plan = grounded(
        "walk_to(first_basket) place_inside(basket, candle_1) walk_to(second_basket)"
        " place_inside(basket, candle_2)",
        goal="(open ?basket.n.01_1)",
    )
    assert [step.actions[0].target for step in plan.steps if step.actions[0].item] == [
        "basket.n.01_1",
        "basket.n.01_2",
    ]


def test_a_bare_noun_is_what_is_in_the_room() -> None:
    plan = grounded("walk_to(kitchen) walk_to(floor) walk_to(living_room) walk_to(floor)")
    assert targets(plan) == ["kitchen", "floor.n.01_1", "living_room", "floor.n.01_2"]


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("room", ["hallway", "moon_base"])
def test_a_room_is_called_as_the_definition_calls_it(room: str, level: Level) -> None:
    activity = home()
    init = (*activity.problem.init, Literal(Atom("inroom", ("basket.n.01_1", room))))
    moved = replace(activity, problem=replace(activity.problem, init=init))
    plan = ground(moved, read_plan(f"walk_to({room}) walk_to(kitchen)"), level)
    assert targets(plan) == [room, "kitchen"]


def test_arguments_stand_where_the_plan_mostly_has_them() -> None:
    plan = grounded(
        "grab(candle_1) place_on_top(candle_1, sofa) grab(candle_2) place_on_top(candle_2, sofa)"
        " grab(basket_1) place_on_top(basket_1, sofa) place_on_top(sock_1, basket_1)"
    )
    action = plan.steps[-1].actions[0]
    assert (action.target, action.item) == ("basket.n.01_1", "sock.n.01_1")


def test_what_is_put_somewhere_where_one_walked_to_a_place_goes_there() -> None:
    plan = grounded("grab(candle_1) walk_to(next_to_sofa) place_on_top(candle_1)")
    assert plan.steps[-1].actions[0].verb is Verb.PLACE_NEXT_TO


@pytest.mark.parametrize(
    ("target", "verb", "instance"),
    [
        ("next_to_sink", Verb.PLACE_NEXT_TO, "sink.n.01_1"),
        ("floor_near_sofa", Verb.PLACE_NEXT_TO, "sofa.n.01_1"),
        ("under_kitchen_table", Verb.PLACE_UNDER, "table.n.02_1"),
        ("kitchen", Verb.PLACE_ON_FLOOR, "kitchen"),
        ("kitchen_floor", Verb.PLACE_ON_TOP, "floor.n.01_1"),
    ],
)
def test_a_place_may_be_named_by_what_is_there(target: str, verb: Verb, instance: str) -> None:
    plan = grounded(f"grab(rag) place_on_top({target}, rag)")
    action = plan.steps[1].actions[0]
    assert (action.verb, action.target, action.item) == (verb, instance, "rag.n.01_1")
    beside = verb in (Verb.PLACE_NEXT_TO, Verb.PLACE_UNDER)
    assert (RepairKind.PLACE_READ in kinds(plan)) == beside


def test_putting_goes_into_what_holds_things_and_onto_what_does_not() -> None:
    plan = grounded("put(candle_1, basket_1) put(candle_2, table_1)", goal="(open ?basket.n.01_1)")
    assert [step.actions[0].verb for step in plan.steps] == [Verb.PLACE_INSIDE, Verb.PLACE_ON_TOP]


@pytest.mark.parametrize("step", ["use(rag_on_kitchen_table)", "clean(table_1_with_rag)"])
def test_one_name_may_tell_a_tool_and_what_it_is_used_on(step: str) -> None:
    action = grounded(step).steps[0].actions[0]
    assert (action.verb, action.target) == (Verb.CLEAN, "table.n.02_1")
    assert action.tools == ("rag.n.01_1",)


def test_the_thing_that_one_walked_to_is_taken_up() -> None:
    plan = grounded("walk_to(sock_on_floor) grab(sock)")
    assert targets(plan) == ["sock.n.01_2", "sock.n.01_2"]


def test_an_unknown_verb_has_no_deeds() -> None:
    (step,) = grounded("frobnicate(candle_1)").steps
    assert step.actions == () and step.unresolved == ()


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize(
    "text",
    [
        "grab() place_inside() clean() open() walk_to() slice() pour() place_on_floor()",
        "place_inside(candle, candle) grab(candle, candle, sock) pour(water) clean(a, b, c, d, e)",
        " ".join(
            f"grab(candle_{number}) place_inside(basket_{number}, candle_{number})"
            for number in range(200)
        ),
        "grab(☃) walk_to(123) place_on_top(,,) clean(stain) wipe(dust, water)",
    ],
)
def test_no_plan_is_refused_and_equal_plans_are_read_alike(text: str, level: Level) -> None:
    plan = grounded(text, level)
    assert len(plan.steps) == len(read_plan(text).steps)
    assert plan == grounded(text, level)


def test_names_by_contents_are_one_fixtures_where_it_has_all_of_them() -> None:
    problem = read_problem(
        """(define (problem gifts_0) (:domain igibson)
        (:objects table.n.02_1 table.n.02_2 - table.n.02 cookie.n.01_1 - cookie.n.01
          candle.n.01_1 - candle.n.01 bow.n.08_1 - bow.n.08 cheese.n.01_1 - cheese.n.01
          agent.n.01_1 - agent.n.01)
        (:init (ontop cookie.n.01_1 table.n.02_1) (ontop candle.n.01_1 table.n.02_1)
          (ontop cheese.n.01_1 table.n.02_2) (ontop bow.n.08_1 table.n.02_2)
          (inroom table.n.02_1 kitchen) (inroom table.n.02_2 kitchen))
        (:goal (ontop ?bow.n.08_1 ?table.n.02_1)))""",
        "test",
    )
    contents = ("cookies", "cheese", "candles", "bows")
    plan = read_plan("\n".join(f"walk_to(table_with_{each})" for each in contents))
    activity = Activity("gifts", Variant.NORMAL, problem, "Tie the gifts.")
    assert targets(ground(activity, plan, Level.NAMES)) == [
        *("table.n.02_1", "table.n.02_2", "table.n.02_1", "table.n.02_2")
    ]
