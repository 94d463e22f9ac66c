"""Windows and what hangs before them; mirrors. The wall is at -z, the room at +z."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.material import Material
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Motion,
    MotionKind,
    Part,
)
from env_service.worlds.household.geometry import Vec3

PANE = Material((0.82, 0.90, 0.93), opacity=0.15, gloss=0.9)
BREAKS = Material((0.95, 0.97, 0.98), gloss=0.3, glow=0.15, two_sided=True)

ROLLED = 0.2
"""Height in metres of AI2-THOR's blinds when their isOpen is False."""

HANGING = 1.2
"""Height in metres to which blinds come down unless the detail "drop" says more or less."""


def window(request: AssetRequest) -> Model:
    """A frame with bars and clear panes, flush with the wall at the back of the box. A box deeper
    than 0.15 m gets a sill in front; broken panes are cracked. What is seen through it is the
    scene's affair."""
    w, h, d = request.size.tuple()
    sill = d > 0.15 and h > 0.3
    z0 = -d / 2
    z1 = z0 + min(d, 0.09)
    y0 = 0.035 if sill else 0.0
    edge = min(0.055, w * 0.09, h * 0.09)
    kind = request.choose(("cross", "sash", "casement"))
    paint = palette.paint(request.choose(("white", "white", "cream"), salt=1), gloss=0.25)
    x, middle = w / 2, (z0 + z1) / 2
    wide, high = w - 2 * edge, h - y0 - 2 * edge
    deep = min(0.016, (z1 - z0) * 0.4)
    bars = _mullions(kind, (wide, high), y0 + edge, (middle, deep), edge * 0.34)
    rails = fp.blocks(fp.surround((-x, x), (y0, h), (z0, z1), edge), 0.006)
    frame = join([rails, fp.boards(bars)]) if bars else rails
    parts = [Part("frame", frame, paint)]
    if sill:
        board = fp.blocks([(-x, x, 0.0, y0, z0, d / 2)], 0.01)
        parts.append(Part("sill", board, paint))
    if kind != "cross":
        y = y0 + (h - y0) * 0.5
        latch = fp.blocks(
            [
                (
                    -0.012,
                    0.012,
                    y - 0.04,
                    y + 0.04,
                    middle + deep,
                    min(middle + deep + 0.012, z1 + 0.006),
                )
            ],
            0.004,
        )
        parts.append(Part("latch", latch, palette.metal("steel")))
    pane = shapes.panel(wide, high, at=(0, y0 + edge, middle))
    both = join([pane, pane.turned(y=180.0).moved(z=2 * middle - 0.004)])
    parts.append(Part("glass", both, PANE, casts_shadow=False))
    if request.look.broken:
        thick = round(max(0.005, min(wide, high) * 0.01), 4)
        # pale lines with dark edges, to be seen before a bright sky and before a dark wall
        for name, factor, material, back in (
            ("cracks", 1.0, BREAKS, 0.0),
            ("edges", 2.4, BLACKED, 0.001),
        ):
            broad = round(thick * factor, 4)
            decal = fp.cracks(round(wide, 3), round(high, 3), request.variant % 5, thick=broad)
            place = decal.moved(0, y0 + edge, middle + deep * 0.3 - back)
            parts.append(Part(name, place, material, casts_shadow=False))
    return Model(tuple(parts))


def _mullions(
    kind: str, size: tuple[float, float], y0: float, z: tuple[float, float], thin: float
) -> list[fp.Span]:
    """Bars that part the glass into panes: a cross, sashes with a heavy middle bar, or casements.
    `size` is that of the glass, `z` the middle of the bars and half of their depth."""
    (wide, high), (middle, deep) = size, z
    casement = kind == "casement"
    columns = max(1, round(wide / (0.75 if casement else 0.55)))
    rows = max(1, round(high / (1.3 if casement else 0.75)))
    if kind == "cross":
        columns, rows = max(2, columns), max(2, rows)
    bars: list[fp.Span] = []
    for k in range(1, columns):
        x, half = wide * (k / columns - 0.5), thin * (1.8 if casement else 1.0)
        bars.append((x - half, x + half, y0, y0 + high, middle - deep, middle + deep))
    for k in range(1, rows):
        heavy = kind == "sash" and k == (rows + 1) // 2
        y, half = y0 + high * k / rows, thin * (1.9 if heavy else 1.0)
        ahead = deep * (1.35 if heavy else 0.92)
        bars.append((-wide / 2, wide / 2, y - half, y + half, middle - ahead, middle + ahead))
    return bars


