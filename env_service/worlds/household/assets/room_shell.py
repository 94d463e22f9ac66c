"""What encloses a room: walls with openings, skirting, ceiling, doors, and the view outside."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets import coverings, palette
from env_service.worlds.household.assets.blocks import Span, blocks, projected
from env_service.worlds.household.assets.joinery import rows, word
from env_service.worlds.household.assets.material import Material, Texture
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.plates import plate, rectangle
from env_service.worlds.household.assets.rectangles import Rectangle, rectangles
from env_service.worlds.household.assets.shapes import lathe, panel
from env_service.worlds.household.assets.textures import between, noise, picture

SPLASH = 0.004
"""How far a splashback's tiles stand before the wall, metres."""


def wall(request: AssetRequest) -> Model:
    """A wall; its front looks into the room.

    Details: "openings", rectangles (x0, y0, x1, y1) cut through it for windows and doors, x from
    -w/2 and y from the floor; "splash", bands ((y0, y1), ...) of the palette's tiles over its
    whole width, or ((y0, y1, x0, x1), ...) over a part; "covering", a key of `palette.WALLS`
    instead of the palette's walls.
    """
    w, h, d = request.size.tuple()
    name = word(request, "covering", request.palette.walls)
    openings = [_clipped(row, w, h) for row in rows(request, "openings")]
    openings = [hole for hole in openings if hole[2] - hole[0] > 0.01 and hole[3] - hole[1] > 0.01]
    body = _pierced(w, h, openings, d)
    parts = [Part("wall", projected(body, palette.WALLS[name].tile), palette.wall(name))]
    bands = _bands(request, openings)
    if bands:
        tiles = request.palette.tiles
        mesh = projected(blocks(bands), palette.TILES[tiles].tile)
        parts.append(Part("splash", mesh, palette.tiles(tiles)))
    return Model(tuple(parts))


def _clipped(row: tuple[float, ...], w: float, h: float) -> Rectangle:
    x0, y0, x1, y1 = row[:4]
    return (max(x0, -w / 2), max(y0, 0.0), min(x1, w / 2), min(y1, h))


def _pierced(w: float, h: float, openings: list[Rectangle], depth: float) -> Mesh:
    """An upright plate with holes, from z = -depth / 2 to depth / 2. Openings that stand on the
    floor become notches; where one reaches another edge, the plate is put together of blocks."""
    doors = sorted(hole for hole in openings if hole[1] <= 1e-6)
    windows = [hole for hole in openings if hole[1] > 1e-6]
    inside = all(
        hole[0] > -w / 2 + 1e-6 and hole[2] < w / 2 - 1e-6 and hole[3] < h - 1e-6
        for hole in openings
    )
    if inside:
        outline = [(-w / 2, 0.0)]
        for x0, _, x1, top in doors:
            outline += [(x0, 0.0), (x0, -top), (x1, -top), (x1, 0.0)]
        outline += [(w / 2, 0.0), (w / 2, -h), (-w / 2, -h)]
        holes = [(x0, -y1, x1, -y0) for x0, y0, x1, y1 in windows]
        return plate(outline, -depth / 2, depth / 2, holes=holes).turned(x=90.0)
    spans: list[Span] = [
        (x0, y0, -depth / 2, x1, y1, depth / 2)
        for x0, y0, x1, y1 in rectangles(rectangle(-w / 2, 0, w / 2, h), openings, least=0.001)
    ]
    return blocks(spans)


def _bands(request: AssetRequest, openings: list[Rectangle]) -> list[Span]:
    """The splash bands as thin blocks, without the openings."""
    w, _, d = request.size.tuple()
    spans: list[Span] = []
    for row in rows(request, "splash"):
        y0, y1 = row[:2]
        x0, x1 = row[2:4] if len(row) >= 4 else (-w / 2, w / 2)
        for a, b, c, e in rectangles(rectangle(x0, y0, x1, y1), openings, least=0.002):
            spans.append((a, b, d / 2 - 0.001, c, e, d / 2 + SPLASH))
    return spans


def baseboard(request: AssetRequest) -> Model:
    """A skirting board along x with a rounded upper edge. Detail "wood": a wood or a paint, else
    white."""
    w, h, d = request.size.tuple()
    top = h * 0.84
    board: list[Span] = [
        (-w / 2, 0, -d / 2, w / 2, top, d / 2),
        (-w / 2, top, -d / 2, w / 2, h, d / 2 - d * 0.35),
    ]
    mesh = blocks(board, bevel=min(0.004, d * 0.3), tile=0.7)
    return Model((Part("board", mesh, palette.wood(word(request, "wood", "white"))),))


def ceiling(request: AssetRequest) -> Model:
    """A white plastered slab; its underside is the room's ceiling."""
    w, h, d = request.size.tuple()
    slab = plate(rectangle(-w / 2, -d / 2, w / 2, d / 2), 0.0, h, tile=2.0)
    plaster = coverings.plaster((0.90, 0.89, 0.86), seed=11)
    return Model((Part("slab", slab, Material((1, 1, 1), plaster, gloss=0.02)),))


