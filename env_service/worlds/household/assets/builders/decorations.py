"""Ornaments: vases, candles, watering cans, bowls, figures, branches."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets import palette, shapes, textures
from env_service.worlds.household.assets.builders.plants import kept_inside, leaves
from env_service.worlds.household.assets.fragments import shards, stump
from env_service.worlds.household.assets.lofts import Array, ellipse, path, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Lamp,
    Material,
    Mesh,
    Model,
    Part,
    Surface,
    Texture,
    join,
    sideways,
    yawed,
)
from env_service.worlds.household.assets.painted_textures import Canvas
from env_service.worlds.household.assets.vessel import liquid_material
from env_service.worlds.household.geometry import Vec3

FLAME = Material((1.0, 0.72, 0.22), glow=1.0, opacity=0.95)
FLAME_CORE = Material((1.0, 0.95, 0.70), glow=1.0)

VASES: dict[str, tuple[tuple[float, float], ...]] = {
    "Open": (
        (0.55, 0.0), (0.62, 0.03), (0.70, 0.14), (0.74, 0.3), (0.66, 0.5), (0.56, 0.66),
        (0.58, 0.8), (0.76, 0.92), (1.0, 1.0),
    ),
    "Medium": (
        (0.45, 0.0), (0.52, 0.03), (0.82, 0.2), (1.0, 0.45), (0.92, 0.68), (0.62, 0.84),
        (0.46, 0.9), (0.50, 0.97), (0.56, 1.0),
    ),
    "Flat": (
        (0.5, 0.0), (0.56, 0.06), (0.86, 0.25), (1.0, 0.5), (0.92, 0.76), (0.66, 0.93), (0.52, 1.0),
    ),
    "Tall": (
        (0.62, 0.0), (0.68, 0.02), (0.86, 0.25), (1.0, 0.5), (0.96, 0.66), (0.66, 0.8),
        (0.40, 0.87), (0.38, 0.94), (0.56, 1.0),
    ),
    "Decorative": (
        (0.70, 0.0), (0.74, 0.02), (0.60, 0.06), (0.56, 0.1), (0.80, 0.26), (1.0, 0.5),
        (1.0, 0.6), (0.80, 0.76), (0.44, 0.85), (0.40, 0.92), (0.62, 0.98), (0.66, 1.0),
    ),
}  # fmt: skip
"""Outlines: radius and height in shares of the box's."""

GLAZES: tuple[tuple[str, Color, Color], ...] = (
    ("plain", (0.16, 0.34, 0.55), (0.16, 0.34, 0.55)),
    ("bands", (0.72, 0.38, 0.22), (0.20, 0.14, 0.11)),
    ("plain", (0.80, 0.14, 0.13), (0.80, 0.14, 0.13)),
    ("figures", (0.90, 0.90, 0.87), (0.16, 0.30, 0.60)),
    ("speckle", (0.45, 0.60, 0.52), (0.25, 0.34, 0.30)),
    ("bands", (0.22, 0.22, 0.24), (0.80, 0.65, 0.30)),
)


def vase(request: AssetRequest) -> Model:
    """A turned vase; its outline by the asset's name (Vase_Open_3, Vase_Tall_1), or by how tall
    the box is. Broken, a jagged stump among shards."""
    w, h, d = request.size.tuple()
    r = min(w, d) / 2
    outline = [(x * r, y * h) for x, y in VASES[_vase_kind(request)]]
    wall = min(0.006, 0.08 * r)
    material = _glaze(*request.choose(GLAZES))
    if request.look.broken:
        rings = [ellipse(x, x, y, sides=18) for x, y in outline]
        share = 0.6 if h < r else 0.34
        rest = stump(rings, share, request.variant, thickness=wall)
        pieces = shards(
            w, d, count=9, largest=0.36 * r, thickness=wall, seed=request.variant, height=0.3 * h
        )
        two_sided = Material(material.color, material.texture, gloss=material.gloss, two_sided=True)
        return Model((Part("stump", rest, two_sided), Part("shards", pieces, two_sided)))
    rim_r, rim_y = outline[-1]
    inner = [
        (rim_r, rim_y),
        *((max(x - wall, 0.002), y) for x, y in reversed(outline[2:-1])),
        (0.0, outline[2][1]),
    ]
    outer = shapes.lathe([(0.0, 0.0), *outline], sides=26, wrap=True, crease=70)
    return Model((Part("vase", outer, material), *_hollow(inner, material)))


