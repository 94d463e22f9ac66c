"""What people carry in pockets or look for on sofas: phone, card, keys, remote control."""

import math
from functools import cache
from itertools import pairwise

import numpy as np

from env_service.worlds.household.assets import palette, shapes
from env_service.worlds.household.assets.lofts import level_disc, level_picture, rounded_rect, skin
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Color,
    Material,
    Mesh,
    Model,
    Part,
    join,
    laid_flat,
    yawed,
)
from env_service.worlds.household.assets.painted_textures import Canvas


def cell_phone(request: AssetRequest) -> Model:
    """A slab with a screen: dark, or lit with a home screen; broken, cracks cross it."""
    return laid_flat(request, _phone)


def _phone(request: AssetRequest, w: float, h: float, d: float) -> Model:
    color: Color = request.choose(
        ((0.10, 0.10, 0.11), (0.85, 0.85, 0.87), (0.72, 0.56, 0.42), (0.16, 0.28, 0.46))
    )
    corner = 0.16 * w
    bevel = 0.35 * h
    body = skin(
        [
            rounded_rect(w - 2 * bevel, d - 2 * bevel, corner, 0.0),
            rounded_rect(w, d, corner, bevel),
            rounded_rect(w, d, corner, h - 0.0008 - bevel * 0.6),
            rounded_rect(w - bevel, d - bevel, corner, h - 0.0008),
        ],
        low=True,
        high=True,
    )
    look = request.look
    screen = _screen(request.variant % 3, on=look.on, broken=look.broken)
    glass = level_picture(w * 0.9, d * 0.84, h - 0.0002)
    bar = level_disc(0.05 * w, h - 0.0003, at=(0.0, 0.455 * d), sides=12)
    slot = shapes.box(0.2 * w, 0.0006, 0.012 * d, at=(0.0, h - 0.0009, -0.455 * d))
    dark = Material((0.25, 0.25, 0.27), gloss=0.5)
    return Model(
        (
            Part("body", body, Material(color, gloss=0.6)),
            Part("screen", glass, screen, casts_shadow=False),
            Part("button", join([bar, slot]), dark, casts_shadow=False),
        )
    )


@cache
def _screen(style: int, *, on: bool, broken: bool) -> Material:
    size = 128
    board = Canvas((0.03, 0.03, 0.04), size)
    if on:
        y = np.linspace(0, 1, size)[:, None, None]
        low, high = (
            ((0.10, 0.25, 0.60), (0.45, 0.75, 0.95)),
            ((0.50, 0.15, 0.45), (0.98, 0.65, 0.45)),
            ((0.05, 0.40, 0.35), (0.60, 0.90, 0.60)),
        )[style]
        board.pixels[:] = np.array(low) + (np.array(high) - np.array(low)) * y
        board.rect((0.0, 0.95, 1.0, 1.0), (0.05, 0.06, 0.08))
        icons: tuple[Color, ...] = (
            (0.95, 0.30, 0.25), (0.98, 0.80, 0.20), (0.25, 0.80, 0.40), (0.95, 0.95, 0.95),
            (0.20, 0.50, 0.95),
        )  # fmt: skip
        for k in range(16):
            x, row = 0.08 + (k % 4) * 0.225, k // 4
            low_y = 0.82 - row * 0.14 if row < 3 else 0.05
            board.rect((x, low_y, x + 0.15, low_y + 0.085), icons[(k * 3 + row) % 5])
    else:
        board.line((0.1, 1.1), (0.75, 0.2), 0.16, (0.07, 0.075, 0.09))
    if broken:
        _crack(board, (0.68, 0.72), 17 + style)
    glow = 0.75 if on else 0.0
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.3 if broken else 0.9, glow=glow)


def _crack(board: Canvas, center: tuple[float, float], seed: int) -> None:
    """A star of bright cracks with rings around the blow."""
    generator = np.random.default_rng(seed)
    white: Color = (0.88, 0.90, 0.93)
    rays = 11
    turns = np.sort(generator.uniform(0, 2 * math.pi, rays))
    for turn in turns:
        x, y = center
        for _ in range(4):
            bend = turn + float(generator.normal(0, 0.22))
            step = float(generator.uniform(0.14, 0.26))
            nx, ny = x + math.cos(bend) * step, y + math.sin(bend) * step
            board.line((x, y), (nx, ny), 0.012, white)
            x, y = nx, ny
    for radius in (0.09, 0.2):
        web = [
            (center[0] + radius * math.cos(turn), center[1] + radius * math.sin(turn))
            for turn in (*turns, turns[0])
        ]
        for start, end in pairwise(web):
            board.line(start, end, 0.009, white)
    board.disc(*center, 0.03, white)


