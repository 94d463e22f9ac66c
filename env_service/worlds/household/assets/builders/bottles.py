"""Bottles for drinks, soap and sprays."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets.fragments import scattered, vessel_stump, wall_pieces
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Liquid,
    Material,
    Mesh,
    Model,
    Part,
    Texture,
    join,
)
from env_service.worlds.household.assets.shapes import Point2, lathe, prism, tube
from env_service.worlds.household.assets.textures import picture
from env_service.worlds.household.assets.vessel import Vessel, poured
from env_service.worlds.household.geometry import Vec3

BOTTLE: tuple[Point2, ...] = (
    (0.0, 0.0), (0.90, 0.0), (0.98, 0.015), (1.0, 0.04), (1.0, 0.52), (0.96, 0.58), (0.80, 0.66),
    (0.56, 0.74), (0.38, 0.80), (0.32, 0.86), (0.31, 0.955), (0.36, 0.96), (0.36, 0.995),
    (0.33, 1.0),
)  # fmt: skip
WINE_BOTTLE: tuple[Point2, ...] = (
    (0.0, 0.0), (0.90, 0.0), (0.98, 0.012), (1.0, 0.03), (1.0, 0.575), (0.96, 0.62), (0.80, 0.67),
    (0.55, 0.72), (0.41, 0.765), (0.37, 0.82), (0.36, 0.945), (0.40, 0.95), (0.40, 0.985),
    (0.37, 1.0),
)  # fmt: skip
"""Outer profiles as shares of the radius and the height."""

CLEAR_GLASS = Material((0.78, 0.88, 0.84), opacity=0.20, gloss=0.95)
GREEN_GLASS = Material((0.30, 0.55, 0.34), opacity=0.34, gloss=0.95)
BROWN_GLASS = Material((0.45, 0.26, 0.10), opacity=0.40, gloss=0.95)
DARK_GREEN = Material((0.07, 0.20, 0.10), opacity=0.60, gloss=0.95)
DARK_BROWN = Material((0.16, 0.10, 0.05), opacity=0.62, gloss=0.95)
CORK = Material((0.62, 0.44, 0.28))
SILVER_CAP = Material((0.70, 0.70, 0.72), gloss=0.6, metal=0.6)
CLARET_FOIL = Material((0.38, 0.05, 0.09), gloss=0.6)
GOLD_FOIL = Material((0.66, 0.52, 0.22), gloss=0.7, metal=0.4)


@lru_cache(maxsize=16)
def label(ground: Color, band: Color, ink: Color) -> Texture:
    """A printed label, once around the bottle: a coloured field with lines of print, front and
    back."""
    values = np.ones((64, 128, 3)) * np.array(ground)
    values[:9], values[55:] = band, band
    for middle in (32, 96):
        values[36:50, middle - 12 : middle + 12] = band
        values[39:47, middle - 7 : middle + 7] = ground
        for row, half in ((15, 14), (20, 10), (25, 13), (30, 8)):
            values[row : row + 2, middle - half : middle + half] = ink
    return picture(values)


def _glass(profile: tuple[Point2, ...], size: Vec3, wall: float) -> Vessel:
    radius = min(size.x, size.z) / 2
    outside = [(r * radius, y * size.y) for r, y in profile]
    return Vessel.hollow(outside, wall, size.y * 0.03)


def _wrapped(vessel: Vessel, low: float, high: float, lift: float = 0.0007) -> Mesh:
    """A sleeve around the outside between two heights."""
    line = np.array(vessel.outside[1:])
    inner = [(r, y) for r, y in vessel.outside[1:] if low < y < high]
    ends = [(float(np.interp(y, line[:, 1], line[:, 0])), y) for y in (low, high)]
    ring = [(r + lift, y) for r, y in (ends[0], *inner, ends[1])]
    return vessel.place(lathe(ring, sides=vessel.sides, wrap=True))


def _seen_through(glass: Material, request: AssetRequest) -> Material:
    """Glass in front of a liquid shows the liquid's colour more than the glass's colour."""
    if request.look.liquid is None:
        return glass
    return replace(glass, opacity=glass.opacity * 0.6)


def _smashed(request: AssetRequest, vessel: Vessel, glass: Material) -> Model:
    """The lower half with a jagged edge, its pieces around it."""
    size, seed = request.size, request.variant
    small = 0.74
    lower = Vessel(
        tuple((r * small, y) for r, y in vessel.outside if y < size.y * 0.75),
        tuple((r * small, y) for r, y in vessel.inside if y < size.y * 0.75),
    )
    free = min(size.x, size.z) / 2 * (1 - small)
    rest = vessel_stump(lower.at(free, -free), seed, low=0.12, high=0.6)
    belly = replace(
        vessel,
        outside=tuple(p for p in vessel.outside if p[1] < size.y * 0.6),
        inside=tuple(p for p in vessel.inside if p[1] < size.y * 0.6),
    )
    reach = min(size.x, size.z)
    pieces = wall_pieces(belly, seed, count=8, size=reach * 0.5)
    spread = scattered(pieces, Vec3(size.x, min(size.y, 0.06), size.z), seed)
    sheer = replace(glass, opacity=max(glass.opacity, 0.45), two_sided=True)
    return Model((Part("stump", rest, sheer), Part("shards", spread, sheer)))


def bottle(request: AssetRequest) -> Model:
    """A glass bottle with a label and a metal cap."""
    size = request.size
    glass = request.choose((CLEAR_GLASS, GREEN_GLASS, BROWN_GLASS))
    vessel = _glass(BOTTLE, size, 0.003)
    if request.look.broken:
        return _smashed(request, vessel, glass)
    paper = label(*request.choose((
        ((0.92, 0.90, 0.82), (0.15, 0.35, 0.55), (0.2, 0.2, 0.2)),
        ((0.90, 0.86, 0.70), (0.60, 0.16, 0.12), (0.25, 0.2, 0.15)),
    ), 1))  # fmt: skip
    neck = min(size.x, size.z) / 2 * 0.40
    cap = lathe([(0.0, 0.945), (0.9, 0.945), (1.0, 0.95), (1.0, 0.992), (0.9, 1.0), (0.0, 1.0)])
    parts = [
        Part("body", vessel.whole(), _seen_through(glass, request), casts_shadow=False),
        Part("label", _wrapped(vessel, size.y * 0.20, size.y * 0.44),
             Material((1.0, 1.0, 1.0), paper, gloss=0.15)),
        Part("cap", cap.scaled(neck, size.y, neck), SILVER_CAP),
    ]  # fmt: skip
    if request.look.liquid is not None:
        parts += poured(vessel, request.look.liquid, share=0.72, clear=True)
    return Model(tuple(parts))


def wine_bottle(request: AssetRequest) -> Model:
    """A wine bottle of dark glass, with a pale label and foil at the neck. Its wine shines red
    through the glass."""
    size = request.size
    glass, foil = request.choose(((DARK_GREEN, CLARET_FOIL), (DARK_BROWN, GOLD_FOIL)))
    vessel = _glass(WINE_BOTTLE, size, 0.003)
    if request.look.broken:
        return _smashed(request, vessel, glass)
    ink = (0.25, 0.10, 0.10)
    paper = label((0.90, 0.87, 0.78), (0.74, 0.66, 0.48), ink)
    parts = [
        Part("body", vessel.whole(), _seen_through(glass, request), casts_shadow=False),
        Part("label", _wrapped(vessel, size.y * 0.16, size.y * 0.42),
             Material((1.0, 1.0, 1.0), paper, gloss=0.1)),
        Part("foil", _wrapped(vessel, size.y * 0.83, size.y * 0.999), foil),
        Part("cork", _stopper(vessel, size.y), CORK),
    ]  # fmt: skip
    if request.look.liquid is not None:
        parts += _shining(vessel, request.look.liquid)
    return Model(tuple(parts))


def _stopper(vessel: Vessel, height: float) -> Mesh:
    radius = vessel.inside[-1][0] + 0.001
    return lathe([(0.0, height * 0.9), (radius, height * 0.9), (radius, height * 0.994),
                  (0.0, height * 0.994)], sides=12)  # fmt: skip


def _shining(vessel: Vessel, liquid: Liquid) -> list[Part]:
    """The filling of a dark bottle; a little glow makes its colour show through the glass."""
    glow = {Liquid.WINE: (0.75, 0.04, 0.10), Liquid.WATER: (0.45, 0.75, 0.95)}
    color = glow.get(liquid, (0.30, 0.15, 0.06))
    return [
        replace(part, material=Material(color, gloss=0.5, glow=0.5))
        for part in poured(vessel, liquid, share=0.74, clear=True)
    ]


@dataclass(frozen=True)
class Soap:
    """A soap dispenser: its bottle, its soap, its pump."""

    shell: Color
    soap: Color
    pump: Color
    paper: tuple[Color, Color, Color]


SOAPS = (
    Soap((0.90, 0.93, 0.94), (0.25, 0.62, 0.36), (0.92, 0.92, 0.92),
         ((0.93, 0.95, 0.90), (0.15, 0.45, 0.25), (0.1, 0.3, 0.2))),
    Soap((0.93, 0.90, 0.88), (0.90, 0.55, 0.25), (0.15, 0.15, 0.16),
         ((0.97, 0.93, 0.85), (0.85, 0.40, 0.15), (0.4, 0.2, 0.1))),
    Soap((0.90, 0.92, 0.95), (0.30, 0.50, 0.85), (0.75, 0.76, 0.78),
         ((0.92, 0.95, 0.98), (0.20, 0.35, 0.65), (0.1, 0.2, 0.4))),
)  # fmt: skip


def _oval(size: Vec3, longest: float) -> tuple[float, float]:
    """Half widths along x and z of an oval in a box, at most `longest` times as long as wide."""
    short = min(size.x, size.z)
    return min(size.x, short * longest) / 2, min(size.z, short * longest) / 2


def soap_bottle(request: AssetRequest) -> Model:
    """A soap dispenser with a pump; used up, it is empty and clear."""
    size, soap = request.size, request.choose(SOAPS)
    half_x, half_z = _oval(size, 1.45)
    h = size.y * 0.70
    unit: list[Point2] = [
        (0.0, 0.0), (0.86, 0.0), (0.97, 0.02), (1.0, 0.07), (1.0, 0.78), (0.94, 0.88),
        (0.72, 0.96), (0.42, 1.0), (0.0, 1.0),
    ]  # fmt: skip
    body = lathe([(r, y * h) for r, y in unit], sides=24).scaled(half_x, 1.0, half_z)
    parts = [Part("body", body, Material(soap.shell, opacity=0.25, gloss=0.7), casts_shadow=False)]
    if not request.look.used_up:
        inner = [(max(r - 0.05, 0.0), y * h * 0.97 + 0.001) for r, y in unit if y < 0.75]
        level = h * 0.76
        mass = lathe([*inner, (0.95, level), (0.0, level)], sides=24).scaled(half_x, 1.0, half_z)
        parts.append(Part("soap", mass, Material(soap.soap, gloss=0.3, glow=0.15)))
    paper = Material((1.0, 1.0, 1.0), label(*soap.paper), gloss=0.2)
    sleeve = lathe([(1.012, h * 0.22), (1.012, h * 0.60)], sides=24, wrap=True)
    parts.append(Part("label", sleeve.scaled(half_x, 1.0, half_z), paper))
    parts.append(Part("pump", _pump(size, h, min(half_x, half_z)), Material(soap.pump, gloss=0.4)))
    return Model(tuple(parts))


def _pump(size: Vec3, h: float, radius: float) -> Mesh:
    """A collar, a stem and a nozzle that points along the box's longer side."""
    r, top = radius, size.y
    collar = lathe([(0.0, h - 0.001), (0.42 * r, h - 0.001), (0.44 * r, h + 0.08 * top),
                    (0.30 * r, h + 0.10 * top), (0.12 * r, h + 0.105 * top),
                    (0.12 * r, top * 0.93), (0.0, top * 0.93)], sides=14)  # fmt: skip
    thick = min(0.006, top * 0.03)
    reach = max(size.x, size.z) / 2 - thick * 0.3
    tip = reach - thick * 0.6
    along = [
        (-0.38 * r, top - thick),
        (0.3 * r, top - thick),
        (reach * 0.8, top - thick),
        (tip, top - thick * 1.6),
        (tip, top - thick * 4),
    ]
    along_x = size.x >= size.z
    path = [(s, y, 0.0) if along_x else (0.0, y, s) for s, y in along]
    return join([collar, tube(path, [thick * 1.0, thick, thick * 0.85, thick * 0.7, thick * 0.6])])


