"""Pillows, teddy bears, boots."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from env_service.worlds.household.assets import shapes, textures
from env_service.worlds.household.assets.bearing import along, laid_flat, lengthwise, long_axis
from env_service.worlds.household.assets.canvas import Canvas
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import AssetRequest, Builder, Model, Part
from env_service.worlds.household.assets.shapes import Point3
from env_service.worlds.household.assets.skins import Array, egg, skin

PILLOWS: tuple[tuple[str, Color, Color], ...] = (
    ("plain", (0.86, 0.84, 0.79), (0.86, 0.84, 0.79)),
    ("stripes", (0.84, 0.82, 0.76), (0.25, 0.38, 0.55)),
    ("plain", (0.62, 0.22, 0.20), (0.62, 0.22, 0.20)),
    ("diamonds", (0.26, 0.38, 0.40), (0.85, 0.72, 0.42)),
    ("plain", (0.40, 0.48, 0.36), (0.40, 0.48, 0.36)),
    ("dots", (0.80, 0.66, 0.36), (0.93, 0.90, 0.82)),
    ("bands", (0.55, 0.50, 0.46), (0.88, 0.85, 0.80)),
    ("plain", (0.30, 0.36, 0.48), (0.30, 0.36, 0.48)),
)
"""Pattern, ground and figure."""


def pillow(request: AssetRequest) -> Model:
    """A plump cushion with pinched corners and a piped seam; a bolster where two sides of the box
    are equal and less than 0.62 of the third."""
    extents = sorted(request.size.tuple())
    material = _fabric(*request.choose(PILLOWS))
    if extents[1] < 0.62 * extents[2] and extents[0] > 0.9 * extents[1]:
        axis = long_axis(request.size)
        across, thick, length = lengthwise(request.size, axis).tuple()
        return along(_bolster(material, across, thick, length), request.size, axis)
    return laid_flat(request, lambda order, w, h, d: _cushion(order, material, w, h, d))


def _cushion(request: AssetRequest, material: Material, w: float, h: float, d: float) -> Model:
    n = 13
    line = np.sin(np.linspace(-1, 1, n) * math.pi / 2)
    u, v = np.meshgrid(line, line, indexing="ij")
    puff = ((1 - u**4) * (1 - v**4)).clip(0) ** 0.55
    pinch_u = 1 - 0.07 * (1 - v**2) * np.abs(u) ** 3
    pinch_v = 1 - 0.07 * (1 - u**2) * np.abs(v) ** 3
    x, z = u * pinch_u * w / 2, v * pinch_v * d / 2
    seam = 0.46 * h
    wrinkle = 1 + 0.03 * np.sin(u * 5 + request.variant % 7) * np.sin(v * 4 + 1) - 0.03
    top = seam + (h - seam) * puff * wrinkle
    bottom = seam - seam * puff * (0.5 + 0.5 * puff)
    k, m = (a.ravel() for a in np.meshgrid(range(n - 1), range(n - 1), indexing="ij"))
    a = k * n + m
    faces = np.concatenate([np.stack([a, a + 1, a + n + 1], 1), np.stack([a, a + n + 1, a + n], 1)])
    uv = np.stack([0.5 - u.ravel() / 2, 0.5 - v.ravel() / 2], 1)
    sheets = []
    for y, sign in ((top, 1), (bottom, -1)):
        points = np.stack([x, y, z], 2).reshape(-1, 3)
        up = np.tile([0.0, float(sign), 0.0], (len(points), 1))
        sheets.append(Mesh.of(points, up, uv, faces if sign > 0 else faces[:, ::-1]))
    cushion = shapes.smoothed(join(sheets))
    # at the four corners top and bottom lie flat on each other: there it looks outwards
    flat = (cushion.normals**2).sum(1, keepdims=True) < 0.5
    outwards = cushion.points - np.array([0.0, seam, 0.0])
    normals = np.where(flat, outwards, cushion.normals)
    cushion = Mesh.of(cushion.points, normals, cushion.uv, cushion.faces)
    border = np.stack([x, np.full_like(x, seam), z], 2) * np.array([0.992, 1.0, 0.992])
    rim = np.concatenate([border[0, :-1], border[:-1, -1], border[-1, :0:-1], border[:0:-1, 0]])
    piping = shapes.tube(
        [(float(px), float(py), float(pz)) for px, py, pz in rim], 0.0045, sides=5, closed=True
    )
    red, green, blue = request.choose(PILLOWS)[1]
    trim = Material((0.72 * red, 0.72 * green, 0.72 * blue), gloss=0.0)
    return Model((Part("cushion", cushion, material), Part("piping", piping, trim)))


def _bolster(material: Material, across: float, thick: float, length: float) -> Model:
    rx, ry = across / 2, thick / 2
    profile = [
        (0.0, 0.02), (0.25, 0.0), (0.7, 0.005), (0.93, 0.04), (1.0, 0.1), (1.0, 0.9), (0.93, 0.96),
        (0.7, 0.995), (0.25, 1.0), (0.0, 0.98),
    ]  # fmt: skip
    body = shapes.lathe(profile, sides=24, crease=70, wrap=True).scaled(rx, length, ry)
    return Model(
        (Part("cushion", body.mapped(3.0, 2.0).turned(x=90).moved(0, ry, -length / 2), material),)
    )


@cache
def _fabric(kind: str, ground: Color, figure: Color) -> Material:
    size = 128
    if kind == "plain":
        return Material((1.0, 1.0, 1.0), textures.cloth(ground), gloss=0.0)
    board = Canvas(ground, size)
    if kind == "stripes":
        for k in range(6):
            board.rect((k / 6 + 0.03, 0, k / 6 + 0.1, 1), figure)
    elif kind == "bands":
        for low in (0.2, 0.3, 0.4, 0.6, 0.7):
            board.rect((0, low, 1, low + 0.05), figure)
    elif kind == "dots":
        for row in range(6):
            for column in range(6):
                board.disc((column + 0.3 + 0.4 * (row % 2)) / 6, (row + 0.5) / 6, 0.032, figure)
    else:
        for k in range(-4, 5):
            board.line((k / 4, 0), (k / 4 + 1, 1), 0.03, figure)
            board.line((k / 4 + 1, 0), (k / 4, 1), 0.03, figure)
    board.pixels *= (0.86 + 0.18 * textures.noise(size, 40, 8, octaves=2))[..., None]
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.0)


@cache
def _fur(color: Color) -> Material:
    fuzz = textures.noise(64, 24, 12, octaves=2)
    return Material(
        (1.0, 1.0, 1.0),
        textures.picture(np.array(color) * (0.72 + 0.4 * fuzz)[..., None]),
        gloss=0.0,
    )


EYES = Material((0.05, 0.04, 0.04), gloss=0.6)

Ball = tuple[tuple[float, float, float], tuple[float, float, float], int]
"""An ellipsoid in shares of a box: centre (x and z from the middle), radii, sides."""


def _both(*balls: Ball) -> tuple[Ball, ...]:
    """Balls and their mirror images."""
    return tuple(
        ((side * center[0], center[1], center[2]), radii, sides)
        for center, radii, sides in balls
        for side in (-1, 1)
    )


BEAR: tuple[Ball, ...] = (
    ((0.0, 0.27, -0.18), (0.25, 0.27, 0.30), 14),
    ((0.0, 0.70, -0.10), (0.24, 0.215, 0.30), 14),
    *_both(((0.2, 0.90, -0.12), (0.085, 0.095, 0.07), 10)),
)
"""Body, head, ears."""

PALE_FUR: tuple[Ball, ...] = (
    ((0.0, 0.635, 0.14), (0.12, 0.1, 0.13), 10),
    ((0.0, 0.28, 0.02), (0.16, 0.18, 0.13), 10),
    *_both(
        ((0.2, 0.90, -0.075), (0.05, 0.058, 0.04), 7),
        ((0.275, 0.118, 0.385), (0.075, 0.09, 0.05), 7),
        ((0.42, 0.25, 0.085), (0.055, 0.06, 0.06), 7),
    ),
)
"""Muzzle, belly, inside of the ears, soles, paws."""

FACE: tuple[Ball, ...] = (
    *_both(((0.085, 0.755, 0.165), (0.026, 0.03, 0.03), 6)),
    ((0.0, 0.675, 0.262), (0.042, 0.03, 0.03), 10),
)
"""Eyes and nose."""

BOW: tuple[Ball, ...] = (
    *_both(((0.075, 0.5, 0.17), (0.075, 0.055, 0.05), 7)),
    ((0.0, 0.5, 0.2), (0.03, 0.035, 0.04), 8),
)


def teddy_bear(request: AssetRequest) -> Model:
    """A bear that sits and faces the front: belly, round ears, muzzle, paws with pads, a bow."""
    w, h, d = request.size.tuple()
    brown: Color = request.choose(((0.55, 0.33, 0.16), (0.74, 0.56, 0.34), (0.40, 0.25, 0.16)))
    ribbon: Color = request.choose(((0.75, 0.10, 0.14), (0.14, 0.32, 0.66)), 1)
    thick = min(0.095 * w, 0.12 * d, 0.1 * h)
    limbs = []
    for side in (-1, 1):
        arm = (side * 0.19 * w, 0.46 * h, -0.12 * d), (side * 0.42 * w, 0.26 * h, 0.06 * d)
        leg = (side * 0.13 * w, 0.12 * h, -0.05 * d), (side * 0.27 * w, 0.115 * h, 0.34 * d)
        limbs += [_limb(*arm, thick * 0.9), _limb(*leg, thick * 1.05)]
    mouth = shapes.tube(
        [
            (x * w, y * h, z * d)
            for x, y, z in ((-0.05, 0.61, 0.245), (0, 0.595, 0.272), (0.05, 0.61, 0.245))
        ],
        0.004,
        sides=5,
    )
    size = (w, h, d)
    return Model(
        (
            Part("fur", join([*_balls(BEAR, size), *limbs]), _fur(brown)),
            Part("pale fur", join(_balls(PALE_FUR, size)), _fur((0.86, 0.74, 0.54))),
            Part("face", join([*_balls(FACE, size), mouth]), EYES),
            Part("bow", join(_balls(BOW, size)), Material(ribbon, gloss=0.3)),
        )
    )


def _balls(balls: tuple[Ball, ...], size: Point3) -> list[Mesh]:
    w, h, d = size
    return [
        shapes.ball(
            rx * w, ry * h, rz * d, sides=sides, rings=max(4, sides // 2), at=(x * w, y * h, z * d)
        )
        for (x, y, z), (rx, ry, rz), sides in balls
    ]


def _limb(start: Point3, end: Point3, thick: float) -> Mesh:
    """A sausage."""
    a, b = np.array(start), np.array(end)
    shares = np.linspace(0, 1, 7)
    line = a + (b - a) * shares[:, None]
    radii = thick * np.sqrt(np.clip(1 - (2 * shares - 1) ** 4, 0.02, 1))
    return shapes.tube([(x, y, z) for x, y, z in line.tolist()], radii.tolist(), sides=8)


Slices = tuple[tuple[float, float, float, float], ...]
"""Level slices of a boot: share of the width, where it ends in front and begins at the back as
shares of the depth from the heel, height as a share of the boot's."""

