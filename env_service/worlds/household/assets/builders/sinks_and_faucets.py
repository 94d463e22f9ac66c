"""Sinks of steel and ceramic with their basins, and taps."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.fronts_and_handles import number, rows, word
from env_service.worlds.household.assets.lofts import cap, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Liquid,
    Material,
    Mesh,
    Model,
    Part,
    Surface,
    join,
)
from env_service.worlds.household.assets.shapes import (
    Point3,
    ball,
    blocks,
    lathe,
    rounded_box,
    tube,
)
from env_service.worlds.household.assets.slabs import Rectangle, grown, rounded_ring

CERAMIC = Material((0.90, 0.90, 0.88), gloss=0.7)
WATER = Material((0.55, 0.75, 0.85), opacity=0.5, gloss=0.9)
COFFEE = Material((0.16, 0.09, 0.05), opacity=0.95, gloss=0.8)
WINE = Material((0.34, 0.04, 0.09), opacity=0.9, gloss=0.8)
LIQUIDS = {Liquid.WATER: WATER, Liquid.COFFEE: COFFEE, Liquid.WINE: WINE}
DARK = Material((0.07, 0.07, 0.08), gloss=0.3)

RIM = 0.012
"""Height of a steel rim over the counter, metres."""

WALL_HUNG = 0.22
PEDESTAL = 0.5
"""Sinks with boxes higher than these hang on the wall, or have a foot; metres."""


def sink(request: AssetRequest) -> Model:
    """A sink without the hollow of its basins, which are separate objects.

    Details: "basins", openings (x0, z0, x1, z1) and, if known, how far below the sink's top the
    basin's underside lies, for all or for none; else one or two as fit the box. "kind":
    "kitchen" (steel, let into a counter), "ceramic" (bathroom, in or on a counter), "wall" or
    "pedestal"; else by the asset's name and the height.
    Surfaces: the draining board of a kitchen sink that has one.
    """
    kind = word(request, "kind", "") or _usual_kind(request)
    return _steel(request) if kind == "kitchen" else _ceramic(request, kind)


def _usual_kind(request: AssetRequest) -> str:
    """AI2-THOR names the assets of bathroom sinks "Sink_<n>"; those of its kitchens have none,
    and boxes that reach down to the floor."""
    asset, h = request.detail("asset"), request.size.y
    named = isinstance(asset, str) and asset.startswith("Sink_")
    if asset == "" or (h <= WALL_HUNG and not named):
        return "kitchen"
    return "ceramic" if h <= WALL_HUNG else "wall" if h <= PEDESTAL else "pedestal"


def _steel(request: AssetRequest) -> Model:
    w, h, d = request.size.tuple()
    basins = _basins(request) or _usual_basins(request)
    steel = palette.metal("steel")
    area = (-w / 2, -d / 2, w / 2, d / 2)
    rim = [
        skin(
            [
                rounded_ring(area, 0.04, h - RIM),
                rounded_ring(area, 0.04, h - RIM * 0.4),
                rounded_ring(grown(area, -0.004), 0.04, h),
            ]
        ),
        *_deck(grown(area, -0.004), 0.04, basins, 0.045, h),
    ]
    depths = _depths(request) or (min(h - 0.005, 0.19),) * len(basins)
    shells = [
        _shell(basin, 0.045, h - 0.001, h - depth)
        for basin, depth in zip(basins, depths, strict=True)
    ]
    board, usable = _draining_board(request, basins)
    parts = [Part("rim", join(rim), steel), Part("shell", join(shells), steel)]
    if board is not None:
        parts.append(Part("draining board", board, steel))
    return Model(tuple(parts), usable)


def _ceramic(request: AssetRequest, kind: str) -> Model:
    w, h, d = request.size.tuple()
    bowl = h if kind == "ceramic" else min(0.2, h * 0.9)
    low = h - bowl
    oval = pick_oval(request)
    # a counter's hole is a rectangle: the rim over it has to cover its corners
    radius = min(w, d) * (0.08 if kind == "ceramic" else 0.22)
    area = (-w / 2, -d / 2, w / 2, d / 2)
    margin = min(w, d) * (0.09 if kind == "ceramic" else 0.12)
    back = margin if kind == "ceramic" else min(d * 0.22, 0.12)
    inner = (-w / 2 + margin, -d / 2 + back, w / 2 - margin, d / 2 - margin)
    basins = _basins(request) or (inner,)
    foot = grown(area, -min(w, d) * 0.2)
    lip = grown(area, -0.008)
    outer = skin(
        [
            rounded_ring(foot, radius * 0.9, low, steps=6),
            rounded_ring(grown(area, -min(w, d) * 0.06), radius, low + bowl * 0.45, steps=6),
            rounded_ring(area, radius, h - 0.035 * min(1.0, bowl / 0.15), steps=6),
            rounded_ring(area, radius, h - 0.008, steps=6),
            rounded_ring(lip, radius, h, steps=6),
        ]
    )
    pieces = [outer, cap(rounded_ring(foot, radius * 0.9, low, steps=6), -1)]
    hole = math.inf if oval else min(w, d) * 0.2
    pieces += _deck(lip, radius, basins, hole, h, steps=6)
    pieces += [_shell(basin, hole, h - 0.001, low + 0.012, outside=False) for basin in basins]
    if kind == "pedestal":
        pieces.append(_foot(request, low))
    parts = [Part("ceramic", join(pieces), CERAMIC)]
    parts.append(Part("overflow", _overflow(basins[0], h), DARK, casts_shadow=False))
    return Model(tuple(parts))


def pick_oval(request: AssetRequest) -> bool:
    """Whether a ceramic sink's basin is an ellipse rather than a rounded rectangle; a basin of
    the same variant agrees."""
    return request.variant % 2 == 0


def _foot(request: AssetRequest, low: float) -> Mesh:
    """A pedestal from the floor to the bowl."""
    w, _, d = request.size.tuple()
    half, back = min(0.1, w * 0.2), -d / 2 + 0.02
    base, neck = (
        (-half, back, half, back + d * 0.55),
        (-half * 0.75, back, half * 0.75, back + d * 0.45),
    )
    rings = [
        rounded_ring(base, half * 0.8, 0.0),
        rounded_ring(base, half * 0.8, 0.03),
        rounded_ring(neck, half * 0.6, 0.12),
        rounded_ring(neck, half * 0.6, low * 0.8),
        rounded_ring(base, half * 0.8, low + 0.02),
    ]
    return skin(rings)


def _overflow(basin: Rectangle, h: float) -> Mesh:
    """The overflow hole in the rear wall of a basin: a small dark disc."""
    disc = lathe([(0.0, 0.0), (0.009, 0.0), (0.009, 0.002), (0.0, 0.002)], sides=10)
    return disc.turned(x=90.0).moved((basin[0] + basin[2]) / 2, h - 0.04, basin[1] + 0.006)


def _deck(
    area: Rectangle,
    radius: float,
    basins: Sequence[Rectangle],
    hole: float,
    y: float,
    *,
    steps: int = 4,
) -> list[Mesh]:
    """The level face around the basins: the area cut into one field per basin, between them."""
    ordered = sorted(basins)
    bounds = [area[0]]
    bounds += [(a[2] + b[0]) / 2 for a, b in pairwise(ordered)]
    bounds.append(area[2])
    pieces = []
    for k, basin in enumerate(ordered):
        field = (bounds[k], area[1], bounds[k + 1], area[3])
        corner = radius if len(ordered) == 1 else 0.002
        ring = rounded_ring(field, corner, y, steps=steps)
        pieces.append(skin([ring, rounded_ring(basin, hole, y, steps=steps)]))
    return pieces


def _shell(
    basin: Rectangle, radius: float, top: float, bottom: float, *, outside: bool = True
) -> Mesh:
    """A hollow a little wider than a basin, so that the basin's walls hide it."""
    wide = grown(basin, 0.003)
    narrow = grown(wide, -0.02)
    steps = 4 if outside else 6
    inner = [
        rounded_ring(wide, radius, top, steps=steps),
        rounded_ring(narrow, radius, bottom, steps=steps),
    ]
    pieces = [skin(inner), cap(inner[1])]
    if outside:
        away = [
            rounded_ring(grown(narrow, 0.002), radius, bottom - 0.002),
            rounded_ring(grown(wide, 0.002), radius, top),
        ]
        pieces += [skin(away), cap(away[0], -1)]
    return join(pieces)


