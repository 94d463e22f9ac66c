"""Things to play and train with."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.lofts import ellipse, level_disc, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
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

BLACK = Material((0.07, 0.07, 0.08), gloss=0.25)


def baseball_bat(request: AssetRequest) -> Model:
    """A turned bat, its barrel at the end of its axis, with a taped grip."""
    axis = long_axis(request.size)
    across, thick, length = lengthwise(request.size, axis).tuple()
    r = min(across, thick) / 2
    barrel = [
        (0.42 * r, 0.28), (0.45 * r, 0.36), (0.6 * r, 0.5), (0.88 * r, 0.68), (r, 0.82),
        (r, 0.95), (0.9 * r, 0.985), (0.55 * r, 1.0), (0.0, 1.0),
    ]  # fmt: skip
    grip = [
        (0.0, 0.0), (0.6 * r, 0.0), (0.68 * r, 0.008), (0.62 * r, 0.022), (0.42 * r, 0.035),
        (0.40 * r, 0.2), (0.43 * r, 0.28),
    ]  # fmt: skip
    wood = request.choose(
        (palette.wood("maple", gloss=0.4), palette.wood("cherry", gloss=0.4),
         Material((0.62, 0.64, 0.68), gloss=0.7, metal=0.6), palette.wood("black ash", gloss=0.4))
    )  # fmt: skip
    ring = [(0.9 * r, 0.70), (0.925 * r, 0.715), (0.935 * r, 0.72), (0.915 * r, 0.73)]

    def lathe(profile: list[tuple[float, float]]) -> Mesh:
        upright = shapes.lathe(
            [(x, y * length) for x, y in profile], sides=18, crease=50, wrap=True
        )
        return upright.turned(x=90).moved(0, thick / 2, -length / 2)

    parts = (
        Part("barrel", lathe(barrel), wood),
        Part("grip", lathe(grip), BLACK),
        Part("mark", lathe(_raised(ring)), Material((0.70, 0.15, 0.13), gloss=0.3)),
    )
    return along(Model(parts), request.size, axis)


def _raised(ring: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(x * 1.03, y) for x, y in ring]


def basketball(request: AssetRequest) -> Model:
    """An orange ball with black seams."""
    diameter = min(request.size.tuple())
    r = diameter / 2
    ball = shapes.ball(r, r, r, sides=28, rings=16, at=(0, r, 0))
    return Model((Part("ball", ball, _leather(request.choose((0, 1)))),))


@cache
def _leather(kind: int) -> Material:
    ground = ((0.80, 0.38, 0.13), (0.66, 0.27, 0.12))[kind]
    size = 256
    grain = textures.noise(size, 64, 2, octaves=1)
    board = Canvas(ground, size)
    board.pixels *= (0.88 + 0.2 * grain)[..., None]
    u = (np.arange(size) + 0.5)[None, :] / size * 2 * math.pi
    v = (np.arange(size) + 0.5)[:, None] / size * math.pi - math.pi / 2
    x, y, z = np.cos(v) * np.cos(u), np.sin(v) + 0 * u, np.cos(v) * np.sin(u)
    seam = np.minimum(np.abs(y), np.abs(x))
    curve = np.abs(np.abs(z) - 0.62 - 0.25 * y * y)
    distance = np.minimum(seam, curve * 0.9)
    board.mask((0.03 - distance) * 60, (0.06, 0.05, 0.05))
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.15)


def dumbbell(request: AssetRequest) -> Model:
    """Two six-sided or round heads on a ribbed bar."""
    axis = long_axis(request.size)
    across, thick, length = lengthwise(request.size, axis).tuple()
    r = min(across, thick) / 2
    head = 0.3 * length
    sides = request.choose((6, 24))
    reach = r if sides == 24 else r / math.cos(math.pi / 6)
    bevel = 0.12 * r
    profile = [
        (0.0, 0.0), (reach - bevel, 0.0), (reach, bevel), (reach, head - bevel),
        (reach - bevel, head), (0.0, head),
    ]  # fmt: skip
    one = shapes.lathe(profile, sides=sides, crease=20)
    if sides == 6:
        one = shapes.flat_shaded(one.turned(y=30.0))
        low, high = one.bounds
        fit = min(1.0, across / float(high[0] - low[0]), thick / float(high[2] - low[2]))
        one = one.scaled(fit, 1.0, fit)
    heads = [one.turned(x=90).moved(0, thick / 2, z) for z in (-length / 2, length / 2 - head)]
    grip = 0.2 * r
    inner = length / 2 - head
    bar = (
        shapes.lathe(
            [
                (grip, -inner - 0.01),
                (grip, -inner * 0.8),
                (grip * 1.15, 0.0),
                (grip, inner * 0.8),
                (grip, inner + 0.01),
            ],
            sides=14,
            crease=60,
        )
        .turned(x=90)
        .moved(0, thick / 2, 0)
    )
    ends = [
        level_disc(0.45 * r, length / 2 + 0.0008, sides=16)
        .turned(x=90 * side)
        .moved(0, thick / 2, 0)
        for side in (1, -1)
    ]
    color = request.choose(((0.10, 0.10, 0.11), (0.16, 0.20, 0.42)), 1)
    parts = (
        Part("heads", join(heads), Material(color, gloss=0.25)),
        Part("bar", bar, palette.metal("chrome")),
        Part("plates", join(ends), palette.metal("steel"), casts_shadow=False),
    )
    return along(Model(parts), request.size, axis)


def tennis_racket(request: AssetRequest) -> Model:
    """An oval head with strings, an open throat and a taped grip, lying flat."""
    axis = long_axis(request.size)
    across, thick, length = lengthwise(request.size, axis).tuple()
    flipped = thick > across
    wide, high = (thick, across) if flipped else (across, thick)
    model = _racket(request, wide, high, length)
    if flipped:
        model = along(model, Vec3(wide, high, length), "z")
        model = _rolled(model, across, thick)
    return along(model, request.size, axis)


def _rolled(model: Model, across: float, thick: float) -> Model:
    parts = tuple(
        Part(
            p.name, p.mesh.moved(0, -across / 2, 0).turned(z=90).moved(0, thick / 2, 0), p.material
        )
        for p in model.parts
    )
    return Model(parts)


def _racket(request: AssetRequest, wide: float, high: float, length: float) -> Model:
    tube = min(0.012, high * 0.45)
    y = high / 2
    head = 0.54 * length
    rx, rz = wide / 2 - tube, head / 2 - tube
    center = length / 2 - head / 2
    turns = np.linspace(0, 2 * math.pi, 32, endpoint=False)
    rim = [(rx * math.cos(t), y, center + rz * math.sin(t)) for t in turns]
    grip_top, grip_end = -0.12 * length, -length / 2
    throat = []
    for side in (-1, 1):
        start = math.radians(270 + side * 38)
        throat.append(
            shapes.tube(
                [
                    (rx * math.cos(start), y, center + rz * math.sin(start)),
                    (side * 0.018, y, grip_top + 0.03),
                    (side * 0.008, y, grip_top - 0.02),
                ],
                [tube * 0.9, tube * 0.85, tube * 0.85],
                sides=8,
            )
        )
    color = request.choose(
        ((0.75, 0.12, 0.14), (0.14, 0.30, 0.62), (0.86, 0.74, 0.16), (0.10, 0.45, 0.32))
    )
    grip_r = min(0.016, high * 0.45)
    grip = shapes.lathe(
        [(0.0, 0.0), (grip_r * 1.15, 0.0), (grip_r * 1.15, 0.012), (grip_r, 0.02),
         (grip_r, grip_top - grip_end), (0.0, grip_top - grip_end)],
        sides=8,
    ).turned(x=90).moved(0, y, grip_end)  # fmt: skip
    return Model(
        (
            Part(
                "frame",
                join([shapes.tube(rim, tube, closed=True), *throat]),
                Material(color, gloss=0.5),
            ),
            Part(
                "strings", _strings(rx, rz, center, y), Material((0.92, 0.91, 0.82), two_sided=True)
            ),
            Part("grip", grip, BLACK),
        )
    )


def _strings(rx: float, rz: float, center: float, y: float) -> Mesh:
    """Flat bands both ways, one set a hair above the other."""
    quads = []
    for x in np.linspace(-rx, rx, 16)[1:-1]:
        reach = rz * math.sqrt(1 - (x / rx) ** 2)
        quads.append([x, center - reach, x, center + reach, 0.0009, 0.0])
    for z in np.linspace(-rz, rz, 19)[1:-1]:
        reach = rx * math.sqrt(1 - (z / rz) ** 2)
        quads.append([-reach, center + z, reach, center + z, 0.0009, 0.0012])
    q = np.array(quads)
    start, end = q[:, :2], q[:, 2:4]
    step = end - start
    side = np.stack([step[:, 1], -step[:, 0]], 1)
    side /= np.sqrt((side * side).sum(1, keepdims=True))
    side *= q[:, 4:5]
    corners = np.stack([start - side, start + side, end + side, end - side], 1)
    height = np.repeat((y + q[:, 5])[:, None], 4, 1)[..., None]
    points = np.concatenate([corners[..., :1], height, corners[..., 1:]], 2).reshape(-1, 3)
    k = np.arange(len(q)) * 4
    faces = np.concatenate([np.stack([k, k + 2, k + 1], 1), np.stack([k, k + 3, k + 2], 1)])
    up = np.tile([0.0, 1.0, 0.0], (len(points), 1))
    return Mesh.of(points, up, np.zeros((len(points), 2)), faces)


def target_circle(request: AssetRequest) -> Model:
    """A flat ring on the floor, red and white, to aim at."""
    w, h, d = request.size.tuple()
    r = min(w, d) / 2
    top = max(min(h, 0.004), 0.001)
    red = Material((0.78, 0.14, 0.12), gloss=0.1)
    white = Material((0.92, 0.91, 0.88), gloss=0.1)
    red_rings = [
        skin([ellipse(r, r, 0.0, sides=40), ellipse(r, r, top, sides=40)]),
        level_disc(r, top, sides=40, hole=0.76 * r),
        level_disc(0.52 * r, top, sides=32, hole=0.28 * r),
    ]
    white_rings = [
        level_disc(0.76 * r, top, sides=40, hole=0.52 * r),
        level_disc(0.28 * r, top, sides=32),
    ]
    return Model((Part("red", join(red_rings), red), Part("white", join(white_rings), white)))


BUILDERS: dict[str, Builder] = {
    "BaseballBat": baseball_bat,
    "BasketBall": basketball,
    "Dumbbell": dumbbell,
    "TennisRacket": tennis_racket,
    "TargetCircle": target_circle,
}
