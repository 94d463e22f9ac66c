"""The toilet, its paper and its holder; towels, their rings and rails, and cloths."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.lofts import Array, cap, egg, path, skin
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
    turned,
    yawed,
)
from env_service.worlds.household.assets.painted_textures import Canvas
from env_service.worlds.household.geometry import Rotation, Transform, Vec3

CERAMIC = Material((0.92, 0.92, 0.91), gloss=0.6)
WATER = Material((0.55, 0.72, 0.80), opacity=0.75, gloss=0.9)
CARD = Material((0.62, 0.46, 0.30), gloss=0.02, two_sided=True)


@dataclass(frozen=True)
class _Plan:
    """The measures of a toilet, metres: width and height; z of the tank's back, its depth; z of
    the lid's hinge; height of the seat; the bowl's oval: half width, centre, reach to the front
    and to the rear."""

    w: float
    h: float
    back: float
    tank: float
    hinge: float
    seat: float
    rx: float
    center: float
    front: float
    rear: float

    def oval(self, share: float, y: float, *, cut: float = 0.0) -> Array:
        """The bowl's outline at a height: a share of its full width and front, less `cut`."""
        return egg(
            self.rx * share - cut,
            self.front * share - cut,
            self.rear - cut,
            y,
            at=(0.0, self.center),
            square=1.6,
        )

    def ring(self, across: float, front: float, rear: float, y: float) -> Array:
        """An oval of the bowl at a height, by shares of its width, front and rear."""
        return egg(self.rx * across, self.front * front, self.rear * rear, y, at=(0.0, self.center))


def toilet(request: AssetRequest) -> Model:
    """A toilet with its tank at the back (-z); the lid opens up against the tank. The tank's top
    is a surface.

    AI2-THOR's second toilet has a box about as wide as deep, with the toilet in its middle: in
    boxes wider than 3/4 of their depth, 45 % of the width and 68 % of the depth are used (places
    of things on the tank in the floor plans 421, 423 and 430).
    """
    plan = _plan(request)
    lid, motion = _lid(plan)
    plastic = request.choose((CERAMIC, CERAMIC, palette.wood("cherry", gloss=0.35)), 5)
    water = cap(plan.ring(0.5, 0.5, 0.4, 0.325 * plan.h))
    parts = (
        Part("bowl", _bowl(plan), CERAMIC),
        Part("tank", _tank(plan), CERAMIC),
        Part("water", water, WATER, casts_shadow=False),
        Part("lever", _lever(plan), palette.metal("chrome")),
        Part("seat", _seat(plan), plastic),
        Part("lid", lid, plastic, motion),
    )
    edge = 0.008
    surface = Surface(
        (-plan.w / 2 + edge, plan.back + edge),
        (plan.w / 2 - edge, plan.back + plan.tank - edge),
        plan.h,
    )
    return Model(parts, (surface,))


def _plan(request: AssetRequest) -> _Plan:
    w, h, d = request.size.tuple()
    if w > 0.75 * d:
        w, d = 0.45 * w, 0.68 * d
    tank = 0.27 * d
    hinge = tank - d / 2 + 0.035
    center = hinge + 0.42 * (d / 2 - hinge)
    front = d / 2 - center
    return _Plan(
        w=w,
        h=h,
        back=-d / 2,
        tank=tank,
        hinge=hinge,
        seat=0.5 * h,
        rx=min(0.42 * w, 0.75 * front),
        center=center,
        front=front,
        rear=center - hinge,
    )