SOLE: Slices = ((0.92, 0.99, 0, 0), (1, 1, 0, 0.02), (1, 1, 0, 0.055), (0.95, 0.98, 0, 0.06))
UPPER: Slices = (
    (0.92, 0.975, 0.0, 0.058),
    (0.95, 0.97, 0.0, 0.10),
    (0.94, 0.93, 0.0, 0.15),
    (0.88, 0.84, 0.0, 0.195),
    (0.82, 0.72, 0.0, 0.23),
    (0.78, 0.63, 0.03, 0.28),
    (0.78, 0.60, 0.04, 0.36),
    (0.86, 0.63, 0.02, 0.6),
    (0.95, 0.68, 0.0, 0.9),
    (0.98, 0.70, 0.0, 0.985),
)
RIM: Slices = ((0.98, 0.70, 0.0, 0.985), (1.0, 0.71, 0.0, 1.0), (0.92, 0.685, 0.02, 1.0))
STRAP: Slices = (
    (0.80, 0.64, 0.025, 0.30),
    (0.83, 0.65, 0.015, 0.31),
    (0.83, 0.64, 0.02, 0.34),
    (0.80, 0.615, 0.035, 0.35),
)
LINING: Slices = ((0.92, 0.685, 0.02, 1.0), (0.84, 0.64, 0.05, 0.8), (0.7, 0.55, 0.1, 0.45))


