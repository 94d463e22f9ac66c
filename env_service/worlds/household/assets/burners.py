"""Burners and knobs of stoves."""

from __future__ import annotations

import math

import numpy as np

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import Span, blocks
from env_service.worlds.household.assets.joinery import word
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
from env_service.worlds.household.assets.shapes import lathe, rounded_box, tube
from env_service.worlds.household.geometry import Vec3

BLACK_GLASS = Material((0.035, 0.035, 0.04), gloss=0.9)
COIL = Material((0.10, 0.10, 0.11), gloss=0.3)
HOT_COIL = Material((1.0, 0.27, 0.06), glow=1.3)
FLAME = Material((0.25, 0.50, 1.0), opacity=0.75, glow=1.5)
FLAME_TIP = Material((0.85, 0.65, 0.35), opacity=0.6, glow=1.2)
FLAT = 0.009
"""Burners lower than this are fields of a glass hob, metres."""


def burner(request: AssetRequest) -> Model:
    """A burner: a field of a glass hob if the box is flat, else a coil or a gas grate by variant.
    While it is on, an electric one glows red and a gas one burns blue.

    Detail "kind": "field", "coil" or "gas".
    """
    w, h, d = request.size.tuple()
    radius = min(w, d) / 2
    kind = word(request, "kind", "field" if h < FLAT else request.choose(("coil", "gas"), 1))
    build = {"field": _field, "coil": _coil, "gas": _gas}[kind]
    parts = build(request, radius)
    half = (w / 2, d / 2) if kind == "gas" else (radius, radius)
    top = Surface((-half[0], -half[1]), half, h, round=kind != "gas")
    color = (0.4, 0.6, 1.0) if kind == "gas" else (1.0, 0.35, 0.12)
    lamps = (Lamp(Vec3(0, h + 0.03, 0), color, 0.18, 0.8),) if request.look.on else ()
    return Model(tuple(parts), (top,), lamps)


def _field(request: AssetRequest, radius: float) -> list[Part]:
    """Rings printed on glass; they glow when hot."""
    h = request.size.y
    disc = lathe([(0, 0), (radius, 0), (radius, h - 0.0008), (0, h - 0.0008)], sides=32)
    rings = []
    for share, wide in ((0.98, 0.05), (0.66, 0.05), (0.34, 0.05)):
        outer = radius * share
        inner = outer - radius * wide
        rings.append(
            lathe([(outer, h - 0.0008), (outer, h), (inner, h), (inner, h - 0.0008)], sides=32)
        )
    parts = [Part("field", disc, BLACK_GLASS)]
    marks = Material((0.36, 0.36, 0.37), gloss=0.5)
    if request.look.on:
        parts.append(Part("heat", _heat_rings(radius, h), HOT_COIL, casts_shadow=False))
        rings = rings[:1]
    parts.append(Part("rings", join(rings), marks, casts_shadow=False))
    return parts


def _heat_rings(radius: float, h: float) -> Mesh:
    """Glowing circles under the glass."""
    bands = []
    for k in range(5):
        outer = radius * (0.9 - 0.17 * k)
        inner = outer - radius * 0.12
        bands.append(lathe([(outer, h - 0.0004), (max(inner, 0.0), h - 0.0004)], sides=28))
    return join(bands)


def _coil(request: AssetRequest, radius: float) -> list[Part]:
    """A spiral over a shiny pan."""
    h = request.size.y
    rod = min(0.0055, h * 0.22)
    turns, steps = 3.4, 54
    share = np.linspace(0.0, 1.0, steps)
    angle = share * turns * 2 * math.pi
    reach = radius * (0.22 + 0.64 * share) - rod
    path = [
        (float(r * math.cos(a)), h - rod, float(r * math.sin(a)))
        for r, a in zip(reach, angle, strict=True)
    ]
    coil = tube(path, rod, sides=6)
    rim = h * 0.4
    pan = lathe(
        [
            (radius, 0.0),
            (radius, rim),
            (radius * 0.93, rim + 0.001),
            (radius * 0.85, rim * 0.35),
            (0.0, 0.0012),
        ],
        sides=28,
    )
    cap = lathe(
        [(0.0, 0.0), (radius * 0.18, 0.0), (radius * 0.18, h - rod), (0.0, h - rod)], sides=14
    )
    return [
        Part("pan", pan, palette.metal("chrome")),
        Part("coil", coil, HOT_COIL if request.look.on else COIL),
        Part("cap", cap, palette.metal("steel")),
    ]


