"""Bodies with room for drawers: the wood of chests, stands, desks, side tables.

Two details of a request give the separate objects in the body:

- "drawers": ((x0, y0, x1, y1), ...), openings in the front for Drawer or Cabinet objects. The body
  is hollow behind each, to its back panel.
- "shelves": ((y,), ...), heights of the tops of boards under Shelf objects.
"""

from dataclasses import dataclass
from itertools import pairwise

from env_service.worlds.household.assets import furniture_parts as fp
from env_service.worlds.household.assets.model import AssetRequest, Material, Mesh, join

BOARD = 0.018
"""Thickness of a shelf, a back panel, metres."""

EDGE = 0.012
"""The least wood around an opening, metres."""


@dataclass(frozen=True)
class Opening:
    """A hollow in a front: its limits in the plane of the front, metres."""

    x0: float
    y0: float
    x1: float
    y1: float


def openings(request: AssetRequest, top: float) -> tuple[Opening, ...]:
    """The detail "drawers", cut to the body below `top`; what would be empty is left out."""
    half = request.size.x / 2 - EDGE
    found = []
    for row in _rows(request, "drawers"):
        x0, x1 = sorted((row[0], row[2]))
        y0, y1 = sorted((row[1], row[3]))
        hole = Opening(max(x0, -half), max(y0, EDGE), min(x1, half), min(y1, top - 0.002))
        if hole.x1 - hole.x0 > 0.03 and hole.y1 - hole.y0 > 0.02:
            found.append(hole)
    return tuple(found)


def shelves(request: AssetRequest, low: float, high: float) -> tuple[float, ...]:
    """The detail "shelves": heights of board tops between two heights, rising."""
    heights = sorted(row[0] for row in _rows(request, "shelves"))
    return tuple(y for y in heights if low + BOARD < y < high - 0.02)


def _rows(request: AssetRequest, key: str) -> tuple[tuple[float, ...], ...]:
    given = request.detail(key)
    return given if isinstance(given, tuple) else ()


def hollow_block(span: fp.Span, holes: tuple[Opening, ...]) -> Mesh:
    """A solid block with openings in its front, hollow to a back panel. Openings may reach its
    limits but not leave them."""
    x0, x1, y0, y1, z0, z1 = span
    back = z0 + min(BOARD, (z1 - z0) / 8)
    pieces: list[fp.Span] = [(x0, x1, y0, y1, z0, back)]
    columns = sorted({x0, x1, *(_cut(x, x0, x1) for h in holes for x in (h.x0, h.x1))})
    levels = sorted({y0, y1, *(_cut(y, y0, y1) for h in holes for y in (h.y0, h.y1))})
    for low, high in pairwise(levels):
        start: float | None = None
        for left, right in pairwise(columns):
            empty = any(_covers(h, (left + right) / 2, (low + high) / 2) for h in holes)
            if not empty and start is None:
                start = left
            if empty and start is not None:
                pieces.append((start, left, low, high, back, z1))
                start = None
        if start is not None:
            pieces.append((start, columns[-1], low, high, back, z1))
    return fp.boards(pieces, scatter=False)


