import pytest

from env_service.domain.names import UnknownNameError
from env_service.worlds.babyai.levels import LEVELS
from env_service.worlds.babyai.plan_levels import PLAN_LEVELS, find_any_level
from env_service.worlds.babyai.world import BabyAiWorld


def test_there_are_four_environments_of_each_of_four_sizes():
    assert len(PLAN_LEVELS) == 16
    assert {level.room_size for level in PLAN_LEVELS.values()} == {8, 16, 24, 32}
    assert list(PLAN_LEVELS)[::5] == [
        "Small-4Dists",
        "Medium-40Dists",
        "Large-100Dists",
        "Ultra-180Dists",
    ]


@pytest.mark.parametrize(
    "name", ["Small-7Dists", "Medium-20Dists", "Large-60Dists", "Ultra-120Dists"]
)
def test_a_plan_environment_is_what_its_table_says(name):
    level = PLAN_LEVELS[name]
    world = BabyAiWorld(level, 3)
    start = world.snapshot()
    things = [thing for _, thing in start.things()]
    assert (start.width, start.height) == (level.grid_size,) * 2
    assert world.max_steps == level.max_steps
    assert world.mission == "go to the red ball"
    assert sorted({thing.color for thing in things}) == ["grey", "red"]
    assert len(things) == level.distractors + 1


def test_small_with_seven_is_babyais_own_level():
    own = BabyAiWorld(PLAN_LEVELS["Small-7Dists"], 12).snapshot()
    assert own == BabyAiWorld(LEVELS["GoToRedBallGrey"], 12).snapshot()


def test_the_published_names_are_known():
    found = find_any_level("CustomBabyAI-GoToRedBall-Large-60Dists-v0")
    assert found is PLAN_LEVELS["Large-60Dists"]
    assert find_any_level("BabyAI-GoTo-v0") is LEVELS["GoTo"]
    assert find_any_level("GoTo") is LEVELS["GoTo"]
    assert find_any_level("Ultra-120Dists") is PLAN_LEVELS["Ultra-120Dists"]


def test_a_misspelt_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'Medium-20Dists'"):
        find_any_level("medium-20-dists")
