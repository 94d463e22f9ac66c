"""Taps: arched kitchen taps, basin taps with one lever or two handles, wall and floor taps."""

from __future__ import annotations

import math
from typing import NamedTuple

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.joinery import number, word
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.shapes import Point3, ball, lathe, rounded_box, tube

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
    asset's name begins with "Bathtub", deck for the rest. "fall": metres from the spout's mouth
    to where the water lands, else to the box's underside and 5 cm on; the stream leaves the box.
    "land": the same as a height in the asset's frame, below 0 for what lies under the tap.
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
    """A bath tap on a pillar of its own."""
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


BUILDERS: dict[str, Builder] = {"Faucet": faucet}