def door(request: AssetRequest) -> Model:
    """A closed room door in its frame: six panels, two panels, or flat with a rebate, by variant.

    Detail "wood": a wood or paint; else white or the palette's wood by variant.
    """
    w, h, d = request.size.tuple()
    name = word(request, "wood", request.choose(("white", request.palette.wood), 2))
    jamb = min(0.07, w * 0.1)
    leaf = max(d * 0.5, 0.012)
    frame: list[Span] = [
        (-w / 2, 0, -d / 2, -w / 2 + jamb, h, d / 2),
        (w / 2 - jamb, 0, -d / 2, w / 2, h, d / 2),
    ]
    head: list[Span] = [(-w / 2 + jamb, h - jamb, -d / 2, w / 2 - jamb, h, d / 2)]
    x, top = w / 2 - jamb - 0.003, h - jamb - 0.003
    z = d / 2 - min(0.012, d * 0.2)
    slab: list[Span] = [(-x, 0.008, z - leaf, x, top, z - 0.008)]
    stiles, rails, fields = _door_panels(request.choose((0, 1, 2), 4), x, top, z)
    pieces = [
        blocks(frame, bevel=0.004, tile=0.7, upright=True),
        blocks(head, bevel=0.004, tile=0.7),
        blocks([*slab, *stiles], bevel=0.002, tile=0.7, upright=True),
    ]
    if rails:
        pieces.append(blocks(rails, bevel=0.002, tile=0.7))
    if fields:
        pieces.append(blocks(fields, bevel=0.008, tile=0.7, upright=True))
    grip = lathe(
        [
            (0, 0),
            (0.026, 0),
            (0.026, 0.004),
            (0.01, 0.008),
            (0.009, 0.02),
            (0.02, 0.03),
            (0.02, 0.04),
            (0, 0.044),
        ],
        sides=16,
    )
    grip = grip.turned(x=90.0).moved(-x + 0.06, min(1.0, h * 0.48), z - 0.002)
    return Model(
        (
            Part("door", join(pieces), palette.wood(name)),
            Part("knob", grip, palette.metal(request.choose(("brass", "steel"), 9))),
        )
    )


def _door_panels(
    kind: int, x: float, top: float, z: float
) -> tuple[list[Span], list[Span], list[Span]]:
    """Stiles, rails and raised fields on a door's leaf."""
    back = z - 0.009
    if kind == 2:
        return [(-x, 0.008, back, x, top, z - 0.002)], [], []
    side, middle = min(0.11, x * 0.3), 0.0
    columns = 2 if kind == 0 else 1
    cuts = (
        (0.008, 0.2, 0.78, 0.9, 1.46, 1.58, 10.0) if kind == 0 else (0.008, 0.22, 0.82, 0.96, 10.0)
    )
    stiles: list[Span] = [(-x, 0.008, back, -x + side, top, z), (x - side, 0.008, back, x, top, z)]
    if columns == 2:
        middle = side * 0.4
        stiles.append((-middle, 0.2, back, middle, top - side, z))
    rails: list[Span] = []
    fields: list[Span] = []
    bounds = [*(cut * top / 2.0 for cut in cuts[1:-1]), top - side]
    rails.append((-x + side, 0.008, back, x - side, bounds[0], z))
    for low, high in zip(bounds[1::2], bounds[2::2], strict=False):
        rails.append((-x + side, low, back, x - side, high, z))
    rails.append((-x + side, top - side, back, x - side, top, z))
    for low, high in zip(bounds[::2], bounds[1::2], strict=False):
        for k in range(columns):
            a = -x + side if k == 0 else middle
            b = x - side if k == columns - 1 else -middle
            fields.append((a + 0.02, low + 0.02, back - 0.001, b - 0.02, high - 0.02, z - 0.003))
    return stiles, rails, fields


def sky(request: AssetRequest) -> Model:
    """A glowing view of the outdoors for behind windows; its front (+z) faces the room. Detail
    "view": "day" (default) or "evening"."""
    w, h, _ = request.size.tuple()
    evening = word(request, "view", "day") == "evening"
    scene = _outdoors(request.variant % 3, evening=evening)
    material = Material((1.0, 1.0, 1.0), scene, gloss=0.0, glow=1.0 if not evening else 0.5)
    backdrop = panel(w, h)
    return Model((Part("view", backdrop, material, casts_shadow=False),))


@lru_cache(maxsize=8)
def _outdoors(seed: int, *, evening: bool) -> Texture:
    """Sky over a blurred line of trees and a lawn; the horizon lies a little below the middle."""
    size = 256
    y = (np.arange(size)[:, None] + 0.5) / size
    high = (0.45, 0.62, 0.86) if not evening else (0.24, 0.28, 0.46)
    low = (0.86, 0.92, 0.96) if not evening else (0.93, 0.66, 0.45)
    values = between(low, high, np.repeat(np.clip((y - 0.42) / 0.55, 0, 1), size, 1))
    cloud = np.clip((noise(size, 4, seed, stretch=2) - 0.55) * 2.4, 0, 1) * (y > 0.5)
    values += (np.array([0.97, 0.97, 0.97]) - values) * (cloud * 0.7)[..., None]
    edge = 0.5 + 0.12 * noise(size, 6, seed + 20, octaves=3)[0]
    leaves = noise(size, 20, seed + 21, octaves=3)
    trees = between((0.20, 0.33, 0.17), (0.45, 0.58, 0.30), leaves)
    share = np.clip((edge[None] - y) * 22, 0, 1)
    values += (trees - values) * share[..., None]
    lawn = between((0.42, 0.55, 0.26), (0.55, 0.66, 0.36), noise(size, 12, seed + 22, stretch=4))
    near = np.clip((0.36 - y) * 18, 0, 1)
    values += (lawn - values) * near[..., None]
    for axis in (0, 1):
        values = np.mean([np.roll(values, k, axis) for k in range(-2, 3)], axis=0)
    return picture(values * (0.75 if evening else 1.0))


BUILDERS: dict[str, Builder] = {
    "Wall": wall,
    "Baseboard": baseboard,
    "Ceiling": ceiling,
    "Door": door,
    "Sky": sky,
}
