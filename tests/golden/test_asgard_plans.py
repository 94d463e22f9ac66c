"""The 108 official plans of AsgardBench, and the solutions that are published of 58."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from env_service.datasets.registry import definition
from env_service.domain.task import TaskSet
from env_service.suites.asgard.action_language import Command, Verb
from env_service.suites.asgard.goals import GoalTracker, describe_goal, goals_of
from env_service.suites.asgard.limits import StepLimits
from env_service.suites.asgard.metadata_view import AsgardView
from env_service.suites.asgard.object_types import compatible
from env_service.suites.asgard.plan import (
    AsgardPlan,
    ContentsGoal,
    EventGoal,
    Family,
    LocationGoal,
    PutAwayGoal,
    RequiredEvent,
    SetupKind,
    State,
    StateGoal,
)
from env_service.suites.asgard.rules import PAPER, UPSTREAM
from env_service.suites.asgard.symbolic_replay import SymbolicState, replay
from env_service.suites.asgard.task_sets import PLANS, load_task_set, read_task
from tests.support.data import reference_data

pytestmark = pytest.mark.data

COUNTS = {
    Family.COFFEE: (9, 25, 51),
    Family.MICROWAVE_POTATO: (6, 12, 44),
    Family.COOK_EGG: (12, 12, 63),
    Family.MAKE_TOAST: (6, 13, 70),
    Family.FRY_POTATO_SLICE: (12, 17, 69),
    Family.PUT_AWAY_FOOD: (3, 11, 17),
    Family.PUT_AWAY_DISHES: (15, 9, 43),
    Family.PUT_AWAY_SILVERWARE: (3, 11, 22),
    Family.SLICE_AND_DISTRIBUTE: (27, 6, 48),
    Family.SET_TABLE: (9, 54, 107),
    Family.CLEAN_MIRROR: (3, 8, 11),
    Family.TURN_ON_TV: (3, 4, 4),
}
"""(plans, fewest steps, most steps)"""

KITCHENS = {
    1: 5, 2: 4, 3: 4, 4: 4, 5: 3, 6: 2, 7: 5, 10: 3, 11: 9, 12: 4, 13: 6, 14: 3, 15: 2, 16: 4,
    18: 4, 19: 5, 20: 7, 21: 2, 22: 3, 23: 4, 25: 3, 26: 5, 28: 11,
}  # fmt: skip

SHARED = (
    *(
        StateGoal(kind, State.TOGGLED, value=False)
        for kind in ("CoffeeMachine", "Toaster", "StoveKnob", "Faucet")
    ),
    *(StateGoal(kind, State.OPEN, value=False) for kind in ("Microwave", "Fridge")),
)
"""Goals of every kitchen plan."""

BREACHES = {
    # The generator emptied dishes that, by the rules, had lost their water with the faucet.
    "coffee__Mug(d)_FloorPlan7_V1": [(18, "Mug is not filled"), (33, "Mug is not filled")],
    "putaway__Dishes_Bowl(d)_FloorPlan6_V1-Bowl Plate": [(25, "Bowl is not filled")],
    "settable__Mug(d)_FloorPlan7_V1": [(67, "Mug is not filled")],
    # It brewed into mugs that were full of coffee from the start.
    "settable__has_coffee_FloorPlan11_V1": [
        (28, "the mug is not empty"),
        (29, "CoffeeMachine is already off"),
    ],
    # And it lost a PICKUP.
    "settable__has_coffee_FloorPlan7_V1": [
        (34, "the hand is empty"),
        (42, "the mug is not empty"),
        (43, "CoffeeMachine is already off"),
    ],
}
"""What the evaluation's rules refuse of published solutions: (step, reason)."""


class Folder:
    """The data pack as it lies among the reference data."""

    def __init__(self) -> None:
        self._root = reference_data("asgard")

    def require(self, patterns: Any) -> tuple[str, ...]:
        found = [path for pattern in patterns for path in self._root.glob(pattern)]
        return tuple(sorted(str(path.relative_to(self._root)) for path in found))

    def path(self, relative: str) -> Any:
        return self._root / relative


def load(name: str) -> TaskSet:
    pack: Any = Folder()
    found = load_task_set(pack, name)
    assert found.problems == ()
    return found.task_set


