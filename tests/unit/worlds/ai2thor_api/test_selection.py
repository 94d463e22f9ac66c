"""Which scenes words mean."""

from __future__ import annotations

import pytest

from env_service.worlds.ai2thor_api.scene_selection import select_scenes

LISTED = ["FloorPlan1_physics", "FloorPlan22_physics", "FloorPlan201_physics", "FloorPlan_Train1_1"]


def selected(*words: str) -> tuple[str, ...]:
    return select_scenes(words, lambda: LISTED)


def never() -> list[str]:
    raise AssertionError("the world was asked")


def test_a_floor_plan_goes_by_its_short_name() -> None:
    assert selected("FloorPlan12", "FloorPlan12_physics") == ("FloorPlan12_physics",)
    assert selected("household-kitchen-3") == ("household-kitchen-3",)


def test_a_range_holds_both_its_ends() -> None:
    assert select_scenes(["FloorPlan28-201"], never) == (
        "FloorPlan28_physics",
        "FloorPlan29_physics",
        "FloorPlan30_physics",
        "FloorPlan201_physics",
    )
    assert selected("household-kitchen-9-11") == tuple(
        f"household-kitchen-{n}" for n in (9, 10, 11)
    )
    assert selected("FloorPlan_Train1_1-2") == ("FloorPlan_Train1_1", "FloorPlan_Train1_2")
    assert selected("FloorPlan3-4_physics") == ("FloorPlan3_physics", "FloorPlan4_physics")


@pytest.mark.parametrize(
    ("word", "first", "last"),
    [("kitchens", 1, 30), ("living-rooms", 201, 230), ("bedrooms", 301, 330),
     ("bathrooms", 401, 430)],
)  # fmt: skip
def test_kinds_of_rooms_are_thirty_floor_plans(word: str, first: int, last: int) -> None:
    names = select_scenes([word], never)
    assert len(names) == 30
    assert (names[0], names[-1]) == (f"FloorPlan{first}_physics", f"FloorPlan{last}_physics")


def test_all_are_the_120_floor_plans() -> None:
    assert len(select_scenes(["all", "kitchens"], never)) == 120


def test_a_pattern_is_held_against_what_the_world_lists() -> None:
    assert selected("FloorPlan2*", "FloorPlan?") == (
        "FloorPlan22_physics",
        "FloorPlan201_physics",
        "FloorPlan1_physics",
    )
    assert selected("*Train*") == ("FloorPlan_Train1_1",)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("FloorPlan30-1", "it must rise"),
        ("FloorPlan1-999999999", "at most 100000"),
        ("FloorPlan31-200", "1-30, 201-230"),
        ("Castle*", "no scene fits 'Castle\\*'; there are 4: FloorPlan1_physics"),
        ("../FloorPlan1", "is not a scene's name"),
        ("a b", "is not a scene's name"),
    ],
)
def test_a_word_that_means_nothing_is_told(word: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        selected(word)
