"""The pieces that furniture is made of: boards, blocks, rods, tubs, draped cloth, legs, cracks,
leathers.
"""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets import shapes
from env_service.worlds.household.assets.model import AssetRequest, Material, Mesh, Surface
from env_service.worlds.household.geometry import Vec3

Array = NDArray[np.float64]
Span = tuple[float, float, float, float, float, float]
"""A box by its limits: x from and to, y from and to, z from and to, metres."""

Point3 = tuple[float, float, float]
Rod = tuple[Point3, Point3, float, float]
"""A round bar: both ends, the radius at each."""


def boards(spans: Sequence[Span], *, tile: float = 0.7, scatter: bool = True) -> Mesh:
    """Boxes with sharp edges. Grain runs along the longest side of each; `tile` is metres per
    repeat; with `scatter` each piece shows another part of the texture."""
    return _boxes(spans, 0.0, 0, tile, scatter=scatter)


def blocks(
    spans: Sequence[Span],
    radius: float,
    *,
    steps: int = 1,
    tile: float = 0.7,
    scatter: bool = True,
) -> Mesh:
    """Boxes with rounded edges, otherwise like `boards`; the radius is cut to half of each box's
    least extent."""
    return _boxes(spans, radius, steps, tile, scatter=scatter)


def _boxes(spans: Sequence[Span], radius: float, steps: int, tile: float, *, scatter: bool) -> Mesh:
    sign, direction, axes, faces = _box_template(steps)
    limits = np.array(spans, np.float64).reshape(-1, 3, 2)
    center, half = limits.mean(2)[:, None], np.abs(limits[:, :, 1] - limits[:, :, 0])[:, None] / 2
    r = np.minimum(radius, half.min(2, keepdims=True) * 0.999)
    offset = sign[None] * (half - r) + (r * direction[None] if steps else 0.0)
    points = center + offset
    count, corners = points.shape[:2]
    longest = half.argmax(2)
    swap = longest == axes[None, :, 1]
    u_axis = np.where(swap, axes[None, :, 1], axes[None, :, 0])
    v_axis = np.where(swap, axes[None, :, 0], axes[None, :, 1])
    uv = np.stack(
        [np.take_along_axis(points, a[..., None], 2)[..., 0] for a in (u_axis, v_axis)], 2
    )
    uv = uv / tile
    if scatter:
        uv = uv + (np.arange(count) * 0.381966)[:, None, None]
    whole = (faces[None] + (np.arange(count) * corners)[:, None, None]).reshape(-1, 3)
    return Mesh.of(points.reshape(-1, 3), np.tile(direction, (count, 1)), uv.reshape(-1, 2), whole)


@lru_cache(maxsize=8)
def _box_template(steps: int) -> tuple[Array, Array, NDArray[np.int64], NDArray[np.int64]]:
    """Of a box: for each corner the octant of its centre, its direction and its face's (u, v)
    axes; and the triangles."""
    grid = np.linspace(-1.0, 1.0, 2 * steps + 2)
    angle = (
        np.clip((np.abs(grid) * (2 * steps + 1) - 1) / (2 * steps), 0, 1) * np.sign(grid)
        if steps
        else np.zeros(2)
    )
    slope = np.tan(angle * math.pi / 4)
    n = len(grid)
    signs: list[Array] = []
    directions: list[Array] = []
    axes: list[NDArray[np.int64]] = []
    faces: list[NDArray[np.int64]] = []
    i, j = (a.ravel() for a in np.meshgrid(range(n - 1), range(n - 1), indexing="ij"))
    a = i * n + j
    cells = np.concatenate([np.stack([a, a + n, a + n + 1], 1), np.stack([a, a + n + 1, a + 1], 1)])
    for axis in range(3):
        u, v = ((2, 1), (0, 2), (0, 1))[axis]
        for side in (-1.0, 1.0):
            su, sv = (s.ravel() for s in np.meshgrid(slope, slope, indexing="ij"))
            gu, gv = (np.sign(g.ravel()) for g in np.meshgrid(grid, grid, indexing="ij"))
            sign, direction = np.zeros((n * n, 3)), np.zeros((n * n, 3))
            sign[:, axis], sign[:, u], sign[:, v] = side, gu, gv
            direction[:, axis], direction[:, u], direction[:, v] = side, su, sv
            direction /= np.sqrt((direction * direction).sum(1, keepdims=True))
            outward = (side > 0) == (axis == 2)
            faces.append((cells if outward else cells[:, ::-1]) + len(faces) * n * n)
            signs.append(sign)
            directions.append(direction)
            axes.append(np.tile([u, v], (n * n, 1)))
    return (
        np.concatenate(signs),
        np.concatenate(directions),
        np.concatenate(axes),
        np.concatenate(faces),
    )