Piece = tuple[str, Mesh, Material]

SPRAYS: tuple[tuple[Color, Color, Color], ...] = (
    ((0.20, 0.45, 0.80), (0.90, 0.90, 0.90), (0.85, 0.20, 0.15)),
    ((0.30, 0.65, 0.35), (0.92, 0.92, 0.90), (0.95, 0.95, 0.95)),
    ((0.95, 0.70, 0.20), (0.25, 0.25, 0.27), (0.90, 0.35, 0.10)),
    ((0.55, 0.30, 0.65), (0.90, 0.90, 0.92), (0.30, 0.30, 0.32)),
)
"""Of the fluid, the label, the trigger."""


def spray_bottle(request: AssetRequest) -> Model:
    """A spray bottle: a flask, a head whose nozzle points along the box's longer side, a trigger
    under it. Used up, it is empty and clear."""
    size = request.size
    fluid, ground, trigger = request.choose(SPRAYS)
    along_x = size.x > size.z
    wide, long = sorted((size.x, size.z))
    body_long = min(long * 0.72, wide * 2.6)
    back = (body_long - long) / 2
    h = size.y * 0.70
    unit: list[Point2] = [
        (0.0, 0.0), (0.88, 0.0), (0.97, 0.02), (1.0, 0.06), (1.0, 0.50), (0.88, 0.62),
        (0.56, 0.80), (0.40, 0.90), (0.38, 1.0), (0.0, 1.0),
    ]  # fmt: skip
    squeeze = (wide / 2, 1.0, body_long / 2)
    flask = lathe([(r, y * h) for r, y in unit]).scaled(*squeeze).moved(0, 0, back)
    plastic = Material((0.88, 0.92, 0.95), opacity=0.25, gloss=0.7)
    parts: list[Piece] = [("body", flask, plastic)]
    if not request.look.used_up:
        inner = [(max(r - 0.07, 0.0), y * h + 0.001) for r, y in unit if y < 0.55]
        level = lathe([*inner, (0.80, h * 0.62), (0.0, h * 0.62)])
        liquid = Material(fluid, gloss=0.3, glow=0.15)
        parts.append(("fluid", level.scaled(*squeeze).moved(0, 0, back), liquid))
    sleeve = lathe([(1.02, h * 0.14), (1.02, h * 0.46)], wrap=True)
    paper = label(ground, fluid, (0.2, 0.2, 0.25))
    parts.append(
        ("label", sleeve.scaled(*squeeze).moved(0, 0, back), Material((1.0, 1.0, 1.0), paper))
    )
    parts += _sprayer(size, h, back, trigger)
    turn = 90.0 if along_x else 0.0
    return Model(tuple(Part(name, mesh.turned(y=turn), material) for name, mesh, material in parts))


