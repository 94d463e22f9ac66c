"""Cabinets with doors that open on a hollow, and drawers that slide out."""

from __future__ import annotations

from env_service.worlds.household.assets.blocks import Span, blocks
from env_service.worlds.household.assets.joinery import (
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
from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Motion,
    MotionKind,
    Part,
    Surface,
)
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
    "double" or "glass". "grip": where a door's handle is, "top", "middle" or "bottom"; else a
    deep cabinet, which stands under a counter, has it on top, a shallow one, which hangs, at the
    bottom. "top": "open" for one under a sink, whose bowl hangs into it. "boards": ((y,), ...),
    heights of inner boards on which something lies, in place of those at even distances. For
    "wood", "front" and "handle" see `joinery.front_look`.
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


BUILDERS: dict[str, Builder] = {"Cabinet": cabinet, "Drawer": drawer}
