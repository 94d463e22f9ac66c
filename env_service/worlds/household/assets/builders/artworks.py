"""Paintings and posters on walls, and statues."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache, lru_cache

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import painted_textures, palette, shapes, textures
from env_service.worlds.household.assets.fragments import shards
from env_service.worlds.household.assets.lofts import ellipse, path, rounded_rect, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Part,
    Texture,
    join,
)
from env_service.worlds.household.assets.painted_textures import ImageCanvas

SIDE = 128
"""Pixels of a picture's side."""


@lru_cache(maxsize=8)
def _seascape(seed: int) -> Texture:
    """A sailing boat on a choppy sea at sunset."""
    canvas = ImageCanvas(SIDE, SIDE, (0.9, 0.7, 0.5))
    canvas.fade((0.98, 0.72, 0.42), (0.36, 0.52, 0.72), 0.38)
    canvas.paint(canvas.disc(0.3, 0.47, 0.1), (1.0, 0.90, 0.62))
    canvas.fade((0.05, 0.22, 0.33), (0.30, 0.52, 0.60), 0.0, 0.4)
    waves = np.sin(canvas.v * 90 + 2.2 * np.sin(canvas.u * 19 + seed)) > 0.55
    canvas.paint(waves * (canvas.v < 0.4) * 0.35, (0.85, 0.90, 0.88))
    hull = (
        (np.abs(canvas.u - 0.62) < 0.13 - (0.38 - canvas.v) * 0.8)
        & (canvas.v > 0.30)
        & (canvas.v < 0.36)
    )
    canvas.paint(hull, (0.35, 0.14, 0.10))
    sail = (canvas.v > 0.38) & (canvas.v < 0.86)
    for side, reach, color in ((1, 0.17, (0.96, 0.94, 0.88)), (-1, 0.11, (0.86, 0.30, 0.22))):
        part = (canvas.u - 0.62) * side
        canvas.paint((sail & (part > 0.005) & (part < reach * (0.86 - canvas.v) / 0.48)), color)
    return _canvas_grain(canvas)


@lru_cache(maxsize=8)
def _still_life(seed: int) -> Texture:
    """Flowers in a vase on a table."""
    canvas = ImageCanvas(SIDE, SIDE, (0.30, 0.34, 0.30))
    canvas.fade((0.36, 0.30, 0.22), (0.20, 0.25, 0.26))
    canvas.paint(canvas.rect(0, 1, 0, 0.24), (0.46, 0.28, 0.15))
    canvas.paint(canvas.disc(0.5, 0.28, 0.13, 0.17), (0.22, 0.42, 0.60))
    canvas.paint(canvas.rect(0.44, 0.56, 0.38, 0.50), (0.22, 0.42, 0.60))
    canvas.paint(canvas.disc(0.46, 0.32, 0.02, 0.08), (0.70, 0.82, 0.92))
    generator = np.random.default_rng(seed + 3)
    colors: tuple[Color, ...] = (
        (0.90, 0.32, 0.28),
        (0.95, 0.76, 0.30),
        (0.93, 0.88, 0.86),
        (0.78, 0.42, 0.62),
    )
    for k in range(26):
        angle, far = k * 2.4, 0.05 + 0.23 * math.sqrt(k / 26)
        x, y = 0.5 + far * math.cos(angle), 0.66 + 0.8 * far * math.sin(angle)
        if k % 3 == 0:
            canvas.paint(canvas.disc(x, y, 0.08, 0.045), (0.20, 0.40, 0.20))
            continue
        r = float(generator.uniform(0.04, 0.07))
        color = colors[int(generator.integers(len(colors)))]
        canvas.paint(canvas.disc(x, y, r), color)
        canvas.paint(canvas.disc(x, y, r * 0.4), (0.42, 0.22, 0.12))
    canvas.paint(canvas.disc(0.22, 0.20, 0.075), (0.82, 0.30, 0.16))
    canvas.paint(canvas.disc(0.80, 0.19, 0.065), (0.88, 0.70, 0.22))
    return _canvas_grain(canvas)


