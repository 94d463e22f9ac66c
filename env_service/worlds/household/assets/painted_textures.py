"""Pictures painted by code on a small drawing board: screens, dials, displays, covers, food, and
wall decorations.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import textures
from env_service.worlds.household.assets.model import Color, Texture
from env_service.worlds.household.assets.shapes import Point2
from env_service.worlds.household.assets.textures import Array, between, noise, picture

SEGMENTS = {
    "0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc",
    "5": "afgcd", "6": "afgedc", "7": "abc", "8": "abcdefg", "9": "abcdfg",
}  # fmt: skip
"""The bars of a seven-segment digit: a on top, clockwise to f, g in the middle."""

_BARS = {
    "a": (0.0, 1.0, 1.0, 1.0), "b": (1.0, 0.5, 1.0, 1.0), "c": (1.0, 0.0, 1.0, 0.5),
    "d": (0.0, 0.0, 1.0, 0.0), "e": (0.0, 0.0, 0.0, 0.5), "f": (0.0, 0.5, 0.0, 1.0),
    "g": (0.0, 0.5, 1.0, 0.5),
}  # fmt: skip


class Canvas:
    """A picture in the making. Places are in [0, 1], x to the right, y upwards; later strokes
    cover earlier ones, with soft edges a pixel wide."""

    def __init__(self, color: Color, size: int = 128, height: int | None = None) -> None:
        rows = height or size
        self.pixels: Array = np.tile(np.array(color, np.float64), (rows, size, 1))
        self._x = (np.arange(size) + 0.5)[None, :] / size
        self._y = (np.arange(rows) + 0.5)[:, None] / rows
        self._pixel = 1.0 / min(size, rows)

    def rect(self, area: tuple[float, float, float, float], color: Color) -> Canvas:
        """A filled rectangle, from (x0, y0) to (x1, y1)."""
        x0, y0, x1, y1 = area
        place, x, y = self._window(x0, y0, x1, y1)
        outside = np.maximum(
            np.abs(x - (x0 + x1) / 2) - abs(x1 - x0) / 2,
            np.abs(y - (y0 + y1) / 2) - abs(y1 - y0) / 2,
        )
        return self._fill(place, outside, color)

    def disc(
        self, x: float, y: float, radius: float, color: Color, *, inner: float = 0.0
    ) -> Canvas:
        """A filled circle, or a ring from `inner` to `radius`."""
        place, px, py = self._window(x - radius, y - radius, x + radius, y + radius)
        distance = np.sqrt((px - x) ** 2 + (py - y) ** 2)
        outside = distance - radius
        if inner > 0:
            outside = np.maximum(outside, inner - distance)
        return self._fill(place, outside, color)

    def line(self, start: Point2, end: Point2, width: float, color: Color) -> Canvas:
        """A straight stroke with round ends."""
        (x0, y0), (x1, y1) = start, end
        r = width / 2
        place, x, y = self._window(
            min(x0, x1) - r, min(y0, y1) - r, max(x0, x1) + r, max(y0, y1) + r
        )
        dx, dy = x1 - x0, y1 - y0
        length = max(dx * dx + dy * dy, 1e-12)
        share = np.clip(((x - x0) * dx + (y - y0) * dy) / length, 0.0, 1.0)
        distance = np.sqrt((x - x0 - share * dx) ** 2 + (y - y0 - share * dy) ** 2)
        return self._fill(place, distance - r, color)

    def hand(
        self, degrees: float, reach: tuple[float, float], width: float, color: Color
    ) -> Canvas:
        """A stroke from the middle of the picture outwards, clockwise from the top: hands and
        marks of a dial. `reach` is where it starts and ends."""
        angle = math.radians(degrees)
        x, y = round(math.sin(angle), 9), round(math.cos(angle), 9)
        near, far = reach
        return self.line(
            (0.5 + x * near, 0.5 + y * near), (0.5 + x * far, 0.5 + y * far), width, color
        )

    def digits(self, text: str, at: Point2, size: Point2, color: Color) -> Canvas:
        """Seven-segment digits from a left lower corner; `size` is of one digit. A colon takes
        half a digit's room."""
        (x, y), (width, height) = at, size
        stroke = width * 0.22
        for sign in text:
            if sign == ":":
                for share in (0.3, 0.7):
                    self.disc(x + width * 0.2, y + height * share, stroke * 0.7, color)
                x += width * 0.7
                continue
            for bar in SEGMENTS[sign]:
                x0, y0, x1, y1 = _BARS[bar]
                start = (x + x0 * width, y + y0 * height)
                self.line(start, (x + x1 * width, y + y1 * height), stroke, color)
            x += width * 1.55
        return self

    def mask(self, share: NDArray[np.float64], color: Color) -> Canvas:
        """A colour laid over the picture, by a share in [0, 1] for every pixel."""
        part = np.clip(share, 0.0, 1.0)[..., None]
        self.pixels += (np.array(color) - self.pixels) * part
        return self

    def texture(self) -> Texture:
        """The finished picture."""
        return picture(self.pixels)

    def _window(
        self, x0: float, y0: float, x1: float, y1: float
    ) -> tuple[tuple[slice, slice], Array, Array]:
        """The pixels that a shape within these limits can touch, and their places."""
        rows, columns = self.pixels.shape[:2]
        across = slice(
            max(0, math.floor(min(x0, x1) * columns) - 2),
            max(0, math.ceil(max(x0, x1) * columns) + 2),
        )
        upwards = slice(
            max(0, math.floor(min(y0, y1) * rows) - 2), max(0, math.ceil(max(y0, y1) * rows) + 2)
        )
        return (upwards, across), self._x[:, across], self._y[upwards]

    def _fill(self, place: tuple[slice, slice], outside: Array, color: Color) -> Canvas:
        share = np.clip(0.5 - outside / self._pixel, 0.0, 1.0)[..., None]
        under = self.pixels[place]
        under += (np.array(color) - under) * share
        return self


