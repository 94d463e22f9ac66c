"""Clocks to stand on a table and watches."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import numpy as np

from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.bearing import sideways, yawed
from env_service.worlds.household.assets.canvas import Canvas
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.skins import level_disc, skin

BODIES: tuple[Color, ...] = (
    (0.72, 0.14, 0.13),
    (0.13, 0.42, 0.52),
    (0.12, 0.12, 0.13),
    (0.90, 0.74, 0.28),
    (0.86, 0.85, 0.82),
    (0.35, 0.55, 0.38),
)


def alarm_clock(request: AssetRequest) -> Model:
    """A digital clock in broad boxes; else one with two bells, or a rounded block with a dial."""
    w, h, d = request.size.tuple()
    if d > 1.25 * w:
        return yawed(alarm_clock(sideways(request)))
    color = request.choose(BODIES, 1)
    if w > 1.35 * h:
        return _digital(w, h, d, color, request.choose((0, 1, 2)))
    if request.variant % 2 == 0:
        return _two_bells(w, h, d, color)
    return _block(w, h, d, color)


def _two_bells(w: float, h: float, d: float, color: Color) -> Model:
    r = min(0.48 * w, 0.37 * h)
    half = min(0.4 * d, 0.55 * r)
    center = 0.1 * h + 0.96 * r
    case = [
        (0.0, -half), (0.9 * r, -half), (r, -0.72 * half), (r, 0.8 * half), (0.97 * r, half),
        (0.87 * r, half), (0.85 * r, 0.8 * half),
    ]  # fmt: skip
    bell_r = min(0.36 * r, w / 2 - 0.5 * r)
    bell_y = 0.95 * h - 0.75 * bell_r
    bells, metal = [], [_clapper(r, h, center)]
    for side in (-1, 1):
        x = side * min(0.58 * r, w / 2 - bell_r)
        bells.append(_bell(bell_r).turned(z=-24.0 * side).moved(x, bell_y, 0))
        stem = [(0.86 * x, center + 0.7 * r, 0.0), (x, bell_y + 0.2 * bell_r, 0.0)]
        leg = [(0.45 * r * side, 0.19 * h, 0.0), (0.68 * r * side, 0.003, 0.1 * d)]
        metal += [shapes.tube(stem, 0.006, sides=6), shapes.tube(leg, [0.009, 0.006])]
    glass = Material((0.9, 0.95, 1.0), opacity=0.12, gloss=0.9)
    return Model(
        (
            Part("case", _front_lathe(case, center), Material(color, gloss=0.5)),
            Part("bells", join(bells), palette.metal("brass")),
            Part("metal", join(metal), palette.metal("steel")),
            Part("dial", _dial_disc(0.86 * r, center, 0.82 * half), dial_face(0)),
            Part("glass", _dial_disc(0.86 * r, center, 0.94 * half), glass, casts_shadow=False),
        )
    )


def _bell(r: float) -> Mesh:
    outside = shapes.lathe(
        [(r, 0.0), (0.92 * r, 0.4 * r), (0.6 * r, 0.72 * r), (0.0, 0.85 * r)], sides=16
    )
    inside = shapes.lathe([(0.0, 0.02 * r), (r, 0.0)], sides=16).flipped()
    return join([outside, inside])


def _clapper(r: float, h: float, center: float) -> Mesh:
    """The hammer between the bells, and the handle above it."""
    arc = [
        (0.48 * r * math.cos(t), h * (0.94 + 0.05 * math.sin(t)), 0.0)
        for t in np.linspace(0, math.pi, 9)
    ]
    return join(
        [
            shapes.tube([(0, center + 0.9 * r, 0), (0, 0.955 * h, 0)], 0.005, sides=6),
            shapes.ball(0.012, 0.014, 0.012, sides=10, rings=6, at=(0, 0.94 * h, 0)),
            shapes.tube(arc, 0.0045, sides=6),
        ]
    )


def _block(w: float, h: float, d: float, color: Color) -> Model:
    body = shapes.rounded_box(
        w, h * 0.97, d * 0.96, min(w, h) * 0.16, at=(0, 0, -0.02 * d), steps=3
    )
    r = min(w, h) * 0.40
    center = h * 0.5
    rim = _front_lathe(
        [(r, d * 0.40), (r, d * 0.5), (r * 0.93, d * 0.5), (r * 0.9, d * 0.465)], center
    )
    dial = _dial_disc(0.92 * r, center, d * 0.466)
    button = shapes.rounded_box(
        w * 0.3, 0.05 * h, d * 0.3, 0.006, at=(0, h * 0.95, -0.02 * d), steps=1
    )
    return Model(
        (
            Part("case", body, Material(color, gloss=0.4)),
            Part("rim", join([rim, button]), palette.metal("chrome")),
            Part("dial", dial, dial_face(1)),
        )
    )


def _digital(w: float, h: float, d: float, color: Color, style: int) -> Model:
    body = shapes.rounded_box(w, h, d * 0.96, min(h, d) * 0.18, at=(0, 0, -0.02 * d), steps=2)
    bezel = shapes.rounded_box(
        w * 0.88, h * 0.66, d * 0.1, 0.006, at=(0, h * 0.17, d * 0.44), steps=1
    )
    screen = shapes.panel(w * 0.82, h * 0.56, at=(0, h * 0.22, d * 0.4906))
    button = shapes.rounded_box(
        w * 0.4, 0.04 * h, d * 0.3, 0.004, at=(0, h * 0.965, -0.05 * d), steps=1
    )
    button = button.scaled(1.0, 0.85, 1.0).moved(y=h * 0.14)
    lit: tuple[Color, str] = (
        ((1.0, 0.20, 0.12), "7:15"),
        ((0.25, 1.0, 0.45), "8:30"),
        ((0.35, 0.75, 1.0), "6:45"),
    )[style]
    return Model(
        (
            Part(
                "case",
                body,
                Material(color if math.fsum(color) < 1.8 else (0.15, 0.15, 0.16), gloss=0.4),
            ),
            Part("bezel", bezel, Material((0.05, 0.05, 0.06), gloss=0.6)),
            Part("screen", screen, _digits(lit[1], lit[0]), casts_shadow=False),
            Part("button", button, Material((0.70, 0.70, 0.72), gloss=0.4)),
        )
    )


@cache
def _digits(text: str, color: Color) -> Material:
    board = Canvas((0.03, 0.03, 0.04), 128, 64)
    board.digits(text, (0.17, 0.17), (0.15, 0.62), color)
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.4, glow=0.8)


@cache
def dial_face(style: int) -> Material:
    """A clock face at ten past ten: white with black marks, or pale with bold dots."""
    board = Canvas((0.95, 0.94, 0.90) if style == 0 else (0.93, 0.95, 0.96), 128)
    ink: Color = (0.08, 0.08, 0.10)
    if style == 0:
        for minute in range(60):
            board.hand(minute * 6.0, (0.44, 0.46), 0.007, ink)
    for hour in range(12):
        if style == 0:
            board.hand(hour * 30.0, (0.36, 0.46), 0.028 if hour % 3 == 0 else 0.02, ink)
        else:
            turn = math.radians(hour * 30.0)
            size = 0.035 if hour % 3 == 0 else 0.02
            u, v = (round(0.5 + 0.4 * way, 9) for way in (math.sin(turn), math.cos(turn)))
            board.disc(u, v, size, ink)
    red: Color = (0.82, 0.12, 0.10)
    board.hand(305.0, (0.0, 0.22), 0.05, ink).hand(60.0, (0.0, 0.34), 0.036, ink)
    board.hand(180.0, (0.0, 0.36), 0.014, red).disc(0.5, 0.5, 0.035, red)
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.1)


def _front_lathe(profile: list[tuple[float, float]], center: float) -> Mesh:
    """A lathe about z; the profile's heights run to the front."""
    return shapes.lathe(profile, sides=28).turned(x=90).moved(0, center, 0)


