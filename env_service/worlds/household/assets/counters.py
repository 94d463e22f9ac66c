"""Counter tops of any outline, plain worktops, and the carcasses under and around fronts."""

from __future__ import annotations

from collections.abc import Sequence

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import Span, blocks
from env_service.worlds.household.assets.joinery import FACE, FRONT, GRAIN, number, rows, word
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.plates import plate, rectangle
from env_service.worlds.household.assets.rectangles import Rectangle, rectangles
from env_service.worlds.household.assets.shapes import Point2

STONE_TILE = 0.8
"""Metres that one repeat of a stone's picture takes."""

TOE = (0.1, 0.06)
"""Height and depth of the recess at the foot of base cabinets, metres."""


def counter_top(request: AssetRequest) -> Model:
    """A slab of the palette's counter stone, with the rectangles on which things can stand.

    Details: "outline", (x, z) corners of a simple polygon, else the whole box; "holes", rectangles
    (x0, z0, x1, z1) cut out of it; "top", height of the surface, else the box's top (it may lie at
    or below 0: AI2-THOR's boxes of counters begin at the surface); "thickness" of the slab, else
    what lies between the box's underside and the top, at least 12 mm; "stone", another stone, a
    wood or a paint.
    """
    w, h, d = request.size.tuple()
    outline = _outline(request) or rectangle(-w / 2, -d / 2, w / 2, d / 2)
    holes = _rectangles(request, "holes")
    top = number(request, "top", h)
    low = top - number(request, "thickness", max(top, 0.012))
    stone = word(request, "stone", request.palette.counter)
    mineral = stone in palette.STONES
    material = palette.stone(stone) if mineral else palette.wood(stone, gloss=0.3)
    slab = plate(outline, low, top, holes=holes, tile=STONE_TILE)
    usable = tuple(
        Surface((x0, z0), (x1, z1), top) for x0, z0, x1, z1 in rectangles(outline, holes)
    )
    return Model((Part("slab", slab, material),), usable)


def _outline(request: AssetRequest) -> tuple[Point2, ...]:
    return tuple((x, z) for x, z, *_ in rows(request, "outline"))


def _rectangles(request: AssetRequest, key: str) -> tuple[Rectangle, ...]:
    return tuple((a, b, c, d) for a, b, c, d, *_ in rows(request, key))


def counter_base(request: AssetRequest) -> Model:
    """The carcass under a counter, with a recess at the foot; it is open at the top, so that sinks
    can hang into it.

    Details: "openings", rectangles (x0, y0, x1, y1) of its front that are left open for cabinets,
    drawers and appliances (x from -w/2 to w/2); "toe", height of the recess, else 0.1 for a
    carcass of at least half a metre and 0 for a lower one; "wood" instead of the palette's
    cabinets.
    """
    h = request.size.y
    toe = number(request, "toe", TOE[0] if h >= 0.5 else 0.0)
    return _carcass(request, toe, covered=False)


def cabinet_case(request: AssetRequest) -> Model:
    """The carcass of wall cabinets; the details of `counter_base`, without a recess."""
    return _carcass(request, 0.0, covered=True)


def _carcass(request: AssetRequest, toe: float, *, covered: bool) -> Model:
    """Sides, bottom, back and face frame, and a top if it is covered."""
    w, h, d = request.size.tuple()
    wood = palette.wood(word(request, "wood", request.palette.cabinets))
    face = d / 2 - min(FACE, d * 0.35)
    back, board = -d / 2, min(0.016, w * 0.1, d * 0.2)
    spans: list[Span] = [
        (-w / 2, toe, back, -w / 2 + board, h, face - FRONT),
        (w / 2 - board, toe, back, w / 2, h, face - FRONT),
        (-w / 2 + board, toe, back, w / 2 - board, toe + board, face - FRONT),
        (-w / 2 + board, toe + board, back, w / 2 - board, h - board, back + 0.006),
    ]
    if covered:
        spans.append((-w / 2 + board, h - board, back, w / 2 - board, h, face - FRONT))
    hull = [blocks(spans, tile=GRAIN, upright=True)]
    frame = _front_frame(rectangle(-w / 2, toe, w / 2, h), _rectangles(request, "openings"))
    if frame is not None:
        hull.append(frame.moved(z=face))
    parts = [Part("carcass", join(hull), wood)]
    if toe > 0:
        kick = (-w / 2, 0.0, back, w / 2, toe, max(face - TOE[1], back + 0.02))
        parts.append(Part("toe kick", blocks([kick]), palette.paint("black")))
    return Model(tuple(parts))


def _front_frame(outline: Sequence[Point2], openings: Sequence[Rectangle]) -> Mesh | None:
    """A face frame with its front at z = 0, what the openings leave of an outline given as (x, y)
    corners; None if they leave nothing."""
    left = rectangles(outline, openings, least=0.002)
    if not left:
        return None
    spans = [(x0, y0, -FRONT, x1, y1, 0.0) for x0, y0, x1, y1 in left]
    return blocks(spans, tile=GRAIN, upright=True)


def worktop(request: AssetRequest) -> Model:
    """A plain slab of the counter's stone, for gaps beside and between counters; the details of
    `counter_top`."""
    return counter_top(request)


BUILDERS: dict[str, Builder] = {
    "CounterTop": counter_top,
    "Worktop": worktop,
    "CounterBase": counter_base,
    "CabinetCase": cabinet_case,
}
