"""Names that are apart never become one thing, and plurals are all they can be."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.suites.actplan.activity import Activity
from env_service.suites.actplan.grounding.entities import Entity, are_apart
from env_service.suites.actplan.grounding.grounded_plan import GroundedPlan, Level
from env_service.suites.actplan.grounding.grounder import OnlineGrounder, ground
from env_service.suites.actplan.plans.plan_reader import RepairKind, read_plan
from env_service.suites.actplan.task import Variant
from env_service.worlds.activity.bddl.parser import read_problem
from env_service.worlds.activity.world import ActivityWorld

_MOVING = """
(define (problem moving_0) (:domain igibson)
 (:objects carton.n.02_1 carton.n.02_2 - carton.n.02 plate.n.04_1 plate.n.04_2 - plate.n.04
  spoon.n.01_1 - spoon.n.01 tablefork.n.01_1 - tablefork.n.01 bread.n.01_1 - bread.n.01
  rag.n.01_1 - rag.n.01 table.n.02_1 - table.n.02 sofa.n.01_1 - sofa.n.01
  cabinet.n.01_1 cabinet.n.01_2 - cabinet.n.01 soup.n.01_1 - soup.n.01
  floor.n.01_1 floor.n.01_2 - floor.n.01 agent.n.01_1 - agent.n.01)
 (:init (onfloor carton.n.02_1 floor.n.01_1) (onfloor carton.n.02_2 floor.n.01_2)
  (ontop plate.n.04_1 table.n.02_1) (ontop plate.n.04_2 table.n.02_1)
  (ontop spoon.n.01_1 table.n.02_1) (ontop tablefork.n.01_1 table.n.02_1)
  (ontop bread.n.01_1 table.n.02_1) (ontop rag.n.01_1 table.n.02_1)
  (ontop soup.n.01_1 table.n.02_1) (inroom table.n.02_1 kitchen) (inroom sofa.n.01_1 living_room)
  (inroom cabinet.n.01_1 kitchen) (inroom cabinet.n.01_2 kitchen)
  (inroom floor.n.01_1 garage) (inroom floor.n.01_2 kitchen) (onfloor agent.n.01_1 floor.n.01_2))
 (:goal (and {goal})))