def rods(pieces: Sequence[Rod], *, sides: int = 8, tile: float = 0.4) -> Mesh:
    """Straight round bars with flat ends, tapering from the first radius to the second; grain
    runs along them."""
    ends = np.array([(p, q) for p, q, _, _ in pieces], np.float64)
    radii = np.array([(r, s) for _, _, r, s in pieces], np.float64)
    along = ends[:, 1] - ends[:, 0]
    length = np.sqrt((along * along).sum(1, keepdims=True))
    along = along / length
    helper = np.eye(3)[np.round(np.abs(along), 6).argmin(1)]
    first = np.cross(along, helper)
    first /= np.sqrt((first * first).sum(1, keepdims=True))
    second = np.cross(along, first)
    turn = np.linspace(0.0, 2 * math.pi, sides + 1)
    out = (
        np.cos(turn)[None, :, None] * first[:, None] + np.sin(turn)[None, :, None] * second[:, None]
    )
    rings = [ends[:, k, None] + radii[:, k, None, None] * out for k in (0, 1)]
    points = np.concatenate([*rings, *rings], 1)
    normals = np.concatenate(
        [
            out,
            out,
            np.broadcast_to(-along[:, None], out.shape),
            np.broadcast_to(along[:, None], out.shape),
        ],
        1,
    )
    around = np.broadcast_to(turn / (2 * math.pi) * 0.3, (len(ends), sides + 1))
    zero = np.zeros_like(around)
    v = np.concatenate([around] * 4, 1)
    u = np.concatenate([zero, zero + length / tile, zero, zero + length / tile], 1)
    k, n = np.arange(sides), sides + 1
    fan = np.arange(1, sides - 1)
    faces = np.concatenate(
        [
            np.stack([k, k + 1, n + k + 1], 1),
            np.stack([k, n + k + 1, n + k], 1),
            np.stack([fan * 0, fan + 1, fan], 1) + 2 * n,
            np.stack([fan * 0, fan, fan + 1], 1) + 3 * n,
        ]
    )
    whole = (faces[None] + (np.arange(len(ends)) * 4 * n)[:, None, None]).reshape(-1, 3)
    uv = np.stack([u, v], 2) + (np.arange(len(ends)) * 0.381966)[:, None, None]
    return Mesh.of(points.reshape(-1, 3), normals.reshape(-1, 3), uv.reshape(-1, 2), whole)


def copies(mesh: Mesh, places: Sequence[Point3]) -> Mesh:
    """The mesh once at every place."""
    shift = np.array(places, np.float64)
    count, corners = len(shift), len(mesh.points)
    return Mesh.of(
        (mesh.points[None] + shift[:, None]).reshape(-1, 3),
        np.tile(mesh.normals, (count, 1)),
        np.tile(mesh.uv, (count, 1)),
        (mesh.faces[None] + (np.arange(count) * corners)[:, None, None]).reshape(-1, 3),
    )


def tub(
    profile: Sequence[tuple[float, float]],
    width: float,
    depth: float,
    *,
    power: float = 2.0,
    sides: int = 28,
    wrap: bool = True,
) -> Mesh:
    """A lathe whose cross-section is a superellipse: power 2 is an ellipse, 6 nearly a rectangle.

    `profile` is (share of the half width, height in metres), with the sense of `shapes.lathe`.
    """
    least = min(width, depth) / 2
    turned = shapes.lathe([(r * least, y) for r, y in profile], sides=sides, wrap=wrap)
    p, n = turned.points.astype(np.float64), turned.normals.astype(np.float64)
    radius = np.sqrt(p[:, 0] ** 2 + p[:, 2] ** 2)
    safe = np.where(radius > 1e-9, radius, 1.0)
    on_axis = radius <= 1e-9
    c, s = np.where(on_axis, 1.0, p[:, 0] / safe), p[:, 2] / safe
    reach = (np.abs(c) ** power + np.abs(s) ** power) ** (-1 / power)
    points = np.stack([p[:, 0] * reach, p[:, 1], p[:, 2] * reach], 1)
    flat = np.stack(
        [
            np.sign(c) * np.abs(c * reach) ** (power - 1),
            np.sign(s) * np.abs(s * reach) ** (power - 1),
        ],
        1,
    )
    flat /= np.maximum(np.sqrt((flat * flat).sum(1, keepdims=True)), 1e-9)
    level = n[:, 0] * c + n[:, 2] * s
    normals = np.stack([flat[:, 0] * level, n[:, 1], flat[:, 1] * level], 1)
    normals[on_axis] = n[on_axis]
    mesh = Mesh.of(points, normals, turned.uv, turned.faces)
    return mesh.scaled(width / 2 / least, 1.0, depth / 2 / least)


