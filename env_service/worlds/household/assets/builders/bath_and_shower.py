"""Bathtubs, shower heads with their water, and shower enclosures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np

from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.fragments import shards
from env_service.worlds.household.assets.lofts import Array, cap, ellipse, path, rounded_rect, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Motion,
    MotionKind,
    Part,
    Surface,
    join,
    sideways,
    yawed,
)
from env_service.worlds.household.assets.shapes import Point3
from env_service.worlds.household.geometry import Vec3

ENAMEL = Material((0.91, 0.91, 0.90), gloss=0.55)
BASIN = Material((0.88, 0.89, 0.89), gloss=0.5)
WATER = Material((0.50, 0.70, 0.78), opacity=0.5, gloss=0.9)
FLOOR = 0.004
"""Metres from the underside of a basin's box to its bottom, where the things in a tub lie."""

Rect = tuple[float, float, float, float]


def bathtub(request: AssetRequest) -> Model:
    """A tub without its hollow: rim, outside, and the wall of the hole down to the floor.

    Detail "basins" ((x0, z0, x1, z1),): the hollow's rectangle in the asset's frame; without it,
    the hollow keeps 12 % of the tub's narrow side from the edges. Where the rim is broad, it is a
    stone deck over a tiled front, else the tub is of enamel. The rim is a surface on each side
    where it is broader than 5 cm.
    """
    w, h, d = request.size.tuple()
    hole = _hole(request, w, d)
    x0, z0, x1, z1 = hole
    margins = (x0 + w / 2, w / 2 - x1, z0 + d / 2, d / 2 - z1)
    built_in = math.fsum(margins) / 4 > 0.13
    parts = _deck(request, hole) if built_in else _enamel_tub(w, h, d, hole)
    strips = (
        (margins[2], (-w / 2, -d / 2), (w / 2, z0)),
        (margins[3], (-w / 2, z1), (w / 2, d / 2)),
        (margins[0], (-w / 2, z0), (x0, z1)),
        (margins[1], (x1, z0), (w / 2, z1)),
    )
    surfaces = tuple(
        Surface(_inset(low, 0.01), _inset(high, -0.01), h)
        for breadth, low, high in strips
        if breadth >= 0.05
    )
    return Model(parts, surfaces)


def bathtub_basin(request: AssetRequest) -> Model:
    """The hollow of a tub: sloped walls, a flat bottom, a drain and an overflow; with `liquid`,
    water up to two thirds."""
    w, h, d = request.size.tuple()
    rings = _hollow(w, h, d)
    bottom = rings[-1]
    parts = [
        Part("basin", join([skin(rings), cap(bottom)]), BASIN),
        Part("drain", _fittings(w, h, d, rings), palette.metal("chrome")),
    ]
    if request.look.liquid is not None:
        parts.append(Part("water", _water(rings, h * 0.66), WATER, casts_shadow=False))
    low, high = bottom.min(0), bottom.max(0)
    corner = _corner(float(high[0] - low[0]), float(high[2] - low[2])) * (1 - math.sqrt(0.5))
    surface = Surface(
        (float(low[0]) + corner, float(low[2]) + corner),
        (float(high[0]) - corner, float(high[2]) - corner),
        FLOOR,
        inside=True,
    )
    return Model(tuple(parts), (surface,))


def _hole(request: AssetRequest, w: float, d: float) -> Rect:
    """The hollow's rectangle, at least 4 cm from the tub's edges."""
    given = request.detail("basins")
    if isinstance(given, tuple) and given:
        x0, z0, x1, z1 = given[0]
    else:
        margin = 0.12 * min(w, d)
        x0, z0, x1, z1 = margin - w / 2, margin - d / 2, w / 2 - margin, d / 2 - margin
    edge = 0.04
    return (
        max(x0, edge - w / 2),
        max(z0, edge - d / 2),
        min(x1, w / 2 - edge),
        min(z1, d / 2 - edge),
    )


def _corner(width: float, depth: float) -> float:
    """The corner radius of a hollow: the same for the hole in the tub and for the basin."""
    return 0.28 * min(width, depth)


