"""Books, newspapers, discs, pens and pencils."""

import math
from functools import cache
from itertools import pairwise

import numpy as np

from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.lofts import Array, level_disc, level_picture, skin
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
    along,
    join,
    laid_flat,
    lengthwise,
    long_axis,
    sideways,
    thin_axis,
    turned,
    yawed,
)
from env_service.worlds.household.assets.painted_textures import Canvas
from env_service.worlds.household.geometry import Rotation, Transform, Vec3

COVERS: tuple[tuple[Color, Color, Color], ...] = (
    ((0.55, 0.12, 0.12), (0.90, 0.80, 0.50), (0.80, 0.35, 0.25)),
    ((0.12, 0.25, 0.45), (0.92, 0.90, 0.84), (0.45, 0.65, 0.80)),
    ((0.14, 0.36, 0.26), (0.90, 0.84, 0.60), (0.55, 0.70, 0.45)),
    ((0.86, 0.62, 0.16), (0.20, 0.16, 0.14), (0.95, 0.90, 0.75)),
    ((0.30, 0.18, 0.38), (0.90, 0.85, 0.92), (0.80, 0.45, 0.55)),
    ((0.20, 0.20, 0.22), (0.86, 0.30, 0.22), (0.70, 0.70, 0.70)),
    ((0.86, 0.84, 0.78), (0.16, 0.32, 0.50), (0.86, 0.45, 0.25)),
)
"""Ground, letters, ornament."""


def book(request: AssetRequest) -> Model:
    """A closed hardback, the spine on the left of who reads it from the front (+x). Opening turns
    the upper half about the spine, so that it lies open at its middle."""
    w, h, d = request.size.tuple()
    if thin_axis(request.size) != "x":
        return laid_flat(request, _closed_book)
    # upright, its spine to the front
    rotation = Rotation(((0.0, -1.0, 0.0), (0.0, 0.0, -1.0), (1.0, 0.0, 0.0)))
    built = _closed_book(request, d, w, h)
    return turned(built, Transform(rotation, Vec3(w / 2, h / 2, 0.0)))


def _closed_book(request: AssetRequest, w: float, h: float, d: float) -> Model:
    ground, letters, ornament = request.choose(COVERS)
    board = min(0.003, 0.16 * h)
    page_w, page_d = w - 0.008, d - 0.008
    half = h / 2
    leaf = half - board
    cover = Material(ground, gloss=0.25)
    pivot = Vec3(w / 2 - 0.001, half, 0.0)
    over = Motion(MotionKind.HINGE, Vec3(0.0, 0.0, 1.0), -180.0, pivot)
    lower_board = shapes.rounded_box(w, board, d, board * 0.45, steps=1)
    upper_board = shapes.rounded_box(w, board, d, board * 0.45, at=(0, h - board, 0), steps=1)
    spine = shapes.rounded_box(
        board, h - 2 * board, d, board * 0.45, at=(w / 2 - board / 2, board, 0), steps=1
    )
    shift = -0.002
    lower = shapes.box(page_w, leaf, page_d, at=(shift + 0.003, board, 0))
    upper = shapes.box(page_w, leaf, page_d, at=(shift + 0.003, half, 0))
    text = level_picture(page_w * 0.98, page_d * 0.98, 0.0, at=(0, 0))
    left = text.turned(z=180.0).moved(shift + 0.003, half - 0.0006, 0)
    right = text.moved(shift + 0.003, half + 0.0006, 0)
    front = level_picture(w * 0.98, d * 0.98, h + 0.0005)
    lift = Motion(MotionKind.HINGE, Vec3(0.0, 0.0, 1.0), -90.0, Vec3(w / 2, 0.0, 0.0))
    paper = _page_edges()
    # the text hides inside the other half's pages until the book opens
    return Model(
        (
            Part("back", lower_board, cover),
            Part("front", upper_board, cover, over),
            Part("spine", spine, cover, lift),
            Part(
                "picture",
                front,
                _cover(ground, letters, ornament, request.variant % 3),
                over,
                casts_shadow=False,
            ),
            Part("pages", lower, paper),
            Part("leaves", upper, paper, over),
            Part("right text", right, _text(0), casts_shadow=False),
            Part("left text", left, _text(1), over, casts_shadow=False),
        )
    )


@cache
def _page_edges() -> Material:
    board = Canvas((0.92, 0.89, 0.80), 32)
    for row in range(0, 32, 4):
        board.rect((0, row / 32, 1, (row + 1) / 32), (0.80, 0.76, 0.66))
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.02)