def _draining_board(
    request: AssetRequest, basins: Sequence[Rectangle]
) -> tuple[Mesh | None, tuple[Surface, ...]]:
    """Ridges on the widest free field next to the basins, if it is wide enough for a board."""
    w, h, d = request.size.tuple()
    left = min(basin[0] for basin in basins) + w / 2
    right = w / 2 - max(basin[2] for basin in basins)
    room = max(left, right)
    if room < 0.2:
        return None, ()
    x0 = -w / 2 + 0.04 if left >= right else w / 2 - room + 0.04
    x1 = x0 + room - 0.08
    z0, z1 = -d / 2 + 0.06, d / 2 - 0.06
    count = max(3, int((x1 - x0) / 0.055))
    step = (x1 - x0) / count
    ridges = [
        (x0 + (k + 0.28) * step, h - 0.001, z0, x0 + (k + 0.72) * step, h + 0.003, z1)
        for k in range(count)
    ]
    return blocks(ridges, bevel=0.0015), (Surface((x0, z0), (x1, z1), h + 0.003),)


def _basins(request: AssetRequest) -> tuple[Rectangle, ...]:
    return tuple((a, b, c, d) for a, b, c, d, *_ in rows(request, "basins"))


def _depths(request: AssetRequest) -> tuple[float, ...]:
    """Down to just below the floor of each basin: a higher one would hide it, and all in it."""
    return tuple(row[4] + 0.001 for row in rows(request, "basins") if len(row) > 4)


