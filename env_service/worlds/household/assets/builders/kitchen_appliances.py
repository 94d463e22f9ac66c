"""Fridges, microwave ovens, coffee machines and toasters."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.fronts_and_handles import (
    CRACK,
    cracks,
    handle,
    rows,
    swing,
    word,
)
from env_service.worlds.household.assets.lofts import cap, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Lamp,
    Material,
    Mesh,
    Model,
    Motion,
    MotionKind,
    Part,
    Surface,
    join,
)
from env_service.worlds.household.assets.painted_textures import display, keypad
from env_service.worlds.household.assets.shapes import (
    Span,
    blocks,
    hollow,
    lathe,
    panel,
    rounded_box,
    tube,
)
from env_service.worlds.household.assets.slabs import Rectangle, grown, lid, rounded_ring
from env_service.worlds.household.geometry import Vec3

LINER = Material((0.88, 0.90, 0.91), gloss=0.3, glow=0.22)
"""The lining of a fridge; it glows a little, so that it looks lit when a door is open."""

FRAME = 0.035
"""Thickness of a fridge's walls, metres."""

BASKET, BASKET_UP = 0.34, 0.06
"""Depth of a pull-out freezer's basket, and how far it lies above the edge of its front, metres."""

OVER_BASKET = 0.05
"""Metres below the upper edge of a pull-out freezer: things down to that depth are on the lowest
board above it."""


class _Leaf(NamedTuple):
    """One of a fridge's doors: its name, extent, and the side of its hinge."""

    name: str
    x0: float
    y0: float
    x1: float
    y1: float
    hinge: str


def fridge(request: AssetRequest) -> Model:
    """A fridge: freezer door above or below a main door, two doors side by side if it is wide.
    All doors open together; boards, drawers and door racks are inside.

    Details: "hinge": "left" or "right" as seen from the front, where doors do not lie side by
    side; else by variant. "boards": ((y,), ...), heights on which something lies, so that there
    are boards; more are drawn between them. "drawers": "none" where boards go down to the foot of
    each compartment, and the lowest compartment of a wide fridge has them too.
    """
    w, h, d = request.size.tuple()
    material = request.choose(
        (
            palette.metal("steel"),
            Material((0.88, 0.88, 0.87), gloss=0.5),
            Material((0.10, 0.10, 0.11), gloss=0.5),
            Material((0.60, 0.61, 0.62), gloss=0.5, metal=0.5),
        )
    )
    out = 0.03
    face = d / 2 - out
    thick = min(0.07, d * 0.1)
    behind = face - thick - 0.004
    kick = min(0.06, h * 0.04)
    leaves = _leaves(request, kick)
    body, dividers = _body(request, leaves, behind, kick)
    inner = (-w / 2 + FRAME, kick + FRAME, -d / 2 + 0.05, w / 2 - FRAME, h - FRAME, behind)
    x0, y0, z0, x1, y1, z1 = inner
    small = 0.001
    liner = hollow(
        (x0 + small, y0 + small, z0 + small, x1 - small, y1 - small, z1), open_sides="+z"
    )
    parts = [
        Part("body", body, material),
        Part("lining", join([liner, dividers]), LINER),
    ]
    levels = sorted(row[0] for row in rows(request, "boards"))
    drawers = word(request, "drawers", "some") != "none"
    plan = (x0, z0 + 0.01, x1, z1 - 0.09)
    shelves, trays, surfaces = _boards(leaves, plan, inner, levels, drawers=drawers)
    parts.append(Part("boards", shelves, Material((0.80, 0.88, 0.90), opacity=0.6, gloss=0.7)))
    if trays is not None:
        parts.append(Part("drawers", trays, Material((0.74, 0.82, 0.85), opacity=0.55, gloss=0.5)))
    for leaf in leaves:
        parts += _leaf_parts(leaf, face, thick, material)
        if leaf.hinge == "drawer":
            surfaces.append(_basket_floor(leaf, face - thick))
    kick_plate = (-w / 2 + 0.01, 0.0, -d / 2, w / 2 - 0.01, kick, behind)
    parts.append(Part("kick plate", blocks([kick_plate]), palette.paint("black")))
    return Model(tuple(parts), tuple(surfaces))


