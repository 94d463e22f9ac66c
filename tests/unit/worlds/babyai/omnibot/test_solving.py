import pytest

from env_service.worlds.babyai.actions import ACTIONS
from env_service.worlds.babyai.levels import LEVELS, PLAN_LEVELS
from env_service.worlds.babyai.omnibot import bot
from env_service.worlds.babyai.omnibot.records import ExpertMode, ProblemKind, SubgoalName
from env_service.worlds.babyai.omnibot.solver import solve, solve_world
from env_service.worlds.babyai.world import BabyAiWorld

COMPAT, FIXED = ExpertMode.COMPAT, ExpertMode.FIXED


@pytest.mark.parametrize("level", LEVELS.values(), ids=lambda level: level.name)
def test_a_level_is_solved_by_the_actions_recorded(level):
    record = solve(level, 5)
    world = BabyAiWorld(level, 5)
    effects = [world.step(action) for action in record.actions]
    end = world.snapshot()
    assert record.success and effects[-1].solved
    assert (end.agent, end.heading) == (record.final_position, record.final_heading)
    assert record.reward == pytest.approx(1 - 0.9 * record.steps / world.max_steps)
    assert record.mission == world.mission


@pytest.mark.parametrize("name", ["Small-4Dists", "Medium-60Dists", "Ultra-120Dists"])
def test_a_plan_environment_is_solved_by_walking_alone(name):
    record = solve(PLAN_LEVELS[name], 3)
    assert record.success
    assert set(record.actions) <= {"left", "right", "forward"}
    assert record.help_count == record.help_initial == 1


def test_a_mission_to_open_what_was_opened_on_the_way_is_missed_by_compat_alone():
    compat, fixed = (solve(LEVELS["SynthSeq"], 103, mode=mode) for mode in (COMPAT, FIXED))
    assert not compat.success and fixed.success
    assert (compat.steps, compat.done_padding, compat.reward) == (1000, 1000 - 49, 0.0)
    assert compat.actions[:49] == fixed.actions[:49]
    assert fixed.actions[49:] == ("toggle", "toggle")
    assert set(fixed.actions) <= set(ACTIONS)


def test_both_modes_play_alike_where_the_published_expert_succeeds():
    for name in ("PutNextLocal", "Open", "BossLevel"):
        compat, fixed = (solve(LEVELS[name], 4, mode=mode) for mode in (COMPAT, FIXED))
        assert compat.success
        assert (compat.actions, compat.help_count) == (fixed.actions, fixed.help_count)


def test_the_stack_is_recorded_for_each_action_with_the_next_subgoal_last():
    record = solve(LEVELS["PutNextLocal"], 2)
    assert len(record.stacks) == record.steps
    assert (len(record.stacks[0]), len(record.stacks[-1])) == (4, 1)
    for action, name in (("pickup", SubgoalName.PICKUP), ("drop", SubgoalName.DROP)):
        tops = [
            entries[-1].name
            for taken, entries in zip(record.actions, record.stacks, strict=True)
            if taken == action
        ]
        assert tops == [name]


def test_the_translation_says_what_matches_and_what_was_chosen():
    record = solve(LEVELS["PutNextLocal"], 2)
    go, pickup, put, drop = record.initial_subgoals
    start = BabyAiWorld(LEVELS["PutNextLocal"], 2).snapshot()
    assert [each.entry.name for each in (go, pickup, put, drop)] == [
        SubgoalName.GO_NEXT_TO,
        SubgoalName.PICKUP,
        SubgoalName.GO_NEXT_TO,
        SubgoalName.DROP,
    ]
    assert (go.entry.reason, put.entry.reason) == ("", "PutNext")
    for each in (go, put):
        thing = start.at(each.chosen)
        assert each.entry.target == f"{thing.color} {thing.kind}"
        assert each.chosen in each.matches
    assert (pickup.matches, pickup.chosen) == ((), None)


def test_a_world_that_is_given_is_played_to_its_end():
    world = BabyAiWorld(LEVELS["GoToLocal"], 2)
    start = world.snapshot()
    record = solve_world(world)
    assert record == solve(LEVELS["GoToLocal"], 2)
    assert world.snapshot().steps == record.steps > start.steps == 0


def test_planning_without_end_is_ended_and_told(monkeypatch):
    monkeypatch.setattr(bot, "MAX_PUSHES", 0)
    record = solve(LEVELS["BossLevel"], 3)
    assert record.problem.kind is ProblemKind.RUNS_IN_CIRCLES
    assert not record.success
    assert record.steps < 120


def test_any_seed_from_zero_on_is_good_and_no_other():
    assert solve(LEVELS["GoToObj"], 2**40).success
    with pytest.raises(ValueError, match="the seed of BabyAI-GoToObj-v0 is -1"):
        solve(LEVELS["GoToObj"], -1)