def _usual_basins(request: AssetRequest) -> tuple[Rectangle, ...]:
    """One basin, one with a draining board, or two."""
    w, _, d = request.size.tuple()
    z0, z1 = -d / 2 + min(0.09, d * 0.2), d / 2 - min(0.04, d * 0.1)
    edge = min(0.04, w * 0.1)
    if w < 0.7:
        return ((-w / 2 + edge, z0, w / 2 - edge, z1),)
    if request.variant % 2:
        return ((-w / 2 + edge, z0, -0.015, z1), (0.015, z0, w / 2 - edge, z1))
    return ((-w / 2 + edge, z0, -w / 2 + max(0.36, w * 0.5), z1),)


def sink_basin(request: AssetRequest) -> Model:
    """The hollow of a sink, open at the top, with its drain; water in it if it holds a liquid.

    Details: "kind": "kitchen" (steel) or "ceramic"; else ceramic if "asset" begins with "Sink_".
    """
    w, h, d = request.size.tuple()
    named = "ceramic" if word(request, "asset", "").startswith("Sink_") else "kitchen"
    ceramic = word(request, "kind", named) != "kitchen"
    oval = ceramic and pick_oval(request)
    radius = math.inf if oval else 0.045 if not ceramic else min(w, d) * 0.2
    area = (-w / 2, -d / 2, w / 2, d / 2)
    slope = min(0.12 * h, 0.02) if not ceramic else min(w, d) * 0.12
    foot = min(0.02, h * 0.2)
    inner = grown(area, -slope)
    floor = grown(inner, -min(0.03, w * 0.1, d * 0.1))
    steps = 6 if ceramic else 4
    rings = [
        rounded_ring(area, radius, h, steps=steps),
        rounded_ring(grown(area, -0.3 * slope), radius, h * 0.7, steps=steps),
        rounded_ring(inner, radius, foot, steps=steps),
        rounded_ring(floor, radius, 0.002, steps=steps),
    ]
    material = CERAMIC if ceramic else palette.metal("steel")
    hollow = join([skin(rings), cap(rings[-1])])
    ring = lathe([(0.04, 0.0025), (0.04, 0.004), (0.03, 0.0045), (0.03, 0.0025)], sides=20)
    plug = lathe([(0.03, 0.0025), (0.03, 0.003), (0.0, 0.003)], sides=16)
    parts = [
        Part("hollow", hollow, material),
        Part("drain ring", ring, palette.metal("chrome")),
        Part("drain", plug, DARK, casts_shadow=False),
    ]
    if request.look.liquid is not None:
        level = grown(area, -0.36 * slope - 0.001)
        face = cap(rounded_ring(level, radius, h * 0.62, steps=steps))
        parts.append(Part("liquid", face, LIQUIDS[request.look.liquid], casts_shadow=False))
    margin = 0.14 if oval else 0.03
    low = (floor[0] + w * margin, floor[1] + d * margin)
    high = (floor[2] - w * margin, floor[3] - d * margin)
    return Model(tuple(parts), (Surface(low, high, 0.002),))


