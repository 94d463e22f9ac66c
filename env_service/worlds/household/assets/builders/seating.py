"""Chairs, stools, footstools, sofas, armchairs, ottomans, and a dog's bed."""

import math
from itertools import pairwise

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.furniture_parts import LEATHER
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Material,
    Mesh,
    Model,
    Part,
    Surface,
    join,
)
from env_service.worlds.household.assets.shapes import Point2


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


# --- Stools and footstools

CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def stool(request: AssetRequest) -> Model:
    """Round bar stools with a foot ring, in wood or in metal with a padded seat; oblong ones are
    four-legged wooden stools with stretchers."""
    w, _, d = request.size.tuple()
    seat = fp.level_of(request, request.size.y)
    is_round = abs(w - d) < 0.08 * max(w, d)
    padded = is_round and request.choose((False, True))
    wood = palette.wood(request.choose((request.palette.wood, "white", "walnut"), salt=2))
    steel = palette.metal(request.choose(("chrome", "black iron"), salt=3))
    leather = LEATHER[request.choose(("black", "brown", "cream"), salt=4)]
    t = 0.055 if padded else 0.035
    legs = _ringed_legs(w, d, seat - t * 0.7) if is_round else _crossed_legs(w, d, seat - t * 0.7)
    profile = ((0.0, t), (0.92, t), (1.0, t * 0.6), (1.0, t * 0.35), (0.93, 0.0), (0.0, 0.0))
    top = fp.tub(
        [(r, seat - down) for r, down in profile], w, d, power=2.0 if is_round else 7.0, wrap=False
    ).mapped(w / 0.7, d / 0.7)
    return Model(
        (
            Part("frame", legs, steel if padded else wood),
            Part("seat", top, leather if padded else wood),
        ),
        (fp.top_surface(w * 0.93, d * 0.93, seat, round_top=is_round),),
    )


def _splayed(w: float, d: float, high: float, foot: float, head: float) -> list[fp.Rod]:
    """Four legs from shares of the box at the floor to shares of it at a height."""
    r = min(0.02, min(w, d) * 0.055)
    return [
        ((x * w * foot, 0, z * d * foot), (x * w * head, high, z * d * head), r * 0.85, r)
        for x, z in CORNERS
    ]


def _ringed_legs(w: float, d: float, high: float) -> Mesh:
    """Legs of a bar stool, with a ring for the feet at a third of their height."""
    foot, head, r = 0.32, 0.20, min(0.02, min(w, d) * 0.055)
    y = high * 0.34
    around = (foot + (head - foot) * 0.34) * math.sqrt(2) * min(w, d)
    circle = [
        (around + r * 0.7 * math.cos(a), y + r * 0.7 * math.sin(a))
        for a in np.linspace(-math.pi, math.pi, 7).tolist()
    ]
    ring = shapes.lathe(circle, sides=24, crease=180.0, wrap=True)
    return join([fp.rods(_splayed(w, d, high, foot, head)), ring])


def _crossed_legs(w: float, d: float, high: float) -> Mesh:
    """Legs joined by stretchers, those at the sides a little higher."""
    foot, head, r = 0.42, 0.28, min(0.014, min(w, d) * 0.04)
    rods = _splayed(w, d, high, foot, head)
    for n in range(4):
        (ax, az), (bx, bz) = CORNERS[n], CORNERS[(n + 1) % 4]
        share = 0.34 if n % 2 else 0.42
        k = foot + (head - foot) * share
        y = high * share
        rods.append(((ax * k * w, y, az * k * d), (bx * k * w, y, bz * k * d), r, r))
    return fp.rods(rods)


def footstool(request: AssetRequest) -> Model:
    """A small padded stool on turned feet, or a plain wooden step."""
    seat = fp.level_of(request, request.size.y)
    if request.choose(("padded", "wooden")) == "wooden":
        return _wooden_step(request, seat)
    w, h, d = request.size.tuple()
    pad = min(0.12, h * 0.38)
    power = request.choose((2.0, 6.0), salt=3)
    profile = ((0.0, 1.0), (0.95, 1.0), (1.0, 0.85), (1.0, 0.3), (0.93, 0.06), (0.85, 0.0),
               (0.0, 0.0))  # fmt: skip
    cushion = fp.tub(
        [(r, seat - pad * down) for r, down in profile], w, d, power=power, wrap=False
    ).mapped(2.0, 2.0)
    legs = fp.rods(
        [
            ((x * 1.12, 0, z * 1.12), (x, seat - pad, z), 0.012, 0.02)
            for x, z in fp.four(w * 0.84, d * 0.84, min(w, d) * 0.14)
        ]
    )
    wood = palette.wood(request.choose((request.palette.wood, "walnut"), salt=2))
    cloth = palette.cloth(request.choose((request.palette.fabric, "brick", "cream"), salt=4))
    surface = fp.top_surface(w * 0.85, d * 0.85, seat, round_top=power < 3)
    return Model((Part("legs", legs, wood), Part("cushion", cushion, cloth)), (surface,))


