"""Fronts, handles and materials that cabinets, drawers, doors and fitted appliances share.

A front's frame has its origin in the middle of the lower edge of the back; the face looks to +z.
"""

import math
import zlib
from dataclasses import dataclass

import numpy as np

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Material,
    Mesh,
    Motion,
    MotionKind,
    join,
)
from env_service.worlds.household.assets.shapes import Span, blocks, lathe, tube
from env_service.worlds.household.geometry import Vec3

GRAIN = 0.7
"""Metres that one repeat of a wood's picture takes."""

FRONT = 0.02
"""Thickness of doors and drawer fronts, metres."""

PROUD = 0.022
"""How far handles stand before the face, metres."""

FACE = 0.014
"""How far behind the front of its box a face lies, so that its handle stays near the box."""

GAP = 0.0025
"""Metres between a front and the edge of its opening."""

FRONT_STYLES = ("raised", "shaker", "flat", "beaded")
HANDLE_STYLES = ("bar", "knob", "bow")

INTERIOR = Material((0.83, 0.79, 0.71), gloss=0.1)
"""Pale lining of cupboards and drawers."""

CRACK = Material((0.04, 0.035, 0.03), gloss=0.0)
"""The dark of a crack."""

GLASS = Material((0.78, 0.86, 0.88), opacity=0.28, gloss=0.9)


@dataclass(frozen=True)
class FrontLook:
    """How a room's fronts look: the same for all of one palette and variant."""

    style: str
    handle: str
    wood: Material
    metal: Material