# --- Taps: arched kitchen taps, basin taps with one lever or two handles, wall and floor taps

STREAM = Material((0.74, 0.87, 0.95), opacity=0.62, gloss=0.9, glow=0.12)
FOAM = Material((0.92, 0.96, 0.98), opacity=0.6, gloss=0.4, glow=0.1)


class _Tap(NamedTuple):
    """The metal of a tap, and where the water leaves it."""

    pieces: list[Mesh]
    mouth: Point3
    bore: float


def faucet(request: AssetRequest) -> Model:
    """A tap whose spout reaches to the front; a stream of water falls from it while it is on.

    Details: "mount": "deck", "wall" or "floor"; else floor for boxes over 0.6 m, wall if the
    asset's name begins with "Bathtub", deck for the rest. "fall": metres from the spout's mouth to
    where the water lands, else to the box's underside and 5 cm on; the stream leaves the box.
    "land": the same as a height in the asset's frame, below 0 for a target under the tap.
    """
    h = request.size.y
    named = "wall" if word(request, "asset", "").startswith("Bathtub") else "deck"
    mount = word(request, "mount", "floor" if h > 0.6 else named)
    tap = {"deck": _deck_tap, "wall": _wall_tap, "floor": _floor_tap}[mount](request)
    metal = palette.metal(request.choose(("chrome", "chrome", "steel", "brass"), 3))
    parts = [Part("tap", join(tap.pieces), metal)]
    if request.look.on:
        land = number(request, "land", tap.mouth[1] - number(request, "fall", tap.mouth[1] + 0.05))
        parts += _water(tap, max(tap.mouth[1] - land, 0.01))
    return Model(tuple(parts))


def _water(tap: _Tap, fall: float) -> list[Part]:
    """The stream, thinner as it falls, and the ring of foam where it lands."""
    x, y, z = tap.mouth
    share = (0.0, 0.3, 0.65, 1.0)
    width = (1.0, 0.86, 0.78, 0.85)
    path = [(x, y + 0.004 - (fall + 0.004) * part, z) for part in share]
    stream = tube(path, [tap.bore * part for part in width], sides=10)
    splash = lathe([(0.0, 0.0), (0.032, 0.0), (0.026, 0.006), (0.012, 0.009), (0.0, 0.005)])
    return [
        Part("stream", stream, STREAM, casts_shadow=False),
        Part("splash", splash.moved(x, y - fall, z), FOAM, casts_shadow=False),
    ]


def _deck_tap(request: AssetRequest) -> _Tap:
    w, h, d = request.size.tuple()
    if h > 0.75 * d and h > 0.2:
        return _arched(request)
    if w > 0.2 and w > 0.7 * d:
        return _two_handles(request)
    return _low(request)


