"""Television sets and light switches; and the screens that computers share."""

from __future__ import annotations

import math
from collections.abc import Callable

from env_service.worlds.household.assets import artwork, shapes
from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.material import Material, Texture
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Motion,
    Part,
)

BLACK = Material((0.05, 0.05, 0.055), gloss=0.35)
SILVER = Material((0.70, 0.71, 0.73), gloss=0.5, metal=0.5)
CRACK = Material((0.88, 0.92, 0.96), gloss=0.2, glow=0.25, two_sided=True)


def screen_parts(
    request: AssetRequest,
    picture: Texture,
    width: float,
    height: float,
    *,
    place: Callable[[Mesh], Mesh],
    motion: Motion | None = None,
) -> list[Part]:
    """A screen of that size: dark or showing the picture, cracked if broken. `place` moves what
    was made in the plane z = 0, over y in [0, height], to where the screen is."""
    on = request.look.on and not request.look.broken
    lit = Material((0.95, 0.95, 0.95), picture, gloss=0.15, glow=0.85)
    dark = Material((1.0, 1.0, 1.0), artwork.dark_screen(), gloss=0.7)
    parts = [Part("screen", place(shapes.panel(width, height)), lit if on else dark, motion)]
    if request.look.broken:
        thick = round(max(0.0028, min(width, height) * 0.007), 4)
        decal = fp.cracks(round(width, 3), round(height, 3), request.variant % 5, thick=thick)
        parts.append(
            Part("cracks", place(decal.moved(z=0.0008)), CRACK, motion, casts_shadow=False)
        )
    return parts


def television(request: AssetRequest) -> Model:
    """A flat television. On a foot if its box is deeper than 0.12 m, else hanging on the wall
    behind it."""
    w, h, d = request.size.tuple()
    standing = d > 0.12
    picture = request.choose((artwork.landscape(3), artwork.news(), artwork.football()))
    frame = request.choose((BLACK, BLACK, SILVER), salt=1)
    bezel, thick = max(0.014, h * 0.02), min(0.05, d * 0.6) if standing else min(d, 0.06)
    foot = min(0.10, h * 0.11) if standing else 0.0
    front = thick / 2 if standing else d / 2
    high = h - foot
    case = fp.blocks([(-w / 2, w / 2, foot, h, front - thick, front - 0.002)], 0.008)
    bulge = fp.blocks(
        [
            (
                -w * 0.3,
                w * 0.3,
                foot + high * 0.08,
                foot + high * 0.6,
                max(front - thick - 0.03, -d / 2),
                front - thick + 0.006,
            )
        ],
        0.01,
    )
    shell = [case, bulge]
    if not standing and d > thick + 0.01:
        shell.append(
            fp.boards([(-w * 0.12, w * 0.12, h * 0.3, h * 0.7, -d / 2, front - thick + 0.005)])
        )
    parts = [Part("case", join(shell), frame)]
    if standing:
        parts.append(Part("foot", _stand(w, foot, d, splayed=frame is SILVER), frame))
    wide, tall = w - 2 * bezel, high - 2.6 * bezel
    parts += screen_parts(
        request,
        picture,
        wide,
        tall,
        place=lambda mesh: mesh.moved(0, foot + 1.6 * bezel, front - 0.0008),
    )
    light = (0.15, 0.85, 0.35) if request.look.on else (0.65, 0.08, 0.06)
    led = fp.boards(
        [(-0.006, 0.006, foot + bezel * 0.6, foot + bezel, front - 0.004, front - 0.001)]
    )
    parts.append(Part("led", led, Material(light, glow=0.9), casts_shadow=False))
    return Model(tuple(parts))


def _stand(w: float, foot: float, d: float, *, splayed: bool) -> Mesh:
    """A plate with a neck, or two splayed feet."""
    if splayed:
        rods: list[fp.Rod] = []
        for s in (-1, 1):
            x = s * w * 0.36
            rods += [
                ((x, foot + 0.01, 0), (x + s * 0.02, 0.008, z), 0.009, 0.008)
                for z in (-d / 2 + 0.01, d / 2 - 0.01)
            ]
        return fp.rods(rods)
    plate = fp.tub(
        [(0.0, 0.0), (1.0, 0.0), (1.0, 0.010), (0.97, 0.016), (0.0, 0.016)],
        min(w * 0.55, 0.7),
        d,
        power=4.0,
    )
    neck = fp.blocks([(-w * 0.07, w * 0.07, 0.014, foot + 0.02, -0.02, 0.015)], 0.008)
    return join([plate, neck])


def light_switch(request: AssetRequest) -> Model:
    """A plate with one to three toggles: up with a lit pilot lamp when on, down when off."""
    w, h, d = request.size.tuple()
    count = max(1, min(4, round(w / 0.075)))
    plate_d = min(0.009, d * 0.45)
    back = -d / 2
    ivory = Material(
        request.choose(((0.90, 0.89, 0.85), (0.82, 0.76, 0.64), (0.93, 0.93, 0.94))), gloss=0.3
    )
    metal = Material((0.72, 0.73, 0.75), gloss=0.6, metal=0.6)
    plate = fp.blocks([(-w / 2, w / 2, 0, h, back, back + plate_d)], 0.004)
    on = request.look.on
    reach = d - plate_d
    tilt = -28.0 if on else 28.0
    levers, wells, pilots, screws = [], [], [], []
    for k in range(count):
        x = (k - (count - 1) / 2) * w / count
        half = min(0.016, w / count * 0.24)
        front = back + plate_d
        wells.append((x - half, x + half, h * 0.28, h * 0.72, front - 0.001, front + 0.0008))
        length = min(reach / math.cos(math.radians(28.0)) * 0.88, h * 0.3)
        lever = fp.blocks([(-half * 0.62, half * 0.62, -0.008, 0.008, 0, length)], 0.004)
        levers.append(lever.turned(x=tilt).moved(x, h / 2, front - 0.002))
        level = h * 0.84
        pilots.append(
            (x - 0.006, x + 0.006, level - 0.004, level + 0.004, front - 0.001, front + 0.0015)
        )
        screws += [
            ((x, y, front - 0.001), (x, y, front + 0.001), 0.004, 0.004)
            for y in (h * 0.12, h * 0.93)
        ]
    glow = Material((1.0, 0.55, 0.12), glow=1.0) if on else Material((0.25, 0.16, 0.10), gloss=0.4)
    return Model(
        (
            Part("plate", plate, ivory),
            Part("wells", fp.boards(wells), Material((0.30, 0.29, 0.27))),
            Part("levers", join(levers), ivory),
            Part("pilots", fp.boards(pilots), glow, casts_shadow=False),
            Part("screws", fp.rods(screws), metal),
        )
    )


BUILDERS: dict[str, Builder] = {
    "LightSwitch": light_switch,
    "Television": television,
}