def _ring(hole: Rect, grow: float, y: float) -> Array:
    x0, z0, x1, z1 = hole
    w, d = x1 - x0, z1 - z0
    at = ((x0 + x1) / 2, (z0 + z1) / 2)
    return rounded_rect(w + 2 * grow, d + 2 * grow, _corner(w, d) + grow, y, at=at, steps=6)


def _enamel_tub(w: float, h: float, d: float, hole: Rect) -> tuple[Part, ...]:
    lip = min(0.045, h * 0.12)
    inset = min(0.035, 0.05 * min(w, d))

    def outer(cut: float, y: float, radius: float = 0.07) -> Array:
        return rounded_rect(w - 2 * cut, d - 2 * cut, radius, y, steps=6)

    skirt = skin([outer(inset + 0.015, 0.0), outer(inset, 0.03), outer(inset, h - lip)], low=True)
    edge = 0.012
    rim = skin(
        [
            outer(inset, h - lip),
            outer(0.004, h - lip),
            outer(0.0, h - lip + 0.004),
            outer(0.0, h - edge),
            outer(edge * 0.3, h - edge * 0.3),
            outer(edge, h),
            _ring(hole, edge, h),
            _ring(hole, edge * 0.3 + 0.001, h - edge * 0.4),
            _ring(hole, 0.002, h - edge),
            _ring(hole, 0.002, 0.02),
        ]
    )
    return (Part("tub", join([skirt, rim]), ENAMEL),)


def _deck(request: AssetRequest, hole: Rect) -> tuple[Part, ...]:
    w, h, d = request.size.tuple()
    slab = min(0.04, h * 0.1)

    def outer(cut: float, y: float) -> Array:
        return rounded_rect(w - 2 * cut, d - 2 * cut, 0.008, y, steps=6)

    top = _metres(skin([outer(0.004, h), _ring(hole, 0.012, h)]))
    edge = skin([outer(0.0, h - slab), outer(0.0, h - 0.004), outer(0.004, h)])
    under = skin([outer(0.025, h - slab), outer(0.0, h - slab)])
    wall = skin(
        [
            _ring(hole, 0.012, h + 0.0),
            _ring(hole, 0.009, h + 0.004),
            _ring(hole, 0.003, h + 0.003),
            _ring(hole, 0.002, h - 0.008),
            _ring(hole, 0.002, 0.02),
        ]
    ).moved(y=-0.004)
    body = shapes.box(w - 0.05, h - slab, d - 0.05, tile=0.6)
    return (
        Part("deck", join([top, edge, under]), palette.stone(_deck_stone(request))),
        Part("panel", _open_top(body), _tiles(request.palette.tiles)),
        Part("lip", wall, ENAMEL),
    )


def _deck_stone(request: AssetRequest) -> str:
    names = ("white marble", "brown granite", "grey stone")
    return request.choose(names, 3)


@cache
def _tiles(name: str) -> Material:
    color = palette.PAINTS.get(name, palette.PAINTS["white"])
    grout = (color[0] * 0.72, color[1] * 0.72, color[2] * 0.72)
    return Material((1.0, 1.0, 1.0), textures.tiles(color, grout, seed=4), gloss=0.4)


def _open_top(box: Mesh) -> Mesh:
    """A box without the face on top, which would close the hollow."""
    up = box.normals[box.faces[:, 0], 1] > 0.5
    return Mesh.of(box.points, box.normals, box.uv, box.faces[~up])


def _metres(level: Mesh) -> Mesh:
    """A level mesh with texture coordinates of half a metre per repeat."""
    return Mesh.of(level.points, level.normals, level.points[:, [0, 2]] * 2.0, level.faces)


