"""Pictures painted by code: what screens show, what hangs on walls.

Every picture is drawn upright, row 0 of the texture at its lower edge, to be laid on a
`shapes.panel`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import textures
from env_service.worlds.household.assets.material import Color, Texture

Array = NDArray[np.float64]
Share = NDArray[np.floating[Any]] | NDArray[np.bool_]
"""How far each pixel is painted, [height, width], in [0, 1]."""


class Canvas:
    """A picture in the making.

    Attributes:
        u, v: float64 [height, width], from 0 to 1 to the right and upwards.
        values: float64 [height, width, 3], sRGB.
    """

    def __init__(self, width: int, height: int, color: Color) -> None:
        across, up = (np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height
        self.u, self.v = np.meshgrid(across, up)
        self.aspect = width / height
        self.soft = 1.0 / height
        self.values = np.empty((height, width, 3))
        self.values[:] = color

    def paint(self, share: Share, color: Color) -> None:
        """Lays a colour over, where and as far as the share says; what lies outside [0, 1] is
        cut off."""
        part = np.clip(share.astype(np.float64), 0, 1)
        self.values += (np.array(color) - self.values) * part[..., None]

    def fade(self, low: Color, high: Color, start: float = 0.0, end: float = 1.0) -> None:
        """A gradient from `start` upwards to `end`, over the whole width between them."""
        share = np.clip((self.v - start) / (end - start), 0, 1)
        inside = (self.v >= start) & (self.v <= end)
        self.values[inside] = textures.between(low, high, share)[inside]

    def disc(self, x: float, y: float, rx: float, ry: float | None = None) -> Array:
        """A disc; radii are shares of the picture's height, or an ellipse's two."""
        tall = rx if ry is None else ry
        far = np.sqrt(((self.u - x) * self.aspect / rx) ** 2 + ((self.v - y) / tall) ** 2)
        inside: Array = np.clip((1 - far) * min(rx, tall) / self.soft + 0.5, 0, 1)
        return inside

    def rect(self, x0: float, x1: float, y0: float, y1: float) -> Array:
        """A rectangle."""
        inside: Array = ((self.u >= x0) & (self.u <= x1) & (self.v >= y0) & (self.v <= y1)).astype(
            np.float64
        )
        return inside

    def below(self, height: Array) -> Array:
        """What lies under a curve, [width] or [height, width]."""
        inside: Array = np.clip((height - self.v) / self.soft + 0.5, 0, 1)
        return inside

    def ridge(self, middle: float, amount: float, seed: int, waves: float = 3.0) -> Array:
        """A mountain line over the width, for `below`."""
        generator = np.random.default_rng(seed)
        u = self.u[0]
        line = np.full(len(u), middle)
        for octave in range(5):
            phase = generator.uniform(0, 6.28)
            line = line + amount / (1 << octave) * np.abs(np.sin(waves * (1.9**octave) * u + phase))
        return line

    def texture(self) -> Texture:
        """The finished picture."""
        return textures.picture(self.values)


@lru_cache(maxsize=32)
def landscape(seed: int = 0, *, evening: bool = False) -> Texture:
    """Mountains over a lake under a bright sky, a meadow in front."""
    canvas = Canvas(256, 128, (0.4, 0.6, 0.9))
    warm: tuple[Color, Color] = ((0.97, 0.62, 0.35), (0.33, 0.30, 0.52))
    cool: tuple[Color, Color] = ((0.80, 0.90, 0.97), (0.22, 0.48, 0.85))
    canvas.fade(*(warm if evening else cool), start=0.4)
    canvas.paint(canvas.disc(0.72, 0.8, 0.08), (1.0, 0.95, 0.72))
    canvas.paint(canvas.below(canvas.ridge(0.42, 0.22, seed, 5.0)), (0.45, 0.50, 0.62))
    canvas.paint(canvas.below(canvas.ridge(0.38, 0.12, seed + 1, 8.0)), (0.20, 0.36, 0.30))
    canvas.fade((0.16, 0.38, 0.55), (0.45, 0.66, 0.80), 0.2, 0.42)
    glitter = (np.sin(canvas.v * 220) > 0.75) & (np.abs(canvas.u - 0.72) < 0.1) & (canvas.v < 0.42)
    canvas.paint(glitter * 0.7, (1.0, 0.96, 0.8))
    canvas.paint(canvas.below(canvas.ridge(0.12, 0.12, seed + 2, 2.0)), (0.33, 0.58, 0.18))
    for k in range(5):
        x = 0.06 + 0.075 * k
        canvas.paint(canvas.disc(x, 0.30 + 0.03 * (k % 2), 0.07, 0.16), (0.10, 0.28, 0.14))
    return canvas.texture()


@lru_cache(maxsize=4)
def news() -> Texture:
    """A newsreader before a world map, a red banner with lines of text."""
    canvas = Canvas(256, 128, (0.05, 0.13, 0.32))
    canvas.fade((0.06, 0.16, 0.40), (0.10, 0.32, 0.66))
    land = np.clip((textures.noise(128, 4, 11).repeat(2, 1) - 0.52) * 14, 0, 1)
    canvas.paint(land * (canvas.v > 0.35) * 0.8, (0.35, 0.62, 0.90))
    canvas.paint(canvas.disc(0.36, 0.28, 0.24, 0.27), (0.13, 0.14, 0.20))
    canvas.paint(canvas.disc(0.36, 0.42, 0.06, 0.12), (0.93, 0.93, 0.95))
    canvas.paint(canvas.disc(0.36, 0.36, 0.022, 0.10), (0.75, 0.10, 0.12))
    canvas.paint(canvas.disc(0.36, 0.72, 0.135, 0.165), (0.25, 0.14, 0.08))
    canvas.paint(canvas.disc(0.36, 0.66, 0.105, 0.145), (0.90, 0.70, 0.56))
    for x in (0.342, 0.378):
        canvas.paint(canvas.disc(x, 0.685, 0.014), (0.1, 0.08, 0.08))
    canvas.paint(canvas.rect(0.345, 0.375, 0.585, 0.60), (0.70, 0.25, 0.25))
    canvas.paint(canvas.rect(0.62, 0.94, 0.50, 0.86), (0.95, 0.95, 0.96))
    canvas.paint(canvas.rect(0.63, 0.93, 0.52, 0.84), (0.85, 0.55, 0.25))
    canvas.paint(canvas.disc(0.78, 0.66, 0.12), (0.98, 0.90, 0.55))
    canvas.paint(canvas.rect(0, 1, 0.06, 0.26), (0.80, 0.07, 0.10))
    canvas.paint(canvas.rect(0, 0.2, 0.06, 0.26), (0.97, 0.97, 0.97))
    text = canvas.rect(0.23, 0.95, 0.11, 0.21) * (
        np.sin(canvas.u * 150 + np.sin(canvas.u * 61)) > -0.2
    )
    canvas.paint(text, (1.0, 1.0, 1.0))
    mark = canvas.rect(0.03, 0.17, 0.11, 0.21) * (np.sin(canvas.u * 190) > -0.3)
    canvas.paint(mark, (0.80, 0.07, 0.10))
    return canvas.texture()


@lru_cache(maxsize=4)
def football() -> Texture:
    """A match seen from the stand: green stripes, white lines, players, a score."""
    canvas = Canvas(256, 128, (0.20, 0.55, 0.22))
    stripe = np.sin((canvas.u - 0.5) * 26 / (1.4 - canvas.v)) > 0
    canvas.paint(stripe, (0.26, 0.64, 0.27))
    crowd = textures.noise(128, 64, 5, octaves=1).repeat(2, 1)
    canvas.paint(canvas.v > 0.78, (0.25, 0.25, 0.32))
    canvas.paint((canvas.v > 0.78) * (crowd > 0.62), (0.85, 0.65, 0.45))
    canvas.paint(canvas.rect(0, 1, 0.765, 0.785), (0.95, 0.95, 0.95))
    canvas.paint(canvas.rect(0.495, 0.505, 0, 0.77), (0.95, 0.95, 0.95))
    ring = canvas.disc(0.5, 0.4, 0.26, 0.17) - canvas.disc(0.5, 0.4, 0.245, 0.155)
    canvas.paint(ring, (0.95, 0.95, 0.95))
    players = (
        (0.15, 0.5),
        (0.28, 0.25),
        (0.42, 0.6),
        (0.57, 0.32),
        (0.68, 0.55),
        (0.83, 0.2),
        (0.9, 0.62),
    )
    for k, (x, y) in enumerate(players):
        shirt = ((0.85, 0.12, 0.12), (0.10, 0.20, 0.75))[k % 2]
        canvas.paint(canvas.disc(x, y + 0.06, 0.025, 0.05), shirt)
        canvas.paint(canvas.rect(x - 0.008, x + 0.008, y - 0.05, y + 0.02), (0.95, 0.95, 0.95))
        canvas.paint(canvas.disc(x, y + 0.125, 0.022), (0.75, 0.52, 0.38))
    canvas.paint(canvas.disc(0.5, 0.24, 0.022), (1.0, 1.0, 1.0))
    canvas.paint(canvas.rect(0.04, 0.30, 0.86, 0.96), (0.05, 0.05, 0.12))
    for x in (0.07, 0.15, 0.23):
        canvas.paint(canvas.rect(x, x + 0.05, 0.885, 0.935), (0.98, 0.95, 0.4))
    return canvas.texture()


@lru_cache(maxsize=8)
def desktop_screen(seed: int = 0) -> Texture:
    """A computer's desktop: wallpaper, icons, an open window with text, a task bar."""
    canvas = Canvas(256, 128, (0.1, 0.3, 0.6))
    walls: tuple[tuple[Color, Color], ...] = (
        ((0.10, 0.42, 0.78), (0.30, 0.68, 0.93)),
        ((0.28, 0.12, 0.45), (0.88, 0.42, 0.48)),
        ((0.05, 0.32, 0.34), (0.35, 0.72, 0.58)),
    )
    canvas.fade(*walls[seed % 3])
    for row in range(4):
        y = 0.86 - 0.19 * row
        color = ((0.98, 0.82, 0.25), (0.95, 0.95, 0.95), (0.30, 0.80, 0.40), (0.92, 0.35, 0.28))[
            row
        ]
        canvas.paint(canvas.rect(0.035, 0.085, y - 0.07, y + 0.04), color)
    canvas.paint(canvas.rect(0.30, 0.88, 0.20, 0.90), (0.96, 0.96, 0.97))
    canvas.paint(canvas.rect(0.30, 0.88, 0.82, 0.90), (0.20, 0.26, 0.36))
    for k, color in enumerate(((0.9, 0.3, 0.25), (0.95, 0.75, 0.2), (0.3, 0.75, 0.3))):
        canvas.paint(canvas.disc(0.325 + 0.03 * k, 0.86, 0.022), color)
    generator = np.random.default_rng(seed)
    for line in range(8):
        y, end = 0.76 - 0.066 * line, 0.5 + generator.uniform(0, 0.12)
        canvas.paint(canvas.rect(0.33, end, y - 0.015, y + 0.012), (0.35, 0.37, 0.42))
    canvas.paint(canvas.rect(0.66, 0.85, 0.46, 0.78), (0.55, 0.78, 0.95))
    canvas.paint(
        canvas.rect(0.66, 0.85, 0.46, 0.78) * canvas.below(canvas.ridge(0.5, 0.14, seed, 14.0)),
        (0.25, 0.55, 0.30),
    )
    canvas.paint(canvas.rect(0, 1, 0, 0.085), (0.08, 0.10, 0.15))
    for k in range(6):
        canvas.paint(canvas.rect(0.02 + 0.05 * k, 0.05 + 0.05 * k, 0.02, 0.065), (0.75, 0.8, 0.9))
    return canvas.texture()


@lru_cache(maxsize=2)
def dark_screen() -> Texture:
    """A screen that is off: black glass with a slanting sheen."""
    canvas = Canvas(64, 64, (0.025, 0.027, 0.03))
    slant = canvas.u * 0.8 + canvas.v
    sheen = np.exp(-(((slant - 1.25) / 0.16) ** 2)) + 0.6 * np.exp(-(((slant - 0.92) / 0.05) ** 2))
    canvas.paint(sheen * 0.22, (0.75, 0.80, 0.88))
    canvas.paint(canvas.v * 0.06, (0.7, 0.75, 0.8))
    return canvas.texture()