def credit_card(request: AssetRequest) -> Model:
    """A bright plastic card with chip and number."""
    return laid_flat(request, _card)


def _card(request: AssetRequest, w: float, h: float, d: float) -> Model:
    style = request.choose((0, 1, 2, 3))
    thick = min(h, 0.0025)
    ring = rounded_rect(w, d, 0.06 * max(w, d), 0.0)
    body = skin([ring, ring + np.array([0.0, thick - 0.0006, 0.0])], low=True, high=True)
    picture = level_picture(w * 0.97, d * 0.95, thick - 0.0001)
    if w < d:
        picture = level_picture(d * 0.97, w * 0.95, thick - 0.0001).turned(y=90.0)
    base = _CARDS[style][0]
    return Model(
        (
            Part("card", body, Material(base, gloss=0.5)),
            Part("print", picture, _card_face(style), casts_shadow=False),
        )
    )


_CARDS: tuple[tuple[Color, Color], ...] = (
    ((0.10, 0.28, 0.62), (0.35, 0.62, 0.90)),
    ((0.80, 0.62, 0.18), (0.95, 0.85, 0.50)),
    ((0.65, 0.10, 0.15), (0.90, 0.40, 0.35)),
    ((0.08, 0.45, 0.38), (0.45, 0.78, 0.62)),
)


@cache
def _card_face(style: int) -> Material:
    base, light = _CARDS[style]
    board = Canvas(base, 128, 64)
    line = (np.arange(128) + 0.5) / 128
    sweep = np.clip(
        1.2 - np.abs(line[None] * 1.6 - (np.arange(64)[:, None] / 64) - 0.4) * 2.2, 0, 1
    )
    board.mask(sweep * 0.7, light)
    board.rect((0.09, 0.46, 0.25, 0.70), (0.90, 0.80, 0.45))
    board.rect((0.09, 0.57, 0.25, 0.59), (0.55, 0.45, 0.2))
    board.rect((0.165, 0.46, 0.175, 0.70), (0.55, 0.45, 0.2))
    for group in range(4):
        for digit in range(4):
            x = 0.09 + group * 0.21 + digit * 0.043
            board.rect((x, 0.27, x + 0.026, 0.36), (0.95, 0.95, 0.92))
    board.rect((0.09, 0.1, 0.45, 0.16), (0.92, 0.92, 0.90))
    for x, color in ((0.78, (0.86, 0.20, 0.16)), (0.87, (0.95, 0.65, 0.15))):
        board.disc(x, 0.15 * 1.0, 0.075, color)
    board.rect((0.6, 0.80, 0.92, 0.89), (0.96, 0.96, 0.96))
    return Material((1.0, 1.0, 1.0), board.texture(), gloss=0.5)


def key_chain(request: AssetRequest) -> Model:
    """A ring with keys that fan out, and a coloured fob."""
    return laid_flat(request, _keys)


def _keys(request: AssetRequest, w: float, h: float, d: float) -> Model:
    if w < d:
        inner = _keys(request, d, h, w)
        return yawed(inner)
    wire = min(0.0016, h * 0.3)
    ring_r = min(0.016, d * 0.24)
    ring_x = 0.12 * w
    turns = np.linspace(0, 2 * math.pi, 24, endpoint=False)
    ring = shapes.tube(
        [(ring_x + ring_r * math.cos(t), wire, ring_r * math.sin(t)) for t in turns],
        wire,
        sides=6,
        closed=True,
    )
    length = w / 2 + ring_x - ring_r * 0.6 - 0.001
    spread = math.degrees(math.asin(min(0.8, max(0.0, (d / 2 - 0.012)) / length)))
    thick = min(0.002, h * 0.25)
    steel: list[Mesh] = []
    brass: list[Mesh] = []
    angles = (-spread, 0.0, spread) if d > 0.06 else (-spread, spread)
    for number, angle in enumerate(angles):
        key = _key(length, thick).turned(y=angle)
        key = key.moved(ring_x - ring_r * 0.6, min(number * thick * 1.02, h - thick), 0)
        (brass if number % 2 else steel).append(key)
    fob_room = w / 2 - ring_x - ring_r
    fob_w, fob_d = fob_room * 0.88, min(d * 0.42, 0.03)
    fob_x = ring_x + ring_r * 0.9 + fob_w / 2
    fob = shapes.rounded_box(
        fob_w, min(h, 0.007), fob_d, min(0.0035, h / 2), at=(fob_x, 0, 0), steps=1
    )
    color: Color = request.choose(((0.82, 0.12, 0.12), (0.12, 0.35, 0.75), (0.95, 0.70, 0.10)))
    return Model(
        (
            Part("ring", join([ring, *steel]), palette.metal("steel")),
            Part("brass key", join(brass), palette.metal("brass")),
            Part("fob", fob, Material(color, gloss=0.5)),
        )
    )