def _hollow(inner: list[tuple[float, float]], glaze: Material) -> tuple[Part, ...]:
    """The inside of a vase: glazed near the rim, dark from where its neck is narrowest or the
    glaze ends."""
    neck = min(range(1, 3), key=lambda k: inner[k][0])
    r, g, b = glaze.color if glaze.texture is None else _mean(glaze.texture)
    lip = shapes.lathe(inner[: neck + 1], sides=26, crease=70)
    depth = shapes.lathe(inner[neck:], sides=26, crease=70)
    return (
        Part("lip", lip, Material((0.7 * r, 0.7 * g, 0.7 * b), gloss=0.4)),
        Part("inside", depth, Material((0.2 * r, 0.2 * g, 0.2 * b), gloss=0.1)),
    )


def _mean(texture: Texture) -> Color:
    r, g, b = (float(channel) / 255 for channel in texture.pixels.reshape(-1, 3).mean(0))
    return (r, g, b)


def _vase_kind(request: AssetRequest) -> str:
    asset = str(request.detail("asset") or "")
    named = next((kind for kind in VASES if f"_{kind}" in asset), None)
    if named:
        return named
    ratio = request.size.y / min(request.size.x, request.size.z)
    if ratio < 0.7:
        return "Flat"
    if ratio < 1.15:
        return request.choose(("Medium", "Open"))
    return request.choose(("Open", "Tall", "Decorative"))


@cache
def _glaze(kind: str, ground: Color, figure: Color) -> Material:
    if kind == "plain":
        return Material(ground, gloss=0.65)
    if kind == "speckle":
        return Material((1.0, 1.0, 1.0), textures.speckle(ground, figure, seed=6), gloss=0.5)
    board = Canvas(ground, 128)
    if kind == "bands":
        for low, high in ((0.3, 0.33), (0.36, 0.46), (0.49, 0.52), (0.78, 0.8)):
            board.rect((0, low, 1, high), figure)
        for k in range(16):
            board.line((k / 16, 0.37), ((k + 0.5) / 16, 0.45), 0.02, ground)
    else:
        for k in range(6):
            x = (k + 0.5) / 6
            board.disc(x, 0.56, 0.05, figure, inner=0.03).disc(x, 0.56, 0.018, figure)
            board.line((x, 0.36), (x, 0.51), 0.014, figure)
            board.line((x, 0.40), (x + 0.05, 0.46), 0.02, figure)
            board.line((x, 0.40), (x - 0.05, 0.46), 0.02, figure)
        board.rect((0, 0.28, 1, 0.31), figure).rect((0, 0.7, 1, 0.72), figure)
        board.rect((0, 0.74, 1, 0.75), figure)
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.6)


def candle(request: AssetRequest) -> Model:
    """A pillar or a taper, or a candle in a glass (boxes less than twice as high as broad); lit,
    a flame over the wick and a lamp."""
    w, h, d = request.size.tuple()
    r = min(w, d) / 2
    look = request.look
    color: Color = request.choose(
        ((0.93, 0.90, 0.80), (0.72, 0.16, 0.15), (0.86, 0.74, 0.46), (0.55, 0.66, 0.56))
    )
    wax = Material(color, gloss=0.2, glow=0.12 if look.on else 0.0)
    wick = min(0.016, 0.2 * h)
    in_glass = h < 3.8 * r
    top = 0.72 * h if in_glass else h - wick
    if in_glass:
        parts = [Part("wax", _wax(0.86 * r, 0.004, top), wax)]
        outline = [(0.0, 0.0), (0.9 * r, 0.0), (r, 0.004), (r, h), (0.95 * r, h), (0.95 * r, 0.02)]
        glass = Material((0.80, 0.86, 0.88), opacity=0.25, gloss=0.9, two_sided=True)
        jar = shapes.lathe(outline, sides=20)
        parts.append(Part("glass", jar, glass, casts_shadow=False))
    else:
        parts = [Part("wax", _wax(r, 0.0, top), wax)]
        if r > 0.012:
            parts.append(Part("drips", _drips(r, top, request.variant), wax))
    stalk = [
        (0.0, top - 0.004, 0.0),
        (0.0008, top + 0.3 * wick, 0.0),
        (0.0, top + 0.62 * wick, 0.0),
    ]
    parts.append(Part("wick", shapes.tube(stalk, 0.0011, sides=5), Material((0.10, 0.08, 0.07))))
    if not look.on:
        return Model(tuple(parts))
    base = top + 0.1 * wick
    height = min(max(h + 0.009 - base, 0.018), 0.034)
    for name, share, material in (("flame", 1.0, FLAME), ("core", 0.5, FLAME_CORE)):
        outline = _flame(0.24 * height * share, height * share)
        flame = shapes.lathe(outline, sides=12, crease=80, at=(0, base, 0))
        parts.append(Part(name, flame, material, casts_shadow=False))
    lamp = Lamp(Vec3(0.0, base + 0.6 * height, 0.0), (1.0, 0.72, 0.38), 0.5, 1.6)
    return Model(tuple(parts), lamps=(lamp,))


