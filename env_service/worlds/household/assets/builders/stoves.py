"""Stoves: ranges, burners, knobs and the panel behind them; cooker hoods and dishwashers."""

import math

import numpy as np

from env_service.worlds.household.assets import palette
from env_service.worlds.household.assets.fronts_and_handles import handle, word
from env_service.worlds.household.assets.lofts import cap, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Lamp,
    Material,
    Mesh,
    Model,
    Part,
    Surface,
    join,
)
from env_service.worlds.household.assets.painted_textures import display
from env_service.worlds.household.assets.shapes import Span, blocks, lathe, panel, rounded_box, tube
from env_service.worlds.household.assets.slabs import rounded_ring
from env_service.worlds.household.geometry import Vec3

BLACK = Material((0.05, 0.05, 0.055), gloss=0.6)
BLACK_GLASS = Material((0.035, 0.035, 0.04), gloss=0.9)
ENAMELS = (
    palette.METALS["steel"],
    palette.METALS["white enamel"],
    Material((0.09, 0.09, 0.10), gloss=0.6),
)


def stove(request: AssetRequest) -> Model:
    """The body under the burners: a range with its oven door, drawer and control panel or, if it is
    less than 0.25 m high, the plate of a hob.

    The top of the box is the level of the burners' undersides. Detail "panel": "front" (default) or
    "none", whether the strip for the knobs is at the front.
    """
    w, h, d = request.size.tuple()
    enamel = ENAMELS[request.variant % len(ENAMELS)]
    if h < 0.25:
        return _hob(request, enamel)
    out = min(0.03, d * 0.08)
    face = d / 2 - out
    strip = 0.1 if word(request, "panel", "front") == "front" else 0.03
    foot, drawer_top = 0.06, 0.06 + (h - 0.06) * 0.2
    oven_top = h - 0.03 - strip
    body: list[Span] = [
        (-w / 2, foot, -d / 2, w / 2, h - 0.018, face - 0.03),
        (-w / 2, oven_top + 0.006, face - 0.03, w / 2, h - 0.018, face),
    ]
    parts = [
        Part("body", blocks(body, bevel=0.004), enamel),
        Part("plate", _hob_plate(w, d - out, h, 0.018, z=-out / 2), BLACK_GLASS),
        Part("foot", blocks([(-w / 2 + 0.02, 0, -d / 2, w / 2 - 0.02, foot, face - 0.07)]), BLACK),
        Part("drawer", _slab(w, foot + 0.005, drawer_top, face), enamel),
        *_oven_door(w, drawer_top + 0.006, oven_top, face, enamel),
    ]
    if strip > 0.05:
        clock = display("12:00", (1.0, 0.45, 0.15), (0.03, 0.03, 0.03))
        window = panel(0.1, 0.045).moved(0, oven_top + 0.03, face + 0.001)
        parts.append(Part("clock", window, Material((1, 1, 1), clock, gloss=0.6, glow=0.5)))
    return Model(tuple(parts))


def _slab(w: float, low: float, high: float, face: float) -> Mesh:
    return blocks([(-w / 2 + 0.003, low, face - 0.03, w / 2 - 0.003, high, face)], bevel=0.004)


def _oven_door(w: float, low: float, high: float, face: float, enamel: Material) -> list[Part]:
    """The oven's door with its dark window and the bar across it."""
    tall = high - low
    x = w * 0.33
    window = blocks(
        [(-x, low + tall * 0.2, face - 0.002, x, low + tall * 0.68, face + 0.0012)], bevel=0.001
    )
    grip = handle("bar", w * 0.8).moved(0, high - min(0.06, tall * 0.14), face)
    return [
        Part("oven door", _slab(w, low, high, face), enamel),
        Part("oven window", window, BLACK_GLASS),
        Part("oven handle", grip, palette.metal("chrome")),
    ]