def blinds(request: AssetRequest) -> Model:
    """A Venetian blind under its head rail.

    AI2-THOR's boxes tell its sense of "open": blinds with isOpen False measure 0.2 m (drawn up
    under the rail), those with isOpen True about 1 m (let down). So a box lower than 0.35 m
    shows a blind that is drawn up at openness 0 and comes down to the detail "drop" (metres from
    the top, by default 1.2) as it opens; a higher box shows one that is let down at openness 1.
    """
    w, h, d = request.size.tuple()
    drawn_up = h < 0.35
    given = request.detail("drop")
    drop = float(given) if isinstance(given, float | int) else HANGING
    rail = min(0.045, h * 0.3)
    low, full = (h, max(drop, h + 0.1)) if drawn_up else (ROLLED, h)
    slats = max(8, min(40, round((full - rail) / 0.045)))
    high = h - rail
    color = request.choose(
        ((0.90, 0.89, 0.85), (0.74, 0.58, 0.40), (0.80, 0.82, 0.84), (0.55, 0.38, 0.24))
    )
    paint = Material(color, gloss=0.2, two_sided=True)
    lath = _slats(w * 0.985, high, d * 0.86, slats)
    cords = fp.boards(
        [
            (x - 0.003, x + 0.003, 0.012, high, d * 0.43 - 0.002, d * 0.43)
            for x in (-w * 0.32, w * 0.32)
        ]
    )
    amount = (full - rail) / (low - rail) if drawn_up else (low - rail) / high
    # FOLD scales to `amount` at openness 1, counted from the drawn state: a let-down blind folds
    # up as it closes, so its share is one that undoes this.
    motion = (
        Motion(MotionKind.FOLD, Vec3(0, 1, 0), amount, Vec3(0, high, 0))
        if drawn_up
        else Motion(MotionKind.FOLD, Vec3(0, 1, 0), 2.0 - amount, Vec3(0, high, 0), at_rest=1.0)
    )
    bar = fp.blocks(
        [(-w * 0.492, w * 0.492, 0.0, min(0.018, high * 0.1), -d * 0.4, d * 0.4)], 0.004
    )
    head = fp.blocks([(-w / 2, w / 2, high, h, -d / 2, d / 2)], 0.004)
    white = Material((0.86, 0.86, 0.84), gloss=0.1)
    return Model(
        (
            Part("rail", head, paint),
            Part("slats", lath, paint, motion),
            Part("bar", bar, paint, motion),
            Part("cords", cords, white, motion, casts_shadow=False),
        )
    )


def _slats(width: float, high: float, depth: float, count: int) -> Mesh:
    """Slanting laths from near the bottom to the top, one above the other."""
    y = (np.arange(count) + 0.6) * high / (count + 0.2)
    tilt, step = depth / 2, high / count * 0.34
    x = width / 2
    corners = np.array([[-x, -step, tilt], [x, -step, tilt], [x, step, -tilt], [-x, step, -tilt]])
    points = corners[None] + np.stack([y * 0, y, y * 0], 1)[:, None]
    normal = np.tile([0.0, tilt, step], (count * 4, 1))
    uv = np.tile([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], (count, 1))
    start = np.arange(count)[:, None, None] * 4
    faces = (np.array([[0, 1, 2], [0, 2, 3]])[None] + start).reshape(-1, 3)
    return Mesh.of(points.reshape(-1, 3), normal, uv, faces)


