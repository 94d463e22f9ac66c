"""What bathrooms and floors are cleaned with: soap, brush, plunger, tissues, vacuum cleaner."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.lofts import (
    Array,
    ellipse,
    path,
    rounded_rect,
    skin,
    skin_faces,
)
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Part,
    along,
    join,
    lengthwise,
    long_axis,
)
from env_service.worlds.household.assets.painted_textures import Canvas
from env_service.worlds.household.geometry import Vec3

RUBBER = Material((0.55, 0.13, 0.10), gloss=0.3)
BLACK_RUBBER = Material((0.10, 0.10, 0.11), gloss=0.3)
DARK = Material((0.05, 0.05, 0.06), gloss=0.1)


def soap_bar(request: AssetRequest) -> Model:
    """A rounded bar with a pressed oval on top."""
    w, h, d = request.size.tuple()
    color = request.choose(((0.90, 0.72, 0.74), (0.68, 0.82, 0.62), (0.93, 0.88, 0.70)))
    cut = 0.18 * min(w, d)

    def ring(inset: float, y: float) -> Array:
        return rounded_rect(w - 2 * inset, d - 2 * inset, 0.3 * min(w, d), y)

    bar = skin(
        [
            ring(cut, 0.0),
            ring(cut * 0.25, h * 0.15),
            ring(0.0, h * 0.42),
            ring(cut * 0.2, h * 0.75),
            ring(cut * 0.8, h * 0.96),
            ring(cut * 1.3, h),
            ring(cut * 1.5, h * 0.93),
        ],
        low=True,
        high=True,
    )
    return Model((Part("soap", bar, Material(color, gloss=0.35)),))


def scrub_brush(request: AssetRequest) -> Model:
    """A toilet brush in its pot, bristles showing at the pot's mouth."""
    axis = long_axis(request.size)
    built = _upright_brush(request, _upright(request.size, axis))
    return built if axis == "y" else _laid(built, request.size, axis)


def _upright_brush(request: AssetRequest, size: Vec3) -> Model:
    w, h, d = size.tuple()
    r = min(w, d) / 2
    color: Color = request.choose(((0.90, 0.90, 0.90), (0.30, 0.45, 0.60)))
    plastic = Material(color, gloss=0.5)
    pot = [
        (0.0, 0.0), (r, 0.0), (r, 0.02 * h), (0.8 * r, 0.06 * h), (0.78 * r, 0.32 * h),
        (0.84 * r, 0.36 * h), (0.76 * r, 0.36 * h), (0.70 * r, 0.29 * h), (0.0, 0.29 * h),
    ]  # fmt: skip
    stem = [
        (0.012, 0.36 * h), (0.012, 0.48 * h), (0.009, 0.6 * h), (0.011, 0.8 * h),
        (0.016, 0.87 * h), (0.019, 0.95 * h), (0.013, 0.99 * h), (0.0, h),
    ]  # fmt: skip
    tuft = shapes.ball(0.6 * r, 0.075 * h, 0.6 * r, sides=16, rings=8)
    tuft = shapes.bumpy(tuft, 0.06, np.random.default_rng(7), 9.0)
    reach = float(np.abs(np.array(tuft.bounds))[:, [0, 2]].max())
    fit = min(1.0, 0.68 * r / reach)
    tuft = tuft.scaled(fit, 1.0, fit).moved(0, 0.38 * h, 0)
    return Model(
        (
            Part("pot", shapes.lathe(pot, sides=20), plastic),
            Part("bristles", tuft, Material((0.80, 0.86, 0.90), gloss=0.05)),
            Part("stem", shapes.lathe(stem, sides=14, crease=60), plastic),
        )
    )


