"""The enclosure of a room: walls, floors, rugs, skirting, ceiling, doors, the view outside; windows
with blinds and curtains, and mirrors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.fronts_and_handles import number, rows, word
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Motion,
    MotionKind,
    Part,
    Surface,
    Texture,
    join,
)
from env_service.worlds.household.assets.shapes import (
    Span,
    blocks,
    lathe,
    panel,
    projected,
    rounded_box,
)
from env_service.worlds.household.assets.slabs import Rectangle, lid, plate, rectangle, rectangles
from env_service.worlds.household.assets.textures import between, noise, picture
from env_service.worlds.household.geometry import Vec3

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
    plaster = textures.plaster((0.90, 0.89, 0.86), seed=11)
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


# --- Floors and rugs

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
    palette's; "outline", (x, z) corners if the room is not a rectangle.
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


# --- Windows with blinds and curtains; mirrors. The wall is at -z, the room at +z

PANE = Material((0.82, 0.90, 0.93), opacity=0.15, gloss=0.9)
BREAKS = Material((0.95, 0.97, 0.98), gloss=0.3, glow=0.15, two_sided=True)

ROLLED = 0.2
"""Height in metres of AI2-THOR's blinds when their isOpen is False."""

HANGING = 1.2
"""Height in metres to which blinds come down unless the detail "drop" says more or less."""


def window(request: AssetRequest) -> Model:
    """A frame with bars and clear panes, flush with the wall at the back of the box. A box deeper
    than 0.15 m gets a sill in front; broken panes are cracked. The scene adds the view behind
    it."""
    w, h, d = request.size.tuple()
    sill = d > 0.15 and h > 0.3
    z0 = -d / 2
    z1 = z0 + min(d, 0.09)
    y0 = 0.035 if sill else 0.0
    edge = min(0.055, w * 0.09, h * 0.09)
    kind = request.choose(("cross", "sash", "casement"))
    paint = palette.paint(request.choose(("white", "white", "cream"), salt=1), gloss=0.25)
    x, middle = w / 2, (z0 + z1) / 2
    wide, high = w - 2 * edge, h - y0 - 2 * edge
    deep = min(0.016, (z1 - z0) * 0.4)
    bars = _mullions(kind, (wide, high), y0 + edge, (middle, deep), edge * 0.34)
    rails = fp.blocks(fp.surround((-x, x), (y0, h), (z0, z1), edge), 0.006)
    frame = join([rails, fp.boards(bars)]) if bars else rails
    parts = [Part("frame", frame, paint)]
    if sill:
        board = fp.blocks([(-x, x, 0.0, y0, z0, d / 2)], 0.01)
        parts.append(Part("sill", board, paint))
    if kind != "cross":
        y = y0 + (h - y0) * 0.5
        latch = fp.blocks(
            [
                (
                    -0.012,
                    0.012,
                    y - 0.04,
                    y + 0.04,
                    middle + deep,
                    min(middle + deep + 0.012, z1 + 0.006),
                )
            ],
            0.004,
        )
        parts.append(Part("latch", latch, palette.metal("steel")))
    pane = shapes.panel(wide, high, at=(0, y0 + edge, middle))
    both = join([pane, pane.turned(y=180.0).moved(z=2 * middle - 0.004)])
    parts.append(Part("glass", both, PANE, casts_shadow=False))
    if request.look.broken:
        parts += _cracks(request.variant, wide, high, (0, y0 + edge, middle + deep * 0.3))
    return Model(tuple(parts))


def _cracks(
    variant: int, wide: float, high: float, at: tuple[float, float, float]
) -> Iterator[Part]:
    """Cracks over a pane: pale lines with dark edges, which show before a bright sky as well as
    before a dark wall."""
    x, y, z = at
    thick = round(max(0.005, min(wide, high) * 0.01), 4)
    for name, factor, material, back in (
        ("cracks", 1.0, BREAKS, 0.0),
        ("edges", 2.4, BLACKED, 0.001),
    ):
        broad = round(thick * factor, 4)
        decal = fp.cracks(round(wide, 3), round(high, 3), variant % 5, thick=broad)
        yield Part(name, decal.moved(x, y, z - back), material, casts_shadow=False)