# --- Pictures painted by code: screens and wall decorations

ArtworkArray = NDArray[np.float64]
Share = NDArray[np.floating[Any]] | NDArray[np.bool_]
"""How far each pixel is painted, [height, width], in [0, 1]."""


class ImageCanvas:
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
        """Lays a colour over by a share for every pixel, clipped to [0, 1]."""
        part = np.clip(share.astype(np.float64), 0, 1)
        self.values += (np.array(color) - self.values) * part[..., None]

    def fade(self, low: Color, high: Color, start: float = 0.0, end: float = 1.0) -> None:
        """A gradient from `start` upwards to `end`, over the whole width between them."""
        share = np.clip((self.v - start) / (end - start), 0, 1)
        inside = (self.v >= start) & (self.v <= end)
        self.values[inside] = textures.between(low, high, share)[inside]

    def disc(self, x: float, y: float, rx: float, ry: float | None = None) -> ArtworkArray:
        """A disc; radii are shares of the picture's height, or an ellipse's two."""
        tall = rx if ry is None else ry
        far = np.sqrt(((self.u - x) * self.aspect / rx) ** 2 + ((self.v - y) / tall) ** 2)
        inside: ArtworkArray = np.clip((1 - far) * min(rx, tall) / self.soft + 0.5, 0, 1)
        return inside

    def rect(self, x0: float, x1: float, y0: float, y1: float) -> ArtworkArray:
        """A rectangle."""
        inside: ArtworkArray = (
            (self.u >= x0) & (self.u <= x1) & (self.v >= y0) & (self.v <= y1)
        ).astype(np.float64)
        return inside

    def below(self, height: ArtworkArray) -> ArtworkArray:
        """What lies under a curve, [width] or [height, width]."""
        inside: ArtworkArray = np.clip((height - self.v) / self.soft + 0.5, 0, 1)
        return inside

    def ridge(self, middle: float, amount: float, seed: int, waves: float = 3.0) -> ArtworkArray:
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
    canvas = ImageCanvas(256, 128, (0.4, 0.6, 0.9))
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
    canvas = ImageCanvas(256, 128, (0.05, 0.13, 0.32))
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
    canvas = ImageCanvas(256, 128, (0.20, 0.55, 0.22))
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
    canvas = ImageCanvas(256, 128, (0.1, 0.3, 0.6))
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
    canvas = ImageCanvas(64, 64, (0.025, 0.027, 0.03))
    slant = canvas.u * 0.8 + canvas.v
    sheen = np.exp(-(((slant - 1.25) / 0.16) ** 2)) + 0.6 * np.exp(-(((slant - 0.92) / 0.05) ** 2))
    canvas.paint(sheen * 0.22, (0.75, 0.80, 0.88))
    canvas.paint(canvas.v * 0.06, (0.7, 0.75, 0.8))
    return canvas.texture()