def fitted(mesh: Mesh, size: Vec3) -> Mesh:
    """The mesh stretched so that it fills the whole asset box of that size."""
    low, high = (bound.astype(np.float64) for bound in mesh.bounds)
    factor = np.array(size.tuple()) / np.maximum(high - low, 1e-9)
    shift = -(low + high) / 2 * factor
    return mesh.scaled(*factor.tolist()).moved(shift[0], -low[1] * factor[1], shift[2])


def drape(
    x: Array, z: Array, heights: Array, skirt: float, *, tile: float = 0.5, hem: float = 0.0
) -> Mesh:
    """Cloth over a bed or table: a height field over a grid (heights [rows, len(x)]) whose edges
    hang down to the height `skirt`, leaning outwards by `hem` metres. `z` holds the rows' places,
    [rows], or [rows, len(x)] for rows that are not straight."""
    rows = z if z.ndim == 2 else np.repeat(z[:, None], len(x), 1)
    rows = np.concatenate([rows[:1] - hem, rows, rows[-1:] + hem])
    gz = np.concatenate([rows[:, :1], rows, rows[:, -1:]], 1)
    gx = np.broadcast_to(np.concatenate([[x[0] - hem], x, [x[-1] + hem]]), gz.shape)
    tall = np.full(gz.shape, skirt)
    tall[1:-1, 1:-1] = heights
    points = np.stack([gx.ravel(), tall.ravel(), gz.ravel()], 1)
    down = np.where(np.isclose(tall, skirt), np.abs(heights).max() - skirt, 0.0)
    uv = np.stack([(gx + np.sign(gx) * down).ravel(), (gz + np.sign(gz) * down).ravel()], 1) / tile
    count, columns = len(rows), len(x) + 2
    i, j = (a.ravel() for a in np.meshgrid(range(count - 1), range(columns - 1), indexing="ij"))
    a = i * columns + j
    up = np.concatenate(
        [
            np.stack([a, a + columns, a + columns + 1], 1),
            np.stack([a, a + columns + 1, a + 1], 1),
        ]
    )
    return shapes.smoothed(Mesh.of(points, np.tile([0.0, 1.0, 0.0], (len(points), 1)), uv, up))


def four(width: float, depth: float, inset: float) -> tuple[tuple[float, float], ...]:
    """(x, z) of four legs, the same distance from the sides of a rectangle."""
    x, z = width / 2 - inset, depth / 2 - inset
    return ((-x, -z), (x, -z), (x, z), (-x, z))


def surround(
    x: tuple[float, float], y: tuple[float, float], z: tuple[float, float], edge: float
) -> list[Span]:
    """The four rails of a picture or window frame, `edge` wide, between limits in x, y and z."""
    (x0, x1), (y0, y1) = x, y
    return [
        (x0, x1, y0, y0 + edge, *z),
        (x0, x1, y1 - edge, y1, *z),
        (x0, x0 + edge, y0 + edge, y1 - edge, *z),
        (x1 - edge, x1, y0 + edge, y1 - edge, *z),
    ]


def top_surface(
    width: float, depth: float, height: float, *, margin: float = 0.01, round_top: bool = False
) -> Surface:
    """A surface over a centred top of that size, a little within its edge."""
    x, z = width / 2 - margin, depth / 2 - margin
    return Surface((-x, -z), (x, z), height, round=round_top)


def level_of(request: AssetRequest, usual: float) -> float:
    """Height of the seat or mattress: the detail "level" (metres above the underside) if the scene
    gives it, else the usual one. A level in the lowest seventh of the box is ignored, as it comes
    from things under the seat. Never above the box."""
    given = request.detail("level")
    if isinstance(given, float | int) and given > request.size.y / 7:
        return min(float(given), request.size.y)
    return usual