def _hollow(w: float, h: float, d: float) -> list[Array]:
    """Rings from the rim down to the edge of the flat bottom."""
    slope = min(0.09 * min(w, d), 0.3 * h)
    cuts = ((0.0, h), (0.008, h - 0.02), (0.55, 0.4 * h), (0.8, 0.13 * h), (1.0, 0.045 * h))
    rings = [
        rounded_rect(w, d, _corner(w, d), h, steps=6),
        *(
            rounded_rect(
                w - 2 * slope * s, d - 2 * slope * s, _corner(w, d) * (1 - 0.2 * s), y, steps=6
            )
            for s, y in cuts[1:]
        ),
    ]
    last = 1.22 * slope
    bw, bd = w - 2 * last, d - 2 * last
    return [*rings, rounded_rect(bw, bd, _corner(bw, bd), FLOOR, steps=6)]


def _fittings(w: float, h: float, d: float, rings: list[Array]) -> Mesh:
    """The drain on the bottom and the overflow on the wall above it, at the -x or -z end."""
    reach = float(rings[-1][:, 0 if w >= d else 2].max())
    radius = min(0.035, 0.12 * min(w, d))
    drain = shapes.lathe(
        [(radius, 0.0), (radius * 0.9, 0.003), (radius * 0.55, 0.001), (0.0, 0.002)], sides=16
    )
    place = -(reach - 2.2 * radius)
    at = (place, 0.0) if w >= d else (0.0, place)
    level = 0.72 * h
    wall = _reach_at(rings, level, 0 if w >= d else 2)
    plate = shapes.lathe([(0.034, 0.0), (0.03, 0.008), (0.0, 0.01)], sides=16)
    plate = plate.turned(z=-90.0) if w >= d else plate.turned(x=90.0)
    plate = plate.moved(-wall, level, 0.0) if w >= d else plate.moved(0.0, level, -wall)
    return join([drain.moved(at[0], FLOOR, at[1]), plate])


def _reach_at(rings: list[Array], level: float, axis: int) -> float:
    heights = [float(ring[0, 1]) for ring in rings][::-1]
    reach = [float(ring[:, axis].max()) for ring in rings][::-1]
    return float(np.interp(level, heights, reach))


def _water(rings: list[Array], level: float) -> Mesh:
    """A rippled sheet across the hollow."""
    upper = next(ring for ring in reversed(rings) if ring[0, 1] >= level)
    lower = next(ring for ring in rings if ring[0, 1] < level)
    share = (level - lower[0, 1]) / (upper[0, 1] - lower[0, 1])
    edge = lower + (upper - lower) * share
    edge[:, [0, 2]] *= 0.998
    sheet = []
    for part in (1.0, 0.8, 0.6, 0.4, 0.2, 0.0):
        ring = edge * np.array([part, 1.0, part])
        wave = np.sin(ring[:, 0] * 31.0 + ring[:, 2] * 12.0) + np.sin(ring[:, 2] * 27.0 - part * 9)
        ring[:, 1] += 0.003 * wave * (part < 1.0) * (part > 0.0)
        sheet.append(ring)
    return skin(sheet)


def _inset(point: tuple[float, float], by: float) -> tuple[float, float]:
    return (point[0] + by, point[1] + by)


# --- Shower enclosures: glass doors, glass panes, curtains

GLASS = Material((0.82, 0.90, 0.89), opacity=0.12, gloss=0.9)
CRACKED = Material((0.80, 0.90, 0.90), opacity=0.5, gloss=0.8, two_sided=True)
Pane = tuple[float, float, float, float]