"""
ALL_PLATES = "(forall (?plate.n.04 - plate.n.04) (ontop ?plate.n.04 ?sofa.n.01_1))"


def moving(goal: str = "(stained ?rag.n.01_1)") -> Activity:
    problem = read_problem(_MOVING.replace("{goal}", goal), "test")
    return Activity("moving", Variant.NORMAL, problem, "Move the things.")


def read(
    text: str, level: Level = Level.RELAXED, goal: str = "(stained ?rag.n.01_1)"
) -> GroundedPlan:
    return ground(moving(goal), read_plan(text), level)


def taken(plan: GroundedPlan) -> list[str]:
    return [
        action.target
        for step in plan.steps
        for action in step.actions
        if action.verb.value == "grab"
    ]


def refused(plan: GroundedPlan) -> list[str]:
    return [name for step in plan.steps for name in step.unresolved]


def test_boxes_from_two_rooms_are_two_boxes() -> None:
    plan = read("grab(box_from_garage) place_on_top(sofa, box_from_garage) grab(box_from_kitchen)")
    assert taken(plan) == ["carton.n.02_1", "carton.n.02_2"]


@pytest.mark.parametrize("room", ["living_room", "kitchen"])
def test_equal_numbers_from_two_rooms_are_two_things(room: str) -> None:
    """Also where the first was brought into the other room."""
    plan = read(
        f"walk_to(garage) grab(garage_box_1) walk_to({room}) place_on_floor({room}, garage_box_1)"
        " grab(kitchen_box_1)"
    )
    assert taken(plan) == ["carton.n.02_1", "carton.n.02_2"]


@pytest.mark.parametrize("level", [Level.NAMES, Level.RELAXED, Level.COLLECTIVE])
@pytest.mark.parametrize(
    ("names", "more"),
    [
        (("plate_1", "plate_2", "plate_3"), "plate_3"),
        (("first plate", "second plate", "third plate"), "third plate"),
        (("spoon_1", "spoon_2"), "spoon_2"),
        (("spoon", "another_spoon"), "another_spoon"),
        (("spoon_on_table", "spoon_on_sofa"), "spoon_on_sofa"),
        (("spoon_from_first_cabinet", "spoon_from_second_cabinet"), "spoon_from_second_cabinet"),
    ],
)
def test_a_name_of_one_thing_more_than_there_are_is_refused(
    names: tuple[str, ...], more: str, level: Level
) -> None:
    plan = read(" ".join(f"grab({name})" for name in names), level)
    assert refused(plan) == [more]
    assert len(set(taken(plan))) == len(names) - 1
    assert "one thing more" in plan.steps[-1].refusals()[0]


def test_where_the_plan_itself_put_a_thing_is_no_other_origin() -> None:
    plan = read(
        "walk_to(table) grab(spoon_from_table) walk_to(sofa) place_on_top(sofa, spoon_from_table)"
        " grab(spoon_on_sofa)"
    )
    assert taken(plan) == ["spoon.n.01_1", "spoon.n.01_1"]
    assert not refused(plan)


def test_of_fixtures_there_may_be_more_than_the_definition_lists() -> None:
    text = "walk_to(cabinet_1) walk_to(cabinet_2) walk_to(cabinet_3)"
    plan = read(text)
    targets = [action.target for step in plan.steps for action in step.actions]
    assert len(set(targets)) == 3
    assert [category for _, category, _ in plan.phantoms] == ["cabinet.n.01"]
    assert refused(read(text, Level.NAMES)) == ["cabinet_3"]


def test_no_exchange_makes_one_thing_of_two() -> None:
    """Whatever brings the plan nearer to the goal."""
    goal = "(ontop ?plate.n.04_1 ?sofa.n.01_1) (inside ?plate.n.04_1 ?cabinet.n.01_1)"
    plan = read(
        "grab(plate_1) place_on_top(sofa, plate_1) grab(plate_2) place_inside(cabinet, plate_2)",
        goal=goal,
    )
    assert len(set(taken(plan))) == 2


def test_step_by_step_they_are_apart_too() -> None:
    activity = moving()
    world, grounder = ActivityWorld(activity.problem), OnlineGrounder(activity)
    steps = read_plan("grab(plate_1) grab(plate_2) grab(plate_3)").steps
    grounded = [grounder.ground_step(step, world) for step in steps]
    assert [step.unresolved for step in grounded] == [(), (), ("plate_3",)]
    assert len({action.target for step in grounded for action in step.actions}) == 2


@pytest.mark.parametrize(
    ("name", "things"),
    [
        ("plates", {"plate.n.04_1", "plate.n.04_2"}),
        ("both plates", {"plate.n.04_1", "plate.n.04_2"}),
        ("each_plate", {"plate.n.04_1", "plate.n.04_2"}),
        ("two_plates", {"plate.n.04_1", "plate.n.04_2"}),
        ("2 plates", {"plate.n.04_1", "plate.n.04_2"}),
        ("plates_on_table", {"plate.n.04_1", "plate.n.04_2"}),
        ("silverware", {"spoon.n.01_1", "tablefork.n.01_1"}),
        ("boxes_from_garage", {"carton.n.02_1"}),
        ("plate", {"plate.n.04_1"}),
    ],
)
def test_plurals_and_collective_nouns_stand_for_all_they_can(name: str, things: set[str]) -> None:
    plan = read(f"grab({name})")
    assert set(taken(plan)) == things
    collective = RepairKind.COLLECTIVE in {each.kind for each in plan.repairs}
    assert collective == (len(things) > 1)


def test_a_plural_leaves_out_what_other_names_have() -> None:
    plan = read(
        "grab(box_1) grab(spoon) grab(plate_2) place_on_top(sofa, plate_2) grab(silverware)"
        " grab(boxes)"
    )
    assert len(taken(plan)) == len(set(taken(plan))) == 5


def test_several_things_are_shared_out_among_several_places() -> None:
    plan = read("grab(plates) walk_to(cabinets) place_inside(cabinets, plates)")
    put = [(action.target, action.item) for action in plan.steps[-1].actions]
    assert put == [("cabinet.n.01_1", "plate.n.04_1"), ("cabinet.n.01_2", "plate.n.04_2")]


def test_a_noun_that_is_taken_up_again_and_again_is_one_thing_each_time() -> None:
    text = "walk_to(table) grab(plates) walk_to(sofa) place_on_top(sofa, plates)"
    plan = read(f"{text} {text}", goal=ALL_PLATES)
    assert taken(plan) == ["plate.n.04_1", "plate.n.04_2"]


@pytest.mark.parametrize("name", ["bread_knife", "soup_ladle", "soup_pot", "rock", "reck"])
def test_part_of_a_name_or_of_a_word_is_not_taken_for_another_thing(name: str) -> None:
    assert refused(read(f"grab({name})")) == [name]


@pytest.mark.parametrize("name", ["soup_packet", "loaf of bread", "table_spoon"])
def test_what_a_thing_comes_in_stands_for_it(name: str) -> None:
    assert not refused(read(f"grab({name})"))


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ({"index": 1}, {"index": 2}, True),
        ({"index": 1}, {}, False),
        ({"step": 2, "index": 2}, {}, True),
        ({"step": 1, "index": 2}, {"step": 2}, False),
        ({"rooms": {"kitchen"}}, {"rooms": {"garage"}}, True),
        ({"rooms": {"kitchen"}}, {"places": {"sofa.n.01"}}, False),
        ({"places": {"table.n.02"}}, {"places": {"sofa.n.01"}}, True),
        ({"spots": {("cabinet.n.01", 1)}}, {"spots": {("cabinet.n.01", 2)}}, True),
        ({"spots": {("cabinet.n.01", 1)}}, {"spots": {("table.n.02", 2)}}, False),
    ],
)
def test_numbers_and_origins_keep_names_apart(
    one: dict[str, Any], other: dict[str, Any], apart: bool
) -> None:
    given = {"index": 0, "spelling": "x", "exact": True, "step": 1}
    entities = [Entity("plate.n.04", **{**given, **each}) for each in (one, other)]
    assert are_apart(*entities) == are_apart(*reversed(entities)) == apart