def _leaves(request: AssetRequest, kick: float) -> list[_Leaf]:
    w, h, _ = request.size.tuple()
    gap = 0.004
    low, high = kick + 0.004, h - 0.004
    side = w / 2 - 0.002
    if w > 0.85:
        if request.variant % 2:
            return [
                _Leaf("left door", -w * 0.08 + gap, low, side, high, "left"),
                _Leaf("right door", -side, low, -w * 0.08, high, "right"),
            ]
        split = kick + (h - kick) * 0.38
        return [
            _Leaf("left door", gap / 2, split + gap, side, high, "left"),
            _Leaf("right door", -side, split + gap, -gap / 2, high, "right"),
            _Leaf("freezer door", -side, low, side, split, _lower_door(request, split)),
        ]
    hinge = word(request, "hinge", request.choose(("left", "right"), 7))
    if request.choose((True, False), 11) and h > 1.3:
        split = h * 0.7
        return [
            _Leaf("main door", -side, low, side, split, hinge),
            _Leaf("freezer door", -side, split + gap, side, high, hinge),
        ]
    split = kick + (h - kick) * 0.34
    return [
        _Leaf("freezer door", -side, low, side, split, hinge),
        _Leaf("main door", -side, split + gap, side, high, hinge),
    ]


def _lower_door(request: AssetRequest, split: float) -> str:
    """How the lowest compartment of a wide fridge opens: it is a drawer, unless something lies on
    a board in it and the fridge is to have no drawers."""
    lying = any(y < split - OVER_BASKET for (y,) in rows(request, "boards"))
    return "left" if lying and word(request, "drawers", "some") == "none" else "drawer"


def _body(
    request: AssetRequest, leaves: list[_Leaf], behind: float, kick: float
) -> tuple[Mesh, Mesh]:
    """The outer walls, and the walls between the compartments."""
    w, h, d = request.size.tuple()
    f, back = FRAME, -d / 2
    spans: list[Span] = [
        (-w / 2, kick, back, -w / 2 + f, h, behind),
        (w / 2 - f, kick, back, w / 2, h, behind),
        (-w / 2 + f, kick, back, w / 2 - f, kick + f, behind),
        (-w / 2 + f, h - f, back, w / 2 - f, h, behind),
        (-w / 2 + f, kick + f, back, w / 2 - f, h - f, back + 0.05),
    ]
    walls: list[Span] = []
    inset, deep = f + 0.0015, back + 0.052
    for low in sorted({leaf.y0 for leaf in leaves})[1:]:
        walls.append(
            (-w / 2 + inset, low - 0.022, deep, w / 2 - inset, low + 0.018, behind - 0.001)
        )
    if len({leaf.y0 for leaf in leaves}) == 1:
        middle = leaves[0].x0
        y0, y1 = kick + inset, h - inset
        walls.append((middle - 0.022, y0, deep, middle + 0.018, y1, behind - 0.001))
    return blocks(spans, bevel=0.004), blocks(walls)


