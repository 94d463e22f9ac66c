"""Tables for dining, coffee and at the side of beds; desks."""

import math

from env_service.worlds.household.assets import drawer_cases, palette, shapes
from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Material,
    Mesh,
    Model,
    Part,
    Surface,
    join,
)

GLASS = Material((0.72, 0.84, 0.82), opacity=0.35, gloss=0.9)


def is_round(request: AssetRequest, share: int) -> bool:
    """Whether the top is round: as the detail says, else one in `share` of nearly square ones."""
    given = request.detail("round")
    if isinstance(given, float | int):
        return float(given) > 0.5
    w, d = request.size.x, request.size.z
    return abs(w - d) < 0.06 * max(w, d) and request.choose(range(share)) == share - 1


def disc(width: float, depth: float, low: float, high: float, edge: float = 0.008) -> Mesh:
    """A round or oval top with a softened edge. Texture coordinates are metres / 0.7."""
    e = min(edge, (high - low) * 0.49)
    least = min(width, depth) / 2
    profile = [
        (0.0, low),
        (least - e, low),
        (least, low + e),
        (least, high - e),
        (least - e, high),
        (0.0, high),
    ]
    mesh = shapes.lathe(profile, sides=36, crease=30.0)
    return mesh.scaled(width / 2 / least, 1.0, depth / 2 / least).mapped(width / 0.7, depth / 0.7)


def dining_table(request: AssetRequest) -> Model:
    """Kinds: four square legs with an apron, turned legs, steel legs under a white top; round
    ones stand on a column or on four legs. The structural ones that are only a board are a
    board."""
    w, h, d = request.size.tuple()
    if h < 0.25:
        return slab(request)
    if is_round(request, 2):
        return _round_table(request, column=request.choose((True, False), salt=5))
    kind = request.choose(("apron", "turned", "steel"))
    top = min(0.038, h * 0.1)
    wood = palette.wood(request.palette.wood)
    if kind == "steel":
        legs = fp.rods([((x, 0, z), (x, h - top, z), 0.016, 0.016) for x, z in fp.four(w, d, 0.06)])
        board = fp.blocks([(-w / 2, w / 2, h - top * 0.8, h, -d / 2, d / 2)], 0.006)
        rim = fp.boards(_apron(w, d, h - top * 0.8, high=0.06, inset=0.03, thick=0.02))
        white = palette.wood(request.choose(("white", "grey", request.palette.wood), salt=6))
        metal = palette.metal(request.palette.metal)
        return assembled(request, (board, white), (join([legs, rim]), metal))
    board = fp.blocks([(-w / 2, w / 2, h - top, h, -d / 2, d / 2)], 0.008)
    apron = fp.boards(_apron(w, d, h - top, high=0.09, inset=0.06, thick=0.022))
    legs = _square_legs(w, d, h - top) if kind == "apron" else _turned_legs(w, d, h - top)
    under = palette.wood("white") if request.choose((0, 1, 0), salt=7) else wood
    return assembled(request, (board, wood), (join([apron, legs]), under))


def assembled(
    request: AssetRequest,
    top: tuple[Mesh, Material],
    frame: tuple[Mesh, Material],
    *more: Part,
    round_top: bool = False,
) -> Model:
    """A table from its top, its legs or foot, and further parts; the whole top is usable."""
    w, h, d = request.size.tuple()
    return Model(
        (Part("top", *top), Part("frame", *frame), *more),
        (fp.top_surface(w, d, h, round_top=round_top),),
    )


def slab(request: AssetRequest) -> Model:
    """A board without legs, for tops that are part of the building."""
    w, h, d = request.size.tuple()
    mesh = fp.blocks([(-w / 2, w / 2, 0, h, -d / 2, d / 2)], 0.006)
    return Model(
        (Part("top", mesh, palette.wood(request.palette.wood)),), (fp.top_surface(w, d, h),)
    )


def _apron(
    w: float, d: float, top: float, *, high: float, inset: float, thick: float
) -> list[fp.Span]:
    """Four rails under a top."""
    x, z = w / 2 - inset, d / 2 - inset
    low = top - high
    return [
        (-x, x, low, top, z - thick, z),
        (-x, x, low, top, -z, -z + thick),
        (-x, -x + thick, low, top, -z + thick, z - thick),
        (x - thick, x, low, top, -z + thick, z - thick),
    ]