def plunger(request: AssetRequest) -> Model:
    """A rubber cup on a wooden stick."""
    axis = long_axis(request.size)
    w, h, d = _upright(request.size, axis).tuple()
    radius = min(w, d) / 2
    cup_h = 0.2 * h
    cup = shapes.lathe(
        [
            (radius * 0.92, 0.0),
            (radius, 0.012 * h),
            (radius * 0.96, 0.05 * h),
            (radius * 0.82, 0.11 * h),
            (radius * 0.50, 0.155 * h),
            (radius * 0.30, 0.17 * h),
            (radius * 0.28, cup_h),
            (0.0, cup_h),
        ],
        sides=22,
        crease=50,
    )
    inside = shapes.lathe(
        [(0.0, 0.14 * h), (radius * 0.45, 0.13 * h), (radius * 0.92, 0.0)], sides=22
    ).flipped()
    stick = shapes.lathe(
        [(0.012, cup_h * 0.9), (0.012, 0.985 * h), (0.008, h), (0.0, h)], sides=12, wrap=True
    )
    wood = request.choose((palette.wood("pine"), palette.wood("cherry"), palette.wood("oak")), 1)
    rubber = request.choose((RUBBER, BLACK_RUBBER, Material((0.75, 0.30, 0.12), gloss=0.3)))
    built = Model((Part("cup", join([cup, inside]), rubber), Part("stick", stick, wood)))
    return built if axis == "y" else _laid(built, request.size, axis)


def _upright(size: Vec3, axis: str) -> Vec3:
    """The box as a builder of upright things should see it."""
    across, thick, length = lengthwise(size, axis).tuple()
    return Vec3(across, length, thick)


def _laid(built: Model, size: Vec3, axis: str) -> Model:
    """An upright model laid down along a level axis of the real box."""
    across, thick, length = lengthwise(size, axis).tuple()
    flat = along(built, Vec3(across, thick, length), "y")
    return along(flat, size, axis)


def tissue_box(request: AssetRequest) -> Model:
    """A patterned carton with a tissue that sticks out; none when it is used up."""
    w, h, d = request.size.tuple()
    box_h = 0.62 * h
    ground, leaf = request.choose(
        (
            ((0.35, 0.60, 0.66), (0.88, 0.92, 0.88)),
            ((0.86, 0.78, 0.62), (0.62, 0.35, 0.30)),
            ((0.55, 0.48, 0.66), (0.90, 0.86, 0.92)),
        )
    )
    carton = shapes.rounded_box(w, box_h, d, 0.004, steps=1)
    slot_w, slot_d = 0.58 * w, 0.34 * d
    slot = skin(
        [
            ellipse(slot_w / 2, slot_d / 2, box_h + 0.0008),
            ellipse(slot_w / 2 - 0.001, slot_d / 2 - 0.001, box_h + 0.0009),
        ],
        high=True,
    )
    parts = [
        Part("carton", carton, _flowered(ground, leaf)),
        Part("slot", slot, DARK, casts_shadow=False),
    ]
    if not request.look.used_up:
        parts.append(Part("tissue", _tissue(slot_w, slot_d, box_h, h, d), _tissue_paper()))
    return Model(tuple(parts))


def _tissue(width: float, depth: float, low: float, high: float, room: float) -> Mesh:
    """Three pointed folds of a sheet that was pulled half out of the slot."""
    s, t = np.meshgrid(np.linspace(0, 1, 7), np.linspace(-1, 1, 9), indexing="ij")
    lean = min(room * 0.3, depth)
    folds = ((0.0, 1.0, 0.35, 0.46), (-0.22, 0.86, -0.7, 0.36), (0.24, 0.78, 0.9, 0.34))
    sheets = []
    for place, tall, tilt, half in folds:
        narrow = (1 - s) ** 0.7 * (0.75 + 0.9 * s * (1 - s))
        x = width * (place * (1 + 0.5 * s) + t * half * narrow)
        ripple = 0.012 * np.sin(t * 5 + place * 9) * (0.4 + s)
        z = tilt * lean * s**1.6 + ripple * (1 - s * 0.6)
        y = low - 0.004 + (high - low + 0.004) * tall * s * (1 - 0.1 * t**2)
        points = np.stack([x, y, z], 2).reshape(-1, 3)
        up = np.tile([0.0, 1.0, 0.0], (len(points), 1))
        uv = np.stack([t.ravel() / 2 + 0.5, s.ravel()], 1)
        sheets.append(shapes.smoothed(Mesh.of(points, up, uv, skin_faces(7, 9))))
    return join(sheets)


@cache
def _tissue_paper() -> Material:
    return Material((0.95, 0.95, 0.94), gloss=0.0, two_sided=True)


@cache
def _flowered(ground: Color, leaf: Color) -> Material:
    board = Canvas(ground, 128)
    generator = np.random.default_rng(21)
    for x, y in generator.random((16, 2)):
        size = float(generator.uniform(0.03, 0.055))
        for k in range(5):
            turn = 2 * math.pi * k / 5
            board.disc(x + size * math.cos(turn), y + size * math.sin(turn), size * 0.62, leaf)
        board.disc(x, y, size * 0.45, (0.90, 0.72, 0.25))
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.15)


