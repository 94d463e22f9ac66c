"""Beds, pillows, teddy bears, boots."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.lofts import Array, egg, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Part,
    Surface,
    along,
    join,
    laid_flat,
    lengthwise,
    long_axis,
)
from env_service.worlds.household.assets.painted_textures import Canvas
from env_service.worlds.household.assets.shapes import Point3

# --- Pillows, teddy bears, boots

PILLOWS: tuple[tuple[str, Color, Color], ...] = (
    ("plain", (0.86, 0.84, 0.79), (0.86, 0.84, 0.79)),
    ("stripes", (0.84, 0.82, 0.76), (0.25, 0.38, 0.55)),
    ("plain", (0.62, 0.22, 0.20), (0.62, 0.22, 0.20)),
    ("diamonds", (0.26, 0.38, 0.40), (0.85, 0.72, 0.42)),
    ("plain", (0.40, 0.48, 0.36), (0.40, 0.48, 0.36)),
    ("dots", (0.80, 0.66, 0.36), (0.93, 0.90, 0.82)),
    ("bands", (0.55, 0.50, 0.46), (0.88, 0.85, 0.80)),
    ("plain", (0.30, 0.36, 0.48), (0.30, 0.36, 0.48)),
)
"""Pattern, ground and figure."""


def pillow(request: AssetRequest) -> Model:
    """A plump cushion with pinched corners and a piped seam; a bolster where two sides of the box
    are equal and less than 0.62 of the third."""
    extents = sorted(request.size.tuple())
    material = _fabric(*request.choose(PILLOWS))
    if extents[1] < 0.62 * extents[2] and extents[0] > 0.9 * extents[1]:
        axis = long_axis(request.size)
        across, thick, length = lengthwise(request.size, axis).tuple()
        return along(_bolster(material, across, thick, length), request.size, axis)
    return laid_flat(request, lambda order, w, h, d: _cushion(order, material, w, h, d))


def _cushion(request: AssetRequest, material: Material, w: float, h: float, d: float) -> Model:
    n = 13
    line = np.sin(np.linspace(-1, 1, n) * math.pi / 2)
    u, v = np.meshgrid(line, line, indexing="ij")
    puff = ((1 - u**4) * (1 - v**4)).clip(0) ** 0.55
    pinch_u = 1 - 0.07 * (1 - v**2) * np.abs(u) ** 3
    pinch_v = 1 - 0.07 * (1 - u**2) * np.abs(v) ** 3
    x, z = u * pinch_u * w / 2, v * pinch_v * d / 2
    seam = 0.46 * h
    wrinkle = 1 + 0.03 * np.sin(u * 5 + request.variant % 7) * np.sin(v * 4 + 1) - 0.03
    top = seam + (h - seam) * puff * wrinkle
    bottom = seam - seam * puff * (0.5 + 0.5 * puff)
    k, m = (a.ravel() for a in np.meshgrid(range(n - 1), range(n - 1), indexing="ij"))
    a = k * n + m
    faces = np.concatenate([np.stack([a, a + 1, a + n + 1], 1), np.stack([a, a + n + 1, a + n], 1)])
    uv = np.stack([0.5 - u.ravel() / 2, 0.5 - v.ravel() / 2], 1)
    sheets = []
    for y, sign in ((top, 1), (bottom, -1)):
        points = np.stack([x, y, z], 2).reshape(-1, 3)
        up = np.tile([0.0, float(sign), 0.0], (len(points), 1))
        sheets.append(Mesh.of(points, up, uv, faces if sign > 0 else faces[:, ::-1]))
    cushion = shapes.smoothed(join(sheets))
    # at the four corners top and bottom lie flat on each other: there it looks outwards
    flat = (cushion.normals**2).sum(1, keepdims=True) < 0.5
    outwards = cushion.points - np.array([0.0, seam, 0.0])
    normals = np.where(flat, outwards, cushion.normals)
    cushion = Mesh.of(cushion.points, normals, cushion.uv, cushion.faces)
    border = np.stack([x, np.full_like(x, seam), z], 2) * np.array([0.992, 1.0, 0.992])
    rim = np.concatenate([border[0, :-1], border[:-1, -1], border[-1, :0:-1], border[:0:-1, 0]])
    piping = shapes.tube(
        [(float(px), float(py), float(pz)) for px, py, pz in rim], 0.0045, sides=5, closed=True
    )
    red, green, blue = request.choose(PILLOWS)[1]
    trim = Material((0.72 * red, 0.72 * green, 0.72 * blue), gloss=0.0)
    return Model((Part("cushion", cushion, material), Part("piping", piping, trim)))


def _bolster(material: Material, across: float, thick: float, length: float) -> Model:
    rx, ry = across / 2, thick / 2
    profile = [
        (0.0, 0.02), (0.25, 0.0), (0.7, 0.005), (0.93, 0.04), (1.0, 0.1), (1.0, 0.9), (0.93, 0.96),
        (0.7, 0.995), (0.25, 1.0), (0.0, 0.98),
    ]  # fmt: skip
    body = shapes.lathe(profile, sides=24, crease=70, wrap=True).scaled(rx, length, ry)
    return Model(
        (Part("cushion", body.mapped(3.0, 2.0).turned(x=90).moved(0, ry, -length / 2), material),)
    )


@cache
def _fabric(kind: str, ground: Color, figure: Color) -> Material:
    size = 128
    if kind == "plain":
        return Material((1.0, 1.0, 1.0), textures.cloth(ground), gloss=0.0)
    board = Canvas(ground, size)
    if kind == "stripes":
        for k in range(6):
            board.rect((k / 6 + 0.03, 0, k / 6 + 0.1, 1), figure)
    elif kind == "bands":
        for low in (0.2, 0.3, 0.4, 0.6, 0.7):
            board.rect((0, low, 1, low + 0.05), figure)
    elif kind == "dots":
        for row in range(6):
            for column in range(6):
                board.disc((column + 0.3 + 0.4 * (row % 2)) / 6, (row + 0.5) / 6, 0.032, figure)
    else:
        for k in range(-4, 5):
            board.line((k / 4, 0), (k / 4 + 1, 1), 0.03, figure)
            board.line((k / 4 + 1, 0), (k / 4, 1), 0.03, figure)
    board.pixels *= (0.86 + 0.18 * textures.noise(size, 40, 8, octaves=2))[..., None]
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.0)


@cache
def _fur(color: Color) -> Material:
    fuzz = textures.noise(64, 24, 12, octaves=2)
    return Material(
        (1.0, 1.0, 1.0),
        textures.picture(np.array(color) * (0.72 + 0.4 * fuzz)[..., None]),
        gloss=0.0,
    )


EYES = Material((0.05, 0.04, 0.04), gloss=0.6)

Ball = tuple[tuple[float, float, float], tuple[float, float, float], int]
"""An ellipsoid in shares of a box: centre (x and z from the middle), radii, sides."""


def _both(*balls: Ball) -> tuple[Ball, ...]:
    """Balls and their mirror images."""
    return tuple(
        ((side * center[0], center[1], center[2]), radii, sides)
        for center, radii, sides in balls
        for side in (-1, 1)
    )


BEAR: tuple[Ball, ...] = (
    ((0.0, 0.27, -0.18), (0.25, 0.27, 0.30), 14),
    ((0.0, 0.70, -0.10), (0.24, 0.215, 0.30), 14),
    *_both(((0.2, 0.90, -0.12), (0.085, 0.095, 0.07), 10)),
)
"""Body, head, ears."""

PALE_FUR: tuple[Ball, ...] = (
    ((0.0, 0.635, 0.14), (0.12, 0.1, 0.13), 10),
    ((0.0, 0.28, 0.02), (0.16, 0.18, 0.13), 10),
    *_both(
        ((0.2, 0.90, -0.075), (0.05, 0.058, 0.04), 7),
        ((0.275, 0.118, 0.385), (0.075, 0.09, 0.05), 7),
        ((0.42, 0.25, 0.085), (0.055, 0.06, 0.06), 7),
    ),
)
"""Muzzle, belly, inside of the ears, soles, paws."""

FACE: tuple[Ball, ...] = (
    *_both(((0.085, 0.755, 0.165), (0.026, 0.03, 0.03), 6)),
    ((0.0, 0.675, 0.262), (0.042, 0.03, 0.03), 10),
)
"""Eyes and nose."""

BOW: tuple[Ball, ...] = (
    *_both(((0.075, 0.5, 0.17), (0.075, 0.055, 0.05), 7)),
    ((0.0, 0.5, 0.2), (0.03, 0.035, 0.04), 8),
)


def teddy_bear(request: AssetRequest) -> Model:
    """A bear that sits and faces the front: belly, round ears, muzzle, paws with pads, a bow."""
    w, h, d = request.size.tuple()
    brown: Color = request.choose(((0.55, 0.33, 0.16), (0.74, 0.56, 0.34), (0.40, 0.25, 0.16)))
    ribbon: Color = request.choose(((0.75, 0.10, 0.14), (0.14, 0.32, 0.66)), 1)
    thick = min(0.095 * w, 0.12 * d, 0.1 * h)
    limbs = []
    for side in (-1, 1):
        arm = (side * 0.19 * w, 0.46 * h, -0.12 * d), (side * 0.42 * w, 0.26 * h, 0.06 * d)
        leg = (side * 0.13 * w, 0.12 * h, -0.05 * d), (side * 0.27 * w, 0.115 * h, 0.34 * d)
        limbs += [_limb(*arm, thick * 0.9), _limb(*leg, thick * 1.05)]
    mouth = shapes.tube(
        [
            (x * w, y * h, z * d)
            for x, y, z in ((-0.05, 0.61, 0.245), (0, 0.595, 0.272), (0.05, 0.61, 0.245))
        ],
        0.004,
        sides=5,
    )
    size = (w, h, d)
    return Model(
        (
            Part("fur", join([*_balls(BEAR, size), *limbs]), _fur(brown)),
            Part("pale fur", join(_balls(PALE_FUR, size)), _fur((0.86, 0.74, 0.54))),
            Part("face", join([*_balls(FACE, size), mouth]), EYES),
            Part("bow", join(_balls(BOW, size)), Material(ribbon, gloss=0.3)),
        )
    )


def _balls(balls: tuple[Ball, ...], size: Point3) -> list[Mesh]:
    w, h, d = size
    return [
        shapes.ball(
            rx * w, ry * h, rz * d, sides=sides, rings=max(4, sides // 2), at=(x * w, y * h, z * d)
        )
        for (x, y, z), (rx, ry, rz), sides in balls
    ]


def _limb(start: Point3, end: Point3, thick: float) -> Mesh:
    """A sausage."""
    a, b = np.array(start), np.array(end)
    shares = np.linspace(0, 1, 7)
    line = a + (b - a) * shares[:, None]
    radii = thick * np.sqrt(np.clip(1 - (2 * shares - 1) ** 4, 0.02, 1))
    return shapes.tube([(x, y, z) for x, y, z in line.tolist()], radii.tolist(), sides=8)


Slices = tuple[tuple[float, float, float, float], ...]
"""Level slices of a boot: share of the width, where it ends in front and begins at the back as
shares of the depth from the heel, height as a share of the boot's."""

