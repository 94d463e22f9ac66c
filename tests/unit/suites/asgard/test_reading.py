import copy

import pytest

from env_service.suites.asgard.plan import (
    ContentsGoal,
    EventGoal,
    Family,
    InitialPose,
    LocationGoal,
    Placement,
    PutAwayGoal,
    RequiredEvent,
    Selection,
    SetupAction,
    SetupKind,
    State,
    StateGoal,
)
from env_service.suites.asgard.plan_reader import PlanError, read_plan
from tests.unit.suites.asgard.builders import plan_data, specifier


def put(data, path, value):
    """The data with the value at a path of keys and indices; KeyError's ``DROP`` removes it."""
    changed = copy.deepcopy(data)
    *before, last = path
    place = changed
    for key in before:
        place = place[key]
    if value is DROP:
        del place[last]
    else:
        place[last] = value
    return changed


DROP = object()


def test_a_stripped_plan_is_read_whole():
    plan = read_plan(plan_data(), "plan.json")
    assert plan.name == "cook__Egg_Pan(d)_FloorPlan13_V1"
    assert (plan.family, plan.conditions) == (Family.COOK_EGG, ("Pan(d)",))
    assert (plan.scene, plan.description) == ("FloorPlan13", "Cook an egg.")
    assert plan.setup_actions == (SetupAction(SetupKind.DIRTY, "Pan_0123abcd"),)
    assert plan.targets == Placement(Selection(types=("Egg", "Pan")))
    assert plan.distractors == (
        Placement(Selection(classes=("Kitchen",)), Selection(types=("Shelf",))),
    )
    assert plan.employed_types == ("Egg",)
    assert plan.goals == (
        LocationGoal("EggCracked", "Plate"),
        StateGoal("Egg", State.COOKED, value=True),
        PutAwayGoal("Mug"),
        EventGoal(RequiredEvent.DRINK_COFFEE),
        ContentsGoal("DiningTable", ("Mug", "Plate")),
    )
    assert (plan.seed, plan.step_count) == (2712, 34)
    assert plan.initial_pose == InitialPose((-1.25, 0.9, 2.0), 215.0, 0.0, standing=True)


def test_a_full_plan_has_its_steps_counted():
    data = plan_data(steps=[{"action": "FIND"}] * 5, failed_steps=[])
    del data["step_count"], data["initial_pose"]
    plan = read_plan(data, "plan.json")
    assert (plan.step_count, plan.initial_pose) == (5, None)


def test_filling_names_its_liquid():
    fill = {"action": "fill", "object_name": "Mug_1", "argument": "coffee"}
    plan = read_plan(plan_data(setup_actions=[fill]), "plan.json")
    assert plan.setup_actions == (SetupAction(SetupKind.FILL, "Mug_1", "coffee"),)


GOAL = ("goal", "state_goals", 0)
SETUP = ("object_setup", "target_setup", "object_specifier")


@pytest.mark.parametrize(
    ("path", "value", "where", "problem"),
    [
        (("scene",), DROP, "plan.json: lacks", "lacks the key 'scene'"),
        (("task_description",), " ", "task_description", "not a text"),
        (("name",), "egg", "name", "is not of the form"),
        (("name",), "cook__Fish_FloorPlan13_V1", "name", "unknown family 'cook__Fish'"),
        (("scene",), "FloorPlan14", "name", "says FloorPlan13, but the scene is FloorPlan14"),
        (("step_count",), 0, "step_count", "from 1 to 10000"),
        (("step_count",), 3.5, "step_count", "not a whole number"),
        (("steps",), [], "steps", "is empty"),
        (("initial_pose", "position", "y"), "high", "initial_pose.position.y", "not a number"),
        (("initial_pose", "rotation"), float("nan"), "initial_pose.rotation", "finite"),
        (("initial_pose", "isStanding"), 1, "initial_pose.isStanding", "not true or false"),
        (("randomization", "seed"), -1, "randomization.seed", "from 0 to 2147483647"),
        (("randomization", "seed"), 2**31, "randomization.seed", "from 0 to 2147483647"),
        (("step_count",), 10**400, "step_count", "from 1 to 10000"),
        (("initial_pose", "position", "y"), 10**400, "initial_pose.position.y", "finite"),
        (("randomization", "error_injection"), "OPEN", "error_injection", "not supported"),
        (("setup_actions",), None, "setup_actions", "not a list"),
        (("setup_actions", 0, "action"), "dirtyy", "setup_actions[0].action", "mean 'dirty'"),
        (("setup_actions", 0, "argument"), "tea", "setup_actions[0].argument", "no argument"),
        ((*SETUP, "types"), None, "target_setup.object_specifier", "selects nothing"),
        ((*SETUP, "all"), True, "object_specifier.all", "not supported"),
        ((*SETUP, "types"), "Egg", "object_specifier.types", "not a list"),
        ((*SETUP, "types"), ["Egg", "Pann"], "object_specifier.types[1]", "mean 'Pan'"),
        ((*GOAL, "state"), "isHot", "goal.state_goals[0].state", "no state 'isHot'"),
        ((*GOAL, "object_type"), "Eg", "goal.state_goals[0].object_type", "mean 'Egg'"),
        ((*GOAL, "object_type"), "Mug", "goal.state_goals[0]", "Mug never changes its isCooked"),
        ((*GOAL, "value"), "yes", "goal.state_goals[0].value", "not true or false"),
        (("goal", "action_goals"), {"Sing": True}, "goal.action_goals", "no action goal 'Sing'"),
        (("goal", "action_goals"), {"Spray Mirror": False}, "Spray Mirror", "is false"),
        (("goal", "put_away_goals", 0, "object_type"), "Chair", "put_away_goals[0]", "belongs"),
        (
            ("goal", "location_goals", 0, "destination_type"),
            "Shelf",
            "goal.location_goals[0]",
            "EggCracked cannot go to Shelf",
        ),
        (("goal", "contents_goals", 0, "contents"), [], "contents_goals[0].contents", "empty"),
        (
            ("goal", "contents_goals", 0, "contents"),
            ["Floor"],
            "contents_goals[0]",
            "Floor cannot go to DiningTable",
        ),
    ],
)
def test_what_is_wrong_is_named_and_located(path, value, where, problem):
    with pytest.raises(PlanError) as error:
        read_plan(put(plan_data(), path, value), "plan.json")
    assert str(error.value).startswith("plan.json: ")
    assert where in str(error.value)
    assert problem in str(error.value)


def test_goals_that_contradict_each_other_are_refused():
    data = plan_data()
    clean = {"object_type": "Mug", "state": "isDirty", "value": False}
    data["goal"]["state_goals"] = [clean, {**clean, "value": True}]
    with pytest.raises(PlanError, match="Mug is to be isDirty and also not"):
        read_plan(data, "plan.json")


def test_a_plan_without_goals_is_refused():
    data = plan_data()
    data["goal"] = {key: type(value)() for key, value in data["goal"].items()}
    with pytest.raises(PlanError, match="nothing could be scored"):
        read_plan(data, "plan.json")


@pytest.mark.parametrize("data", [None, [], "plan", 3])
def test_what_is_no_object_is_refused(data):
    with pytest.raises(PlanError, match="not an object"):
        read_plan(data, "plan.json")


def test_objects_may_be_selected_by_their_names():
    data = plan_data()
    data["object_setup"]["target_setup"]["object_specifier"] = specifier(names=["Mug_1"])
    assert read_plan(data, "plan.json").targets.objects == Selection(names=("Mug_1",))