def shower_door(request: AssetRequest) -> Model:
    """A glass door between two metal stiles, hinged at its left side as seen from the front
    (+x); detail "hinge" "right" hinges it at -x. It opens to the front by 95 degrees. A box that
    is thinner along x than along z has its front at +x."""
    w, h, d = request.size.tuple()
    if w < d:
        return _sideways(shower_door, request)
    thick = min(d, 0.06)
    side = -1.0 if request.detail("hinge") == "right" else 1.0
    motion = Motion(
        MotionKind.HINGE,
        Vec3(0.0, 1.0, 0.0),
        -95.0 * side,
        Vec3(side * (w / 2 - 0.015), 0.0, 0.0),
    )
    stile = 0.022
    frame = [
        shapes.box(stile, h, thick * 0.6, at=(x, 0, 0))
        for x in (stile / 2 - w / 2, w / 2 - stile / 2)
    ]
    frame += [shapes.box(w - 2 * stile, stile, thick * 0.5, at=(0, y, 0)) for y in (0.0, h - stile)]
    grip = -side * (w / 2 - 0.075)
    reach = thick / 2 - 0.008
    handle = [
        shapes.tube([(grip, 0.42 * h, z), (grip, 0.58 * h, z)], 0.0075) for z in (-reach, reach)
    ] + [shapes.tube([(grip, y * h, -reach), (grip, y * h, reach)], 0.006) for y in (0.43, 0.57)]
    hinges = [
        shapes.box(0.05, 0.07, thick * 0.8, at=(side * (w / 2 - 0.035), y * h, 0))
        for y in (0.12, 0.85)
    ]
    metal = Part("frame", join([*frame, *handle, *hinges]), palette.metal("chrome"), motion)
    pane = (-w / 2 + stile, 0.0, w / 2 - stile, 0.0)
    return Model((metal, *_panes(request, (pane,), h, motion)))


def shower_glass(request: AssetRequest) -> Model:
    """Fixed panes in slim metal profiles.

    Detail "panes" ((x0, z0, x1, z1), ...): the lines on which they stand, in the asset's frame.
    Without it: one pane along a box less than 0.2 m thin, else two, along +z and +x.
    """
    w, h, d = request.size.tuple()
    given = request.detail("panes")
    edge = 0.012
    lines: tuple[Pane, ...]
    if isinstance(given, tuple):
        lines = tuple((line[0], line[1], line[2], line[3]) for line in given)
    elif min(w, d) < 0.2:
        lines = ((-w / 2, 0.0, w / 2, 0.0),) if w >= d else ((0.0, -d / 2, 0.0, d / 2),)
    else:
        x, z = w / 2 - edge, d / 2 - edge
        lines = ((-w / 2, z, x, z), (x, -d / 2, x, z))
    bars = []
    for x0, z0, x1, z1 in lines:
        length = math.hypot(x1 - x0, z1 - z0)
        yaw = -math.degrees(math.atan2(z1 - z0, x1 - x0))
        rail = [shapes.box(length, 0.022, 0.022, at=(0, y, 0)) for y in (0.0, h - 0.022)]
        rail += [
            shapes.box(0.02, h - 0.044, 0.02, at=(x, 0.022, 0))
            for x in (0.01 - length / 2, length / 2 - 0.01)
        ]
        bars.append(join(rail).turned(y=yaw).moved((x0 + x1) / 2, 0.0, (z0 + z1) / 2))
    frame = Part("frame", join(bars), palette.metal("chrome"))
    return Model((frame, *_panes(request, lines, h, None)))


def _panes(
    request: AssetRequest, lines: tuple[Pane, ...], h: float, motion: Motion | None
) -> list[Part]:
    """Whole panes, or broken ones: teeth at the edge, shards on the floor."""
    meshes = []
    for number, (x0, z0, x1, z1) in enumerate(lines):
        length = math.hypot(x1 - x0, z1 - z0)
        yaw = -math.degrees(math.atan2(z1 - z0, x1 - x0))
        if request.look.broken:
            mesh = _teeth(length, h, request.variant + number)
        else:
            mesh = shapes.box(length, h - 0.02, 0.008, at=(0, 0.01, 0))
        x, z = (x0 + x1) / 2, (z0 + z1) / 2
        meshes.append(mesh.turned(y=yaw).moved(x, 0.0, z))
        if request.look.broken:
            room = max(0.04, min(request.size.x, request.size.z, 0.3))
            fallen = shards(
                length * 0.95, room, count=14, largest=0.09, thickness=0.006,
                seed=request.variant + number, height=0.03,
            )  # fmt: skip
            away = math.hypot(x, z)
            inward = (room / 2 - 0.01) / away if away > room / 2 else 0.0
            meshes.append(fallen.turned(y=yaw).moved(x * (1 - inward), 0.0, z * (1 - inward)))
    material = CRACKED if request.look.broken else GLASS
    return [Part("glass", join(meshes), material, motion, casts_shadow=False)]