SOLE: Slices = ((0.92, 0.99, 0, 0), (1, 1, 0, 0.02), (1, 1, 0, 0.055), (0.95, 0.98, 0, 0.06))
UPPER: Slices = (
    (0.92, 0.975, 0.0, 0.058),
    (0.95, 0.97, 0.0, 0.10),
    (0.94, 0.93, 0.0, 0.15),
    (0.88, 0.84, 0.0, 0.195),
    (0.82, 0.72, 0.0, 0.23),
    (0.78, 0.63, 0.03, 0.28),
    (0.78, 0.60, 0.04, 0.36),
    (0.86, 0.63, 0.02, 0.6),
    (0.95, 0.68, 0.0, 0.9),
    (0.98, 0.70, 0.0, 0.985),
)
RIM: Slices = ((0.98, 0.70, 0.0, 0.985), (1.0, 0.71, 0.0, 1.0), (0.92, 0.685, 0.02, 1.0))
STRAP: Slices = (
    (0.80, 0.64, 0.025, 0.30),
    (0.83, 0.65, 0.015, 0.31),
    (0.83, 0.64, 0.02, 0.34),
    (0.80, 0.615, 0.035, 0.35),
)
LINING: Slices = ((0.92, 0.685, 0.02, 1.0), (0.84, 0.64, 0.05, 0.8), (0.7, 0.55, 0.1, 0.45))