def _wax(r: float, low: float, top: float) -> Mesh:
    """A cylinder with a molten hollow around the wick."""
    well = min(0.004, top * 0.05)
    outline = [
        (0.0, low), (r, low), (r, top - 0.002), (0.92 * r, top), (0.75 * r, top),
        (0.3 * r, top - well), (0.0, top - well),
    ]  # fmt: skip
    return shapes.lathe(outline, sides=20)


def _flame(radius: float, height: float) -> list[tuple[float, float]]:
    shape = ((0.0, 0.0), (0.7, 0.1), (1.0, 0.28), (0.8, 0.52), (0.4, 0.78), (0.0, 1.0))
    return [(x * radius, y * height) for x, y in shape]


def _drips(r: float, top: float, seed: int) -> Mesh:
    """Runs of wax down the side, within the box's corners."""
    generator = np.random.default_rng(seed)
    runs = []
    for k in range(4):
        turn = math.pi / 4 + k * math.pi / 2 + float(generator.uniform(-0.2, 0.2))
        x, z = r * 0.99 * math.cos(turn), r * 0.99 * math.sin(turn)
        end = top * float(generator.uniform(0.45, 0.85))
        thick = min(0.0035, r * 0.12)
        runs.append(
            shapes.tube(
                [(x, top - 0.002, z), (x, (top + end) / 2, z), (x, end + thick, z), (x, end, z)],
                [thick * 0.8, thick * 0.9, thick * 1.25, thick * 0.5],
                sides=6,
            )
        )
    return join(runs)


def watering_can(request: AssetRequest) -> Model:
    """A can whose spout with its rose points to the front, a handle at the back and over the top;
    when it is filled, the liquid reaches just below its mouth."""
    w, h, d = request.size.tuple()
    if w > d:
        return yawed(watering_can(sideways(request)))
    color: Color = request.choose(((0.22, 0.50, 0.36), (0.30, 0.48, 0.66), (0.72, 0.72, 0.73)))
    rx, rz = w / 2, min(0.525 * w, 0.27 * d)
    center = rz - 0.37 * d
    top = 0.62 * h

    def ring(share: float, y: float) -> Array:
        return ellipse(rx * share, rz * share, y, at=(0.0, center))

    slices = ((0.94, 0.0), (1.0, 0.01), (0.98, 0.5 * top), (0.9, 0.94 * top), (0.86, top))
    outside = skin([ring(share, y) for share, y in slices], low=True)
    inside = skin(
        [ring(0.86, top), ring(0.8, 0.985 * top), ring(0.88, 0.5 * top), ring(0.9, 0.015)],
        high=True,
    )
    front, back = center + rz, center - rz
    zinc = color[0] > 0.6
    material = Material(color, gloss=0.5, metal=0.4 if zinc else 0.0)
    fittings = join([_can_handle(w, h, d, front, back), _rose(w, h, d)])
    parts = [
        Part("can", join([outside, inside, _spout(w, h, d, front)]), material),
        Part("handle", fittings, palette.metal("brass") if zinc else material),
    ]
    if request.look.liquid is not None:
        disc = shapes.lathe([(1.0, 0.0), (0.0, 0.0)], sides=24)
        level = disc.scaled(0.82 * rx, 1.0, 0.82 * rz).moved(0.0, 0.93 * top, center)
        tint = liquid_material(request.look.liquid)
        parts.append(Part("liquid", level, tint, casts_shadow=False))
    return Model(tuple(parts))


