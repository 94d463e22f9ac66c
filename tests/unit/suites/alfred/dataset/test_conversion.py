"""Trajectories as plans of skills."""

from __future__ import annotations

from typing import Any

from env_service.suites.alfred.dataset.trajectories import read_trajectory, skills_of
from tests.unit.suites.alfred.dataset.builders import move, trajectory_text, use


def converted(*actions: dict[str, Any]) -> tuple[str, ...]:
    text = trajectory_text({"plan.low_actions": list(actions)})
    return skills_of(read_trajectory(text, "traj_data.json"))


def test_moves_become_finds_and_what_was_just_used_is_not_found_again() -> None:
    assert skills_of(read_trajectory(trajectory_text(), "traj_data.json")) == (
        "find a mug",
        "pick up the mug",
        "find a sink",
        "put down the mug",
        "find a faucet",
        "turn on the faucet",
        "turn off the faucet",
        "find a mug",
        "pick up the mug",
        "find a cabinet",
        "open the cabinet",
        "put down the mug",
        "close the cabinet",
    )


def test_what_is_closed_is_not_found_first() -> None:
    fridge = "Fridge|+00.00|+00.00|+00.50"
    found = converted(use("OpenObject", fridge), move(), use("CloseObject", fridge))
    assert found == ("find a fridge", "open the fridge", "close the fridge")


def test_slices_go_by_the_whole_things_name_and_a_vowel_has_its_article() -> None:
    whole, slice_ = "Apple|+00.10|+00.90|+00.20", "Apple|+00.10|+00.90|+00.20|AppleSliced_1"
    found = converted(use("SliceObject", whole), move("LookUp"), use("PickupObject", slice_))
    assert found == ("find an apple", "slice the apple", "find an apple", "pick up the apple")


def test_words_of_two_are_apart() -> None:
    lamp = "DeskLamp|+00.10|+00.90|+00.20"
    assert converted(use("ToggleObjectOn", lamp)) == ("find a desk lamp", "turn on the desk lamp")
