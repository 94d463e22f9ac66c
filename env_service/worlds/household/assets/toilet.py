"""The toilet, its paper, and what the paper hangs on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.bearing import sideways, turned, yawed
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Motion,
    MotionKind,
    Part,
    Surface,
)
from env_service.worlds.household.assets.skins import Array, cap, egg, path, skin
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


BUILDERS: dict[str, Builder] = {
    "Toilet": toilet,
    "ToiletPaper": toilet_paper,
    "ToiletPaperHanger": toilet_paper_hanger,
}
