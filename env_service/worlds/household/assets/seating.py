"""Chairs. The back is at -z.

The detail "level" gives the height of the seat; see `furniture_parts.level_of`.
"""

from __future__ import annotations

import math

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)


def chair(request: AssetRequest) -> Model:
    """Kinds: ladder-back, spindle-back, padded dining chair; large ones may be office chairs."""
    w, h, d = request.size.tuple()
    kinds = ["ladder", "spindle", "padded"]
    if min(w, d) > 0.52:
        kinds.insert(1, "office")
    kind = request.choose(kinds)
    seat = fp.level_of(request, min(0.46, 0.50 * h))
    if kind == "office":
        return _office_chair(request, seat)
    if kind == "spindle":
        return _spindle_chair(request, seat)
    wood = palette.wood(request.palette.wood)
    leg, rake = 0.036, min(0.05, d * 0.1)
    x, z0 = w / 2 - leg / 2, -d / 2 + rake + leg / 2
    z1 = d / 2 - leg / 2
    legs = fp.boards(
        [
            (s * x - leg / 2, s * x + leg / 2, 0, seat - 0.03, z1 - leg / 2, z1 + leg / 2)
            for s in (-1, 1)
        ]
    )
    posts = fp.rods(_posts(x, z0, rake, seat, h, r=leg * 0.58), sides=4)
    rails = fp.boards(
        [
            (-x, x, seat - 0.09, seat - 0.03, z1 - 0.012, z1 + 0.012),
            (-x, x, seat - 0.09, seat - 0.03, z0 - 0.012, z0 + 0.012),
            (-x - 0.01, -x + 0.01, seat - 0.09, seat - 0.03, z0, z1),
            (x - 0.01, x + 0.01, seat - 0.09, seat - 0.03, z0, z1),
            (-x - 0.008, -x + 0.008, seat * 0.35, seat * 0.35 + 0.025, z0, z1),
            (x - 0.008, x + 0.008, seat * 0.35, seat * 0.35 + 0.025, z0, z1),
        ]
    )
    frame = join([legs, posts, rails])
    plate = (-w / 2 + 0.004, w / 2 - 0.004, seat - 0.032, seat, -d / 2 + rake, d / 2 - 0.002)
    back = _ladder(x, z0, rake, seat, h) if kind == "ladder" else None
    surface = Surface((-x, z0 + leg), (x, z1), seat)
    if back is not None:
        cover = fp.blocks([plate], 0.012)
        return Model(
            (Part("frame", join([frame, back]), wood), Part("seat", cover, wood)), (surface,)
        )
    cloth = palette.cloth(request.choose((request.palette.fabric, "cream", "brick"), salt=2))
    cushion = fp.blocks([(*plate[:2], seat - 0.055, *plate[3:])], 0.026, steps=2, tile=0.2)
    pad = _padded_back(x, z0, rake, seat, h)
    return Model(
        (Part("frame", frame, wood), Part("cushions", join([cushion, pad]), cloth)), (surface,)
    )


def _lean(y: float, z0: float, rake: float, seat: float, h: float) -> float:
    """z of a raked back at a height."""
    return z0 - rake * max(0.0, (y - seat) / (h - seat))


def _posts(x: float, z0: float, rake: float, seat: float, h: float, *, r: float) -> list[fp.Rod]:
    """Back legs that go on as the back's uprights."""
    rods: list[fp.Rod] = []
    for s in (-1, 1):
        rods.append(((s * x, 0, z0), (s * x, seat, z0), r, r * 1.1))
        rods.append(((s * x, seat, z0), (s * x, h - 0.003, z0 - rake), r * 1.1, r * 0.9))
    return rods


def _ladder(x: float, z0: float, rake: float, seat: float, h: float) -> Mesh:
    """Cross slats of a back, the top one higher."""
    span = h - seat
    slats = []
    for share, most in ((0.34, 0.05), (0.58, 0.05), (0.88, 0.10)):
        y = seat + share * span
        z = _lean(y, z0, rake, seat, h)
        high = min(most, span * 0.22)
        slats.append((-x, x, y - high / 2, min(y + high / 2, h - 0.004), z - 0.009, z + 0.009))
    return fp.blocks(slats, 0.006)


def _padded_back(x: float, z0: float, rake: float, seat: float, h: float) -> Mesh:
    low, high = seat + (h - seat) * 0.22, h - 0.004
    thick = 0.045
    slab = fp.blocks(
        [(-x - 0.012, x + 0.012, 0, high - low, -thick / 2, thick / 2)], 0.02, steps=2, tile=0.2
    )
    tilt = math.degrees(math.atan2(rake, h - seat))
    z = _lean(low, z0, rake, seat, h) + 0.012
    return slab.turned(x=-tilt).moved(0, low, z)


