"""Microwave ovens."""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import Span, blocks, hollow
from env_service.worlds.household.assets.displays import display, keypad
from env_service.worlds.household.assets.joinery import handle, swing
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Lamp,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.shapes import lathe, panel
from env_service.worlds.household.geometry import Vec3

BLACK = Material((0.05, 0.05, 0.055), gloss=0.5)
DARK_GLASS = Material((0.06, 0.07, 0.08), opacity=0.55, gloss=0.9)
CAVITY = Material((0.80, 0.80, 0.77), gloss=0.2)
LIT_CAVITY = Material((1.0, 0.93, 0.72), glow=0.8)
TURNTABLE = Material((0.75, 0.82, 0.84), gloss=0.8)
FINISHES = (
    BLACK,
    Material((0.86, 0.86, 0.84), gloss=0.5),
    palette.METALS["steel"],
    Material((0.42, 0.05, 0.05), gloss=0.6),
)

FOOT = 0.01
"""Height of the feet, metres."""


def microwave(request: AssetRequest) -> Model:
    """A microwave oven: the door with its window hinged at the left, the panel with clock and
    keys on the right, a turntable inside. While it is on, the cavity is lit and time runs."""
    w, h, d = request.size.tuple()
    finish = request.choose(FINISHES)
    thick = min(0.035, d * 0.1)
    face = d / 2 - min(0.03, d * 0.08)
    split = -w / 2 + w * 0.24
    x0, x1 = split + 0.012, w / 2 - 0.03
    y0, y1 = 0.045, h - 0.035
    z0, z1 = -d / 2 + 0.03, face - thick
    e = 0.001
    liner = hollow((x0 + e, y0 + e, z0 + e, x1 - e, y1 - e, z1), open_sides="+z")
    radius = min(x1 - x0, z1 - z0) / 2 - 0.012
    x, z = (x0 + x1) / 2, (z0 + z1) / 2
    plate = lathe([(0, 0.004), (radius, 0.004), (radius, 0.012), (0, 0.012)], sides=28)
    parts = [
        Part("casing", _casing(request, (x0, y0, z0, x1, y1, z1), split, face), finish),
        Part("feet", _feet(w, d), BLACK),
        Part("cavity", liner, LIT_CAVITY if request.look.on else CAVITY),
        Part("turntable", plate.moved(x, y0, z), TURNTABLE),
        *_door(request, split, (face - thick, face), finish),
        *_panel(request, split, face),
    ]
    inside = Surface(
        (x - radius, z - radius),
        (x + radius, z + radius),
        y0 + 0.012,
        y1 - y0 - 0.012,
        inside=True,
        round=True,
    )
    lamps = (Lamp(Vec3(x, (y0 + y1) / 2, d / 2), (1.0, 0.85, 0.55), 0.25, 0.9),)
    return Model(tuple(parts), (inside,), lamps if request.look.on else ())


def _casing(request: AssetRequest, cavity: Span, split: float, face: float) -> Mesh:
    """One sheet around the cavity, whose front it leaves open, and the panel's side of the front.
    A wall of separate plates would show its joints."""
    w, h, d = request.size.tuple()
    x0, y0, _, x1, y1, front_at = cavity
    sheet = blocks([(-w / 2, FOOT, -d / 2, w / 2, h, front_at)], bevel=0.0025)
    facing = sheet.normals[sheet.faces].astype(np.float64)[:, :, 2].min(1)
    sheet = Mesh.of(sheet.points, sheet.normals, sheet.uv, sheet.faces[facing < 0.99])
    e, rim = 0.0025, front_at
    frame = [
        panel(x0 + w / 2 - e, h - FOOT - 2 * e, at=((x0 - w / 2 + e) / 2, FOOT + e, rim)),
        panel(w / 2 - x1 - e, h - FOOT - 2 * e, at=((x1 + w / 2 - e) / 2, FOOT + e, rim)),
        panel(x1 - x0, y0 - FOOT - e, at=((x0 + x1) / 2, FOOT + e, rim)),
        panel(x1 - x0, h - y1 - e, at=((x0 + x1) / 2, y1, rim)),
    ]
    side = blocks([(-w / 2, FOOT, front_at, split - 0.002, h, face)], bevel=0.0025)
    return join([sheet, *frame, side])


def _feet(w: float, d: float) -> Mesh:
    spots = [(side * w * 0.4, end * d * 0.36) for side in (-1, 1) for end in (-1, 1)]
    return blocks([(x - 0.015, 0, z - 0.015, x + 0.015, FOOT, z + 0.015) for x, z in spots])


def _door(
    request: AssetRequest, split: float, depth: tuple[float, float], casing: Material
) -> list[Part]:
    """Frame, window and handle of the door between two depths."""
    w, h, _ = request.size.tuple()
    back, face = depth
    thick = face - back
    low, high = 0.012, h - 0.002
    left, right = w / 2 - 0.001, split + 0.001
    rim = min(0.05, h * 0.14)
    wx0, wx1, wy0, wy1 = right + rim * 1.5, left - rim, low + rim, high - rim
    frame: list[Span] = [
        (right, low, back, wx0, high, face),
        (wx1, low, back, left, high, face),
        (wx0, low, back, wx1, wy0, face),
        (wx0, wy1, back, wx1, high, face),
    ]
    pane = blocks([(wx0, wy0, face - thick * 0.6, wx1, wy1, face - thick * 0.4)])
    motion = swing("left", x=left, z=face, low=low, high=high, amount=100.0)
    dark = DARK_GLASS
    if request.look.on:
        dark = Material((0.30, 0.22, 0.10), opacity=0.25, gloss=0.9)
    grip = handle("bar", h * 0.62, upright=True).moved(right + rim * 0.6, (low + high) / 2, face)
    return [
        Part("door", blocks(frame, bevel=0.003), casing, motion),
        Part("window", pane, dark, motion, casts_shadow=False),
        Part("handle", grip, palette.metal("steel"), motion),
    ]


def _panel(request: AssetRequest, split: float, face: float) -> list[Part]:
    """Clock and keys."""
    w, h, _ = request.size.tuple()
    on = request.look.on
    middle, wide = (split - w / 2) / 2, (split + w / 2) * 0.76
    text = "0:48" if on else "12:00"
    clock = display(text, (0.3, 1.0, 0.55) if on else (0.2, 0.6, 0.4), (0.02, 0.03, 0.03))
    screen = panel(wide, wide * 0.42).moved(middle, h * 0.76, face + 0.001)
    keys = panel(wide, h * 0.5).moved(middle, h * 0.2, face + 0.001)
    ground, key = (0.16, 0.16, 0.17), (0.62, 0.63, 0.64)
    return [
        Part("clock", screen, Material((1, 1, 1), clock, gloss=0.6, glow=0.9 if on else 0.4)),
        Part("keys", keys, Material((1, 1, 1), keypad(ground, key), gloss=0.3)),
    ]


BUILDERS: dict[str, Builder] = {"Microwave": microwave}