def _boards(
    leaves: list[_Leaf],
    plan: tuple[float, float, float, float],
    inner: tuple[float, float, float, float, float, float],
    levels: list[float],
    *,
    drawers: bool,
) -> tuple[Mesh, Mesh | None, list[Surface]]:
    """Glass boards in every compartment, also at given heights, and, if wanted, a drawer at the
    foot of the largest; what they offer."""
    x0, z0, x1, z1 = plan
    cells: dict[tuple[float, float, float, float], None] = {}
    side_by_side = len({leaf.y0 for leaf in leaves}) == 1
    for leaf in leaves:
        if leaf.hinge == "drawer":
            continue
        left = max(x0, leaf.x0 + 0.02 if side_by_side and leaf.x0 > x0 + 0.05 else x0)
        right = min(x1, leaf.x1 - 0.024 if side_by_side and leaf.x1 < x1 - 0.05 else x1)
        low, high = max(inner[1], leaf.y0 + 0.02), min(inner[4], leaf.y1 - 0.02)
        cells[left + 0.003, low, right - 0.003, high] = None
    boards: list[Span] = []
    trays: list[Span] = []
    surfaces = []
    tallest = max(high - low for _, low, _, high in cells)
    for left, low, right, high in cells:
        start = low + 0.004
        given = [y for y in levels if start < y < high - 0.05]
        tray = min(0.2, min(given, default=high) - 0.03 - start)
        if drawers and high - low == tallest and high - low > 0.7 and tray > 0.1:
            trays.append((left + 0.01, start, z0 + 0.01, right - 0.01, start + tray, z1 - 0.02))
            start += tray + 0.02
        tops = _board_tops(start + 0.006, high, given)
        for y, above in zip(tops, [*tops[1:], high + 0.006], strict=True):
            boards.append((left, y - 0.006, z0, right, y, z1))
            surfaces.append(Surface((left, z0), (right, z1), y, above - y - 0.012, inside=True))
    return blocks(boards), blocks(trays, bevel=0.006) if trays else None, surfaces


def _board_tops(low: float, high: float, given: list[float]) -> list[float]:
    """The given heights, and between and below them as many more as a compartment needs."""
    tops: list[float] = []
    ends = sorted({low, *given})
    for start, end in pairwise([*ends, high]):
        count = max(1, round((end - start) / 0.3))
        tops += [start + (end - start) * k / count for k in range(count)]
    if given and given[0] - low < 0.1:
        tops = tops[1:]  # the lowest given board lies just over the floor of the compartment
    return tops


def _leaf_parts(leaf: _Leaf, face: float, thick: float, material: Material) -> list[Part]:
    """A door: its skin, lining with racks or basket, and handle."""
    motion = _opening(leaf, face)
    height = leaf.y1 - leaf.y0
    outer = (leaf.x0, leaf.y0, face - thick * 0.6, leaf.x1, leaf.y1, face)
    outside = blocks([outer], bevel=0.01)
    edge, back = 0.02, face - thick
    x0, y0, x1, y1 = leaf.x0 + edge, leaf.y0 + edge, leaf.x1 - edge, leaf.y1 - edge
    lining: list[Span] = [(x0, y0, back, x1, y1, face - thick * 0.5)]
    if leaf.hinge == "drawer":
        lining += _tub(leaf, back, leaf.y0 + BASKET_UP, height * 0.45, BASKET)
    else:
        count = max(1, round(height / 0.4))
        for k in range(count):
            low = y0 + 0.05 + (height - 0.1) * k / count
            lining += _tub(leaf, back, low, 0.06, 0.075)
    return [
        Part(leaf.name, outside, material, motion),
        Part(f"{leaf.name} lining", blocks(lining), LINER, motion),
        Part(f"{leaf.name} handle", _handle(leaf, face), palette.metal("chrome"), motion),
    ]


def _tub(leaf: _Leaf, back: float, low: float, high: float, deep: float) -> list[Span]:
    """A rack or basket on the inside of a door: bottom, front and two sides."""
    a, b, wall = leaf.x0 + 0.06, leaf.x1 - 0.06, 0.006
    top = low + high
    return [
        (a, low, back - deep, b, low + wall, back + 0.001),
        (a, low + wall, back - deep, b, top, back - deep + wall),
        (a, low + wall, back - deep + wall, a + wall, top, back),
        (b - wall, low + wall, back - deep + wall, b, top, back),
    ]


def _basket_floor(leaf: _Leaf, back: float) -> Surface:
    """The bottom of a freezer's basket; it moves with the front."""
    x0, x1 = leaf.x0 + 0.07, leaf.x1 - 0.07
    return Surface(
        (x0, back - BASKET + 0.01),
        (x1, back - 0.005),
        leaf.y0 + BASKET_UP + 0.006,
        leaf.y1 - leaf.y0 - BASKET_UP - 0.06,
        inside=True,
        part=f"{leaf.name} lining",
    )


