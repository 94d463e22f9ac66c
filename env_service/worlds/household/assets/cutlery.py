"""Knives, forks, spoons, and what stirs, turns and ladles.

All are drawn in the standard pose of `lofts`: the handle towards -z, the working end towards +z.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.lofts import Stance, filling, loft, shell
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.shapes import rounded_box
from env_service.worlds.household.geometry import Vec3

Array = NDArray[np.float64]
Line = Sequence[tuple[float, float]]
"""(share of the length, value) pairs; what lies between is blended smoothly."""

STEEL = Material((0.76, 0.77, 0.79), gloss=0.8, metal=0.8)
BLADE = Material((0.80, 0.81, 0.82), gloss=0.8, metal=0.65)
SILVER = Material((0.78, 0.78, 0.76), gloss=0.8, metal=0.75)
YELLOW = Material((0.80, 0.62, 0.16), gloss=0.3)
BLACK = Material((0.06, 0.06, 0.06), gloss=0.35)
WALNUT = Material((0.33, 0.19, 0.10), gloss=0.25)
BEECH = Material((0.70, 0.50, 0.30), gloss=0.2)
BRICK = Material((0.52, 0.22, 0.15), gloss=0.25)
TEAL = Material((0.12, 0.42, 0.42), gloss=0.25)


def _smooth(line: Line, at: Array) -> Array:
    """Values of a line at shares of the length, eased between its corners."""
    places, values = (np.array(column) for column in zip(*line, strict=True))
    k = np.clip(np.searchsorted(places, at, side="right") - 1, 0, len(places) - 2)
    part = np.clip((at - places[k]) / (places[k + 1] - places[k]), 0, 1)
    eased = part * part * (3 - 2 * part)
    return np.asarray(values[k] + (values[k + 1] - values[k]) * eased, np.float64)


def bar(
    start: float,
    end: float,
    width: Line,
    thickness: Line,
    rise: Line,
    *,
    across: Line = ((0.0, 0.0), (1.0, 0.0)),
    steps: int = 12,
    corners: int = 10,
) -> Mesh:
    """A bar along z with an oval section that changes: half widths, half thicknesses, heights and
    sideways shifts of its middle, by the share of the way from `start` to `end`."""
    share = np.linspace(0, 1, steps)
    turn = np.linspace(0, 2 * math.pi, corners, endpoint=False)
    c, s = np.cos(turn), np.sin(turn)
    c, s = np.sign(c) * np.abs(c) ** 0.7, np.sign(s) * np.abs(s) ** 0.7
    x = _smooth(across, share)[:, None] + _smooth(width, share)[:, None] * c
    y = _smooth(rise, share)[:, None] + _smooth(thickness, share)[:, None] * s
    z = np.broadcast_to((start + (end - start) * share)[:, None], x.shape)
    return loft(np.stack([x, y, z], -1))


def _blade(spine: Line, edge: Line, span: tuple[float, float], *, thick: float, y: float) -> Mesh:
    """A blade along z, from and to the ends of `span`: x of its spine and its edge; as thick as
    said at the spine, sharp at the edge."""
    start, end = span
    share = np.linspace(0, 1, 14)
    across = np.array([0.0, 0.55, 1.0])
    back, front = _smooth(spine, share)[:, None], _smooth(edge, share)[:, None]
    x = back + (front - back) * across
    half = np.broadcast_to(thick / 2 * np.array([1.0, 0.8, 0.06]), x.shape)
    z = np.broadcast_to((start + (end - start) * share)[:, None], x.shape)
    return shell(np.stack([x, y + half, z], -1), np.stack([x, y - half, z], -1))


def _dish(
    length: float, width: float, depth: float, rim: float, z: float, *, deep: int = 2
) -> Mesh:
    """A hollow oval that opens upwards, its rim at height `rim`, its middle at `z`."""
    share = np.array([0.0, 0.3, 0.55, 0.75, 0.9, 1.0])[:, None]
    turn = np.linspace(0, 2 * math.pi, 20, endpoint=False)
    # egg-shaped: fuller towards the handle
    x = width / 2 * share * np.sin(turn) * (1 - 0.10 * np.cos(turn))
    along = z + length / 2 * share * np.cos(turn)
    low = rim - depth * (1 - share**deep)
    bottom = np.stack([x, np.broadcast_to(low, x.shape), along], -1)
    wall = np.array([0.0, 0.0016, 0.0])
    inside = np.array([0.96, 1.0, 1.0])
    top = bottom * inside + wall
    return shell(bottom, top, wrap=True)


def _laid(request: AssetRequest, named: list[tuple[str, list[Mesh], Material]]) -> Model:
    """Meshes of the standard pose, drawn for a box of width, thickness and length, as parts."""
    stance = Stance.of(request.size)
    box = Vec3(stance.width, min(stance.thickness, stance.length * 0.25), stance.length)
    joined = filling([join(meshes) for _, meshes, _ in named], box)
    return Model(
        tuple(
            Part(name, stance.lay(mesh), material)
            for (name, _, material), mesh in zip(named, joined, strict=True)
        )
    )


def knife(request: AssetRequest) -> Model:
    """A cook's knife: a broad pointed blade, a riveted handle."""
    material = request.choose((YELLOW, BLACK, WALNUT))
    tip = request.choose(("cook", "santoku"), 3)
    spine: Line = ((0, 0.016), (0.55, 0.016), (1.0, 0.004 if tip == "cook" else -0.010))
    edge: Line = ((0, -0.022), (0.08, -0.0235), (0.62, -0.019), (0.9, -0.007), (1.0, 0.002))
    if tip == "santoku":
        spine = ((0, 0.016), (0.70, 0.016), (0.92, 0.006), (1.0, -0.014))
        edge = ((0, -0.022), (0.8, -0.022), (1.0, -0.018))
    blade = _blade(spine, edge, (-0.030, 0.165), thick=0.0035, y=0.007)
    handle = bar(
        -0.165, -0.028,
        ((0, 0.006), (0.08, 0.013), (0.3, 0.0125), (0.6, 0.010), (0.9, 0.012), (1, 0.010)),
        ((0, 0.004), (0.08, 0.007), (0.9, 0.007), (1, 0.005)),
        ((0, 0.007), (1, 0.007)),
        across=((0, -0.004), (0.15, 0.0), (1, 0.005)),
    )  # fmt: skip
    rivet = rounded_box(0.006, 0.0148, 0.006, 0.0025, at=(0.002, -0.0004, 0.0), steps=1)
    rivets = [rivet.moved(z=z) for z in (-0.135, -0.095, -0.055)]
    return _laid(
        request,
        [("blade", [blade], BLADE), ("handle", [handle], material), ("rivets", rivets, STEEL)],
    )


