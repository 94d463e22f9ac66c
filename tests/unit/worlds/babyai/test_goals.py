import itertools

import pytest

from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.omnibot.solver import solve_episode
from env_service.worlds.babyai.world import BabyAiWorld


def done_after_each_step(name, seed):
    """The subgoals that the expert's run has done, step by step, and the world at its end."""
    world = BabyAiWorld(LEVELS[name], seed)
    history = []
    for action in solve_episode(LEVELS[name], seed).actions:
        world.step(action)
        history.append([goal.done for goal in world.subgoals()])
    return history, world


def test_a_mission_has_one_subgoal_for_each_instruction_in_the_order_wanted():
    world = BabyAiWorld(LEVELS["GoToSeq"], 4)
    assert world.mission == (
        "go to a ball and go to the blue key after you go to the purple door and go to a grey key"
    )
    assert [goal.words for goal in world.subgoals()] == [
        "go to the purple door",
        "go to a grey key",
        "go to a ball",
        "go to the blue key",
    ]


def test_subgoals_that_say_the_same_are_told_apart():
    world = BabyAiWorld(LEVELS["GoToSeq"], 17)
    assert world.mission == "go to the grey box and go to the grey box"
    words = [goal.words for goal in world.subgoals()]
    assert words == ["go to the grey box", "go to the grey box (2)"]


@pytest.mark.parametrize(
    ("name", "seed"), [("GoToObj", 1), ("GoToSeq", 4), ("SynthSeq", 13), ("BossLevel", 3)]
)
def test_subgoals_stay_done_and_all_are_done_exactly_when_the_mission_is(name, seed):
    history, world = done_after_each_step(name, seed)
    assert world.solved
    assert all(history[-1])
    assert not any(all(done) for done in history[:-1])
    for earlier, later in itertools.pairwise(history):
        assert all(now or not before for before, now in zip(earlier, later, strict=True))


def test_what_comes_second_is_not_done_before_what_comes_first():
    history, _ = done_after_each_step("GoToSeq", 4)
    for done in history:
        assert all(done[:2]) or not any(done[2:])
    assert any(any(done) and not all(done) for done in history)
