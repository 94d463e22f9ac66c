"""Draws minigrid's shapes for all pixels of a tile at once.

minigrid calls a Python function for every pixel of every shape of a tile, at three times the
tile's size in both directions. These functions compute the same numbers in the same order, with
arrays, so that every tile has the bytes that minigrid draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

Coordinates = npt.NDArray[np.float64]
Inside = npt.NDArray[np.bool_]
Shape = Callable[[Coordinates, Coordinates], Inside]
"""Which points lie in the shape: x is a row and y a column, from 0 to 1."""

_DRAWS = ("minigrid.core.grid", "minigrid.core.world_object")
"""The modules of minigrid that draw tiles."""


def install() -> None:
    """Has minigrid draw its tiles with the functions of this module."""
    library = import_module("minigrid.utils.rendering")
    replacements = {
        "fill_coords": _fill,
        "rotate_fn": _rotated,
        "point_in_circle": _circle,
        "point_in_rect": _rectangle,
        "point_in_triangle": _triangle,
        "point_in_line": _each_point(library.point_in_line),
    }
    for module in map(import_module, _DRAWS):
        for name in replacements.keys() & vars(module).keys():
            setattr(module, name, replacements[name])


def _fill(image: npt.NDArray[np.uint8], shape: Shape, colour: Any) -> npt.NDArray[np.uint8]:
    """Paints the pixels of ``image``, uint8 [H, W, 3], whose centres lie in the shape."""
    height, width, _ = image.shape
    x = (np.arange(width) + 0.5) / width
    y = (np.arange(height) + 0.5) / height
    image[shape(x[np.newaxis, :], y[:, np.newaxis])] = colour
    return image


def _rotated(shape: Shape, cx: float, cy: float, theta: float) -> Shape:
    cosine, sine = math.cos(-theta), math.sin(-theta)

    def inside(x: Coordinates, y: Coordinates) -> Inside:
        x, y = x - cx, y - cy
        return shape(cx + x * cosine - y * sine, cy + y * cosine + x * sine)

    return inside


# Their parameters have minigrid's names, by which it passes them.


def _circle(cx: float, cy: float, r: float) -> Shape:
    return lambda x, y: (x - cx) * (x - cx) + (y - cy) * (y - cy) <= r * r


def _rectangle(xmin: float, xmax: float, ymin: float, ymax: float) -> Shape:
    return lambda x, y: (x >= xmin) & (x <= xmax) & (y >= ymin) & (y <= ymax)


def _triangle(*corners: tuple[float, float]) -> Shape:
    """By barycentric coordinates; the corners are float32, as in minigrid."""
    a, b, c = (np.array(corner, dtype=np.float32) for corner in corners)
    v0, v1 = c - a, b - a
    dot00, dot01, dot11 = np.dot(v0, v0), np.dot(v0, v1), np.dot(v1, v1)
    inverse = 1 / (dot00 * dot11 - dot01 * dot01)

    def inside(x: Coordinates, y: Coordinates) -> Inside:
        dx, dy = x - a[0], y - a[1]
        dot02 = v0[0] * dx + v0[1] * dy
        dot12 = v1[0] * dx + v1[1] * dy
        u = (dot11 * dot02 - dot01 * dot12) * inverse
        v = (dot00 * dot12 - dot01 * dot02) * inverse
        found: Inside = (u >= 0) & (v >= 0) & (u + v < 1)
        return found

    return inside


def _each_point(shapes: Callable[..., Callable[[float, float], bool]]) -> Callable[..., Shape]:
    """A shape of minigrid's that is drawn point by point: no level of BabyAI has one."""
    return lambda *numbers, **named: np.vectorize(shapes(*numbers, **named), otypes=[bool])
