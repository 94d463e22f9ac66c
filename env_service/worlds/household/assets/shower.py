"""Shower heads, with the water that falls from them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
)
from env_service.worlds.household.assets.shapes import Point3
from env_service.worlds.household.assets.skins import ellipse, path, skin

STREAM = Material((0.78, 0.90, 0.97), opacity=0.55, gloss=0.6, glow=0.25, two_sided=True)
MIST = Material((0.80, 0.90, 0.96), opacity=0.16, two_sided=True)
NOZZLES = Material((0.20, 0.21, 0.22), gloss=0.3)


@dataclass(frozen=True)
class _Rose:
    """Where water leaves: the middle of the face, its radius, how far it is tilted forward."""

    at: Point3
    radius: float
    tilt: float


def shower_head(request: AssetRequest) -> Model:
    """A rain shower on a riser with mixer and hand shower (tall boxes), or a hand shower on its
    hook (boxes below 1.4 m). The wall is at -z. Turned on, water falls from the head.

    Detail "fall": how far it falls, metres; without it, to the underside of the box.
    """
    return _riser(request) if request.size.y >= 1.4 else _hand_shower(request)


def _riser(request: AssetRequest) -> Model:
    w, h, d = request.size.tuple()
    wall, out = -d / 2, min(0.055, d * 0.25)
    radius = min(w * 0.42, d * 0.42, 0.12)
    z, mixer = wall + out, 0.17 * h
    top = h - 0.014
    head_z = d / 2 - radius
    turns = np.linspace(0.0, math.pi / 2, 6)
    bend = [(0.0, mixer, z)] + [
        (0.0, top - 0.05 + 0.05 * math.sin(t), z + 0.05 - 0.05 * math.cos(t)) for t in turns
    ]
    bar = min(w * 0.5 - 0.021, 0.14)
    hold = 0.52 * h
    chrome = [
        shapes.tube([*bend, (0, top, head_z)], 0.011, sides=10),
        shapes.tube([(-bar, mixer, z), (bar, mixer, z)], 0.02, sides=12),
        *(
            shapes.tube([(side * bar * 0.7, mixer, wall), (side * bar * 0.7, mixer, z)], 0.014)
            for side in (-1, 1)
        ),
        *(_knob(side * bar, mixer, z, side) for side in (-1, 1)),
        shapes.tube([(0, 0.85 * h, wall), (0, 0.85 * h, z)], 0.009),
        _head(radius, 0.02, (0.0, top - 0.028, head_z)),
        shapes.tube([(0, top - 0.012, head_z), (0, top, head_z)], 0.014),
        shapes.rounded_box(0.03, 0.04, 0.04, 0.008, at=(0, hold - 0.02, z + 0.008), steps=1),
        shapes.tube([(0, hold - 0.1, z + 0.03), (0, hold + 0.06, z + 0.045)], 0.011),
        shapes.lathe(
            [(0.0, -0.012), (0.03, -0.01), (0.033, 0.0), (0.02, 0.015), (0.0, 0.018)], sides=16
        )
        .turned(x=70)
        .moved(0, hold + 0.07, z + 0.06),
    ]
    hose = path(
        [
            (0.02, mixer - 0.01, z),
            (0.03, 0.06, z + 0.01),
            (0.0, 0.012, z + 0.02),
            (-0.045, 0.1, z + 0.03),
            (-0.03, 0.28 * h, z + 0.03),
            (0, hold - 0.1, z + 0.03),
        ],
        4,
    )
    chrome.append(shapes.tube(hose, 0.007, sides=6))
    face = _face(radius, (0.0, top - 0.0285, head_z))
    return _with_water(request, chrome, face, _Rose((0.0, top - 0.03, head_z), radius, 0.0))


def _hand_shower(request: AssetRequest) -> Model:
    w, h, d = request.size.tuple()
    wall = -d / 2
    radius = min(w * 0.46, 0.075)
    tilt = 32.0
    reach = radius * math.cos(math.radians(tilt))
    head = (0.0, h - radius * 0.55 - 0.015, d / 2 - reach - 0.005)
    hook = (0.0, h - 0.11, wall + 0.05)
    chrome = [
        _head(radius, 0.024, (0, 0, 0)).turned(x=-tilt).moved(*head),
        shapes.tube(
            path([(0, hook[1] - 0.13, wall + 0.03), hook, (0, head[1] + 0.012, head[2] - 0.01)], 4),
            [0.011] * 5 + [0.014, 0.016, 0.018, 0.018],
            sides=10,
        ),
        shapes.tube([(0, hook[1], wall), hook], 0.016, sides=10),
        _plate(0.03, (0, hook[1], wall)),
        _plate(0.034, (0, 0.16 * h, wall)),
        shapes.tube([(0, 0.16 * h, wall), (0, 0.16 * h, wall + 0.04)], 0.014),
    ]
    low = 0.02
    swing = w / 2 - 0.012
    hose = path(
        [
            (0, 0.16 * h, wall + 0.04),
            (swing * 0.7, 0.09 * h, wall + 0.045),
            (swing * 0.5, low, wall + 0.05),
            (-swing * 0.4, low + 0.01, wall + 0.05),
            (-swing * 0.8, 0.2 * h, wall + 0.05),
            (-swing * 0.3, 0.55 * h, wall + 0.045),
            (0, hook[1] - 0.13, wall + 0.03),
        ],
        4,
    )
    chrome.append(shapes.tube(hose, 0.0075, sides=6))
    face = _face(radius, (0, -0.0005, 0)).turned(x=-tilt).moved(*head)
    return _with_water(request, chrome, face, _Rose(head, radius, tilt))


def _head(radius: float, thick: float, at: Point3) -> Mesh:
    """A flat rose, its face downwards at `at`."""
    profile = [
        (0.0, 0.0),
        (radius * 0.97, 0.0),
        (radius, thick * 0.25),
        (radius * 0.9, thick * 0.6),
        (0.02, thick),
        (0.0, thick),
    ]
    return shapes.lathe(profile, sides=24, at=at)


def _face(radius: float, at: Point3) -> Mesh:
    """The dark nozzles, in rings, just below the rose's face."""
    dots = []
    for share, count in ((0.3, 6), (0.58, 11), (0.85, 16)):
        for k in range(count):
            turn = 2 * math.pi * k / count
            x, z = radius * share * math.cos(turn), radius * share * math.sin(turn)
            dots.append((at[0] + x, at[1], at[2] + z))
    size = radius * 0.05
    quad = np.array([[-1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, -1]]) * size
    points = (np.array(dots)[:, None] + quad[None]).reshape(-1, 3)
    start = np.arange(len(dots)) * 4
    faces = np.concatenate(
        [np.stack([start, start + 2, start + 1], 1), np.stack([start, start + 3, start + 2], 1)]
    )
    down = np.tile([0.0, -1.0, 0.0], (len(points), 1))
    return Mesh.of(points, down, np.zeros((len(points), 2)), faces)