def _dial_disc(radius: float, center: float, z: float) -> Mesh:
    return level_disc(radius, 0.0, sides=28).turned(x=90).moved(0, center, z)


def watch(request: AssetRequest) -> Model:
    """A wrist watch lying as a closed loop, its dial on top."""
    w, h, d = request.size.tuple()
    if d > w:
        return yawed(watch(sideways(request)))
    leather: Color = request.choose(((0.36, 0.20, 0.11), (0.10, 0.10, 0.11), (0.15, 0.25, 0.42)))
    metal = request.choose((palette.metal("chrome"), palette.metal("brass")), 1)
    r, tall = min(0.48 * d, 0.27 * w), 0.22 * h
    band = min(0.42 * d, 1.2 * r)
    thick = min(0.0028, 0.09 * h)
    top = h - 0.55 * tall
    low = top - thick
    case = shapes.lathe(
        [(0.0, low), (0.94 * r, low), (r, low + 0.4 * tall), (0.96 * r, h - 0.0006),
         (0.84 * r, h - 0.0002), (0.82 * r, h - 0.002), (0.0, h - 0.002)],
        sides=26,
    )  # fmt: skip
    level = low + 0.45 * tall
    crown = shapes.tube([(0, level, 0.96 * r), (0, level, min(r + 0.003, d / 2))], 0.0022)
    lugs = [
        shapes.rounded_box(0.004, 0.5 * tall, 1.08 * band, 0.0015, at=(x, low, 0), steps=1)
        for x in (-0.98 * r, 0.98 * r)
    ]
    dial = level_disc(0.82 * r, h - 0.0014, sides=26)
    return Model(
        (
            Part("strap", _strap(w, top, band, thick), Material(leather, gloss=0.2)),
            Part("case", join([case, crown, *lugs]), metal),
            Part("dial", dial, dial_face(request.choose((0, 1), 2)), casts_shadow=False),
        )
    )


def _strap(w: float, h: float, band: float, thick: float) -> Mesh:
    """A closed band: a flattened oval seen from the front, its round sides left and right; the
    four faces are smooth around and sharp to each other."""
    turns = np.linspace(0, 2 * math.pi, 28, endpoint=False)
    cosine, sine = np.cos(turns), np.sin(turns)
    rings = []
    half = band / 2
    for cut, z in ((thick, -half), (0.0, -half), (0.0, half), (thick, half), (thick, -half)):
        x = (w / 2 - cut) * np.sign(cosine) * np.abs(cosine) ** 0.8
        y = h / 2 + (h / 2 - cut) * np.sign(sine) * np.abs(sine) ** 0.7
        rings.append(np.stack([x, y, np.full(len(x), z)], 1))
    whole = join([skin([first, second]) for first, second in pairwise(rings)])
    return whole if shapes.volume(whole) >= 0 else whole.flipped()


BUILDERS: dict[str, Builder] = {"AlarmClock": alarm_clock, "Watch": watch}