def boots(request: AssetRequest) -> Model:
    """A pair of boots side by side, toes to the front."""
    w, h, d = request.size.tuple()
    color: Color = request.choose(((0.38, 0.23, 0.13), (0.10, 0.10, 0.11), (0.22, 0.33, 0.20)))
    each = w / 2 * 0.94

    def slices(table: Slices) -> list[Array]:
        rings = []
        for width, front, back, y in table:
            low, high = (back - 0.5) * d, (front - 0.5) * d
            middle = low + (high - low) * 0.45
            rings.append(
                egg(each / 2 * width, high - middle, middle - low, y * h, at=(0, middle),
                    square=1.5, sides=14)
            )  # fmt: skip
        return rings

    def pair(*meshes: Mesh) -> Mesh:
        return join([mesh.moved(side * w / 4) for side in (-1, 1) for mesh in meshes])

    heel = shapes.rounded_box(each * 0.84, 0.036 * h, d * 0.3, 0.006, at=(0, 0, -0.33 * d), steps=1)
    sole = skin(slices(SOLE), low=True, high=True)
    return Model(
        (
            Part(
                "boots", pair(skin(slices(UPPER)), skin(slices(RIM))), Material(color, gloss=0.35)
            ),
            Part("soles", pair(sole, heel, skin(slices(STRAP))), Material((0.13, 0.11, 0.10))),
            Part(
                "lining",
                pair(skin(slices(LINING), high=True)),
                Material((0.62, 0.50, 0.36), gloss=0.0),
            ),
        )
    )