@lru_cache(maxsize=8)
def _blocks_of_color(seed: int) -> Texture:
    """An abstract: black bars between fields of red, yellow, blue and white."""
    canvas = ImageCanvas(SIDE, SIDE, (0.93, 0.92, 0.88))
    generator = np.random.default_rng(seed + 40)
    xs = np.concatenate([[0.0], np.sort(generator.uniform(0.15, 0.85, 3)), [1.0]])
    ys = np.concatenate([[0.0], np.sort(generator.uniform(0.15, 0.85, 3)), [1.0]])
    colors: tuple[Color, ...] = (
        (0.82, 0.12, 0.10),
        (0.95, 0.80, 0.12),
        (0.10, 0.22, 0.60),
        (0.93, 0.92, 0.88),
        (0.93, 0.92, 0.88),
    )
    for i in range(4):
        for j in range(4):
            area = canvas.rect(xs[i], xs[i + 1], ys[j], ys[j + 1])
            canvas.paint(area, colors[int(generator.integers(len(colors)))])
    for line in (*xs[1:-1], 0.0, 1.0):
        canvas.paint((np.abs(canvas.u - line) < 0.014), (0.05, 0.05, 0.05))
    for line in (*ys[1:-1], 0.0, 1.0):
        canvas.paint((np.abs(canvas.v - line) < 0.014), (0.05, 0.05, 0.05))
    return canvas.texture()


@lru_cache(maxsize=8)
def _circles(seed: int) -> Texture:
    """An abstract: overlapping rings and washes of colour."""
    canvas = ImageCanvas(SIDE, SIDE, (0.90, 0.86, 0.78))
    cloud = textures.noise(SIDE, 3, seed + 9)
    canvas.paint(cloud * 0.5, (0.62, 0.72, 0.72))
    generator = np.random.default_rng(seed + 70)
    colors: tuple[Color, ...] = (
        (0.80, 0.36, 0.20),
        (0.13, 0.30, 0.40),
        (0.88, 0.68, 0.28),
        (0.55, 0.20, 0.26),
    )
    for k in range(7):
        x, y, r = (
            generator.uniform(0.15, 0.85),
            generator.uniform(0.15, 0.85),
            generator.uniform(0.09, 0.24),
        )
        ring = canvas.disc(x, y, r)
        if k % 2:
            ring = ring - canvas.disc(x, y, r * 0.72)
        canvas.paint(ring * 0.88, colors[k % 4])
    return _canvas_grain(canvas)


def _canvas_grain(canvas: ImageCanvas) -> Texture:
    """The picture with a breath of brush marks."""
    marks = textures.noise(SIDE, 32, 2, octaves=2, stretch=4) - 0.5
    canvas.values *= (1 + 0.16 * marks)[..., None]
    return canvas.texture()


def _hills(seed: int) -> Texture:
    return painted_textures.landscape(seed + 5, evening=seed % 2 == 1)


PAINTED: tuple[Callable[[int], Texture], ...] = (
    _hills,
    _still_life,
    _blocks_of_color,
    _seascape,
    _circles,
)


def painting(request: AssetRequest) -> Model:
    """A framed picture: hills, flowers, a boat, or one of two abstracts; oil in a wooden or
    gilded frame, or a print behind a white mount."""
    w, h, d = request.size.tuple()
    z0, z1 = -d / 2, -d / 2 + min(d, 0.06)
    painter = request.choose(PAINTED)
    style = request.choose(("wood", "mount", "gilt", "canvas"), salt=1)
    edge = 0.0 if style == "canvas" else min(0.045, min(w, h) * 0.09)
    x = w / 2
    if edge:
        inner, back = edge * 0.9, z1 - 0.3 * (z1 - z0) - 0.001
        backing: fp.Span = (-x + inner, x - inner, inner, h - inner, z0, back)
        frame = fp.blocks([*fp.surround((-x, x), (0, h), (z0, z1), edge), backing], 0.006)
        face = z1 - 0.3 * (z1 - z0)
    else:
        frame, face = fp.blocks([(-x, x, 0, h, z0, z1 - 0.001)], 0.003), z1
    rim = {
        "wood": palette.wood(request.choose(("walnut", request.palette.wood), salt=2)),
        "mount": palette.wood("black ash"),
        "gilt": palette.metal("brass"),
        "canvas": Material((0.85, 0.83, 0.78)),
    }[style]
    parts = [Part("frame", frame, rim)]
    mount = min(w, h) * 0.10 if style == "mount" else 0.0
    if mount:
        paper = shapes.panel(w - 2 * edge, h - 2 * edge, at=(0, edge, face))
        parts.append(Part("mount", paper, Material((0.92, 0.91, 0.87))))
    inset = edge + mount + (0.004 if not edge else 0.0)
    picture = shapes.panel(w - 2 * inset, h - 2 * inset, at=(0, inset, face + 0.0008))
    oil = Material((1.0, 1.0, 1.0), painter(request.variant % 4), gloss=0.12)
    parts.append(Part("picture", picture, oil))
    return Model(tuple(parts))