def _teeth(length: float, h: float, seed: int) -> Mesh:
    """Teeth of glass all around the frame."""
    generator = np.random.default_rng(seed)
    outline = np.array([[-length / 2, 0.01], [length / 2, 0.01], [length / 2, h], [-length / 2, h]])
    teeth = []
    for start, end in zip(outline, np.roll(outline, -1, 0), strict=True):
        count = max(3, int(math.hypot(*(end - start)) / 0.16))
        stops = np.sort(np.concatenate([[0.0, 1.0], generator.random(count - 1)]))
        for low, high in pairwise(stops):
            a, b = start + (end - start) * low, start + (end - start) * high
            inward = -(a + b) / 2 + [0.0, h / 2]
            inward /= math.hypot(*inward)
            tip = (a + b) / 2 + inward * generator.uniform(0.08, 0.34) * min(length, h, 1.0)
            teeth.append([a, b, tip])
    flat = np.array(teeth).reshape(-1, 2)
    points = np.insert(flat, 2, 0.0, axis=1)
    normal = np.tile([0.0, 0.0, 1.0], (len(points), 1))
    faces = np.arange(len(points)).reshape(-1, 3)
    return Mesh.of(points, normal, flat, faces)


def shower_curtain(request: AssetRequest) -> Model:
    """A cloth in folds that hangs from rings on a rod along x.

    AI2-THOR's curtains are closed at the start, in boxes a third of a metre wide: so they are
    drawn. Opening pushes the cloth to its left end as seen from the front (+x; detail "hinge"
    "right": -x), to 40 % of its width. Detail "rod" ((x0, x1),): the ends of the rod in the
    asset's frame; without it, those of the box.
    """
    w, h, d = request.size.tuple()
    radius = min(0.012, h * 0.01)
    top = h - 2 * radius - 0.03
    count = max(4, round(w / 0.07))
    x = np.linspace(-w / 2 + 0.004, w / 2 - 0.004, count * 8 + 1)
    phase = np.linspace(0.0, count * 2 * math.pi, len(x))
    deep = min(d * 0.48, 0.15)
    rows = []
    for share, y in ((0.4, top), (0.45, top * 0.97), (0.75, top * 0.5), (1.0, 0.0)):
        wave = np.sin(phase + 0.5 * share) * (0.8 + 0.2 * np.sin(phase * 0.37 + share))
        rows.append(np.stack([x, np.full(len(x), y), wave * deep * share], 1))
    side = -1.0 if request.detail("hinge") == "right" else 1.0
    motion = Motion(MotionKind.FOLD, Vec3(1.0, 0.0, 0.0), 0.4, Vec3(side * w / 2, 0.0, 0.0))
    hooks = join(
        [
            shapes.tube(
                _loop(float(x[k]), h - radius - 0.012, radius + 0.014), 0.003, sides=5, closed=True
            )
            for k in range(2, len(x), 8)
        ]
    )
    given = request.detail("rod")
    start, end = given[0][:2] if isinstance(given, tuple) and given else (-w / 2, w / 2)
    rod = shapes.tube([(start, h - radius, 0), (end, h - radius, 0)], radius, sides=10)
    cloth = request.choose(("stripes", "plain", "bands", "dots"), 1)
    return Model(
        (
            Part("curtain", _cloth(rows), _curtain_cloth(cloth), motion),
            Part("rings", hooks, palette.metal("white enamel"), motion),
            Part("rod", rod, palette.metal("chrome")),
        )
    )


def _loop(x: float, y: float, radius: float) -> list[tuple[float, float, float]]:
    turns = np.linspace(0.0, 2 * math.pi, 10, endpoint=False)
    return [(x, y + radius * math.cos(t), radius * math.sin(t)) for t in turns]


