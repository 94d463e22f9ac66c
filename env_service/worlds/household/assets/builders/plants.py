"""House plants: leaves, stems and blooms in pots."""

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import shapes, textures
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Part,
    Texture,
)
from env_service.worlds.household.geometry import Vec3

Floats = NDArray[np.floating[Any]]

POTS: tuple[Material, ...] = (
    Material((0.66, 0.34, 0.21), gloss=0.08),
    Material((0.84, 0.83, 0.80), gloss=0.5),
    Material((0.22, 0.29, 0.33), gloss=0.35),
    Material((0.78, 0.66, 0.42), gloss=0.3),
)


@lru_cache(maxsize=16)
def _leaf_picture(color: Color, vein: Color) -> Texture:
    """A leaf's face: a pale midrib along v, slanting side veins."""
    size = 64
    u = np.abs((np.arange(size) + 0.5) / size - 0.5)[None]
    v = ((np.arange(size) + 0.5) / size)[:, None]
    side = np.clip(np.sin((v - u * 0.9) * 40) - 0.6, 0, 1)
    rib = np.clip((0.05 - u) * 40, 0, 1)
    share = np.clip(rib + 0.5 * side + 0.22 * textures.noise(size, 4, 7), 0, 1)
    return textures.picture(textures.between(color, vein, share))


def leaves(
    starts: Floats,
    headings: Floats,
    rises: Floats,
    *,
    lengths: Floats,
    widths: Floats,
    droops: Floats,
    segments: int = 4,
    fullest: float = 0.4,
) -> Mesh:
    """Leaves as bent sheets of three corners across, all at once.

    Arrays have one entry a leaf: [N, 3] feet, then [N] headings about the vertical and rises
    above the level (radians), lengths and greatest widths (metres), droops (radians that the tip
    bends down). `fullest` is where along its length a leaf is widest.
    """
    count = len(lengths)
    t = np.linspace(0, 1, segments + 1)
    pitch = rises[:, None] - droops[:, None] * ((t[:-1] + t[1:]) / 2)[None]
    step = lengths[:, None] / segments
    along = np.concatenate([np.zeros((count, 1)), np.cumsum(np.cos(pitch) * step, 1)], 1)
    up = np.concatenate([np.zeros((count, 1)), np.cumsum(np.sin(pitch) * step, 1)], 1)
    power = math.log(0.5) / math.log(fullest)
    outline = np.sin(math.pi * np.clip(t, 0.02, 0.985) ** power) ** 0.8
    half = widths[:, None] / 2 * outline[None]
    out = np.stack([np.cos(headings), np.zeros(count), np.sin(headings)], 1)
    across = np.stack([-np.sin(headings), np.zeros(count), np.cos(headings)], 1)
    spine = (
        starts[:, None] + along[..., None] * out[:, None] + up[..., None] * np.array([0, 1.0, 0])
    )
    sides = np.array([-1.0, 0.0, 1.0])
    points = spine[:, :, None] + half[..., None, None] * sides[:, None] * across[:, None, None]
    points = points + (np.abs(sides) * half[..., None] * 0.35)[..., None] * np.array([0, 1.0, 0])
    uv = np.stack(np.broadcast_arrays(sides / 2 + 0.5, t[:, None]), 2)
    i, j = (a.ravel() for a in np.meshgrid(range(segments), range(2), indexing="ij"))
    a = i * 3 + j
    cell = np.concatenate([np.stack([a, a + 1, a + 4], 1), np.stack([a, a + 4, a + 3], 1)])
    per = (segments + 1) * 3
    faces = (cell[None] + (np.arange(count) * per)[:, None, None]).reshape(-1, 3)
    flat = points.reshape(-1, 3)
    mesh = Mesh.of(
        flat,
        np.tile([0.0, 1.0, 0.0], (len(flat), 1)),
        np.tile(uv.reshape(-1, 2), (count, 1)),
        faces,
    )
    return shapes.smoothed(mesh)


