"""What closes a shower: glass doors, glass panes, curtains."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import numpy as np

from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.bearing import sideways, yawed
from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Motion,
    MotionKind,
    Part,
)
from env_service.worlds.household.assets.remains import shards
from env_service.worlds.household.assets.skins import Array
from env_service.worlds.household.geometry import Vec3

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
    """Whole panes, or what is left of them: teeth at the edge, shards on the floor."""
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
    """A sheet over rows of points from the top down; u along the cloth itself, in metres over
    0.5, v from the hem (0) to the top (1)."""
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


BUILDERS: dict[str, Builder] = {
    "ShowerDoor": shower_door,
    "ShowerGlass": shower_glass,
    "ShowerCurtain": shower_curtain,
}
