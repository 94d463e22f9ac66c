"""Stoves under burners."""

from __future__ import annotations

from typing import Any

import pytest

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.spec import StructureSpec
from env_service.worlds.household.scene.thor_metadata import scene_from_metadata
from tests.support.thor_objects import kitchen, thor_object

NAME = "FloorPlan3_physics"


def burners(y: float = 0.91, north: float = 0.0) -> list[dict[str, Any]]:
    """Four burners on the east wall."""
    return [
        thor_object("StoveBurner", (x, y, z), (0.2, 0.02, 0.2), position=(x, y, z))
        for x in (1.5, 1.75)
        for z in (north, north + 0.3)
    ]


def knobs(
    x: float, y: float, size: tuple[float, float, float], north: float = 0.0
) -> list[dict[str, Any]]:
    return [
        thor_object("StoveKnob", (x, y, z), size, position=(x, y, z))
        for z in (north, north + 0.1, north + 0.2, north + 0.3)
    ]


def structure(*items: dict[str, Any]) -> dict[str, StructureSpec]:
    scene = scene_from_metadata(NAME, [*kitchen(), *items])
    return {part.type: part for part in scene.structure}


def test_a_range_stands_under_burners_and_looks_to_its_knobs():
    stove = structure(*burners(), *knobs(1.3, 0.87, (0.06, 0.06, 0.06)))["Stove"]
    assert stove.body.rotation.apply(Vec3(0.0, 0.0, 1.0)).x == pytest.approx(-1.0)
    assert stove.body.top == pytest.approx(0.9)
    assert stove.body.bottom == pytest.approx(0.0)
    assert dict(stove.details)["panel"] == "front"


def test_knobs_over_the_burners_have_a_panel_behind_them():
    parts = structure(*burners(), *knobs(1.92, 1.08, (0.04, 0.06, 0.06)))
    assert parts["Stove"].body.rotation.apply(Vec3(0.0, 0.0, 1.0)).x == pytest.approx(-1.0)
    assert parts["StoveBack"].body.bottom == pytest.approx(0.9)
    assert parts["StoveBack"].body.top > 1.1
    assert dict(parts["Stove"].details)["panel"] == "none"


def test_a_hood_hangs_over_it():
    at_front = knobs(1.3, 0.87, (0.06, 0.06, 0.06), north=-0.8)
    hood = structure(*burners(north=-0.8), *at_front)["RangeHood"]
    assert hood.body.bottom > 1.4
    assert not hood.solid


def test_no_hood_hangs_before_a_window():
    assert "RangeHood" not in structure(*burners(north=0.2))


def test_burners_in_a_counter_are_a_hob():
    items = [
        thor_object("StoveBurner", (x, 0.91, z), (0.18, 0.02, 0.18), position=(x, 0.91, z))
        for x in (-1.8, -1.6)
        for z in (0.3, 0.55)
    ]
    stove = structure(*items)["Stove"]
    assert stove.body.size.y < 0.1
    assert stove.body.top == pytest.approx(0.9, abs=0.002)


def test_a_kitchen_without_burners_has_no_stove():
    assert "Stove" not in structure()