def _wooden_step(request: AssetRequest, seat: float) -> Model:
    """A board on two cheeks with a rail between."""
    w, h, d = request.size.tuple()
    t, e = min(0.03, h * 0.14), min(w, d) * 0.12
    top = fp.blocks([(-w / 2, w / 2, seat - t, seat, -d / 2, d / 2)], 0.008)
    x, z = w / 2 - e, d / 2 - e
    spans: list[fp.Span] = [(s * x - t / 2, s * x + t / 2, 0, seat - t, -z, z) for s in (-1, 1)]
    spans.append((-x, x, seat * 0.45, seat * 0.45 + min(0.05, seat * 0.2), -t / 2, t / 2))
    wood = palette.wood(request.choose((request.palette.wood, "walnut"), salt=2))
    return Model(
        (Part("top", top, wood), Part("legs", fp.boards(spans), wood)),
        (fp.top_surface(w, d, seat),),
    )


# --- Upholstered furniture: sofas, armchairs, ottomans, and a dog's bed. A back is at -z

CLOTH_TILE = 0.14
"""Metres of cloth in one repeat of its weave."""


def _cover(request: AssetRequest) -> Material:
    """Cloth in the room's colour, a second colour, or leather."""
    kind = request.choose(("room", "leather", "second"))
    if kind == "leather":
        return LEATHER[request.choose(("brown", "black", "tan"), salt=5)]
    if kind == "room":
        return palette.cloth(request.palette.fabric)
    return palette.cloth(request.choose(("cream", "grey", "moss", "navy"), salt=6))


def _soft(spans: list[fp.Span], radius: float) -> Mesh:
    """Padded blocks; a few are drawn finer than many."""
    return fp.blocks(spans, radius, steps=2 if len(spans) <= 2 else 1, tile=CLOTH_TILE)


def sofa(request: AssetRequest) -> Model:
    """A sofa of two to four seats; deep ones (over 1.35 m) have a long seat at one end."""
    w, _, d = request.size.tuple()
    if d > 1.35 and w > 1.6:
        return _sectional(request)
    seats = max(2, min(4, round((w - 0.4) / 0.65)))
    return _seating(request, w, d, seats)


def arm_chair(request: AssetRequest) -> Model:
    """An armchair: a club chair, or one with wooden arms and legs."""
    w, h, d = request.size.tuple()
    if request.choose((False, False, True), salt=2) and h < 1.0:
        return _open_armchair(request)
    return _seating(request, w, d, 1)


def _seating(request: AssetRequest, w: float, d: float, seats: int) -> Model:
    """Base, arms, back, seat cushions and back cushions on short feet."""
    h = request.size.y
    seat = fp.level_of(request, min(0.44, 0.50 * h))
    arm = min(0.20, w * 0.17)
    arm_top = min(seat + 0.2, seat + (h - seat) * 0.55)
    back = min(0.20, d * 0.24)
    foot = min(0.08, seat * 0.2)
    cushion = min(0.16, (seat - foot) * 0.5)
    x, z = w / 2, d / 2
    inner = x - arm
    body = _soft(
        [
            (-inner + 0.001, inner - 0.001, foot, seat - cushion, -z + 0.02, z - 0.02),
            (-x, -inner, foot, arm_top, -z + 0.01, z),
            (inner, x, foot, arm_top, -z + 0.01, z),
            (-x + 0.02, x - 0.02, foot, h - 0.03, -z, -z + back),
        ],
        min(0.055, arm * 0.4),
    )
    each = 2 * inner / seats
    soft: list[fp.Span] = []
    rear = -z + back + 0.09
    for k in range(seats):
        x0, x1 = -inner + k * each + 0.004, -inner + (k + 1) * each - 0.004
        soft.append((x0, x1, seat - cushion, seat, -z + back, z - 0.004))
        soft.append((x0 + 0.006, x1 - 0.006, seat - 0.03, h, -z + back - 0.06, rear + 0.02))
    cover = _cover(request)
    legs = _feet(w, d, foot)
    wood = palette.wood(request.palette.wood)
    surface = Surface((-inner + 0.02, rear + 0.03), (inner - 0.02, z - 0.05), seat)
    return Model(
        (
            Part("body", body, cover),
            Part("cushions", _soft(soft, 0.05), cover),
            Part("feet", legs, wood),
        ),
        (surface,),
    )