def _bowl(plan: _Plan) -> Mesh:
    """Foot, bowl and its hollow, and the shelf behind it that carries the tank."""
    h, rim = plan.h, plan.seat - 0.022
    outside = skin(
        [
            plan.ring(0.62, 0.42, 1.05, 0.0),
            plan.ring(0.58, 0.40, 1.05, 0.05 * h),
            plan.ring(0.55, 0.45, 1.0, 0.2 * h),
            plan.oval(0.78, 0.34 * h),
            plan.oval(0.95, 0.43 * h),
            plan.oval(0.98, rim - 0.013),
        ],
        low=True,
    )
    hollow = [
        plan.oval(0.98, rim - 0.013),
        plan.oval(0.99, rim - 0.003),
        plan.oval(0.95, rim),
        plan.ring(0.68, 0.74, 0.6, rim - 0.002),
        plan.ring(0.62, 0.66, 0.5, 0.38 * h),
        plan.ring(0.38, 0.36, 0.32, 0.27 * h),
    ]
    z = plan.back + plan.tank / 2
    shelf = shapes.rounded_box(
        plan.rx * 1.5,
        plan.seat - 0.03 - 0.3 * h,
        plan.tank + 0.05,
        0.03,
        at=(0, 0.3 * h, z + 0.03),
        steps=1,
    )
    foot = shapes.rounded_box(plan.rx, 0.31 * h, plan.tank, 0.03, at=(0, 0, z + 0.04), steps=1)
    return join([outside, skin(hollow), cap(hollow[-1]), shelf, foot])


def _tank(plan: _Plan) -> Mesh:
    lid = 0.032 * plan.h
    low, z = plan.seat - 0.04, plan.back + plan.tank / 2
    body = shapes.rounded_box(
        0.92 * plan.w, plan.h - lid - low, plan.tank - 0.012, 0.035, at=(0, low, z), steps=1
    )
    cover = shapes.rounded_box(plan.w, lid, plan.tank, 0.012, at=(0, plan.h - lid, z), steps=1)
    return join([body, cover])


def _lever(plan: _Plan) -> Mesh:
    """The flush, at the tank's front."""
    x, y, z = 0.36 * plan.w, 0.87 * plan.h, plan.back + plan.tank
    knob = shapes.tube([(x, y, z - 0.008), (x, y, z + 0.015)], 0.014)
    arm = shapes.rounded_box(
        0.08, 0.016, 0.012, 0.005, at=(x - 0.03, y - 0.008, z + 0.012), steps=1
    )
    return join([knob, arm])


def _seat(plan: _Plan) -> Mesh:
    """A flat ring with round edges, above the rim."""
    y = plan.seat

    def inner(share: float, level: float) -> Array:
        return plan.ring(0.66 * share, 0.72 * share, 0.58 * share, level)

    return skin(
        [
            inner(1.0, y - 0.018),
            plan.oval(1.0, y - 0.018, cut=0.006),
            plan.oval(1.0, y - 0.008),
            plan.oval(1.0, y - 0.001, cut=0.008),
            inner(1.05, y - 0.001),
            inner(1.0, y - 0.008),
            inner(1.0, y - 0.018),
        ]
    )


def _lid(plan: _Plan) -> tuple[Mesh, Motion]:
    y = plan.seat
    shell = skin(
        [
            plan.oval(1.0, y + 0.002, cut=0.006),
            plan.oval(1.0, y + 0.008),
            plan.oval(1.0, y + 0.016, cut=0.004),
            plan.oval(1.0, y + 0.022, cut=0.03),
        ],
        low=True,
        high=True,
    )
    axle = y + 0.006
    hinges = [
        shapes.tube([(x - 0.02, axle, plan.hinge), (x + 0.02, axle, plan.hinge)], 0.011)
        for x in (-0.4 * plan.rx, 0.4 * plan.rx)
    ]
    motion = Motion(
        MotionKind.HINGE, Vec3(1.0, 0.0, 0.0), -94.0, Vec3(0.0, axle, plan.hinge + 0.004)
    )
    return join([shell, *hinges]), motion


def toilet_paper(request: AssetRequest) -> Model:
    """A roll whose axis is the odd one of its three extents; used up, the bare core."""
    size = request.size
    extents = size.tuple()
    spread = {
        "y": abs(extents[0] - extents[2]),
        "z": abs(extents[0] - extents[1]),
        "x": abs(extents[1] - extents[2]),
    }
    axis = min(spread, key=lambda key: (round(spread[key], 4), "yzx".index(key)))
    across = [extents["xyz".index(other)] for other in "xyz" if other != axis]
    length, radius = extents["xyz".index(axis)], min(across) / 2
    named_empty = "Used_Up" in str(request.detail("asset") or "")
    core = radius if named_empty else 0.36 * radius
    parts = [Part("core", _tube(core, core * 0.9, length * 0.985), CARD)]
    if not (request.look.used_up or named_empty):
        parts.append(Part("paper", _tube(radius * 0.985, core * 1.02, length), _paper()))
    upright = Model(tuple(parts))
    if axis == "y":
        return upright
    rotation = {
        "x": Rotation(((0.0, 1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, 1.0))),
        "z": Rotation(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0))),
    }[axis]
    shift = rotation.apply(Vec3(0.0, length / 2, 0.0))
    return turned(upright, Transform(rotation, Vec3(0.0, size.y / 2, 0.0) - shift))