# --- Displays and keys of appliances, as pictures


@lru_cache(maxsize=64)
def display(text: str, ink: Color, ground: Color) -> Texture:
    """Seven-segment digits and colons across a picture twice as wide as high."""
    step = 0.9 / (math.fsum(0.7 if sign == ":" else 1.55 for sign in text) - 0.4)
    return Canvas(ground, 64, 32).digits(text, (0.06, 0.2), (step, 0.6), ink).texture()


@lru_cache(maxsize=32)
def keypad(ground: Color, key: Color, *, columns: int = 3, rows: int = 4) -> Texture:
    """A field of keys with a mark on each."""
    canvas = Canvas(ground, 64)
    wide, high = 1 / columns, 1 / rows
    for k in range(columns * rows):
        x, y = k % columns * wide, k // columns * high
        area = (x + 0.16 * wide, y + 0.2 * high, x + 0.84 * wide, y + 0.8 * high)
        mark = (x + 0.4 * wide, y + 0.42 * high, x + 0.6 * wide, y + 0.58 * high)
        canvas.rect(area, key).rect(mark, ground)
    return canvas.texture()


# --- Pictures of food: skins that wrap around a body, and cut faces

FoodPicturesArray = NDArray[np.float64]


def _polar(size: int) -> tuple[FoodPicturesArray, FoodPicturesArray]:
    """Distance from the middle (1 at the outline) and angle of each pixel of a cut face."""
    place = (np.arange(size) + 0.5) / size * 2 - 1
    x, y = np.meshgrid(place, place)
    return np.sqrt(x * x + y * y), np.arctan2(y, x)


def _band(value: FoodPicturesArray, start: float, width: float) -> FoodPicturesArray:
    """0 before `start`, 1 after `start + width`, straight between."""
    ramp: FoodPicturesArray = np.clip((value - start) / width, 0, 1)
    return ramp


def _mix(values: FoodPicturesArray, color: Color, share: FoodPicturesArray) -> FoodPicturesArray:
    return np.asarray(values + (np.array(color) - values) * share[..., None], np.float64)


@lru_cache(maxsize=16)
def apple_skin(base: Color, streak: Color, end: Color) -> Texture:
    """Streaks along the meridians; a third colour around the stem."""
    size = 128
    v = (np.arange(size)[:, None] + 0.5) / size
    fine = noise(size, 24, 3, octaves=2).mean(0)[None] * np.ones((size, 1))
    long = noise(size, 16, 4, octaves=3).T
    share = np.clip((0.6 * fine + 0.6 * long - 0.42) * 1.6, 0, 1)
    values = between(base, streak, share)
    ends = np.clip(1 - np.minimum(v, 1 - v) * 5.2 + (fine - 0.5) * 0.6, 0, 1) * np.ones((1, size))
    return picture(_mix(values, end, ends * 0.85))


