"""Television sets, light switches, computers, clocks and watches."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache
from itertools import pairwise

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import painted_textures, palette, shapes
from env_service.worlds.household.assets.lofts import level_disc, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Motion,
    MotionKind,
    Part,
    Texture,
    join,
    sideways,
    yawed,
)
from env_service.worlds.household.assets.painted_textures import Canvas
from env_service.worlds.household.geometry import Vec3

BLACK = Material((0.05, 0.05, 0.055), gloss=0.35)
SILVER = Material((0.70, 0.71, 0.73), gloss=0.5, metal=0.5)
CRACK = Material((0.88, 0.92, 0.96), gloss=0.2, glow=0.25, two_sided=True)


def screen_parts(
    request: AssetRequest,
    picture: Texture,
    width: float,
    height: float,
    *,
    place: Callable[[Mesh], Mesh],
    motion: Motion | None = None,
) -> list[Part]:
    """A screen of that size: dark or showing the picture, cracked if broken. `place` moves what
    was made in the plane z = 0, over y in [0, height], to where the screen is."""
    on = request.look.on and not request.look.broken
    lit = Material((0.95, 0.95, 0.95), picture, gloss=0.15, glow=0.85)
    dark = Material((1.0, 1.0, 1.0), painted_textures.dark_screen(), gloss=0.7)
    parts = [Part("screen", place(shapes.panel(width, height)), lit if on else dark, motion)]
    if request.look.broken:
        thick = round(max(0.0028, min(width, height) * 0.007), 4)
        decal = fp.cracks(round(width, 3), round(height, 3), request.variant % 5, thick=thick)
        parts.append(
            Part("cracks", place(decal.moved(z=0.0008)), CRACK, motion, casts_shadow=False)
        )
    return parts


def television(request: AssetRequest) -> Model:
    """A flat television. On a foot if its box is deeper than 0.12 m, else hanging on the wall
    behind it."""
    w, h, d = request.size.tuple()
    standing = d > 0.12
    picture = request.choose(
        (painted_textures.landscape(3), painted_textures.news(), painted_textures.football())
    )
    frame = request.choose((BLACK, BLACK, SILVER), salt=1)
    bezel, thick = max(0.014, h * 0.02), min(0.05, d * 0.6) if standing else min(d, 0.06)
    foot = min(0.10, h * 0.11) if standing else 0.0
    front = thick / 2 if standing else d / 2
    high = h - foot
    case = fp.blocks([(-w / 2, w / 2, foot, h, front - thick, front - 0.002)], 0.008)
    bulge = fp.blocks(
        [
            (
                -w * 0.3,
                w * 0.3,
                foot + high * 0.08,
                foot + high * 0.6,
                max(front - thick - 0.03, -d / 2),
                front - thick + 0.006,
            )
        ],
        0.01,
    )
    shell = [case, bulge]
    if not standing and d > thick + 0.01:
        shell.append(
            fp.boards([(-w * 0.12, w * 0.12, h * 0.3, h * 0.7, -d / 2, front - thick + 0.005)])
        )
    parts = [Part("case", join(shell), frame)]
    if standing:
        parts.append(Part("foot", _stand(w, foot, d, splayed=frame is SILVER), frame))
    wide, tall = w - 2 * bezel, high - 2.6 * bezel
    parts += screen_parts(
        request,
        picture,
        wide,
        tall,
        place=lambda mesh: mesh.moved(0, foot + 1.6 * bezel, front - 0.0008),
    )
    light = (0.15, 0.85, 0.35) if request.look.on else (0.65, 0.08, 0.06)
    led = fp.boards(
        [(-0.006, 0.006, foot + bezel * 0.6, foot + bezel, front - 0.004, front - 0.001)]
    )
    parts.append(Part("led", led, Material(light, glow=0.9), casts_shadow=False))
    return Model(tuple(parts))


def _stand(w: float, foot: float, d: float, *, splayed: bool) -> Mesh:
    """A plate with a neck, or two splayed feet."""
    if splayed:
        rods: list[fp.Rod] = []
        for s in (-1, 1):
            x = s * w * 0.36
            rods += [
                ((x, foot + 0.01, 0), (x + s * 0.02, 0.008, z), 0.009, 0.008)
                for z in (-d / 2 + 0.01, d / 2 - 0.01)
            ]
        return fp.rods(rods)
    plate = fp.tub(
        [(0.0, 0.0), (1.0, 0.0), (1.0, 0.010), (0.97, 0.016), (0.0, 0.016)],
        min(w * 0.55, 0.7),
        d,
        power=4.0,
    )
    neck = fp.blocks([(-w * 0.07, w * 0.07, 0.014, foot + 0.02, -0.02, 0.015)], 0.008)
    return join([plate, neck])


def light_switch(request: AssetRequest) -> Model:
    """A plate with one to three toggles: up with a lit pilot lamp when on, down when off."""
    w, h, d = request.size.tuple()
    count = max(1, min(4, round(w / 0.075)))
    plate_d = min(0.009, d * 0.45)
    back = -d / 2
    ivory = Material(
        request.choose(((0.90, 0.89, 0.85), (0.82, 0.76, 0.64), (0.93, 0.93, 0.94))), gloss=0.3
    )
    metal = Material((0.72, 0.73, 0.75), gloss=0.6, metal=0.6)
    plate = fp.blocks([(-w / 2, w / 2, 0, h, back, back + plate_d)], 0.004)
    on = request.look.on
    reach = d - plate_d
    tilt = -28.0 if on else 28.0
    levers, wells, pilots, screws = [], [], [], []
    for k in range(count):
        x = (k - (count - 1) / 2) * w / count
        half = min(0.016, w / count * 0.24)
        front = back + plate_d
        wells.append((x - half, x + half, h * 0.28, h * 0.72, front - 0.001, front + 0.0008))
        length = min(reach / math.cos(math.radians(28.0)) * 0.88, h * 0.3)
        lever = fp.blocks([(-half * 0.62, half * 0.62, -0.008, 0.008, 0, length)], 0.004)
        levers.append(lever.turned(x=tilt).moved(x, h / 2, front - 0.002))
        level = h * 0.84
        pilots.append(
            (x - 0.006, x + 0.006, level - 0.004, level + 0.004, front - 0.001, front + 0.0015)
        )
        screws += [
            ((x, y, front - 0.001), (x, y, front + 0.001), 0.004, 0.004)
            for y in (h * 0.12, h * 0.93)
        ]
    glow = Material((1.0, 0.55, 0.12), glow=1.0) if on else Material((0.25, 0.16, 0.10), gloss=0.4)
    return Model(
        (
            Part("plate", plate, ivory),
            Part("wells", fp.boards(wells), Material((0.30, 0.29, 0.27))),
            Part("levers", join(levers), ivory),
            Part("pilots", fp.boards(pilots), glow, casts_shadow=False),
            Part("screws", fp.rods(screws), metal),
        )
    )


# --- Computers: a desktop computer, a laptop

LID = 0.009
"""Thickness of a laptop's lid, metres."""


