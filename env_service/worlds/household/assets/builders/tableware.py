"""Bowls, plates, cups and mugs; knives, forks, spoons, spatulas and ladles."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.fragments import (
    centred,
    scattered,
    vessel_stump,
    wall_pieces,
    wedges,
)
from env_service.worlds.household.assets.lofts import Stance, filling, loft, shell
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Part,
    join,
)
from env_service.worlds.household.assets.shapes import Point2, Point3, lathe, rounded_box, tube
from env_service.worlds.household.assets.vessel import (
    Vessel,
    dirt,
    drips,
    poured,
    puddles,
    stain_on,
)
from env_service.worlds.household.geometry import Vec3


@dataclass(frozen=True)
class Ware:
    """A dish's material and shape.

    Attributes:
        outside, inside: colours.
        shape: a word that the type's builder supports.
        glass: whether it is seen through.
        gloss: of the glaze.
    """

    outside: Color
    inside: Color
    shape: str
    glass: bool = False
    gloss: float = 0.5

    def material(self, *, inside: bool = False, filled: bool = False) -> Material:
        """The wall's material. Glass in front of a liquid shows the liquid's colour more than the
        glass's colour."""
        color = self.inside if inside else self.outside
        if self.glass:
            return Material(color, opacity=0.10 if filled else 0.24, gloss=0.95)
        return Material(color, gloss=self.gloss)


BOWLS = (
    Ware((0.86, 0.86, 0.84), (0.90, 0.90, 0.88), "round"),
    Ware((0.74, 0.87, 0.92), (0.74, 0.87, 0.92), "round", glass=True),
    Ware((0.17, 0.18, 0.21), (0.24, 0.25, 0.29), "square"),
    Ware((0.16, 0.30, 0.48), (0.84, 0.82, 0.75), "flared"),
    Ware((0.70, 0.36, 0.22), (0.86, 0.76, 0.60), "flared"),
)

PLATES = (
    Ware((0.90, 0.90, 0.88), (0.20, 0.34, 0.56), "banded"),
    Ware((0.88, 0.84, 0.74), (0.52, 0.36, 0.22), "banded"),
    Ware((0.92, 0.92, 0.91), (0.92, 0.92, 0.91), "plain"),
    Ware((0.50, 0.62, 0.60), (0.38, 0.49, 0.48), "banded"),
)
"""`inside` is the colour of the rim's band."""

CUPS = (
    Ware((0.80, 0.89, 0.92), (0.80, 0.89, 0.92), "tumbler", glass=True),
    Ware((0.76, 0.16, 0.13), (0.88, 0.84, 0.80), "beaker", gloss=0.3),
    Ware((0.58, 0.76, 0.92), (0.58, 0.76, 0.92), "tumbler", glass=True),
    Ware((0.87, 0.86, 0.82), (0.90, 0.89, 0.86), "tea", gloss=0.55),
    Ware((0.20, 0.50, 0.46), (0.85, 0.86, 0.82), "beaker", gloss=0.4),
)

MUGS = (
    Ware((0.10, 0.11, 0.12), (0.72, 0.72, 0.70), "straight"),
    Ware((0.88, 0.87, 0.84), (0.90, 0.89, 0.87), "barrel"),
    Ware((0.60, 0.17, 0.12), (0.86, 0.82, 0.74), "tapered"),
    Ware((0.16, 0.36, 0.50), (0.84, 0.85, 0.84), "barrel"),
)

OUTLINES: dict[str, tuple[Point2, ...]] = {
    "round": (
        (0.0, 0.05), (0.42, 0.05), (0.44, 0.0), (0.52, 0.0), (0.60, 0.12), (0.78, 0.32),
        (0.91, 0.60), (0.98, 0.90), (0.99, 1.0),
    ),
    "square": (
        (0.0, 0.0), (0.62, 0.0), (0.72, 0.05), (0.79, 0.28), (0.88, 0.62), (0.98, 0.95), (1.0, 1.0),
    ),
    "flared": (
        (0.0, 0.06), (0.34, 0.06), (0.36, 0.0), (0.44, 0.0), (0.47, 0.12), (0.66, 0.34),
        (0.82, 0.62), (0.94, 0.93), (1.0, 1.0),
    ),
    "tumbler": ((0.0, 0.0), (0.74, 0.0), (0.79, 0.03), (0.86, 0.40), (0.98, 0.97), (0.99, 1.0)),
    "beaker": (
        (0.0, 0.0), (0.70, 0.0), (0.74, 0.03), (0.83, 0.50), (0.84, 0.56), (0.95, 0.94),
        (1.0, 0.95), (1.0, 1.0),
    ),
    "tea": (
        (0.0, 0.04), (0.46, 0.04), (0.48, 0.0), (0.56, 0.0), (0.60, 0.08), (0.84, 0.28),
        (0.95, 0.60), (0.97, 0.96), (0.98, 1.0),
    ),
    "straight": ((0.0, 0.0), (0.88, 0.0), (0.97, 0.05), (1.0, 0.14), (1.0, 0.97), (0.985, 1.0)),
    "barrel": (
        (0.0, 0.0), (0.72, 0.0), (0.82, 0.05), (0.96, 0.26), (1.0, 0.50), (0.97, 0.78),
        (0.93, 0.97), (0.92, 1.0),
    ),
    "tapered": ((0.0, 0.0), (0.68, 0.0), (0.76, 0.04), (0.86, 0.45), (0.98, 0.96), (1.0, 1.0)),
}  # fmt: skip
"""Outer profiles as shares of the radius and the height."""