@lru_cache(maxsize=8)
def apple_flesh(skin: Color) -> Texture:
    """Pale flesh, the outline of the core, pips."""
    radius, angle = _polar(128)
    values = between((0.95, 0.91, 0.74), (0.90, 0.84, 0.62), noise(128, 6, 2, octaves=2))
    star = 0.34 + 0.07 * np.cos(5 * angle)
    values = _mix(values, (0.78, 0.74, 0.46), 0.8 * np.clip(1 - np.abs(radius - star) * 28, 0, 1))
    pip_angle = (angle + math.pi / 5) % (2 * math.pi / 5) - math.pi / 5
    pip = ((radius - 0.21) / 0.085) ** 2 + (pip_angle * 0.21 / 0.036) ** 2
    values = _mix(values, (0.22, 0.11, 0.05), np.clip((1.15 - pip) * 6, 0, 1))
    return picture(_mix(values, skin, _band(radius, 0.95, 0.02)))


@lru_cache(maxsize=8)
def tomato_flesh(skin: Color) -> Texture:
    """Wall and spokes of firm flesh, chambers with jelly and seeds."""
    radius, angle = _polar(128)
    spoke = np.abs(np.cos(2.5 * angle + 0.4))
    chamber = _band(spoke, 0.28, 0.12) * _band(radius, 0.24, 0.06) * (1 - _band(radius, 0.76, 0.05))
    values = between((0.88, 0.33, 0.22), (0.93, 0.46, 0.32), noise(128, 8, 5, octaves=2))
    values = _mix(values, (0.70, 0.11, 0.06), chamber)
    seeds = np.clip((noise(128, 20, 8, octaves=1) - 0.70) * 14, 0, 1) * chamber
    values = _mix(values, (0.93, 0.80, 0.45), seeds)
    values = _mix(values, (0.95, 0.66, 0.50), 1 - _band(radius, 0.13, 0.05))
    return picture(_mix(values, skin, _band(radius, 0.95, 0.02)))


@lru_cache(maxsize=8)
def potato_skin(*, cooked: bool) -> Texture:
    """Brown peel with eyes; cooked, it is roasted: golden with charred spots."""
    cloud, eyes = noise(128, 6, 21), noise(128, 14, 22, octaves=1)
    if cooked:
        values = between((0.56, 0.27, 0.07), (0.80, 0.47, 0.13), cloud)
        values = _mix(values, (0.14, 0.06, 0.03), np.clip((eyes - 0.60) * 6, 0, 0.95))
        return picture(values)
    values = between((0.60, 0.45, 0.26), (0.74, 0.60, 0.39), cloud)
    return picture(_mix(values, (0.36, 0.25, 0.14), np.clip((eyes - 0.80) * 9, 0, 0.9)))


@lru_cache(maxsize=8)
def potato_flesh(*, cooked: bool) -> Texture:
    """Pale yellow; cooked, fried: golden brown with dark blisters."""
    radius, _ = _polar(128)
    cloud, spots = noise(128, 5, 31, octaves=3), noise(128, 12, 32, octaves=2)
    if cooked:
        values = between((0.86, 0.60, 0.20), (0.66, 0.36, 0.10), cloud)
        values = _mix(values, (0.36, 0.16, 0.05), np.clip((spots - 0.58) * 5, 0, 0.9))
        return picture(_mix(values, (0.30, 0.13, 0.05), _band(radius, 0.80, 0.18)))
    values = between((0.95, 0.90, 0.66), (0.91, 0.84, 0.56), cloud)
    return picture(_mix(values, (0.55, 0.40, 0.22), _band(radius, 0.93, 0.03)))


