"""The bathtub and, as an object of its own, its basin."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.skins import Array, cap, rounded_rect, skin

ENAMEL = Material((0.91, 0.91, 0.90), gloss=0.55)
BASIN = Material((0.88, 0.89, 0.89), gloss=0.5)
WATER = Material((0.50, 0.70, 0.78), opacity=0.5, gloss=0.9)
FLOOR = 0.004
"""Metres from the underside of a basin's box to its bottom: what lies in a tub, lies there."""

Rect = tuple[float, float, float, float]


def bathtub(request: AssetRequest) -> Model:
    """A tub without its hollow: rim, outside, and the wall of the hole down to the floor.

    Detail "basins" ((x0, z0, x1, z1),): the hollow's rectangle in the asset's frame; without it,
    the hollow keeps 12 % of the tub's narrow side from the edges. Where the rim is broad, it is a
    stone deck over a tiled front, else the tub is of enamel. The rim is a surface on each side
    where it is broader than 5 cm.
    """
    w, h, d = request.size.tuple()
    hole = _hole(request, w, d)
    x0, z0, x1, z1 = hole
    margins = (x0 + w / 2, w / 2 - x1, z0 + d / 2, d / 2 - z1)
    built_in = math.fsum(margins) / 4 > 0.13
    parts = _deck(request, hole) if built_in else _enamel_tub(w, h, d, hole)
    strips = (
        (margins[2], (-w / 2, -d / 2), (w / 2, z0)),
        (margins[3], (-w / 2, z1), (w / 2, d / 2)),
        (margins[0], (-w / 2, z0), (x0, z1)),
        (margins[1], (x1, z0), (w / 2, z1)),
    )
    surfaces = tuple(
        Surface(_inset(low, 0.01), _inset(high, -0.01), h)
        for breadth, low, high in strips
        if breadth >= 0.05
    )
    return Model(parts, surfaces)


def bathtub_basin(request: AssetRequest) -> Model:
    """The hollow of a tub: sloped walls, a flat bottom, a drain and an overflow; with `liquid`,
    water up to two thirds."""
    w, h, d = request.size.tuple()
    rings = _hollow(w, h, d)
    bottom = rings[-1]
    parts = [
        Part("basin", join([skin(rings), cap(bottom)]), BASIN),
        Part("drain", _fittings(w, h, d, rings), palette.metal("chrome")),
    ]
    if request.look.liquid is not None:
        parts.append(Part("water", _water(rings, h * 0.66), WATER, casts_shadow=False))
    low, high = bottom.min(0), bottom.max(0)
    corner = _corner(float(high[0] - low[0]), float(high[2] - low[2])) * (1 - math.sqrt(0.5))
    surface = Surface(
        (float(low[0]) + corner, float(low[2]) + corner),
        (float(high[0]) - corner, float(high[2]) - corner),
        FLOOR,
        inside=True,
    )
    return Model(tuple(parts), (surface,))


def _hole(request: AssetRequest, w: float, d: float) -> Rect:
    """The hollow's rectangle, at least 4 cm from the tub's edges."""
    given = request.detail("basins")
    if isinstance(given, tuple) and given:
        x0, z0, x1, z1 = given[0]
    else:
        margin = 0.12 * min(w, d)
        x0, z0, x1, z1 = margin - w / 2, margin - d / 2, w / 2 - margin, d / 2 - margin
    edge = 0.04
    return (
        max(x0, edge - w / 2),
        max(z0, edge - d / 2),
        min(x1, w / 2 - edge),
        min(z1, d / 2 - edge),
    )


def _corner(width: float, depth: float) -> float:
    """The corner radius of a hollow: the same for the hole in the tub and for the basin."""
    return 0.28 * min(width, depth)


def _ring(hole: Rect, grow: float, y: float) -> Array:
    x0, z0, x1, z1 = hole
    w, d = x1 - x0, z1 - z0
    at = ((x0 + x1) / 2, (z0 + z1) / 2)
    return rounded_rect(w + 2 * grow, d + 2 * grow, _corner(w, d) + grow, y, at=at, steps=6)


def _enamel_tub(w: float, h: float, d: float, hole: Rect) -> tuple[Part, ...]:
    lip = min(0.045, h * 0.12)
    inset = min(0.035, 0.05 * min(w, d))

    def outer(cut: float, y: float, radius: float = 0.07) -> Array:
        return rounded_rect(w - 2 * cut, d - 2 * cut, radius, y, steps=6)

    skirt = skin([outer(inset + 0.015, 0.0), outer(inset, 0.03), outer(inset, h - lip)], low=True)
    edge = 0.012
    rim = skin(
        [
            outer(inset, h - lip),
            outer(0.004, h - lip),
            outer(0.0, h - lip + 0.004),
            outer(0.0, h - edge),
            outer(edge * 0.3, h - edge * 0.3),
            outer(edge, h),
            _ring(hole, edge, h),
            _ring(hole, edge * 0.3 + 0.001, h - edge * 0.4),
            _ring(hole, 0.002, h - edge),
            _ring(hole, 0.002, 0.02),
        ]
    )
    return (Part("tub", join([skirt, rim]), ENAMEL),)


