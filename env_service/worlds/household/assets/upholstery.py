"""Upholstered furniture: sofas, armchairs, ottomans, and a dog's bed. A back is at -z.

The detail "level" gives the height of the seat; see `furniture_parts.level_of`.
"""

from __future__ import annotations

from itertools import pairwise

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.leather import LEATHER
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.shapes import Point2

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
    "ArmChair": arm_chair,
    "DogBed": dog_bed,
    "Ottoman": ottoman,
    "Sofa": sofa,
}
