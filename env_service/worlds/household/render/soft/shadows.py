"""Shadow maps: what a lamp sees.

A lamp under the ceiling looks straight down through a wide pinhole; the map holds the 1/z of the
nearest surface in each direction. A point is in shadow where something lies nearer to the lamp.
Only faces turned away from the lamp are drawn into the map: a lit surface is then never in it, and
cannot speckle itself with shadow. Points outside of the map are lit.

The edges of shadows are softened over three texels: a sum over 4 x 4 texels with a tent's weights.
As nearly all points are far from any edge, the greatest and the least 1/z of each 4 x 4 block are
kept too, and decide most points with two look-ups.

The map of all fixed nodes is kept. Of the others the fragments are kept by node, and laid over it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.render.scene_graph import Light, Node
from env_service.worlds.household.render.soft.pixel_ops import (
    ONE,
    Floats,
    Longs,
    Three,
    shared,
    take,
    to_float,
    to_long,
)
from env_service.worlds.household.render.soft.projection import View, outlines
from env_service.worlds.household.render.soft.raster import Samples, fragments
from env_service.worlds.household.render.soft.triangles import Block, Triangles, fronts

F4 = np.float32

SIDE = 1024
"""Texels of a map's side."""

WIDTH = 2.747
"""Tangent of half the angle that a lamp looks down through, 140 degrees."""

NEAR = 0.12
"""Metres; a surface nearer to a lamp belongs to the lamp's fixture."""

OFF = F4(0.006)
"""Metres by which a point is moved off its surface before it is looked up."""

CLOSER = F4(1.003)
NINTH = F4(1 / 9)
WIDE = F4(SIDE)
ROW, NEXT = np.int64(SIDE), np.int64(1)
REACH = F4(0.05)
MIDDLE = F4(SIDE / 2 - 0.5)
SCALE = F4(SIDE / 2 / WIDTH)
FIRST, LAST = F4(1), F4(SIDE - 3)

Marks = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Texels, and the bits of the 1/z found there."""


class ShadowMaps(NamedTuple):
    """The maps of S lamps, each SIDE * SIDE texels.

    Attributes:
        x, y, z: float32 [S], the lamps' positions.
        nearest: float32 [S, texels], 1/z.
        most, least: float32 [S, texels], over the block of 4 x 4 texels that starts at each.
    """

    x: Floats
    y: Floats
    z: Floats
    nearest: Floats
    most: Floats
    least: Floats


@dataclass(eq=False)
class _Kept:
    """What is kept of one lamp between frames."""

    light: Light
    fixed: tuple[Node, ...]
    base: NDArray[np.int32]
    moving: dict[Node, Marks]
    nearest: Floats
    most: Floats
    least: Floats


class ShadowCache:
    """Keeps the maps of the lamps in use."""

    def __init__(self) -> None:
        self._kept: list[_Kept] = []
        self._maps: ShadowMaps | None = None

    def update(self, lights: Sequence[Light], triangles: Triangles) -> ShadowMaps:
        """The maps of some lamps, in their order."""
        old = {(kept.light.position, kept.light.reach): kept for kept in self._kept}
        kept = [
            _renewed(light, triangles, old.get((light.position, light.reach))) for light in lights
        ]
        if (
            self._maps is None
            or len(kept) != len(self._kept)
            or any(a is not b for a, b in zip(kept, self._kept, strict=True))
        ):
            self._maps = _together(kept)
        self._kept = kept
        return self._maps


def _together(kept: Sequence[_Kept]) -> ShadowMaps:
    """The maps side by side; what was kept of each becomes a part of that."""
    places = np.array([k.light.position.tuple() for k in kept], F4).reshape(-1, 3).T
    x, y, z = places.copy()
    if not kept:
        none = np.zeros((0, 1), F4)
        return ShadowMaps(x, y, z, none, none, none)
    nearest = np.stack([k.nearest for k in kept])
    most, least = np.stack([k.most for k in kept]), np.stack([k.least for k in kept])
    for k, one in enumerate(kept):
        one.nearest, one.most, one.least = nearest[k], most[k], least[k]
    return ShadowMaps(x, y, z, nearest, most, least)


def _renewed(light: Light, triangles: Triangles, old: _Kept | None) -> _Kept:
    casting = {n: b for n, b in zip(triangles.nodes, triangles.blocks, strict=True) if _casts(n)}
    fixed = tuple(node for node in casting if node.fixed)
    moving = tuple(node for node in casting if not node.fixed)
    known = old.moving if old else {}
    if old and old.fixed == fixed and tuple(known) == moving:
        return old
    if old and old.fixed == fixed:
        base = old.base
    else:
        base = np.zeros(SIDE * SIDE, np.int32)
        for texel, inverse in _drawn(light, [(n, casting[n]) for n in fixed]):
            np.maximum.at(base, texel, inverse)
    new = [node for node in moving if node not in known]
    fresh = dict(zip(new, _drawn(light, [(n, casting[n]) for n in new]), strict=True))
    fragments = {node: known.get(node) or fresh[node] for node in moving}
    merged = base.copy()
    for texel, inverse in fragments.values():
        np.maximum.at(merged, texel, inverse)
    nearest = merged.view(F4)
    grid = nearest.reshape(SIDE, SIDE)
    most, least = _over_blocks(grid, np.maximum), _over_blocks(grid, np.minimum)
    return _Kept(light, fixed, base, fragments, nearest, most.reshape(-1), least.reshape(-1))


def _casts(node: Node) -> bool:
    return node.casts_shadow and node.material.opacity >= 1


def _over_blocks(grid: Floats, best: np.ufunc) -> Floats:
    """The best of the 4 x 4 texels from each one on; the last three rows and columns are unused."""
    found = grid.copy()
    for step in (1, 2):
        best(found[:, :-step], found[:, step:], out=found[:, :-step])
    for step in (1, 2):
        best(found[:-step], found[step:], out=found[:-step])
    return found


def _drawn(light: Light, nodes: Sequence[tuple[Node, Block]]) -> list[Marks]:
    """The fragments of each node in the lamp's map."""
    if not nodes:
        return []
    view = View(
        light.position.tuple(),
        (1.0, 0.0, 0.0),
        (0.0, 0.0, 1.0),
        (0.0, -1.0, 0.0),
        WIDTH,
        WIDTH,
        SIDE,
        SIDE,
        NEAR,
        light.reach,
    )
    counts = np.array([block.count for _, block in nodes])
    both = np.repeat(np.array([node.material.two_sided for node, _ in nodes]), counts)
    plane = np.concatenate([block.plane for _, block in nodes], 1)
    away = np.flatnonzero(~fronts(plane, view.eye) | both)
    points = np.concatenate([block.points for _, block in nodes], 2)[:, :, away]
    owner = np.repeat(np.arange(len(nodes), dtype=np.int32), counts)[away]
    lines = outlines(view, view.local(points), owner)
    order = np.argsort(lines.source, kind="stable")
    lines = lines.part(order)
    parts = list(fragments(lines, Samples(SIDE, SIDE)))
    if not parts:
        return [(np.zeros(0, np.int32), np.zeros(0, np.int32))] * len(nodes)
    texel = np.concatenate([part.sample for part in parts])
    bits = np.concatenate([part.inverse for part in parts]).view(np.int32)
    of = lines.source.take(np.concatenate([part.outline for part in parts]))
    ends = np.searchsorted(of, np.arange(len(nodes) + 1))
    return [(texel[a:b], bits[a:b]) for a, b in pairwise(ends)]


