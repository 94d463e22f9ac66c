"""Chests, stands, the trolley, safes, boxes, hampers, garbage cans and bags."""

import math
from functools import lru_cache

import numpy as np

from env_service.worlds.household.assets import drawer_cases, palette, shapes, textures
from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.fronts_and_handles import case, rows, swing, word
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
    Texture,
    join,
)
from env_service.worlds.household.assets.painted_textures import keypad
from env_service.worlds.household.assets.shapes import Span, blocks, lathe, panel, tube
from env_service.worlds.household.geometry import Vec3


def dresser(request: AssetRequest) -> Model:
    """A chest of drawers. Without named openings it gets dummy fronts, as many as its size asks
    for."""
    w, h, _ = request.size.tuple()
    columns = max(1, min(3, round(w / 0.75)))
    rows = max(2, min(5, round(h / 0.25)))
    return _chest(request, columns, rows, foot=min(0.10, h * 0.12))


def tv_stand(request: AssetRequest) -> Model:
    """A low stand. Without named openings: closed fronts at both ends and an open bay between,
    two bays over drawers, or doors all along."""
    w, h, d = request.size.tuple()
    if drawer_cases.openings(request, h) or request.detail("shelves"):
        return _chest(request, 1, 1, foot=min(0.06, h * 0.1))
    kind = request.choose(("ends", "doors", "bays"))
    if kind == "doors":
        return _chest(request, max(2, min(4, round(w / 0.5))), 1, foot=min(0.12, h * 0.2))
    wood = palette.wood(request.choose((request.palette.wood, "black ash", "white"), salt=1))
    t, foot = 0.026, min(0.05, h * 0.1)
    z = d / 2 - 0.004
    top = fp.blocks([(-w / 2, w / 2, h - t, h, -d / 2, d / 2)], 0.006)
    feet = _feet(w, d, foot)
    x, inner = w / 2 - 0.004, w * 0.24
    span = (-x, x, foot, h - t, -d / 2, z)
    if kind == "ends":
        sides = [(-x, -inner, *span[2:]), (inner, x, *span[2:])]
        middle = drawer_cases.bay((-inner, inner, *span[2:]), ((h - t + foot) * 0.52,))
        areas = tuple(
            drawer_cases.Opening(a + 0.008, foot + 0.008, b - 0.008, h - t - 0.006)
            for a, b, *_ in sides
        )
        body = join(
            [fp.boards([(*s[:4], -d / 2, z - 0.016) for s in sides], scatter=False), middle]
        )
    else:
        low = foot + (h - t - foot) * 0.42
        halves = [(-x, 0.0, low, h - t, -d / 2, z), (0.0, x, low, h - t, -d / 2, z)]
        body = join(
            [
                fp.boards([(-x, x, foot, low, -d / 2, z - 0.016)], scatter=False),
                *(drawer_cases.bay(half, ()) for half in halves),
            ]
        )
        areas = drawer_cases.grid((-x, x, foot, low, 0, 0), 2, 1, 0.008)
    metal = palette.metal(request.palette.metal)
    parts = [
        Part("top", top, wood),
        Part("body", join([body, feet]), wood),
        Part("fronts", drawer_cases.fronts(areas, z), wood),
        Part("knobs", drawer_cases.knobs(areas, z - 0.02, bar=True), metal),
    ]
    if kind == "bays":
        parts.append(Part("gaps", drawer_cases.gaps(areas, z - 0.016), drawer_cases.GAP))
    return Model(tuple(parts), (fp.top_surface(w, d, h),))


def _feet(w: float, d: float, high: float) -> Mesh:
    return fp.rods(
        [((x, 0, z), (x, high + 0.002, z), 0.013, 0.022) for x, z in fp.four(w, d, 0.05)]
    )


