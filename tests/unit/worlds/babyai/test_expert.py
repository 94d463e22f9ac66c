import pytest

from env_service.worlds.babyai.actions import ACTIONS
from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.omnibot import bot
from env_service.worlds.babyai.omnibot.solver import solve_episode
from env_service.worlds.babyai.world import BabyAiWorld


@pytest.mark.parametrize("level", LEVELS.values(), ids=lambda level: level.name)
def test_the_expert_solves_a_level_with_the_six_actions(level):
    for seed in (2, 5):
        solution = solve_episode(level, seed)
        assert solution.problem == ""
        assert set(solution.actions) <= set(ACTIONS)
        world = BabyAiWorld(level, seed)
        effects = [world.step(action) for action in solution.actions]
        assert effects[-1].solved
        assert not any(effect.over for effect in effects[:-1])


def test_an_expert_that_runs_in_circles_gives_up(monkeypatch):
    monkeypatch.setattr(bot, "MAX_PUSHES", 0)
    solution = solve_episode(LEVELS["BossLevel"], 3)
    assert "gave up: more than 0 subgoals" in solution.problem