def house_plant(request: AssetRequest) -> Model:
    """Kinds: broad leaves on stems, upright blades, a fern, a palm, a flowering plant. Watered,
    its soil is dark and wet, with water standing on it."""
    w, h, d = request.size.tuple()
    kind = request.choose(("broad", "blades", "fern", "palm", "flowers"))
    pot_h = h * {"broad": 0.34, "blades": 0.32, "fern": 0.42, "palm": 0.26, "flowers": 0.40}[kind]
    pot_r = min(min(w, d) * 0.40, pot_h * 0.62)
    pot_h = min(pot_h, pot_r * 2.1)
    pot = shapes.lathe(
        [
            (0.0, 0.0),
            (pot_r * 0.68, 0.0),
            (pot_r * 0.93, pot_h * 0.82),
            (pot_r, pot_h * 0.82),
            (pot_r, pot_h),
            (pot_r * 0.88, pot_h),
            (pot_r * 0.85, pot_h * 0.86),
        ],
        sides=24,
        wrap=True,
    )
    soil_y, soil_r = pot_h * 0.88, pot_r * 0.87
    soil = shapes.lathe([(soil_r, soil_y), (0.0, soil_y + pot_h * 0.02)], sides=20)
    wet = request.look.liquid is not None
    earth = (0.10, 0.065, 0.045) if wet else (0.33, 0.235, 0.16)
    parts = [
        Part("pot", pot, request.choose(POTS, salt=1)),
        Part("soil", soil, _earth(earth, 0.55 if wet else 0.0)),
    ]
    if wet:
        pool = shapes.lathe(
            [(soil_r * 1.005, soil_y + pot_h * 0.05), (0.0, soil_y + pot_h * 0.05)], sides=20
        )
        water = Material((0.45, 0.66, 0.80), opacity=0.55, gloss=0.95)
        parts.append(Part("water", pool, water, casts_shadow=False))
    return Model((*parts, *_foliage(request, kind, soil_y)))


GREENS: tuple[tuple[Color, Color], ...] = (
    ((0.13, 0.36, 0.13), (0.36, 0.58, 0.26)),
    ((0.20, 0.44, 0.16), (0.50, 0.68, 0.30)),
    ((0.10, 0.30, 0.18), (0.40, 0.60, 0.40)),
)
"""Colours of leaves and of their veins."""


def _foliage(request: AssetRequest, kind: str, soil: float) -> list[Part]:
    """All that grows out of the soil, stretched so that it just reaches the top of the box."""
    size = request.size
    generator = np.random.default_rng(1000 + request.variant % 16)
    green, stems = _growth(kind, generator, size, soil)
    tone = request.choose(GREENS, salt=2)
    leaf = Material((1.0, 1.0, 1.0), _leaf_picture(*tone), gloss=0.25, two_sided=True)
    grown = [("leaves", green, leaf)]
    if stems:
        woody = kind in ("broad", "palm")
        bark = Material((0.36, 0.27, 0.16) if woody else (0.26, 0.42, 0.18))
        grown.append(("stems", fp.rods(stems, sides=6), bark))
    if kind == "flowers":
        grown.append(("blooms", *_blooms(request, stems)))
    top = max(float(mesh.bounds[1][1]) for _, mesh, _ in grown)
    rise = (size.y - 0.002 - soil) / (top - soil)
    parts = []
    for name, mesh, material in grown:
        taller = mesh.moved(y=-soil).scaled(1.0, rise, 1.0).moved(y=soil)
        parts.append(Part(name, kept_inside(taller, size, soil), material))
    return parts


@lru_cache(maxsize=4)
def _earth(color: Color, gloss: float) -> Material:
    crumb = (color[0] * 0.6, color[1] * 0.6, color[2] * 0.6)
    return Material((1.0, 1.0, 1.0), textures.speckle(color, crumb, share=0.35), gloss=gloss)


def kept_inside(mesh: Mesh, size: Vec3, floor: float) -> Mesh:
    """The mesh with what grows out of the box pushed back to its limits, and above `floor`."""
    x, z = size.x / 2 - 0.002, size.z / 2 - 0.002
    p = np.clip(mesh.points.astype(np.float64), [-x, floor * 0.6, -z], [x, size.y - 0.001, z])
    return Mesh.of(p, mesh.normals, mesh.uv, mesh.faces)


