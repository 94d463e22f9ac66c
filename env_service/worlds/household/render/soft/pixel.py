"""The colour of samples of a kind, from the triangles and the depths found there.

`color` runs the steps on arrays; `passes` runs the same steps, compiled, on short blocks. What a
step does is written once: here, in `surface`, `materials`, `shadows` and `lighting`.
"""

from typing import NamedTuple

import numpy as np

from env_service.worlds.household.render.soft import shadows
from env_service.worlds.household.render.soft.lighting import (
    Air,
    Lamps,
    added,
    ambient,
    gleam,
    lamp,
    matte,
    mirrored,
    polished,
    towards,
)
from env_service.worlds.household.render.soft.materials import Atlas, map_level, sample
from env_service.worlds.household.render.soft.pixel_ops import (
    HALF,
    ONE,
    ZERO,
    Floats,
    Longs,
    Three,
    clamp,
    shared,
    take,
    take_long,
)
from env_service.worlds.household.render.soft.shadows import ShadowMaps
from env_service.worlds.household.render.soft.surface import (
    Pinhole,
    Planes,
    bent_normal,
    dot,
    level_normal,
    place,
    plane_at,
)

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
    cosine = dot(normal, direction)
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
        return *matte(albedo, light, glow), cosine
    metal = take(looks.metal, triangle)
    colors, at = (albedo, light, shine), (normal, direction, cosine, open_)
    return *glossy(tables.air, colors, (gloss, metal, glow), at), cosine


def patterned(tables: Tables, triangle: Longs, spot: Three, cosine: Floats, albedo: Three) -> Three:
    """The colour times that of the texture."""
    cx, cy, inverse = spot
    p, looks = tables.planes.uv, tables.looks
    u, v = plane_at(p[:3], triangle, cx, cy), plane_at(p[3:], triangle, cx, cy)
    u, v, level = texel(u, v, inverse, take(looks.texels, triangle), cosine)
    found = sample(tables.atlas, take_long(looks.first_map, triangle) + level, u, v)
    return albedo[0] * found[0], albedo[1] * found[1], albedo[2] * found[2]


@shared
def texel(
    u: Floats, v: Floats, inverse: Floats, texels: Floats, cosine: Floats
) -> tuple[Floats, Floats, Longs]:
    """Texture coordinates from u / z and v / z, and which of the texture's maps to use."""
    z = ONE / inverse
    covered = texels * z * z
    level = map_level(covered / np.maximum(np.abs(cosine), EDGE_ON))
    return u * z, v * z, level


def lit(
    tables: Tables, kind: Kind, point: Three, normal: Three, rest: tuple[Three, Floats, Floats]
) -> tuple[Three, Three]:
    """Light that falls on points, and lamps mirrored there; `rest` holds view direction, gloss and
    occlusion."""
    direction, gloss, open_ = rest
    light = ambient(tables.air, normal, open_)
    kept = unhidden(open_)
    none = open_ * ZERO
    shine: Three = (none, none, none)
    for k in range(len(tables.lamps.x)):
        one = lamp(tables.lamps, k)
        x, y, z, strength = towards(one, point)
        if not strength.any():
            continue
        if k < tables.lamps.shadowed:
            strength = strength * shadows.seen(tables.maps, k, point, normal)
        light = added(light, one, falling(normal, (x, y, z), strength, kept))
        if kind.shiny:
            shine = added(shine, one, strength * gleam(normal, direction, (x, y, z), gloss))
    return light, shine


@shared
def unhidden(open_: Floats) -> Floats:
    """The share of a lamp's light that occlusion leaves."""
    return ONE - DIM + DIM * open_


@shared
def falling(normal: Three, lamp_: Three, strength: Floats, kept: Floats) -> Floats:
    """How much of a lamp's light falls on surfaces."""
    return strength * np.maximum(dot(normal, lamp_), ZERO) * kept


@shared
def glossy(
    air: Air,
    colors: tuple[Three, Three, Three],
    looks: tuple[Floats, Floats, Floats],
    at: tuple[Three, Three, Floats, Floats],
) -> Three:
    """The light of shiny surfaces: their diffuse light, lamps mirrored, and the room mirrored.

    `colors` holds albedo, light and lamps mirrored; `looks` gloss, metal and glow; `at` normal,
    view direction, the cosine between them, and occlusion.
    """
    albedo, light, shine = colors
    gloss, metal, glow = looks
    normal, direction, cosine, open_ = at
    diffuse = ONE - metal * (ONE - KEPT)
    own = matte(albedo, (light[0] * diffuse, light[1] * diffuse, light[2] * diffuse), glow)
    own = (own[0] + shine[0], own[1] + shine[1], own[2] + shine[2])
    grazing = clamp(ONE + cosine, ZERO, ONE)
    sheen = gloss * SHEEN * grazing * grazing * grazing * open_ * (ONE - metal)
    mirror = mirrored(air, normal, direction, cosine)
    return polished(own, albedo, mirror, metal * (HALF + HALF * open_), sheen)