@pytest.fixture(scope="module")
def official() -> TaskSet:
    return load("official")


@pytest.fixture(scope="module")
def plans(official: TaskSet) -> Mapping[str, AsgardPlan]:
    return {task.id: read_task(task).plan for task in official.tasks}


@pytest.fixture(scope="module")
def solutions() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(reference_data("asgard/solutions.json").read_text())
    assert len(found) == 58
    return found


def test_all_plans_load(official, plans):
    assert len(official.tasks) == len(plans) == 108
    assert [task.id for task in load("sanity").tasks] == [
        "turn_on_tv__FloorPlan202_V1",
        "turn_on_tv__FloorPlan203_V1",
    ]


def test_the_pinned_pack_has_just_these_files():
    pinned = definition("asgard").files
    for name in PLANS:
        folder = Folder()
        listed = [path for path in pinned if path.startswith(PLANS[name].partition("*")[0])]
        assert sorted(listed) == list(folder.require([PLANS[name]]))


def test_folders_are_called_by_name_and_steps(plans):
    folders = {path.split("/")[2] for path in Folder().require([PLANS["official"]])}
    assert folders == {f"{plan.name} [{plan.step_count}]" for plan in plans.values()}


def test_families_have_the_counts_of_the_paper(plans):
    found: dict[Family, list[int]] = {}
    for plan in plans.values():
        found.setdefault(plan.family, []).append(plan.step_count)
    assert {family: (len(n), min(n), max(n)) for family, n in found.items()} == COUNTS
    assert sum(map(sum, found.values())) == 3579


def test_conditions_come_three_by_three(plans):
    found = Counter(
        (plan.family, plan.conditions)
        for plan in plans.values()
        if plan.family is not Family.SLICE_AND_DISTRIBUTE
    )
    assert set(found.values()) == {3}
    assert len(found) == 27


def test_scenes_have_the_counts_of_the_paper(plans):
    found = Counter(plan.scene for plan in plans.values())
    others = {f"FloorPlan{n}": 1 for n in (406, 408, 427, 202, 203, 212)}
    assert found == {f"FloorPlan{n}": count for n, count in KITCHENS.items()} | others


def test_setups_are_those_of_the_paper(plans):
    actions = [action for plan in plans.values() for action in plan.setup_actions]
    found = Counter((a.object_name.partition("_")[0], a.kind) for a in actions)
    dirty = {"Plate": 25, "Pan": 12, "Bowl": 10, "Mug": 9, "Mirror": 3, "Cup": 3, "Pot": 1}
    assert found == {
        **{(kind, SetupKind.DIRTY): count for kind, count in dirty.items()},
        ("Mug", SetupKind.FILL): 6,
        ("Mug", SetupKind.EMPTY): 6,
    }
    assert {a.liquid for a in actions if a.kind is SetupKind.FILL} == {"coffee"}
    assert Counter(len(plan.setup_actions) for plan in plans.values()) == {0: 39, 1: 63, 2: 6}
    assert Counter(len(plan.distractors) for plan in plans.values()) == {1: 105, 2: 3}
    assert sum(plan.targets.containers is not None for plan in plans.values()) == 3
    seeds = [plan.seed for plan in plans.values()]
    assert (min(seeds), max(seeds), len(set(seeds))) == (119, 9950, 106)
    poses = [plan.initial_pose for plan in plans.values() if plan.initial_pose]
    assert len(poses) == 108
    assert sum(pose.standing for pose in poses) == 107
    assert sum(pose.horizon == 0 for pose in poses) == 92


def test_there_are_so_many_goals_of_each_kind(plans):
    goals = [goal for plan in plans.values() for goal in plan.goals]
    assert Counter(map(type, goals)) == {
        LocationGoal: 94,
        StateGoal: 738,
        PutAwayGoal: 68,
        EventGoal: 12,
        ContentsGoal: 9,
    }
    events = Counter(goal.event for goal in goals if isinstance(goal, EventGoal))
    assert events == {RequiredEvent.DRINK_COFFEE: 9, RequiredEvent.SPRAY_MIRROR: 3}