WEAVE = 0.16
"""Metres of duvet in one repeat of its cloth."""

BARE, HOLLOW, RIDGE = 0.034, 0.030, 0.013
"""Metres from the height of the made bed: down to the bare sheet of an unmade one, down to the
hollows of its duvet, up to the ridges."""

SHEET = Material((0.88, 0.87, 0.84), gloss=0.0, two_sided=True)


def bed(request: AssetRequest) -> Model:
    """Frame, mattress, sheet and duvet. Made when clean; when dirty the duvet is thrown back in
    folds and the creased sheet lies bare. The usable top is the whole mattress either way."""
    w, h, d = request.size.tuple()
    usual = min(0.62, h * 0.72) if h > 0.5 else h
    level = min(fp.level_of(request, usual), h - 0.014)
    head = 0.07 if h - level > 0.1 else 0.0
    wide, z0, z1 = w - 0.06, -d / 2 + head, d / 2 - 0.045
    loft = min(0.05, level * 0.1)
    mattress_top = level - loft
    base = max(mattress_top - 0.24, 0.05)
    mattress = fp.blocks([(-wide / 2, wide / 2, base, mattress_top, z0, z1)], 0.05, tile=0.4)
    frame, material = _frame(request, base, head)
    duvet = palette.cloth(request.choose((request.palette.fabric, "sky", "brick", "sage", "navy")))
    on = _Mattress(wide, z0, z1, mattress_top, level)
    parts = [
        Part("frame", frame, material),
        Part("mattress", mattress, SHEET),
        *(_unmade(on, duvet, request.variant % 4, h) if request.look.dirty else _made(on, duvet)),
    ]
    count = request.detail("pillows")
    if isinstance(count, float | int) and count > 0:
        parts.append(_pillows(request, int(count), wide, z0, mattress_top))
    margin = 0.05
    low, high = (-wide / 2 + margin, z0 + 0.02), (wide / 2 - margin, z1 - margin)
    return Model(tuple(parts), (Surface(low, high, level),))