def _hob(request: AssetRequest, enamel: Material) -> Model:
    w, h, d = request.size.tuple()
    top = min(0.012, h)
    plate = _hob_plate(w, d, h, top)
    material = BLACK_GLASS if request.variant % 2 == 0 else enamel
    parts = [Part("plate", plate, material)]
    if h - top > 0.005:
        under = (-w / 2 + 0.02, 0.0, -d / 2 + 0.02, w / 2 - 0.02, h - top, d / 2 - 0.02)
        parts.append(Part("case", blocks([under]), palette.metal("steel")))
    return Model(tuple(parts))


def _hob_plate(w: float, d: float, top: float, thick: float, *, z: float = 0.0) -> Mesh:
    """A plate with round corners and edges, from top - thick to top."""
    area = (-w / 2, -d / 2, w / 2, d / 2)
    edge = thick * 0.35
    shrunk = (area[0] + edge, area[1] + edge, area[2] - edge, area[3] - edge)
    rings = [
        rounded_ring(area, 0.015, top - thick, steps=2),
        rounded_ring(area, 0.015, top - edge, steps=2),
        rounded_ring(shrunk, 0.015, top, steps=2),
    ]
    pieces = [skin(rings), cap(rings[-1]), cap(rings[0], -1)]
    return join(pieces).moved(z=z)


def range_hood(request: AssetRequest) -> Model:
    """A cooker hood: a canopy with filters below, and the shaft above it if the box is high."""
    w, h, d = request.size.tuple()
    metal = request.choose((palette.metal("steel"), palette.metal("white enamel"), BLACK), 0)
    lip = min(0.06, h * 0.3)
    canopy_top = min(h, lip + 0.28)
    area = (-w / 2, -d / 2, w / 2, d / 2)
    shaft_w, shaft_d = min(0.3, w * 0.5), min(0.28, d * 0.6)
    shaft = (-shaft_w / 2, -d / 2, shaft_w / 2, -d / 2 + shaft_d)
    narrow = shaft if h > 0.3 else (area[0], area[1], area[2], area[3] - d * 0.35)
    rings = [
        rounded_ring(area, 0.006, 0.0, steps=1),
        rounded_ring(area, 0.006, lip, steps=1),
    ]
    slope = [rings[1], rounded_ring(narrow, 0.006, canopy_top, steps=1)]
    pieces = [skin(rings), skin(slope), cap(rings[0], -1), cap(slope[1])]
    if h > canopy_top + 0.01:
        pieces.append(
            blocks([(shaft[0], canopy_top - 0.002, shaft[1], shaft[2], h, shaft[3])], bevel=0.003)
        )
    x, z = w * 0.44, d * 0.4
    filters = blocks([(-x, -0.004, -z, -0.01, -0.001, z), (0.01, -0.004, -z, x, -0.001, z)])
    buttons = [
        lathe([(0, 0), (0.009, 0), (0.008, 0.004), (0, 0.005)], sides=10)
        .turned(x=90.0)
        .moved(k * 0.035, lip / 2, d / 2)
        for k in (-1, 0, 1)
    ]
    return Model(
        (
            Part("hood", join(pieces), metal),
            Part("filters", filters, Material((0.30, 0.30, 0.31), gloss=0.4, metal=0.3)),
            Part("buttons", join(buttons), palette.metal("chrome")),
        )
    )


def dishwasher(request: AssetRequest) -> Model:
    """A closed dishwasher under a counter: front with handle and panel, toe kick."""
    w, h, d = request.size.tuple()
    enamel = ENAMELS[request.variant % len(ENAMELS)]
    out = min(0.02, d * 0.05)
    face = d / 2 - out
    kick, strip = min(0.1, h * 0.14), min(0.11, h * 0.16)
    body: list[Span] = [(-w / 2, kick, -d / 2, w / 2, h, face - 0.032)]
    lamp = display("00", (0.2, 0.9, 0.4), (0.03, 0.03, 0.03))
    window = panel(0.05, 0.025).moved(-w * 0.3, h - strip * 0.6, face + 0.001)
    return Model(
        (
            Part("body", blocks(body), palette.paint("grey")),
            Part("front", _slab(w, kick, h - strip - 0.004, face), enamel),
            Part("panel", _slab(w, h - strip, h - 0.002, face), BLACK),
            Part(
                "handle",
                handle("bar", w * 0.7).moved(0, h - strip - 0.05, face),
                palette.metal("chrome"),
            ),
            Part("lamp", window, Material((1, 1, 1), lamp, glow=0.4)),
            Part("kick", blocks([(-w / 2, 0, -d / 2, w / 2, kick, face - 0.06)]), BLACK),
        )
    )