def _deck(request: AssetRequest, hole: Rect) -> tuple[Part, ...]:
    w, h, d = request.size.tuple()
    slab = min(0.04, h * 0.1)

    def outer(cut: float, y: float) -> Array:
        return rounded_rect(w - 2 * cut, d - 2 * cut, 0.008, y, steps=6)

    top = _metres(skin([outer(0.004, h), _ring(hole, 0.012, h)]))
    edge = skin([outer(0.0, h - slab), outer(0.0, h - 0.004), outer(0.004, h)])
    under = skin([outer(0.025, h - slab), outer(0.0, h - slab)])
    wall = skin(
        [
            _ring(hole, 0.012, h + 0.0),
            _ring(hole, 0.009, h + 0.004),
            _ring(hole, 0.003, h + 0.003),
            _ring(hole, 0.002, h - 0.008),
            _ring(hole, 0.002, 0.02),
        ]
    ).moved(y=-0.004)
    body = shapes.box(w - 0.05, h - slab, d - 0.05, tile=0.6)
    return (
        Part("deck", join([top, edge, under]), palette.stone(_deck_stone(request))),
        Part("panel", _open_top(body), _tiles(request.palette.tiles)),
        Part("lip", wall, ENAMEL),
    )


def _deck_stone(request: AssetRequest) -> str:
    names = ("white marble", "brown granite", "grey stone")
    return request.choose(names, 3)


@cache
def _tiles(name: str) -> Material:
    color = palette.PAINTS.get(name, palette.PAINTS["white"])
    grout = (color[0] * 0.72, color[1] * 0.72, color[2] * 0.72)
    return Material((1.0, 1.0, 1.0), textures.tiles(color, grout, seed=4), gloss=0.4)


def _open_top(box: Mesh) -> Mesh:
    """A box without the face on top, which would close the hollow."""
    up = box.normals[box.faces[:, 0], 1] > 0.5
    return Mesh.of(box.points, box.normals, box.uv, box.faces[~up])


def _metres(level: Mesh) -> Mesh:
    """A level mesh with texture coordinates of half a metre per repeat."""
    return Mesh.of(level.points, level.normals, level.points[:, [0, 2]] * 2.0, level.faces)


def _hollow(w: float, h: float, d: float) -> list[Array]:
    """Rings from the rim down to the edge of the flat bottom."""
    slope = min(0.09 * min(w, d), 0.3 * h)
    cuts = ((0.0, h), (0.008, h - 0.02), (0.55, 0.4 * h), (0.8, 0.13 * h), (1.0, 0.045 * h))
    rings = [
        rounded_rect(w, d, _corner(w, d), h, steps=6),
        *(
            rounded_rect(
                w - 2 * slope * s, d - 2 * slope * s, _corner(w, d) * (1 - 0.2 * s), y, steps=6
            )
            for s, y in cuts[1:]
        ),
    ]
    last = 1.22 * slope
    bw, bd = w - 2 * last, d - 2 * last
    return [*rings, rounded_rect(bw, bd, _corner(bw, bd), FLOOR, steps=6)]


def _fittings(w: float, h: float, d: float, rings: list[Array]) -> Mesh:
    """The drain on the bottom and the overflow on the wall above it, at the -x or -z end."""
    reach = float(rings[-1][:, 0 if w >= d else 2].max())
    radius = min(0.035, 0.12 * min(w, d))
    drain = shapes.lathe(
        [(radius, 0.0), (radius * 0.9, 0.003), (radius * 0.55, 0.001), (0.0, 0.002)], sides=16
    )
    place = -(reach - 2.2 * radius)
    at = (place, 0.0) if w >= d else (0.0, place)
    level = 0.72 * h
    wall = _reach_at(rings, level, 0 if w >= d else 2)
    plate = shapes.lathe([(0.034, 0.0), (0.03, 0.008), (0.0, 0.01)], sides=16)
    plate = plate.turned(z=-90.0) if w >= d else plate.turned(x=90.0)
    plate = plate.moved(-wall, level, 0.0) if w >= d else plate.moved(0.0, level, -wall)
    return join([drain.moved(at[0], FLOOR, at[1]), plate])


def _reach_at(rings: list[Array], level: float, axis: int) -> float:
    heights = [float(ring[0, 1]) for ring in rings][::-1]
    reach = [float(ring[:, axis].max()) for ring in rings][::-1]
    return float(np.interp(level, heights, reach))


def _water(rings: list[Array], level: float) -> Mesh:
    """A rippled sheet across the hollow."""
    upper = next(ring for ring in reversed(rings) if ring[0, 1] >= level)
    lower = next(ring for ring in rings if ring[0, 1] < level)
    share = (level - lower[0, 1]) / (upper[0, 1] - lower[0, 1])
    edge = lower + (upper - lower) * share
    edge[:, [0, 2]] *= 0.998
    sheet = []
    for part in (1.0, 0.8, 0.6, 0.4, 0.2, 0.0):
        ring = edge * np.array([part, 1.0, part])
        wave = np.sin(ring[:, 0] * 31.0 + ring[:, 2] * 12.0) + np.sin(ring[:, 2] * 27.0 - part * 9)
        ring[:, 1] += 0.003 * wave * (part < 1.0) * (part > 0.0)
        sheet.append(ring)
    return skin(sheet)


def _inset(point: tuple[float, float], by: float) -> tuple[float, float]:
    return (point[0] + by, point[1] + by)


BUILDERS: dict[str, Builder] = {"Bathtub": bathtub, "BathtubBasin": bathtub_basin}