def _opening(leaf: _Leaf, face: float) -> Motion:
    """Doors swing; a freezer at the foot pulls out like a drawer."""
    if leaf.hinge == "drawer":
        return Motion(MotionKind.SLIDE, Vec3(0, 0, 1), 0.38)
    x = leaf.x1 if leaf.hinge == "left" else -leaf.x0
    return swing(leaf.hinge, x=x, z=face, low=leaf.y0, high=leaf.y1, amount=100.0)


def _handle(leaf: _Leaf, face: float) -> Mesh:
    """A long bar on two posts, away from the hinge."""
    out = face + 0.028
    if leaf.hinge == "drawer":
        y, half = leaf.y1 - 0.06, (leaf.x1 - leaf.x0) * 0.36
        middle = (leaf.x0 + leaf.x1) / 2
        ends = [(middle - half, y), (middle + half, y)]
    else:
        x = leaf.x0 + 0.05 if leaf.hinge == "left" else leaf.x1 - 0.05
        half = min((leaf.y1 - leaf.y0) * 0.34, 0.4)
        middle = (leaf.y0 + leaf.y1) / 2
        ends = [(x, middle - half), (x, middle + half)]
    bar = tube([(x, y, out) for x, y in ends], 0.011, sides=8)
    feet = [tube([(x, y, face), (x, y, out)], 0.009, sides=8) for x, y in ends]
    return join([bar, *feet])


# --- Microwave ovens

BLACK = Material((0.05, 0.05, 0.055), gloss=0.5)
DARK_GLASS = Material((0.06, 0.07, 0.08), opacity=0.55, gloss=0.9)
CAVITY = Material((0.80, 0.80, 0.77), gloss=0.2)
LIT_CAVITY = Material((1.0, 0.93, 0.72), glow=0.8)
TURNTABLE = Material((0.75, 0.82, 0.84), gloss=0.8)
FINISHES = (
    BLACK,
    Material((0.86, 0.86, 0.84), gloss=0.5),
    palette.METALS["steel"],
    Material((0.42, 0.05, 0.05), gloss=0.6),
)

FOOT = 0.01
"""Height of the feet, metres."""


def microwave(request: AssetRequest) -> Model:
    """A microwave oven: the door with its window hinged at the left, the panel with clock and
    keys on the right, a turntable inside. While it is on, the cavity is lit and time runs."""
    w, h, d = request.size.tuple()
    finish = request.choose(FINISHES)
    thick = min(0.035, d * 0.1)
    face = d / 2 - min(0.03, d * 0.08)
    split = -w / 2 + w * 0.24
    x0, x1 = split + 0.012, w / 2 - 0.03
    y0, y1 = 0.045, h - 0.035
    z0, z1 = -d / 2 + 0.03, face - thick
    e = 0.001
    liner = hollow((x0 + e, y0 + e, z0 + e, x1 - e, y1 - e, z1), open_sides="+z")
    radius = min(x1 - x0, z1 - z0) / 2 - 0.012
    x, z = (x0 + x1) / 2, (z0 + z1) / 2
    plate = lathe([(0, 0.004), (radius, 0.004), (radius, 0.012), (0, 0.012)], sides=28)
    parts = [
        Part("casing", _casing(request, (x0, y0, z0, x1, y1, z1), split, face), finish),
        Part("feet", _feet(w, d), BLACK),
        Part("cavity", liner, LIT_CAVITY if request.look.on else CAVITY),
        Part("turntable", plate.moved(x, y0, z), TURNTABLE),
        *_door(request, split, (face - thick, face), finish),
        *_panel(request, split, face),
    ]
    inside = Surface(
        (x - radius, z - radius),
        (x + radius, z + radius),
        y0 + 0.012,
        y1 - y0 - 0.012,
        inside=True,
        round=True,
    )
    lamps = (Lamp(Vec3(x, (y0 + y1) / 2, d / 2), (1.0, 0.85, 0.55), 0.25, 0.9),)
    return Model(tuple(parts), (inside,), lamps if request.look.on else ())