def _square_legs(w: float, d: float, high: float, thick: float = 0.065) -> Mesh:
    t = min(thick, min(w, d) * 0.12)
    return fp.blocks(
        [(x - t / 2, x + t / 2, 0, high, z - t / 2, z + t / 2) for x, z in fp.four(w, d, t * 0.95)],
        0.006,
    )


def _turned_legs(w: float, d: float, high: float) -> Mesh:
    """Lathe-turned legs with a bulge and a foot, a square block on top."""
    r = min(0.036, min(w, d) * 0.06)
    post = high - 0.10
    profile = [
        (0.0, 0.0),
        (r * 0.55, 0.0),
        (r * 0.75, 0.03),
        (r * 0.5, 0.06),
        (r * 0.6, 0.10),
        (r, post * 0.62),
        (r * 0.95, post * 0.80),
        (r * 0.55, post * 0.88),
        (r, post * 0.92),
        (r * 0.7, post),
        (0.0, post),
    ]
    leg = shapes.lathe(profile, sides=10, wrap=True, crease=60.0)
    places = fp.four(w, d, 0.06)
    heads = fp.blocks([(x - r, x + r, post, high, z - r, z + r) for x, z in places], 0.004)
    return join([fp.copies(leg, [(x, 0.0, z) for x, z in places]), heads])


def _round_table(request: AssetRequest, *, column: bool) -> Model:
    w, h, d = request.size.tuple()
    r, top = min(w, d) / 2, min(0.035, h * 0.08)
    board = disc(w, d, h - top, h)
    dark = request.choose((False, True), salt=8)
    wood = palette.wood("black ash" if dark else request.palette.wood)
    if column:
        base = r * 0.58
        profile = [
            (0.0, 0.0),
            (base, 0.0),
            (base, 0.02),
            (base * 0.45, 0.045),
            (0.055, 0.10),
            (0.04, 0.22),
            (0.05, h * 0.5),
            (0.04, h - top - 0.12),
            (0.10, h - top),
            (0.0, h - top),
        ]
        under = shapes.lathe(profile, sides=20, wrap=True, crease=50.0)
    else:
        spread = 0.66
        under = fp.rods(
            [
                (
                    (x * spread * w, 0, z * spread * d),
                    (x * 0.52 * w, h - top, z * 0.52 * d),
                    0.014,
                    0.026,
                )
                for x, z in ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
            ]
        )
        ring = shapes.lathe(
            [
                (r * 0.74, h - top - 0.05),
                (r * 0.78, h - top - 0.05),
                (r * 0.78, h - top),
                (r * 0.74, h - top),
                (r * 0.74, h - top - 0.05),
            ],
            sides=28,
            wrap=True,
        )
        under = join([under, ring])
    return assembled(request, (board, wood), (under, wood), round_top=True)