def test_kitchens_share_six_goals(plans):
    kitchens = [plan for plan in plans.values() if set(SHARED) <= set(plan.goals)]
    assert len(kitchens) == 102


def test_goals_have_names_of_their_own_in_every_plan(plans):
    for plan in plans.values():
        names = [describe_goal(goal) for goal in goals_of(plan, PAPER)]
        assert len(set(names)) == len(names), plan.name


def test_toast_is_the_only_goal_that_the_papers_rules_add(plans):
    more = {
        plan.name: len(goals_of(plan, PAPER)) - len(goals_of(plan, UPSTREAM))
        for plan in plans.values()
    }
    assert {name: n for name, n in more.items() if n} == {
        plan.name: 1 for plan in plans.values() if plan.family is Family.SET_TABLE
    }


def test_in_ai2thors_scenes_shared_goals_hold_and_no_work_is_done_before_it_begins(plans):
    folder = reference_data("ithor/dev/data/objects_metadata_samples")
    for plan in plans.values():
        found = json.loads((folder / f"{plan.scene}_physics.json").read_text())
        view = AsgardView({"objects": list(found.values()), "inventoryObjects": []})
        for rules in (PAPER, UPSTREAM):
            progress = GoalTracker(goals_of(plan, rules), rules).begin(view)
            unmet = {g for g, met in zip(progress.goals, progress.met, strict=True) if not met}
            assert not unmet & set(SHARED), plan.name
            # Things may be at home before the start-up strews them about.
            assert unmet or "put_away" in plan.family, plan.name


def test_solutions_tell_of_the_same_plans(official, plans, solutions):
    tasks = {task.id: read_task(task) for task in official.tasks}
    for told in solutions:
        plan = plans[told["name"]]
        assert plan.family == told["task_type"], plan.name
        assert plan.scene == told["scene"], plan.name
        assert plan.step_count == told["n_steps"] == len(told["solution"]), plan.name
        assert list(tasks[plan.name].available) == told["available_objects"], plan.name


def test_every_task_has_words_for_its_room(official):
    counts = [len(read_task(task).available) for task in official.tasks]
    assert (min(counts), max(counts)) == (24, 53)


def test_limits_leave_room_for_every_solution(plans):
    for plan in plans.values():
        limits = StepLimits.of(plan.step_count)
        assert limits.soft == max(int(1.5 * plan.step_count), 15), plan.name
        assert limits.hard == max(int(2 * plan.step_count), 20), plan.name


def test_published_solutions_keep_the_rules_but_for_five(plans, solutions):
    found = {}
    for told in solutions:
        breaches = replay(commands_of(told), plans[told["name"]].setup_actions)
        found[told["name"]] = [(each.step, each.reason) for each in breaches]
    assert {name: told for name, told in found.items() if told} == BREACHES


def test_published_solutions_put_down_what_they_are_said_to(plans, solutions):
    for told in solutions:
        state = SymbolicState.of(plans[told["name"]].setup_actions)
        for command, item in zip(commands_of(told), told["solution_put_item"], strict=True):
            if item is not None and told["name"] not in BREACHES:
                assert state.held == item, (told["name"], command)
                assert compatible(item, command.object_type)
            state.play(command)


def test_published_solutions_leave_everything_closed_off_clean_and_cooked(plans, solutions):
    meals = {
        Family.MICROWAVE_POTATO: "Potato",
        Family.COOK_EGG: "EggCracked",
        Family.MAKE_TOAST: "BreadSliced",
        Family.FRY_POTATO_SLICE: "PotatoSliced",
        Family.SET_TABLE: "BreadSliced",
    }
    for told in solutions:
        plan = plans[told["name"]]
        state = SymbolicState.of(plan.setup_actions)
        for command in commands_of(told):
            state.play(command)
        television = {"Television"} if plan.family is Family.TURN_ON_TV else set()
        assert (state.open, state.on) == (set(), television), plan.name
        assert state.dirty == set(), plan.name
        assert {meals[plan.family]} <= state.cooked if plan.family in meals else True, plan.name
        assert state.drunk == ({"coffee"} if plan.family is Family.COFFEE else set()), plan.name


def commands_of(told: Mapping[str, Any]) -> list[Command]:
    return [Command(Verb(verb), kind) for verb, kind in told["solution"]]