def _growth(
    kind: str, generator: np.random.Generator, size: Vec3, soil: float
) -> tuple[Mesh, list[fp.Rod]]:
    """Leaves and stems over the soil, reaching about the sides and the top of the box."""
    free, r = size.y - soil, min(size.x, size.z) / 2
    if kind == "blades":
        n = 13
        turn = np.arange(n) * 2.4
        feet = np.stack([np.cos(turn) * r * 0.25, np.full(n, soil), np.sin(turn) * r * 0.25], 1)
        rises = np.linspace(1.52, 1.22, n)
        tall = free * np.linspace(1.0, 0.62, n) / np.sin(rises)
        width = np.full(n, min(0.075, r * 0.34))
        droop = np.full(n, 0.06)
        blade = leaves(feet, turn, rises, lengths=tall, widths=width, droops=droop, fullest=0.45)
        return blade, []
    if kind == "fern":
        n = 30
        turn = np.arange(n) * 2.4
        feet = (
            np.tile([0.0, soil, 0.0], (n, 1))
            + np.stack([np.cos(turn), turn * 0, np.sin(turn)], 1) * r * 0.12
        )
        rises = np.linspace(1.50, 0.75, n)
        long = np.linspace(1.05, 1.25, n) * max(r, free * 0.75)
        long = np.minimum(long, free * 1.25)
        bend = np.linspace(0.9, 2.0, n)
        fronds = leaves(
            feet, turn, rises, lengths=long, widths=np.full(n, r * 0.22), droops=bend, segments=6
        )
        return fronds, []
    if kind == "palm":
        n, crown = 11, soil + free * 0.42
        turn = np.arange(n) * 2.4
        feet = np.tile([0.0, crown, 0.0], (n, 1))
        rises = np.linspace(1.5, 0.65, n)
        long = np.full(n, max(r * 1.25, free * 0.56))
        trunk: list[fp.Rod] = [((0, soil - 0.01, 0), (0, crown, 0), r * 0.10, r * 0.06)]
        bend = np.linspace(0.5, 1.9, n)
        blades = leaves(
            feet, turn, rises, lengths=long, widths=np.full(n, r * 0.30), droops=bend, segments=6
        )
        return blades, trunk
    return _leafy(generator, size, soil, flowering=kind == "flowers")


def _leafy(
    generator: np.random.Generator, size: Vec3, soil: float, *, flowering: bool
) -> tuple[Mesh, list[fp.Rod]]:
    """Stems that fan out, each with leaves along it."""
    free, r = size.y - soil, min(size.x, size.z) / 2
    count, each = (7, 5) if flowering else (5, 8)
    stems: list[fp.Rod] = []
    feet, turns = [], []
    for k in range(count):
        turn = k * 2.4 + generator.uniform(-0.3, 0.3)
        spread = r * (0.15 + 0.5 * (k / count))
        tall = free * (0.97 - 0.30 * k / count)
        tip = np.array(
            [
                math.cos(turn) * spread,
                soil + tall * (0.93 if flowering else 0.9),
                math.sin(turn) * spread,
            ]
        )
        foot = np.array([math.cos(turn) * r * 0.08, soil - 0.01, math.sin(turn) * r * 0.08])
        a, b = tuple(foot.tolist()), tuple(tip.tolist())
        stems.append(((a[0], a[1], a[2]), (b[0], b[1], b[2]), r * 0.035, r * 0.02))
        low, high = (0.15, 0.72) if flowering else (0.30, 1.0)
        for n in range(each):
            share = low + (high - low) * n / (each - 1)
            feet.append(foot + (tip - foot) * share)
            turns.append(turn + n * 2.1)
    n_leaves = len(feet)
    long = r * (0.52 if flowering else 0.85) * generator.uniform(0.8, 1.1, n_leaves)
    rises = generator.uniform(0.25, 0.8, n_leaves)
    green = leaves(
        np.array(feet),
        np.array(turns),
        rises,
        lengths=long,
        widths=long * (0.45 if flowering else 0.58),
        droops=generator.uniform(0.5, 1.2, n_leaves),
        fullest=0.45,
    )
    return green, stems


def _blooms(request: AssetRequest, stems: list[fp.Rod]) -> tuple[Mesh, Material]:
    """A round bloom of petals on every stem."""
    color = request.choose(
        ((0.85, 0.22, 0.30), (0.93, 0.90, 0.86), (0.62, 0.30, 0.62), (0.95, 0.66, 0.16)), salt=3
    )
    r = min(request.size.x, request.size.z) * 0.11
    bloom = shapes.ball(r, r * 0.75, r, sides=10, rings=5)
    p = bloom.points.astype(np.float64)
    turn = np.arctan2(p[:, 2], p[:, 0])
    petals = 1 + 0.16 * np.cos(5 * turn)
    bloom = shapes.smoothed(
        Mesh.of(
            p * np.stack([petals, petals * 0 + 1, petals], 1), bloom.normals, bloom.uv, bloom.faces
        )
    )
    return fp.copies(bloom, [tip for _, tip, _, _ in stems]), Material(color, gloss=0.1)


BUILDERS: dict[str, Builder] = {"HousePlant": house_plant}