@lru_cache(maxsize=4)
def _concert_poster(seed: int) -> Texture:
    """Rays around a guitar, with bars of lettering."""
    canvas = ImageCanvas(SIDE, SIDE, (0.12, 0.10, 0.20))
    angle = np.arctan2(canvas.v - 0.55, canvas.u - 0.5)
    canvas.paint(
        (np.sin(angle * 12 + seed) > 0),
        ((0.85, 0.25, 0.18), (0.95, 0.62, 0.15))[seed % 2],
    )
    body = np.maximum(canvas.disc(0.5, 0.40, 0.15), canvas.disc(0.5, 0.56, 0.11))
    canvas.paint(body, (0.97, 0.88, 0.60))
    canvas.paint(canvas.disc(0.5, 0.50, 0.045), (0.15, 0.10, 0.08))
    canvas.paint(canvas.rect(0.475, 0.525, 0.55, 0.90), (0.30, 0.16, 0.08))
    canvas.paint(canvas.rect(0.45, 0.55, 0.86, 0.94), (0.30, 0.16, 0.08))
    canvas.paint(canvas.rect(0, 1, 0, 0.20), (0.10, 0.08, 0.14))
    letters = canvas.rect(0.08, 0.92, 0.085, 0.17) * (
        np.sin(canvas.u * 88 + np.sin(canvas.u * 37)) > -0.35
    )
    canvas.paint(letters, (0.97, 0.93, 0.80))
    canvas.paint(canvas.rect(0.2, 0.8, 0.03, 0.055), (0.90, 0.55, 0.20))
    return canvas.texture()


@lru_cache(maxsize=4)
def _space_poster(seed: int) -> Texture:
    """A rocket between planets."""
    canvas = ImageCanvas(SIDE, SIDE, (0.04, 0.05, 0.14))
    canvas.fade((0.20, 0.08, 0.28), (0.02, 0.04, 0.14))
    stars = np.random.default_rng(seed).random((SIDE, SIDE)) > 0.988
    canvas.paint(stars, (1.0, 1.0, 0.95))
    canvas.paint(canvas.disc(0.80, 0.16, 0.24), (0.85, 0.45, 0.25))
    canvas.paint(canvas.disc(0.74, 0.20, 0.06), (0.70, 0.32, 0.18))
    canvas.paint(canvas.disc(0.2, 0.78, 0.1), (0.45, 0.70, 0.90))
    canvas.paint(
        canvas.disc(0.2, 0.78, 0.19, 0.028) - canvas.disc(0.2, 0.80, 0.12, 0.02), (0.92, 0.84, 0.60)
    )
    canvas.paint(canvas.disc(0.5, 0.24, 0.05, 0.13), (1.0, 0.70, 0.15))
    canvas.paint(canvas.disc(0.5, 0.26, 0.03, 0.08), (1.0, 0.95, 0.6))
    for s in (-1, 1):
        fin = (
            ((canvas.u - 0.5) * s > 0.05)
            & ((canvas.u - 0.5) * s < 0.15)
            & (canvas.v > 0.30)
            & (canvas.v < 0.52 - (canvas.u - 0.5) * s)
        )
        canvas.paint(fin, (0.85, 0.15, 0.14))
    canvas.paint(canvas.disc(0.5, 0.54, 0.095, 0.27) * (canvas.v > 0.32), (0.92, 0.93, 0.95))
    canvas.paint(canvas.disc(0.5, 0.54, 0.095, 0.27) * (canvas.v > 0.69), (0.85, 0.15, 0.14))
    canvas.paint(canvas.disc(0.5, 0.56, 0.045), (0.20, 0.45, 0.75))
    return canvas.texture()