def _mullions(
    kind: str, size: tuple[float, float], y0: float, z: tuple[float, float], thin: float
) -> list[fp.Span]:
    """Bars that part the glass into panes: a cross, sashes with a heavy middle bar, or casements.
    `size` is that of the glass, `z` the middle of the bars and half of their depth."""
    (wide, high), (middle, deep) = size, z
    casement = kind == "casement"
    columns = max(1, round(wide / (0.75 if casement else 0.55)))
    rows = max(1, round(high / (1.3 if casement else 0.75)))
    if kind == "cross":
        columns, rows = max(2, columns), max(2, rows)
    bars: list[fp.Span] = []
    for k in range(1, columns):
        x, half = wide * (k / columns - 0.5), thin * (1.8 if casement else 1.0)
        bars.append((x - half, x + half, y0, y0 + high, middle - deep, middle + deep))
    for k in range(1, rows):
        heavy = kind == "sash" and k == (rows + 1) // 2
        y, half = y0 + high * k / rows, thin * (1.9 if heavy else 1.0)
        ahead = deep * (1.35 if heavy else 0.92)
        bars.append((-wide / 2, wide / 2, y - half, y + half, middle - ahead, middle + ahead))
    return bars


def blinds(request: AssetRequest) -> Model:
    """A Venetian blind under its head rail.

    AI2-THOR's boxes show its sense of "open": blinds with isOpen False measure 0.2 m (drawn up
    under the rail), those with isOpen True about 1 m (let down). So a box lower than 0.35 m shows a
    blind that is drawn up at openness 0 and comes down to the detail "drop" (metres from the top,
    by default 1.2) as it opens; a higher box shows one that is let down at openness 1.
    """
    w, h, d = request.size.tuple()
    drawn_up = h < 0.35
    given = request.detail("drop")
    drop = float(given) if isinstance(given, float | int) else HANGING
    rail = min(0.045, h * 0.3)
    low, full = (h, max(drop, h + 0.1)) if drawn_up else (ROLLED, h)
    slats = max(8, min(40, round((full - rail) / 0.045)))
    high = h - rail
    color = request.choose(
        ((0.90, 0.89, 0.85), (0.74, 0.58, 0.40), (0.80, 0.82, 0.84), (0.55, 0.38, 0.24))
    )
    paint = Material(color, gloss=0.2, two_sided=True)
    lath = _slats(w * 0.985, high, d * 0.86, slats)
    cords = fp.boards(
        [
            (x - 0.003, x + 0.003, 0.012, high, d * 0.43 - 0.002, d * 0.43)
            for x in (-w * 0.32, w * 0.32)
        ]
    )
    amount = (full - rail) / (low - rail) if drawn_up else (low - rail) / high
    # FOLD scales to `amount` at openness 1, counted from the drawn state: a let-down blind folds
    # up as it closes, so its share is one that undoes this.
    motion = (
        Motion(MotionKind.FOLD, Vec3(0, 1, 0), amount, Vec3(0, high, 0))
        if drawn_up
        else Motion(MotionKind.FOLD, Vec3(0, 1, 0), 2.0 - amount, Vec3(0, high, 0), at_rest=1.0)
    )
    bar = fp.blocks(
        [(-w * 0.492, w * 0.492, 0.0, min(0.018, high * 0.1), -d * 0.4, d * 0.4)], 0.004
    )
    head = fp.blocks([(-w / 2, w / 2, high, h, -d / 2, d / 2)], 0.004)
    white = Material((0.86, 0.86, 0.84), gloss=0.1)
    return Model(
        (
            Part("rail", head, paint),
            Part("slats", lath, paint, motion),
            Part("bar", bar, paint, motion),
            Part("cords", cords, white, motion, casts_shadow=False),
        )
    )


def _slats(width: float, high: float, depth: float, count: int) -> Mesh:
    """Slanting laths from near the bottom to the top, one above the other."""
    y = (np.arange(count) + 0.6) * high / (count + 0.2)
    tilt, step = depth / 2, high / count * 0.34
    x = width / 2
    corners = np.array([[-x, -step, tilt], [x, -step, tilt], [x, step, -tilt], [-x, step, -tilt]])
    points = corners[None] + np.stack([y * 0, y, y * 0], 1)[:, None]
    normal = np.tile([0.0, tilt, step], (count * 4, 1))
    uv = np.tile([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], (count, 1))
    start = np.arange(count)[:, None, None] * 4
    faces = (np.array([[0, 1, 2], [0, 2, 3]])[None] + start).reshape(-1, 3)
    return Mesh.of(points.reshape(-1, 3), normal, uv, faces)


