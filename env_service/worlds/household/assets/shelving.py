"""Shelf boards and free-standing shelving units."""

from __future__ import annotations

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import Span, blocks
from env_service.worlds.household.assets.joinery import GRAIN, number, rows, word
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.shapes import tube

BOARD = 0.018
"""A box lower than 6 cm is a board and no more; metres."""
ONLY_BOARD = 0.06

PLINTH = 0.055
"""Metres from the floor to the top of a bookcase's plinth, unless its lowest board is lower."""


def shelf(request: AssetRequest) -> Model:
    """One board on which things stand.

    AI2-THOR's box of a shelf is mostly the room above it, so the board lies at the underside of a
    high box, reaching 9 mm below it, and fills a low one. Details: "top", height of the surface;
    "thickness" of the board; "wood", a wood or paint instead of the palette's wood; "brackets":
    "yes" for a board on a wall.
    """
    w, h, d = request.size.tuple()
    low_box = h < ONLY_BOARD
    top = number(request, "top", h if low_box else 0.003)
    thick = number(request, "thickness", min(h, BOARD) if low_box else 0.012)
    board: Span = (-w / 2, top - thick, -d / 2, w / 2, top, d / 2)
    wood = palette.wood(word(request, "wood", request.palette.wood))
    mesh = blocks([board], bevel=min(0.002, thick * 0.2), tile=GRAIN, upright=d > w)
    parts = [Part("board", mesh, wood)]
    if word(request, "brackets", "no") == "yes":
        parts.append(Part("brackets", _brackets(w, d, top - thick), palette.metal("black iron")))
    clearance = h - top if not low_box else 10.0
    return Model(tuple(parts), (Surface((-w / 2, -d / 2), (w / 2, d / 2), top, clearance),))


def _brackets(w: float, d: float, under: float) -> Mesh:
    deep = min(d * 0.8, 0.2)
    pieces = []
    for x in (-w * 0.36, w * 0.36):
        back = -d / 2
        pieces += [
            blocks([(x - 0.01, under - deep * 0.8, back, x + 0.01, under, back + 0.006)]),
            tube(
                [(x, under - deep * 0.7, back + 0.004), (x, under - 0.006, back + deep)],
                0.006,
                sides=6,
            ),
        ]
    return join(pieces)


def shelving_unit(request: AssetRequest) -> Model:
    """A free-standing unit: a wooden bookcase, a frame of iron with wooden boards, or a rack of
    chromed wire, by variant.

    Details: "boards", heights of the boards' tops, ((y,), ...), else evenly spaced; "shelves":
    "separate" if the boards are objects of their own, so that only the frame is drawn.
    """
    w, h, d = request.size.tuple()
    given = sorted(row[0] for row in rows(request, "boards"))
    heights = given or _even(h)
    separate = word(request, "shelves", "") == "separate"
    build = request.choose((_bookcase, _iron_frame, _wire_rack))
    parts, inset, board = build(request, heights, separate=separate)
    x, z = w / 2 - inset[0], d / 2 - inset[1]
    surfaces = []
    for k, y in enumerate(heights):
        above = heights[k + 1] - board - y if k + 1 < len(heights) else 10.0
        surfaces.append(Surface((-x, -z), (x, z), y, above))
    return Model(tuple(parts), () if separate else tuple(surfaces))


def _even(h: float) -> list[float]:
    count = max(1, round(h / 0.4))
    low = 0.08
    return [low + (h - low) * k / count for k in range(count + 1)]


_Built = tuple[list[Part], tuple[float, float], float]
"""Parts, how far the usable board lies within the box along x and z, thickness of a board."""


def _bookcase(request: AssetRequest, heights: list[float], *, separate: bool) -> _Built:
    w, h, d = request.size.tuple()
    side = min(0.022, w * 0.05)
    plinth = max(min(PLINTH, heights[0]), 0.004)  # hides nothing on the lowest board
    upright: list[Span] = [
        (-w / 2, 0, -d / 2, -w / 2 + side, h, d / 2),
        (w / 2 - side, 0, -d / 2, w / 2, h, d / 2),
        (-w / 2 + side, plinth + 0.005, -d / 2, w / 2 - side, h - 0.004, -d / 2 + 0.006),
    ]
    level: list[Span] = [(-w / 2 + side, 0.0, d / 2 - 0.03, w / 2 - side, plinth, d / 2 - 0.012)]
    if not separate:
        level += [
            (-w / 2 + side, y - BOARD, -d / 2 + 0.006, w / 2 - side, y, d / 2 - 0.003)
            for y in heights
        ]
    pieces = [
        blocks(upright, bevel=0.002, tile=GRAIN, upright=True),
        blocks(level, bevel=0.0015, tile=GRAIN),
    ]
    wood = palette.wood(word(request, "wood", request.palette.wood))
    return [Part("case", join(pieces), wood)], (side, 0.008), BOARD


def _iron_frame(request: AssetRequest, heights: list[float], *, separate: bool) -> _Built:
    w, h, d = request.size.tuple()
    post = max(0.012, min(0.025, w * 0.05, d * 0.12))
    x, z = w / 2, d / 2
    spans: list[Span] = []
    for sx in (-1, 1):
        left, right = (-x, -x + post) if sx < 0 else (x - post, x)
        spans += [(left, 0, -z, right, h, -z + post), (left, 0, z - post, right, h, z)]
        spans += [(left, y - 0.04, -z + post, right, y - 0.02, z - post) for y in heights]
    spans.append((-x + post, h - 0.03, -z, x - post, h - 0.01, -z + 0.008))
    parts = [Part("frame", blocks(spans, bevel=0.001), palette.metal("black iron"))]
    if not separate:
        boards: list[Span] = [
            (-x + 0.002, y - BOARD, -z + post, x - 0.002, y, z - post) for y in heights
        ]
        boards += [(-x + post, y - BOARD, z - post, x - post, y, z - 0.002) for y in heights]
        boards += [(-x + post, y - BOARD, -z + 0.009, x - post, y, -z + post) for y in heights]
        wood = palette.wood(word(request, "wood", request.palette.wood))
        parts.append(Part("boards", blocks(boards, tile=GRAIN), wood))
    return parts, (0.004, post), 0.04


def _wire_rack(request: AssetRequest, heights: list[float], *, separate: bool) -> _Built:
    w, h, d = request.size.tuple()
    radius = min(0.012, w * 0.03, d * 0.08)
    x, z = w / 2 - radius, d / 2 - radius
    posts = [
        tube([(sx * x, 0, sz * z), (sx * x, h, sz * z)], radius, sides=8)
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    parts = [Part("posts", join(posts), palette.metal("chrome"))]
    if not separate:
        spans: list[Span] = []
        count = max(4, round(w / 0.06))
        step = 2 * x / count
        for y in heights:
            spans += [
                (-x, y - 0.03, sz * z - 0.003, x, y - 0.002, sz * z + 0.003) for sz in (-1, 1)
            ]
            spans += [
                (sx * x - 0.003, y - 0.03, -z, sx * x + 0.003, y - 0.002, z) for sx in (-1, 1)
            ]
            spans += [
                (-x + k * step - 0.003, y - 0.006, -z, -x + k * step + 0.003, y, z)
                for k in range(1, count)
            ]
        parts.append(Part("wires", blocks(spans), palette.metal("steel")))
    return parts, (radius * 2, radius), 0.03


BUILDERS: dict[str, Builder] = {"Shelf": shelf, "ShelvingUnit": shelving_unit}