def _spout(w: float, h: float, d: float, front: float) -> Mesh:
    tip = d / 2 - 0.012
    line = path(
        [
            (0, 0.16 * h, front - 0.04 * d),
            (0, 0.36 * h, front + 0.07 * d),
            (0, 0.66 * h, tip - 0.16 * d),
            (0, 0.84 * h, tip - 0.045 * d),
        ],
        4,
    )
    wide = min(0.024, 0.14 * w)
    return shapes.tube(line, np.linspace(wide, 0.45 * wide, len(line)).tolist(), sides=10)


def _rose(w: float, h: float, d: float) -> Mesh:
    """The sprinkler at the spout's end."""
    r = min(0.034, 0.2 * w)
    neck = 0.45 * min(0.024, 0.14 * w)
    rose = shapes.lathe([(neck, 0.0), (r, 0.035), (r, 0.042), (0.0, 0.048)], sides=16)
    rose = rose.scaled(1.0, min(1.0, 0.12 * h / 0.048), 1.0).turned(x=42)
    rose = rose.moved(0, 0.83 * h, d / 2 - 0.012 - 0.055 * d)
    high = rose.bounds[1]
    return rose.moved(0, min(0.0, h - float(high[1])), min(0.0, d / 2 - float(high[2])))


def _can_handle(w: float, h: float, d: float, front: float, back: float) -> Mesh:
    grip = min(0.009, 0.06 * w)
    line = path(
        [
            (0, 0.16 * h, back + 0.005),
            (0, 0.43 * h, -d / 2 + grip + 0.002),
            (0, 0.84 * h, -0.44 * d),
            (0, h - grip - 0.002, 0.7 * back + 0.3 * front),
            (0, 0.86 * h, 0.28 * back + 0.72 * front),
            (0, 0.6 * h, 0.08 * back + 0.92 * front),
        ],
        4,
    )
    return shapes.tube(line, grip, sides=8)


# --- Ornaments: a floor vase with branches, bowls, figures

DECOR_VASES = (
    ((0.0, 0.0), (0.55, 0.0), (0.85, 0.18), (1.0, 0.45), (0.80, 0.75), (0.42, 0.90), (0.52, 1.0),
     (0.44, 1.0), (0.34, 0.90)),
    ((0.0, 0.0), (0.78, 0.0), (0.80, 0.05), (0.62, 0.35), (0.66, 0.70), (0.85, 0.98), (0.80, 1.0),
     (0.72, 0.96), (0.5, 0.7)),
)  # fmt: skip
"""Profiles of floor vases: shares of their greatest radius and of their height."""


def room_decor(request: AssetRequest) -> Model:
    """A large ornament: a floor vase with dry branches or, if low and wide, a large bowl."""
    w, h, d = request.size.tuple()
    if h < 0.8 * max(w, d):
        return table_top_decor(request)
    r = min(w, d) / 2
    tall = min(h * 0.52, r * 4.2)
    vase_r = r * 0.72
    profile = request.choose(DECOR_VASES)
    vase = shapes.lathe(
        [(x * vase_r, y * tall) for x, y in profile], sides=28, wrap=True, crease=50.0
    )
    glaze = request.choose(
        (
            Material((0.17, 0.32, 0.36), gloss=0.6),
            Material((0.55, 0.24, 0.15), gloss=0.4),
            Material((0.82, 0.79, 0.72), gloss=0.3),
        ),
        salt=1,
    )
    twigs, sprays = _branches(request, tall * 0.93, vase_r)
    straw = Material((0.80, 0.68, 0.46), gloss=0.0, two_sided=True)
    return Model(
        (
            Part("vase", vase, glaze),
            Part(
                "branches",
                twigs,
                Material((0.38, 0.27, 0.17)),
            ),
            Part("sprays", sprays, straw),
        )
    )