def curtains(request: AssetRequest) -> Model:
    """Cloth in folds on a rod: drawn aside to both ends (and between, over several windows) when
    wide, one curtain when narrow, a valance when low."""
    w, h, d = request.size.tuple()
    rod_r = min(0.014, d * 0.2)
    rod_y = h - rod_r - 0.02
    cloth = palette.cloth(request.choose((request.palette.fabric, "cream", "sage", "brick", "sky")))
    spread = h < 0.7
    wide = w > 1.3 and not spread
    if not wide:
        spans = [(-w / 2 + 0.015, w / 2 - 0.015)]
    else:
        places = max(2, round(w / 1.7) + 1)
        each = min(0.5, w * 0.2)
        middles = np.linspace(-w / 2 + each / 2 + 0.02, w / 2 - each / 2 - 0.02, places)
        spans = [(float(m) - each / 2, float(m) + each / 2) for m in middles]
    folds = [_folds(a, b, rod_y + 0.03, d, k) for k, (a, b) in enumerate(spans)]
    metal = palette.metal(request.choose(("black iron", "brass", "steel"), salt=1))
    knob = min(0.028, d * 0.3)
    rod = fp.rods([((-w / 2 + knob, rod_y, 0), (w / 2 - knob, rod_y, 0), rod_r, rod_r)])
    ends = [
        shapes.ball(
            knob, knob * 0.8, knob * 0.8, sides=10, rings=6, at=(s * (w / 2 - knob), rod_y, 0)
        )
        for s in (-1, 1)
    ]
    return Model((Part("rod", join([rod, *ends]), metal), Part("cloth", join(folds), cloth)))


def _folds(x0: float, x1: float, high: float, depth: float, seed: int) -> Mesh:
    """One hanging curtain in regular folds, gathered closer at the top."""
    generator = np.random.default_rng(seed + 17)
    count = max(3, round((x1 - x0) / 0.11))
    columns, rows = min(count * 6 + 1, 91), 5
    u, v = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    phase, drift = generator.uniform(0, 6.28), generator.uniform(-0.5, 0.5)
    wave = np.sin(u * count * 2 * math.pi + phase + drift * (1 - v)) * (1.0 - 0.35 * v)
    wave = wave + 0.12 * np.sin(u * count * math.pi * 1.3 + 2 * phase) * (1 - v)
    x = x0 + (x1 - x0) * u
    z = wave / 1.13 * (depth / 2 - 0.004)
    y = high * v
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], 1)
    run = (x1 - x0) * 2.0
    uv = np.stack([u.ravel() * run / 0.2, (y / 0.2).ravel()], 1)
    i, j = (a.ravel() for a in np.meshgrid(range(rows - 1), range(columns - 1), indexing="ij"))
    a = i * columns + j
    faces = np.concatenate(
        [np.stack([a, a + 1, a + columns + 1], 1), np.stack([a, a + columns + 1, a + columns], 1)]
    )
    return shapes.smoothed(Mesh.of(points, np.tile([0.0, 0.0, 1.0], (len(points), 1)), uv, faces))


SILVERED = Material((0.80, 0.84, 0.86), gloss=0.95, metal=0.9)
GRIME = Material((0.50, 0.46, 0.38), opacity=0.62, gloss=0.0)
BLACKED = Material((0.10, 0.11, 0.12), gloss=0.2, two_sided=True)
FOAM = Material((0.90, 0.90, 0.86), opacity=0.65, gloss=0.0)


@dataclass(frozen=True)
class _Glazing:
    """A mirror's frame and glass, and the rectangle on the glass that dirt and cracks keep to:
    its width and height, the height of its lower edge, and the z of the glass."""

    frame: Mesh
    glass: Mesh
    width: float
    height: float
    low: float
    face: float