def _frame(request: AssetRequest, base: float, head: float) -> tuple[Mesh, Material]:
    """Rails and legs, a headboard if the box is high enough: wooden with a foot, slatted, or
    padded."""
    w, h, d = request.size.tuple()
    kind = request.choose(("panel", "padded", "slats"))
    x, z, rail = w / 2, d / 2, max(base - 0.14, 0.02)
    spans: list[fp.Span] = [
        (-x, -x + 0.03, rail, base + 0.05, -z + head, z),
        (x - 0.03, x, rail, base + 0.05, -z + head, z),
        (-x + 0.03, x - 0.03, rail, base + 0.05, z - 0.04, z),
        (-x + 0.03, x - 0.03, rail, base, -z + head, z - 0.04),
    ]
    legs: list[fp.Span] = [
        (s * (x - 0.03) - 0.03, s * (x - 0.03) + 0.03, 0, rail + 0.001, f, f + 0.06)
        for s in (-1, 1)
        for f in (-z + head, z - 0.06)
    ]
    wood = palette.wood(request.choose((request.palette.wood, "walnut", "white"), salt=1))
    if kind == "padded":
        soft = palette.cloth(request.choose(("grey", "sand", "slate"), salt=2))
        board = (
            fp.blocks([(-x, x, 0.02, h, -z, -z + head)], 0.03, steps=2, tile=0.25) if head else None
        )
        body = join([fp.blocks(spans, 0.012, tile=0.25), fp.boards(legs, tile=0.25)])
        return (join([body, board]) if board else body), soft
    body = fp.boards([*spans, *legs])
    if not head:
        return body, wood
    if kind == "panel":
        boards = [
            (-x, x, 0, h - 0.05, -z + 0.015, -z + head - 0.015),
            (-x, x, h - 0.05, h, -z, -z + head),
        ]
        return join([body, fp.blocks(boards, 0.012)]), wood
    posts = [(s * (x - 0.03) - 0.03, s * (x - 0.03) + 0.03, 0, h, -z, -z + 0.06) for s in (-1, 1)]
    count = max(5, round(w / 0.16))
    places = np.linspace(-x + 0.06, x - 0.06, count + 2)[1:-1]
    bars = [
        (float(p) - 0.018, float(p) + 0.018, base, h - 0.12, -z + 0.02, -z + 0.04) for p in places
    ]
    rails = [(-x + 0.05, x - 0.05, h - 0.13, h - 0.03, -z + 0.01, -z + 0.05)]
    return join([body, fp.blocks([*posts, *rails], 0.01), fp.boards(bars)]), wood


@dataclass(frozen=True)
class _Mattress:
    """The base of the bedding: its width, its z from and to, the height of its top, and the height
    of the made bed over it."""

    wide: float
    z0: float
    z1: float
    low: float
    level: float

    @property
    def drop(self) -> float:
        """How far down the duvet hangs."""
        return max(self.low - 0.20, 0.06)

    @property
    def half(self) -> float:
        """Half of the width of the cloth over it."""
        return self.wide / 2 + 0.006


def _made(on: _Mattress, duvet: Material) -> tuple[Part, ...]:
    """A smooth duvet whose edge is turned back over it, the sheet at the head."""
    x = np.linspace(-on.half, on.half, 5)
    start, long = on.z0 + (on.z1 - on.z0) * 0.30, on.z1 - on.z0
    z = np.linspace(start, on.z1 + 0.02, 5)
    cover = fp.drape(x, z, np.full((len(z), len(x)), on.level), on.drop, hem=0.012, tile=WEAVE)
    fold_z = np.array([start - 0.02, start, start + long * 0.11, start + long * 0.115])
    edge = on.level + np.array([0.0, 0.012, 0.012, 0.002])
    fold = fp.drape(
        x * 1.004, fold_z, np.repeat(edge[:, None], 5, 1), on.drop + 0.03, hem=0.012, tile=WEAVE
    )
    head_z = np.array([on.z0 + 0.01, start])
    head = fp.drape(x, head_z, np.full((2, 5), on.level - 0.006), on.low - 0.06, hem=0.004)
    return Part("duvet", cover, duvet), Part("fold", fold, SHEET), Part("sheet", head, SHEET)


