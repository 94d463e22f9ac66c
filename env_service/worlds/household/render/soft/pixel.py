"""The colour of one sample, or of many of a kind, from the triangle and the depth found there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from env_service.worlds.household.render.soft import shadows
from env_service.worlds.household.render.soft.lanes import (
    HALF,
    ONE,
    ZERO,
    Floats,
    Longs,
    Three,
    all_zero,
    clamp,
    shared,
    take,
    take_long,
)
from env_service.worlds.household.render.soft.lighting import (
    Air,
    Lamps,
    ambient,
    gleam,
    matte,
    mirrored,
    polished,
    towards,
)
from env_service.worlds.household.render.soft.planes import Planes
from env_service.worlds.household.render.soft.shadows import ShadowMaps
from env_service.worlds.household.render.soft.surface import (
    Pinhole,
    bent_normal,
    level_normal,
    place,
)
from env_service.worlds.household.render.soft.textures import Atlas, map_level, sample

F4 = np.float32

EDGE_ON = F4(0.05)
"""Least cosine that is believed when the size of a pixel on a surface is reckoned."""

DIM = F4(0.45)
"""Share of a lamp's light that occlusion can take."""

KEPT = F4(0.12)
"""Share of diffuse light that a full metal keeps."""

SHEEN = F4(0.35)
"""Strength of the mirror image in a glossy surface seen edge-on."""


class Looks(NamedTuple):
    """What triangles are made of, float32 [V] each unless said otherwise.

    Attributes:
        red, green, blue: linear colour.
        opacity, gloss, metal, glow: as in Material.
        first_map: int64 [V], place of the texture's first map in the atlas.
        texels: texels that a sample covers at a distance of one metre, seen straight.
    """

    red: Floats
    green: Floats
    blue: Floats
    opacity: Floats
    gloss: Floats
    metal: Floats
    glow: Floats
    first_map: Longs
    texels: Floats


class Tables(NamedTuple):
    """All that colours of a view are looked up in; `planes` and `looks` are of its triangles."""

    eye: Pinhole
    planes: Planes
    looks: Looks
    atlas: Atlas
    air: Air
    lamps: Lamps
    maps: ShadowMaps


class Kind(NamedTuple):
    """What work a triangle needs: a normal that changes over it, texels, mirror images."""

    bent: bool
    patterned: bool
    shiny: bool


@shared
def color(
    tables: Tables, kind: Kind, triangle: Longs, spot: Three, open_: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Linear red, green and blue of samples of a kind, and the cosine between the surface's normal
    and the view direction (negative).

    `spot` holds the samples' tangents and 1/z, `open_` the occlusion there.
    """
    cx, cy, inverse = spot
    point, direction = place(tables.eye, cx, cy, inverse)
    if kind.bent:
        normal = bent_normal(tables.planes, triangle, cx, cy)
    else:
        normal = level_normal(tables.planes, triangle)
    cosine = normal[0] * direction[0] + normal[1] * direction[1] + normal[2] * direction[2]
    looks = tables.looks
    albedo = (
        take(looks.red, triangle),
        take(looks.green, triangle),
        take(looks.blue, triangle),
    )
    if kind.patterned:
        albedo = patterned(tables, triangle, spot, cosine, albedo)
    glow = take(looks.glow, triangle)
    gloss = take(looks.gloss, triangle) if kind.shiny else glow
    light, shine = lit(tables, kind, point, normal, (direction, gloss, open_))
    if not kind.shiny:
        own = matte(albedo, light, glow)
        return own[0], own[1], own[2], cosine
    metal = take(looks.metal, triangle)
    diffuse = ONE - metal * (ONE - KEPT)
    own = matte(albedo, (light[0] * diffuse, light[1] * diffuse, light[2] * diffuse), glow)
    own = (own[0] + shine[0], own[1] + shine[1], own[2] + shine[2])
    grazing = clamp(ONE + cosine, ZERO, ONE)
    sheen = gloss * SHEEN * grazing * grazing * grazing * open_ * (ONE - metal)
    mirror = mirrored(tables.air, normal, direction, cosine)
    own = polished(own, albedo, mirror, metal * (HALF + HALF * open_), sheen)
    return own[0], own[1], own[2], cosine


@shared
def patterned(tables: Tables, triangle: Longs, spot: Three, cosine: Floats, albedo: Three) -> Three:
    """The colour times that of the texture."""
    cx, cy, inverse = spot
    z = ONE / inverse
    p = tables.planes.uv
    u = (take(p[0], triangle) * cx + take(p[1], triangle) * cy + take(p[2], triangle)) * z
    v = (take(p[3], triangle) * cx + take(p[4], triangle) * cy + take(p[5], triangle)) * z
    covered = take(tables.looks.texels, triangle) * z * z
    level = map_level(covered / np.maximum(np.abs(cosine), EDGE_ON))
    found = sample(tables.atlas, take_long(tables.looks.first_map, triangle) + level, u, v)
    return albedo[0] * found[0], albedo[1] * found[1], albedo[2] * found[2]


@shared
def lit(
    tables: Tables, kind: Kind, point: Three, normal: Three, rest: tuple[Three, Floats, Floats]
) -> tuple[Three, Three]:
    """Light that falls on points, and lamps mirrored there; `rest` holds view direction, gloss and
    occlusion."""
    direction, gloss, open_ = rest
    red, green, blue = ambient(tables.air, normal, open_)
    lamps = tables.lamps
    kept = ONE - DIM + DIM * open_
    shine_red = open_ * ZERO
    shine_green, shine_blue = shine_red, shine_red
    for k in range(len(lamps.x)):
        x, y, z, strength = towards(lamps, k, point)
        if all_zero(strength):
            continue
        if k < lamps.shadowed:
            strength = strength * shadows.seen(tables.maps, k, point, normal)
        cosine = np.maximum(normal[0] * x + normal[1] * y + normal[2] * z, ZERO)
        falls = strength * cosine * kept
        red = red + falls * lamps.red[k]
        green = green + falls * lamps.green[k]
        blue = blue + falls * lamps.blue[k]
        if kind.shiny:
            spot = strength * gleam(normal, direction, (x, y, z), gloss)
            shine_red = shine_red + spot * lamps.red[k]
            shine_green = shine_green + spot * lamps.green[k]
            shine_blue = shine_blue + spot * lamps.blue[k]
    return (red, green, blue), (shine_red, shine_green, shine_blue)
