import pytest

from env_service.suites.asgard.goals import (
    GoalTracker,
    describe_goal,
    goals_of,
    homes,
    is_met,
    serves_location_goal,
)
from env_service.suites.asgard.plan import (
    ContentsGoal,
    EventGoal,
    LocationGoal,
    PutAwayGoal,
    RequiredEvent,
    State,
    StateGoal,
)
from env_service.suites.asgard.plan_reader import read_plan
from env_service.suites.asgard.rules import PAPER, UPSTREAM, Rules
from tests.unit.suites.asgard.builders import plan_data, room, thing

ON_PLATE = LocationGoal("AppleSliced", "Plate")
KNOBS_OFF = StateGoal("StoveKnob", State.TOGGLED, value=False)
COOKED_EGG = StateGoal("Egg", State.COOKED, value=True)
TOAST = StateGoal("Bread", State.COOKED, value=True)
SET_TABLE = ContentsGoal("DiningTable", ("Mug", "Plate", "BreadSliced"))


def both(goal, view, events=()):
    """(by the paper, by the released code)"""
    return is_met(goal, view, events, PAPER), is_met(goal, view, events, UPSTREAM)


def slice_in(*parents, **changes):
    return thing("AppleSliced", parentReceptacles=list(parents), **changes)


def test_one_of_several_slices_on_the_plate_is_enough():
    view = room(slice_in("CounterTop"), slice_in("Plate", objectId="s2"), thing("Plate"))
    assert both(ON_PLATE, view) == (True, True)


def test_a_slice_in_a_bowl_on_the_plate_is_not_on_the_plate():
    plate = thing("Plate", size=(0.3, 0.05, 0.3))
    bowl = thing("Bowl", size=(0.2, 0.05, 0.2))
    view = room(slice_in("Plate", "Bowl", center=(0.0, 0.0, 0.0)), plate, bowl)
    assert both(ON_PLATE, view) == (False, False)


def test_a_slice_that_lies_over_the_plate_is_on_it_whatever_ai2thor_says():
    plate = thing("Plate", (0.0, 0.9, 0.0), (0.3, 0.02, 0.3))

    def met(*center):
        piece = thing("AppleSliced", center, (0.05, 0.05, 0.05))
        return is_met(ON_PLATE, room(piece, plate), (), PAPER)

    assert met(0.1, 0.93, 0.1)
    assert not met(0.1, 0.96, 0.1)
    assert not met(0.2, 0.93, 0.1)


def test_what_is_held_over_the_plate_is_on_it_for_the_released_code_alone():
    piece = thing("AppleSliced", (0.0, 0.92, 0.0), (0.05, 0.05, 0.05))
    view = room(piece, thing("Plate", (0.0, 0.9, 0.0)), held="AppleSliced")
    assert both(ON_PLATE, view) == (False, True)


def test_a_goal_on_what_is_not_there_is_not_met():
    goals = (ON_PLATE, KNOBS_OFF, COOKED_EGG, TOAST, PutAwayGoal("Mug"), SET_TABLE)
    assert {both(goal, room()) for goal in goals} == {(False, False)}


def test_all_knobs_count_by_the_paper_and_the_first_by_the_released_code():
    off, on = thing("StoveKnob"), thing("StoveKnob", objectId="second", isToggled=True)
    assert both(KNOBS_OFF, room(off, on)) == (False, True)
    assert both(KNOBS_OFF, room(on, off)) == (False, False)
    assert both(KNOBS_OFF, room(off)) == (True, True)


def test_an_egg_is_cooked_when_what_came_out_of_it_is():
    egg = thing("Egg", isCooked=True, isSliced=True)
    assert both(COOKED_EGG, room(egg)) == (False, False)
    assert both(COOKED_EGG, room(egg, thing("EggCracked"))) == (False, False)
    assert both(COOKED_EGG, room(thing("EggCracked", isCooked=True))) == (True, True)


@pytest.mark.parametrize("piece", ["BreadSliced", "PotatoSliced"])
def test_one_cooked_slice_is_enough(piece):
    goal = TOAST if piece == "BreadSliced" else StateGoal(piece, State.COOKED, value=True)
    raw, done = thing(piece), thing(piece, objectId="second", isCooked=True)
    assert both(goal, room(raw, done)) == (True, True)
    assert both(goal, room(raw)) == (False, False)


