"""Tiles have the bytes that minigrid's own functions draw."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

from env_service.worlds.babyai.simulator import load_simulator
from tests.support.whole import everything

SIZES = (22, 56, 73) if everything() else (22,)
COLOURS = ("red", "grey") if everything() else ("purple",)
NAMES = (
    *("fill_coords", "rotate_fn", "point_in_circle", "point_in_rect", "point_in_triangle"),
    "point_in_line",
)


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    load_simulator()
    return monkeypatch


def things() -> list[Any]:
    objects = import_module("minigrid.core.world_object")
    coloured = [objects.Floor, objects.Wall, objects.Key, objects.Ball, objects.Box, objects.Door]
    found = [kind(colour) for kind in coloured for colour in COLOURS]
    found += [objects.Door("green", is_open=True), objects.Door("blue", is_locked=True)]
    return [None, objects.Goal(), objects.Lava(), *found]


def tiles(size: int) -> list[np.ndarray]:
    grid = import_module("minigrid.core.grid").Grid
    grid.tile_cache.clear()
    plain = [grid.render_tile(thing, tile_size=size) for thing in things()]
    agents = [
        grid.render_tile(None, agent_dir=direction, highlight=lit, tile_size=size)
        for direction in range(4)
        for lit in (False, True)
    ]
    grid.tile_cache.clear()
    return plain + agents


@pytest.mark.parametrize("size", SIZES)
def test_every_tile_is_minigrids_own(library: pytest.MonkeyPatch, size: int) -> None:
    ours = tiles(size)
    for name in ("minigrid.core.grid", "minigrid.core.world_object"):
        module = import_module(name)
        for each in NAMES:
            if hasattr(module, each):
                original = getattr(import_module("minigrid.utils.rendering"), each)
                assert getattr(module, each) is not original
                library.setattr(module, each, original)
    theirs = tiles(size)
    assert len(ours) == len(theirs) > 16
    for one, other in zip(ours, theirs, strict=True):
        assert one.shape == (size, size, 3)
        assert np.array_equal(one, other)