def coffee_table(request: AssetRequest) -> Model:
    """Kinds: wood with a lower shelf, glass on a metal frame, a thick block; round ones on
    splayed legs or a drum. Very low ones are a tray on feet."""
    w, h, d = request.size.tuple()
    holes = drawer_cases.openings(request, h)
    if holes:
        return with_drawers(request, holes)
    if h < 0.08:
        return slab(request)
    wood = palette.wood(request.palette.wood)
    if is_round(request, 2):
        return _round_coffee_table(request)
    kind = request.choose(("shelf", "glass", "block"))
    t = min(0.05, h * 0.14)
    if kind == "glass":
        metal = palette.metal(request.choose(("chrome", "black iron", "brass"), salt=2))
        r = min(0.016, h * 0.06)
        places = fp.four(w, d, 0.03)
        bars: list[fp.Rod] = [((x, 0, z), (x, h - 0.012, z), r, r) for x, z in places]
        for k in range(4):
            (ax, az), (bx, bz) = places[k], places[(k + 1) % 4]
            bars += [((ax, y, az), (bx, y, bz), r * 0.8, r * 0.8) for y in (h - 0.03, h * 0.22)]
        frame = fp.rods(bars, sides=10)
        board = fp.blocks([(-w / 2, w / 2, h - 0.012, h, -d / 2, d / 2)], 0.005)
        low = fp.boards(
            [(-w / 2 + 0.04, w / 2 - 0.04, h * 0.22, h * 0.22 + 0.015, -d / 2 + 0.04, d / 2 - 0.04)]
        )
        return Model(
            (
                Part("frame", frame, metal),
                Part("shelf", low, wood),
                Part("top", board, GLASS, casts_shadow=False),
            ),
            (fp.top_surface(w, d, h),),
        )
    board = fp.blocks([(-w / 2, w / 2, h - t, h, -d / 2, d / 2)], 0.01)
    if kind == "block":
        x, z = w / 2 - 0.03, d / 2 - 0.03
        ends = fp.boards([(s * x - 0.025, s * x + 0.025, 0, h - t, -z, z) for s in (-1, 1)])
        low = fp.boards([(-x + 0.025, x - 0.025, h * 0.30, h * 0.30 + 0.02, -z + 0.01, z - 0.01)])
        return assembled(request, (board, wood), (join([ends, low]), wood))
    legs = _square_legs(w, d, h - t, 0.055)
    x, z = w / 2 - 0.04, d / 2 - 0.04
    rails = fp.boards(
        [
            *_apron(w, d, h - t, high=min(0.06, h * 0.15), inset=0.05, thick=0.02),
            (-x, x, h * 0.2, h * 0.2 + 0.02, -z, z),
        ]
    )
    return assembled(request, (board, wood), (join([legs, rails]), wood))


def _round_coffee_table(request: AssetRequest) -> Model:
    w, h, d = request.size.tuple()
    wood = palette.wood(request.palette.wood)
    r, top = min(w, d) / 2, min(0.035, h * 0.15)
    board = disc(w, d, h - top, h)
    if request.choose((True, False), salt=4):
        legs: list[fp.Rod] = [
            ((x * 1.32 * w, 0, z * 1.32 * d), (x * 0.9 * w, h - top, z * 0.9 * d), 0.012, 0.022)
            for x, z in ((-0.25, -0.25), (0.25, -0.25), (0.25, 0.25), (-0.25, 0.25))
        ]
        return assembled(request, (board, wood), (fp.rods(legs), wood), round_top=True)
    drum = shapes.lathe([(0.0, 0.0), (r * 0.8, 0.0), (r * 0.86, h - top), (0.0, h - top)], sides=32)
    return assembled(request, (board, wood), (drum, palette.metal("black iron")), round_top=True)


def side_table(request: AssetRequest) -> Model:
    """Nightstands and end tables: with room for Drawer objects if the details name them, else a
    nightstand with dummy drawers, an open table with a shelf, a round one on a foot."""
    w, h, d = request.size.tuple()
    if h < 0.2:
        return slab(request)
    holes = drawer_cases.openings(request, h)
    if holes or request.detail("shelves"):
        return with_drawers(request, holes)
    if is_round(request, 2):
        slender = request.choose((True, False), salt=5)
        return _round_table(request, column=slender) if h > 0.4 else _round_coffee_table(request)
    wood = palette.wood(
        request.choose((request.palette.wood, "white", request.palette.wood), salt=9)
    )
    t = 0.028
    board = fp.blocks([(-w / 2, w / 2, h - t, h, -d / 2, d / 2)], 0.006)
    if request.choose(("stand", "open")) == "open" or h > 0.95:
        legs = _square_legs(w, d, h - t, 0.045)
        x, z = w / 2 - 0.03, d / 2 - 0.03
        rails = fp.boards(
            [
                *_apron(w, d, h - t, high=0.07, inset=0.035, thick=0.018),
                (-x, x, h * 0.24, h * 0.24 + 0.018, -z, z),
            ]
        )
        return assembled(request, (board, wood), (join([legs, rails]), wood))
    return _nightstand(request, wood, board, h - t)