@lru_cache(maxsize=4)
def _sport_poster(seed: int) -> Texture:
    """A basketball before stripes."""
    canvas = ImageCanvas(SIDE, SIDE, ((0.10, 0.25, 0.55), (0.08, 0.40, 0.32))[seed % 2])
    stripe = np.sin((canvas.u + canvas.v) * 30) > 0.3
    canvas.paint(stripe * 0.35, (0.95, 0.95, 0.95))
    canvas.paint(canvas.disc(0.5, 0.55, 0.30), (0.88, 0.46, 0.14))
    ball = canvas.disc(0.5, 0.55, 0.30)
    seams = (np.abs(canvas.u - 0.5) < 0.009) | (np.abs(canvas.v - 0.55) < 0.009)
    for x in (0.18, 0.82):
        far = np.sqrt((canvas.u - x) ** 2 + (canvas.v - 0.55) ** 2)
        seams |= np.abs(far - 0.22) < 0.009
    canvas.paint(seams * ball, (0.12, 0.07, 0.04))
    canvas.paint(canvas.rect(0, 1, 0, 0.15), (0.95, 0.95, 0.95))
    letters = canvas.rect(0.1, 0.9, 0.04, 0.115) * (np.sin(canvas.u * 95) > -0.3)
    canvas.paint(letters, (0.10, 0.12, 0.2))
    return canvas.texture()


POSTERS: tuple[Callable[[int], Texture], ...] = (_concert_poster, _space_poster, _sport_poster)


def poster(request: AssetRequest) -> Model:
    """A sheet of paper with white margins, pinned to the wall at the back of its box."""
    w, h, d = request.size.tuple()
    z0 = -d / 2
    thick = min(0.006, d)
    sheet = fp.boards([(-w / 2, w / 2, 0, h, z0, z0 + thick)])
    margin = min(w, h) * 0.03
    print_ = shapes.panel(w - 2 * margin, h - 2 * margin, at=(0, margin, z0 + thick + 0.0007))
    art = Material((1.0, 1.0, 1.0), request.choose(POSTERS)(request.variant % 2), gloss=0.2)
    pins: list[fp.Rod] = []
    if d > 0.012:
        r = min(0.007, margin * 0.5)
        pins = [
            ((x, y, z0 + thick - 0.001), (x, y, z0 + thick + 0.004), r, r * 0.8)
            for x in (-w / 2 + margin * 0.6, w / 2 - margin * 0.6)
            for y in (margin * 0.6, h - margin * 0.6)
        ]
    parts = [
        Part("sheet", sheet, Material((0.93, 0.92, 0.90), gloss=0.1)),
        Part("print", print_, art),
    ]
    if pins:
        parts.append(Part("pins", fp.rods(pins), Material((0.75, 0.15, 0.12), gloss=0.5)))
    return Model(tuple(parts))


# --- Statues, by the kinds that AI2-THOR's asset names speak of

Point = tuple[float, float, float]


def statue(request: AssetRequest) -> Model:
    """A statue on a plinth, its kind by the asset's name (Dog_Statue_2), else by the variant and
    by how tall the box is. Broken, the plinth among shards."""
    w, h, d = request.size.tuple()
    kind = _kind(request)
    material = _material(request.choose(("bronze", "marble", "black", "terracotta", "jade")))
    plinth_h = min(0.07 * h, 0.02)
    plinth = _plinth(kind, w, plinth_h, d)
    base = palette.wood("walnut", gloss=0.4)
    figure = _fitted(FIGURES[kind](w, h - plinth_h, d), w, plinth_h, h, d)
    if request.look.broken:
        share = 0.285 if kind == "Stone" else 0.36  # the lowest stone stays whole
        figure = join([_stub(figure, plinth_h + share * (h - plinth_h)), _pieces(request)])
        material = replace(material, two_sided=True)
    return Model((Part("figure", figure, material), Part("plinth", plinth, base)))


def _stub(figure: Mesh, cut: float) -> Mesh:
    """The part of a figure below a height; its edge is ragged as its triangles are."""
    below = (figure.points[figure.faces][..., 1] < cut).all(1)
    return Mesh.of(figure.points, figure.normals, figure.uv, figure.faces[below])


def _pieces(request: AssetRequest) -> Mesh:
    """Flat pieces and two lumps around the stub."""
    w, h, d = request.size.tuple()
    size = min(w, d)
    seed = request.variant
    flat = shards(
        w, d, count=11, largest=0.3 * size, thickness=0.06 * size, seed=seed, height=0.3 * h
    )
    lumps = []
    for x, z, r in ((0.3, 0.24, 0.15), (-0.32, 0.26, 0.11)):
        ball = shapes.ball(r * size, 0.85 * r * size, r * size, sides=8, rings=5)
        lump = shapes.flat_shaded(shapes.bumpy(ball, 0.12, np.random.default_rng([seed, 5]), 5.0))
        lumps.append(lump.moved(x * w, -float(lump.bounds[0][1]), z * d))
    return join([flat, *lumps])