def _casing(request: AssetRequest, cavity: Span, split: float, face: float) -> Mesh:
    """One sheet around the cavity, whose front it leaves open, and the panel's side of the front.
    A wall of separate plates would show its joints."""
    w, h, d = request.size.tuple()
    x0, y0, _, x1, y1, front_at = cavity
    sheet = blocks([(-w / 2, FOOT, -d / 2, w / 2, h, front_at)], bevel=0.0025)
    facing = sheet.normals[sheet.faces].astype(np.float64)[:, :, 2].min(1)
    sheet = Mesh.of(sheet.points, sheet.normals, sheet.uv, sheet.faces[facing < 0.99])
    e, rim = 0.0025, front_at
    frame = [
        panel(x0 + w / 2 - e, h - FOOT - 2 * e, at=((x0 - w / 2 + e) / 2, FOOT + e, rim)),
        panel(w / 2 - x1 - e, h - FOOT - 2 * e, at=((x1 + w / 2 - e) / 2, FOOT + e, rim)),
        panel(x1 - x0, y0 - FOOT - e, at=((x0 + x1) / 2, FOOT + e, rim)),
        panel(x1 - x0, h - y1 - e, at=((x0 + x1) / 2, y1, rim)),
    ]
    side = blocks([(-w / 2, FOOT, front_at, split - 0.002, h, face)], bevel=0.0025)
    return join([sheet, *frame, side])


def _feet(w: float, d: float) -> Mesh:
    spots = [(side * w * 0.4, end * d * 0.36) for side in (-1, 1) for end in (-1, 1)]
    return blocks([(x - 0.015, 0, z - 0.015, x + 0.015, FOOT, z + 0.015) for x, z in spots])


def _door(
    request: AssetRequest, split: float, depth: tuple[float, float], casing: Material
) -> list[Part]:
    """Frame, window and handle of the door between two depths."""
    w, h, _ = request.size.tuple()
    back, face = depth
    thick = face - back
    low, high = 0.012, h - 0.002
    left, right = w / 2 - 0.001, split + 0.001
    rim = min(0.05, h * 0.14)
    wx0, wx1, wy0, wy1 = right + rim * 1.5, left - rim, low + rim, high - rim
    frame: list[Span] = [
        (right, low, back, wx0, high, face),
        (wx1, low, back, left, high, face),
        (wx0, low, back, wx1, wy0, face),
        (wx0, wy1, back, wx1, high, face),
    ]
    pane = blocks([(wx0, wy0, face - thick * 0.6, wx1, wy1, face - thick * 0.4)])
    motion = swing("left", x=left, z=face, low=low, high=high, amount=100.0)
    dark = DARK_GLASS
    if request.look.on:
        dark = Material((0.30, 0.22, 0.10), opacity=0.25, gloss=0.9)
    grip = handle("bar", h * 0.62, upright=True).moved(right + rim * 0.6, (low + high) / 2, face)
    return [
        Part("door", blocks(frame, bevel=0.003), casing, motion),
        Part("window", pane, dark, motion, casts_shadow=False),
        Part("handle", grip, palette.metal("steel"), motion),
    ]


def _panel(request: AssetRequest, split: float, face: float) -> list[Part]:
    """Clock and keys."""
    w, h, _ = request.size.tuple()
    on = request.look.on
    middle, wide = (split - w / 2) / 2, (split + w / 2) * 0.76
    text = "0:48" if on else "12:00"
    clock = display(text, (0.3, 1.0, 0.55) if on else (0.2, 0.6, 0.4), (0.02, 0.03, 0.03))
    screen = panel(wide, wide * 0.42).moved(middle, h * 0.76, face + 0.001)
    keys = panel(wide, h * 0.5).moved(middle, h * 0.2, face + 0.001)
    ground, key = (0.16, 0.16, 0.17), (0.62, 0.63, 0.64)
    return [
        Part("clock", screen, Material((1, 1, 1), clock, gloss=0.6, glow=0.9 if on else 0.4)),
        Part("keys", keys, Material((1, 1, 1), keypad(ground, key), gloss=0.3)),
    ]


