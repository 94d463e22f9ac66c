"""A small drawing board for pictures made of flat shapes: dials, screens, covers, labels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.material import Color, Texture
from env_service.worlds.household.assets.shapes import Point2
from env_service.worlds.household.assets.textures import Array, picture

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
