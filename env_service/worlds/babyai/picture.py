"""Pictures of a grid, from above: minigrid's own tiles, and a strip that shows the hands."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from env_service.worlds.babyai.simulator import render_tile

MAX_SIDE = 512
"""Pixels: no picture is wider or higher. Small enough for one tile of a vision model."""

_STRIP = (40, 40, 70)
"""A blue-grey that no tile of minigrid's has, so that the strip is not taken for cells."""


def draw_grid(environment: Any) -> npt.NDArray[np.uint8]:
    """The whole grid, north up, with the strip below: uint8 [H, W, 3], C-contiguous.

    The tiles are as large as MAX_SIDE allows: 56 pixels for a room, 22 for a maze of nine.
    """
    tile = _tile_size(environment.width, environment.height)
    grid = environment.grid.render(tile, environment.agent_pos, environment.agent_dir)
    return _with_hands(grid, environment.carrying, tile)


def draw_view(environment: Any) -> npt.NDArray[np.uint8]:
    """What the agent sees, ahead up, with the strip below: uint8 [512, 448, 3], C-contiguous.

    Cells in sight are lit, all others black. As minigrid draws it, a carried thing also
    lies under the agent.
    """
    tile = _tile_size(environment.agent_view_size, environment.agent_view_size)
    return _with_hands(environment.get_pov_render(tile), environment.carrying, tile)


def _tile_size(columns: int, rows: int) -> int:
    return MAX_SIDE // max(columns, rows + 1)


def _with_hands(cells: npt.NDArray[np.uint8], carrying: Any, tile: int) -> npt.NDArray[np.uint8]:
    # minigrid's picture of the whole grid does not show what is carried, and its picture of
    # the view hides it under the agent: neither says whether the hands are full.
    strip = np.full((tile, cells.shape[1], 3), _STRIP, dtype=np.uint8)
    if carrying is not None:
        strip[:, :tile] = render_tile(carrying, tile)
    return np.ascontiguousarray(np.concatenate([cells, strip]))