def _tube(outer: float, inner: float, length: float) -> Mesh:
    bevel = min(0.003, (outer - inner) * 0.2)
    profile = [
        (inner, 0.0),
        (outer - bevel, 0.0),
        (outer, bevel),
        (outer, length - bevel),
        (outer - bevel, length),
        (inner, length),
        (inner, 0.0),
    ]
    return shapes.lathe(profile, sides=24)


@cache
def _paper() -> Material:
    return Material((1.0, 1.0, 1.0), textures.cloth((0.93, 0.92, 0.90), weave=0.07), gloss=0.0)


def toilet_paper_hanger(request: AssetRequest) -> Model:
    """A rod between two arms from the wall (-z), in taller boxes with a curved cover. The rod,
    20 mm behind the front, is a surface on which a roll hangs."""
    w, h, d = request.size.tuple()
    if w < 0.8 * d:
        built = toilet_paper_hanger(sideways(request))
        return yawed(built)
    radius = min(0.009, 0.2 * h)
    z = d / 2 - max(radius + 0.002, min(0.02, 0.25 * d))
    covered = h > 0.12
    y = 0.35 * h if covered else 0.5 * h
    end = w / 2 - 0.012
    plate = min(0.028, 0.48 * h, w * 0.1)
    metal = [shapes.tube([(-end, y, z), (end, y, z)], radius, sides=10)]
    for side in (-1, 1):
        arm = path(
            [(side * end * 0.9, y, -d / 2), (side * end, y, (z - d / 2) / 2), (side * end, y, z)], 3
        )
        metal.append(shapes.tube(arm, radius))
        metal.append(
            shapes.lathe([(plate, 0.0), (plate * 0.85, 0.007), (0.0, 0.009)], sides=14)
            .turned(x=90)
            .moved(side * (w / 2 - plate), y, -d / 2)
        )
        metal.append(
            shapes.ball(
                radius * 1.3,
                radius * 1.3,
                radius * 1.3,
                sides=10,
                rings=6,
                at=(side * (w / 2 - radius * 1.3), y, z),
            )
        )
    if covered:
        metal.append(_cover(w * 0.8, h, d))
    name = request.choose(("chrome", "brass", "steel", "black iron"), 2)
    surface = Surface((-end + 0.01, z - radius), (end - 0.01, z + radius), y + radius)
    return Model((Part("hanger", join(metal), palette.metal(name)),), (surface,))


def _cover(width: float, h: float, d: float) -> Mesh:
    """A plate that bends from the wall over the roll."""
    line = path(
        [(0, 0.55 * h, -d / 2 + 0.004), (0, h - 0.006, -d * 0.2), (0, 0.8 * h, d / 2 - 0.004)], 4
    )
    outline = np.array(line)
    thick = 0.003
    rings = []
    for x in (-width / 2, width / 2):
        upper = outline + np.array([x, thick, 0.0])
        lower = outline[::-1] + np.array([x, -thick, 0.0])
        rings.append(np.concatenate([upper, lower]))
    plate = skin(rings)
    return plate if shapes.volume(plate) >= 0 else skin(rings[::-1])


# --- Towels, their rings and rails, and cloths

TOWELS: tuple[tuple[Color, Color], ...] = (
    ((0.22, 0.42, 0.58), (0.86, 0.88, 0.88)),
    ((0.88, 0.86, 0.80), (0.62, 0.45, 0.33)),
    ((0.62, 0.24, 0.26), (0.90, 0.80, 0.74)),
    ((0.40, 0.55, 0.42), (0.88, 0.88, 0.80)),
)
"""Ground and border."""