def _cloth(rows: list[Array]) -> Mesh:
    """A sheet over rows of points from the top down; u along the cloth, in metres over 0.5, v from
    the hem (0) to the top (1)."""
    grid = np.stack(rows)
    step = np.diff(grid[-1], axis=0)
    along = np.concatenate([[0.0], np.cumsum(np.sqrt((step * step).sum(1)))])
    across = np.gradient(grid, axis=1)
    down = np.gradient(grid, axis=0)
    normals = np.cross(across, down)
    top = grid[0, 0, 1]
    uv = np.stack([np.tile(along / 0.5, len(rows)), (grid[..., 1] / top).ravel()], 1)
    r, c = grid.shape[:2]
    i, j = (a.ravel() for a in np.meshgrid(range(r - 1), range(c - 1), indexing="ij"))
    a = i * c + j
    faces = np.concatenate([np.stack([a, a + 1, a + c], 1), np.stack([a + 1, a + c + 1, a + c], 1)])
    return Mesh.of(grid.reshape(-1, 3), normals.reshape(-1, 3), uv, faces)


@cache
def _curtain_cloth(kind: str) -> Material:
    white: Color = (0.90, 0.91, 0.90)
    if kind == "stripes":
        texture = textures.stripes(white, (0.35, 0.55, 0.72), count=5, upright=True)
    elif kind == "bands":
        texture = textures.stripes((0.88, 0.84, 0.74), (0.52, 0.66, 0.60), count=4)
    elif kind == "dots":
        texture = textures.speckle(white, (0.75, 0.35, 0.40), seed=3, share=0.06)
    else:
        texture = textures.cloth((0.80, 0.84, 0.84), weave=0.06)
    return Material((1.0, 1.0, 1.0), texture, gloss=0.1, two_sided=True)


def _sideways(builder: Builder, request: AssetRequest) -> Model:
    """A model for a box that is thin along x, its front turned to +x."""
    return yawed(builder(sideways(request)))


# --- Shower heads, with the water that falls from them

STREAM = Material((0.78, 0.90, 0.97), opacity=0.55, gloss=0.6, glow=0.25, two_sided=True)
MIST = Material((0.80, 0.90, 0.96), opacity=0.16, two_sided=True)
NOZZLES = Material((0.20, 0.21, 0.22), gloss=0.3)


@dataclass(frozen=True)
class _Rose:
    """Where water leaves: the middle of the face, its radius, how far it is tilted forward."""

    at: Point3
    radius: float
    tilt: float


def shower_head(request: AssetRequest) -> Model:
    """A rain shower on a riser with mixer and hand shower (tall boxes), or a hand shower on its
    hook (boxes below 1.4 m). The wall is at -z. Turned on, water falls from the head.

    Detail "fall": how far it falls, metres; without it, to the underside of the box.
    """
    return _riser(request) if request.size.y >= 1.4 else _hand_shower(request)


def _riser(request: AssetRequest) -> Model:
    w, h, d = request.size.tuple()
    wall, out = -d / 2, min(0.055, d * 0.25)
    radius = min(w * 0.42, d * 0.42, 0.12)
    z, mixer = wall + out, 0.17 * h
    top = h - 0.014
    head_z = d / 2 - radius
    turns = np.linspace(0.0, math.pi / 2, 6)
    bend = [(0.0, mixer, z)] + [
        (0.0, top - 0.05 + 0.05 * math.sin(t), z + 0.05 - 0.05 * math.cos(t)) for t in turns
    ]
    bar = min(w * 0.5 - 0.021, 0.14)
    hold = 0.52 * h
    chrome = [
        shapes.tube([*bend, (0, top, head_z)], 0.011, sides=10),
        shapes.tube([(-bar, mixer, z), (bar, mixer, z)], 0.02, sides=12),
        *(
            shapes.tube([(side * bar * 0.7, mixer, wall), (side * bar * 0.7, mixer, z)], 0.014)
            for side in (-1, 1)
        ),
        *(_knob(side * bar, mixer, z, side) for side in (-1, 1)),
        shapes.tube([(0, 0.85 * h, wall), (0, 0.85 * h, z)], 0.009),
        _head(radius, 0.02, (0.0, top - 0.028, head_z)),
        shapes.tube([(0, top - 0.012, head_z), (0, top, head_z)], 0.014),
        shapes.rounded_box(0.03, 0.04, 0.04, 0.008, at=(0, hold - 0.02, z + 0.008), steps=1),
        shapes.tube([(0, hold - 0.1, z + 0.03), (0, hold + 0.06, z + 0.045)], 0.011),
        shapes.lathe(
            [(0.0, -0.012), (0.03, -0.01), (0.033, 0.0), (0.02, 0.015), (0.0, 0.018)], sides=16
        )
        .turned(x=70)
        .moved(0, hold + 0.07, z + 0.06),
    ]
    hose = path(
        [
            (0.02, mixer - 0.01, z),
            (0.03, 0.06, z + 0.01),
            (0.0, 0.012, z + 0.02),
            (-0.045, 0.1, z + 0.03),
            (-0.03, 0.28 * h, z + 0.03),
            (0, hold - 0.1, z + 0.03),
        ],
        4,
    )
    chrome.append(shapes.tube(hose, 0.007, sides=6))
    face = _face(radius, (0.0, top - 0.0285, head_z))
    return _with_water(request, chrome, face, _Rose((0.0, top - 0.03, head_z), radius, 0.0))


