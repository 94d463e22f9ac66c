"""Cabinets, drawers, counter tops, shelf boards and shelving units."""

from collections.abc import Sequence

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.fronts_and_handles import (
    CRACK,
    FACE,
    FRONT,
    GAP,
    GLASS,
    GRAIN,
    INTERIOR,
    FrontLook,
    case,
    cracks,
    front,
    front_look,
    glass_front,
    handle,
    number,
    rows,
    swing,
    word,
)
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Mesh,
    Model,
    Motion,
    MotionKind,
    Part,
    Surface,
    join,
)
from env_service.worlds.household.assets.shapes import Point2, Span, blocks, tube
from env_service.worlds.household.assets.slabs import Rectangle, plate, rectangle, rectangles
from env_service.worlds.household.geometry import Vec3

BOARD = 0.014
SHELF_EVERY = 0.42
"""Metres of height for one inner board."""

THIN = 0.08
"""A cabinet less deep than this is only a door, metres."""


def cabinet(request: AssetRequest) -> Model:
    """A cupboard with its door or doors.

    A broken one has cracked doors without handles and panes.

    Details: "hinge", the door's hinge as seen from the front: "left", "right", "top" or "bottom";
    without it a cabinet wider than 0.75 m and than it is high has two doors. "kind": "door",
    "double" or "glass". "grip": where a door's handle is, "top", "middle" or "bottom"; else a deep
    cabinet (under a counter) has it at the top, and a shallow one (on a wall) at the bottom. "top":
    "open" for one under a sink, whose bowl hangs into it. "boards": ((y,), ...), heights of inner
    boards on which something lies, in place of those at even distances. For "wood", "front" and
    "handle" see `fronts_and_handles.front_look`.
    """
    w, h, d = request.size.tuple()
    look = front_look(request)
    hinge = word(request, "hinge", "")
    kind = word(request, "kind", "door")
    double = kind == "double" or (not hinge and w > max(0.75, h))
    if kind == "glass" and double:
        kind = "double"
    parts: list[Part] = []
    surfaces: tuple[Surface, ...] = ()
    face = d / 2 - min(FACE, d * 0.35)
    if d > THIN:
        parts, surfaces = _inside(request, look, face - FRONT - 0.001)
    if double:
        for side, name in ((1, "left"), (-1, "right")):
            parts += _door(request, look, (name, kind), side, face)
    else:
        parts += _door(request, look, (hinge or "left", kind), 0, face)
    return Model(tuple(parts), surfaces)


def _inside(
    request: AssetRequest, look: FrontLook, front_at: float
) -> tuple[list[Part], tuple[Surface, ...]]:
    """The carcass up to a depth, its boards, and what they offer."""
    w, h, d = request.size.tuple()
    board = min(BOARD, w * 0.08, h * 0.08)
    back = -d / 2
    length = front_at - back
    shift = (front_at + back) / 2
    sides = case(w, h, length, board=board)
    shown = 3 if word(request, "top", "closed") == "open" else 4
    hull = blocks(sides[:shown], tile=GRAIN, upright=True).moved(z=shift)
    inner: list[Span] = [sides[4]]
    count = int(h / SHELF_EVERY)
    heights = [board + 0.0015]
    x, z0, z1 = w / 2 - board, -length / 2 + 0.008, length / 2 - 0.02
    inner.append((-x, board, z0, x, heights[0], length / 2 - 0.004))
    given = sorted(y for (y,) in rows(request, "boards") if 3 * board < y < h - 3 * board)
    even = [h * k / (count + 1) for k in range(1, count + 1)]
    for low in [y - board for y in given] or even:
        inner.append((-x, low, z0, x, low + board, z1))
        heights.append(low + board)
    ceilings = [height - board for height in heights[1:]] + [h - board]
    surfaces = tuple(
        Surface((-x, z0 + shift), (x, z1 + shift), at, above - at, inside=True)
        for at, above in zip(heights, ceilings, strict=True)
    )
    lining = blocks(inner).moved(z=shift)
    return [Part("carcass", hull, look.wood), Part("boards", lining, INTERIOR)], surfaces


def _door(
    request: AssetRequest, look: FrontLook, how: tuple[str, str], side: int, face: float
) -> list[Part]:
    """A door with its handle: over the whole front (side 0) or the half at +x (1) or -x (-1).

    `how` holds the hinge and the kind.
    """
    w, h, d = request.size.tuple()
    hinge, kind = how
    width = w - 2 * GAP if side == 0 else w / 2 - 1.5 * GAP
    middle = side * w / 4
    height = h - 2 * GAP
    motion = swing(hinge, x=w / 2 - GAP, z=face, low=GAP, high=h - GAP)
    name = {0: "door", 1: "left door", -1: "right door"}[side]
    if kind == "glass":
        frame, pane = glass_front(width, height)
    else:
        frame, pane = front(look.style, width, height), None
    at = {"x": middle, "y": GAP, "z": face - FRONT}
    parts = [Part(name, frame.moved(**at), look.wood, motion)]
    broken = request.look.broken
    if pane is not None and not broken:
        parts.append(Part("pane", pane.moved(**at), GLASS, motion, casts_shadow=False))
    elif broken:
        lines = cracks(width * 0.96, height * 0.96, request.variant).moved(
            middle, height * 0.02, face
        )
        parts.append(Part(f"{name} cracks", lines, CRACK, motion, casts_shadow=False))
    where = word(request, "grip", "top" if d > 0.42 else "bottom")
    grip = _grip(look, hinge, (width, height), where).moved(x=middle, y=GAP, z=face)
    if not broken:
        return [*parts, Part(f"{name} handle", grip, look.metal, motion)]
    return parts


