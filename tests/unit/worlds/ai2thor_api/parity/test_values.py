"""What actions return, side by side."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.ai2thor_api.parity.answers import agree, brief, kind_of, overlap, same_kind
from env_service.worlds.ai2thor_api.parity.states import turn, turn_about_axis
from env_service.worlds.ai2thor_api.parity.tolerances import Tolerances

TOLERANCES = Tolerances()


def point(x: float, y: float = 0.0, z: float = 0.0) -> dict[str, float]:
    return {"x": x, "y": y, "z": z}


def pose(x: float, rotation: float = 0.0, *, standing: bool = True) -> dict[str, Any]:
    return {**point(x), "rotation": rotation, "standing": standing, "horizon": 0.0}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, "nothing"),
        (True, "truth"),
        (2, "number"),
        ("Mug|1", "text"),
        (point(1), "point"),
        (pose(1), "pose"),
        ({"near": 0.01}, "mapping"),
        ([], "list"),
        ([point(1), point(2)], "points"),
        ([pose(1)], "poses"),
        (["FloorPlan1"], "list"),
    ],
)
def test_values_have_kinds(value: Any, kind: str) -> None:
    assert kind_of(value) == kind


def test_an_empty_list_is_of_the_kind_of_any_list_but_agrees_with_none_that_holds_something() -> (
    None
):
    assert same_kind([], [point(1)])
    assert not same_kind([], point(1))
    assert not agree([], [point(1)], TOLERANCES)
    assert agree([], [], TOLERANCES)


def test_places_agree_within_the_tolerance() -> None:
    assert agree(point(1.0), point(1.04), TOLERANCES)
    assert not agree(point(1.0), point(1.06), TOLERANCES)


def test_the_order_of_places_does_not_matter_and_jitter_neither() -> None:
    left = [point(0.25 * n, z=0.25 * m) for n in range(5) for m in range(5)]
    right = [point(p["x"] + 0.0251, z=p["z"] - 0.0251) for p in reversed(left)]
    assert overlap(left, right, TOLERANCES) == 1.0


def test_lists_of_places_agree_by_their_overlap() -> None:
    left = [point(n) for n in range(10)]
    assert agree(left, left[:9], TOLERANCES)
    assert not agree(left, left[:8], TOLERANCES)
    assert overlap([point(0), point(0)], [point(0)], TOLERANCES) == 0.5


def test_poses_agree_in_direction_too_across_north() -> None:
    assert agree(pose(0, 359.0), pose(0, 1.0), TOLERANCES)
    assert not agree(pose(0, 0.0), pose(0, 90.0), TOLERANCES)
    assert not agree(pose(0), pose(0, standing=False), TOLERANCES)
    assert overlap([pose(0, 0.0), pose(0, 90.0)], [pose(0, 90.0)], TOLERANCES) == 0.5


def test_mappings_agree_by_key_within_the_tolerance_of_numbers() -> None:
    left = {"cameraNearPlane": 0.00999999, "cameraFarPlane": 20.0}
    assert agree(left, {"cameraNearPlane": 0.01, "cameraFarPlane": 20}, TOLERANCES)
    assert not agree(left, {"cameraFarPlane": 20.0}, TOLERANCES)


def test_orientations_are_compared_as_such_and_not_by_their_angles() -> None:
    assert turn(point(0, 180, 0), point(180, 0, 180)) == pytest.approx(0.0, abs=1e-4)
    assert turn(point(0, 0, 0), point(0, 90, 0)) == pytest.approx(90.0)
    assert turn(point(0, 359.9, 0), point(0, 0, 0)) == pytest.approx(0.1, abs=1e-4)
    assert turn_about_axis(350.0, 10.0) == pytest.approx(20.0)


def test_long_values_are_told_shortly() -> None:
    assert brief([point(n) for n in range(9)]) == "9 points"
    assert brief("x" * 500) == "x" * 199 + "…"
    assert brief(point(1)) == point(1)