def _hand_shower(request: AssetRequest) -> Model:
    w, h, d = request.size.tuple()
    wall = -d / 2
    radius = min(w * 0.46, 0.075)
    tilt = 32.0
    reach = radius * math.cos(math.radians(tilt))
    head = (0.0, h - radius * 0.55 - 0.015, d / 2 - reach - 0.005)
    hook = (0.0, h - 0.11, wall + 0.05)
    chrome = [
        _head(radius, 0.024, (0, 0, 0)).turned(x=-tilt).moved(*head),
        shapes.tube(
            path([(0, hook[1] - 0.13, wall + 0.03), hook, (0, head[1] + 0.012, head[2] - 0.01)], 4),
            [0.011] * 5 + [0.014, 0.016, 0.018, 0.018],
            sides=10,
        ),
        shapes.tube([(0, hook[1], wall), hook], 0.016, sides=10),
        _plate(0.03, (0, hook[1], wall)),
        _plate(0.034, (0, 0.16 * h, wall)),
        shapes.tube([(0, 0.16 * h, wall), (0, 0.16 * h, wall + 0.04)], 0.014),
    ]
    low = 0.02
    swing = w / 2 - 0.012
    hose = path(
        [
            (0, 0.16 * h, wall + 0.04),
            (swing * 0.7, 0.09 * h, wall + 0.045),
            (swing * 0.5, low, wall + 0.05),
            (-swing * 0.4, low + 0.01, wall + 0.05),
            (-swing * 0.8, 0.2 * h, wall + 0.05),
            (-swing * 0.3, 0.55 * h, wall + 0.045),
            (0, hook[1] - 0.13, wall + 0.03),
        ],
        4,
    )
    chrome.append(shapes.tube(hose, 0.0075, sides=6))
    face = _face(radius, (0, -0.0005, 0)).turned(x=-tilt).moved(*head)
    return _with_water(request, chrome, face, _Rose(head, radius, tilt))


def _head(radius: float, thick: float, at: Point3) -> Mesh:
    """A flat rose, its face downwards at `at`."""
    profile = [
        (0.0, 0.0),
        (radius * 0.97, 0.0),
        (radius, thick * 0.25),
        (radius * 0.9, thick * 0.6),
        (0.02, thick),
        (0.0, thick),
    ]
    return shapes.lathe(profile, sides=24, at=at)