# --- Coffee machines

COFFEE_STREAM = Material((0.33, 0.17, 0.08), opacity=0.95, gloss=0.8)
LIT: Color = (0.25, 1.0, 0.45)
UNLIT: Color = (0.13, 0.17, 0.15)

COFFEE_MACHINES_FINISHES = (
    (Material((0.12, 0.12, 0.13), gloss=0.5), palette.METALS["steel"]),
    (Material((0.52, 0.38, 0.26), gloss=0.45, metal=0.3), BLACK),
    (Material((0.42, 0.05, 0.05), gloss=0.6), BLACK),
    (palette.METALS["steel"], BLACK),
)
"""Body and trim of each kind."""


def coffee_machine(request: AssetRequest) -> Model:
    """A machine with a tray for a mug under its spout; a lamp and a thin stream of coffee show that
    it is on.

    The back holds the water, the head projects over the tray. A broken one has a cracked front, no
    spout, and splinters on its tray.
    """
    w, h, d = request.size.tuple()
    body, trim = request.choose(COFFEE_MACHINES_FINISHES)
    whole = not request.look.broken
    tray, under, back = h * 0.12, h * 0.6, -d / 2
    neck, face = back + d * 0.46, d / 2 - d * 0.1
    spout_z = neck + (face - neck) * 0.55
    x, z0, z1 = w / 2 - min(0.018, w * 0.06), neck + 0.012, d / 2 - 0.02
    plate = (-w * 0.3, tray, neck - 0.002, w * 0.3, under + 0.002, neck + 0.006)
    trims = [blocks([plate], bevel=0.003), _grille(x, z0, z1, tray)]
    cover = rounded_box(w * 0.7, 0.012, d * 0.4, 0.005, steps=1)
    if whole:
        trims.append(_spout(under, spout_z))
    else:
        cover = cover.turned(y=9.0, z=-4.0).moved(y=-w * 0.015)
    parts = [
        Part("body", _shell(request, (tray, under), (neck, face)), body),
        Part("trim", join(trims), trim),
        Part("lid", cover.moved(0, h - 0.012, back + d * 0.3), BLACK),
        *_controls(request, under, face),
    ]
    if not whole:
        parts += _damage(request, under, face, (tray, z0, z1))
    if request.look.on:
        stream = tube([(0, under - 0.05, spout_z), (0, tray + 0.001, spout_z)], 0.0055, sides=6)
        parts.append(Part("stream", stream, COFFEE_STREAM, casts_shadow=False))
    place = Surface((-x, z0), (x, z1), tray, under - 0.05 - tray)
    lamp = (Lamp(Vec3(0, h * 0.8, d / 2), LIT, 0.06, 0.4),) if request.look.on else ()
    return Model(tuple(parts), (place,), lamp)


def _shell(request: AssetRequest, heights: tuple[float, float], ends: tuple[float, float]) -> Mesh:
    """Foot, back and head; `heights` of the tray and of the head's underside, front `ends` of the
    back and of the head."""
    w, h, d = request.size.tuple()
    (tray, under), (neck, face), back = heights, ends, -d / 2
    foot = rounded_box(w, tray - 0.004, d, 0.02, steps=1)
    rear = rounded_box(w * 0.98, h * 0.92, neck - back, 0.03, steps=1)
    head = rounded_box(w * 0.98, h - under, face - back, 0.035, steps=1)
    return join(
        [foot, rear.moved(0, 0.01, (back + neck) / 2), head.moved(0, under, (back + face) / 2)]
    )


def _grille(x: float, z0: float, z1: float, tray: float) -> Mesh:
    """The slotted plate of the drip tray; its top is level with `tray`."""
    count = 7
    step = 2 * x / count
    bars: list[Span] = [
        (-x + (k + 0.14) * step, tray - 0.003, z0, -x + (k + 0.86) * step, tray, z1)
        for k in range(count)
    ]
    return blocks([(-x, tray - 0.006, z0, x, tray - 0.003, z1), *bars])