CLOTHS: tuple[tuple[str, Color, Color], ...] = (
    ("checks", (0.86, 0.86, 0.84), (0.72, 0.22, 0.20)),
    ("checks", (0.84, 0.86, 0.88), (0.25, 0.42, 0.65)),
    ("border", (0.90, 0.88, 0.82), (0.30, 0.52, 0.42)),
    ("plain", (0.86, 0.70, 0.30), (0.86, 0.70, 0.30)),
    ("plain", (0.55, 0.72, 0.78), (0.55, 0.72, 0.78)),
)
"""Pattern, ground and stripe."""


def towel(request: AssetRequest) -> Model:
    """A towel folded over a bar that runs along the longer of its level sides; in a flat box, a
    folded stack."""
    return _hung_or_folded(request, 0.06)


def hand_towel(request: AssetRequest) -> Model:
    """Like a towel, with the border nearer to its hem."""
    return _hung_or_folded(request, 0.1)


def _hung_or_folded(request: AssetRequest, border: float) -> Model:
    w, h, d = request.size.tuple()
    ground, stripe = request.choose(TOWELS)
    material = _terry(ground, stripe, border)
    if h < 0.6 * min(w, d):
        layers = max(2, min(4, round(h / 0.03)))
        thick = h / layers
        stack = [
            shapes.rounded_box(
                w * (1 - 0.03 * (k % 2)), thick * 0.97, d * (1 - 0.02 * k), thick * 0.45,
                at=(0, k * thick, 0),
            )
            for k in range(layers)
        ]  # fmt: skip
        return Model((Part("towel", join(stack), material),))
    if w < d:
        flat = _draped(d, h, w)
        model = Model((Part("towel", flat, material),))
        return yawed(model)
    return Model((Part("towel", _draped(w, h, d), material),))


def _draped(w: float, h: float, d: float) -> Mesh:
    """Thick cloth over a bar along x: its cross section, a narrow arch, drawn along x with slight
    waves. The back hangs a little shorter than the front."""
    thick = min(0.36 * d, 0.016)
    ripple = min(0.12 * d, 0.006)
    mid = d / 2 - thick / 2 - ripple
    top = h - thick / 2
    bend = min(mid, 0.3 * h)
    turn = np.linspace(0.0, math.pi, 9)
    front = [(mid, y) for y in np.linspace(0.0, top - bend, 6)[:-1]]
    arch = [(mid * math.cos(t), top - bend + bend * math.sin(t)) for t in turn]
    back = [(-mid, y) for y in np.linspace(top - bend, 0.07 * h, 6)[1:]]
    line = np.array([*front, *arch, *back])
    step = np.gradient(line, axis=0)
    step /= np.sqrt((step * step).sum(1, keepdims=True))
    normal = np.stack([step[:, 1], -step[:, 0]], 1)
    outer, inner = line + normal * thick / 2, line - normal * thick / 2
    loop = np.concatenate([outer, inner[::-1]])
    x = np.linspace(-w / 2, w / 2, 11)
    fade = 1 - np.clip(loop[:, 1] / h, 0, 1) ** 3
    rings = []
    for place in x:
        wave = ripple * math.sin(place * 2 * math.pi * 2.3 / w + 0.6)
        z = loop[:, 0] + wave * fade * np.sign(loop[:, 0] + 1e-9)
        rings.append(np.stack([np.full(len(z), place), loop[:, 1], z], 1))
    sleeve = skin(rings)
    sleeve = sleeve if shapes.volume(sleeve) >= 0 else skin(rings[::-1])
    ends = [_edge(rings[0], -1.0), _edge(rings[-1], 1.0)]
    whole = join([sleeve, *ends])
    uv = np.stack([whole.points[:, 0] / w + 0.5, whole.points[:, 1] / h * 0.98], 1)
    return Mesh.of(whole.points, whole.normals, uv, whole.faces)


def _edge(ring: Array, side: float) -> Mesh:
    """The cut edge of a draped cloth: a strip between its outer and its inner line."""
    half = len(ring) // 2
    points = np.concatenate([ring[:half], ring[half:][::-1]])
    k = np.arange(half - 1)
    faces = np.concatenate(
        [np.stack([k, k + 1, k + half], 1), np.stack([k + 1, k + half + 1, k + half], 1)]
    )
    normal = np.tile([side, 0.0, 0.0], (len(points), 1))
    p = points[faces]
    wrong = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])[:, 0] * side < 0
    faces[wrong] = faces[wrong][:, ::-1]
    return Mesh.of(points, normal, np.zeros((len(points), 2)), faces)