def front_look(request: AssetRequest) -> FrontLook:
    """The look of a cabinet's or drawer's front.

    It follows from the palette's cabinets, so that a room looks uniform; the variant counts from
    there. The details "wood" (a key of the woods or paints), "front" and "handle" (a name of
    `FRONT_STYLES`, `HANDLE_STYLES`) overrule it.
    """
    wood = word(request, "wood", request.palette.cabinets)
    start = zlib.crc32(request.palette.cabinets.encode()) + request.variant
    return FrontLook(
        word(request, "front", FRONT_STYLES[start % len(FRONT_STYLES)]),
        word(request, "handle", HANDLE_STYLES[start // 4 % len(HANDLE_STYLES)]),
        palette.wood(wood),
        palette.metal(request.palette.metal),
    )


def word(request: AssetRequest, key: str, default: str) -> str:
    """A detail that is a word, or the default."""
    value = request.detail(key)
    return value if isinstance(value, str) else default


def number(request: AssetRequest, key: str, default: float) -> float:
    """A detail that is a number, or the default."""
    value = request.detail(key)
    return float(value) if isinstance(value, (int, float)) else default


def rows(request: AssetRequest, key: str) -> tuple[tuple[float, ...], ...]:
    """A detail that is a list of tuples, or none."""
    value = request.detail(key)
    return value if isinstance(value, tuple) else ()


def front(style: str, width: float, height: float) -> Mesh:
    """A door or drawer front of wood, `FRONT` thick. Low ones are plain whatever the style."""
    w, t = width / 2, FRONT
    rail = min(0.062, width * 0.22, height * 0.22)
    if style == "flat" or min(width, height) < 0.14:
        return blocks([(-w, 0, 0, w, height, t)], bevel=0.004, tile=GRAIN, upright=True)
    stiles: list[Span] = [
        (-w, 0, 0, -w + rail, height, t),
        (w - rail, 0, 0, w, height, t),
    ]
    rails: list[Span] = [
        (-w + rail, 0, 0, w - rail, rail, t),
        (-w + rail, height - rail, 0, w - rail, height, t),
    ]
    x, low, high = w - rail, rail, height - rail
    pieces = [
        blocks(stiles, bevel=0.0025, tile=GRAIN, upright=True),
        blocks(rails, bevel=0.0025, tile=GRAIN),
        blocks([(-x, low, 0.002, x, high, t - 0.009)], tile=GRAIN, upright=True),
    ]
    field = min(0.022, rail * 0.4)
    if style == "raised":
        raised = (-x + field, low + field, 0.005, x - field, high - field, t - 0.002)
        pieces.append(blocks([raised], bevel=0.007, tile=GRAIN, upright=True))
    if style == "beaded":
        pieces.append(_beads(x, low, high))
    return join(pieces)


def _beads(x: float, low: float, high: float) -> Mesh:
    """Upright boards that fill a front's frame."""
    count = max(2, round(2 * x / 0.07))
    step = 2 * x / count
    boards: list[Span] = [
        (-x + k * step + 0.001, low, 0.004, -x + (k + 1) * step - 0.001, high, FRONT - 0.006)
        for k in range(count)
    ]
    return blocks(boards, bevel=0.003, tile=GRAIN, upright=True)


def glass_front(width: float, height: float) -> tuple[Mesh, Mesh]:
    """The frame with its bars, and the pane, of a glazed door."""
    w, rail = width / 2, min(0.055, width * 0.2)
    x, low, high = w - rail, rail, height - rail
    middle = (low + high) / 2
    upright: list[Span] = [
        (-w, 0, 0, -x, height, FRONT),
        (x, 0, 0, w, height, FRONT),
        (-0.008, low, 0.004, 0.008, high, FRONT - 0.003),
    ]
    level: list[Span] = [
        (-x, 0, 0, x, rail, FRONT),
        (-x, high, 0, x, height, FRONT),
        (-x, middle - 0.008, 0.005, x, middle + 0.008, FRONT - 0.004),
    ]
    frame = [
        blocks(upright, bevel=0.0025, tile=GRAIN, upright=True),
        blocks(level, bevel=0.0025, tile=GRAIN),
    ]
    return join(frame), blocks([(-x, low, 0.008, x, high, 0.011)])


def handle(style: str, length: float, *, upright: bool = False) -> Mesh:
    """A handle centred on the origin of a face that looks to +z; bars and bows lie along x, or
    along y if upright."""
    if style == "knob":
        profile = [(0.0, 0.0), (0.007, 0.0), (0.006, 0.01), (0.013, 0.014), (0.0135, 0.019)]
        knob = lathe([*profile, (0.009, PROUD), (0.0, PROUD)], sides=12)
        return knob.turned(x=90.0)
    half, out = length / 2, PROUD - 0.005
    if style == "bow":
        path = [(-half, 0, 0), (-half * 0.8, 0, out * 0.8), (-half * 0.35, 0, out)]
        path += [(-x, y, z) for x, y, z in reversed(path)]
        mesh = tube(path, 0.0048, sides=6)
    else:
        post = half * 0.78
        mesh = join(
            [
                tube([(-half, 0, out), (half, 0, out)], 0.005, sides=8),
                tube([(-post, 0, 0), (-post, 0, out)], 0.0042, sides=6),
                tube([(post, 0, 0), (post, 0, out)], 0.0042, sides=6),
            ]
        )
    return mesh.turned(z=90.0) if upright else mesh


def swing(
    hinge: str, *, x: float, z: float, low: float, high: float, amount: float = 95.0
) -> Motion:
    """The motion of a front that opens forwards on a hinge at its "left" or "right" as seen from
    the front, its "top" or its "bottom".

    `x` is the half-width of the front about the middle of the asset, `z` its face, `low` and
    `high` its lower and upper edge; an unknown hinge raises KeyError.
    """
    axis, pivot, turn = {
        "left": (Vec3(0, 1, 0), Vec3(x, 0, z), amount),
        "right": (Vec3(0, 1, 0), Vec3(-x, 0, z), -amount),
        "top": (Vec3(1, 0, 0), Vec3(0, high, z), -amount),
        "bottom": (Vec3(1, 0, 0), Vec3(0, low, z), amount),
    }[hinge]
    return Motion(MotionKind.HINGE, axis, turn, pivot)


def case(
    width: float, height: float, depth: float, *, board: float, back: float = 0.008
) -> list[Span]:
    """Sides, bottom, top and back of a box that is open at the front, from -depth / 2."""
    w, d = width / 2, depth / 2
    return [
        (-w, 0, -d, -w + board, height, d),
        (w - board, 0, -d, w, height, d),
        (-w + board, 0, -d, w - board, board, d),
        (-w + board, height - board, -d, w - board, height, d),
        (-w + board, board, -d, w - board, height - board, -d + back),
    ]


def cracks(width: float, height: float, seed: int) -> Mesh:
    """Thin jagged lines over a face that looks to +z, from a point near its middle to its edges;
    the middle of the lower edge is the origin."""
    generator = np.random.default_rng([seed, 41])
    start = np.array([generator.uniform(-0.15, 0.15) * width, generator.uniform(0.4, 0.6) * height])
    lines = []
    for turn in np.arange(7) * (2 * math.pi / 7) + generator.uniform(-0.3, 0.3, 7):
        way = np.array([math.cos(turn), math.sin(turn)])
        room = np.where(way > 0, [width / 2, height], [-width / 2, 0.0]) - start
        reach = float((room / np.where(way == 0, 1e-9, way)).min()) * generator.uniform(0.7, 1.0)
        share = np.array([0.0, 0.22, 0.5, 0.75, 1.0])[:, None]
        swing = generator.normal(0, 0.05, (5, 1)) * reach * (share * (1 - share) * 4)
        spots = start + way * reach * share + swing * np.array([-way[1], way[0]])
        spots = np.clip(spots, [-width / 2, 0.0], [width / 2, height])
        lines.append(
            tube([(float(x), float(y), 0.0) for x, y in spots], [0.0018] * 4 + [0.0006], sides=4)
        )
    return join(lines)