def _chest(request: AssetRequest, columns: int, rows: int, *, foot: float) -> Model:
    """Top, body, feet or plinth; openings for separate Drawer objects, or closed fronts."""
    w, h, d = request.size.tuple()
    holes = drawer_cases.openings(request, h)
    t = min([0.026, *(max(h - hole.y1, 0.004) for hole in holes)])
    foot = min([foot, *(hole.y0 - 0.01 for hole in holes)])
    foot = foot if foot > 0.02 else 0.0
    wood = palette.wood(
        request.choose((request.palette.wood, "white", request.palette.wood), salt=2)
    )
    top = fp.blocks([(-w / 2, w / 2, h - t, h, -d / 2, d / 2)], 0.006)
    x = w / 2 - 0.006
    boards = drawer_cases.shelves(request, foot, h - t)
    closed = not holes and not boards
    z = d / 2 - (0.026 if closed else 0.006)
    span = (-x, x, foot, h - t, -d / 2, z)
    body = [drawer_cases.body(span, holes, boards)]
    if foot:
        plinth = request.choose((True, False), salt=3)
        body.append(
            fp.boards([(-x + 0.02, x - 0.02, 0, foot, -d / 2 + 0.01, z - 0.03)])
            if plinth
            else _feet(w, d, foot)
        )
    parts = [Part("top", top, wood), Part("body", join(body), wood)]
    if closed:
        areas = drawer_cases.grid(span, columns, rows, 0.014)
        metal = palette.metal(request.palette.metal)
        bar = request.choose((False, True), salt=4)
        parts.append(Part("gaps", drawer_cases.gaps(areas, z), drawer_cases.GAP))
        parts.append(Part("fronts", drawer_cases.fronts(areas, z + 0.016), wood))
        parts.append(Part("knobs", drawer_cases.knobs(areas, z + 0.003, bar=bar), metal))
    return Model(tuple(parts), (fp.top_surface(w, d, h),))


def cart(request: AssetRequest) -> Model:
    """A trolley: two trays between four posts on castors, a push handle at -x or at the back."""
    w, h, d = request.size.tuple()
    metal = palette.metal(request.choose(("steel", "black iron", "brass")))
    shelf = palette.wood(request.choose((request.palette.wood, "white"), salt=1))
    r, wheel, t = 0.012, 0.045, 0.022
    along_x = w >= d
    reach = min(0.10, max(w, d) * 0.16)
    x0, x1 = (-w / 2 + reach, w / 2) if along_x else (-w / 2, w / 2)
    z0, z1 = (-d / 2, d / 2) if along_x else (-d / 2 + reach, d / 2)
    top = h - 0.05
    low = wheel * 2 + 0.06
    posts = [(a, b) for a in (x0 + r, x1 - r) for b in (z0 + r, z1 - r)]
    bars: list[fp.Rod] = [((a, wheel * 2, b), (a, h - r, b), r, r) for a, b in posts]
    for y in (h - r, top - t - 0.02):
        bars += [((x0 + r, y, b), (x1 - r, y, b), r * 0.7, r * 0.7) for b in (z0 + r, z1 - r)]
        bars += [((a, y, z0 + r), (a, y, z1 - r), r * 0.7, r * 0.7) for a in (x0 + r, x1 - r)]
    y = h - r
    if along_x:
        grip = -w / 2 + r
        bars += [((x0 + r, y, b), (grip, y, b), r, r) for b in (z0 + r, z1 - r)]
        bars.append(((grip, y, z0), (grip, y, z1), r, r))
    else:
        grip = -d / 2 + r
        bars += [((a, y, z0 + r), (a, y, grip), r, r) for a in (x0 + r, x1 - r)]
        bars.append(((x0, y, grip), (x1, y, grip), r, r))
    hubs = [(_within(a, w / 2 - 0.012), _within(b, d / 2 - wheel)) for a, b in posts]
    rims = [((a - 0.011, wheel, b), (a + 0.011, wheel, b), wheel, wheel) for a, b in hubs]
    wheels = fp.rods(rims, sides=14)
    trays = fp.blocks([(x0 + r, x1 - r, y - t, y, z0 + r, z1 - r) for y in (top, low)], 0.006)
    corner, other = (x0 + 0.035, z0 + 0.035), (x1 - 0.035, z1 - 0.035)
    return Model(
        (
            Part("frame", fp.rods(bars), metal),
            Part("trays", trays, shelf),
            Part("wheels", wheels, palette.metal("black iron")),
        ),
        (
            Surface(corner, other, top),
            Surface(corner, other, low, clearance=top - t - 0.03 - low),
        ),
    )


def _within(value: float, most: float) -> float:
    return min(max(value, -most), most)


# --- Safes

FELT = Material((0.26, 0.24, 0.22), gloss=0.0)
FINISHES = (
    Material((0.23, 0.25, 0.27), gloss=0.35, metal=0.2),
    Material((0.20, 0.27, 0.24), gloss=0.35, metal=0.2),
)