def _kind(request: AssetRequest) -> str:
    asset = str(request.detail("asset") or "")
    named = next((kind for kind in FIGURES if asset.startswith(kind)), None)
    if named:
        return named
    w, h, d = request.size.tuple()
    if h < 0.62 * max(w, d):
        return "Hand"
    if h < 1.2 * max(w, d):
        return "Dog"
    if h > 3.2 * max(w, d):
        return "Stone"
    return request.choose(("Waving", "Fertility", "Towel"))


def _plinth(kind: str, w: float, height: float, d: float) -> Mesh:
    if kind in ("Dog", "Hand"):
        ring = rounded_rect(w, d, 0.01, 0.0)
    else:
        ring = ellipse(w / 2, d / 2, 0.0, sides=24)
    scale = np.array([0.97, 1.0, 0.97])
    up = np.array([0.0, height, 0.0])
    return skin([ring, ring + up * 0.7, ring * scale + up], low=True, high=True)


def _fitted(mesh: Mesh, w: float, low: float, high: float, d: float) -> Mesh:
    """A figure stretched by at most a tenth, and moved, so that it fills the box's height and
    stays in it."""
    least, most = (side.astype(np.float64) for side in mesh.bounds)
    extent = most - least
    tall = (high - low) / extent[1]
    side = min(1.1 * tall, w * 0.99 / extent[0], d * 0.99 / extent[2])
    center = (least + most) / 2
    return (
        mesh.moved(-float(center[0]), -float(least[1]), -float(center[2]))
        .scaled(side, tall, side)
        .moved(y=low)
    )


