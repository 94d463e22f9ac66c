"""Displays and keys of appliances, as pictures."""

from __future__ import annotations

import math
from functools import lru_cache

from env_service.worlds.household.assets.canvas import Canvas
from env_service.worlds.household.assets.material import Color, Texture


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