BOARD, LEAST = 0.01, 0.03
"""Thickness of an inner board, and the least room below and above one, metres."""


def safe(request: AssetRequest) -> Model:
    """A steel safe with a thick door, a keypad and a wheel; hinged at the left, with felt and a
    board inside.

    Details: "boards": ((y,), ...), heights of boards on which something lies, in place of the one
    in the middle. "drawers": "none" for a safe without the board in the middle.
    """
    w, h, d = request.size.tuple()
    finish = request.choose(FINISHES)
    wall, thick, foot = min(w, h, d) * 0.1, d * 0.1, min(0.015, h * 0.04)
    face = d / 2 - min(0.04, d * 0.1)
    shell = blocks(case(w, h - foot, face + d / 2, board=wall, back=wall), bevel=0.006)
    inner, low, high = w / 2 - wall, foot + wall, h - wall
    behind, rear, middle = face - thick, -d / 2 + wall + 0.001, (low + high) / 2
    given = sorted(y - BOARD for (y,) in rows(request, "boards") if low + LEAST < y < high - LEAST)
    bare = bool(rows(request, "boards")) or word(request, "drawers", "some") == "none"
    boards = given or ([] if bare else [middle])
    inside: list[Span] = [
        (-inner + 0.001, low, rear, inner - 0.001, low + 0.003, behind - 0.004),
        *((-inner + 0.001, y, rear, inner - 0.001, y + BOARD, behind - 0.03) for y in boards),
    ]
    ceilings = (*boards, high)
    surfaces = tuple(
        Surface((x0, z0), (x1, z1), top, above - top, inside=True)
        for (x0, _, z0, x1, top, z1), above in zip(inside, ceilings, strict=True)
    )
    motion = swing("left", x=inner - 0.002, z=face, low=low, high=high, amount=110.0)
    leaf = (-inner + 0.002, low + 0.002, behind, inner - 0.002, high - 0.002, face)
    parts = [
        Part("shell", shell.moved(y=foot, z=(face - d / 2) / 2), finish),
        Part("feet", blocks(_safes_feet(w, d, foot)), palette.paint("black")),
        Part("inside", blocks(inside), FELT),
        Part("door", blocks([leaf], bevel=0.006), finish, motion),
        *_lock(w, face, middle, motion),
    ]
    return Model(tuple(parts), surfaces)


def _safes_feet(w: float, d: float, high: float) -> list[Span]:
    middles = [(side * w * 0.4, end * d * 0.36) for side in (-1, 1) for end in (-1, 1)]
    return [(x - 0.02, 0, z - 0.02, x + 0.02, high, z + 0.02) for x, z in middles]


def _lock(w: float, face: float, middle: float, motion: Motion) -> list[Part]:
    """The keypad near the hinge and the wheel with three spokes at the other side of the door."""
    pad, x = min(0.13, w * 0.26), w * 0.17
    half, tall = pad * 0.58, pad * 0.72
    plate = (x - half, middle - tall, face - 0.001, x + half, middle + tall, face + 0.003)
    keys = panel(pad, pad * 1.2).moved(x, middle - pad * 0.6, face + 0.004)
    radius = min(0.055, w * 0.11)
    hub = lathe([(0, 0), (radius * 0.5, 0), (radius * 0.45, 0.03), (0, 0.034)], sides=16)
    spoke = tube([(0, 0, 0.022), (0, radius * 1.25, 0.026)], 0.006, sides=8)
    spokes = [spoke.turned(z=turn) for turn in (90.0, 210.0, 330.0)]
    wheel = join([hub.turned(x=90.0), *spokes]).moved(-w * 0.16, middle, face)
    print_of_keys = Material((1, 1, 1), keypad((0.1, 0.1, 0.1), (0.75, 0.75, 0.75)))
    return [
        Part("lock plate", blocks([plate]), palette.paint("black"), motion),
        Part("keys", keys, print_of_keys, motion),
        Part("wheel", wheel, palette.metal("steel"), motion),
    ]


# --- Containers: cardboard boxes, laundry hampers, garbage cans; and a full garbage bag


