"""Pans, pots and kettles."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from env_service.worlds.household.assets.material import Material, Texture
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Liquid,
    Model,
    Motion,
    MotionKind,
    Part,
)
from env_service.worlds.household.assets.shapes import Point3, ball, box, lathe, rounded_box, tube
from env_service.worlds.household.assets.stains import dirt, drips, puddles, stain_on
from env_service.worlds.household.assets.textures import picture
from env_service.worlds.household.assets.vessel import LIQUID_COLORS, Vessel, poured
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
    """Where a round body and its handles lie in an oblong box.

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
    """A strip of glass on each flank; the liquid stands in it."""
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


BUILDERS: dict[str, Builder] = {"Pan": pan, "Pot": pot, "Kettle": kettle}