# --- Burners and knobs of stoves

COIL = Material((0.10, 0.10, 0.11), gloss=0.3)
HOT_COIL = Material((1.0, 0.27, 0.06), glow=1.3)
FLAME = Material((0.25, 0.50, 1.0), opacity=0.75, glow=1.5)
FLAME_TIP = Material((0.85, 0.65, 0.35), opacity=0.6, glow=1.2)
FLAT = 0.009
"""Burners lower than this are fields of a glass hob, metres."""


def burner(request: AssetRequest) -> Model:
    """A burner: a field of a glass hob if the box is flat, else a coil or a gas grate by variant.
    While it is on, an electric one glows red and a gas one burns blue.

    Detail "kind": "field", "coil" or "gas".
    """
    w, h, d = request.size.tuple()
    radius = min(w, d) / 2
    kind = word(request, "kind", "field" if h < FLAT else request.choose(("coil", "gas"), 1))
    build = {"field": _field, "coil": _coil, "gas": _gas}[kind]
    parts = build(request, radius)
    half = (w / 2, d / 2) if kind == "gas" else (radius, radius)
    top = Surface((-half[0], -half[1]), half, h, round=kind != "gas")
    color = (0.4, 0.6, 1.0) if kind == "gas" else (1.0, 0.35, 0.12)
    lamps = (Lamp(Vec3(0, h + 0.03, 0), color, 0.18, 0.8),) if request.look.on else ()
    return Model(tuple(parts), (top,), lamps)


def _field(request: AssetRequest, radius: float) -> list[Part]:
    """Rings printed on glass; they glow when hot."""
    h = request.size.y
    disc = lathe([(0, 0), (radius, 0), (radius, h - 0.0008), (0, h - 0.0008)], sides=32)
    rings = []
    for share, wide in ((0.98, 0.05), (0.66, 0.05), (0.34, 0.05)):
        outer = radius * share
        inner = outer - radius * wide
        rings.append(
            lathe([(outer, h - 0.0008), (outer, h), (inner, h), (inner, h - 0.0008)], sides=32)
        )
    parts = [Part("field", disc, BLACK_GLASS)]
    marks = Material((0.36, 0.36, 0.37), gloss=0.5)
    if request.look.on:
        parts.append(Part("heat", _heat_rings(radius, h), HOT_COIL, casts_shadow=False))
        rings = rings[:1]
    parts.append(Part("rings", join(rings), marks, casts_shadow=False))
    return parts


def _heat_rings(radius: float, h: float) -> Mesh:
    """Glowing circles under the glass."""
    bands = []
    for k in range(5):
        outer = radius * (0.9 - 0.17 * k)
        inner = outer - radius * 0.12
        bands.append(lathe([(outer, h - 0.0004), (max(inner, 0.0), h - 0.0004)], sides=28))
    return join(bands)


def _coil(request: AssetRequest, radius: float) -> list[Part]:
    """A spiral over a shiny pan."""
    h = request.size.y
    rod = min(0.0055, h * 0.22)
    turns, steps = 3.4, 54
    share = np.linspace(0.0, 1.0, steps)
    angle = share * turns * 2 * math.pi
    reach = radius * (0.22 + 0.64 * share) - rod
    path = [
        (float(r * math.cos(a)), h - rod, float(r * math.sin(a)))
        for r, a in zip(reach, angle, strict=True)
    ]
    coil = tube(path, rod, sides=6)
    rim = h * 0.4
    pan = lathe(
        [
            (radius, 0.0),
            (radius, rim),
            (radius * 0.93, rim + 0.001),
            (radius * 0.85, rim * 0.35),
            (0.0, 0.0012),
        ],
        sides=28,
    )
    cap = lathe(
        [(0.0, 0.0), (radius * 0.18, 0.0), (radius * 0.18, h - rod), (0.0, h - rod)], sides=14
    )
    return [
        Part("pan", pan, palette.metal("chrome")),
        Part("coil", coil, HOT_COIL if request.look.on else COIL),
        Part("cap", cap, palette.metal("steel")),
    ]