@cache
def _text(side: int) -> Material:
    board = Canvas((0.94, 0.92, 0.85), 128)
    ink: Color = (0.25, 0.24, 0.23)
    generator = np.random.default_rng(9 + side)
    for row in range(18):
        y = 0.9 - row * 0.046
        end = 0.9 if row % 6 != 5 else float(generator.uniform(0.4, 0.7))
        x = 0.14 if row % 6 == 0 else 0.1
        while x < end - 0.03:
            word = float(generator.uniform(0.04, 0.12))
            board.rect((x, y, min(x + word, end), y + 0.017), ink)
            x += word + 0.022
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.0)


@cache
def _cover(ground: Color, letters: Color, ornament: Color, style: int) -> Material:
    board = Canvas(ground, 128)
    board.rect((0.06, 0.05, 0.94, 0.065), letters).rect((0.06, 0.935, 0.94, 0.95), letters)
    for k, (x0, x1) in enumerate(((0.16, 0.84), (0.26, 0.74))):
        y = 0.82 - k * 0.1
        x = x0
        for letter in range(8 if k == 0 else 6):
            width = (x1 - x0) / (8 if k == 0 else 6)
            if (letter + k) % 4 != 3:
                board.rect((x, y, x + width * 0.72, y + 0.065), letters)
            x += width
    if style == 0:
        board.disc(0.5, 0.38, 0.2, ornament).disc(0.5, 0.38, 0.12, ground)
    elif style == 1:
        for k in range(5):
            board.line((0.2 + k * 0.15, 0.18), (0.32 + k * 0.11, 0.58), 0.035, ornament)
    else:
        board.rect((0.2, 0.16, 0.8, 0.6), ornament)
        board.disc(0.62, 0.46, 0.08, letters).line((0.22, 0.2), (0.45, 0.42), 0.06, ground)
        board.line((0.45, 0.42), (0.78, 0.2), 0.06, ground)
    board.rect((0.2, 0.09, 0.8, 0.115), letters)
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.3)


def newspaper(request: AssetRequest) -> Model:
    """A folded newspaper: a soft wad with a rounded fold and a printed front page."""
    w, h, d = request.size.tuple()
    if w < d:
        return yawed(newspaper(sideways(request)))
    leaves = 6
    rings = []
    for x in np.linspace(-w / 2, w / 2, 9):
        rings.append(_wad(x, w, h, d))
    outside = skin(rings)
    outside = outside if shapes.volume(outside) >= 0 else skin(rings[::-1])
    ends = [_end(rings[0], -1.0), _end(rings[-1], 1.0)]
    lines = []
    for k in range(1, leaves):
        y = h * 0.62 * k / leaves
        lines.append(shapes.box(w + 0.0008, 0.0009, d - h, at=(0, y, h / 2 + 0.0004)))
    body = join([outside, *ends])
    uv = np.stack([0.5 - body.points[:, 0] / w, 0.5 - body.points[:, 2] / d], 1)
    printed = Mesh.of(body.points, body.normals, uv, body.faces)
    grey = Material((0.55, 0.54, 0.50), gloss=0.0)
    return Model(
        (
            Part("paper", printed, _front_page(request.variant % 3)),
            Part("edges", join(lines), grey, casts_shadow=False),
        )
    )


def _wad(x: float, w: float, h: float, d: float) -> Array:
    """The cross section at x: a rounded fold at the back, loose leaves at the front."""
    swell = 0.86 + 0.14 * math.sin(x / w * 4.0 + 1.2) ** 2
    z = np.linspace(d / 2, -d / 2 + h * 0.5, 7)
    top = h * swell * (0.78 + 0.22 * np.sin(np.linspace(0.3, 1.0, 7) * math.pi / 1.6))
    turn = np.linspace(0, math.pi, 6)[1:-1]
    crown = float(top[-1])
    fold_z = -d / 2 + h * 0.5 - h * 0.5 * np.sin(turn)
    fold_y = crown / 2 + crown / 2 * np.cos(turn)
    bottom_z = z[::-1]
    points_y = np.concatenate([top, fold_y, np.zeros(7)])
    points_z = np.concatenate([z, fold_z, bottom_z])
    return np.stack([np.full(len(points_y), x), points_y, points_z], 1)