def _grip(look: FrontLook, hinge: str, size: tuple[float, float], where: str) -> Mesh:
    """A door's handle on its face, away from the hinge."""
    width, height = size
    inset = min(0.035, width * 0.12)
    length = min(0.13, height * 0.35)
    if hinge in ("top", "bottom"):
        y = inset if hinge == "top" else height - inset
        return handle(look.handle, min(0.13, width * 0.4)).moved(y=y)
    x = (inset - width / 2) if hinge == "left" else (width / 2 - inset)
    reach = min(0.05 + length / 2, height / 2)
    if where == "middle" or height > 1.3:
        y = height / 2
    else:
        y = height - reach if where == "top" else reach
    return handle(look.handle, length, upright=True).moved(x=x, y=y)


def drawer(request: AssetRequest) -> Model:
    """A drawer: its front, and the box behind it that slides out.

    Details as for cabinets: "wood", "front", "handle"; "walls": height of the inner box's walls,
    metres, for a drawer under a sink.
    """
    w, h, d = request.size.tuple()
    look = front_look(request)
    face = d / 2 - min(FACE, d * 0.35)
    motion = Motion(MotionKind.SLIDE, Vec3(0, 0, 1), d * 0.8)
    panel = front(look.style, w - 2 * GAP, h - 2 * GAP).moved(y=GAP, z=face - FRONT)
    board, back = min(0.012, w * 0.05), -d / 2 + 0.004
    x, low = w / 2 - 0.008, min(0.008, h * 0.06)
    high = max(low + 0.02, min(number(request, "walls", h), h * 0.86))
    end = face - FRONT - 0.0005
    bottom = low + 0.006
    box = blocks(
        [
            (-x, low, back, -x + board, high, end),
            (x - board, low, back, x, high, end),
            (-x + board, low, back, x - board, high, back + board),
            (-x + board, low, back + board, x - board, bottom, end),
            (-x + board, bottom, end - 0.002, x - board, high, end),
        ]
    )
    length = min(0.14, w * 0.4)
    spots = (-w / 4, w / 4) if w > 0.75 else (0.0,)
    grips = [handle(look.handle, length).moved(x=x0, y=h / 2, z=face) for x0 in spots]
    parts = [Part("front", panel, look.wood, motion), Part("box", box, INTERIOR, motion)]
    parts += [
        Part(f"handle {k}", grip, look.metal, motion) for k, grip in enumerate(grips, start=1)
    ]
    floor = Surface(
        (-x + board, back + board),
        (x - board, end - 0.002),
        bottom,
        h - bottom,
        inside=True,
        part="box",
    )
    return Model(tuple(parts), (floor,))


# --- Counter tops of any outline, plain worktops, and the carcasses under and around fronts

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
    """A plain slab of the counter's stone, for gaps next to and between counters; the details of
    `counter_top`."""
    return counter_top(request)


# --- Shelf boards and free-standing shelving units

SHELVING_BOARD = 0.018
"""A box lower than 6 cm is only a board; metres."""
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
    thick = number(request, "thickness", min(h, SHELVING_BOARD) if low_box else 0.012)
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
    "separate" if the boards are separate objects, so that only the frame is drawn.
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
            (-w / 2 + side, y - SHELVING_BOARD, -d / 2 + 0.006, w / 2 - side, y, d / 2 - 0.003)
            for y in heights
        ]
    pieces = [
        blocks(upright, bevel=0.002, tile=GRAIN, upright=True),
        blocks(level, bevel=0.0015, tile=GRAIN),
    ]
    wood = palette.wood(word(request, "wood", request.palette.wood))
    return [Part("case", join(pieces), wood)], (side, 0.008), SHELVING_BOARD


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
            (-x + 0.002, y - SHELVING_BOARD, -z + post, x - 0.002, y, z - post) for y in heights
        ]
        boards += [
            (-x + post, y - SHELVING_BOARD, z - post, x - post, y, z - 0.002) for y in heights
        ]
        boards += [
            (-x + post, y - SHELVING_BOARD, -z + 0.009, x - post, y, -z + post) for y in heights
        ]
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


BUILDERS: dict[str, Builder] = {
    "Cabinet": cabinet,
    "Drawer": drawer,
    "CounterTop": counter_top,
    "Worktop": worktop,
    "CounterBase": counter_base,
    "CabinetCase": cabinet_case,
    "Shelf": shelf,
    "ShelvingUnit": shelving_unit,
}
