"""Lamps that stand: on a desk, on the floor. When on, the shade glows and a light hangs in it."""

import math
from dataclasses import replace

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Lamp,
    Material,
    Mesh,
    Model,
    Part,
    join,
)
from env_service.worlds.household.geometry import Vec3

WARM: Color = (1.0, 0.84, 0.58)
HEAD_TILT = 32.0
"""Degrees by which the head of a jointed lamp looks forward."""


def _shade_cloth(request: AssetRequest) -> Material:
    """The cloth of a shade: lit from within, or plain and duller."""
    color = request.choose(((0.90, 0.84, 0.72), (0.86, 0.80, 0.70), (0.80, 0.72, 0.62)), salt=5)
    if request.look.on:
        return Material((1.0, 0.86, 0.58), gloss=0.0, glow=1.1, two_sided=True)
    dim = (color[0] * 0.80, color[1] * 0.79, color[2] * 0.78)
    return Material(dim, gloss=0.0, two_sided=True)


def _bulb(request: AssetRequest, at: Vec3, radius: float) -> Part:
    """A pear-shaped bulb, glowing when on."""
    lit = request.look.on
    material = (
        Material((1.0, 0.95, 0.8), glow=2.5) if lit else Material((0.9, 0.9, 0.88), gloss=0.6)
    )
    mesh = shapes.ball(radius, radius * 1.25, radius, sides=10, rings=6, at=at.tuple())
    return Part("bulb", mesh, material, casts_shadow=False)


def _shade(top: float, bottom: float, low: float, high: float, sides: int = 32) -> Mesh:
    """An open cone or drum of cloth with a thickness of 3 mm."""
    t = 0.003
    return shapes.lathe(
        [(bottom - t, low), (bottom, low), (top, high), (top - t, high), (bottom - t, low)],
        sides=sides,
        wrap=True,
    )


def _trim(top: float, bottom: float, low: float, high: float) -> Mesh:
    """Rings along both edges of a shade, and the spokes that hold it to the stem."""
    rings = []
    for r, y in ((bottom, low), (top, high - 0.008)):
        a, b = r - 0.004, r + 0.001
        rings.append(
            shapes.lathe([(a, y), (b, y), (b, y + 0.008), (a, y + 0.008)], sides=32, wrap=True)
        )
    y, end = high - 0.01, top * 0.98
    spokes = fp.rods(
        [
            ((0, y, 0), (math.cos(a) * end, y, math.sin(a) * end), 0.0025, 0.0025)
            for a in (0.3, 2.4, 4.5)
        ],
        sides=5,
    )
    return join([*rings, spokes])


def desk_lamp(request: AssetRequest) -> Model:
    """Kinds: a table lamp with a shade over a ceramic foot, an architect's lamp with a jointed
    arm (always in oblong boxes), a mushroom of glass."""
    w, _, d = request.size.tuple()
    oblong = max(w, d) > 1.25 * min(w, d)
    kind = request.choose(("jointed",) if oblong else ("shade", "jointed", "mushroom", "shade"))
    if kind == "jointed":
        return _jointed_lamp(request)
    if kind == "mushroom":
        return _mushroom_lamp(request, min(w, d) / 2)
    return _table_lamp(request, min(w, d) / 2)


def _table_lamp(request: AssetRequest, r: float) -> Model:
    """A bellied ceramic foot under a cone or drum of cloth."""
    h = request.size.y
    low, top, narrow = h * 0.52, h - 0.012, r * request.choose((0.62, 0.92, 0.5), salt=2)
    belly = ((0.0, 0.0), (0.52, 0.0), (0.52, 0.025), (0.29, 0.06), (0.49, 0.20), (0.44, 0.32),
             (0.16, 0.44), (0.11, 0.48), (0.0, 0.48))  # fmt: skip
    foot = shapes.lathe([(x * r, y * h) for x, y in belly], sides=24, wrap=True, crease=55.0)
    glaze = request.choose(
        ((0.16, 0.34, 0.42), (0.80, 0.78, 0.72), (0.50, 0.20, 0.14), (0.28, 0.38, 0.26)), salt=3
    )
    metal = palette.metal(request.choose(("brass", request.palette.metal), salt=6))
    stem = fp.rods(
        [((0, h * 0.47, 0), (0, top, 0), 0.006, 0.006), ((0, top, 0), (0, h, 0), 0.012, 0.006)]
    )
    center = Vec3(0, h * 0.72, 0)
    return Model(
        (
            Part("foot", foot, Material(glaze, gloss=0.55)),
            Part("stem", stem, metal),
            Part("shade", _shade(narrow, r, low, top), _shade_cloth(request), casts_shadow=False),
            Part("trim", _trim(narrow, r - 0.001, low, top), metal),
            _bulb(request, center, min(0.03, r * 0.25)),
        ),
        lamps=_light(request, center, 1.0, 3.2),
    )