def _feet(w: float, d: float, high: float) -> Mesh:
    return fp.rods([((x, 0, z), (x, high + 0.01, z), 0.016, 0.026) for x, z in fp.four(w, d, 0.08)])


def _sectional(request: AssetRequest) -> Model:
    """An L: a sofa along the back, a long seat to the front at one end, by variant."""
    w, h, d = request.size.tuple()
    seat = fp.level_of(request, min(0.44, 0.48 * h))
    mirrored = request.choose((True, False), salt=3)
    x, z0, z1, zm = w / 2, -d / 2, d / 2, -d / 2 + min(0.98, d * 0.6)
    long = x - min(0.95, w * 0.38)
    arm, back, foot = -x + 0.2, z0 + 0.22, 0.06
    low = seat - (seat - foot) * 0.45
    arm_top = min(seat + 0.2, seat + (h - seat) * 0.55)
    body: list[fp.Span] = [
        (arm, x - 0.002, foot, low, z0 + 0.02, zm - 0.02),
        (long, x - 0.002, foot, low, zm - 0.05, z1 - 0.015),
        (-x, arm, foot, arm_top, z0 + 0.01, zm),
        (-x + 0.004, x - 0.004, foot, h - 0.03, z0, back),
        (x - 0.18, x, foot, h - 0.04, z0 + 0.01, zm),
    ]
    seats = max(1, round((long - arm) / 0.75))
    limits = [arm + (long - arm) * k / seats for k in range(seats + 1)] + [x - 0.18]
    soft: list[fp.Span] = [(long + 0.004, x - 0.004, low, seat, zm, z1 - 0.002)]
    for a, b in pairwise(limits):
        soft.append((a + 0.004, b - 0.004, low, seat, back, zm - 0.003))
        soft.append((a + 0.01, b - 0.01, seat - 0.03, h, back - 0.06, back + 0.11))
    corners: tuple[Point2, ...] = (
        (-x + 0.08, z0 + 0.08),
        (x - 0.08, z0 + 0.08),
        (x - 0.08, z1 - 0.08),
        (long + 0.08, z1 - 0.08),
        (-x + 0.08, zm - 0.08),
    )
    areas: tuple[tuple[Point2, Point2], ...] = (
        ((arm + 0.02, back + 0.13), (long - 0.02, zm - 0.05)),
        ((long + 0.03, zm + 0.05), (x - 0.05, z1 - 0.05)),
    )
    if mirrored:
        body, soft = _mirrored(body), _mirrored(soft)
        corners = tuple((-a, b) for a, b in corners)
        areas = tuple(((-high[0], low_[1]), (-low_[0], high[1])) for low_, high in areas)
    feet = fp.rods([((a, 0.0, b), (a, foot + 0.01, b), 0.018, 0.028) for a, b in corners])
    cover = _cover(request)
    return Model(
        (
            Part("body", _soft(body, 0.05), cover),
            Part("cushions", _soft(soft, 0.05), cover),
            Part("feet", feet, palette.wood(request.palette.wood)),
        ),
        tuple(Surface(near, far, seat) for near, far in areas),
    )


def _mirrored(spans: list[fp.Span]) -> list[fp.Span]:
    """The boxes with left and right exchanged."""
    return [(-x1, -x0, y0, y1, z0, z1) for x0, x1, y0, y1, z0, z1 in spans]


