import re
from pathlib import Path

import pytest

from env_service.domain.names import UnknownNameError
from env_service.worlds.babyai.levels import LEVELS, find_level


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