def _light(request: AssetRequest, at: Vec3, power: float, reach: float) -> tuple[Lamp, ...]:
    return (Lamp(at, WARM, power, reach),) if request.look.on else ()


def _mushroom_lamp(request: AssetRequest, r: float) -> Model:
    h = request.size.y
    cap_low = h * 0.52
    dome = [
        (
            r * math.cos(math.radians(a)),
            cap_low + 0.02 + (h - cap_low - 0.02) * math.sin(math.radians(a)),
        )
        for a in range(0, 90, 12)
    ]
    cap = shapes.lathe(
        [(r * 0.25, cap_low), (r * 0.9, cap_low), *dome, (0.0, h)], sides=28, crease=60.0
    )
    stem = shapes.lathe(
        [
            (0.0, 0.0),
            (r * 0.62, 0.0),
            (r * 0.60, 0.015),
            (r * 0.26, h * 0.12),
            (r * 0.2, h * 0.3),
            (r * 0.28, cap_low + 0.01),
            (0.0, cap_low + 0.01),
        ],
        sides=20,
        wrap=True,
        crease=50.0,
    )
    milk = (
        Material((1.0, 0.90, 0.68), gloss=0.3, glow=1.2)
        if request.look.on
        else Material((0.78, 0.77, 0.73), gloss=0.6)
    )
    metal = palette.metal(request.choose(("brass", "black iron", "chrome"), salt=4))
    return Model(
        (Part("stem", stem, metal), Part("cap", cap, milk, casts_shadow=False)),
        lamps=_light(request, Vec3(0, h * 0.66, 0), 1.0, 3.2),
    )


def _jointed_lamp(request: AssetRequest) -> Model:
    """Two arms between a round foot at the back and a conical head at the front, along the
    longer side of the box."""
    w, h, d = request.size.tuple()
    along_x = w > d
    long, wide = (w, d) if along_x else (d, w)
    head = min(wide / 2, long * 0.24, 0.09)
    drop = math.radians(HEAD_TILT)
    reach = Vec3(0, -math.cos(drop), math.sin(drop)) * (head * 1.5)
    tip = long / 2 - head * math.cos(drop) - 0.002
    crown = Vec3(0, h - 0.02, tip - reach.z * 0.9)
    cone, face = (mesh.turned(x=-HEAD_TILT).moved(*crown.tuple()) for mesh in _conical_head(head))
    over = min(0.0, h - float(cone.bounds[1][1]))
    color = request.choose(
        ((0.10, 0.10, 0.11), (0.62, 0.12, 0.10), (0.12, 0.30, 0.42), (0.75, 0.75, 0.74)), salt=2
    )
    lit = (
        Material((1.0, 0.93, 0.72), glow=2.0, two_sided=True)
        if request.look.on
        else Material((0.55, 0.55, 0.53), gloss=0.4, two_sided=True)
    )
    frame = join(
        [_jointed_arms(h, long, min(wide / 2, long * 0.3, 0.10), crown), cone.moved(y=over)]
    )
    parts: tuple[Part, ...] = (
        Part("frame", frame, Material(color, gloss=0.5)),
        Part("glow", face.moved(y=over), lit, casts_shadow=False),
        _bulb(request, crown + reach * 0.66, head * 0.3),
    )
    mouth = crown + reach * 1.05
    if along_x:
        parts = tuple(replace(part, mesh=part.mesh.turned(y=90.0)) for part in parts)
        mouth = Vec3(mouth.z, mouth.y, 0.0)
    return Model(parts, lamps=_light(request, mouth, 0.9, 2.8))


def _jointed_arms(h: float, long: float, foot: float, crown: Vec3) -> Mesh:
    """Foot and arms in the plane x = 0, up to the crown of the head."""
    r, base = min(0.009, h * 0.02), -long / 2 + foot
    elbow = (0.0, h * 0.55, -long / 2 + 0.02)
    plate = shapes.lathe(
        [(0.0, 0.0), (foot, 0.0), (foot, 0.014), (foot * 0.9, 0.022), (0.0, 0.022)], sides=24
    )
    bolts: list[fp.Rod] = [
        ((-r * 1.6, y, z), (r * 1.6, y, z), r * 1.5, r * 1.5)
        for y, z in ((elbow[1], elbow[2]), (0.035, base))
    ]
    arms: list[fp.Rod] = [((0, 0.02, base), elbow, r, r), (elbow, crown.tuple(), r, r)]
    return join([plate.moved(z=base), fp.rods([*arms, *bolts])])