def _open_armchair(request: AssetRequest) -> Model:
    """A lounge chair: cushions in a wooden frame with open arms."""
    w, h, d = request.size.tuple()
    seat = fp.level_of(request, min(0.42, 0.48 * h))
    x, z, t = w / 2, d / 2, 0.045
    arm = seat + (h - seat) * 0.42
    spans: list[fp.Span] = []
    for s in (-1, 1):
        a, b = sorted((s * x, s * (x - t)))
        spans += [
            (a, b, 0, arm, z - 0.09, z - 0.04),
            (a, b, 0, arm + 0.05, -z + 0.10, -z + 0.15),
            (a, b, seat - 0.17, seat - 0.11, -z + 0.15, z - 0.09),
        ]
        c, e = sorted((s * x, s * (x - 0.075)))
        spans.append((c, e, arm, arm + 0.03, -z + 0.04, z))
    spans += [
        (-x + t, x - t, seat - 0.17, seat - 0.12, z - 0.09, z - 0.05),
        (-x + t, x - t, seat - 0.17, seat - 0.12, -z + 0.11, -z + 0.15),
    ]
    inner = x - t - 0.008
    cushion = _soft([(-inner, inner, seat - 0.13, seat, -z + 0.16, z - 0.02)], 0.05)
    high = h - seat + 0.02
    slab = _soft([(-inner, inner, 0, high - 0.02, -0.065, 0.065)], 0.05)
    back = slab.turned(x=-9.0 if d > 0.6 else -4.0).moved(0, seat - 0.02, -z + 0.19)
    low, _ = back.bounds
    back = back.moved(0, min(0.0, h - float(back.bounds[1][1])), max(0.0, -z - float(low[2])))
    surface = Surface((-inner + 0.03, -z + 0.30), (inner - 0.03, z - 0.07), seat)
    return Model(
        (
            Part("frame", fp.blocks(spans, 0.01), palette.wood(request.palette.wood)),
            Part("cushions", join([cushion, back]), _cover(request)),
        ),
        (surface,),
    )


def ottoman(request: AssetRequest) -> Model:
    """A padded block without a back; on feet, or down to the floor with a seam."""
    w, h, d = request.size.tuple()
    seat = fp.level_of(request, h)
    on_feet = request.choose((True, False), salt=1)
    foot = 0.09 if on_feet else 0.012
    lid = seat - min(0.15, (seat - foot) * 0.4)
    x, z = w / 2, d / 2
    cover = _cover(request)
    pieces = [
        _soft([(-x + 0.008, x - 0.008, foot, lid + 0.01, -z + 0.008, z - 0.008)], 0.025),
        _soft([(-x, x, lid, seat, -z, z)], 0.04),
    ]
    legs = fp.rods([((a, 0, b), (a, foot + 0.01, b), 0.014, 0.024) for a, b in fp.four(w, d, 0.07)])
    return Model(
        (
            Part("cushion", join(pieces), cover),
            Part("feet", legs, palette.wood(request.palette.wood)),
        ),
        (fp.top_surface(w, d, seat, margin=0.045),),
    )


def dog_bed(request: AssetRequest) -> Model:
    """A round or oblong basket of cloth: a thick rim around a flat cushion, lower at the front."""
    w, h, d = request.size.tuple()
    power = 2.0 if abs(w - d) < 0.05 * max(w, d) else 4.0
    floor = min(fp.level_of(request, h * 0.38), h * 0.8)
    rim = fp.tub(
        [
            (0.0, 0.0),
            (0.90, 0.0),
            (0.98, h * 0.2),
            (1.0, h * 0.5),
            (0.96, h * 0.85),
            (0.88, h),
            (0.80, h * 0.9),
            (0.74, h * 0.6),
            (0.72, floor - 0.004),
        ],
        w,
        d,
        power=power,
        sides=32,
    ).mapped(10.0, 2.0)
    inside = fp.tub(
        [(0.76, 0.01), (0.76, floor * 0.6), (0.70, floor * 0.94), (0.62, floor), (0.0, floor)],
        w,
        d,
        power=power,
        sides=32,
        wrap=False,
    ).mapped(3.0, 3.0)
    outer = palette.cloth(request.choose(("slate", "sand", "brick", "moss")))
    inner = palette.cloth("cream")
    surface = Surface((-w * 0.31, -d * 0.31), (w * 0.31, d * 0.31), floor, round=power < 3)
    return Model((Part("rim", rim, outer), Part("cushion", inside, inner)), (surface,))


BUILDERS: dict[str, Builder] = {
    "Chair": chair,
    "Footstool": footstool,
    "Stool": stool,
    "ArmChair": arm_chair,
    "DogBed": dog_bed,
    "Ottoman": ottoman,
    "Sofa": sofa,
}