@lru_cache(maxsize=64)
def cracks(width: float, height: float, seed: int, *, thick: float = 0.0035) -> Mesh:
    """Shattered glass as a decal in the plane z = 0 facing +z, over x in [-width/2, width/2], y in
    [0, height]: rays from a blow, jagged rings between them, some splinters."""
    generator = np.random.default_rng(seed)
    rays = 11
    hub = np.array([generator.uniform(-0.18, 0.18) * width, generator.uniform(0.4, 0.65) * height])
    angle = (np.arange(rays) + generator.uniform(-0.3, 0.3, rays)) * 2 * math.pi / rays
    along = np.stack([np.cos(angle), np.sin(angle)], 1)
    with np.errstate(divide="ignore"):
        wall_x = (np.where(along[:, 0] > 0, width / 2, -width / 2) - hub[0]) / along[:, 0]
        wall_y = (np.where(along[:, 1] > 0, height, 0.0) - hub[1]) / along[:, 1]
    reach = np.minimum(np.abs(wall_x), np.abs(wall_y)) * 0.97
    shares = np.array([0.0, 0.12, 0.3, 0.55, 1.0])
    wobble = generator.normal(0, 0.035, (rays, 5)) * (shares * (1 - shares) * 4)[None]
    radius = (
        reach[:, None] * shares[None] * (1 + generator.uniform(-0.2, 0.2, (rays, 5)) * (shares < 1))
    )
    bent = angle[:, None] + wobble
    knots = hub + radius[..., None] * np.stack([np.cos(bent), np.sin(bent)], 2)
    knots = np.clip(knots, [-width / 2, 0.0], [width / 2, height])
    starts = [knots[:, :-1].reshape(-1, 2)]
    ends = [knots[:, 1:].reshape(-1, 2)]
    following = np.roll(knots, -1, 0)
    for ring, kept in ((1, 1.0), (2, 0.85), (3, 0.6)):
        chosen = generator.random(rays) < kept
        starts.append(knots[chosen, ring])
        ends.append(following[chosen, ring])
    lines = _strips(np.concatenate(starts), np.concatenate(ends), thick)
    shards = np.stack([knots[::3, 1], knots[::3, 2], following[::3, 1]], 1).reshape(-1, 2)
    return _flat(np.concatenate([lines, shards]), len(lines) // 6)


def _strips(start: Array, end: Array, thick: float) -> Array:
    """Two triangles along each line, [6 N, 2]."""
    run = end - start
    run = run / np.maximum(np.sqrt((run * run).sum(1, keepdims=True)), 1e-9)
    side = np.stack([-run[:, 1], run[:, 0]], 1) * thick / 2
    a, b, c, d = start - side, start + side, end + side, end - side
    return np.stack([a, d, c, a, c, b], 1).reshape(-1, 2)


def _flat(corners: Array, lines: int) -> Mesh:
    """Triangles in the plane z = 0, turned to face +z."""
    triangles = corners.reshape(-1, 3, 2).copy()
    ab, ac = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    wrong = ab[:, 0] * ac[:, 1] - ab[:, 1] * ac[:, 0] < 0
    triangles[wrong] = triangles[wrong][:, ::-1]
    points = np.insert(triangles.reshape(-1, 2), 2, 0.0, axis=1)
    points[lines * 6 :, 2] -= 0.0002
    normal = np.tile([0.0, 0.0, 1.0], (len(points), 1))
    return Mesh.of(points, normal, points[:, :2], np.arange(len(points)).reshape(-1, 3))


@lru_cache(maxsize=64)
def smears(width: float, height: float, seed: int, count: int = 9) -> Mesh:
    """Ragged slanting streaks as a decal in the plane z = 0 facing +z, over the same rectangle as
    `cracks`: what wet hands leave on glass."""
    generator = np.random.default_rng(seed)
    least = min(width, height)
    turn = np.linspace(0, 2 * math.pi, 21)[:-1]
    fans = []
    for _ in range(count):
        long, wide = generator.uniform(0.12, 0.28) * least, generator.uniform(0.03, 0.07) * least
        a, b = generator.uniform(0, 2 * math.pi, 2)
        rough = 1 + 0.22 * np.sin(3 * turn + a) + 0.16 * np.sin(7 * turn + b)
        tilt = generator.uniform(0.3, 1.1)
        x, y = np.cos(turn) * long * rough, np.sin(turn) * wide * rough
        px, py = generator.uniform(-0.36, 0.36) * width, generator.uniform(0.15, 0.85) * height
        ring = np.stack(
            [
                px + x * math.cos(tilt) - y * math.sin(tilt),
                py + x * math.sin(tilt) + y * math.cos(tilt),
            ],
            1,
        )
        ring = np.clip(ring, [-width / 2, 0], [width / 2, height])
        middle = np.broadcast_to(ring.mean(0), ring.shape)
        fans.append(np.stack([middle, ring, np.roll(ring, -1, 0)], 1).reshape(-1, 2))
    return _flat(np.concatenate(fans), count * len(turn))


# --- The leathers of seats

LEATHER: dict[str, Material] = {
    "brown": Material((0.30, 0.17, 0.10), gloss=0.35),
    "black": Material((0.07, 0.07, 0.07), gloss=0.4),
    "tan": Material((0.55, 0.36, 0.20), gloss=0.3),
    "cream": Material((0.82, 0.77, 0.68), gloss=0.3),
}