def _conical_head(r: float) -> tuple[Mesh, Mesh]:
    """A cone that opens downwards from the origin, and the lit disc in its mouth."""
    h, t = r * 1.5, 0.0025
    cone = shapes.lathe(
        [
            (0.0, 0.0),
            (r * 0.34, 0.0),
            (r * 0.38, -h * 0.3),
            (r, -h),
            (r - t, -h),
            (r * 0.36 - t, -h * 0.3),
            (0.0, -h * 0.28),
        ],
        sides=24,
        wrap=True,
        crease=50.0,
    ).flipped()
    disc = shapes.lathe([(0.0, 0.0), (r * 0.9, 0.0)], sides=20)
    return cone, disc.moved(y=-h * 0.93)


def floor_lamp(request: AssetRequest) -> Model:
    """Kinds: a pole with a shade, a torch whose bowl shines upwards, three wooden legs under a
    shade."""
    w, h, d = request.size.tuple()
    r = min(w, d) / 2
    kind = request.choose(("pole", "tripod", "torch"))
    metal = palette.metal(request.choose(("black iron", "brass", "steel"), salt=1))
    if kind == "torch":
        return _torch(request, r, metal)
    tall = min(0.36, h * 0.2)
    low, top = h - tall, r * request.choose((0.78, 0.95, 0.6), salt=2)
    center = Vec3(0, h - tall * 0.55, 0)
    if kind == "tripod":
        wood = palette.wood(request.choose((request.palette.wood, "walnut"), salt=3))
        stand = Part("stand", _three_legs(r - 0.02, low + 0.03), wood)
        stem = fp.rods([((0, low - 0.03, 0), (0, h - 0.01, 0), 0.012, 0.008)])
    else:
        stand = Part("stand", _weighted_foot(r * 0.62), metal)
        rods: list[fp.Rod] = [((0, 0.05, 0), (0, h - 0.01, 0), 0.012, 0.012)]
        stem = fp.rods([*rods, ((0, h * 0.42, 0), (0, h * 0.43, 0), 0.018, 0.018)])
    return Model(
        (
            stand,
            Part("stem", stem, metal),
            Part("shade", _shade(top, r, low, h), _shade_cloth(request), casts_shadow=False),
            Part("trim", _trim(top, r - 0.001, low, h), metal),
            _bulb(request, center, 0.04),
        ),
        lamps=_light(request, center, 1.8, 5.0),
    )


def _three_legs(spread: float, joint: float) -> Mesh:
    """Legs that meet at a height, their feet that far from the middle."""
    rods: list[fp.Rod] = []
    for angle in (90.0, 210.0, 330.0):
        c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        rods.append(((c * spread, 0, s * spread), (c * 0.025, joint, s * 0.025), 0.013, 0.017))
    return fp.rods(rods)


def _weighted_foot(r: float) -> Mesh:
    """A flat disc that rises to the pole."""
    profile = [(0.0, 0.0), (r, 0.0), (r, 0.018), (r * 0.25, 0.035), (0.014, 0.06), (0.0, 0.06)]
    return shapes.lathe(profile, sides=28, wrap=True)


def _torch(request: AssetRequest, r: float, metal: Material) -> Model:
    """A slim pole under a bowl that is open to the ceiling."""
    h = request.size.y
    base, bowl = r * 0.6, min(0.14, h * 0.08)
    pole = shapes.lathe(
        [
            (0.0, 0.0),
            (base, 0.0),
            (base, 0.015),
            (base * 0.2, 0.04),
            (0.013, 0.10),
            (0.013, h - bowl),
            (0.05, h - bowl + 0.005),
            (0.0, h - bowl + 0.01),
        ],
        sides=24,
        wrap=True,
    )
    dish = shapes.lathe(
        [
            (0.03, h - bowl),
            (r * 0.55, h - bowl * 0.75),
            (r * 0.88, h - bowl * 0.35),
            (r, h),
            (r - 0.006, h),
            (r * 0.86, h - bowl * 0.31),
            (r * 0.53, h - bowl * 0.70),
            (0.0, h - bowl * 0.8),
        ],
        sides=28,
        wrap=True,
        crease=70.0,
    )
    glass = (
        Material((1.0, 0.88, 0.62), gloss=0.3, glow=1.2)
        if request.look.on
        else Material((0.74, 0.72, 0.67), gloss=0.5)
    )
    center = Vec3(0, h - bowl * 0.3, 0)
    return Model(
        (
            Part("stand", pole, metal),
            Part("shade", dish, glass, casts_shadow=False),
            _bulb(request, center, min(0.035, bowl * 0.3)),
        ),
        lamps=_light(request, Vec3(0, h + 0.02, 0), 1.8, 5.0),
    )


BUILDERS: dict[str, Builder] = {"DeskLamp": desk_lamp, "FloorLamp": floor_lamp}
