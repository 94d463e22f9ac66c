"""How much light a point sends to the eye.

Four lights fall on a point: ambient light, which comes from everywhere, but from below in the
floor's colour; sky light from the side of the windows; lamps, which weaken with distance; and what
a shiny surface mirrors. Mirrored is not the scene but an idea of the room: its ceiling, walls and
floor in their mean colours, brighter towards the windows. Occlusion (0 in a corner, 1 in the open)
takes from ambient light all, from lamps a part: bodies near by also hide what a lamp lights.
"""

from typing import NamedTuple

import numpy as np

from env_service.worlds.household.render.soft.pixel_ops import (
    HALF,
    ONE,
    TWO,
    ZERO,
    Floats,
    Three,
    clamp,
    shared,
)

F4 = np.float32

LAMP_NEAR = F4(0.5)
LAMP_FALL = F4(0.45)
SPECK = F4(1e-6)
DIM = F4(0.45)
"""Share of a lamp's light that occlusion can take."""
BROAD, TIGHT = F4(0.12), F4(0.9)
SHEEN = F4(0.35)
KEPT = F4(0.12)
"""Share of diffuse light that a full metal keeps."""
SIDE = F4(0.3)
THREE, FOUR = F4(3), F4(4)


class Lamps(NamedTuple):
    """The lamps; those that throw shadows come first.

    Attributes:
        x, y, z: float32 [L], metres.
        red, green, blue: float32 [L], linear.
        fade: float32 [L], one over the square of the reach.
        shadowed: how many throw shadows.
    """

    x: Floats
    y: Floats
    z: Floats
    red: Floats
    green: Floats
    blue: Floats
    fade: Floats
    shadowed: int


class Lamp(NamedTuple):
    """One of them, in float32."""

    x: np.float32
    y: np.float32
    z: np.float32
    red: np.float32
    green: np.float32
    blue: np.float32
    fade: np.float32


Numbers = tuple[np.float32, np.float32, np.float32]


class Air(NamedTuple):
    """All light of a room but its lamps'; colours are linear.

    Attributes:
        above, below: ambient light from above and from below.
        sky: sky light; sky_from: where it comes from, unit length.
        ceiling, wall, floor: what a mirror shows of them.
    """

    above: Numbers
    below: Numbers
    sky: Numbers
    sky_from: Numbers
    ceiling: Numbers
    wall: Numbers
    floor: Numbers


@shared
def lamp(lamps: Lamps, k: int) -> Lamp:
    """The k-th lamp."""
    return Lamp(
        lamps.x[k],
        lamps.y[k],
        lamps.z[k],
        lamps.red[k],
        lamps.green[k],
        lamps.blue[k],
        lamps.fade[k],
    )


@shared
def ambient(air: Air, normal: Three, open_: Floats) -> Three:
    """Light from all around and from the windows, where `open_` is the occlusion."""
    nx, ny, nz = normal
    up = ny * HALF + HALF
    side = clamp(nx * air.sky_from[0] + ny * air.sky_from[1] + nz * air.sky_from[2], ZERO, ONE)
    return (
        (air.below[0] + (air.above[0] - air.below[0]) * up + air.sky[0] * side) * open_,
        (air.below[1] + (air.above[1] - air.below[1]) * up + air.sky[1] * side) * open_,
        (air.below[2] + (air.above[2] - air.below[2]) * up + air.sky[2] * side) * open_,
    )


@shared
def towards(one: Lamp, point: Three) -> tuple[Floats, Floats, Floats, Floats]:
    """Unit direction from points to a lamp, and the strength of its light at the points."""
    x: Floats = one.x - point[0]
    y: Floats = one.y - point[1]
    z: Floats = one.z - point[2]
    square = x * x + y * y + z * z + SPECK
    share = np.maximum(ONE - square * one.fade, ZERO)
    short = ONE / np.sqrt(square)
    strength = share * share / (LAMP_NEAR + LAMP_FALL * square)
    return x * short, y * short, z * short, strength


@shared
def added(light: Three, one: Lamp, strength: Floats) -> Three:
    """Light plus a lamp's light of a given strength."""
    return (
        light[0] + strength * one.red,
        light[1] + strength * one.green,
        light[2] + strength * one.blue,
    )


@shared
def gleam(normal: Three, direction: Three, lamp: Three, gloss: Floats) -> Floats:
    """A lamp's mirror image in a glossy surface: a broad gleam and, the glossier, a tight spot."""
    x, y, z = lamp[0] - direction[0], lamp[1] - direction[1], lamp[2] - direction[2]
    length = np.sqrt(x * x + y * y + z * z + SPECK)
    cosine = np.maximum((normal[0] * x + normal[1] * y + normal[2] * z) / length, ZERO)
    p4 = cosine * cosine * cosine * cosine
    p16 = p4 * p4 * p4 * p4
    p128 = p16 * p16
    p128 = p128 * p128 * p128 * p128
    found: Floats = (p16 * BROAD + p128 * gloss * TIGHT) * gloss
    return found


@shared
def mirrored(air: Air, normal: Three, direction: Three, cosine: Floats) -> Three:
    """The idea of the room in the direction that a mirror would show."""
    twice = cosine + cosine
    rx = direction[0] - normal[0] * twice
    ry = direction[1] - normal[1] * twice
    rz = direction[2] - normal[2] * twice
    up = clamp(ry * TWO, ZERO, ONE)
    down = clamp(ZERO - ry * TWO, ZERO, ONE)
    up, down = up * up * (THREE - TWO * up), down * down * (THREE - TWO * down)
    # walls differ, and doors and windows break them up: it shows the roundness of upright things
    broken = rx * (FOUR * rx * rx - THREE)
    side = ONE + SIDE * (np.abs(rx) - np.abs(rz) + broken)
    window = clamp(rx * air.sky_from[0] + ry * air.sky_from[1] + rz * air.sky_from[2], ZERO, ONE)
    window = window * window
    window = window * window
    level = side * (ONE - up - down)
    return (
        air.wall[0] * level + air.ceiling[0] * up + air.floor[0] * down + air.sky[0] * window,
        air.wall[1] * level + air.ceiling[1] * up + air.floor[1] * down + air.sky[1] * window,
        air.wall[2] * level + air.ceiling[2] * up + air.floor[2] * down + air.sky[2] * window,
    )


@shared
def matte(albedo: Three, light: Three, glow: Floats) -> Three:
    """What a surface without gloss sends out."""
    return (
        albedo[0] * (light[0] + glow),
        albedo[1] * (light[1] + glow),
        albedo[2] * (light[2] + glow),
    )


@shared
def polished(own: Three, albedo: Three, mirror: Three, share: Floats, sheen: Floats) -> Three:
    """The surface's light, and over it the mirror image: a share in its colour, and a colourless
    sheen."""
    return (
        own[0] + mirror[0] * (albedo[0] * share + sheen),
        own[1] + mirror[1] * (albedo[1] * share + sheen),
        own[2] + mirror[2] * (albedo[2] * share + sheen),
    )