def _spout(under: float, z: float) -> Mesh:
    """Two short nozzles on a neck below the head."""
    neck = [(0.0, -0.03), (0.02, -0.03), (0.032, 0.004), (0.0, 0.004)]
    pieces = [lathe(neck, sides=14).moved(0, under, z)]
    pieces += [
        tube([(x, under - 0.05, z), (x * 0.6, under - 0.02, z)], 0.007, sides=8)
        for x in (-0.012, 0.012)
    ]
    return join(pieces)


def _controls(request: AssetRequest, under: float, face: float) -> list[Part]:
    """The head's display, buttons and lamp."""
    w, h, _ = request.size.tuple()
    on = request.look.on
    high = h - under
    screen = display("88:88" if on else "0:00", LIT if on else UNLIT, (0.03, 0.05, 0.05))
    glow = 0.7 if on else 0.0
    wide = min(0.11, w * 0.34)
    window = panel(wide, wide * 0.46).moved(w * 0.1, under + high * 0.45, face + 0.0012)
    dot = [(0.0, 0.0), (0.014, 0.0), (0.012, 0.006), (0.0, 0.007)]
    lamp = lathe(dot, sides=14).turned(x=90.0)
    lamp = lamp.moved(-w * 0.3, under + high * 0.55, face)
    ring = lathe([(0.014, 0.0), (0.02, 0.0), (0.02, 0.005), (0.014, 0.005)], sides=14)
    ring = ring.turned(x=90.0).moved(-w * 0.3, under + high * 0.55, face)
    y = under + high * 0.24
    spots = (-w * 0.08, w * 0.04, w * 0.16, w * 0.28)
    keys = blocks(
        [(x - 0.009, y - 0.006, face, x + 0.009, y + 0.006, face + 0.005) for x in spots],
        bevel=0.003,
    )
    return [
        Part("display", window, Material((1, 1, 1), screen, gloss=0.6, glow=glow)),
        Part("lamp", lamp, Material(LIT if on else (0.25, 0.06, 0.05), glow=1.3 if on else 0.0)),
        Part("keys", join([ring, keys]), palette.metal("chrome")),
    ]


def _damage(
    request: AssetRequest, under: float, face: float, tray: tuple[float, float, float]
) -> list[Part]:
    """Cracks over the head's front, and splinters on the tray (its height, and z from and to)."""
    w, h, _ = request.size.tuple()
    lines = cracks(w * 0.9, (h - under) * 0.84, request.variant)
    generator = np.random.default_rng([request.variant, 43])
    top, z0, z1 = tray
    spans: list[Span] = []
    for _ in range(9):
        x, z = generator.uniform(-0.38, 0.38) * w, generator.uniform(z0 + 0.02, z1 - 0.02)
        a, b = generator.uniform(0.006, 0.02, 2)
        spans.append((x - a, top + 0.0005, z - b, x + a, top + 0.004, z + b))
    splinters = blocks(spans, bevel=0.001)
    low = under + (h - under) * 0.08
    return [
        Part("cracks", lines.moved(0, low, face + 0.001), CRACK, casts_shadow=False),
        Part("splinters", splinters, Material((0.75, 0.76, 0.78), gloss=0.6)),
    ]


# --- Toasters

HEAT = Material((1.0, 0.36, 0.08), glow=1.1)