def _vessel(shape: str, radius: float, height: float, wall: float, floor: float) -> Vessel:
    outside = [(r * radius, y * height) for r, y in OUTLINES[shape]]
    vessel = Vessel.hollow(outside, wall, floor)
    return replace(vessel, square=shape == "square")


def _body(request: AssetRequest, vessel: Vessel, ware: Ware) -> list[Part]:
    if ware.glass:
        material = ware.material(filled=request.look.liquid is not None)
        return [Part("body", vessel.whole(), material, casts_shadow=False)]
    return [
        Part("body", vessel.outer(), ware.material()),
        Part("inside", vessel.inner(), ware.material(inside=True)),
    ]


def _broken(request: AssetRequest, vessel: Vessel, ware: Ware, extra: list[Mesh]) -> Model:
    """A stump in a corner of the box, its pieces around it."""
    size, seed = request.size, request.variant
    small = 0.74
    shrunk = replace(
        vessel,
        outside=tuple((r * small, y) for r, y in vessel.outside),
        inside=tuple((r * small, y) for r, y in vessel.inside),
    )
    free = min(size.x, size.z) / 2 * (1 - small)
    rest = vessel_stump(shrunk.at(free, -free), seed, low=0.15, high=0.6)
    pieces = wall_pieces(vessel, seed, count=7, size=min(size.x, size.z) * 0.42)
    floor = Vec3(size.x, min(size.y, 0.05), size.z)
    spread = scattered([*pieces, *extra], floor, seed)
    opacity = 0.42 if ware.glass else 1.0
    material = Material(ware.outside, opacity=opacity, gloss=ware.gloss, two_sided=ware.glass)
    return Model((Part("stump", rest, material), Part("shards", spread, material)))


def _finished(
    request: AssetRequest, vessel: Vessel, ware: Ware, parts: list[Part], stains: list[Part]
) -> Model:
    """The parts with what the look adds: liquid, dirt."""
    liquid = request.look.liquid
    drink = [] if liquid is None else poured(vessel, liquid, clear=ware.glass)
    surface = vessel.surface(inside=True)
    return Model((*parts, *drink, *stains), (surface,))


def bowl(request: AssetRequest) -> Model:
    """A bowl: of china, of glass, rounded square, or of glazed clay."""
    size, ware = request.size, request.choose(BOWLS)
    radius = min(size.x, size.z) / 2
    wall = min(0.005, radius * 0.06)
    vessel = _vessel(ware.shape, radius, size.y, wall, size.y * 0.10)
    if request.look.broken:
        return _broken(request, vessel, ware, [])
    seed = request.variant
    stains: list[Part] = []
    if request.look.dirty:
        food = [
            puddles(vessel, seed, count=9, size=0.36, reach=0.85),
            drips(vessel, seed, inside=True, count=11, reach=0.7, width=radius * 0.08),
        ]
        spilt = drips(vessel, seed, count=6, reach=0.5, width=radius * 0.06)
        stains = _stains(ware, food, [spilt])
    return _finished(request, vessel, ware, _body(request, vessel, ware), stains)


