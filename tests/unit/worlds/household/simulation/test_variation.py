"""Other materials and other light."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.state import HouseholdState
from tests.support.small_home import home
from tests.support.turns import play

STATE = HouseholdState.at_start(home())


@pytest.mark.parametrize("seed", [-1, 0, 7, 2**40, 10**40])
def test_any_whole_number_is_a_seed(seed: int) -> None:
    materials = play(STATE, "RandomizeMaterials", randomSeed=seed).state.variation.materials
    lighting = play(STATE, "RandomizeLighting", randomSeed=seed).state.variation.lighting
    assert materials is not None
    assert lighting == materials
    np.random.default_rng([materials])


def test_each_call_draws_anew() -> None:
    once = play(STATE, "RandomizeMaterials").state
    twice = play(once, "RandomizeMaterials").state
    assert once.variation.materials != twice.variation.materials
    assert play(twice, "ResetMaterials").state.variation.materials is None


def test_a_seed_fixes_the_draws() -> None:
    def drawn(seed: int, times: int) -> list[int | None]:
        state, found = play(STATE, "SetRandomSeed", seed=seed).state, []
        for _ in range(times):
            state = play(state, "RandomizeMaterials").state
            found.append(state.variation.materials)
        return [*found, play(state, "RandomizeLighting").state.variation.lighting]

    assert drawn(41, 3) == drawn(41, 3)
    assert len({*drawn(41, 3), *drawn(42, 3)}) == 8


def named(scene: str) -> HouseholdState:
    return HouseholdState.at_start(home(name=scene))


@pytest.mark.parametrize(
    ("scene", "split"),
    [
        ("FloorPlan20_physics", "train"),
        ("FloorPlan21_physics", "val"),
        ("FloorPlan226_physics", "test"),
        ("household-kitchen-26", "train"),
    ],
)
def test_materials_are_of_the_scenes_split(scene: str, split: str) -> None:
    value = play(named(scene), "RandomizeMaterials").value
    assert value["sceneType"] == split
    assert [value[f"use{name}Materials"] for name in ("Train", "Val", "Test", "External")] == [
        split == "train", split == "val", split == "test", split == "train",
    ]  # fmt: skip
    refused = play(named(scene), "RandomizeMaterials", **{f"use{split.title()}Materials": False})
    assert not refused.success


def test_room_types_have_to_include_the_scenes() -> None:
    assert play(STATE, "RandomizeMaterials", inRoomTypes=["Kitchen", "Bedroom"]).success
    assert not play(STATE, "RandomizeMaterials", inRoomTypes=["Bedroom"]).success
    assert not play(STATE, "RandomizeMaterials", inRoomTypes=[]).success
    assert "unknown room type" in play(STATE, "RandomizeMaterials", inRoomTypes=["Attic"]).error


def test_colors_are_drawn_and_reset_too() -> None:
    drawn = play(STATE, "RandomizeColors").state
    assert drawn.variation.materials is not None
    assert play(drawn, "ResetColors").state == STATE


def test_ranges_of_light_are_checked() -> None:
    assert play(STATE, "RandomizeLighting", brightness=(0.5, 1.5), hue=(0, 1)).success
    assert not play(STATE, "RandomizeLighting", brightness=(1.5, 0.5)).success
    assert not play(STATE, "RandomizeLighting", hue=(0, 2)).success
    assert not play(STATE, "RandomizeLighting", hue=(0, 1), randomizeColor=False).success
    assert not play(STATE, "RandomizeLighting", saturation=["a", 1]).success