@lru_cache(maxsize=8)
def _cardboard(color: Color) -> Texture:
    """Corrugated board: fine flutes and a little mottle."""
    size = 64
    flutes = 0.5 + 0.5 * np.cos(2 * math.pi * np.arange(size) * 16 / size)
    mottle = textures.noise(size, 6, 4)
    shade = 0.93 + 0.035 * flutes[None] + 0.07 * (mottle - 0.5)
    return textures.picture(np.array(color) * shade[..., None])


def box(request: AssetRequest) -> Model:
    """A cardboard box, drawn open as AI2-THOR's boxes start: its four flaps lean outwards, and
    fold shut over it."""
    w, h, d = request.size.tuple()
    lean, body_w, body_h, body_d, flap = _box_measures(w, h, d)
    color = request.choose(((0.66, 0.49, 0.31), (0.72, 0.58, 0.42), (0.58, 0.42, 0.27)))
    material = Material((1.0, 1.0, 1.0), _cardboard(color), gloss=0.02)
    t = 0.005
    x, z = body_w / 2, body_d / 2
    shell = fp.boards(
        [
            (-x, x, 0, t, -z, z),
            (-x, x, t, body_h, -z, -z + t),
            (-x, x, t, body_h, z - t, z),
            (-x, -x + t, t, body_h, -z + t, z - t),
            (x - t, x, t, body_h, -z + t, z - t),
        ],
        tile=0.25,
    )
    tape = Material((0.78, 0.64, 0.40), gloss=0.5)
    strips = fp.boards(
        [
            (-0.022, 0.022, body_h * 0.62, body_h - 0.001, z, z + 0.0008),
            (-0.022, 0.022, body_h * 0.62, body_h - 0.001, -z - 0.0008, -z),
        ]
    )
    parts = [Part("shell", shell, material), Part("tape", strips, tape, casts_shadow=False)]
    inner = (x - t, z - t)
    for number, (name, sx, sz) in enumerate(
        (("left", -1, 0), ("right", 1, 0), ("back", 0, -1), ("front", 0, 1))
    ):
        rise = body_h + (0.0015 if number < 2 else 0.0065)
        parts.append(_flap(name, (sx, sz), (x, z), rise, length=flap, lean=lean, material=material))
    surface = Surface(
        (-inner[0] + 0.004, -inner[1] + 0.004),
        (inner[0] - 0.004, inner[1] - 0.004),
        t,
        clearance=body_h - t,
        inside=True,
    )
    return Model(tuple(parts), (surface,))


def _box_measures(w: float, h: float, d: float) -> tuple[float, float, float, float, float]:
    """Lean of the flaps off the vertical in degrees, the body's width, height and depth, and the
    flaps' length, so that the whole fills the box and the body keeps most of the height."""
    lean = 20.0
    while True:
        sine, cosine = math.sin(math.radians(lean)), math.cos(math.radians(lean))
        flap = min(w, d) / 2 / (1 + sine)
        body_h = h - flap * cosine - 0.007
        if body_h >= 0.48 * h or lean >= 84:
            break
        lean += 8.0
    return lean, w - 2 * flap * sine, max(body_h, 0.4 * h), d - 2 * flap * sine, flap


def _flap(
    name: str,
    side: tuple[int, int],
    half: tuple[float, float],
    y: float,
    *,
    length: float,
    lean: float,
    material: Material,
) -> Part:
    """A flap on one side, drawn open; it turns about its lower edge."""
    sx, sz = side
    thick, length = 0.004, length - 0.003
    if sx:
        span = (-half[0], -half[0] + length, 0, thick, -half[1], half[1])
        span = span if sx < 0 else (-span[1], -span[0], *span[2:])
        axis, pivot = Vec3(0, 0, 1), Vec3(sx * half[0], y, 0)
        amount = -sx * (90.0 + lean)
    else:
        span = (-half[0], half[0], 0, thick, -half[1], -half[1] + length)
        span = span if sz < 0 else (*span[:4], -span[5], -span[4])
        axis, pivot = Vec3(1, 0, 0), Vec3(0, y, sz * half[1])
        amount = sz * (90.0 + lean)
    flat = fp.boards([span], tile=0.25).moved(-pivot.x, 0, -pivot.z)
    turned = flat.turned(z=amount) if sx else flat.turned(x=amount)
    motion = Motion(MotionKind.HINGE, axis, amount, pivot, at_rest=1.0)
    return Part(name, turned.moved(*pivot.tuple()), material, motion)


