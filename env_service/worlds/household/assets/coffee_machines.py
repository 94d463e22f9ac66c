"""Coffee machines."""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import Span, blocks
from env_service.worlds.household.assets.displays import display
from env_service.worlds.household.assets.joinery import CRACK, cracks
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Lamp,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.shapes import lathe, panel, rounded_box, tube
from env_service.worlds.household.geometry import Vec3

BLACK = Material((0.05, 0.05, 0.055), gloss=0.5)
COFFEE_STREAM = Material((0.33, 0.17, 0.08), opacity=0.95, gloss=0.8)
LIT: Color = (0.25, 1.0, 0.45)
UNLIT: Color = (0.13, 0.17, 0.15)

FINISHES = (
    (Material((0.12, 0.12, 0.13), gloss=0.5), palette.METALS["steel"]),
    (Material((0.52, 0.38, 0.26), gloss=0.45, metal=0.3), BLACK),
    (Material((0.42, 0.05, 0.05), gloss=0.6), BLACK),
    (palette.METALS["steel"], BLACK),
)
"""Body and trim of each kind."""


def coffee_machine(request: AssetRequest) -> Model:
    """A machine with a tray under its spout, where a mug stands; a lamp and a thin stream of
    coffee show that it is on.

    The back holds the water, the head stands over the tray. A broken one has a cracked front, no
    spout, and splinters on its tray.
    """
    w, h, d = request.size.tuple()
    body, trim = request.choose(FINISHES)
    whole = not request.look.broken
    tray, under, back = h * 0.12, h * 0.6, -d / 2
    neck, face = back + d * 0.46, d / 2 - d * 0.1
    spout_z = neck + (face - neck) * 0.55
    x, z0, z1 = w / 2 - min(0.018, w * 0.06), neck + 0.012, d / 2 - 0.02
    plate = (-w * 0.3, tray, neck - 0.002, w * 0.3, under + 0.002, neck + 0.006)
    trims = [blocks([plate], bevel=0.003), _grille(x, z0, z1, tray)]
    cover = rounded_box(w * 0.7, 0.012, d * 0.4, 0.005, steps=1)
    if whole:
        trims.append(_spout(under, spout_z))
    else:
        cover = cover.turned(y=9.0, z=-4.0).moved(y=-w * 0.015)
    parts = [
        Part("body", _shell(request, (tray, under), (neck, face)), body),
        Part("trim", join(trims), trim),
        Part("lid", cover.moved(0, h - 0.012, back + d * 0.3), BLACK),
        *_controls(request, under, face),
    ]
    if not whole:
        parts += _damage(request, under, face, (tray, z0, z1))
    if request.look.on:
        stream = tube([(0, under - 0.05, spout_z), (0, tray + 0.001, spout_z)], 0.0055, sides=6)
        parts.append(Part("stream", stream, COFFEE_STREAM, casts_shadow=False))
    place = Surface((-x, z0), (x, z1), tray, under - 0.05 - tray)
    lamp = (Lamp(Vec3(0, h * 0.8, d / 2), LIT, 0.06, 0.4),) if request.look.on else ()
    return Model(tuple(parts), (place,), lamp)


def _shell(request: AssetRequest, heights: tuple[float, float], ends: tuple[float, float]) -> Mesh:
    """Foot, back and head; `heights` of the tray and of the head's underside, front `ends` of the
    back and of the head."""
    w, h, d = request.size.tuple()
    (tray, under), (neck, face), back = heights, ends, -d / 2
    foot = rounded_box(w, tray - 0.004, d, 0.02, steps=1)
    rear = rounded_box(w * 0.98, h * 0.92, neck - back, 0.03, steps=1)
    head = rounded_box(w * 0.98, h - under, face - back, 0.035, steps=1)
    return join(
        [foot, rear.moved(0, 0.01, (back + neck) / 2), head.moved(0, under, (back + face) / 2)]
    )


def _grille(x: float, z0: float, z1: float, tray: float) -> Mesh:
    """The slotted plate of the drip tray; its top is level with `tray`."""
    count = 7
    step = 2 * x / count
    bars: list[Span] = [
        (-x + (k + 0.14) * step, tray - 0.003, z0, -x + (k + 0.86) * step, tray, z1)
        for k in range(count)
    ]
    return blocks([(-x, tray - 0.006, z0, x, tray - 0.003, z1), *bars])


def _spout(under: float, z: float) -> Mesh:
    """Two short nozzles on a neck below the head."""
    neck = [(0.0, -0.03), (0.02, -0.03), (0.032, 0.004), (0.0, 0.004)]
    pieces = [lathe(neck, sides=14).moved(0, under, z)]
    pieces += [
        tube([(x, under - 0.05, z), (x * 0.6, under - 0.02, z)], 0.007, sides=8)
        for x in (-0.012, 0.012)
    ]
    return join(pieces)


def _controls(request: AssetRequest, under: float, face: float) -> list[Part]:
    """The head's display, buttons and lamp."""
    w, h, _ = request.size.tuple()
    on = request.look.on
    high = h - under
    screen = display("88:88" if on else "0:00", LIT if on else UNLIT, (0.03, 0.05, 0.05))
    glow = 0.7 if on else 0.0
    wide = min(0.11, w * 0.34)
    window = panel(wide, wide * 0.46).moved(w * 0.1, under + high * 0.45, face + 0.0012)
    dot = [(0.0, 0.0), (0.014, 0.0), (0.012, 0.006), (0.0, 0.007)]
    lamp = lathe(dot, sides=14).turned(x=90.0)
    lamp = lamp.moved(-w * 0.3, under + high * 0.55, face)
    ring = lathe([(0.014, 0.0), (0.02, 0.0), (0.02, 0.005), (0.014, 0.005)], sides=14)
    ring = ring.turned(x=90.0).moved(-w * 0.3, under + high * 0.55, face)
    y = under + high * 0.24
    spots = (-w * 0.08, w * 0.04, w * 0.16, w * 0.28)
    keys = blocks(
        [(x - 0.009, y - 0.006, face, x + 0.009, y + 0.006, face + 0.005) for x in spots],
        bevel=0.003,
    )
    return [
        Part("display", window, Material((1, 1, 1), screen, gloss=0.6, glow=glow)),
        Part("lamp", lamp, Material(LIT if on else (0.25, 0.06, 0.05), glow=1.3 if on else 0.0)),
        Part("keys", join([ring, keys]), palette.metal("chrome")),
    ]


def _damage(
    request: AssetRequest, under: float, face: float, tray: tuple[float, float, float]
) -> list[Part]:
    """Cracks over the head's front, and splinters on the tray (its height, and z from and to)."""
    w, h, _ = request.size.tuple()
    lines = cracks(w * 0.9, (h - under) * 0.84, request.variant)
    generator = np.random.default_rng([request.variant, 43])
    top, z0, z1 = tray
    spans: list[Span] = []
    for _ in range(9):
        x, z = generator.uniform(-0.38, 0.38) * w, generator.uniform(z0 + 0.02, z1 - 0.02)
        a, b = generator.uniform(0.006, 0.02, 2)
        spans.append((x - a, top + 0.0005, z - b, x + a, top + 0.004, z + b))
    splinters = blocks(spans, bevel=0.001)
    low = under + (h - under) * 0.08
    return [
        Part("cracks", lines.moved(0, low, face + 0.001), CRACK, casts_shadow=False),
        Part("splinters", splinters, Material((0.75, 0.76, 0.78), gloss=0.6)),
    ]


BUILDERS: dict[str, Builder] = {"CoffeeMachine": coffee_machine}