def toaster(request: AssetRequest) -> Model:
    """A toaster with two slots, four if it is wide; the lever is at a short side. While it is on
    the slots glow and the lever is down.

    Surfaces: the bottoms of the slots, in which slices stand.
    """
    w, h, d = request.size.tuple()
    along_x = w > d * 1.05
    across, length = (d, w) if along_x else (w, d)
    material = request.choose(
        (
            palette.metal("steel"),
            Material((0.40, 0.05, 0.05), gloss=0.6),
            Material((0.11, 0.11, 0.12), gloss=0.5),
            Material((0.85, 0.82, 0.74), gloss=0.5),
        )
    )
    slots = _slots(across, length)
    body, black, heat, lever = _toaster_meshes(across, length, h, slots, on=request.look.on)
    low = h * 0.42
    surfaces = tuple(Surface((a, b), (c, e), low, 10.0) for a, b, c, e in slots)
    parts = [("body", body, material), ("base", black, BLACK), ("lever", lever, BLACK)]
    inner = HEAT if request.look.on else Material((0.07, 0.06, 0.06), gloss=0.1)
    parts.append(("slots", heat, inner))
    if along_x:
        parts = [(name, mesh.turned(y=90.0), made) for name, mesh, made in parts]
        surfaces = tuple(
            Surface((s.low[1], -s.high[0]), (s.high[1], -s.low[0]), s.height, s.clearance)
            for s in surfaces
        )
    lamps = (Lamp(Vec3(0, h + 0.05, 0), (1.0, 0.4, 0.1), 0.15, 0.6),) if request.look.on else ()
    return Model(tuple(Part(*part) for part in parts), surfaces, lamps)


def _slots(across: float, length: float) -> list[Rectangle]:
    """Openings for the slices, along z."""
    count = 4 if across > 0.27 else 2
    wide = min(0.034, across * 0.8 / count * 0.55)
    step = across * (0.78 if count == 4 else 0.62) / count
    half = min(length * 0.36, 0.15)
    middles = [(k - (count - 1) / 2) * step for k in range(count)]
    return [(x - wide / 2, -half, x + wide / 2, half) for x in middles]


def _toaster_meshes(
    across: float, length: float, h: float, slots: list[Rectangle], *, on: bool
) -> tuple[Mesh, Mesh, Mesh, Mesh]:
    """Body, black base with knob, slot liners and lever, lengthwise along z."""
    lever_room = 0.022
    base_top = h * 0.14
    area = (-across / 2, -length / 2, across / 2, length / 2 - lever_room)
    radius = min(across, length) * 0.24
    shoulder = min(0.035, across * 0.16)

    def ring(inset: float, y: float) -> tuple[float, float, float, float, float, float]:
        x0, z0, x1, z1 = area
        return (x0 + inset, z0 + inset, x1 - inset, z1 - inset, max(radius - inset, 0.01), y)

    levels = [
        ring(0.003, base_top),
        ring(0.0, h * 0.45),
        ring(shoulder * 0.1, h - shoulder),
        ring(shoulder * 0.4, h - shoulder * 0.35),
        ring(shoulder, h),
    ]
    rings = [rounded_ring(level[:4], level[4], level[5]) for level in levels]
    top = [(float(x), float(z)) for x, _, z in rings[-1]]
    walls = skin(rings)
    cover = lid(top, h, holes=slots, tile=0.2)
    low = [rounded_ring(grown(area, -0.01), radius, y) for y in (0.0, base_top + 0.002)]
    base = [skin(low), cap(low[1]), cap(low[0], -1)]
    face = area[3]
    for x in (-across * 0.22, across * 0.22) if across > 0.27 else (-across * 0.25,):
        knob = lathe([(0, 0), (0.014, 0), (0.012, 0.016), (0, 0.017)], sides=12)
        base.append(knob.turned(x=90.0).moved(x, h * 0.3, face - 0.002))
    track = (-0.004, h * 0.28, face - 0.004, 0.004, h * 0.82, face + 0.002)
    base.append(blocks([track]))
    y = h * 0.36 if on else h * 0.72
    lever = rounded_box(0.05, 0.016, 0.024, 0.006, at=(0, y, face + 0.011), steps=1)
    liners = [hollow((a, h * 0.42, b, c, h, e)) for a, b, c, e in slots]
    return join([walls, cover]), join(base), join(liners), lever


BUILDERS: dict[str, Builder] = {
    "Fridge": fridge,
    "Microwave": microwave,
    "CoffeeMachine": coffee_machine,
    "Toaster": toaster,
}