@lru_cache(maxsize=8)
def _wicker(color: Color) -> Texture:
    """Basket weave: stakes and strands that pass over and under them."""
    size, cells = 128, 8
    place = np.arange(size) * cells / size
    cell, part = np.floor(place).astype(int), place - np.floor(place)
    bulge = np.sin(part * math.pi)
    over = (cell[:, None] + cell[None]) % 2 == 0
    shade = np.where(over, bulge[:, None], bulge[None]) * 0.55 + 0.45
    return textures.picture(np.array(color) * shade[..., None])


def laundry_hamper(request: AssetRequest) -> Model:
    """A wicker or cloth hamper with a lid hinged at the back."""
    w, h, d = request.size.tuple()
    color = request.choose(
        ((0.62, 0.45, 0.27), (0.80, 0.75, 0.66), (0.36, 0.25, 0.16), (0.55, 0.58, 0.60))
    )
    material = Material((1.0, 1.0, 1.0), _wicker(color), gloss=0.08)
    lid_h = min(0.045, h * 0.07)
    top = h - lid_h
    profile = [(0.0, 0.0), (0.86, 0.0), (0.955, top), (0.915, top), (0.825, 0.012), (0.0, 0.012)]
    body = fp.tub(profile, w, d, power=5.0, sides=32).mapped(10.0, 9.0)
    lid = fp.tub(
        [(0.0, top + 0.001), (0.98, top + 0.001), (1.0, top + lid_h * 0.5), (0.96, h), (0.0, h)],
        w,
        d,
        power=5.0,
        sides=32,
        wrap=False,
    ).mapped(6.0, 4.0)
    band = fp.tub(
        [(0.945, top - 0.06), (0.97, top - 0.055), (0.975, top - 0.02), (0.955, top - 0.012)],
        w,
        d,
        power=5.0,
        sides=32,
    )
    hinge = Motion(MotionKind.HINGE, Vec3(1, 0, 0), -100.0, Vec3(0, top + 0.001, -d / 2 + 0.02))
    knob = shapes.ball(0.02, 0.012, 0.02, sides=8, rings=6, at=(0, h - 0.012, d * 0.36))
    trim = Material((0.30, 0.20, 0.12), gloss=0.2)
    surface = Surface(
        (-w * 0.36, -d * 0.36), (w * 0.36, d * 0.36), 0.012, clearance=top - 0.012, inside=True
    )
    return Model(
        (
            Part("basket", body, material),
            Part("band", band, trim),
            Part("lid", lid, material, hinge),
            Part("knob", knob, trim, hinge),
        ),
        (surface,),
    )


def garbage_can(request: AssetRequest) -> Model:
    """An open bin: a brushed steel or enamelled one, a tapered plastic tub, or a tub with a bag
    over its rim; a cylinder where the box is square, else with rounded corners."""
    w, h, d = request.size.tuple()
    is_round = abs(w - d) < 0.09 * max(w, d)
    kind = request.choose(("plastic", "metal", "bag"))
    power = 2.0 if is_round else 5.5
    foot = 0.93 if kind == "metal" else 0.74
    if kind == "metal":
        material = palette.metal(request.choose(("steel", "white enamel", "black iron"), salt=1))
    else:
        color = request.choose(
            ((0.25, 0.27, 0.30), (0.62, 0.63, 0.62), (0.17, 0.30, 0.42), (0.85, 0.84, 0.80)), salt=2
        )
        material = Material(color, gloss=0.3)
    lip = min(0.03, h * 0.06)
    rolled = [(0.955, h - lip), (1.0, h - lip), (1.0, h), (0.945, h)]
    rim = [(0.95, h - lip), (0.93, h - 0.006)] if kind == "bag" else rolled
    floor = 0.006 if kind == "bag" else 0.012
    profile = [(0.0, 0.0), (foot, 0.0), *rim, (foot - 0.03, floor), (0.0, floor)]
    parts = [Part("can", fp.tub(profile, w, d, power=power, sides=32), material)]
    if kind == "bag":
        bag = Material((0.80, 0.82, 0.84), gloss=0.35)
        parts.append(Part("bag", _liner(w, h, d, power, foot), bag))
    elif kind == "plastic":
        z = d * 0.462
        grip = fp.blocks([(-w * 0.16, w * 0.16, h * 0.82, h * 0.87, z - 0.02, z + 0.012)], 0.008)
        parts.append(Part("grip", grip, material))
    inner = foot - 0.06 if is_round else foot * 0.84
    x, z = w / 2 * inner, d / 2 * inner
    surface = Surface((-x, -z), (x, z), 0.012, h - 0.012, inside=True, round=is_round)
    return Model(tuple(parts), (surface,))