def _cut(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


def _covers(hole: Opening, x: float, y: float) -> bool:
    return hole.x0 <= x <= hole.x1 and hole.y0 <= y <= hole.y1


def clusters(holes: tuple[Opening, ...], gap: float = 0.09) -> tuple[tuple[Opening, ...], ...]:
    """Openings that belong to one body: those over each other, and neighbouring columns closer
    than `gap` whose lowest openings start at about the same height."""
    columns: list[list[Opening]] = []
    for hole in sorted(holes, key=lambda h: (h.x0, h.y0)):
        if columns and hole.x0 < max(h.x1 for h in columns[-1]) - 0.01:
            columns[-1].append(hole)
        else:
            columns.append([hole])
    groups: list[list[Opening]] = []
    for column in columns:
        last = groups[-1] if groups else []
        near = bool(last) and column[0].x0 - max(h.x1 for h in last) < gap
        if near and abs(min(h.y0 for h in last) - min(h.y0 for h in column)) < 0.12:
            last.extend(column)
        else:
            groups.append(column)
    return tuple(tuple(group) for group in groups)


def grid(span: fp.Span, columns: int, rows: int, gap: float) -> tuple[Opening, ...]:
    """The fronts of a chest: equal rectangles over the front of a body with gaps around."""
    x0, x1, y0, y1, _, _ = span
    wide, high = (x1 - x0 - gap) / columns, (y1 - y0 - gap) / rows
    return tuple(
        Opening(x0 + gap + c * wide, y0 + gap + r * high, x0 + (c + 1) * wide, y0 + (r + 1) * high)
        for r in range(rows)
        for c in range(columns)
    )


def fronts(areas: tuple[Opening, ...], z: float, thick: float = 0.016) -> Mesh:
    """Closed drawer or door fronts laid on a body whose front lies at z - thick."""
    spans = [(a.x0, a.x1, a.y0, a.y1, z - thick, z) for a in areas]
    return fp.blocks(spans, 0.004) if len(spans) <= 6 else fp.boards(spans)


GAP = Material((0.10, 0.08, 0.07), gloss=0.0)
"""The dark of the gaps between fronts."""


def gaps(areas: tuple[Opening, ...], z: float) -> Mesh:
    """A dark sheet behind closed fronts, 2 mm in front of the body's front at z, seen between
    them; draw it with `GAP`."""
    e = 0.002
    x0, x1 = min(a.x0 for a in areas) + e, max(a.x1 for a in areas) - e
    y0, y1 = min(a.y0 for a in areas) + e, max(a.y1 for a in areas) - e
    return fp.boards([(x0, x1, y0, y1, z - 0.001, z + 0.002)])


def knobs(areas: tuple[Opening, ...], z: float, *, bar: bool) -> Mesh:
    """One handle for each front: a bar or a round knob, standing 22 mm in front of z."""
    out = 0.022
    if bar:
        grips: list[fp.Span] = []
        studs: list[fp.Span] = []
        for a in areas:
            x, y, half = (a.x0 + a.x1) / 2, (a.y0 + a.y1) / 2, min(0.09, (a.x1 - a.x0) / 4)
            grips.append((x - half, x + half, y - 0.007, y + 0.007, z + 0.010, z + out))
            studs += [
                (x + s - 0.005, x + s + 0.005, y - 0.004, y + 0.004, z - 0.001, z + 0.012)
                for s in (-half * 0.8, half * 0.8)
            ]
        bars = fp.blocks(grips, 0.004) if len(grips) <= 6 else fp.boards(grips)
        return join([bars, fp.boards(studs)])
    rods: list[fp.Rod] = []
    for a in areas:
        y = (a.y0 + a.y1) / 2
        wide = a.x1 - a.x0
        spots = ((a.x0 + a.x1) / 2,) if wide < 0.55 else (a.x0 + wide * 0.22, a.x1 - wide * 0.22)
        for x in spots:
            rods.append(((x, y, z - 0.001), (x, y, z + 0.01), 0.006, 0.006))
            rods.append(((x, y, z + 0.01), (x, y, z + out), 0.014, 0.011))
    return fp.rods(rods, sides=10)


def bay(span: fp.Span, boards: tuple[float, ...]) -> Mesh:
    """An open case: sides, floor, top, back and boards at these heights."""
    x0, x1, y0, y1, z0, z1 = span
    inner = (x0 + BOARD, x1 - BOARD)
    pieces: list[fp.Span] = [
        (x0, x0 + BOARD, y0, y1, z0, z1),
        (x1 - BOARD, x1, y0, y1, z0, z1),
        (*inner, y0, y0 + BOARD, z0, z1),
        (*inner, y1 - BOARD, y1, z0, z1),
        (*inner, y0 + BOARD, y1 - BOARD, z0, z0 + BOARD / 2),
    ]
    pieces += [(*inner, y - BOARD, y, z0 + BOARD / 2, z1 - 0.004) for y in boards]
    return fp.boards(pieces, scatter=False)


def body(span: fp.Span, holes: tuple[Opening, ...], boards: tuple[float, ...]) -> Mesh:
    """A body with drawer openings and open shelves: bands that hold openings are solid around
    them, the rest is an open case with boards."""
    if not boards:
        return hollow_block(span, holes)
    x0, x1, y0, y1, z0, z1 = span
    bands: list[tuple[float, float, tuple[Opening, ...]]] = []
    for hole in sorted(holes, key=lambda h: h.y0):
        low, high = max(y0, hole.y0 - BOARD), min(y1, hole.y1 + BOARD)
        if bands and low <= bands[-1][1]:
            last = bands.pop()
            bands.append((last[0], max(high, last[1]), (*last[2], hole)))
        else:
            bands.append((low, high, (hole,)))
    meshes, bottom = [], y0
    for low, high, inside in [*bands, (y1, y1, ())]:
        if low - bottom > 0.06:
            within = tuple(y for y in boards if bottom + 2 * BOARD < y < low - 0.03)
            meshes.append(bay((x0, x1, bottom, low, z0, z1), within))
        elif low > bottom:
            meshes.append(fp.boards([(x0, x1, bottom, low, z0, z1)], scatter=False))
        if inside:
            meshes.append(hollow_block((x0, x1, low, high, z0, z1), inside))
        bottom = high
    return join(meshes)