def test_a_mug_in_a_cabinet_is_put_away_also_while_that_is_open():
    cabinet = thing("Cabinet", openable=True, isOpen=True)
    assert both(PutAwayGoal("Mug"), room(thing("Mug", parentReceptacles=["Cabinet"]), cabinet)) == (
        True,
        True,
    )


@pytest.mark.parametrize(
    ("kind", "place", "met"),
    [
        ("Pot", "Cabinet", (True, True)),
        ("Pot", "CounterTop", (False, True)),
        ("Cup", "SideTable", (False, True)),
        ("Cup", "DiningTable", (False, True)),
        ("Pot", "Floor", (False, False)),
        ("Ladle", "Cabinet", (True, True)),
        ("Spoon", "CounterTop", (False, False)),
        ("Apple", "Fridge", (True, True)),
        ("Pan", "StoveBurner", (True, True)),
    ],
)
def test_where_things_belong(kind, place, met):
    view = room(thing(kind, parentReceptacles=[place]), thing(place))
    assert both(PutAwayGoal(kind), view) == met


def test_what_belongs_nowhere_has_no_home():
    assert homes("Chair", PAPER) == frozenset()


def test_two_forks_have_both_to_be_put_away_by_the_paper():
    drawer = thing("Drawer")
    home = thing("Fork", parentReceptacles=["Drawer"])
    out = thing("Fork", objectId="second")
    assert both(PutAwayGoal("Fork"), room(home, out, drawer)) == (False, True)


def test_a_deed_counts_once_it_is_done():
    goal = EventGoal(RequiredEvent.SPRAY_MIRROR)
    assert both(goal, room()) == (False, False)
    assert both(goal, room(), {RequiredEvent.DRINK_COFFEE}) == (False, False)
    assert both(goal, room(), {RequiredEvent.SPRAY_MIRROR}) == (True, True)


def table_with(*others, slice_parents=("DiningTable", "Plate"), table="DiningTable"):
    def on_it(kind, **changes):
        return thing(kind, parentReceptacles=[table], **changes)

    slice_ = thing("BreadSliced", parentReceptacles=list(slice_parents))
    return (on_it("Mug"), on_it("Plate"), slice_, *others)


def test_a_table_is_set_when_it_holds_these_and_nothing_else_that_can_be_carried():
    table = thing("DiningTable")
    fork = thing("Fork", parentReceptacles=["DiningTable"])
    heavy = thing("CoffeeMachine", parentReceptacles=["DiningTable"], pickupable=False)
    assert both(SET_TABLE, room(*table_with(), table)) == (True, True)
    assert both(SET_TABLE, room(*table_with(heavy), table)) == (True, True)
    assert both(SET_TABLE, room(*table_with(fork), table)) == (False, False)
    assert both(SET_TABLE, room(*table_with()[1:], table)) == (False, False)


def test_a_slice_on_a_plate_is_on_the_table_though_ai2thor_names_the_plate_alone():
    view = room(*table_with(slice_parents=("Plate",)), thing("DiningTable"))
    assert both(SET_TABLE, view) == (True, True)


def test_a_second_table_may_be_the_set_one_by_the_paper():
    second = thing("DiningTable", objectId="second")
    things = table_with(slice_parents=("second",), table="second")
    assert both(SET_TABLE, room(thing("DiningTable"), second, *things)) == (True, False)


def test_toast_is_asked_for_on_a_set_table_by_the_paper():
    plan = read_plan(
        plan_data(name="settable__empty_FloorPlan4_V1", scene="FloorPlan4"), "plan.json"
    )
    assert goals_of(plan, PAPER) == (*plan.goals, TOAST)
    assert goals_of(plan, UPSTREAM) == plan.goals


def test_no_other_family_gets_a_goal_more():
    plan = read_plan(plan_data(), "plan.json")
    assert goals_of(plan, PAPER) == plan.goals


