"""Turning models into the box that was asked for."""

from __future__ import annotations

import pytest

from env_service.worlds.household.assets import shapes
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Lamp,
    Material,
    Model,
    Motion,
    MotionKind,
    Part,
    along,
    laid_flat,
    lengthwise,
    long_axis,
    sideways,
    thin_axis,
    yawed,
)
from env_service.worlds.household.geometry import Vec3


def block(w: float, h: float, d: float) -> Model:
    motion = Motion(MotionKind.HINGE, Vec3(0.0, 0.0, 1.0), 90.0, Vec3(w / 2, 0.0, 0.0))
    part = Part("block", shapes.box(w, h, d), Material(), motion)
    return Model((part,), lamps=(Lamp(Vec3(0.0, h, 0.0)),))


def fills(model: Model, size: Vec3) -> bool:
    low, high = model.parts[0].mesh.bounds
    w, h, d = size.tuple()
    away = [*(low - [-w / 2, 0.0, -d / 2]), *(high - [w / 2, h, d / 2])]
    return max(abs(float(value)) for value in away) < 1e-6


@pytest.mark.parametrize("size", [(0.1, 0.2, 1.0), (1.0, 0.1, 0.2), (0.1, 1.0, 0.2)])
def test_a_long_thing_fills_any_box(size: tuple[float, float, float]) -> None:
    box = Vec3(*size)
    axis = long_axis(box)
    model = along(block(*lengthwise(box, axis).tuple()), box, axis)
    assert fills(model, box)
    assert shapes.volume(model.parts[0].mesh) > 0


@pytest.mark.parametrize("size", [(0.3, 0.1, 0.5), (0.3, 0.5, 0.1), (0.1, 0.5, 0.3)])
def test_a_flat_thing_fills_any_box(size: tuple[float, float, float]) -> None:
    order = AssetRequest("Book", 0, Vec3(*size))
    model = laid_flat(order, lambda _, w, h, d: block(w, h, d))
    assert fills(model, order.size)
    assert shapes.volume(model.parts[0].mesh) > 0


def test_motions_and_lamps_turn_with_the_model() -> None:
    model = yawed(block(0.4, 0.2, 0.6))
    motion = model.parts[0].motion
    assert motion is not None
    assert motion.axis == Vec3(1.0, 0.0, 0.0)
    assert motion.pivot.z == pytest.approx(-0.2)
    assert model.lamps[0].position.y == pytest.approx(0.2)


def test_sideways_swaps_width_and_depth() -> None:
    order = AssetRequest("Watch", 0, Vec3(0.1, 0.2, 0.3))
    assert sideways(order).size == Vec3(0.3, 0.2, 0.1)


def test_axes_by_extent() -> None:
    assert long_axis(Vec3(1.0, 3.0, 2.0)) == "y"
    assert thin_axis(Vec3(1.0, 3.0, 1.0)) == "z"
    assert thin_axis(Vec3(1.0, 1.0, 1.0)) == "y"