def butter_knife(request: AssetRequest) -> Model:
    """A table knife: a long rounded blade, all of one metal."""
    spine: Line = ((0, 0.0055), (0.2, 0.0085), (0.85, 0.0085), (1, 0.002))
    edge: Line = ((0, -0.0055), (0.25, -0.0095), (0.8, -0.0105), (0.94, -0.008), (1, 0.0))
    blade = _blade(spine, edge, (0.0, 0.134), thick=0.0022, y=0.0036)
    handle = bar(
        -0.134, 0.004,
        ((0, 0.004), (0.05, 0.0095), (0.3, 0.0085), (0.85, 0.0055), (1, 0.0055)),
        ((0, 0.002), (0.1, 0.0036), (0.9, 0.003), (1, 0.0018)),
        ((0, 0.0036), (1, 0.0036)),
    )  # fmt: skip
    return _laid(request, [("knife", [blade, handle], request.choose((SILVER, STEEL)))])


def fork(request: AssetRequest) -> Model:
    """A table fork with four tines."""
    steel: Line = ((0, 0.0011), (0.5, 0.0014), (1, 0.0011))
    handle = bar(
        -0.124, 0.066,
        ((0, 0.004), (0.06, 0.0095), (0.25, 0.008), (0.75, 0.0036), (0.9, 0.008), (1, 0.0150)),
        steel,
        ((0, 0.004), (0.5, 0.013), (0.8, 0.011), (1, 0.0022)),
        steps=16,
    )  # fmt: skip
    tine = bar(
        0.058, 0.124,
        ((0, 0.0030), (0.7, 0.0022), (1, 0.0010)), ((0, 0.0012), (0.8, 0.0011), (1, 0.0006)),
        ((0, 0.0026), (0.35, 0.0026), (1, 0.0205)),
        steps=7, corners=6,
    )  # fmt: skip
    tines = [tine.moved(x) for x in (-0.0135, -0.0045, 0.0045, 0.0135)]
    return _laid(request, [("fork", [handle, *tines], request.choose((SILVER, STEEL)))])