@cache
def _terry(ground: Color, stripe: Color, border: float) -> Material:
    """Terry cloth with two woven bands near the hems."""
    fuzz = textures.noise(128, 48, 5, octaves=2)
    board = Canvas(ground, 128)
    board.rect((0, border, 1, border + 0.05), stripe).rect(
        (0, border + 0.07, 1, border + 0.085), stripe
    )
    board.pixels *= (0.84 + 0.2 * fuzz)[..., None]
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.0)


def hand_towel_holder(request: AssetRequest) -> Model:
    """A ring under a plate on the wall (-z, or -x for a box thin along x). The foot of the ring is
    a surface over which a towel hangs."""
    w, h, d = request.size.tuple()
    if w < d:
        return _sideways(hand_towel_holder, request)
    tube = min(0.006, d * 0.15)
    radius = min(w, h) / 2 - tube
    lift = h - 2 * (radius + tube)
    z = d / 2 - tube - 0.004
    turns = np.linspace(0.0, 2 * math.pi, 28, endpoint=False)
    center = radius + tube
    ring = [(radius * math.cos(t), center + radius * math.sin(t), z) for t in turns]
    plate_y = min(h - 0.03, 2 * radius + tube + lift * 0.3)
    plate = shapes.lathe([(0.028, 0.0), (0.024, 0.008), (0.0, 0.011)], sides=18)
    metal = [
        shapes.tube(ring, tube, closed=True),
        plate.turned(x=90).moved(0, plate_y, -d / 2),
        shapes.tube([(0, plate_y, -d / 2), (0, plate_y, z)], 0.009),
        shapes.ball(0.013, 0.013, 0.011, sides=12, rings=8, at=(0, plate_y, z - 0.004)),
    ]
    name = request.choose(("chrome", "brass", "black iron"), 2)
    half = min(radius * 0.8, 0.07)
    low = 2 * tube
    surface = Surface((-half, z - tube), (half, z + tube), low)
    return Model((Part("holder", join(metal), palette.metal(name)),), (surface,))


def towel_holder(request: AssetRequest) -> Model:
    """A bar between two posts on the wall (-z, or -x for a box thin along z). The bar, at the
    front of the box, is a surface of its width over which a towel hangs."""
    w, h, d = request.size.tuple()
    if w < d:
        return _sideways(towel_holder, request)
    radius = min(0.009, 0.24 * h)
    end = w / 2 - 0.018
    z = d / 2 - radius - 0.002
    y = h / 2
    metal = [shapes.tube([(-w / 2 + 0.004, y, z), (w / 2 - 0.004, y, z)], radius, sides=12)]
    for side in (-1, 1):
        metal.append(
            shapes.tube(path([(side * end, y, -d / 2), (side * end, y, z)], 2), radius * 0.9)
        )
        metal.append(
            shapes.rounded_box(
                0.034,
                min(h, 0.042),
                0.012,
                0.004,
                at=(side * end, y - min(h, 0.042) / 2, 0.006 - d / 2),
                steps=1,
            )
        )
        metal.append(
            shapes.rounded_box(
                0.03,
                min(h * 0.9, 0.03),
                0.022,
                0.008,
                at=(side * end, y - min(h * 0.9, 0.03) / 2, d / 2 - 0.011),
                steps=1,
            )
        )
    name = request.choose(("chrome", "brass", "steel", "black iron"), 2)
    surface = Surface((-end + 0.02, z - radius), (end - 0.02, z + radius), y + radius)
    return Model((Part("holder", join(metal), palette.metal(name)),), (surface,))


def _sideways(builder: Builder, request: AssetRequest) -> Model:
    """A model for a box that is thin along x: its front turned to +x, its surface with it."""
    built = builder(sideways(request))
    model = yawed(built)
    surfaces = tuple(
        Surface((s.low[1], -s.high[0]), (s.high[1], -s.low[0]), s.height) for s in built.surfaces
    )
    return Model(model.parts, surfaces)