def seen(maps: ShadowMaps, k: int, point: Three, normal: Three) -> Floats:
    """How much of a lamp points see, in [0, 1]."""
    first, fx, fy, inverse, inside = locate((maps.x[k], maps.y[k], maps.z[k]), point, normal)
    base = to_long(first)
    behind = inside & (inverse < take(maps.most[k], base))
    partly = np.flatnonzero(behind & (inverse >= take(maps.least[k], base)))
    lit = ONE - to_float(behind)
    lit[partly] = softened(
        maps.nearest[k], base.take(partly), fx.take(partly), fy.take(partly), inverse.take(partly)
    )
    return lit


@shared
def locate(
    lamp: tuple[np.float32, np.float32, np.float32], point: Three, normal: Three
) -> tuple[Floats, Floats, Floats, Floats, NDArray[np.bool_]]:
    """The places of points in the map of a lamp at a position: the first texel of the block around
    them (a whole number), their place in the block's middle, their 1/z, and whether the whole block
    is in the map; if not, the texel is arbitrary."""
    x: Floats = point[0] + normal[0] * OFF - lamp[0]
    depth: Floats = lamp[1] - point[1] - normal[1] * OFF
    z: Floats = point[2] + normal[2] * OFF - lamp[2]
    below: Floats = np.maximum(depth, REACH)
    inverse = ONE / below
    fx: Floats = x * inverse * SCALE + MIDDLE
    fy: Floats = MIDDLE - z * inverse * SCALE
    inside = (depth > REACH) & (fx > FIRST) & (fy > FIRST) & (fx < LAST) & (fy < LAST)
    fx, fy = np.minimum(np.maximum(fx, FIRST), LAST), np.minimum(np.maximum(fy, FIRST), LAST)
    column: Floats = np.floor(fx)
    row: Floats = np.floor(fy)
    return (row - ONE) * WIDE + column - ONE, fx - column, fy - row, inverse * CLOSER, inside


@shared
def softened(nearest: Floats, base: Longs, fx: Floats, fy: Floats, inverse: Floats) -> Floats:
    """The share of a point's 4 x 4 texels that do not hide the lamp, by a tent's weights."""
    return (
        _row(nearest, base, fx, inverse) * (ONE - fy)
        + _row(nearest, base + ROW, fx, inverse)
        + _row(nearest, base + ROW + ROW, fx, inverse)
        + _row(nearest, base + ROW + ROW + ROW, fx, inverse) * fy
    ) * NINTH


@shared
def _row(nearest: Floats, at: Longs, fx: Floats, inverse: Floats) -> Floats:
    """The same over four texels of a row, three times as large."""
    return (
        to_float(take(nearest, at) <= inverse) * (ONE - fx)
        + to_float(take(nearest, at + NEXT) <= inverse)
        + to_float(take(nearest, at + NEXT + NEXT) <= inverse)
        + to_float(take(nearest, at + NEXT + NEXT + NEXT) <= inverse) * fx
    )