def _arch(h: float, d: float, radius: float, start: float) -> tuple[list[Point3], Point3]:
    """A spout that rises, bends over and points down at the front; its mouth."""
    reach = d / 2 - radius - start
    bend = min(reach / 2, h * 0.45)
    rise = h - bend - radius
    turn = [math.pi * k / 8 for k in range(9)]
    middle = start + bend
    path = [(0.0, 0.0, start), (0.0, rise * 0.5, start)]
    path += [(0.0, rise + bend * math.sin(a), middle - bend * math.cos(a)) for a in turn]
    end = path[-1]
    if reach > 2 * bend:
        stretch = reach - 2 * bend
        path = [
            (x, y, z + stretch if k > len(turn) // 2 + 1 else z) for k, (x, y, z) in enumerate(path)
        ]
        end = path[-1]
    mouth = (0.0, max(end[1] - h * 0.12, h * 0.3), end[2])
    return [*path, mouth], mouth


def _arched(request: AssetRequest) -> _Tap:
    """A kitchen tap: a high arch with a lever at the side, or handles to both sides."""
    w, h, d = request.size.tuple()
    radius = min(0.013, w * 0.2, d * 0.12)
    start = -d / 2 + min(0.03, d * 0.25, w / 2)
    base_radius = start + d / 2
    path, mouth = _arch(h, d, radius, start)
    base = lathe(
        [
            (0, 0),
            (base_radius, 0),
            (base_radius, 0.008),
            (radius * 1.7, 0.016),
            (radius * 1.6, h * 0.2),
            (radius, h * 0.22),
        ],
        sides=16,
    ).moved(z=start)
    nozzle = tube([mouth, (0.0, mouth[1] + h * 0.1, mouth[2])], radius * 1.25, sides=10)
    pieces = [base, tube(path, radius, sides=10), nozzle]
    arm = w / 2 - 0.006
    if w > 0.16 and request.choose((True, False), 5):
        for side in (-1.0, 1.0):
            pieces += _cross_handle(side * (arm - 0.02), start, min(0.07, h * 0.25), start + d / 2)
        pieces.append(tube([(-arm + 0.02, 0.03, start), (arm - 0.02, 0.03, start)], 0.009))
    else:
        reach = min(arm, 0.09)
        y = h * 0.16
        lever = [(radius, y, start), (reach * 0.5, y + 0.006, start), (reach, y + h * 0.12, start)]
        pieces.append(tube(lever, [0.008, 0.006, 0.005], sides=8))
    return _Tap(pieces, mouth, radius * 0.8)


def _two_handles(request: AssetRequest) -> _Tap:
    """A basin tap of three pieces: a curved spout between two handles."""
    w, h, d = request.size.tuple()
    start = -d / 2 + min(0.035, d * 0.25)
    radius = min(0.014, h * 0.12)
    plate = min(0.028, start + d / 2 + 0.008)
    path, mouth = _arch(h, d, radius, start)
    pieces = [
        tube(path, radius, sides=10),
        lathe([(0, 0), (plate, 0), (plate, 0.006), (radius, 0.02)], sides=16).moved(z=start),
    ]
    for side in (-1.0, 1.0):
        pieces += _cross_handle(side * (w / 2 - 0.036), start, min(0.075, h * 0.5), start + d / 2)
    return _Tap(pieces, mouth, radius * 0.7)


def _cross_handle(x: float, z: float, height: float, back: float) -> list[Mesh]:
    """A turning handle with four arms on a stem; `back` is the room behind its middle."""
    stem = lathe(
        [(0, 0), (0.024, 0), (0.024, 0.005), (0.012, 0.012), (0.011, height), (0, height)],
        sides=12,
    ).moved(x, 0.0, z)
    y, arm = height - 0.006, 0.03
    bars = [
        tube([(x - arm, y, z), (x + arm, y, z)], 0.006, sides=6),
        tube([(x, y, z - min(arm, back)), (x, y, z + arm)], 0.006, sides=6),
    ]
    return [stem, *bars]


def _low(request: AssetRequest) -> _Tap:
    """A single-lever basin tap: a stout body, a short sloping spout, a lever on top."""
    w, h, d = request.size.tuple()
    body = min(0.024, w / 2, d * 0.2)
    start = -d / 2 + body
    top = h * 0.62
    column = lathe(
        [
            (0, 0),
            (body, 0),
            (body, 0.006),
            (body * 0.82, 0.014),
            (body * 0.78, top),
            (body * 0.5, top + 0.012),
            (0, top + 0.014),
        ],
        sides=16,
    ).moved(z=start)
    radius = min(0.012, body * 0.6)
    end = d / 2 - radius
    y = top * 0.72
    spout = [
        (0.0, y * 0.8, start),
        (0.0, y + 0.004, start + (end - start) * 0.5),
        (0.0, y, end - radius),
        (0.0, y - 0.012, end),
        (0.0, y - 0.026, end),
    ]
    lever_end = (0.0, h - 0.006, min(start + 0.1, d / 2 - 0.01))
    lever = tube([(0.0, top + 0.004, start), lever_end], [0.009, 0.006], sides=8)
    return _Tap([column, tube(spout, radius, sides=10), lever], spout[-1], radius * 0.8)


def _wall_tap(request: AssetRequest) -> _Tap:
    """A bath tap out of the wall at the back: a plate, a spout, a lever or two handles."""
    w, h, d = request.size.tuple()
    back = -d / 2
    radius = min(0.02, w * 0.2, h * 0.15)
    low = h * 0.22 if h > 1.3 * w else h * 0.5
    disc = [(0, 0), (min(0.04, w / 2, low), 0), (min(0.036, w / 2, low), 0.01), (radius, 0.016)]
    plate = lathe(disc, sides=16).turned(x=90.0).moved(0.0, low, back)
    end = d / 2 - radius
    spout = [
        (0.0, low, back),
        (0.0, low + 0.004, back + (end - back) * 0.6),
        (0.0, low - 0.004, end - 0.012),
        (0.0, low - 0.018, end),
        (0.0, max(low - 0.034, 0.0), end),
    ]
    pieces = [plate, tube(spout, radius, sides=10)]
    if h > 1.3 * w:
        y = h - min(0.07, w / 2)
        size = min(0.065, w / 2, h - y)
        round_plate = lathe([(0, 0), (size, 0), (size * 0.9, 0.012), (0, 0.016)], sides=20)
        pieces.append(round_plate.turned(x=90.0).moved(0.0, y, back))
        pieces.append(tube([(0.0, y, back), (0.0, y, back + 0.05)], 0.016))
        pieces.append(tube([(0.0, y, back + 0.045), (0.0, y - 0.08, back + 0.06)], 0.007))
    else:
        for side in (-1.0, 1.0):
            pieces.append(_wall_handle(side * (w / 2 - 0.034), low, back))
    return _Tap(pieces, spout[-1], radius * 0.6)


def _wall_handle(x: float, y: float, back: float) -> Mesh:
    stem = tube([(x, y, back), (x, y, back + 0.05)], [0.022, 0.012], sides=12)
    bars = [
        tube([(x - 0.03, y, back + 0.05), (x + 0.03, y, back + 0.05)], 0.007, sides=6),
        tube([(x, y - 0.03, back + 0.05), (x, y + 0.03, back + 0.05)], 0.007, sides=6),
    ]
    return join([stem, *bars])


def _floor_tap(request: AssetRequest) -> _Tap:
    """A bath tap on a pillar."""
    w, h, d = request.size.tuple()
    start = -d / 2 + 0.05
    top = h - 0.05
    end = d / 2 - 0.016
    foot = rounded_box(min(0.16, w), 0.012, 0.1, 0.004, at=(0.0, 0.0, start), steps=1)
    pillar = tube([(0.0, 0.0, start), (0.0, top, start)], 0.018, sides=12)
    spout = [
        (0.0, top - 0.02, start),
        (0.0, top + 0.02, start + 0.04),
        (0.0, top + 0.02, end - 0.03),
        (0.0, top, end),
        (0.0, top - 0.05, end),
    ]
    pieces = [foot, pillar, tube(spout, 0.015, sides=10)]
    for side in (-1.0, 1.0):
        x = side * (w / 2 - 0.018)
        pieces.append(tube([(0.0, top - 0.08, start), (x, top - 0.08, start)], 0.01))
        pieces.append(ball(0.018, 0.018, 0.018, sides=10, rings=6, at=(x, top - 0.08, start)))
    return _Tap(pieces, spout[-1], 0.011)


BUILDERS: dict[str, Builder] = {
    "Sink": sink,
    "SinkBasin": sink_basin,
    "Faucet": faucet,
}
