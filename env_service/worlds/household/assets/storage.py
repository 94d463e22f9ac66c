"""Chests and stands: dressers, television stands, the trolley. The details "drawers" and
"shelves" are those of `carcass`."""

from __future__ import annotations

from env_service.worlds.household.assets import carcass, palette
from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.mesh import Mesh, join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)


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
    if carcass.openings(request, h) or request.detail("shelves"):
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
        middle = carcass.bay((-inner, inner, *span[2:]), ((h - t + foot) * 0.52,))
        areas = tuple(
            carcass.Opening(a + 0.008, foot + 0.008, b - 0.008, h - t - 0.006) for a, b, *_ in sides
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
                *(carcass.bay(half, ()) for half in halves),
            ]
        )
        areas = carcass.grid((-x, x, foot, low, 0, 0), 2, 1, 0.008)
    metal = palette.metal(request.palette.metal)
    parts = [
        Part("top", top, wood),
        Part("body", join([body, feet]), wood),
        Part("fronts", carcass.fronts(areas, z), wood),
        Part("knobs", carcass.knobs(areas, z - 0.02, bar=True), metal),
    ]
    if kind == "bays":
        parts.append(Part("gaps", carcass.gaps(areas, z - 0.016), carcass.GAP))
    return Model(tuple(parts), (fp.top_surface(w, d, h),))


def _feet(w: float, d: float, high: float) -> Mesh:
    return fp.rods(
        [((x, 0, z), (x, high + 0.002, z), 0.013, 0.022) for x, z in fp.four(w, d, 0.05)]
    )


def _chest(request: AssetRequest, columns: int, rows: int, *, foot: float) -> Model:
    """Top, body, feet or plinth; openings for drawers of their own, or closed fronts."""
    w, h, d = request.size.tuple()
    holes = carcass.openings(request, h)
    t = min([0.026, *(max(h - hole.y1, 0.004) for hole in holes)])
    foot = min([foot, *(hole.y0 - 0.01 for hole in holes)])
    foot = foot if foot > 0.02 else 0.0
    wood = palette.wood(
        request.choose((request.palette.wood, "white", request.palette.wood), salt=2)
    )
    top = fp.blocks([(-w / 2, w / 2, h - t, h, -d / 2, d / 2)], 0.006)
    x = w / 2 - 0.006
    boards = carcass.shelves(request, foot, h - t)
    closed = not holes and not boards
    z = d / 2 - (0.026 if closed else 0.006)
    span = (-x, x, foot, h - t, -d / 2, z)
    body = [carcass.body(span, holes, boards)]
    if foot:
        plinth = request.choose((True, False), salt=3)
        body.append(
            fp.boards([(-x + 0.02, x - 0.02, 0, foot, -d / 2 + 0.01, z - 0.03)])
            if plinth
            else _feet(w, d, foot)
        )
    parts = [Part("top", top, wood), Part("body", join(body), wood)]
    if closed:
        areas = carcass.grid(span, columns, rows, 0.014)
        metal = palette.metal(request.palette.metal)
        bar = request.choose((False, True), salt=4)
        parts.append(Part("gaps", carcass.gaps(areas, z), carcass.GAP))
        parts.append(Part("fronts", carcass.fronts(areas, z + 0.016), wood))
        parts.append(Part("knobs", carcass.knobs(areas, z + 0.003, bar=bar), metal))
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
    wheels = fp.rods(
        [
            ((a - 0.011, wheel, b), (a + 0.011, wheel, b), wheel, wheel)
            for a, b in (
                (
                    min(max(a, -w / 2 + 0.012), w / 2 - 0.012),
                    min(max(b, -d / 2 + wheel), d / 2 - wheel),
                )
                for a, b in posts
            )
        ],
        sides=14,
    )
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


BUILDERS: dict[str, Builder] = {"Cart": cart, "Dresser": dresser, "TVStand": tv_stand}