def _nightstand(request: AssetRequest, wood: Material, board: Mesh, top: float) -> Model:
    """A small chest with two dummy drawers, on feet."""
    w, _, d = request.size.tuple()
    x, z, foot = w / 2 - 0.01, d / 2 - 0.028, min(0.09, top * 0.15)
    span = (-x, x, foot, top, -d / 2, z - 0.016)
    legs = fp.rods([((lx, 0, lz), (lx, foot, lz), 0.012, 0.02) for lx, lz in fp.four(w, d, 0.06)])
    areas = drawer_cases.grid(span, 1, 2 if top > 0.35 else 1, 0.012)
    metal = palette.metal(request.palette.metal)
    return assembled(
        request,
        (board, wood),
        (join([drawer_cases.hollow_block(span, ()), legs]), wood),
        Part("gaps", drawer_cases.gaps(areas, z - 0.016), drawer_cases.GAP),
        Part("fronts", drawer_cases.fronts(areas, z), wood),
        Part(
            "knobs", drawer_cases.knobs(areas, z, bar=request.choose((False, True), salt=2)), metal
        ),
    )


def with_drawers(request: AssetRequest, holes: tuple[drawer_cases.Opening, ...]) -> Model:
    """A table whose body leaves room for Drawer objects: bodies around them, legs elsewhere,
    boards at the heights of Shelf objects."""
    w, h, d = request.size.tuple()
    t = min([0.03, *(max(h - hole.y1, 0.004) for hole in holes)])
    wood = palette.wood(request.palette.wood)
    board = fp.blocks([(-w / 2, w / 2, h - t, h, -d / 2, d / 2)], 0.006)
    under, on_floor = _pedestals(request, holes, h - t)
    boards = [y for y in drawer_cases.shelves(request, 0.0, h - t) if not _in_drawer(y, holes)]
    x, z = w / 2 - 0.02, d / 2 - 0.012
    if boards:
        under.append(fp.boards([(-x, x, y - drawer_cases.BOARD, y, -z, z) for y in boards]))
    if not on_floor:
        under.append(_square_legs(w, d, h - t, 0.045))
    return assembled(request, (board, wood), (join(under), wood))


def _in_drawer(y: float, holes: tuple[drawer_cases.Opening, ...]) -> bool:
    return any(hole.y0 < y < hole.y1 for hole in holes)


def _pedestals(
    request: AssetRequest, holes: tuple[drawer_cases.Opening, ...], top: float
) -> tuple[list[Mesh], bool]:
    """A body around each group of openings, and whether these bodies carry the top."""
    w, _, d = request.size.tuple()
    front = d / 2 - 0.004
    meshes, carried = [], []
    for group in drawer_cases.clusters(holes):
        x0 = max(min(h.x0 for h in group) - 0.025, -w / 2 + 0.004)
        x1 = min(max(h.x1 for h in group) + 0.025, w / 2 - 0.004)
        low = min(h.y0 for h in group) - 0.025
        standing = low < 0.22
        bottom = 0.0 if standing else low
        meshes.append(
            drawer_cases.hollow_block((x0, x1, bottom, top, -d / 2 + 0.004, front), group)
        )
        carried.append((x0, x1) if standing else (0.0, 0.0))
    wide = math.fsum(x1 - x0 for x0, x1 in carried)
    reaches = any(x0 < -w * 0.25 for x0, _ in carried) and any(x1 > w * 0.25 for _, x1 in carried)
    return meshes, wide > 0.7 * w or reaches


# --- Desks. The seat is at +z. The details "drawers" and "shelves" are those of `drawer_cases`


