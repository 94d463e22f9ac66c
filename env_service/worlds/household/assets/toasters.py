"""Toasters."""

from __future__ import annotations

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.blocks import blocks, hollow
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
from env_service.worlds.household.assets.outlines import grown, rounded_ring
from env_service.worlds.household.assets.plates import Rectangle, lid
from env_service.worlds.household.assets.shapes import lathe, rounded_box
from env_service.worlds.household.assets.skins import cap, skin
from env_service.worlds.household.geometry import Vec3

BLACK = Material((0.05, 0.05, 0.055), gloss=0.5)
HEAT = Material((1.0, 0.36, 0.08), glow=1.1)


def toaster(request: AssetRequest) -> Model:
    """A toaster with two slots, four if it is wide; the lever is at a short side. While it is on
    the slots glow and the lever is down.

    Surfaces: the bottoms of the slots, in which slices stand.
    """
    w, h, d = request.size.tuple()
    along_x = w > d * 1.05
    across, length = (d, w) if along_x else (w, d)
    material = request.choose(
        (
            palette.metal("steel"),
            Material((0.40, 0.05, 0.05), gloss=0.6),
            Material((0.11, 0.11, 0.12), gloss=0.5),
            Material((0.85, 0.82, 0.74), gloss=0.5),
        )
    )
    slots = _slots(across, length)
    body, black, heat, lever = _toaster_meshes(across, length, h, slots, on=request.look.on)
    low = h * 0.42
    surfaces = tuple(Surface((a, b), (c, e), low, 10.0) for a, b, c, e in slots)
    parts = [("body", body, material), ("base", black, BLACK), ("lever", lever, BLACK)]
    inner = HEAT if request.look.on else Material((0.07, 0.06, 0.06), gloss=0.1)
    parts.append(("slots", heat, inner))
    if along_x:
        parts = [(name, mesh.turned(y=90.0), made) for name, mesh, made in parts]
        surfaces = tuple(
            Surface((s.low[1], -s.high[0]), (s.high[1], -s.low[0]), s.height, s.clearance)
            for s in surfaces
        )
    lamps = (Lamp(Vec3(0, h + 0.05, 0), (1.0, 0.4, 0.1), 0.15, 0.6),) if request.look.on else ()
    return Model(tuple(Part(*part) for part in parts), surfaces, lamps)


def _slots(across: float, length: float) -> list[Rectangle]:
    """Openings for the slices, along z."""
    count = 4 if across > 0.27 else 2
    wide = min(0.034, across * 0.8 / count * 0.55)
    step = across * (0.78 if count == 4 else 0.62) / count
    half = min(length * 0.36, 0.15)
    middles = [(k - (count - 1) / 2) * step for k in range(count)]
    return [(x - wide / 2, -half, x + wide / 2, half) for x in middles]


def _toaster_meshes(
    across: float, length: float, h: float, slots: list[Rectangle], *, on: bool
) -> tuple[Mesh, Mesh, Mesh, Mesh]:
    """Body, black base with knob, slot liners and lever, lengthwise along z."""
    lever_room = 0.022
    base_top = h * 0.14
    area = (-across / 2, -length / 2, across / 2, length / 2 - lever_room)
    radius = min(across, length) * 0.24
    shoulder = min(0.035, across * 0.16)

    def ring(inset: float, y: float) -> tuple[float, float, float, float, float, float]:
        x0, z0, x1, z1 = area
        return (x0 + inset, z0 + inset, x1 - inset, z1 - inset, max(radius - inset, 0.01), y)

    levels = [
        ring(0.003, base_top),
        ring(0.0, h * 0.45),
        ring(shoulder * 0.1, h - shoulder),
        ring(shoulder * 0.4, h - shoulder * 0.35),
        ring(shoulder, h),
    ]
    rings = [rounded_ring(level[:4], level[4], level[5]) for level in levels]
    top = [(float(x), float(z)) for x, _, z in rings[-1]]
    walls = skin(rings)
    cover = lid(top, h, holes=slots, tile=0.2)
    low = [rounded_ring(grown(area, -0.01), radius, y) for y in (0.0, base_top + 0.002)]
    base = [skin(low), cap(low[1]), cap(low[0], -1)]
    face = area[3]
    for x in (-across * 0.22, across * 0.22) if across > 0.27 else (-across * 0.25,):
        knob = lathe([(0, 0), (0.014, 0), (0.012, 0.016), (0, 0.017)], sides=12)
        base.append(knob.turned(x=90.0).moved(x, h * 0.3, face - 0.002))
    track = (-0.004, h * 0.28, face - 0.004, 0.004, h * 0.82, face + 0.002)
    base.append(blocks([track]))
    y = h * 0.36 if on else h * 0.72
    lever = rounded_box(0.05, 0.016, 0.024, 0.006, at=(0, y, face + 0.011), steps=1)
    liners = [hollow((a, h * 0.42, b, c, h, e)) for a, b, c, e in slots]
    return join([walls, cover]), join(base), join(liners), lever


BUILDERS: dict[str, Builder] = {"Toaster": toaster}