def plate(request: AssetRequest) -> Model:
    """A dinner plate with a raised rim."""
    size, ware = request.size, request.choose(PLATES)
    radius, height = min(size.x, size.z) / 2, size.y
    floor = min(0.006, height * 0.35)
    thick = min(0.004, height * 0.25)
    outside = (
        (0.0, floor * 0.35), (0.52 * radius, floor * 0.35), (0.54 * radius, 0.0),
        (0.60 * radius, 0.0), (0.68 * radius, height * 0.36), (0.99 * radius, height - thick),
        (radius, height - thick / 2),
    )  # fmt: skip
    inside = (
        (0.0, floor), (0.60 * radius, floor), (0.64 * radius, floor + height * 0.06),
        (0.70 * radius, max(height * 0.52, floor + height * 0.1)), (0.985 * radius, height),
    )  # fmt: skip
    vessel = Vessel(outside, inside, sides=32)
    if request.look.broken:
        pieces = join(wedges(vessel, request.variant))
        return Model((Part("shards", pieces, ware.material()),))
    parts = [Part("body", vessel.whole(), ware.material())]
    if ware.shape == "banded":
        rise = (height - inside[3][1]) / (0.285 * radius)
        line = [
            (r * radius, inside[3][1] + (r - 0.70) * radius * rise + 0.0006) for r in (0.96, 0.80)
        ]
        band = lathe(line, sides=32)
        parts.append(Part("band", band, ware.material(inside=True), casts_shadow=False))
    if request.look.dirty:
        blots = puddles(vessel, request.variant, count=9, size=0.30, reach=0.68)
        parts.append(dirt("dirt", [blots], stain_on(ware.outside)))
    return Model(tuple(parts), (vessel.surface(),))


def cup(request: AssetRequest) -> Model:
    """A cup without a handle: a glass, a plastic beaker, a tea bowl."""
    size, ware = request.size, request.choose(CUPS)
    radius = min(size.x, size.z) / 2
    wall = min(0.003, radius * 0.07)
    vessel = _vessel(ware.shape, radius, size.y, wall, min(0.008, size.y * 0.08))
    if request.look.broken:
        return _broken(request, vessel, ware, [])
    return _finished(
        request, vessel, ware, _body(request, vessel, ware), _streaks(request, vessel, ware)
    )


def mug(request: AssetRequest) -> Model:
    """A mug; its handle takes the box's longer side."""
    size, ware = request.size, request.choose(MUGS)
    short, long = sorted((size.x, size.z))
    width = min(short, long * 0.84)
    radius = width / 2
    vessel = _vessel(ware.shape, radius, size.y, min(0.0045, radius * 0.09), size.y * 0.06)
    shift = radius - long / 2
    if request.look.broken:
        loop = _handle(vessel, long - width, size.y, along_x=True).turned(x=90.0)
        return _broken(request, vessel, ware, [centred(loop)])
    vessel = vessel.at(shift, 0.0) if size.x >= size.z else vessel.at(0.0, shift)
    handle = _handle(vessel, long - width, size.y, along_x=size.x >= size.z)
    parts = _body(request, vessel, ware)
    parts.append(Part("handle", handle, ware.material()))
    return _finished(request, vessel, ware, parts, _streaks(request, vessel, ware))


def _streaks(request: AssetRequest, vessel: Vessel, ware: Ware) -> list[Part]:
    """What ran down a drinking vessel's walls."""
    if not request.look.dirty:
        return []
    seed, width = request.variant, vessel.outside[-1][0] * 0.13
    inner = drips(vessel, seed, inside=True, count=8, reach=0.8, width=width)
    return _stains(ware, [inner], [drips(vessel, seed, count=9, reach=0.85, width=width)])


def _stains(ware: Ware, inner: list[Mesh], outer: list[Mesh]) -> list[Part]:
    return [
        dirt("dirt inside", inner, stain_on(ware.inside)),
        dirt("dirt", outer, stain_on(ware.outside)),
    ]


def _handle(vessel: Vessel, room: float, height: float, *, along_x: bool) -> Mesh:
    """A loop from the upper to the lower wall that reaches `room` metres away from it."""
    radius, (x, z) = max(r for r, _ in vessel.outside), vessel.center
    thick = min(0.0055, room * 0.24)
    top, low = height * 0.80, height * 0.24
    tip = radius + room - thick
    wall = vessel.outside[-1][0] - vessel.inside[-1][0]
    path: list[Point3] = []
    for k in range(11):
        angle = math.pi * (0.5 - k / 10)
        up = (top + low) / 2 + (top - low) / 2 * math.sin(angle)
        start = vessel.radius(up) + wall * 0.45
        bend = max(math.cos(angle), 0.0) ** 0.6 if 0 < k < 10 else 0.0
        out = start + (tip - start) * bend
        path.append((x + out, up, z) if along_x else (x, up, z + out))
    return tube(path, thick, sides=8)


# --- Knives, forks, spoons, spatulas and ladles

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
    "Bowl": bowl,
    "Plate": plate,
    "Cup": cup,
    "Mug": mug,
    "Knife": knife,
    "ButterKnife": butter_knife,
    "Fork": fork,
    "Spoon": spoon,
    "Spatula": spatula,
    "Ladle": ladle,
}