def _sprayer(size: Vec3, h: float, back: float, trigger: Color) -> list[Piece]:
    """The head on a flask of height `h` with its axis at z = `back`; it points along z."""
    wide, long = sorted((size.x, size.z))
    top, front = size.y, long / 2
    head_w = min(wide * 0.9, 0.026)
    collar = lathe([(0.0, h * 0.97), (wide * 0.30, h * 0.97), (wide * 0.30, h * 1.10),
                    (0.0, h * 1.10)], sides=16).moved(0, 0, back)  # fmt: skip
    low, tail, nose_z = h * 1.08, max(back - 0.026, -front), front - 0.014
    tall = top - low
    outline = [
        (tail, low + 0.45 * tall), (back - 0.012, low), (back + 0.012, low),
        (back + 0.016, low + 0.30 * tall), (nose_z, low + 0.42 * tall), (nose_z, top - 0.10 * tall),
        (nose_z - 0.008, top), (back - 0.004, top), (tail + 0.006, top - 0.18 * tall),
    ]  # fmt: skip
    flat = prism(outline, head_w)
    head = Mesh.of(flat.points[:, [1, 2, 0]], flat.normals[:, [1, 2, 0]], flat.uv, flat.faces)
    head = head.moved(-head_w / 2)
    nose = tube([(0, top * 0.93, front - 0.016), (0, top * 0.93, front - 0.001)], head_w * 0.36)
    pull = tube(
        [(0, h * 1.12, front - 0.030), (0, h * 1.02, front - 0.022), (0, h * 0.90, front - 0.028),
         (0, h * 0.80, front - 0.024)], [0.005, 0.0055, 0.0055, 0.004],
    )  # fmt: skip
    white = Material((0.92, 0.92, 0.92), gloss=0.3)
    bright = Material(trigger, gloss=0.35)
    return [("head", join([collar, head]), white), ("trigger", join([nose, pull]), bright)]


BUILDERS: dict[str, Builder] = {
    "Bottle": bottle,
    "WineBottle": wine_bottle,
    "SoapBottle": soap_bottle,
    "SprayBottle": spray_bottle,
}
