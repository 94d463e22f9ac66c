import random

import pytest

from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.omnibot.records import (
    ExpertMode,
    PlannedSubgoal,
    ProblemKind,
    SubgoalName,
)
from env_service.worlds.babyai.omnibot.solver import assist, solve

COMPAT, FIXED = ExpertMode.COMPAT, ExpertMode.FIXED
PICKUP, DROP, OPEN, CLOSE = (
    PlannedSubgoal(name)
    for name in (SubgoalName.PICKUP, SubgoalName.DROP, SubgoalName.OPEN, SubgoalName.CLOSE)
)


def go(x, y):
    return PlannedSubgoal(SubgoalName.GO_NEXT_TO, (x, y))


def translation(level, seed):
    initial = solve(level, seed).initial_subgoals
    return [PlannedSubgoal(each.entry.name, each.chosen) for each in initial]


@pytest.mark.parametrize("mode", ExpertMode)
def test_a_perfect_plan_needs_no_help(mode):
    level = LEVELS["PickupLoc"]
    done = assist(level, 2, translation(level, 2), mode=mode)
    assert done.terminated
    assert done.help_added == 0
    assert done.actions == solve(level, 2).actions
    assert done.problem is None


def test_help_is_counted_at_each_action():
    level = LEVELS["UnblockPickup"]
    done = assist(level, 0, translation(level, 0))
    assert done.terminated
    assert list(done.help_at) == sorted(done.help_at)
    assert done.help_at[-1] == done.help_added == 8
    assert len(done.help_at) == len(done.stacks) == done.steps


def test_the_plans_own_subgoals_are_told_from_help_at_each_action():
    level = LEVELS["UnblockPickup"]
    plan = translation(level, 0)
    done = assist(level, 0, plan)
    assert len(done.plan_left) == done.steps
    assert list(done.plan_left) == sorted(done.plan_left, reverse=True)
    for stack, left, help_ in zip(done.stacks, done.plan_left, done.help_at, strict=True):
        assert [each.name for each in stack[:left]] == [each.name for each in plan[::-1][:left]]
        assert len(stack) - left <= help_


def test_an_empty_plan_does_nothing_and_compat_says_done_once():
    assert assist(LEVELS["GoToObj"], 2, []).actions == ()
    assert assist(LEVELS["GoToObj"], 2, [], mode=COMPAT).actions == ("done",)


def test_to_put_something_next_to_a_thing_can_be_planned_in_fixed_alone():
    # "open a green door, then put a yellow ball next to the red box"
    plan = [go(11, 14), OPEN, go(11, 16), PICKUP, go(19, 6), DROP]
    fixed = assist(LEVELS["BossLevel"], 81, plan, mode=FIXED)
    assert fixed.terminated
    assert fixed.actions[-1] == "drop"
    compat = assist(LEVELS["BossLevel"], 81, plan, mode=COMPAT)
    assert not compat.terminated
    assert compat.actions.count("drop") < fixed.actions.count("drop")
    assert compat.problem is None


def test_a_locked_door_with_its_key_in_hand_is_opened_in_fixed_and_ends_compat():
    plan = [go(2, 11), PICKUP, go(16, 1)]
    compat = assist(LEVELS["BossLevel"], 2, plan, mode=COMPAT)
    assert compat.problem.kind is ProblemKind.LOCKED_DOOR
    assert compat.problem.published_error == "AssertionError: "
    fixed = assist(LEVELS["BossLevel"], 2, plan, mode=FIXED)
    assert fixed.problem is None
    assert fixed.steps > compat.steps
    assert fixed.help_added > compat.help_added


@pytest.mark.parametrize("cell", [(0, 0), (40, 3), (-1, -1)])
def test_what_cannot_be_reached_is_told(cell):
    for mode in ExpertMode:
        done = assist(LEVELS["GoToLocal"], 2, [go(*cell)], mode=mode)
        assert done.problem.kind is ProblemKind.UNREACHABLE
        assert done.problem.published_error == "AssertionError: 0nothing left to explore"
        assert not done.terminated
    assert done.help_added == 0  # fixed does not try every door before it says so


def test_a_place_that_is_missing_is_told():
    plan = [PlannedSubgoal(SubgoalName.GO_NEXT_TO)]
    problem = assist(LEVELS["GoToLocal"], 2, plan, mode=COMPAT).problem
    assert problem.kind is ProblemKind.NO_POSITION
    assert problem.published_error.startswith("TypeError")


def test_what_cannot_be_done_is_left_out():
    done = assist(LEVELS["GoToLocal"], 2, [DROP, OPEN, CLOSE, *translation(LEVELS["GoToLocal"], 2)])
    assert done.terminated
    assert done.help_added == 0


def test_compat_takes_a_first_subgoal_that_goes_nowhere_for_done():
    plan = [PICKUP, go(1, 1)]
    compat, fixed = (assist(LEVELS["GoToObj"], 3, plan, mode=mode) for mode in (COMPAT, FIXED))
    assert compat.actions[0] != "pickup"
    assert fixed.actions[0] == "pickup"


def test_a_plan_may_be_very_long():
    level = LEVELS["GoToLocal"]
    done = assist(level, 2, [*[DROP, OPEN] * 1000, *translation(level, 2)])
    assert done.terminated
    assert done.help_added == 0


def test_only_the_levels_own_limit_ends_a_long_plan():
    done = assist(LEVELS["PutNextLocal"], 2, [go(1, 1), go(6, 6)] * 40)
    assert (done.steps, done.truncated, done.terminated) == (128, True, False)
    assert done.problem is None


def test_no_plan_makes_fixed_or_compat_raise():
    rng = random.Random(11)
    names = list(SubgoalName)
    for _ in range(25):
        level = rng.choice(list(LEVELS.values()))
        plan = [
            PlannedSubgoal(
                rng.choice(names),
                (rng.randrange(-1, level.grid_size + 1), rng.randrange(-1, level.grid_size + 1)),
            )
            for _ in range(rng.randrange(1, 8))
        ]
        for mode in ExpertMode:
            done = assist(level, rng.randrange(400), plan, mode=mode)
            assert len(done.help_at) == len(done.stacks) == done.steps
            assert done.problem is None or done.problem.message