def desktop(request: AssetRequest) -> Model:
    """A computer: a monitor, its tower next to it at +x, keyboard and mouse in front."""
    w, h, d = request.size.tuple()
    tower_w = min(0.19, w * 0.24)
    wide = w - tower_w - 0.04
    left = -w / 2 + wide / 2
    tall = min(h * 0.80, wide * 0.68)
    foot, back = h - tall, -d / 2 + 0.07
    monitor = fp.blocks(
        [
            (left - wide / 2, left + wide / 2, foot, h, back - 0.04, back),
            (left - 0.03, left + 0.03, 0.01, foot + 0.1, back - 0.065, back - 0.035),
            (left - 0.12, left + 0.12, 0, 0.014, -d / 2, -d / 2 + min(0.17, d * 0.7)),
        ],
        0.008,
    )
    bezel = 0.016
    picture = painted_textures.desktop_screen(request.variant % 3)
    parts = [
        Part("monitor", monitor, BLACK),
        *_tower(request, w / 2 - tower_w, w / 2),
        *_keyboard(left, d),
        *screen_parts(
            request,
            picture,
            wide - 2 * bezel,
            tall - 2 * bezel,
            place=lambda mesh: mesh.moved(left, foot + bezel, back + 0.001),
        ),
    ]
    return Model(tuple(parts))


def _tower(request: AssetRequest, x0: float, x1: float) -> tuple[Part, Part]:
    """The case between two x, and its button, lit when the computer is on."""
    d, top = request.size.z, min(request.size.y * 0.82, 0.48)
    case = fp.blocks([(x0, x1, 0, top, -d / 2, d / 2 - 0.012)], 0.012)
    x = (x0 + x1) / 2
    button = fp.boards(
        [(x - 0.014, x + 0.014, top - 0.07, top - 0.042, d / 2 - 0.013, d / 2 - 0.009)]
    )
    lamp = Material((0.2, 0.75, 1.0), glow=0.9) if request.look.on else Material((0.06, 0.07, 0.08))
    return (
        Part("tower", case, request.choose((BLACK, SILVER), salt=1)),
        Part("button", button, lamp, casts_shadow=False),
    )


def _keyboard(x: float, d: float) -> tuple[Part, Part]:
    """Keyboard and mouse at the front of a box of depth d, about an x."""
    deep, front = min(0.13, d * 0.45), d / 2 - 0.004
    board = fp.blocks([(x - 0.2, x + 0.14, 0, 0.018, front - deep, front)], 0.006)
    mouse = shapes.ball(0.028, 0.018, 0.042, sides=10, rings=6, at=(x + 0.2, 0.017, d / 2 - 0.06))
    keys = fp.boards([(x - 0.19, x + 0.13, 0.0175, 0.020, front - deep + 0.008, front - 0.01)])
    return (
        Part("keyboard", join([board, mouse]), BLACK),
        Part("keys", _from_above(keys), Material((1.0, 1.0, 1.0), _keys(), gloss=0.1)),
    )