def _branches(request: AssetRequest, mouth: float, vase_r: float) -> tuple[Mesh, Mesh]:
    """Dry twigs that fan out of a vase's mouth, and the sprays of grass along them."""
    h, r = request.size.y, min(request.size.x, request.size.z) / 2
    generator = np.random.default_rng(400 + request.variant % 8)
    twigs: list[fp.Rod] = []
    feet = []
    for k in range(11):
        turn, lean = k * 2.4, r * (0.2 + 0.06545 * k)
        c, s = math.cos(turn), math.sin(turn)
        tip = (c * lean, h * (0.985 - 0.04 * (k % 4)), s * lean)
        mid = (tip[0] * 0.42, mouth + (tip[1] - mouth) * 0.55, tip[2] * 0.42)
        foot = (c * vase_r * 0.2, mouth * 0.84, s * vase_r * 0.2)
        twigs += [(foot, mid, 0.005, 0.004), (mid, tip, 0.004, 0.0025)]
        share = np.linspace(0.25, 0.9, 5)[:, None]
        feet.append(np.array(mid) + (np.array(tip) - np.array(mid)) * share)
    starts = np.concatenate(feet)
    n = len(starts)
    sprays = leaves(
        starts,
        generator.uniform(0, 2 * math.pi, n),
        generator.uniform(0.7, 1.3, n),
        lengths=np.full(n, h * 0.075),
        widths=np.full(n, h * 0.02),
        droops=generator.uniform(0.0, 0.8, n),
        segments=2,
    )
    return (
        kept_inside(fp.rods(twigs, sides=5), request.size, 0.0),
        kept_inside(sprays, request.size, 0.0),
    )


def table_top_decor(request: AssetRequest) -> Model:
    """A glass bowl with stone balls when low; a figure of two linked shapes when tall."""
    w, h, d = request.size.tuple()
    if h > 0.8 * max(w, d):
        return _figure(request)
    profile = [
        (0.0, 0.0),
        (0.36, 0.0),
        (0.40, h * 0.06),
        (0.75, h * 0.40),
        (1.0, h),
        (0.965, h),
        (0.72, h * 0.44),
        (0.36, h * 0.12),
        (0.0, h * 0.11),
    ]
    bowl = fp.tub(profile, w, d, power=2.4, sides=32)
    glass = request.choose(
        (
            Material((0.25, 0.52, 0.56), opacity=0.55, gloss=0.95),
            Material((0.62, 0.36, 0.22), opacity=0.6, gloss=0.95),
        )
    )
    least = min(w, d)
    r = min(h * 0.30, least * 0.12)
    places = [
        (math.cos(a) * least * 0.165, h * 0.16 + r, math.sin(a) * least * 0.165)
        for a in (0.3, 2.4, 4.5)
    ]
    stones = fp.copies(shapes.ball(r, r, r, sides=14, rings=8), [(x, y, z) for x, y, z in places])
    marble = palette.stone(request.choose(("white marble", "green slate"), salt=1))
    inner = 0.2
    surface = Surface((-w * inner, -d * inner), (w * inner, d * inner), h * 0.12, round=True)
    return Model(
        (Part("stones", stones, marble), Part("bowl", bowl, glass, casts_shadow=False)), (surface,)
    )


def _figure(request: AssetRequest) -> Model:
    """A plinth that carries a standing ring around a ball."""
    w, h, d = request.size.tuple()
    base_h = h * 0.10
    base = fp.blocks(
        [(-w * 0.36, w * 0.36, 0, base_h, -min(d * 0.45, 0.06), min(d * 0.45, 0.06))], 0.006
    )
    r = min(w / 2, (h - base_h) / 2)
    thick = min(r * 0.16, d / 2)
    turn = np.linspace(0, 2 * math.pi, 33)[:-1]
    middle = base_h + (h - base_h) / 2
    tall = (h - base_h) / 2 - thick
    ring = shapes.tube(
        [((r - thick) * math.cos(a), middle + tall * math.sin(a), 0.0) for a in turn.tolist()],
        thick,
        sides=8,
        closed=True,
    )
    ball_r = min(r * 0.42, d / 2)
    ball = shapes.ball(ball_r, ball_r, ball_r, at=(0, middle - tall * 0.35, 0))
    metal = palette.metal(request.choose(("brass", "black iron"), salt=1))
    return Model(
        (
            Part("plinth", base, palette.stone("black granite")),
            Part("ring", ring, metal),
            Part("ball", ball, palette.stone("white marble")),
        )
    )


BUILDERS: dict[str, Builder] = {
    "Vase": vase,
    "Candle": candle,
    "WateringCan": watering_can,
    "RoomDecor": room_decor,
    "TableTopDecor": table_top_decor,
}