def _spindle_chair(request: AssetRequest, seat: float) -> Model:
    """A Windsor chair: splayed legs, a shaped seat, spindles under a bent top rail."""
    w, h, d = request.size.tuple()
    dark = request.choose((True, False), salt=4)
    wood = palette.wood("walnut" if dark else request.palette.wood)
    sw, sd = w * 0.46, d * 0.40
    zc = d / 2 - sd - 0.01
    plate = fp.tub(
        [(0, seat - 0.034), (0.9, seat - 0.034), (1, seat - 0.012), (0.97, seat), (0, seat)],
        2 * sw,
        2 * sd,
        power=3.2,
        sides=24,
    ).moved(0, 0, zc)
    rods: list[fp.Rod] = [
        (
            (sx * w * 0.48, 0, zc + sz * (d / 2 - 0.02) - (0.0 if sz > 0 else 0.005)),
            (sx * sw * 0.72, seat - 0.03, zc + sz * sd * 0.7),
            0.012,
            0.019,
        )
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    rods = [
        ((a[0], a[1], min(max(a[2], -d / 2 + 0.014), d / 2 - 0.014)), b, r, s)
        for a, b, r, s in rods
    ]
    rods += [
        ((-sw * 0.8, seat * 0.4, zc + z), (sw * 0.8, seat * 0.4, zc + z), 0.009, 0.009)
        for z in (-sd * 0.5, sd * 0.5)
    ]
    count = 7
    top: list[tuple[float, float, float]] = []
    for k in range(count):
        t = -1 + 2 * k / (count - 1)
        foot = (t * sw * 0.82, seat - 0.006, zc - sd * math.sqrt(1 - 0.55 * t * t) * 0.93)
        head = (t * w * 0.45, h - 0.05, -d / 2 + 0.022 + 0.05 * t * t)
        r = 0.011 if abs(t) > 0.99 else 0.0065
        rods.append((foot, head, r, r))
        top.append(head)
    rail = _bent_rail(top, 0.085 if h > 0.8 else 0.06, h - 0.002)
    frame = join([fp.rods(rods), rail])
    surface = Surface((-sw * 0.84, zc - sd * 0.78), (sw * 0.84, zc + sd * 0.84), seat)
    return Model((Part("frame", frame, wood), Part("seat", plate, wood)), (surface,))


def _bent_rail(line: list[tuple[float, float, float]], high: float, top: float) -> Mesh:
    """A board along a bow, its upper edge at `top`."""
    along = np.array(line)[:, [0, 2]]
    along[0, 0] -= 0.012
    along[-1, 0] += 0.012
    thick = np.array([0.0, 0.011])
    outline = np.concatenate([along + thick, along[::-1] - thick])
    ring = [(float(x), float(z)) for x, z in outline]
    return shapes.prism(ring, high, at=(0, top - high, 0)).mapped(1.4, 1.4)


def _office_chair(request: AssetRequest, seat: float) -> Model:
    w, h, d = request.size.tuple()
    r = min(w, d) / 2 - 0.03
    arms: list[fp.Rod] = []
    wheels = []
    for k in range(5):
        a = math.radians(90 + 72 * k)
        x, z = r * math.cos(a), r * math.sin(a)
        arms.append(((0, 0.10, 0), (x, 0.07, z), 0.022, 0.014))
        wheels.append((x, 0.0, z))
    wheel = shapes.ball(0.024, 0.026, 0.024, sides=8, rings=6, at=(0, 0.027, 0))
    arms += [
        ((0, 0.07, 0), (0, seat * 0.6, 0), 0.028, 0.028),
        ((0, seat * 0.6, 0), (0, seat - 0.06, 0), 0.018, 0.018),
    ]
    sw, sd = w * 0.45, d * 0.42
    low = seat + 0.08
    slab = fp.blocks([(-sw * 0.9, sw * 0.9, 0, h - low, -0.03, 0.03)], 0.03, steps=2, tile=0.2)
    back_z = -d / 2 + 0.075
    lean = min(6.0, math.degrees(math.atan2(0.035, h - low)))
    back = slab.turned(x=-lean).moved(0, low - 0.003, back_z)
    arms.append(((0, seat - 0.05, -sd * 0.6), (0, low + 0.12, back_z - 0.025), 0.02, 0.02))
    cushion = fp.blocks(
        [(-sw, sw, seat - 0.075, seat, back_z + 0.03, d / 2 - 0.005)], 0.035, steps=2, tile=0.2
    )
    rests: list[fp.Span] = []
    for s in (-1, 1):
        x = s * (w / 2 - 0.03)
        rests.append((x - 0.028, x + 0.028, seat + 0.19, seat + 0.22, -d * 0.22, d * 0.22))
        rests.append((x - 0.012, x + 0.012, seat - 0.06, seat + 0.19, -0.03, 0.03))
    black = Material((0.07, 0.07, 0.08), gloss=0.3)
    cloth = palette.cloth(request.choose(("black", request.palette.fabric), salt=3))
    frame = join([fp.rods(arms), fp.copies(wheel, wheels), fp.blocks(rests, 0.01)])
    surface = Surface((-sw + 0.03, back_z + 0.06), (sw - 0.03, d / 2 - 0.04), seat)
    return Model(
        (Part("frame", frame, black), Part("cushions", join([cushion, back]), cloth)), (surface,)
    )


BUILDERS: dict[str, Builder] = {"Chair": chair}
