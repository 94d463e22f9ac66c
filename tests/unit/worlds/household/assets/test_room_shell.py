"""Walls, floors, shelf frames, and the palette that they choose from."""

from __future__ import annotations

import numpy as np
import pytest

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.assets.shapes import volume
from tests.support.meshes import build


def test_a_wall_has_its_openings() -> None:
    size = (4.0, 2.5, 0.1)
    window, doorway = (-1.5, 0.9, -0.5, 1.9), (0.4, 0.0, 1.3, 2.0)
    model = build("Wall", size, openings=(window, doorway))
    solid = volume(model.parts[0].mesh)
    assert solid == pytest.approx((4.0 * 2.5 - 1.0 - 1.8) * 0.1, rel=1e-3)
    at_the_edge = build("Wall", size, openings=((1.0, 0.0, 2.0, 2.5),))
    assert volume(at_the_edge.parts[0].mesh) == pytest.approx(3.0 * 2.5 * 0.1, rel=1e-3)


def test_a_splash_leaves_the_window_free() -> None:
    model = build("Wall", (4.0, 2.5, 0.1), openings=((-1.0, 0.9, 1.0, 2.0),), splash=((0.8, 1.4),))
    tiles = next(part for part in model.parts if part.name == "splash").mesh
    middle = tiles.points[np.abs(tiles.points[:, 0]) < 0.99]
    assert len(middle) == 0 or (middle[:, 1] <= 0.9).all()
    assert tiles.bounds[1][1] == pytest.approx(1.4)


def test_the_floor_lies_where_it_is_told() -> None:
    (surface,) = build("Floor", (4.0, 0.5, 4.0), top=0.3).surfaces
    assert surface.height == 0.3
    assert build("Floor", (4.0, 0.5, 4.0)).surfaces[0].height == 0.5


def test_separate_shelves_leave_only_the_frame() -> None:
    size = (0.94, 1.48, 0.47)
    whole, frame = build("ShelvingUnit", size), build("ShelvingUnit", size, shelves="separate")
    assert not frame.surfaces
    assert sum(len(p.mesh.faces) for p in frame.parts) < sum(len(p.mesh.faces) for p in whole.parts)
    heights = tuple((y,) for y in (0.2, 0.7, 1.2))
    given = build("ShelvingUnit", size, boards=heights)
    assert [surface.height for surface in given.surfaces] == [0.2, 0.7, 1.2]


@pytest.mark.parametrize(("lowest", "plinth"), [(0.2, 0.055), (0.021, 0.021)])
def test_a_plinth_hides_nothing_on_the_lowest_board(lowest: float, plinth: float) -> None:
    boards = ((lowest,), (0.7,), (1.2,))
    model = build("ShelvingUnit", (0.94, 1.48, 0.47), boards=boards, shelves="separate")
    case = next(part for part in model.parts if part.name == "case").mesh.points
    between = case[(np.abs(case[:, 0]) < 0.447) & (case[:, 2] > 0.2)]
    assert between[:, 1].max() == pytest.approx(plinth, abs=1e-3)


def test_every_name_of_the_palette_can_be_built() -> None:
    defaults = Palette()
    assert defaults.floor in palette.FLOORS
    assert defaults.walls in palette.WALLS
    assert defaults.tiles in palette.TILES
    assert set(palette.PAINTS) <= set(palette.WALLS)
    for name in palette.FLOORS:
        assert palette.floor(name).texture is not None
    for name in palette.WALLS:
        assert palette.wall(name).texture is not None
    for name in palette.TILES:
        assert palette.tiles(name).texture is not None
