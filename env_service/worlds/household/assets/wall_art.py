"""What hangs on walls to be looked at: paintings and posters. The wall is at -z."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets import artwork, palette, shapes, textures
from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.artwork import Canvas
from env_service.worlds.household.assets.material import Color, Material, Texture
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part

SIDE = 128
"""Pixels of a picture's side."""


@lru_cache(maxsize=8)
def _seascape(seed: int) -> Texture:
    """A sailing boat on a choppy sea at sunset."""
    canvas = Canvas(SIDE, SIDE, (0.9, 0.7, 0.5))
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
    canvas = Canvas(SIDE, SIDE, (0.30, 0.34, 0.30))
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
    canvas = Canvas(SIDE, SIDE, (0.93, 0.92, 0.88))
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
    canvas = Canvas(SIDE, SIDE, (0.90, 0.86, 0.78))
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


def _canvas_grain(canvas: Canvas) -> Texture:
    """The picture with a breath of brush marks."""
    marks = textures.noise(SIDE, 32, 2, octaves=2, stretch=4) - 0.5
    canvas.values *= (1 + 0.16 * marks)[..., None]
    return canvas.texture()


def _hills(seed: int) -> Texture:
    return artwork.landscape(seed + 5, evening=seed % 2 == 1)


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
    canvas = Canvas(SIDE, SIDE, (0.12, 0.10, 0.20))
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
    canvas = Canvas(SIDE, SIDE, (0.04, 0.05, 0.14))
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
    canvas = Canvas(SIDE, SIDE, ((0.10, 0.25, 0.55), (0.08, 0.40, 0.32))[seed % 2])
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


BUILDERS: dict[str, Builder] = {"Painting": painting, "Poster": poster}