def curtains(request: AssetRequest) -> Model:
    """Cloth in folds on a rod: drawn aside to both ends (and between, over several windows) when
    wide, one curtain when narrow, a valance when low."""
    w, h, d = request.size.tuple()
    rod_r = min(0.014, d * 0.2)
    rod_y = h - rod_r - 0.02
    cloth = palette.cloth(request.choose((request.palette.fabric, "cream", "sage", "brick", "sky")))
    spread = h < 0.7
    wide = w > 1.3 and not spread
    if not wide:
        spans = [(-w / 2 + 0.015, w / 2 - 0.015)]
    else:
        places = max(2, round(w / 1.7) + 1)
        each = min(0.5, w * 0.2)
        middles = np.linspace(-w / 2 + each / 2 + 0.02, w / 2 - each / 2 - 0.02, places)
        spans = [(float(m) - each / 2, float(m) + each / 2) for m in middles]
    folds = [_folds(a, b, rod_y + 0.03, d, k) for k, (a, b) in enumerate(spans)]
    metal = palette.metal(request.choose(("black iron", "brass", "steel"), salt=1))
    knob = min(0.028, d * 0.3)
    rod = fp.rods([((-w / 2 + knob, rod_y, 0), (w / 2 - knob, rod_y, 0), rod_r, rod_r)])
    ends = [
        shapes.ball(
            knob, knob * 0.8, knob * 0.8, sides=10, rings=6, at=(s * (w / 2 - knob), rod_y, 0)
        )
        for s in (-1, 1)
    ]
    return Model((Part("rod", join([rod, *ends]), metal), Part("cloth", join(folds), cloth)))


def _folds(x0: float, x1: float, high: float, depth: float, seed: int) -> Mesh:
    """One hanging curtain in regular folds, gathered closer at the top."""
    generator = np.random.default_rng(seed + 17)
    count = max(3, round((x1 - x0) / 0.11))
    columns, rows = min(count * 6 + 1, 91), 5
    u, v = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    phase, drift = generator.uniform(0, 6.28), generator.uniform(-0.5, 0.5)
    wave = np.sin(u * count * 2 * math.pi + phase + drift * (1 - v)) * (1.0 - 0.35 * v)
    wave = wave + 0.12 * np.sin(u * count * math.pi * 1.3 + 2 * phase) * (1 - v)
    x = x0 + (x1 - x0) * u
    z = wave / 1.13 * (depth / 2 - 0.004)
    y = high * v
    points = np.stack([x.ravel(), y.ravel(), z.ravel()], 1)
    run = (x1 - x0) * 2.0
    uv = np.stack([u.ravel() * run / 0.2, (y / 0.2).ravel()], 1)
    i, j = (a.ravel() for a in np.meshgrid(range(rows - 1), range(columns - 1), indexing="ij"))
    a = i * columns + j
    faces = np.concatenate(
        [np.stack([a, a + 1, a + columns + 1], 1), np.stack([a, a + columns + 1, a + columns], 1)]
    )
    return shapes.smoothed(Mesh.of(points, np.tile([0.0, 0.0, 1.0], (len(points), 1)), uv, faces))


SILVERED = Material((0.80, 0.84, 0.86), gloss=0.95, metal=0.9)
GRIME = Material((0.50, 0.46, 0.38), opacity=0.62, gloss=0.0)
BLACKED = Material((0.10, 0.11, 0.12), gloss=0.2, two_sided=True)
FOAM = Material((0.90, 0.90, 0.86), opacity=0.65, gloss=0.0)


@dataclass(frozen=True)
class _Glazing:
    """A mirror's frame and glass, and the rectangle on the glass that dirt and cracks keep to:
    its width and height, the height of its lower edge, and the z of the glass."""

    frame: Mesh
    glass: Mesh
    width: float
    height: float
    low: float
    face: float