@lru_cache(maxsize=8)
def crust(*, flour: bool) -> Texture:
    """The outside of a loaf, u around it from one side over the top: the top is brown, the sides
    are golden; with flour on it or shining."""
    cloud, fine = noise(128, 5, 41), noise(128, 28, 42, octaves=2)
    top = 0.5 + 0.5 * np.sin(2 * math.pi * (np.arange(128)[None] + 0.5) / 128)
    pale = np.clip(1.1 - 1.3 * top, 0, 1) * (1.0 if not flour else 0.5)
    values = between((0.46, 0.22, 0.08), (0.68, 0.39, 0.15), 0.7 * cloud + 0.3 * fine)
    values = _mix(values, (0.84, 0.60, 0.30), pale * (0.75 + 0.25 * fine))
    if flour:
        dust = np.clip((noise(128, 7, 43) - 0.52) * 4, 0, 0.75)
        values = _mix(values, (0.93, 0.87, 0.76), dust)
    return picture(values)


@lru_cache(maxsize=8)
def crumb(base: Color, *, toasted: bool) -> Texture:
    """A slice of bread: pores, a crust around; toasted, it is brown, darkest near the crust."""
    radius, _ = _polar(128)
    pores = np.clip((noise(128, 22, 51, octaves=2) - 0.58) * 4, 0, 1)
    shade = (base[0] * 0.82, base[1] * 0.76, base[2] * 0.64)
    values = between(base, shade, 0.7 * pores + 0.2 * noise(128, 6, 52))
    if toasted:
        heat = np.clip(0.55 + 0.5 * (noise(128, 5, 53) - 0.4) + 0.35 * radius, 0, 1)
        values = _mix(values, (0.60, 0.33, 0.11), heat)
        values = _mix(
            values, (0.30, 0.14, 0.05), np.clip(pores * 0.4 + (radius - 0.72) * 1.6, 0, 0.9)
        )
    edge = (0.22, 0.11, 0.05) if toasted else (0.52, 0.29, 0.12)
    return picture(_mix(values, edge, _band(radius, 0.90, 0.035)))


@lru_cache(maxsize=8)
def leaf(green: Color, vein: Color) -> Texture:
    """A lettuce leaf, v from the stalk to the tip: a pale rib, veins that branch off."""
    size = 64
    u = (np.arange(size)[None] + 0.5) / size
    v = (np.arange(size)[:, None] + 0.5) / size
    side = np.abs(u - 0.5)
    rib = np.clip(1 - side / (0.085 - 0.065 * v), 0, 1)
    branch = np.clip(1 - np.abs(((v - side * 1.3) * 6) % 1 - 0.5) * 9, 0, 1) * (side < 0.42)
    values = between(green, (green[0] * 0.62, green[1] * 0.72, green[2] * 0.6), noise(size, 5, 61))
    values = _mix(values, vein, np.maximum(np.sqrt(rib), 0.45 * branch))
    pale = np.clip(0.75 - v * 1.6, 0, 1) * np.ones((1, size))
    return picture(_mix(values, vein, pale * 0.8))


@lru_cache(maxsize=4)
def lettuce_cut() -> Texture:
    """Leaves cut across: wavy rings, pale to the middle."""
    radius, angle = _polar(128)
    wave = radius + 0.05 * np.cos(3 * angle + 7 * radius) + 0.03 * np.cos(7 * angle - 9 * radius)
    ring = 0.5 + 0.5 * np.cos(wave * 40)
    values = between((0.86, 0.90, 0.62), (0.42, 0.62, 0.20), np.clip(radius * 1.1 - 0.2, 0, 1))
    values = _mix(values, (0.97, 0.98, 0.86), ring * 0.75)
    return picture(_mix(values, (0.28, 0.48, 0.14), _band(radius, 0.92, 0.05)))


@lru_cache(maxsize=2)
def fried_white() -> Texture:
    """The white of a fried egg, browned and crisp at its edge."""
    radius, _ = _polar(128)
    uneven = radius + 0.14 * (noise(128, 9, 71, octaves=2) - 0.5)
    values = between((0.95, 0.94, 0.90), (0.88, 0.87, 0.80), noise(128, 8, 72))
    values = _mix(values, (0.80, 0.58, 0.26), _band(uneven, 0.78, 0.10))
    return picture(_mix(values, (0.42, 0.22, 0.07), _band(uneven, 0.92, 0.05)))
