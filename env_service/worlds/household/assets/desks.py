"""Desks. One sits at +z. The details "drawers" and "shelves" are those of `carcass`."""

from __future__ import annotations

from env_service.worlds.household.assets import carcass, palette, shapes
from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.mesh import join
from env_service.worlds.household.assets.model import (
    AssetRequest,
    Builder,
    Model,
    Part,
    Surface,
)
from env_service.worlds.household.assets.tables import assembled, slab, with_drawers


def desk(request: AssetRequest) -> Model:
    """A writing desk: pedestals around Drawer objects where the details name them, else panel
    legs with a dummy drawer pedestal or metal legs; wide and deep ones are corner desks whose
    free corner is at the front, at -x."""
    w, h, d = request.size.tuple()
    if h < 0.25:
        return slab(request)
    holes = carcass.openings(request, h)
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
    areas = carcass.grid(span, 1, 3, 0.01)
    metal = palette.metal(request.palette.metal)
    return assembled(
        request,
        (board, wood),
        (join([panels, carcass.hollow_block(span, ())]), wood),
        Part("gaps", carcass.gaps(areas, z - 0.016), carcass.GAP),
        Part("fronts", carcass.fronts(areas, z), wood),
        Part("knobs", carcass.knobs(areas, z - 0.004, bar=True), metal),
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


BUILDERS: dict[str, Builder] = {"Desk": desk}
