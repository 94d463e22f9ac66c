"""Floors and rugs."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import blocks
from env_service.worlds.household.assets.joinery import number, rows, word
from env_service.worlds.household.assets.material import Color, Material, Texture
from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.plates import lid, plate, rectangle
from env_service.worlds.household.assets.shapes import rounded_box
from env_service.worlds.household.assets.textures import between, noise, picture

SLAB = 0.05
"""Metres of a floor's thickness that are drawn."""

RUG_INKS: tuple[tuple[Color, Color, Color], ...] = (
    ((0.42, 0.10, 0.10), (0.75, 0.62, 0.42), (0.14, 0.16, 0.28)),
    ((0.20, 0.28, 0.40), (0.80, 0.77, 0.70), (0.55, 0.27, 0.19)),
    ((0.62, 0.58, 0.50), (0.40, 0.42, 0.38), (0.83, 0.80, 0.72)),
    ((0.28, 0.35, 0.24), (0.82, 0.74, 0.55), (0.48, 0.24, 0.16)),
)
"""Ground, ornament and border of each kind of rug."""


def floor(request: AssetRequest) -> Model:
    """A room's floor.

    Details: "top", height of the walkable plane, else the top of the box (AI2-THOR's floor boxes
    are thick and may contain thresholds); "covering", a key of `palette.FLOORS` instead of the
    palette's; "outline", (x, z) corners if the room is no rectangle.
    """
    w, h, d = request.size.tuple()
    top = number(request, "top", h)
    name = word(request, "covering", request.palette.floor)
    given = tuple((x, z) for x, z, *_ in rows(request, "outline"))
    outline = given or rectangle(-w / 2, -d / 2, w / 2, d / 2)
    tile = palette.FLOORS[name].tile
    mesh = lid(outline, top, tile=tile) if given else plate(outline, top - SLAB, top, tile=tile)
    surface = Surface((-w / 2, -d / 2), (w / 2, d / 2), top)
    return Model((Part("floor", mesh, palette.floor(name)),), (surface,))


def rug(request: AssetRequest) -> Model:
    """A flat rug with a border, and fringes at its short ends by variant."""
    w, h, d = request.size.tuple()
    high = min(h, 0.012)
    ground, ornament, border = request.choose(RUG_INKS)
    picture_of = _rug_picture(ground, ornament, border, request.variant % 3)
    material = Material((1.0, 1.0, 1.0), picture_of, gloss=0.0)
    fringe = 0.05 if request.variant % 2 == 0 and max(w, d) > 0.8 else 0.0
    along_x = w > d
    wide, deep = (w - 2 * fringe, d) if along_x else (w, d - 2 * fringe)
    parts = [Part("rug", rounded_box(wide, high, deep, 0.004, steps=1), material)]
    if fringe:
        parts.append(Part("fringe", _fringe((w, d), fringe, high), palette.cloth("cream")))
    return Model(tuple(parts), (Surface((-wide / 2, -deep / 2), (wide / 2, deep / 2), high),))


def _fringe(size: tuple[float, float], length: float, high: float) -> Mesh:
    """Threads at both short ends."""
    w, d = size
    long, short = max(w, d), min(w, d)
    count = max(8, int(short / 0.03))
    step = short / count
    threads = [
        (
            min(side * long / 2, side * (long / 2 - length)),
            0.0,
            -short / 2 + (k + 0.2) * step,
            max(side * long / 2, side * (long / 2 - length)),
            high * 0.5,
            -short / 2 + (k + 0.7) * step,
        )
        for side in (-1, 1)
        for k in range(count)
    ]
    mesh = blocks(threads)
    return mesh if w > d else mesh.turned(y=90.0)


@lru_cache(maxsize=16)
def _rug_picture(ground: Color, ornament: Color, border: Color, kind: int) -> Texture:
    """A woven pattern in a double border: lozenges, stripes or a medallion."""
    size = 128
    place = (np.arange(size) + 0.5) / size
    x, y = place[None], place[:, None]
    edge = np.minimum(np.minimum(x, 1 - x), np.minimum(y, 1 - y))
    if kind == 0:
        share = (np.abs((x * 8) % 1 - 0.5) + np.abs((y * 8) % 1 - 0.5) < 0.32).astype(np.float64)
    elif kind == 1:
        share = np.repeat(((y * 12) % 1 < 0.35).astype(np.float64), size, 1)
    else:
        away = np.abs(x - 0.5) + np.abs(y - 0.5)
        share = ((away * 9) % 1 < 0.4).astype(np.float64)
    values = between(ground, ornament, share)
    values[edge < 0.12] = border
    values[(edge < 0.10) & (edge > 0.075)] = ornament
    values[(edge < 0.03)] = ground
    return picture(values * (0.86 + 0.14 * noise(size, 48, kind, octaves=1))[..., None])


BUILDERS: dict[str, Builder] = {"Floor": floor, "Rug": rug}
