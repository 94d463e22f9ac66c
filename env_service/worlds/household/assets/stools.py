"""Stools and footstools.

The detail "level" gives the height of the seat; see `furniture_parts.level_of`.
"""

from __future__ import annotations

import math

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.leather import LEATHER
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part

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


BUILDERS: dict[str, Builder] = {"Footstool": footstool, "Stool": stool}