def cloth(request: AssetRequest) -> Model:
    """A cleaning cloth: folded in four, or crumpled where its box is high for its extent. Dirty,
    it is stained with grease."""
    w, h, d = request.size.tuple()
    kind, ground, stripe = request.choose(CLOTHS)
    material = _cleaning_cloth(kind, ground, stripe, request.variant % 4, dirty=request.look.dirty)
    mesh = _crumpled(w, h, d, request.variant) if h > 0.2 * min(w, d) else _folded(w, h, d)
    return Model((Part("cloth", mesh, material),))


def _crumpled(w: float, h: float, d: float, seed: int) -> Mesh:
    """A cloth that was dropped: a round heap of folds, flat at its ragged edge."""
    fold = textures.noise(32, 4, seed % 7 + 11, octaves=2)[4:26, 4:26]
    u = np.linspace(-1, 1, 22)
    away = np.sqrt(u[:, None] ** 2 + u[None] ** 2)
    dome = np.clip(1.12 - away, 0, 1) ** 0.7
    ridge = 1 - 2 * np.abs(fold - 0.5)
    height = dome * (0.25 + 0.75 * ridge)
    height = height / height.max() * (h - 0.003) + 0.003 * (height > 0)
    sheet = shapes.sheet(height, w, d)
    p = sheet.points.astype(np.float64)
    turn = np.arctan2(p[:, 2] / d, p[:, 0] / w)
    ragged = 0.86 + 0.09 * np.sin(turn * 3 + seed % 5) + 0.05 * np.sin(turn * 7 + 1)
    square = np.maximum(np.abs(p[:, 0]) / (w / 2), np.abs(p[:, 2]) / (d / 2))
    away_flat = np.sqrt((p[:, 0] / (w / 2)) ** 2 + (p[:, 2] / (d / 2)) ** 2)
    pull = ragged * np.where(away_flat > 0, square / np.maximum(away_flat, 1e-6), 1.0)
    points = p * np.stack([pull, np.ones_like(pull), pull], 1)
    return shapes.smoothed(Mesh.of(points, sheet.normals, sheet.uv, sheet.faces))


def _folded(w: float, h: float, d: float) -> Mesh:
    """A cloth folded in four: two soft layers, a little askew."""
    half = h / 2
    lower = shapes.rounded_box(w * 0.98, half * 1.02, d * 0.98, half * 0.5, steps=1)
    upper = shapes.rounded_box(w * 0.94, half, d * 0.95, half * 0.5, steps=1)
    upper = upper.moved(w * 0.02, half, -d * 0.015)
    whole = join([lower, upper])
    uv = np.stack([0.5 - whole.points[:, 0] / w, 0.5 - whole.points[:, 2] / d], 1)
    return Mesh.of(whole.points, whole.normals, uv, whole.faces)


@cache
def _cleaning_cloth(kind: str, ground: Color, stripe: Color, seed: int, *, dirty: bool) -> Material:
    board = Canvas(ground, 128)
    if kind == "checks":
        for k in range(6):
            start = k / 6 + 0.02
            board.rect((start, 0, start + 0.055, 1), stripe)
            board.rect((0, start, 1, start + 0.055), stripe)
    elif kind == "border":
        for low in (0.05, 0.12, 0.84, 0.91):
            board.rect((0, low, 1, low + 0.035), stripe).rect((low, 0, low + 0.035, 1), stripe)
    board.pixels *= (0.86 + 0.18 * textures.noise(128, 40, 3, octaves=2))[..., None]
    if dirty:
        patches = textures.noise(128, 4, 40 + seed, octaves=3)
        board.mask((patches - 0.48) * 7.0, (0.27, 0.18, 0.09))
        spots = textures.noise(128, 12, 50 + seed, octaves=2)
        board.mask((spots - 0.68) * 9.0, (0.10, 0.08, 0.05))
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.0, two_sided=True)


BUILDERS: dict[str, Builder] = {
    "Toilet": toilet,
    "ToiletPaper": toilet_paper,
    "ToiletPaperHanger": toilet_paper_hanger,
    "Towel": towel,
    "HandTowel": hand_towel,
    "HandTowelHolder": hand_towel_holder,
    "TowelHolder": towel_holder,
    "Cloth": cloth,
}