def mirror(request: AssetRequest) -> Model:
    """Silvered glass in a wooden or metal frame, frameless with a bevelled edge, or oval when
    its box is upright and the variant says so. Dirty, it is smeared; broken, cracked."""
    w, h, _ = request.size.tuple()
    kind = request.choose(("wood", "metal", "bevel"))
    oval = kind == "metal" and 0.5 < w / h < 0.9 and request.choose((True, False), salt=3)
    made = _oval_mirror(request.size) if oval else _flat_mirror(kind, request.size)
    if kind == "wood":
        rim = palette.wood(request.choose((request.palette.wood, "white", "walnut"), salt=1))
    else:
        rim = palette.metal(request.choose(("black iron", "brass", "chrome"), salt=2))
    parts = [Part("frame", made.frame, rim), Part("glass", made.glass, SILVERED)]
    wide, high, seed = round(made.width, 3), round(made.height, 3), request.variant % 5

    def decal(name: str, mesh: Mesh, material: Material, ahead: float) -> Part:
        place = mesh.moved(0, made.low, made.face + ahead)
        return Part(name, place, material, casts_shadow=False)

    if request.look.dirty:
        parts.append(decal("grime", fp.smears(wide, high, seed), GRIME, 0.0012))
        parts.append(decal("foam", fp.smears(wide, high, seed + 31), FOAM, 0.002))
    if request.look.broken:
        thick = round(max(0.004, min(wide, high) * 0.01), 4)
        parts.append(decal("cracks", fp.cracks(wide, high, seed, thick=thick), BLACKED, 0.003))
    return Model(tuple(parts))


def _flat_mirror(kind: str, size: Vec3) -> _Glazing:
    """A rectangle in a frame, or for "bevel" without one."""
    w, h, d = size.tuple()
    x, z0, z1 = w / 2, -d / 2, -d / 2 + min(d, 0.07)
    if kind == "bevel":
        edge, face = 0.02, z1
        glass = join(
            [shapes.panel(w - 2 * edge, h - 2 * edge, at=(0, edge, face)), _bevel(w, h, edge, z1)]
        )
        frame = fp.boards([(-x, x, 0, h, z0, z1 - 0.004)])
    else:
        edge = min(0.06, w * 0.09) if kind == "wood" else 0.018
        face = z1 - 0.3 * (z1 - z0)
        glass = shapes.panel(w - 2 * edge, h - 2 * edge, at=(0, edge, face))
        back = fp.boards([(-x + edge, x - edge, edge, h - edge, z0, face - 0.002)])
        frame = join([fp.blocks(fp.surround((-x, x), (0, h), (z0, z1), edge), 0.008), back])
    return _Glazing(frame, glass, w - 2 * edge, h - 2 * edge, edge, face)


@lru_cache(maxsize=16)
def _oval_mirror(size: Vec3) -> _Glazing:
    """An oval frame and its glass."""
    w, h, d = size.tuple()
    z0, t, r = -d / 2, min(d, 0.07), 0.5
    ring = shapes.lathe(
        [
            (r * 0.86, 0.0),
            (r, 0.0),
            (r, t * 0.6),
            (r * 0.96, t),
            (r * 0.89, t),
            (r * 0.86, t * 0.7),
        ],
        sides=40,
        wrap=True,
    )
    disc = shapes.lathe([(r * 0.87, t * 0.75), (0.0, t * 0.75)], sides=40)
    frame, glass = (
        mesh.turned(x=90.0).scaled(w, h, 1.0).moved(0, h / 2, z0) for mesh in (ring, disc)
    )
    return _Glazing(frame, glass, w * 0.60, h * 0.62, h * 0.19, z0 + t - 0.004)


def _bevel(w: float, h: float, inset: float, z: float) -> Mesh:
    """Four slanting strips around a plain glass."""
    x, y0, y1, e = w / 2, 0.0, h, inset
    outer = np.array([[-x, y0], [x, y0], [x, y1], [-x, y1]])
    inner = np.array([[-x + e, y0 + e], [x - e, y0 + e], [x - e, y1 - e], [-x + e, y1 - e]])
    out = np.array([[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    points, normals = [], []
    for k in range(4):
        n = (k + 1) % 4
        quad = [(*outer[k], z - 0.004), (*outer[n], z - 0.004), (*inner[n], z), (*inner[k], z)]
        points += quad
        normals += [(out[k, 0] * 0.3, out[k, 1] * 0.3, 1.0)] * 4
    faces = np.concatenate([np.array([[0, 1, 2], [0, 2, 3]]) + 4 * k for k in range(4)])
    p = np.array(points)
    return Mesh.of(p, np.array(normals), p[:, :2], faces)


BUILDERS: dict[str, Builder] = {
    "Blinds": blinds,
    "Curtains": curtains,
    "Mirror": mirror,
    "Window": window,
}