def _gas(request: AssetRequest, radius: float) -> list[Part]:
    """A burner cap under an iron grate, which fills the box."""
    w, h, d = request.size.tuple()
    bar = min(0.012, h * 0.4)
    x, z = w / 2, d / 2
    low, inner = h - bar, radius * 0.3
    t = bar / 2
    spans: list[Span] = [
        (-x, low, -z, x, h, -z + bar),
        (-x, low, z - bar, x, h, z),
        (-x, low, -z + bar, -x + bar, h, z - bar),
        (x - bar, low, -z + bar, x, h, z - bar),
        (-t, low, inner, t, h, z - bar),
        (-t, low, -z + bar, t, h, -inner),
        (inner, low, -t, x - bar, h, t),
        (-x + bar, low, -t, -inner, h, t),
    ]
    spans += [
        (sx * (x - t) - t, 0.0, sz * (z - t) - t, sx * (x - t) + t, low, sz * (z - t) + t)
        for sx in (-1, 1)
        for sz in (-1, 1)
    ]
    crown = radius * 0.42
    head = min(h * 0.62, low - 0.001) if low > 0.004 else h * 0.6
    cap = lathe(
        [(0, 0), (crown, 0), (crown, head * 0.55), (crown * 0.86, head), (0, head)], sides=20
    )
    parts = [
        Part("grate", blocks(spans, bevel=0.0015), palette.metal("black iron")),
        Part("burner", cap, Material((0.16, 0.16, 0.17), gloss=0.4)),
    ]
    if request.look.on:
        outer, tips = _flames(crown, head * 0.5, max(h, 0.02) + 0.006, radius)
        parts.append(Part("flames", outer, FLAME, casts_shadow=False))
        parts.append(Part("flame tips", tips, FLAME_TIP, casts_shadow=False))
    return parts


def _flames(crown: float, low: float, high: float, radius: float) -> tuple[Mesh, Mesh]:
    """A ring of little flames leaning outwards, and the pale tips of every second one."""
    count = 16
    tall = high - low
    flame = lathe(
        [(0.0, 0.0), (0.0055, tall * 0.25), (0.0045, tall * 0.55), (0.0, tall)], sides=6
    ).turned(z=-35.0)
    tip = lathe([(0.0, 0.0), (0.0028, tall * 0.2), (0.0, tall * 0.4)], sides=5)
    tip = tip.moved(y=tall * 0.45).turned(z=-35.0)
    reach = crown + min(0.004, radius * 0.05)
    around = [360.0 * k / count for k in range(count)]
    whole = [flame.moved(x=reach, y=low).turned(y=turn) for turn in around]
    tips = [tip.moved(x=reach + 0.001, y=low + 0.002).turned(y=turn) for turn in around[::2]]
    return join(whole), join(tips)