def vacuum_cleaner(request: AssetRequest) -> Model:
    """An upright vacuum cleaner: nozzle on wheels in front, a bin, a long handle."""
    w, h, d = request.size.tuple()
    paint, accent = request.choose(
        (((0.62, 0.10, 0.12), (0.85, 0.85, 0.86)), ((0.16, 0.30, 0.52), (0.90, 0.75, 0.20)))
    )
    foot = -0.21 * d

    def trunk(*slices: tuple[float, float, float]) -> list[Array]:
        """Ovals of the leaning body: half width, half depth and height in shares of the box."""
        return [
            ellipse(rx * w, rz * d, y * h, at=(0.0, foot - 0.14 * d * y), sides=22)
            for rx, rz, y in slices
        ]

    body = trunk((0.20, 0.16, 0.05), (0.28, 0.19, 0.12), (0.27, 0.19, 0.22))
    motor = trunk((0.28, 0.19, 0.42), (0.29, 0.19, 0.5), (0.22, 0.16, 0.56), (0.10, 0.09, 0.62))
    painted = [skin(rings, low=True, high=True) for rings in (body, motor, _nozzle(w, h, d))]
    bin_wall = skin(trunk((0.25, 0.175, 0.22), (0.25, 0.175, 0.42)))
    dust = skin(trunk((0.235, 0.16, 0.225), (0.235, 0.16, 0.30)), low=True, high=True)
    level = min(0.13 * h, 0.14) * 0.28
    strip = shapes.rounded_box(w * 0.8, 0.02, 0.012, 0.004, at=(0, level, d / 2 - 0.008), steps=1)
    clear = Material((0.75, 0.80, 0.85), opacity=0.35, gloss=0.8)
    return Model(
        (
            Part("body", join(painted), Material(paint, gloss=0.5)),
            Part("bin", bin_wall, clear, casts_shadow=False),
            Part("dust", dust, Material((0.45, 0.40, 0.34), gloss=0.0)),
            Part("dark", _handle(w, h, d, foot), Material((0.12, 0.12, 0.13), gloss=0.3)),
            Part("accent", strip, Material(accent, gloss=0.5)),
        )
    )


def _nozzle(w: float, h: float, d: float) -> list[Array]:
    """The head that runs over the floor, at the front of the box."""
    high, deep = min(0.13 * h, 0.14), 0.62 * d

    def ring(across: float, along_z: float, back: float, radius: float, y: float) -> Array:
        at = (0.0, d / 2 - deep * back)
        return rounded_rect(w * across, deep * along_z, radius, y, at=at)

    return [
        ring(1.0, 1.0, 0.5, 0.04, 0.012),
        ring(1.0, 1.0, 0.5, 0.05, high * 0.35),
        ring(0.92, 0.9, 0.52, 0.05, high * 0.75),
        ring(0.55, 0.6, 0.65, 0.05, high),
    ]


def _handle(w: float, h: float, d: float, foot: float) -> Mesh:
    """Stick with its bent grip, the cord wound on it, and the wheels."""
    z = foot - 0.12 * d
    bent = [(0.58, 0.04 * d), (0.85, 0.0), (0.97, 0.0), (0.985, 0.05), (0.93, 0.09)]
    stick = path([(0.0, y * h, z + shift) for y, shift in bent], 4)
    near, far = foot - 0.07 * d, z - 0.02
    cord = path(
        [
            (0.02, 0.60 * h, near),
            (0.05, 0.72 * h, far),
            (0.0, 0.82 * h, far),
            (-0.05, 0.72 * h, far),
            (-0.02, 0.62 * h, near),
        ],
        4,
    )
    wheels = [
        shapes.tube([(x - 0.012, 0.04, foot), (x + 0.012, 0.04, foot)], 0.04, sides=14)
        for x in (-0.36 * w, 0.36 * w)
    ]
    return join([shapes.tube(stick, 0.014, sides=10), shapes.tube(cord, 0.006, sides=6), *wheels])


BUILDERS: dict[str, Builder] = {
    "SoapBar": soap_bar,
    "ScrubBrush": scrub_brush,
    "Plunger": plunger,
    "TissueBox": tissue_box,
    "VacuumCleaner": vacuum_cleaner,
}
