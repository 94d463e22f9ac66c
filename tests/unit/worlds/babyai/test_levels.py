import re
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.worlds.babyai.levels import LEVELS, PLAN_LEVELS, find_any_level, find_level
from env_service.worlds.babyai.world import BabyAiWorld


def test_there_are_sixteen_levels_in_the_benchmarks_order():
    assert len(LEVELS) == 16
    assert next(iter(LEVELS)) == "GoToObj"
    assert list(LEVELS)[-1] == "BossLevel"


def test_the_page_lists_every_level_with_its_rooms_and_difficulty():
    page = (Path(__file__).resolve().parents[4] / "docs" / "babyai.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\d)[ ×3]* \| ([a-z ]+) \|", page, re.MULTILINE)
    assert rows == [
        (name, str(level.rooms), level.difficulty.lower()) for name, level in LEVELS.items()
    ]


def test_difficulties_are_split_two_seven_three_four():
    sizes = {}
    for level in LEVELS.values():
        sizes[level.difficulty] = sizes.get(level.difficulty, 0) + 1
    assert sizes == {"Easy": 2, "Medium": 7, "Hard": 3, "Very Hard": 4}


@pytest.mark.parametrize(
    ("skill", "levels"),
    [
        ("room", 16),
        ("maze", 10),
        ("ignore_grey_boxes", 14),
        ("ignore_distractors", 13),
        ("unblock", 5),
        ("unlock_explicit", 4),
        ("unlock_implicit", 1),
        ("go_to", 7),
        ("open", 5),
        ("pick_up", 7),
        ("put_next", 5),
        ("location", 4),
        ("sequence", 3),
    ],
)
def test_a_skill_is_asked_by_as_many_levels_as_the_taxonomy_says(skill, levels):
    assert sum(skill in level.skills for level in LEVELS.values()) == levels


def test_a_misspelt_level_is_answered_with_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'GoToLocal'"):
        find_level("gotolocal")


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