def test_a_location_goal_that_was_met_sticks_for_the_released_code_alone():
    there = room(slice_in("Plate"), thing("Plate", (0.0, 0.0, 0.0)))
    gone = room(slice_in("CounterTop"), thing("Plate", (0.0, 0.0, 0.0)))
    for rules, later in ((PAPER, False), (UPSTREAM, True)):
        tracker = GoalTracker([ON_PLATE, KNOBS_OFF], rules)
        assert tracker.evaluate(there, ()).met == (True, False)
        assert tracker.evaluate(gone, ()).met == (later, False)


def test_what_holds_at_the_opening_neither_sticks_nor_counts_as_reached():
    there = room(slice_in("Plate"), thing("Plate", (0.0, 0.0, 0.0)))
    gone = room(slice_in("CounterTop"), thing("Plate", (0.0, 0.0, 0.0)))
    tracker = GoalTracker([ON_PLATE], UPSTREAM)
    assert tracker.begin(there).met == (True,)
    assert tracker.evaluate(gone, ()).met == (False,)
    assert tracker.evaluate(there, ()).newly_met == ()


def test_a_goal_is_newly_reached_once():
    def view(dirty):
        return room(thing("Mug", isDirty=dirty))

    clean = StateGoal("Mug", State.DIRTY, value=False)
    tracker = GoalTracker([clean], PAPER)
    tracker.begin(view(dirty=True))
    assert tracker.evaluate(view(dirty=True), ()).newly_met == ()
    assert tracker.evaluate(view(dirty=False), ()).newly_met == (clean,)
    assert tracker.evaluate(view(dirty=True), ()).met == (False,)
    assert tracker.evaluate(view(dirty=False), ()).newly_met == ()


def test_progress_tells_conditions_in_words():
    tracker = GoalTracker([KNOBS_OFF, ON_PLATE, EventGoal(RequiredEvent.DRINK_COFFEE)], PAPER)
    progress = tracker.evaluate(room(thing("StoveKnob")), ())
    assert [(each.name, each.met) for each in progress.conditions] == [
        ("StoveKnob is off", True),
        ("AppleSliced is on Plate", False),
        ("coffee has been drunk", False),
    ]
    assert not progress.all_met
    assert GoalTracker([KNOBS_OFF], PAPER).evaluate(room(thing("StoveKnob")), ()).all_met


def test_there_is_no_task_without_goals():
    with pytest.raises(ValueError, match="without goals"):
        GoalTracker([], PAPER)


def test_an_object_that_serves_a_location_goal_is_known():
    served, idle = slice_in("Plate"), slice_in("CounterTop", objectId="second")
    view = room(served, idle, thing("Plate"), thing("CounterTop"))
    assert serves_location_goal(served, view, [KNOBS_OFF, ON_PLATE])
    assert not serves_location_goal(idle, view, [ON_PLATE])
    assert not serves_location_goal(served, view, [LocationGoal("AppleSliced", "Pan")])
    assert not serves_location_goal(view.first("Plate"), view, [ON_PLATE])


@pytest.mark.parametrize(
    ("goal", "words"),
    [
        (StateGoal("Mug", State.DIRTY, value=False), "Mug is clean"),
        (StateGoal("Mug", State.FILLED, value=True), "Mug is filled"),
        (StateGoal("Fridge", State.OPEN, value=False), "Fridge is closed"),
        (COOKED_EGG, "Egg is cooked"),
        (PutAwayGoal("Cup"), "Cup is put away"),
        (EventGoal(RequiredEvent.SPRAY_MIRROR), "the mirror has been sprayed"),
        (SET_TABLE, "DiningTable holds Mug, Plate and BreadSliced and nothing else"),
        (ContentsGoal("Shelf", ("Mug",)), "Shelf holds Mug and nothing else"),
    ],
)
def test_goals_are_told_in_plain_words(goal, words):
    assert describe_goal(goal) == words


def test_each_difference_can_be_had_alone():
    view = room(thing("StoveKnob"), thing("StoveKnob", objectId="second", isToggled=True))
    assert is_met(KNOBS_OFF, view, (), Rules(first_instance_only=True))
    assert not is_met(KNOBS_OFF, view, (), Rules(pots_and_cups_anywhere=True))