def mirror(request: AssetRequest) -> Model:
    """Silvered glass in a wooden or metal frame, frameless with a bevelled edge, or oval when
    its box is upright and the variant says so. Dirty, it is smeared; broken, cracked."""
    w, h, _ = request.size.tuple()
    kind = request.choose(("wood", "metal", "bevel"))
    oval = kind == "metal" and 0.5 < w / h < 0.9 and request.choose((True, False), salt=3)
    made = _oval_mirror(request.size) if oval else _flat_mirror(kind, request.size)
    if kind == "wood":
        rim = palette.wood(request.choose((request.palette.wood, "white", "walnut"), salt=1))
    else:
        rim = palette.metal(request.choose(("black iron", "brass", "chrome"), salt=2))
    parts = [Part("frame", made.frame, rim), Part("glass", made.glass, SILVERED)]
    wide, high, seed = round(made.width, 3), round(made.height, 3), request.variant % 5

    def decal(name: str, mesh: Mesh, material: Material, ahead: float) -> Part:
        place = mesh.moved(0, made.low, made.face + ahead)
        return Part(name, place, material, casts_shadow=False)

    if request.look.dirty:
        parts.append(decal("grime", fp.smears(wide, high, seed), GRIME, 0.0012))
        parts.append(decal("foam", fp.smears(wide, high, seed + 31), FOAM, 0.002))
    if request.look.broken:
        thick = round(max(0.004, min(wide, high) * 0.01), 4)
        parts.append(decal("cracks", fp.cracks(wide, high, seed, thick=thick), BLACKED, 0.003))
    return Model(tuple(parts))


def _flat_mirror(kind: str, size: Vec3) -> _Glazing:
    """A rectangle in a frame, or for "bevel" without one."""
    w, h, d = size.tuple()
    x, z0, z1 = w / 2, -d / 2, -d / 2 + min(d, 0.07)
    if kind == "bevel":
        edge, face = 0.02, z1
        glass = join(
            [shapes.panel(w - 2 * edge, h - 2 * edge, at=(0, edge, face)), _bevel(w, h, edge, z1)]
        )
        frame = fp.boards([(-x, x, 0, h, z0, z1 - 0.004)])
    else:
        edge = min(0.06, w * 0.09) if kind == "wood" else 0.018
        face = z1 - 0.3 * (z1 - z0)
        glass = shapes.panel(w - 2 * edge, h - 2 * edge, at=(0, edge, face))
        back = fp.boards([(-x + edge, x - edge, edge, h - edge, z0, face - 0.002)])
        frame = join([fp.blocks(fp.surround((-x, x), (0, h), (z0, z1), edge), 0.008), back])
    return _Glazing(frame, glass, w - 2 * edge, h - 2 * edge, edge, face)


@lru_cache(maxsize=16)
def _oval_mirror(size: Vec3) -> _Glazing:
    """An oval frame and its glass."""
    w, h, d = size.tuple()
    z0, t, r = -d / 2, min(d, 0.07), 0.5
    ring = shapes.lathe(
        [
            (r * 0.86, 0.0),
            (r, 0.0),
            (r, t * 0.6),
            (r * 0.96, t),
            (r * 0.89, t),
            (r * 0.86, t * 0.7),
        ],
        sides=40,
        wrap=True,
    )
    disc = shapes.lathe([(r * 0.87, t * 0.75), (0.0, t * 0.75)], sides=40)
    frame, glass = (
        mesh.turned(x=90.0).scaled(w, h, 1.0).moved(0, h / 2, z0) for mesh in (ring, disc)
    )
    return _Glazing(frame, glass, w * 0.60, h * 0.62, h * 0.19, z0 + t - 0.004)


def _bevel(w: float, h: float, inset: float, z: float) -> Mesh:
    """Four slanting strips around a plain glass."""
    x, y0, y1, e = w / 2, 0.0, h, inset
    outer = np.array([[-x, y0], [x, y0], [x, y1], [-x, y1]])
    inner = np.array([[-x + e, y0 + e], [x - e, y0 + e], [x - e, y1 - e], [-x + e, y1 - e]])
    out = np.array([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    points, normals = [], []
    for k in range(4):
        n = (k + 1) % 4
        quad = [(*outer[k], z - 0.004), (*outer[n], z - 0.004), (*inner[n], z), (*inner[k], z)]
        points += quad
        normals += [(out[k, 0] * 0.3, out[k, 1] * 0.3, 1.0)] * 4
    faces = np.concatenate([np.array([[0, 1, 2], [0, 2, 3]]) + 4 * k for k in range(4)])
    p = np.array(points)
    return Mesh.of(p, np.array(normals), p[:, :2], faces)


BUILDERS: dict[str, Builder] = {
    "Wall": wall,
    "Baseboard": baseboard,
    "Ceiling": ceiling,
    "Door": door,
    "Sky": sky,
    "Floor": floor,
    "Rug": rug,
    "Blinds": blinds,
    "Curtains": curtains,
    "Mirror": mirror,
    "Window": window,
}