def _unmade(on: _Mattress, duvet: Material, seed: int, top: float) -> tuple[Part, ...]:
    """A creased bare sheet, the duvet thrown back across it in folds: its edge is a thick roll
    that runs aslant. All but that roll stays near the height of the made bed, so that what lies on
    the bed neither drowns nor floats."""
    generator = np.random.default_rng(seed)
    side = 1.0 if seed % 2 else -1.0
    rows, columns = 17, 19
    u, v = np.meshgrid(np.linspace(-1, 1, columns), np.linspace(0, 1, rows))
    edge = 0.47 + 0.25 * side * u + 0.05 * np.sin(6 * u + seed)
    share = edge + (1 - edge) * v
    folds = np.zeros((rows, columns))
    for _ in range(6):
        turn, phase = generator.uniform(-0.9, 0.9), generator.uniform(0, 2 * math.pi)
        count = generator.uniform(6, 12)
        folds += np.sin(count * (u * np.cos(turn) + 1.7 * share * np.sin(turn)) + phase)
    ridges = 1 - np.abs(np.sin(1.3 * folds))
    roll = np.exp(-(((v - 0.13) / 0.11) ** 2))
    rise = np.clip(v / 0.05, 0.0, 1.0)
    loft = on.level - on.low
    valley, low = on.level - min(HOLLOW, 0.6 * loft), on.level - min(BARE, 0.68 * loft)
    crest = 0.045 * roll * (1 + 0.4 * np.sin(9 * u + seed))
    folded = valley + (on.level + RIDGE - valley) * ridges + crest
    heap = np.minimum(low + rise * (folded - low), top)
    long = on.z1 - on.z0
    z = on.z0 + 0.02 + long * share
    x = np.linspace(-on.half, on.half, columns)
    thrown = fp.drape(x, z, heap, on.drop, hem=0.012, tile=WEAVE)
    bed_z = np.linspace(on.z0 + 0.02, on.z0 + 0.02 + long * 0.8, 13)
    su, sv = np.meshgrid(np.linspace(-1, 1, 11), np.linspace(0, 0.8, 13))
    creases = np.sin(9 * su + 14 * sv + 2 * np.sin(5 * sv)) * np.sin(6 * su - 11 * sv)
    across = np.linspace(-on.half, on.half, 11) * 0.985
    bare = low + 0.25 * (low - on.low) * (creases - 1.0)
    sheet = fp.drape(across, bed_z, bare, on.low - 0.06, hem=0.002)
    return Part("sheet", sheet, SHEET), Part("duvet", thrown, duvet)


def _pillows(request: AssetRequest, count: int, wide: float, z0: float, low: float) -> Part:
    """Pillows side by side at the head; when the bed is dirty, turned and out of line."""
    each = min(0.62, wide / count - 0.04)
    ball = shapes.ball(1.0, 1.0, 1.0, sides=16, rings=8)
    p = ball.points.astype(np.float64)
    square = np.sign(p) * np.abs(p) ** np.array([0.5, 1.0, 0.5])
    pillow = shapes.smoothed(Mesh.of(square, ball.normals, ball.uv, ball.faces))
    pillow = pillow.scaled(each / 2, 0.065, 0.2)
    meshes = []
    for k in range(count):
        x = (k - (count - 1) / 2) * (wide / count)
        askew = request.look.dirty
        turn = (38.0, -24.0, 15.0)[k % 3] if askew else 0.0
        shift = (0.14, 0.03, 0.2)[k % 3] if askew else 0.0
        meshes.append(
            pillow.turned(y=turn).moved(
                x * (0.85 if askew else 1.0), low + 0.075, z0 + 0.24 + shift
            )
        )
    return Part("pillows", join(meshes), SHEET)


BUILDERS: dict[str, Builder] = {
    "Pillow": pillow,
    "TeddyBear": teddy_bear,
    "Boots": boots,
    "Bed": bed,
}