def _from_above(mesh: Mesh) -> Mesh:
    """Texture coordinates once over the mesh seen from above, its front at v = 0."""
    p = mesh.points.astype(np.float64)
    low, high = p.min(0), p.max(0)
    share = (p - low) / np.maximum(high - low, 1e-9)
    # in this left-handed frame +x is on the left of who sits at the front
    return Mesh.of(p, mesh.normals, np.stack([1 - share[:, 0], 1 - share[:, 2]], 1), mesh.faces)


@lru_cache(maxsize=2)
def _keys() -> Texture:
    """A keyboard: rows of dark keys, a space bar in the nearest row."""
    canvas = painted_textures.ImageCanvas(128, 64, (0.30, 0.31, 0.33))
    rows, columns = 5, 14
    x, y = canvas.u * columns, canvas.v * rows
    shift = np.floor(y) * 0.25
    across, up = (x + shift) % 1.0, y % 1.0
    key = (across > 0.12) & (across < 0.92) & (up > 0.14) & (up < 0.88)
    canvas.paint(key, (0.07, 0.07, 0.08))
    canvas.paint(canvas.rect(0.30, 0.70, 0.03, 0.17), (0.07, 0.07, 0.08))
    mark = (across > 0.4) & (across < 0.6) & (up > 0.4) & (up < 0.65) & (y > 1)
    canvas.paint(mark * 0.7, (0.8, 0.8, 0.8))
    return canvas.texture()


def laptop(request: AssetRequest) -> Model:
    """A laptop, drawn open as AI2-THOR's start; the lid folds down onto the keys."""
    w, h, d = request.size.tuple()
    base_h = min(0.018, h * 0.08)
    rise = h - base_h - 0.003
    # base and lid are equally long, so that they meet, and together reach from front to back
    reach = d - LID
    long = min((rise * rise + reach * reach) / (2 * reach), reach)
    lean = math.degrees(math.asin(max(0.0, min(1.0, reach / long - 1))))
    hinge = Vec3(0, base_h + 0.002, d / 2 - long)
    shell = request.choose((SILVER, Material((0.16, 0.17, 0.19), gloss=0.4, metal=0.2), BLACK))
    base = fp.blocks([(-w / 2, w / 2, 0, base_h, hinge.z, d / 2)], 0.005)
    level = (base_h - 0.002, base_h + 0.0008)
    keys = fp.boards([(-w * 0.43, w * 0.43, *level, hinge.z + long * 0.08, hinge.z + long * 0.62)])
    pad = fp.boards([(-w * 0.14, w * 0.14, *level, hinge.z + long * 0.67, hinge.z + long * 0.95)])
    lid_high = min(long, rise / max(math.cos(math.radians(lean)), 0.2)) - 0.002
    return Model(
        (
            Part("base", base, shell),
            Part("keys", _from_above(keys), Material((1.0, 1.0, 1.0), _keys(), gloss=0.1)),
            Part("pad", pad, Material((0.42, 0.43, 0.45), gloss=0.4)),
            *_lid(request, shell, hinge, lean, lid_high),
        )
    )


def _lid(
    request: AssetRequest, shell: Material, hinge: Vec3, lean: float, high: float
) -> tuple[Part, ...]:
    """The lid with its screen, leant back by `lean` degrees; it closes about its hinge."""
    w = request.size.x
    motion = Motion(MotionKind.HINGE, Vec3(1, 0, 0), -(90.0 + lean), hinge, at_rest=1.0)

    def place(mesh: Mesh) -> Mesh:
        return mesh.turned(x=-lean).moved(*hinge.tuple())

    bezel = w * 0.03
    lid = fp.blocks([(-w / 2, w / 2, 0, high, -LID, 0.0)], 0.004)
    rim = fp.boards([(-w / 2 + 0.004, w / 2 - 0.004, 0.008, high - 0.004, -0.001, 0.0006)])
    drawn = screen_parts(
        request,
        painted_textures.desktop_screen(request.variant % 3),
        w - 2 * bezel,
        high - 2 * bezel - 0.01,
        place=lambda mesh: place(mesh.moved(0, bezel + 0.01, 0.0012)),
        motion=motion,
    )
    return (
        Part("lid", place(lid), shell, motion),
        Part("bezel", place(rim), BLACK, motion),
        *drawn,
    )


# --- Clocks to stand on a table and watches

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


BUILDERS: dict[str, Builder] = {
    "LightSwitch": light_switch,
    "Television": television,
    "Desktop": desktop,
    "Laptop": laptop,
    "AlarmClock": alarm_clock,
    "Watch": watch,
}