def spoon(request: AssetRequest) -> Model:
    """A table spoon."""
    bowl = _dish(0.066, 0.041, 0.0105, 0.0125, 0.0705)
    handle = bar(
        -0.1035, 0.044,
        ((0, 0.004), (0.07, 0.0100), (0.3, 0.0075), (0.8, 0.0034), (1, 0.0060)),
        ((0, 0.0011), (0.6, 0.0017), (1, 0.0011)),
        ((0, 0.004), (0.5, 0.0165), (0.85, 0.0165), (1, 0.0125)),
        steps=16,
    )  # fmt: skip
    return _laid(request, [("spoon", [bowl, handle], request.choose((SILVER, STEEL)))])


def spatula(request: AssetRequest) -> Model:
    """A turner: a slotted blade, a long handle that rises from it."""
    head, grip = request.choose(((BRICK, BLACK), (BLACK, STEEL), (TEAL, BEECH), (STEEL, BLACK)))
    rib = bar(
        0.050, 0.142,
        ((0, 0.0056), (1, 0.0056)), ((0, 0.0014), (1, 0.0009)), ((0, 0.0034), (1, 0.0012)),
        steps=3, corners=6,
    )  # fmt: skip
    ribs = [rib.moved(x) for x in (-0.026, -0.0087, 0.0087, 0.026)]
    low = rounded_box(0.0632, 0.0030, 0.016, 0.0014, at=(0, 0.0018, 0.050), steps=1)
    lip = rounded_box(0.064, 0.0022, 0.016, 0.001, at=(0, 0.0002, 0.141), steps=1)
    neck = bar(
        -0.03, 0.050,
        ((0, 0.0045), (0.7, 0.0045), (1, 0.016)), ((0, 0.0026), (0.7, 0.0022), (1, 0.0014)),
        ((0, 0.0125), (0.5, 0.0112), (1, 0.0034)),
        steps=8,
    )  # fmt: skip
    handle = bar(
        -0.149, -0.025,
        ((0, 0.006), (0.06, 0.0105), (0.5, 0.0085), (0.9, 0.0095), (1, 0.006)),
        ((0, 0.003), (0.06, 0.0048), (0.9, 0.0048), (1, 0.003)),
        ((0, 0.0122), (1, 0.0125)),
    )  # fmt: skip
    named = [("head", [*ribs, low, lip, neck], head), ("handle", [handle], grip)]
    return _laid(request, named)


def ladle(request: AssetRequest) -> Model:
    """A soup ladle: a deep round bowl, a long handle that ends in a hook."""
    head, grip = request.choose(((STEEL, STEEL), (STEEL, BLACK), (BEECH, BEECH)))
    bowl = _dish(0.090, 0.090, 0.036, 0.0375, 0.0885, deep=2)
    stem = bar(
        -0.070, 0.052,
        ((0, 0.0055), (0.8, 0.0055), (1, 0.010)), ((0, 0.0022), (1, 0.0016)),
        ((0, 0.0545), (0.75, 0.050), (1, 0.034)),
    )  # fmt: skip
    handle = bar(
        -0.1335, -0.062,
        ((0, 0.006), (0.15, 0.010), (0.8, 0.008), (1, 0.0055)),
        ((0, 0.002), (0.2, 0.0042), (0.8, 0.004), (1, 0.0024)),
        ((0, 0.047), (0.12, 0.0525), (0.4, 0.0545), (1, 0.0545)),
    )  # fmt: skip
    return _laid(request, [("bowl", [bowl, stem], head), ("handle", [handle], grip)])


BUILDERS: dict[str, Builder] = {
    "Knife": knife,
    "ButterKnife": butter_knife,
    "Fork": fork,
    "Spoon": spoon,
    "Spatula": spatula,
    "Ladle": ladle,
}