def _end(ring: Array, side: float) -> Mesh:
    center = ring.mean(0)
    points = np.concatenate([ring, center[None]])
    k = np.arange(len(ring))
    faces = np.stack([np.full(len(ring), len(ring)), k, np.roll(k, -1)], 1)
    p = points[faces]
    area = np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])[:, 0].sum()
    faces = faces if area * side > 0 else faces[:, ::-1]
    return Mesh.of(
        points, np.tile([side, 0, 0], (len(points), 1)), np.zeros((len(points), 2)), faces
    )


@cache
def _front_page(style: int) -> Material:
    paper: Color = (0.83, 0.81, 0.75)
    ink: Color = (0.22, 0.21, 0.20)
    board = Canvas(paper, 256)
    generator = np.random.default_rng(31 + style)
    for k, letter in enumerate("THE NEWS"):
        _letter(board, letter, 0.07 + k * 0.112, 0.78, ink)
    board.rect((0.04, 0.75, 0.96, 0.758), ink)
    board.rect((0.05, 0.69, 0.62, 0.73), (0.15, 0.15, 0.16))
    photo = (0.36, 0.3, 0.66, 0.66) if style != 1 else (0.05, 0.34, 0.44, 0.67)
    board.rect(photo, (0.42, 0.46, 0.52))
    px, py = (photo[0] + photo[2]) / 2, (photo[1] + photo[3]) / 2
    board.disc(px, py + 0.05, 0.06, (0.74, 0.66, 0.60))
    board.rect((px - 0.1, photo[1], px + 0.1, py - 0.02), (0.20, 0.22, 0.27))
    for column in range(3):
        x0, x1 = 0.05 + column * 0.315, 0.33 + column * 0.315
        for row in range(30):
            y = 0.66 - row * 0.022
            if photo[0] - 0.03 < (x0 + x1) / 2 < photo[2] + 0.03 and y > photo[1] - 0.02:
                continue
            end = x1 - (float(generator.uniform(0.05, 0.15)) if row % 7 == 6 else 0.0)
            board.rect((x0, y, end, y + 0.009), (0.42, 0.41, 0.39))
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.0)


LETTERS: dict[str, tuple[tuple[float, float], ...]] = {
    "T": ((0, 1), (1, 1), (0.5, 1), (0.5, 0)),
    "H": ((0, 0), (0, 1), (0, 0.5), (1, 0.5), (1, 1), (1, 0)),
    "E": ((1, 1), (0, 1), (0, 0.5), (0.8, 0.5), (0, 0.5), (0, 0), (1, 0)),
    "N": ((0, 0), (0, 1), (1, 0), (1, 1)),
    "W": ((0, 1), (0.25, 0), (0.5, 0.8), (0.75, 0), (1, 1)),
    "S": ((1, 0.9), (0.7, 1), (0.2, 1), (0, 0.75), (0.2, 0.55), (0.8, 0.45), (1, 0.25), (0.8, 0),
          (0.3, 0), (0, 0.1)),
}  # fmt: skip
"""Strokes of letters in a unit square."""


def _letter(board: Canvas, letter: str, x: float, y: float, ink: Color) -> None:
    strokes = [(x + 0.078 * u, y + 0.1 * v) for u, v in LETTERS.get(letter, ())]
    for start, end in pairwise(strokes):
        board.line(start, end, 0.016, ink)


def compact_disc(request: AssetRequest) -> Model:
    """A disc with its shining side up."""
    return laid_flat(request, lambda _, w, h, d: _disc(w, h, d))


def _disc(w: float, h: float, d: float) -> Model:
    r = min(w, d) / 2
    hole = 0.125 * r
    thick = min(h, 0.0016)
    low = (h - thick) / 2 if h < 0.004 else 0.0
    body = shapes.lathe(
        [(hole, low), (r, low), (r, low + thick), (hole, low + thick), (hole, low)], sides=36
    )
    shine = level_disc(0.98 * r, low + thick + 0.0004, sides=36, hole=0.36 * r)
    return Model(
        (
            Part("disc", body, Material((0.80, 0.82, 0.84), gloss=0.8, metal=0.3)),
            Part("shine", shine, _iridescent(), casts_shadow=False),
        )
    )


@cache
def _iridescent() -> Material:
    """Silver with two fans of rainbow, as grooves break the light."""
    board = Canvas((0.80, 0.82, 0.84), 128)
    line = (np.arange(128) + 0.5) / 128 - 0.5
    x, y = line[None], line[:, None]
    angle = np.arctan2(y, x)
    radius = np.sqrt(x * x + y * y)
    fan = np.clip(np.cos(2 * (angle - 0.7)), 0, 1) ** 4
    hue = radius * 6.0 + 2.0 * np.abs(np.sin(angle - 0.7))
    rainbow = 0.5 + 0.5 * np.cos(2 * math.pi * (hue[..., None] + np.array([0.0, 0.33, 0.67])))
    board.pixels += (rainbow - board.pixels) * (0.75 * fan)[..., None]
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.9, metal=0.25)