def _gas(request: AssetRequest, radius: float) -> list[Part]:
    """A burner cap under an iron grate, which fills the box."""
    w, h, d = request.size.tuple()
    bar = min(0.012, h * 0.4)
    x, z = w / 2, d / 2
    low, inner = h - bar, radius * 0.3
    t = bar / 2
    spans: list[Span] = [
        (-x, low, -z, x, h, -z + bar),
        (-x, low, z - bar, x, h, z),
        (-x, low, -z + bar, -x + bar, h, z - bar),
        (x - bar, low, -z + bar, x, h, z - bar),
        (-t, low, inner, t, h, z - bar),
        (-t, low, -z + bar, t, h, -inner),
        (inner, low, -t, x - bar, h, t),
        (-x + bar, low, -t, -inner, h, t),
    ]
    spans += [
        (sx * (x - t) - t, 0.0, sz * (z - t) - t, sx * (x - t) + t, low, sz * (z - t) + t)
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    crown = radius * 0.42
    head = min(h * 0.62, low - 0.001) if low > 0.004 else h * 0.6
    cap = lathe(
        [(0, 0), (crown, 0), (crown, head * 0.55), (crown * 0.86, head), (0, head)], sides=20
    )
    parts = [
        Part("grate", blocks(spans, bevel=0.0015), palette.metal("black iron")),
        Part("burner", cap, Material((0.16, 0.16, 0.17), gloss=0.4)),
    ]
    if request.look.on:
        outer, tips = _flames(crown, head * 0.5, max(h, 0.02) + 0.006, radius)
        parts.append(Part("flames", outer, FLAME, casts_shadow=False))
        parts.append(Part("flame tips", tips, FLAME_TIP, casts_shadow=False))
    return parts


def _flames(crown: float, low: float, high: float, radius: float) -> tuple[Mesh, Mesh]:
    """A ring of little flames leaning outwards, and the pale tips of every second one."""
    count = 16
    tall = high - low
    flame = lathe(
        [(0.0, 0.0), (0.0055, tall * 0.25), (0.0045, tall * 0.55), (0.0, tall)], sides=6
    ).turned(z=-35.0)
    tip = lathe([(0.0, 0.0), (0.0028, tall * 0.2), (0.0, tall * 0.4)], sides=5)
    tip = tip.moved(y=tall * 0.45).turned(z=-35.0)
    reach = crown + min(0.004, radius * 0.05)
    around = [360.0 * k / count for k in range(count)]
    whole = [flame.moved(x=reach, y=low).turned(y=turn) for turn in around]
    tips = [tip.moved(x=reach + 0.001, y=low + 0.002).turned(y=turn) for turn in around[::2]]
    return join(whole), join(tips)


def knob(request: AssetRequest) -> Model:
    """A round knob with a pointer. Off, the pointer stands upright; on, it is turned a quarter
    and the mark beside the knob is lit.

    It faces the way in which its box is thin: the front, or up; a box about as high as it is deep
    holds a knob on a slope, facing up and forwards. Detail "axis": "front", "up" or "slope".
    """
    w, h, d = request.size.tuple()
    natural = "up" if h < 0.72 * min(w, d) else "front" if d < 0.72 * min(w, h) else "slope"
    axis = word(request, "axis", natural)
    if axis == "up":
        across, length = min(w, d), h
    elif axis == "front":
        across, length = min(w, h), d
    else:
        across = min(w, 0.95 * min(h, d))
        length = max(0.45 * across, 1.3 * min(h, d) - across)
    turn = {"up": 0.0, "front": 90.0, "slope": 45.0}[axis]
    meshes = _knob_meshes(across / 2, length, on=request.look.on)
    base_y = {"up": 0.0, "front": h / 2, "slope": h / 2}[axis]
    base_z = {"up": 0.0, "front": -d / 2, "slope": 0.0}[axis]
    if axis == "slope":
        meshes = [mesh.moved(y=-length / 2) for mesh in meshes]
    body, ring, pointer, mark = (mesh.turned(x=turn).moved(0, base_y, base_z) for mesh in meshes)
    skirt, grip = request.choose(
        (
            (palette.metal("chrome"), Material((0.08, 0.08, 0.09), gloss=0.5)),
            (Material((0.10, 0.10, 0.11), gloss=0.5), Material((0.84, 0.84, 0.82), gloss=0.5)),
        )
    )
    dark = Material((0.2, 0.05, 0.04), gloss=0.4)
    lit = Material((1.0, 0.30, 0.08), glow=1.4)
    white, red = Material((0.92, 0.92, 0.90)), Material((0.80, 0.12, 0.08))
    return Model(
        (
            Part("skirt", ring, skirt),
            Part("grip", body, grip),
            Part("pointer", pointer, red if grip.color[0] > 0.5 else white),
            Part("mark", mark, lit if request.look.on else dark, casts_shadow=False),
        )
    )


def _knob_meshes(radius: float, length: float, *, on: bool) -> list[Mesh]:
    """Grip, skirt, pointer and mark of a knob about +y, from y = 0 to `length`."""
    skirt = lathe(
        [
            (0, 0),
            (radius, 0),
            (radius, length * 0.16),
            (radius * 0.84, length * 0.24),
            (0, length * 0.24),
        ],
        sides=24,
    )
    body = lathe(
        [
            (radius * 0.74, length * 0.2),
            (radius * 0.72, length * 0.72),
            (radius * 0.64, length * 0.8),
            (0, length * 0.8),
        ],
        sides=20,
    )
    wide, reach = radius * 0.28, radius * 0.72
    bar = rounded_box(wide, length * 0.45, 2 * reach, wide * 0.3, at=(0, length * 0.5, 0), steps=1)
    line = blocks([(-wide * 0.3, length * 0.951, -reach, wide * 0.3, length, -reach * 0.1)])
    skirted = join([body, bar])
    angle = 90.0 if on else 0.0
    wide = radius * 0.16
    lamp = blocks([(-wide, length * 0.25, -radius * 0.98, wide, length * 0.31, -radius * 0.76)])
    return [skirted.turned(y=angle), skirt, line.turned(y=angle), lamp]


BUILDERS: dict[str, Builder] = {"StoveBurner": burner, "StoveKnob": knob}