def _ball(at: Point, radii: Point, sides: int = 12) -> Mesh:
    return shapes.ball(*radii, sides=sides, rings=max(4, sides // 2), at=at)


def _limb(points: list[Point], radii: list[float], sides: int = 7) -> Mesh:
    """A tapering limb with a smooth bend, round at its far end."""
    line = path(points, 2)
    given = np.linspace(0, 1, len(radii))
    thick = np.interp(np.linspace(0, 1, len(line)), given, radii)
    end = _ball(points[-1], (radii[-1], radii[-1], radii[-1]), 7)
    return join([shapes.tube(line, thick.tolist(), sides=sides), end])


def _dog(w: float, h: float, d: float) -> Mesh:
    """A standing dog with its head to -x and a raised tail, seen from the side."""
    s = min(w / 1.3, h)
    thick = min(d * 0.42, 0.3 * s)

    def at(x: float, y: float, z: float = 0.0) -> Point:
        return (x * w / 2, y * h, z * thick)

    body = [
        _ball(at(0.38, 0.55), (0.24 * w, 0.15 * h, thick * 0.52)),
        _ball(at(-0.24, 0.58), (0.2 * w, 0.19 * h, thick * 0.62)),
        _limb([at(-0.36, 0.66), at(-0.52, 0.80), at(-0.58, 0.86)], [0.13 * h, 0.1 * h, 0.1 * h]),
        _ball(at(-0.62, 0.85), (0.105 * w, 0.115 * h, thick * 0.4)),
        _limb([at(-0.66, 0.83), at(-0.93, 0.785)], [0.075 * h, 0.052 * h]),
        _limb([at(0.72, 0.62), at(0.88, 0.8), at(0.86, 0.97)], [0.05 * h, 0.035 * h, 0.022 * h]),
    ]
    for z in (-0.4, 0.4):
        body.append(
            _limb(
                [at(-0.34, 0.5, z), at(-0.36, 0.25, z), at(-0.38, 0.03, z)],
                [0.095 * h, 0.055 * h, 0.05 * h],
            )
        )
        body.append(
            _limb(
                [at(0.48, 0.5, z), at(0.64, 0.3, z), at(0.55, 0.15, z), at(0.56, 0.03, z)],
                [0.13 * h, 0.075 * h, 0.045 * h, 0.05 * h],
            )
        )
        body.append(_ball(at(-0.45, 0.035, z), (0.05 * w, 0.035 * h, 0.05 * h), 8))
        body.append(_ball(at(0.49, 0.035, z), (0.05 * w, 0.035 * h, 0.05 * h), 8))
        body.append(
            _limb(
                [at(-0.54, 0.95, z * 0.8), at(-0.47, 0.84, z * 1.15), at(-0.48, 0.74, z * 1.15)],
                [0.03 * h, 0.05 * h, 0.02 * h],
            )
        )
    return join(body)


PALM = (
    (0.98, 0.3, 0.01, 0.02), (0.96, 0.3, 0.22, 0.34), (0.6, 0.28, 0.22, 0.36),
    (0.36, 0.26, 0.22, 0.54), (0.05, 0.27, 0.2, 0.66), (-0.12, 0.3, 0.17, 0.64),
    (-0.18, 0.3, 0.02, 0.1),
)  # fmt: skip
"""From the wrist to the fingers: x, height of the middle, half thickness, half breadth, in shares
of half the width, the height, the height and half the depth."""

FINGERS = ((-0.52, -0.7, 0.75), (-0.18, -0.9, 0.85), (0.18, -0.96, 0.82), (0.52, -0.8, 0.72))
"""Across the palm, and the tip's x and height."""


def _hand(w: float, h: float, d: float) -> Mesh:
    """An open hand that lies on its back, fingers to -x, slightly curled."""

    def at(x: float, y: float, z: float) -> Point:
        return (x * w / 2, y * h, z * d / 2)

    turn = np.linspace(0, 2 * math.pi, 16, endpoint=False)
    rings = []
    for x, y, thick, broad in PALM[::-1]:
        z = (broad * np.sin(turn) + 0.05) * d / 2
        rings.append(np.stack([np.full(16, x * w / 2), (y + thick * np.cos(turn)) * h, z], 1))
    palm = skin(rings)
    palm = palm if shapes.volume(palm) >= 0 else skin(rings[::-1])
    limbs = [
        _limb(
            [at(-0.1, 0.3, 0.95 * z), at(tip / 2 - 0.1, 0.36, z), at(tip, lift, 0.96 * z)],
            [0.085 * d, 0.08 * d, 0.058 * d],
        )
        for z, tip, lift in FINGERS
    ]
    thumb = [at(0.4, 0.3, 0.5), at(0.12, 0.5, 0.82), at(-0.16, 0.86, 0.8)]
    return join([palm, *limbs, _limb(thumb, [0.12 * d, 0.09 * d, 0.065 * d])])


def _waving(w: float, h: float, _d: float) -> Mesh:
    """A slim figure that waves with one arm."""
    s = min(w, 0.62 * h)

    def at(x: float, y: float, z: float = 0.0) -> Point:
        return (x * s, y * h, z * s)

    return join(
        [
            _ball(at(0, 0.885), (0.115 * s, 0.105 * h, 0.12 * s)),
            _limb([at(0, 0.8), at(0, 0.72)], [0.05 * s, 0.07 * s]),
            skin(
                [
                    ellipse(0.02 * s, 0.02 * s, 0.75 * h),
                    ellipse(0.19 * s, 0.10 * s, 0.73 * h),
                    ellipse(0.20 * s, 0.12 * s, 0.66 * h),
                    ellipse(0.13 * s, 0.10 * s, 0.52 * h),
                    ellipse(0.17 * s, 0.12 * s, 0.42 * h),
                    ellipse(0.10 * s, 0.08 * s, 0.36 * h),
                ][::-1]
            ),
            _limb(
                [at(0.19, 0.7), at(0.37, 0.78, 0.03), at(0.33, 0.94, 0.06)],
                [0.055 * s, 0.045 * s, 0.04 * s],
            ),
            _ball(at(0.32, 0.965, 0.06), (0.05 * s, 0.035 * h, 0.03 * s), 8),
            _limb(
                [at(-0.19, 0.7), at(-0.29, 0.57, 0.02), at(-0.2, 0.44, 0.08)],
                [0.055 * s, 0.045 * s, 0.04 * s],
            ),
            _limb(
                [at(0.08, 0.42), at(0.11, 0.22, 0.03), at(0.1, 0.02)], [0.1 * s, 0.07 * s, 0.05 * s]
            ),
            _limb(
                [at(-0.08, 0.42), at(-0.1, 0.22, 0.0), at(-0.14, 0.02, 0.05)],
                [0.1 * s, 0.07 * s, 0.05 * s],
            ),
            _ball(at(0.1, 0.02, 0.07), (0.06 * s, 0.02 * h, 0.11 * s), 8),
            _ball(at(-0.14, 0.02, 0.12), (0.06 * s, 0.02 * h, 0.11 * s), 8),
        ]
    )


def _fertility(w: float, h: float, d: float) -> Mesh:
    """A round idol: great belly and hips, small head, hands on the belly."""
    r = min(w, d)

    def at(x: float, y: float, z: float = 0.0) -> Point:
        return (x * r, y * h, z * r)

    parts = [
        _ball(at(0, 0.88), (0.17 * r, 0.12 * h, 0.17 * r)),
        _ball(at(0, 0.2), (0.42 * r, 0.21 * h, 0.38 * r), 18),
        _ball(at(0, 0.40, 0.1), (0.34 * r, 0.2 * h, 0.34 * r), 18),
        _ball(at(0, 0.64), (0.27 * r, 0.13 * h, 0.22 * r)),
    ]
    for side in (-1, 1):
        parts.append(_ball(at(side * 0.14, 0.59, 0.2), (0.14 * r, 0.075 * h, 0.13 * r), 10))
        parts.append(
            _limb(
                [at(side * 0.27, 0.68), at(side * 0.42, 0.52, 0.05), at(side * 0.16, 0.42, 0.42)],
                [0.08 * r, 0.07 * r, 0.05 * r],
            )
        )
        parts.append(
            _limb([at(side * 0.2, 0.14, 0.1), at(side * 0.22, 0.03, 0.3)], [0.18 * r, 0.1 * r])
        )
    return join(parts)


def _stones(w: float, h: float, d: float) -> Mesh:
    """A tower of smooth stones, the largest below."""
    shares = (0.26, 0.22, 0.19, 0.17, 0.16)
    stones, low = [], 0.0
    for number, share in enumerate(shares):
        high = share * h
        wide = (0.5 - 0.065 * number) * min(w, d)
        stone = _ball((0, 0, 0), (wide, high * 0.54, wide * 0.94), 16)
        stone = shapes.bumpy(stone, 0.03, np.random.default_rng(number + 2), 3.0)
        sway = 0.05 * wide * (-1) ** number
        stones.append(stone.moved(sway, low + high / 2, -sway * 0.6))
        low += high
    return join(stones)


def _twist(w: float, h: float, d: float) -> Mesh:
    """A twisted column of cloth with a loop of folds at its head."""
    r = min(w, d) / 2
    rings = []
    for share in np.linspace(0.0, 1.0, 22):
        turn = np.linspace(0, 2 * math.pi, 24, endpoint=False)
        waist = 0.55 + 0.4 * abs(2 * share - 1) ** 1.6
        lobes = 1 + 0.2 * np.cos(3 * turn)
        angle = turn + share * 3.6
        closing = min(1.0, (1.02 - share) / 0.1) ** 0.5 * min(1.0, (share + 0.06) / 0.08) ** 0.5
        reach = r * waist * lobes * closing / 1.2
        rings.append(
            np.stack([reach * np.cos(angle), np.full(24, share * h), reach * np.sin(angle)], 1)
        )
    return skin(rings, low=True, high=True)


FIGURES: dict[str, Callable[[float, float, float], Mesh]] = {
    "Dog": _dog,
    "Hand": _hand,
    "Waving": _waving,
    "Fertility": _fertility,
    "Stone": _stones,
    "Towel": _twist,
}
"""The first word of an asset's name -> the figure over (width, height, depth)."""


@cache
def _material(name: str) -> Material:
    if name == "marble":
        return Material(
            (1.0, 1.0, 1.0),
            textures.stone((0.88, 0.87, 0.85), (0.68, 0.67, 0.68), seed=3),
            gloss=0.4,
        )
    if name == "jade":
        return Material(
            (1.0, 1.0, 1.0),
            textures.stone((0.25, 0.45, 0.36), (0.42, 0.60, 0.48), seed=5),
            gloss=0.6,
        )
    plain = {
        "bronze": Material((0.42, 0.29, 0.15), gloss=0.6, metal=0.45),
        "black": Material((0.10, 0.10, 0.11), gloss=0.55),
        "terracotta": Material((0.70, 0.38, 0.24), gloss=0.08),
    }
    return plain[name]


BUILDERS: dict[str, Builder] = {
    "Painting": painting,
    "Poster": poster,
    "Statue": statue,
}