def boots(request: AssetRequest) -> Model:
    """A pair of boots side by side, toes to the front."""
    w, h, d = request.size.tuple()
    color: Color = request.choose(((0.38, 0.23, 0.13), (0.10, 0.10, 0.11), (0.22, 0.33, 0.20)))
    each = w / 2 * 0.94

    def slices(table: Slices) -> list[Array]:
        rings = []
        for width, front, back, y in table:
            low, high = (back - 0.5) * d, (front - 0.5) * d
            middle = low + (high - low) * 0.45
            rings.append(
                egg(each / 2 * width, high - middle, middle - low, y * h, at=(0, middle),
                    square=1.5, sides=14)
            )  # fmt: skip
        return rings

    def pair(*meshes: Mesh) -> Mesh:
        return join([mesh.moved(side * w / 4) for side in (-1, 1) for mesh in meshes])

    heel = shapes.rounded_box(each * 0.84, 0.036 * h, d * 0.3, 0.006, at=(0, 0, -0.33 * d), steps=1)
    sole = skin(slices(SOLE), low=True, high=True)
    return Model(
        (
            Part(
                "boots", pair(skin(slices(UPPER)), skin(slices(RIM))), Material(color, gloss=0.35)
            ),
            Part("soles", pair(sole, heel, skin(slices(STRAP))), Material((0.13, 0.11, 0.10))),
            Part(
                "lining",
                pair(skin(slices(LINING), high=True)),
                Material((0.62, 0.50, 0.36), gloss=0.0),
            ),
        )
    )


BUILDERS: dict[str, Builder] = {"Pillow": pillow, "TeddyBear": teddy_bear, "Boots": boots}