def knob(request: AssetRequest) -> Model:
    """A round knob with a pointer. Off, the pointer is upright; on, it is turned a quarter and the
    mark next to the knob is lit.

    It faces along the thin side of its box: to the front, or up. A box of about equal height and
    depth holds a knob on a slope, facing up and forwards. Detail "axis": "front", "up" or "slope".
    """
    w, h, d = request.size.tuple()
    natural = "up" if h < 0.72 * min(w, d) else "front" if d < 0.72 * min(w, h) else "slope"
    axis = word(request, "axis", natural)
    if axis == "up":
        across, length = min(w, d), h
    elif axis == "front":
        across, length = min(w, h), d
    else:
        across = min(w, 0.95 * min(h, d))
        length = max(0.45 * across, 1.3 * min(h, d) - across)
    turn = {"up": 0.0, "front": 90.0, "slope": 45.0}[axis]
    meshes = _knob_meshes(across / 2, length, on=request.look.on)
    base_y = {"up": 0.0, "front": h / 2, "slope": h / 2}[axis]
    base_z = {"up": 0.0, "front": -d / 2, "slope": 0.0}[axis]
    if axis == "slope":
        meshes = [mesh.moved(y=-length / 2) for mesh in meshes]
    body, ring, pointer, mark = (mesh.turned(x=turn).moved(0, base_y, base_z) for mesh in meshes)
    skirt, grip = request.choose(
        (
            (palette.metal("chrome"), Material((0.08, 0.08, 0.09), gloss=0.5)),
            (Material((0.10, 0.10, 0.11), gloss=0.5), Material((0.84, 0.84, 0.82), gloss=0.5)),
        )
    )
    dark = Material((0.2, 0.05, 0.04), gloss=0.4)
    lit = Material((1.0, 0.30, 0.08), glow=1.4)
    white, red = Material((0.92, 0.92, 0.90)), Material((0.80, 0.12, 0.08))
    return Model(
        (
            Part("skirt", ring, skirt),
            Part("grip", body, grip),
            Part("pointer", pointer, red if grip.color[0] > 0.5 else white),
            Part("mark", mark, lit if request.look.on else dark, casts_shadow=False),
        )
    )


def _knob_meshes(radius: float, length: float, *, on: bool) -> list[Mesh]:
    """Grip, skirt, pointer and mark of a knob about +y, from y = 0 to `length`."""
    skirt = lathe(
        [
            (0, 0),
            (radius, 0),
            (radius, length * 0.16),
            (radius * 0.84, length * 0.24),
            (0, length * 0.24),
        ],
        sides=24,
    )
    body = lathe(
        [
            (radius * 0.74, length * 0.2),
            (radius * 0.72, length * 0.72),
            (radius * 0.64, length * 0.8),
            (0, length * 0.8),
        ],
        sides=20,
    )
    wide, reach = radius * 0.28, radius * 0.72
    bar = rounded_box(wide, length * 0.45, 2 * reach, wide * 0.3, at=(0, length * 0.5, 0), steps=1)
    line = blocks([(-wide * 0.3, length * 0.951, -reach, wide * 0.3, length, -reach * 0.1)])
    skirted = join([body, bar])
    angle = 90.0 if on else 0.0
    wide = radius * 0.16
    lamp = blocks([(-wide, length * 0.25, -radius * 0.98, wide, length * 0.31, -radius * 0.76)])
    return [skirted.turned(y=angle), skirt, line.turned(y=angle), lamp]


# --- The panel behind the burners of ranges that have their knobs on it


def stove_back(request: AssetRequest) -> Model:
    """An upright panel in the enamel of the stove of the same variant, with a clock in its middle;
    the knobs on its face are separate objects."""
    w, h, d = request.size.tuple()
    body = blocks([(-w / 2, 0.0, -d / 2, w / 2, h, d / 2)], bevel=min(0.006, d * 0.2))
    enamel = ENAMELS[request.variant % len(ENAMELS)]
    wide, high = min(0.16, w * 0.22), min(0.06, h * 0.4)
    field = panel(wide, high, at=(0.0, (h - high) / 2, d / 2 + 0.001))
    clock = display("10:40", (0.3, 0.95, 0.5), (0.03, 0.03, 0.03))
    window = panel(high * 1.2, high * 0.6, at=(0.0, (h - high * 0.6) / 2, d / 2 + 0.002))
    return Model(
        (
            Part("panel", body, enamel),
            Part("field", field, BLACK, casts_shadow=False),
            Part("clock", window, Material((1, 1, 1), clock, glow=0.5), casts_shadow=False),
        )
    )


BUILDERS: dict[str, Builder] = {
    "Stove": stove,
    "RangeHood": range_hood,
    "Dishwasher": dishwasher,
    "StoveBurner": burner,
    "StoveKnob": knob,
    "StoveBack": stove_back,
}