def _knob(x: float, y: float, z: float, side: int) -> Mesh:
    cross = [
        shapes.tube([(x, y, z), (x + side * 0.02, y, z)], 0.024, sides=10),
        shapes.tube([(x + side * 0.01, y - 0.005, z), (x + side * 0.01, y + 0.045, z)], 0.006),
    ]
    return join(cross)


def _plate(radius: float, at: Point3) -> Mesh:
    return (
        shapes.lathe([(radius, 0.0), (radius * 0.9, 0.008), (0.0, 0.01)], sides=16)
        .turned(x=90)
        .moved(*at)
    )


def _with_water(request: AssetRequest, chrome: list[Mesh], face: Mesh, rose: _Rose) -> Model:
    parts = [
        Part("fittings", join(chrome), palette.metal("chrome")),
        Part("nozzles", face, NOZZLES, casts_shadow=False),
    ]
    if request.look.on:
        given = request.detail("fall")
        fall = float(given) if isinstance(given, (int, float)) else rose.at[1] - 0.01
        parts += _rain(rose, fall)
    return Model(tuple(parts))


def _rain(rose: _Rose, fall: float) -> list[Part]:
    """Streaks in rings that spread a little, in a pale mist; they fly forward from a tilted
    head."""
    head, radius = rose.at, rose.radius
    throw = fall * 0.35 * math.sin(math.radians(rose.tilt))
    streaks = []
    for share, count in ((0.25, 5), (0.6, 9), (0.92, 13)):
        for k in range(count):
            turn = 2 * math.pi * k / count + share
            x, z = math.cos(turn) * radius * share, math.sin(turn) * radius * share
            start = np.array([head[0] + x, head[1] - 0.004, head[2] + z])
            end = np.array([head[0] + 1.5 * x, head[1] - fall, head[2] + 1.5 * z + throw])
            middle = (start + end) / 2 + np.array([0.0, 0.0, throw * 0.15])
            streaks.append([start, middle, end])
    lines = np.array(streaks)
    thick = np.array([0.0022, 0.0028, 0.0014])[None, :, None]
    sheets = []
    for axis in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]):
        side = thick * np.array(axis)
        points = np.stack([lines - side, lines + side], 2).reshape(-1, 3)
        start_at = np.arange(len(lines)) * 6
        faces = np.concatenate(
            [start_at[:, None] + np.array(f) for f in ([0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4])]
        )
        normal = np.tile([axis[2], 0.3, axis[0]], (len(points), 1))
        sheets.append(Mesh.of(points, normal, np.zeros((len(points), 2)), faces))
    low = (head[0], head[1] - fall, head[2] + throw)
    mist = skin(
        [
            ellipse(radius * 1.5, radius * 1.5, low[1], at=(low[0], low[2]), sides=16),
            ellipse(radius * 0.95, radius * 0.95, head[1] - 0.004, at=(head[0], head[2]), sides=16),
        ]
    )
    return [
        Part("water", join(sheets), STREAM, casts_shadow=False),
        Part("mist", mist, MIST, casts_shadow=False),
    ]


BUILDERS: dict[str, Builder] = {"ShowerHead": shower_head}
