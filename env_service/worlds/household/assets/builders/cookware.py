"""Pans, pots and kettles; shakers, paper towels, foil and sponges."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets.lofts import Stance, filling, shell
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Liquid,
    Material,
    Mesh,
    Model,
    Motion,
    MotionKind,
    Part,
    Texture,
    join,
)
from env_service.worlds.household.assets.shapes import (
    Point2,
    Point3,
    ball,
    box,
    lathe,
    rounded_box,
    tube,
)
from env_service.worlds.household.assets.textures import between, noise, picture, speckle
from env_service.worlds.household.assets.vessel import (
    LIQUID_COLORS,
    Vessel,
    dirt,
    drips,
    poured,
    puddles,
    stain_on,
)
from env_service.worlds.household.geometry import Vec3


def _turned_steel() -> Texture:
    """Streaks of light and dark up the sides of a round thing, as turned steel mirrors a room; u
    runs once around."""
    around = np.arange(128) / 128 * 2 * math.pi
    broad = 0.13 * np.cos(2 * around + 0.6)
    shade = 0.80 + broad + 0.07 * np.cos(5 * around) + 0.04 * np.cos(9 * around)
    return picture(np.clip(shade, 0.0, 1.0)[None, :, None].repeat(8, 0).repeat(3, 2))


STEEL = Material((0.92, 0.93, 0.94), _turned_steel(), gloss=0.7, metal=0.8)
BRUSHED = Material((0.80, 0.81, 0.82), _turned_steel(), gloss=0.5, metal=0.6)
BLACK_IRON = Material((0.10, 0.10, 0.11), gloss=0.35, metal=0.1)
COATING = Material((0.15, 0.15, 0.16), gloss=0.4)
BAKELITE = Material((0.07, 0.07, 0.07), gloss=0.4)
RED_ENAMEL = Material((0.62, 0.10, 0.08), gloss=0.6)
BLUE_ENAMEL = Material((0.13, 0.27, 0.42), gloss=0.6)
CREAM_ENAMEL = Material((0.85, 0.82, 0.73), gloss=0.5)
BEECH = Material((0.66, 0.46, 0.27), gloss=0.2)


@dataclass(frozen=True)
class Finish:
    """Materials of a piece of cookware: outside, inside, handle."""

    outside: Material
    inside: Material
    handle: Material


PANS = (
    Finish(BLACK_IRON, COATING, BAKELITE),
    Finish(STEEL, BRUSHED, STEEL),
    Finish(RED_ENAMEL, COATING, BAKELITE),
    Finish(BLACK_IRON, BLACK_IRON, BEECH),
)

POTS = (
    Finish(STEEL, BRUSHED, STEEL),
    Finish(RED_ENAMEL, CREAM_ENAMEL, BLACK_IRON),
    Finish(BLUE_ENAMEL, CREAM_ENAMEL, BLUE_ENAMEL),
    Finish(BRUSHED, BRUSHED, BAKELITE),
)

KETTLES = (
    Finish(STEEL, BRUSHED, BAKELITE),
    Finish(RED_ENAMEL, BRUSHED, BAKELITE),
    Finish(CREAM_ENAMEL, BRUSHED, BEECH),
)


@dataclass(frozen=True)
class Layout:
    """The places of a round body and its handles in an oblong box.

    Attributes:
        radius: of the body; center: of the body along the long side; reach: half of the long
            side.
        along_x: whether the box's long side is x.
        single: one long handle; otherwise two loops.
    """

    radius: float
    center: float
    reach: float
    along_x: bool
    single: bool

    @staticmethod
    def of(size: Vec3, single_above: float, least: float) -> Layout:
        """A layout in a box: one handle if the box is longer than wide by a share
        `single_above`; the body takes at most 1 - `least` of the long side."""
        short, long = sorted((size.x, size.z))
        width = min(short, long * (1 - least))
        single = long - width > single_above * width
        center = (width - long) / 2 if single else 0.0
        return Layout(width / 2, center, long / 2, size.x > size.z, single)

    def spot(self, along: float, up: float, across: float) -> Point3:
        """A point by its place along the long side, its height, and across."""
        return (along, up, across) if self.along_x else (across, up, along)

    def turn(self, mesh: Mesh) -> Mesh:
        """A mesh drawn with its long side along z, turned to the box."""
        return mesh.turned(y=90.0) if self.along_x else mesh

    def body(self, vessel: Vessel) -> Vessel:
        """The vessel at its place."""
        x, _, z = self.spot(self.center, 0.0, 0.0)
        return vessel.at(x, z)


def pan(request: AssetRequest) -> Model:
    """A frying pan: one long handle, or two loops where the box has no room for it."""
    size, finish = request.size, request.choose(PANS)
    layout = Layout.of(size, 0.25, 0.06)
    r, wall = layout.radius, 0.003
    deep = min(size.y, max(0.028, r * 0.36))
    outside = (
        (0.0, 0.0), (0.80 * r, 0.0), (0.85 * r, 0.06 * deep), (0.96 * r, 0.75 * deep),
        (0.995 * r, 0.97 * deep), (r, deep),
    )  # fmt: skip
    vessel = layout.body(Vessel.hollow(outside, wall, 0.004, sides=28))
    parts = [
        Part("body", vessel.outer(wrap=True), finish.outside),
        Part("inside", vessel.inner(wrap=True), finish.inside),
    ]
    if layout.single:
        parts += _long_handle(layout, deep, size.y, finish)
    else:
        parts.append(Part("handle", _loops(layout, deep * 0.85, size.y), finish.handle))
    if request.look.dirty:
        seed = request.variant
        grease = [
            puddles(vessel, seed, count=11, size=0.30, reach=0.72),
            drips(vessel, seed, inside=True, count=10, reach=0.8, width=r * 0.06),
        ]
        parts.append(dirt("dirt", grease, stain_on(finish.inside.color)))
        run = drips(vessel, seed, count=5, reach=0.8, width=r * 0.05)
        parts.append(dirt("dirt outside", [run], stain_on(finish.outside.color)))
    return Model(tuple(parts), (vessel.surface(inside=True),))


def _long_handle(layout: Layout, deep: float, top: float, finish: Finish) -> list[Part]:
    """A handle from the wall to the box's far end, rising to the box's top."""
    start = layout.center + layout.radius * 0.94
    length = layout.reach - start
    thick = min(0.011, top * 0.22)
    rise = max(min(top - thick, deep + 0.6 * length), deep * 0.7)
    steps = np.linspace(0, 1, 9)
    swing = deep * 0.66 + (rise - deep * 0.66) * (1 - (1 - steps) ** 2)
    path = [
        layout.spot(start + length * float(s), float(y), 0.0)
        for s, y in zip(steps, swing, strict=True)
    ]
    radii = [thick * f for f in (0.55, 0.6, 0.62, 0.85, 0.95, 1.0, 1.0, 0.98, 0.7)]
    stem, grip = tube(path[:4], radii[:4], sides=8), tube(path[3:], radii[3:], sides=10)
    return [Part("stem", stem, finish.outside), Part("handle", grip, finish.handle)]


def _loops(layout: Layout, height: float, top: float) -> Mesh:
    """Two handles, one at each end of the long side."""
    room = max(layout.reach - layout.radius, 0.0)
    thick = min(0.006, 0.3 * room + 0.002)
    wide = min(0.055, layout.radius * 0.5)
    start = math.sqrt(layout.radius**2 - wide**2) - 0.001
    reach = layout.reach - thick - start
    lift = min(height + 0.01, top - thick)
    loops = []
    for side in (-1.0, 1.0):
        path = []
        for k in range(9):
            angle = math.pi * (k / 8 - 0.5)
            out = start + reach * max(math.cos(angle), 0.0) ** 0.55
            up = height + (lift - height) * max(math.cos(angle), 0.0)
            path.append(layout.spot(side * out, up, wide * math.sin(angle)))
        loops.append(tube(path, thick, sides=8))
    return join(loops)


def pot(request: AssetRequest) -> Model:
    """A cooking pot: two loops, or one long handle where the box is much longer than wide."""
    size, finish = request.size, request.choose(POTS)
    layout = Layout.of(size, 0.45, 0.14)
    r, wall, h = layout.radius, 0.0035, size.y
    high = h if layout.single else h * 0.97
    outside = (
        (0.0, 0.0), (0.86 * r, 0.0), (0.94 * r, 0.03 * high), (0.965 * r, 0.10 * high),
        (0.965 * r, 0.93 * high), (r, 0.965 * high), (r, 0.99 * high), (0.985 * r, high),
    )  # fmt: skip
    inner = r * 0.965 - wall
    inside = ((0.0, 0.005), (inner * 0.92, 0.005), (inner, 0.016), (inner, 0.93 * high),
              (inner + 0.02 * r, high))  # fmt: skip
    vessel = layout.body(Vessel(outside, inside, sides=28))
    parts = [
        Part("body", vessel.outer(wrap=True), finish.outside),
        Part("inside", vessel.inner(wrap=True), finish.inside),
    ]
    if layout.single:
        parts += _long_handle(layout, high * 0.98, h, finish)
    else:
        handle = _loops(replace(layout, radius=r * 0.965), high * 0.78, h * 0.84)
        parts.append(Part("handle", handle, finish.handle))
    if request.look.liquid is not None:
        parts += poured(vessel, request.look.liquid, share=0.82)
    if request.look.dirty:
        parts += _boiled_over(vessel, request.variant, finish)
    return Model(tuple(parts), (vessel.surface(inside=True),))


def _boiled_over(vessel: Vessel, seed: int, finish: Finish) -> list[Part]:
    width = vessel.outside[-1][0] * 0.08
    food = [
        puddles(vessel, seed, count=9, size=0.34, reach=0.8),
        drips(vessel, seed, inside=True, count=11, reach=0.75, width=width),
    ]
    run = drips(vessel, seed, count=10, reach=0.85, width=width)
    return [
        dirt("dirt inside", food, stain_on(finish.inside.color)),
        dirt("dirt", [run], stain_on(finish.outside.color)),
    ]


def kettle(request: AssetRequest) -> Model:
    """A kettle with a spout along the box's longer side, a handle over the top, a lid that opens,
    and a glass gauge on each flank that shows how full it is."""
    size, finish = request.size, request.choose(KETTLES)
    layout = Layout.of(size, 0.01, 0.22)
    # the gauges stand off the flanks
    layout = replace(layout, radius=min(layout.radius, min(size.x, size.z) / 2 - 0.006))
    r, h = layout.radius, size.y * 0.66
    outside = (
        (0.0, 0.0), (0.90 * r, 0.0), (0.98 * r, 0.05 * h), (r, 0.16 * h), (0.96 * r, 0.42 * h),
        (0.84 * r, 0.70 * h), (0.68 * r, 0.90 * h), (0.52 * r, h),
    )  # fmt: skip
    vessel = layout.body(Vessel.hollow(outside, 0.003, 0.006))
    parts = [
        Part("body", vessel.outer(wrap=True), finish.outside),
        Part("inside", vessel.inner(wrap=True), finish.inside),
        Part("spout", _spout(layout, h), finish.outside),
        Part("handle", _bail(layout, h, size.y), finish.handle),
        *_lid(layout, h, size.y, finish),
        *_gauges(layout, outside, request.look.liquid),
    ]
    if request.look.liquid is not None:
        parts += poured(vessel, request.look.liquid, share=0.86)
    return Model(tuple(parts))


def _spout(layout: Layout, h: float) -> Mesh:
    """A beak that rises from the flank to the far end of the long side."""
    r, c = layout.radius, layout.center
    tip = layout.reach - 0.010
    path = [
        layout.spot(c + 0.80 * r, 0.34 * h, 0.0),
        layout.spot(c + 1.02 * r, 0.46 * h, 0.0),
        layout.spot(c + 1.02 * r + 0.45 * (tip - c - r), 0.70 * h, 0.0),
        layout.spot(tip - 0.006, 0.98 * h, 0.0),
        layout.spot(tip, 1.06 * h, 0.0),
    ]
    return tube(path, [0.024, 0.020, 0.015, 0.011, 0.010], sides=10)


def _bail(layout: Layout, h: float, top: float) -> Mesh:
    """The arch over the lid."""
    r, c, thick = layout.radius, layout.center, 0.008
    path = []
    for k in range(11):
        angle = math.pi * k / 10
        out = c - 0.74 * r * math.copysign(abs(math.cos(angle)) ** 0.6, math.cos(angle))
        up = 0.78 * h + (top - thick - 0.78 * h) * math.sin(angle) ** 0.6
        path.append(layout.spot(out, up, 0.0))
    return tube(path, thick, sides=8)


def _lid(layout: Layout, h: float, top: float, finish: Finish) -> list[Part]:
    """The lid with its knob; it turns up about the edge on one flank, clear of the arch."""
    r = 0.535 * layout.radius
    rise = min(0.016, (top - h) * 0.28)
    line = [(0.0, -0.004), (r * 0.9, -0.004), (r, 0.001), (r * 0.98, 0.004), (r * 0.6, rise * 0.7),
            (0.0, rise)]  # fmt: skip
    x, _, z = layout.spot(layout.center, 0.0, 0.0)
    knob = min(0.012, (top - h - rise) * 0.32)
    cover = lathe(line).moved(x, h, z)
    button = ball(knob * 1.1, knob * 0.8, knob * 1.1, sides=12, rings=6)
    pivot = Vec3(*layout.spot(layout.center, h, -r))
    axis = Vec3(1.0, 0.0, 0.0) if layout.along_x else Vec3(0.0, 0.0, 1.0)
    swing = -100.0 if layout.along_x else 100.0
    motion = Motion(MotionKind.HINGE, axis, swing, pivot)
    return [
        Part("lid", cover, finish.outside, motion),
        Part("knob", button.moved(x, h + rise + knob * 0.6, z), finish.handle, motion),
    ]


def _gauges(
    layout: Layout, outside: tuple[tuple[float, float], ...], liquid: Liquid | None
) -> list[Part]:
    """A strip of glass on each flank; it shows the level of the liquid."""
    line = np.array(outside)
    h = float(line[-1, 1])
    low, high = 0.16 * h, 0.72 * h
    bottom, top = (float(np.interp(y, line[1:, 1], line[1:, 0])) for y in (low, high))
    lean = math.degrees(math.atan2(bottom - top, high - low))
    length = math.hypot(bottom - top, high - low)
    x, _, z = layout.spot(layout.center, 0.0, 0.0)
    turn = 0.0 if layout.along_x else 90.0
    strip = rounded_box(0.024, length, 0.010, 0.004, steps=1)
    column = box(0.013, length * 0.82, 0.004, at=(0, length * 0.09, 0.0045))
    frames, fills = (
        [
            mesh.turned(x=-lean)
            .moved(0.0, low, bottom - 0.001)
            .turned(y=turn + side)
            .moved(x, 0.0, z)
            for side in (0.0, 180.0)
        ]
        for mesh in (strip, column)
    )
    empty = Material((0.86, 0.89, 0.90), gloss=0.8)
    full = empty if liquid is None else Material(LIQUID_COLORS[liquid], gloss=0.8)
    return [Part("gauge", join(frames), BAKELITE), Part("gauge glass", join(fills), full)]


# --- Shakers, paper towels, foil and sponges

WHITE = (1.0, 1.0, 1.0)
KITCHEN_SUPPLIES_STEEL = Material((0.78, 0.79, 0.80), gloss=0.7, metal=0.85)
GLASS = Material((0.85, 0.90, 0.92), opacity=0.12, gloss=0.95)
SALT = Material((0.97, 0.97, 0.96), gloss=0.05)
PALE_WOOD = Material((0.80, 0.64, 0.43), gloss=0.3)
DARK_WOOD = Material((0.20, 0.12, 0.08), gloss=0.35)
CARDBOARD = Material((0.66, 0.52, 0.36))
FOIL = Material((0.82, 0.83, 0.85), gloss=0.9, metal=0.75, two_sided=True)


def _shaker(request: AssetRequest, filling_material: Material, wood: Material) -> Model:
    """A glass shaker with a steel cap; a turned mill where the box is tall and narrow."""
    size = request.size
    r, h = min(size.x, size.z) / 2, size.y
    if h > 2.2 * 2 * r:
        return _mill(r, h, wood)
    outside: list[Point2] = [
        (0.0, 0.0), (0.92 * r, 0.0), (r, 0.03 * h), (0.97 * r, 0.30 * h), (0.80 * r, 0.68 * h),
        (0.0, 0.68 * h),
    ]  # fmt: skip
    grains: list[Point2] = [
        (0.0, 0.02 * h), (0.84 * r, 0.02 * h), (0.92 * r, 0.05 * h), (0.90 * r, 0.30 * h),
        (0.83 * r, 0.50 * h), (0.0, 0.52 * h),
    ]  # fmt: skip
    cap: list[Point2] = [
        (0.0, 0.66 * h), (0.84 * r, 0.66 * h), (0.86 * r, 0.70 * h), (0.84 * r, 0.86 * h),
        (0.66 * r, 0.96 * h), (0.36 * r, 0.995 * h), (0.0, h),
    ]  # fmt: skip
    hole = ball(0.07 * r, 0.004, 0.07 * r, sides=6, rings=4, at=(0.34 * r, 0.992 * h - 0.002, 0))
    holes = [hole.turned(y=72.0 * k) for k in range(5)]
    return Model(
        (
            Part("body", lathe(outside, sides=10, crease=10.0), GLASS, casts_shadow=False),
            Part("grains", lathe(grains, sides=16, wrap=True).mapped(3.0, 2.0), filling_material),
            Part("cap", lathe(cap, sides=20), KITCHEN_SUPPLIES_STEEL),
            Part("holes", join(holes), Material((0.05, 0.05, 0.05)), casts_shadow=False),
        )
    )


def _mill(r: float, h: float, wood: Material) -> Model:
    profile: list[Point2] = [
        (0.0, 0.0), (0.96, 0.0), (1.0, 0.02), (1.0, 0.09), (0.82, 0.13), (0.66, 0.24),
        (0.58, 0.40), (0.66, 0.54), (0.84, 0.64), (0.86, 0.68), (0.0, 0.68),
    ]  # fmt: skip
    head: list[Point2] = [
        (0.0, 0.70), (0.84, 0.70), (0.90, 0.74), (0.86, 0.84), (0.62, 0.92), (0.30, 0.945),
        (0.0, 0.95),
    ]  # fmt: skip
    turned = [lathe(line, sides=20).scaled(r, h, r) for line in (profile, head)]
    ring = lathe([(0.0, 0.675), (0.80, 0.675), (0.80, 0.705), (0.0, 0.705)], sides=20)
    knob = ball(0.22 * r, 0.035 * h, 0.22 * r, sides=10, rings=6, at=(0, 0.965 * h, 0))
    return Model(
        (
            Part("body", join(turned), wood),
            Part("metal", join([ring.scaled(r, h, r), knob]), KITCHEN_SUPPLIES_STEEL),
        )
    )


def salt_shaker(request: AssetRequest) -> Model:
    """White salt in glass; as a mill, of pale wood."""
    return _shaker(request, SALT, PALE_WOOD)


def pepper_shaker(request: AssetRequest) -> Model:
    """Dark pepper in glass; as a mill, of dark wood."""
    pepper = speckle((0.07, 0.06, 0.05), (0.30, 0.26, 0.22), seed=3, share=0.12, size=64)
    return _shaker(request, Material(WHITE, pepper), DARK_WOOD)


@lru_cache(maxsize=4)
def _quilt(print_color: Color) -> Texture:
    """Embossed paper with a small print."""
    u, v = np.meshgrid(np.arange(128) / 128, np.arange(128) / 128)
    dots = np.cos(2 * math.pi * u * 12) * np.cos(2 * math.pi * v * 12)
    values = between((0.90, 0.90, 0.89), (0.97, 0.97, 0.96), 0.5 + 0.5 * dots)
    petal = np.cos(2 * math.pi * u * 4) + np.cos(2 * math.pi * v * 4)
    mark = np.clip((petal - 1.62) * 6, 0, 0.8)[..., None]
    return picture(values + (np.array(print_color) - values) * mark)


def paper_towel_roll(request: AssetRequest) -> Model:
    """A roll of kitchen paper on its tube, along the box's longest side; used up, only the bare
    cardboard tube is left."""
    size = request.size
    stance = Stance.of(size)
    r = min(stance.width, stance.thickness) / 2
    length = stance.length
    core = 0.32 * r
    tube_line = [(core - 0.0015, 0.0), (core, 0.0), (core, length), (core - 0.0015, length),
                 (core - 0.0015, 0.0)]  # fmt: skip
    inside = core - 0.0015
    parts: list[tuple[str, Mesh, Material]] = [("tube", lathe(tube_line, sides=20), CARDBOARD)]
    if request.look.used_up:
        wide = 0.55 * r / core
        parts = [("tube", parts[0][1].scaled(wide, 1.0, wide), CARDBOARD)]
    else:
        color = request.choose(((0.45, 0.62, 0.80), (0.55, 0.70, 0.50), (0.85, 0.60, 0.55)))
        edge = 0.003
        line = [(inside + 0.0016, edge), (r * 0.97, edge), (r * 0.985, edge * 1.6),
                (r * 0.985, length - edge * 1.6), (r * 0.97, length - edge),
                (inside + 0.0016, length - edge)]  # fmt: skip
        paper = Material(WHITE, _quilt(color))
        parts.append(("paper", lathe(line, sides=24, wrap=True).mapped(2.0, 3.0), paper))
        parts.append(("sheet", _loose_sheet(r, length, stance), paper))
    if stance.axes[2] == 1:
        return Model(tuple(Part(name, mesh, material) for name, mesh, material in parts))
    named = [
        (name, mesh.turned(x=90.0).moved(0, stance.thickness / 2, -length / 2), material)
        for name, mesh, material in parts
    ]
    return Model(tuple(Part(name, stance.lay(mesh), material) for name, mesh, material in named))


def _loose_sheet(r: float, length: float, stance: Stance) -> Mesh:
    """The end of the paper, standing off a little."""
    t = np.linspace(0, 1, 5)[:, None]
    y = np.array([0.006, length - 0.006])[None]
    away = min(max(stance.width / 2 - r, 0.0), 0.02)
    angle = -0.5 * math.pi + 0.5 * t
    x = (r * 0.99 + away * t) * np.cos(angle) * np.ones_like(y)
    z = (r * 0.99) * np.sin(angle) * np.ones_like(y)
    grid = np.stack([x, y * np.ones_like(t), z], -1)
    inner = grid * np.array([0.985, 1.0, 0.985])
    return shell(grid, inner)


@lru_cache(maxsize=4)
def _carton(base: Color, stripe: Color) -> Texture:
    """A printed carton: a broad stripe with lettering."""
    values = np.ones((32, 128, 3)) * np.array(base)
    values[9:23] = stripe
    generator = np.random.default_rng(17)
    for start in range(16, 108, 9):
        values[12:20, start : start + 3 + int(generator.integers(0, 4))] = (0.95, 0.95, 0.96)
    return picture(values)


def aluminum_foil(request: AssetRequest) -> Model:
    """A roll of foil in its long open carton; the foil comes out over the front edge."""
    size = request.size
    stance = Stance.of(size)
    w, t, length = stance.width, stance.thickness, stance.length
    base, stripe = request.choose((((0.16, 0.32, 0.60), (0.72, 0.12, 0.12)),
                                   ((0.82, 0.83, 0.85), (0.16, 0.35, 0.60))))  # fmt: skip
    wall, high = 0.0018, t * 0.72
    front = box(length, high, wall, at=(0, 0, w / 2 - wall))
    sides = [
        front,
        box(length, high, wall, at=(0, 0, -w / 2 + wall)),
        box(length, wall, w - wall, at=(0, 0, 0)),
        box(wall, high, w - wall, at=(length / 2 - wall, 0, 0)),
        box(wall, high, w - wall, at=(-length / 2 + wall, 0, 0)),
    ]
    r = min(w / 2 - 2 * wall, (t - wall) / 2)
    line = [(0.0, 0.0), (r * 0.35, 0.0), (r, 0.0), (r, 1.0), (r * 0.35, 1.0), (0.0, 1.0)]
    roll = lathe(line, sides=18).scaled(1, length - 6 * wall, 1).turned(z=-90.0)
    roll = roll.moved(-(length - 6 * wall) / 2, wall + r, 0.0)
    steps = np.linspace(0, 1, 9)[:, None]
    y = np.interp(
        steps, [0, 0.4, 0.55, 1], [wall + 2 * r - 0.0005, high + 0.003, high, high * 0.35]
    )
    z = np.interp(steps, [0, 0.4, 0.55, 1], [0.0, w / 2 - 2 * wall, w / 2 - 0.0006, w / 2 - 0.0002])
    x = np.linspace(-length * 0.42, length * 0.42, 9)[None]
    crinkle = 0.0008 * np.sin(x * 190 + steps * 9)
    grid = np.stack([x * np.ones_like(steps), y + np.abs(crinkle), z * np.ones_like(x)], -1)
    flap = shell(grid, grid - np.array([0.0, 0.0006, 0.0004]))
    named = [
        ("carton", join(sides), Material(WHITE, _carton(base, stripe), gloss=0.2)),
        ("roll", join([roll, flap]), FOIL),
    ]
    meshes = filling([mesh.turned(y=90.0) for _, mesh, _ in named], Vec3(w, t, length))
    return Model(
        tuple(
            Part(name, stance.lay(mesh), material)
            for (name, _, material), mesh in zip(named, meshes, strict=True)
        )
    )


@lru_cache(maxsize=4)
def _foam(color: Color, seed: int) -> Texture:
    """A soft surface with pores."""
    dark = (color[0] * 0.72, color[1] * 0.70, color[2] * 0.6)
    pores = np.clip((noise(64, 16, seed, octaves=2) - 0.55) * 4, 0, 1)
    return picture(between(color, dark, pores))


def dish_sponge(request: AssetRequest) -> Model:
    """A sponge: soft foam below, a green scouring pad on top."""
    stance = Stance.of(request.size)
    w, t, length = stance.width, stance.thickness, stance.length
    soft: Color = request.choose(((0.93, 0.80, 0.22), (0.93, 0.80, 0.22), (0.36, 0.62, 0.80)))
    pad: Color = request.choose(((0.06, 0.36, 0.12), (0.10, 0.42, 0.16)), 1)
    foam = rounded_box(w, t * 0.74, length, min(0.004, t * 0.2), tile=0.05)
    top = rounded_box(w, t * 0.30, length, min(0.002, t * 0.1), at=(0, t * 0.70, 0), tile=0.05)
    return Model(
        (
            Part("foam", stance.lay(foam), Material(WHITE, _foam(soft, 5), gloss=0.0)),
            Part("pad", stance.lay(top), Material(WHITE, _foam(pad, 6), gloss=0.0)),
        )
    )


BUILDERS: dict[str, Builder] = {
    "Pan": pan,
    "Pot": pot,
    "Kettle": kettle,
    "SaltShaker": salt_shaker,
    "PepperShaker": pepper_shaker,
    "PaperTowelRoll": paper_towel_roll,
    "AluminumFoil": aluminum_foil,
    "DishSponge": dish_sponge,
}