def desk(request: AssetRequest) -> Model:
    """A writing desk: pedestals around Drawer objects where the details name them, else panel
    legs with a dummy drawer pedestal or metal legs; wide and deep ones are corner desks whose
    free corner is at the front, at -x."""
    w, h, d = request.size.tuple()
    if h < 0.25:
        return slab(request)
    holes = drawer_cases.openings(request, h)
    if min(w, d) > 1.15:
        return _corner_desk(request)
    if holes or request.detail("shelves"):
        return with_drawers(request, holes)
    wood = palette.wood(request.palette.wood)
    t = 0.03
    board = fp.blocks([(-w / 2, w / 2, h - t, h, -d / 2, d / 2)], 0.006)
    if request.choose(("pedestal", "metal")) == "metal":
        metal = palette.metal(request.choose(("black iron", "steel"), salt=2))
        under = fp.boards(_sled(w, d, h - t))
        return assembled(request, (board, wood), (under, metal))
    x, z = w / 2 - 0.03, d / 2 - 0.02
    inner = x - min(0.42, w * 0.34)
    span = (inner, x, 0.03, h - t, -z, z - 0.016)
    panels = fp.boards(
        [
            (-x, -x + 0.028, 0, h - t, -z, z),
            (-x + 0.028, inner, h - t - 0.35, h - t, -z, -z + 0.02),
            (inner + 0.02, x - 0.02, 0, 0.03, -z + 0.02, z - 0.05),
        ]
    )
    areas = drawer_cases.grid(span, 1, 3, 0.01)
    metal = palette.metal(request.palette.metal)
    return assembled(
        request,
        (board, wood),
        (join([panels, drawer_cases.hollow_block(span, ())]), wood),
        Part("gaps", drawer_cases.gaps(areas, z - 0.016), drawer_cases.GAP),
        Part("fronts", drawer_cases.fronts(areas, z), wood),
        Part("knobs", drawer_cases.knobs(areas, z - 0.004, bar=True), metal),
    )


def _sled(w: float, d: float, top: float) -> list[fp.Span]:
    """Two metal loops as legs, and a rail behind."""
    t, spans = 0.035, list[fp.Span]()
    for side in (-1, 1):
        x0, x1 = sorted((side * (w / 2 - 0.05), side * (w / 2 - 0.05 - t)))
        z = d / 2 - 0.03
        spans += [
            (x0, x1, t, top - t, -z, -z + t),
            (x0, x1, t, top - t, z - t, z),
            (x0, x1, 0, t, -z, z),
            (x0, x1, top - t, top, -z, z),
        ]
    x = w / 2 - 0.05 - t
    return [*spans, (-x, x, top - 0.12, top - 0.08, -d / 2 + 0.04, -d / 2 + 0.06)]


def _corner_desk(request: AssetRequest) -> Model:
    w, h, d = request.size.tuple()
    t = 0.032
    arm = min(0.68, min(w, d) * 0.52)
    wood = palette.wood(request.palette.wood)
    inner_x, inner_z = w / 2 - arm, -d / 2 + arm
    outline = [
        (-w / 2, -d / 2),
        (w / 2, -d / 2),
        (w / 2, d / 2),
        (inner_x, d / 2),
        (inner_x, inner_z + 0.12),
        (inner_x - 0.12, inner_z),
        (-w / 2, inner_z),
    ]
    board = shapes.prism(outline, t, at=(0, h - t, 0)).mapped(1 / 0.7, 1 / 0.7)
    e, top = 0.03, h - t
    under = fp.boards(
        [
            (-w / 2 + e, -w / 2 + 2 * e, 0, top, -d / 2 + e, inner_z - e),
            (inner_x + e, w / 2 - e, 0, top, d / 2 - 2 * e, d / 2 - e),
            (-w / 2 + 2 * e, w / 2 - e, top - 0.4, top, -d / 2 + e, -d / 2 + 1.6 * e),
            (w / 2 - 1.6 * e, w / 2 - e, top - 0.4, top, -d / 2 + 1.6 * e, d / 2 - 2 * e),
            (w / 2 - 0.09, w / 2 - e, 0, top - 0.4, -d / 2 + e, -d / 2 + 0.09),
        ]
    )
    m = 0.01
    surfaces = (
        Surface((-w / 2 + m, -d / 2 + m), (w / 2 - m, inner_z - m), h),
        Surface((inner_x + m, inner_z + m), (w / 2 - m, d / 2 - m), h),
    )
    return Model((Part("top", board, wood), Part("frame", under, wood)), surfaces)


BUILDERS: dict[str, Builder] = {
    "CoffeeTable": coffee_table,
    "DiningTable": dining_table,
    "SideTable": side_table,
    "Desk": desk,
}