def _key(length: float, thick: float) -> Mesh:
    """A key from its bow's hole at the origin towards -x."""
    bow = min(0.013, 0.2 * length)
    head = shapes.lathe(
        [(bow * 0.35, 0.0), (bow, 0.0), (bow, thick), (bow * 0.35, thick), (bow * 0.35, 0.0)],
        sides=14,
        at=(-bow * 0.6, 0, 0),
    )
    blade_w = bow * 0.55
    start, end = -bow * 1.3, -length
    step = (end - start) / 6
    outline = [(start, blade_w / 2), (start, -blade_w / 2)]
    for k, bite in enumerate((0.0, 0.35, 0.1, 0.45, 0.2)):
        x = start + step * (k + 1)
        outline += [(x, -blade_w / 2 + bite * blade_w), (x + step * 0.5, -blade_w / 2)]
    outline += [(end, 0.0), (end - step * 0.3, blade_w / 2)]
    return join([head, shapes.prism(outline, thick * 0.9)])


def remote_control(request: AssetRequest) -> Model:
    """A dark bar with a red power key, a number pad and a round pad."""
    return laid_flat(request, _remote)


def _remote(request: AssetRequest, w: float, h: float, d: float) -> Model:
    if w > d:
        inner = _remote(request, d, h, w)
        return yawed(inner)
    color: Color = request.choose(((0.11, 0.11, 0.12), (0.55, 0.56, 0.58), (0.16, 0.17, 0.22)))
    corner = 0.28 * w
    top = h - 0.0018
    body = skin(
        [
            rounded_rect(w * 0.8, d * 0.96, corner, 0.0),
            rounded_rect(w * 0.97, d * 0.995, corner, top * 0.35),
            rounded_rect(w, d, corner, top * 0.7),
            rounded_rect(w * 0.94, d * 0.98, corner, top),
        ],
        low=True,
        high=True,
    )
    key_w = 0.16 * w
    pale, red, other = [], [], []
    for row in range(4):
        for column in (-1, 0, 1):
            at = (column * 0.26 * w, top - 0.0004, 0.12 * d + row * 0.085 * d)
            pale.append(_button(key_w, 0.045 * d, at))
    for column, row in ((-1, 0), (1, 0), (-1, 1), (1, 1)):
        at = (column * 0.3 * w, top - 0.0004, (-0.32 + 0.36 * row) * d)
        other.append(_button(key_w, 0.04 * d, at))
    red.append(_button(0.2 * w, 0.05 * d, (0.28 * w, top - 0.0004, -0.42 * d)))
    pad = level_disc(0.28 * w, top + 0.0012, at=(0, -0.14 * d), sides=20, hole=0.12 * w)
    pad_side = shapes.lathe(
        [(0.28 * w, -0.0004), (0.28 * w, 0.0012)], sides=20, at=(0, top, -0.14 * d)
    )
    middle = level_disc(0.09 * w, top + 0.0012, at=(0, -0.14 * d), sides=12)
    light = Material((0.85, 0.85, 0.86), gloss=0.2)
    if color[0] > 0.4:
        light = Material((0.13, 0.13, 0.14), gloss=0.2)
    return Model(
        (
            Part("body", body, Material(color, gloss=0.35)),
            Part("keys", join([*pale, pad, pad_side, middle]), light),
            Part("power", join(red), Material((0.85, 0.12, 0.10), gloss=0.3)),
            Part("colours", join(other), Material((0.20, 0.55, 0.85), gloss=0.3)),
        )
    )


def _button(width: float, depth: float, at: tuple[float, float, float]) -> Mesh:
    return shapes.box(width, 0.0018, depth, at=at)


BUILDERS: dict[str, Builder] = {
    "CellPhone": cell_phone,
    "CreditCard": credit_card,
    "KeyChain": key_chain,
    "RemoteControl": remote_control,
}
