"""Fridges, with all that shows when their doors stand open."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import Span, blocks, hollow
from env_service.worlds.household.assets.joinery import rows, swing, word
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Motion,
    MotionKind,
    Part,
    Surface,
)
from env_service.worlds.household.assets.shapes import tube
from env_service.worlds.household.geometry import Vec3

LINER = Material((0.88, 0.90, 0.91), gloss=0.3, glow=0.22)
"""The lining of a fridge; it glows a little, so that it looks lit when a door stands open."""

FRAME = 0.035
"""Thickness of a fridge's walls, metres."""

BASKET, BASKET_UP = 0.34, 0.06
"""Depth of a pull-out freezer's basket, and how far it lies above the edge of its front, metres."""

OVER_BASKET = 0.05
"""Metres below the upper edge of a pull-out freezer down to which what lies there lies on the
lowest board above it."""


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


BUILDERS: dict[str, Builder] = {"Fridge": fridge}