def _liner(w: float, h: float, d: float, power: float, foot: float) -> Mesh:
    """A thin bag that lines a bin and is folded outwards over its rim, with creases."""
    fold = fp.tub(
        [
            (0.965, h * 0.74),
            (0.985, h * 0.8),
            (0.99, h - 0.02),
            (0.975, h),
            (0.93, h - 0.002),
            (0.91, h - 0.012),
            (foot - 0.06, 0.012),
            (0.0, 0.012),
        ],
        w,
        d,
        power=power,
        sides=40,
    )
    p = fold.points.astype(np.float64)
    turn = np.arctan2(p[:, 2], p[:, 0])
    low = np.clip((h - p[:, 1]) / (h * 0.26), 0, 1)
    ripple = np.sin(9 * turn) + 0.6 * np.sin(17 * turn + 1)
    hem = (low > 0.9) & (p[:, 1] > h / 2)
    p[:, 1] += h * 0.025 * ripple * low * hem
    shrink = 1 - 0.008 * (1 + np.sin(23 * turn)) * low
    p[:, 0] *= shrink
    p[:, 2] *= shrink
    return shapes.smoothed(Mesh.of(p, fold.normals, fold.uv, fold.faces))


def garbage_bag(request: AssetRequest) -> Model:
    """A full bag, pleated towards its neck and tied there."""
    color = request.choose(((0.06, 0.06, 0.07), (0.16, 0.20, 0.17), (0.82, 0.83, 0.84)))
    h, r = request.size.y, min(request.size.x, request.size.z) * 0.075
    ring = shapes.lathe(
        [(r * 0.8, h * 0.80), (r * 1.15, h * 0.81), (r * 1.15, h * 0.835), (r * 0.8, h * 0.845)],
        sides=14,
        wrap=True,
    )
    return Model(
        (
            Part(
                "sack",
                fp.fitted(_sack(request.variant % 8), request.size),
                Material(color, gloss=0.55),
            ),
            Part("tie", ring, Material((0.75, 0.18, 0.12), gloss=0.3)),
        )
    )


SACK = ((0.0, 0.0), (0.34, 0.0), (0.48, 0.06), (0.54, 0.18), (0.52, 0.34), (0.44, 0.48),
        (0.30, 0.60), (0.14, 0.68), (0.055, 0.72))  # fmt: skip
NECK = ((0.05, 0.66), (0.055, 0.74), (0.045, 0.76), (0.10, 0.80), (0.15, 0.88), (0.12, 0.885),
        (0.0, 0.80))  # fmt: skip


@lru_cache(maxsize=8)
def _sack(seed: int) -> Mesh:
    """A bag about a metre across, bulging, with a frilled neck."""
    sack = shapes.lathe(SACK, sides=26, crease=180.0)
    p = sack.points.astype(np.float64)
    turn = np.arctan2(p[:, 2], p[:, 0])
    gather = np.clip((p[:, 1] - 0.30) / 0.42, 0, 1)
    pleats = 1 + 0.10 * gather * np.sin(11 * turn + 2 * np.sin(3 * turn))
    p = p * np.stack([pleats, np.ones_like(pleats), pleats], 1)
    generator = np.random.default_rng(seed)
    body = shapes.bumpy(Mesh.of(p, sack.normals, sack.uv, sack.faces), 0.10, generator, waves=9.0)
    neck = shapes.lathe(NECK, sides=14, crease=90.0)
    q = neck.points.astype(np.float64)
    q[:, 1] += 0.03 * np.sin(5 * np.arctan2(q[:, 2], q[:, 0])) * (q[:, 1] > 0.8)
    return join([body, Mesh.of(q, neck.normals, neck.uv, neck.faces)])


BUILDERS: dict[str, Builder] = {
    "Cart": cart,
    "Dresser": dresser,
    "TVStand": tv_stand,
    "Safe": safe,
    "Box": box,
    "GarbageBag": garbage_bag,
    "GarbageCan": garbage_can,
    "LaundryHamper": laundry_hamper,
}