def _face(radius: float, at: Point3) -> Mesh:
    """The dark nozzles, in rings, just below the rose's face."""
    dots = []
    for share, count in ((0.3, 6), (0.58, 11), (0.85, 16)):
        for k in range(count):
            turn = 2 * math.pi * k / count
            x, z = radius * share * math.cos(turn), radius * share * math.sin(turn)
            dots.append((at[0] + x, at[1], at[2] + z))
    size = radius * 0.05
    quad = np.array([[-1, 0, 0], [0, 0, 1], [1, 0, 0], [0, 0, -1]]) * size
    points = (np.array(dots)[:, None] + quad[None]).reshape(-1, 3)
    start = np.arange(len(dots)) * 4
    faces = np.concatenate(
        [np.stack([start, start + 2, start + 1], 1), np.stack([start, start + 3, start + 2], 1)]
    )
    down = np.tile([0.0, -1.0, 0.0], (len(points), 1))
    return Mesh.of(points, down, np.zeros((len(points), 2)), faces)


def _knob(x: float, y: float, z: float, side: int) -> Mesh:
    cross = [
        shapes.tube([(x, y, z), (x + side * 0.02, y, z)], 0.024, sides=10),
        shapes.tube([(x + side * 0.01, y - 0.005, z), (x + side * 0.01, y + 0.045, z)], 0.006),
    ]
    return join(cross)


def _plate(radius: float, at: Point3) -> Mesh:
    return (
        shapes.lathe([(radius, 0.0), (radius * 0.9, 0.008), (0.0, 0.01)], sides=16)
        .turned(x=90)
        .moved(*at)
    )


def _with_water(request: AssetRequest, chrome: list[Mesh], face: Mesh, rose: _Rose) -> Model:
    parts = [
        Part("fittings", join(chrome), palette.metal("chrome")),
        Part("nozzles", face, NOZZLES, casts_shadow=False),
    ]
    if request.look.on:
        given = request.detail("fall")
        fall = float(given) if isinstance(given, (int, float)) else rose.at[1] - 0.01
        parts += _rain(rose, fall)
    return Model(tuple(parts))


def _rain(rose: _Rose, fall: float) -> list[Part]:
    """Streaks in rings that spread a little, in a pale mist; they fly forward from a tilted
    head."""
    head, radius = rose.at, rose.radius
    throw = fall * 0.35 * math.sin(math.radians(rose.tilt))
    streaks = []
    for share, count in ((0.25, 5), (0.6, 9), (0.92, 13)):
        for k in range(count):
            turn = 2 * math.pi * k / count + share
            x, z = math.cos(turn) * radius * share, math.sin(turn) * radius * share
            start = np.array([head[0] + x, head[1] - 0.004, head[2] + z])
            end = np.array([head[0] + 1.5 * x, head[1] - fall, head[2] + 1.5 * z + throw])
            middle = (start + end) / 2 + np.array([0.0, 0.0, throw * 0.15])
            streaks.append([start, middle, end])
    lines = np.array(streaks)
    thick = np.array([0.0022, 0.0028, 0.0014])[None, :, None]
    sheets = []
    for axis in ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]):
        side = thick * np.array(axis)
        points = np.stack([lines - side, lines + side], 2).reshape(-1, 3)
        start_at = np.arange(len(lines)) * 6
        faces = np.concatenate(
            [start_at[:, None] + np.array(f) for f in ([0, 1, 3], [0, 3, 2], [2, 3, 5], [2, 5, 4])]
        )
        normal = np.tile([axis[2], 0.3, axis[0]], (len(points), 1))
        sheets.append(Mesh.of(points, normal, np.zeros((len(points), 2)), faces))
    low = (head[0], head[1] - fall, head[2] + throw)
    mist = skin(
        [
            ellipse(radius * 1.5, radius * 1.5, low[1], at=(low[0], low[2]), sides=16),
            ellipse(radius * 0.95, radius * 0.95, head[1] - 0.004, at=(head[0], head[2]), sides=16),
        ]
    )
    return [
        Part("water", join(sheets), STREAM, casts_shadow=False),
        Part("mist", mist, MIST, casts_shadow=False),
    ]


BUILDERS: dict[str, Builder] = {
    "Bathtub": bathtub,
    "BathtubBasin": bathtub_basin,
    "ShowerDoor": shower_door,
    "ShowerGlass": shower_glass,
    "ShowerCurtain": shower_curtain,
    "ShowerHead": shower_head,
}