# --- Pens and pencils

BLACK = Material((0.08, 0.08, 0.09), gloss=0.4)


def pen(request: AssetRequest) -> Model:
    """A ballpoint with a coloured barrel, a bright clip and a button."""
    axis = long_axis(request.size)
    across, thick, length = lengthwise(request.size, axis).tuple()
    r = min(across, thick) / 2
    color: Color = request.choose(
        ((0.10, 0.22, 0.65), (0.75, 0.10, 0.12), (0.08, 0.08, 0.09), (0.08, 0.48, 0.30))
    )
    body = 0.82 * r
    barrel = _rod([(0.0, 0.07), (body, 0.10), (body, 0.62), (0.0, 0.62)], length, r)
    upper = _rod([(0.0, 0.62), (body, 0.62), (body * 0.95, 0.93), (0.0, 0.94)], length, r)
    tip = _rod([(0.0, 0.0), (0.15 * r, 0.004), (body, 0.10), (0.0, 0.10)], length, r)
    button = _rod([(0.0, 0.93), (0.4 * r, 0.93), (0.4 * r, 1.0), (0.0, 1.0)], length, r)
    ring = _rod([(0.0, 0.605), (r * 0.92, 0.605), (r * 0.92, 0.625), (0.0, 0.625)], length, r)
    clip = shapes.box(0.5 * r, 0.25 * r, 0.24 * length, at=(0, 1.75 * r, length / 2 - 0.2 * length))
    parts = (
        Part("barrel", barrel, Material(color, gloss=0.5)),
        Part("upper", upper, request.choose((Material(color, gloss=0.5), BLACK), 1)),
        Part("metal", join([tip, button, ring, clip]), palette.metal("chrome")),
    )
    return along(Model(parts), request.size, axis)


def pencil(request: AssetRequest) -> Model:
    """A six-sided painted pencil with a sharpened point, a ferrule and an eraser."""
    axis = long_axis(request.size)
    across, thick, length = lengthwise(request.size, axis).tuple()
    r = min(across, thick) / 2
    color: Color = request.choose(
        ((0.93, 0.68, 0.08), (0.80, 0.16, 0.12), (0.12, 0.35, 0.62), (0.10, 0.50, 0.30))
    )
    cone = min(0.022, 0.16 * length) / length
    end = 1.0 - min(0.018, 0.12 * length) / length
    shaft = shapes.flat_shaded(
        _rod([(0.0, cone), (r, cone), (r, end), (0.0, end)], length, r, sides=6)
    )
    wood = _rod([(0.32 * r, 0.32 * cone), (r, cone * 1.02)], length, r)
    lead = _rod([(0.0, 0.0), (0.34 * r, 0.34 * cone)], length, r)
    middle = end + (1 - end) * 0.45
    ferrule = _rod([(0.0, end), (0.98 * r, end), (0.98 * r, middle), (0.0, middle)], length, r)
    eraser = _rod(
        [(0.0, middle), (0.9 * r, middle), (0.9 * r, 0.995), (0.6 * r, 1.0), (0.0, 1.0)], length, r
    )
    parts = (
        Part("paint", shaft, Material(color, gloss=0.4)),
        Part("wood", wood, Material((0.83, 0.66, 0.45), gloss=0.05)),
        Part("lead", lead, Material((0.12, 0.12, 0.13), gloss=0.3)),
        Part("ferrule", ferrule, palette.metal("brass")),
        Part("eraser", eraser, Material((0.88, 0.48, 0.50), gloss=0.05)),
    )
    return along(Model(parts), request.size, axis)


def _rod(
    profile: list[tuple[float, float]], length: float, radius: float, *, sides: int = 10
) -> Mesh:
    """A turned piece lying along z, its profile's heights in shares of the length from the -z
    end, resting on y = 0 with its axis at `radius`."""
    upright = shapes.lathe([(x, y * length) for x, y in profile], sides=sides, crease=30)
    if sides == 6:
        upright = upright.turned(y=30.0)
    return upright.turned(x=90).moved(0, radius, -length / 2)


BUILDERS: dict[str, Builder] = {
    "Book": book,
    "Newspaper": newspaper,
    "CD": compact_disc,
    "Pen": pen,
    "Pencil": pencil,
}
