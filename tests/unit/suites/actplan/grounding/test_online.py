"""Steps are grounded one by one, as they come."""

from __future__ import annotations

from env_service.suites.actplan.grounding.grounder import OnlineGrounder
from env_service.suites.actplan.plans.plan_reader import read_plan
from env_service.worlds.activity.world import ActivityWorld
from tests.unit.suites.actplan.grounding.homes import home


def play(text: str) -> list[str]:
    """The targets of a plan's actions."""
    activity = home()
    world, grounder = ActivityWorld(activity.problem), OnlineGrounder(activity)
    found = []
    for step in read_plan(text).steps:
        for action in grounder.ground_step(step, world).actions:
            found.append(action.target)
            world.do(action)
    return found


def test_a_name_keeps_its_instance() -> None:
    text = "walk_to(table_in_living_room) grab(cloth) walk_to(sink) place_inside(sink, cloth)"
    assert play(f"{text} grab(cloth)") == [
        "table.n.02_2",
        "rag.n.01_1",
        "sink.n.01_1",
        "sink.n.01_1",
        "rag.n.01_1",
    ]


def test_what_is_in_reach_is_rather_meant() -> None:
    assert play("walk_to(living_room) walk_to(floor) grab(sock)")[-1] == "sock.n.01_2"
    assert play("walk_to(sofa) grab(sock)")[-1] == "sock.n.01_1"


def test_a_things_own_name_and_number_is_that_things_wherever_it_is() -> None:
    assert play("walk_to(table_1) walk_to(table_2)") == ["table.n.02_1", "table.n.02_2"]
    assert play("walk_to(sofa) grab(sock_2)")[-1] == "sock.n.01_2"


def test_other_names_are_other_things() -> None:
    assert sorted(play("walk_to(table_1) grab(red_candle_1) grab(blue_candle_2)")[1:]) == [
        "candle.n.01_1",
        "candle.n.01_2",
    ]


def test_a_name_of_nothing_has_no_deed() -> None:
    activity = home()
    grounder, world = OnlineGrounder(activity), ActivityWorld(activity.problem)
    (step,) = read_plan("grab(chainsaw)").steps
    grounded = grounder.ground_step(step, world)
    assert grounded.actions == ()
    assert grounded.unresolved == ("chainsaw",)


def test_what_was_refused_is_not_held() -> None:
    activity = home()
    grounder, world = OnlineGrounder(activity), ActivityWorld(activity.problem)
    steps = read_plan("grab(candle_1) walk_to(table_2) grab(rag) place_on_top(sofa)").steps
    grounder.ground_step(steps[0], world)
    for step in steps[1:3]:
        for action in grounder.ground_step(step, world).actions:
            world.do(action)
    (action,) = grounder.ground_step(steps[3], world).actions
    assert (action.target, action.item) == ("sofa.n.01_1", "rag.n.01_1")
