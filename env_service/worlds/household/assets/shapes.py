"""The shapes that assets are built of: boxes, lathes, tubes, spheres, prisms, sheets, and many
blocks as one mesh.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Mesh, join

Point2 = tuple[float, float]
Point3 = tuple[float, float, float]
Array = NDArray[np.float64]


def box(
    width: float, height: float, depth: float, *, at: Point3 = (0, 0, 0), tile: float | None = None
) -> Mesh:
    """A box with sharp edges; `at` is the centre of its bottom face."""
    half = np.array([width, height, depth]) / 2
    points: list[Array] = []
    normals: list[Array] = []
    uv: list[Point2] = []
    faces: list[list[int]] = []
    for axis in range(3):
        u, v = ((2, 1), (0, 2), (0, 1))[axis]
        for side in (-1.0, 1.0):
            first = len(points)
            for pu, pv in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner = np.zeros(3)
                corner[axis], corner[u], corner[v] = side, pu, pv
                points.append(corner * half)
                normals.append(side * np.eye(3)[axis])
                scale = (2 * half[u] / tile, 2 * half[v] / tile) if tile else (1.0, 1.0)
                across = -pu if _mirrored(axis, side) else pu
                uv.append(((across + 1) / 2 * scale[0], (pv + 1) / 2 * scale[1]))
            ring = [first, first + 1, first + 2, first + 3]
            outward = (side > 0) == (axis == 2)
            ring = ring if outward else ring[::-1]
            faces += [[ring[0], ring[1], ring[2]], [ring[0], ring[2], ring[3]]]
    mesh = Mesh.of(np.array(points), np.array(normals), np.array(uv), np.array(faces))
    return mesh.moved(at[0], at[1] + half[1], at[2])


def rounded_box(
    width: float,
    height: float,
    depth: float,
    radius: float,
    *,
    at: Point3 = (0, 0, 0),
    steps: int = 2,
    tile: float | None = None,
) -> Mesh:
    """A box with all edges rounded; `at` is the centre of its bottom face. The radius is cut to
    half of the least extent."""
    half = np.array([width, height, depth]) / 2
    r = min(radius, float(half.min()) * 0.999)
    core = half - r
    grid = np.linspace(-1.0, 1.0, 2 * steps + 2)
    angle = np.clip((np.abs(grid) * (2 * steps + 1) - 1) / (2 * steps), 0, 1) * np.sign(grid)
    slope = np.tan(angle * math.pi / 4)
    parts = []
    for axis in range(3):
        u, v = ((2, 1), (0, 2), (0, 1))[axis]
        for side in (-1.0, 1.0):
            su, sv = (a.ravel() for a in np.meshgrid(slope, slope, indexing="ij"))
            direction = np.zeros((len(su), 3))
            direction[:, axis], direction[:, u], direction[:, v] = side, su, sv
            direction /= np.sqrt((direction * direction).sum(1, keepdims=True))
            sign_u, sign_v = (np.sign(a.ravel()) for a in np.meshgrid(grid, grid, indexing="ij"))
            center = np.zeros_like(direction)
            center[:, axis] = side * core[axis]
            center[:, u], center[:, v] = sign_u * core[u], sign_v * core[v]
            points = center + r * direction
            across = -points[:, u] if _mirrored(axis, side) else points[:, u]
            uv = np.stack([across, points[:, v]], 1)
            uv = uv / tile if tile else uv / (2 * half[[u, v]]) + 0.5
            outward = (side > 0) == (axis == 2)
            parts.append(
                Mesh.of(points, direction, uv, _grid_faces(len(grid), len(grid), forward=outward))
            )
    return join(parts).moved(at[0], at[1] + half[1], at[2])


def _mirrored(axis: int, side: float) -> bool:
    """Whether a face's u has to run against its axis, for a picture on it to read correctly."""
    return (axis == 2 and side > 0) or (axis == 0 and side < 0)


def _grid_faces(rows: int, columns: int, *, forward: bool = True) -> NDArray[np.int64]:
    """Two triangles per cell of a grid of corners numbered row by row."""
    i, j = (a.ravel() for a in np.meshgrid(range(rows - 1), range(columns - 1), indexing="ij"))
    a = i * columns + j
    b, c, d = a + columns, a + columns + 1, a + 1
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return faces if forward else faces[:, ::-1]


def lathe(
    profile: Sequence[Point2],
    *,
    sides: int = 24,
    at: Point3 = (0, 0, 0),
    crease: float = 40.0,
    wrap: bool = False,
) -> Mesh:
    """A profile of (radius, height) points turned about the vertical.

    The profile runs so that the outside lies to its right: upwards for an outer wall, from the
    rim downwards for the inside of a vessel. Bends of more than `crease` degrees stay sharp.
    Texture coordinates: seen from above, the circle of the greatest radius in the unit square;
    with `wrap`, once around and once from the profile's start to its end (labels).
    """
    line = np.array(profile, np.float64)
    step = np.diff(line, axis=0)
    length = np.sqrt((step * step).sum(1))
    keep = length > 1e-9
    line = np.concatenate([line[:-1][keep], line[-1:]])
    step, length = step[keep], length[keep]
    slope = np.stack([step[:, 1], -step[:, 0]], 1) / length[:, None]
    smooth = (slope[:-1] * slope[1:]).sum(1) > math.cos(math.radians(crease))
    before, after = slope.copy(), slope.copy()
    mean = slope[:-1] + slope[1:]
    before[1:][smooth], after[:-1][smooth] = mean[smooth], mean[smooth]
    turn = np.linspace(0.0, 2 * math.pi, sides + 1)
    cosine, sine = np.cos(turn), np.sin(turn)
    along = np.concatenate([[0.0], np.cumsum(length)]) / length.sum()
    widest = max(float(line[:, 0].max()), 1e-9)
    pairs = np.stack([line[:-1], line[1:]], 1)  # [segment, lower and upper ring, (radius, height)]
    tilt = np.stack([before, after], 1)
    points, normals = _turned(pairs, cosine, sine), _turned(tilt, cosine, sine)
    if wrap:
        around = np.tile(np.linspace(0, 1, sides + 1), 2 * len(step))
        uv = np.stack([around, np.repeat(np.stack([along[:-1], along[1:]], 1), sides + 1)], 1)
    else:
        uv = points[:, [0, 2]] / (2 * widest) + 0.5
    starts = np.arange(len(step)) * 2 * (sides + 1)
    faces = (_grid_faces(2, sides + 1) + starts[:, None, None]).reshape(-1, 3)
    on_axis = np.repeat(pairs[:, :, 0] < 1e-9, sides + 1)
    return Mesh.of(points, normals, uv, faces[on_axis[faces].sum(1) < 2]).moved(*at)


def _turned(pairs: Array, cosine: Array, sine: Array) -> Array:
    """Pairs of (radius, height), [segments, 2, 2], as rings of corners, [corners, 3]."""
    radius, height = pairs[:, :, :1], pairs[:, :, 1:]
    rings = [radius * cosine, np.broadcast_to(height, radius.shape[:2] + cosine.shape)]
    return np.stack([*rings, radius * sine], 3).reshape(-1, 3)


def tube(
    path: Sequence[Point3], radius: float | Sequence[float], *, sides: int = 8, closed: bool = False
) -> Mesh:
    """A round bar along a path, with caps unless it closes on itself."""
    line = np.array(path, np.float64)
    count = len(line)
    radii = np.broadcast_to(np.array(radius, np.float64), (count,))
    ahead = np.roll(line, -1, 0) if closed else np.concatenate([line[1:], line[-1:]])
    behind = np.roll(line, 1, 0) if closed else np.concatenate([line[:1], line[:-1]])
    tangent = ahead - behind
    tangent /= np.sqrt((tangent * tangent).sum(1, keepdims=True))
    frames = _frames(tangent)
    turn = np.linspace(0.0, 2 * math.pi, sides + 1)
    around = (
        np.cos(turn)[None, :, None] * frames[:, None, 0]
        + np.sin(turn)[None, :, None] * (frames[:, None, 1])
    )
    points = (line[:, None] + radii[:, None, None] * around).reshape(-1, 3)
    uv = np.stack(
        [np.tile(turn / (2 * math.pi), count), np.repeat(np.linspace(0, 1, count), sides + 1)], 1
    )
    rows = _grid_faces(count, sides + 1)
    if closed:
        last, ring = (count - 1) * (sides + 1), np.arange(sides)
        rows = np.concatenate(
            [
                rows,
                np.stack([last + ring, ring, ring + 1], 1),
                np.stack([last + ring, ring + 1, last + ring + 1], 1),
            ]
        )
    # the rings run counter-clockwise about the path, so the grid's own sense faces the axis
    body = Mesh.of(points, around.reshape(-1, 3), uv, rows[:, ::-1])
    if closed:
        return body
    ends = [
        _cap(line[end], radii[end], frames[end], side, sides) for end, side in ((0, -1), (-1, 1))
    ]
    return join([body, *ends])


def _frames(tangent: Array) -> Array:
    """Two axes across each tangent, [N, 2, 3], turning as little as they can along the path."""
    start = tangent[0]
    help_axis = np.eye(3)[int(np.argmin(np.round(np.abs(start), 6)))]  # ties: the first of them
    across = np.cross(start, help_axis)
    frames = []
    for direction in tangent:
        across = across - direction * (across * direction).sum()
        across = across / math.sqrt(float((across * across).sum()))
        frames.append((across, np.cross(direction, across)))
    return np.array(frames)


def _cap(center: Array, radius: float, frame: Array, side: int, sides: int) -> Mesh:
    """A disc over an end of a tube."""
    turn = np.linspace(0.0, 2 * math.pi, sides, endpoint=False)
    rim = center + radius * (np.cos(turn)[:, None] * frame[0] + np.sin(turn)[:, None] * frame[1])
    normal = np.cross(frame[0], frame[1]) * side
    faces = np.array([[0, i, i + 1] for i in range(1, sides - 1)])
    return Mesh.of(
        rim,
        np.tile(normal, (sides, 1)),
        np.stack([np.cos(turn), np.sin(turn)], 1) / 2 + 0.5,
        faces if side > 0 else faces[:, ::-1],
    )


def ball(
    rx: float, ry: float, rz: float, *, sides: int = 20, rings: int = 12, at: Point3 = (0, 0, 0)
) -> Mesh:
    """An ellipsoid; `at` is its centre. Texture coordinates wrap once around."""
    return _unit_ball(sides, rings).scaled(rx, ry, rz).moved(*at)


@lru_cache(maxsize=64)
def _unit_ball(sides: int, rings: int) -> Mesh:
    angles = np.linspace(-math.pi / 2, math.pi / 2, rings + 1)
    profile = [(max(math.cos(a), 0.0), math.sin(a)) for a in angles]
    profile[0], profile[-1] = (0.0, -1.0), (0.0, 1.0)
    unit = lathe(profile, sides=sides, crease=180.0, wrap=True)
    return Mesh.of(unit.points, unit.points, unit.uv, unit.faces)


def bumpy(mesh: Mesh, amount: float, generator: np.random.Generator, waves: float = 4.0) -> Mesh:
    """A closed mesh swollen and dented by smooth waves of `amount` times its size (fruit, bread,
    stone). `waves` is about how many swellings go across it."""
    low, high = mesh.bounds
    scale = (high - low).astype(np.float64).max() / 2
    unit = mesh.points.astype(np.float64) / scale
    total = np.zeros(len(unit))
    for _ in range(12):
        d, phase = generator.normal(size=3) * waves / 2, generator.uniform(0, 2 * math.pi)
        total += np.sin(unit[:, 0] * d[0] + unit[:, 1] * d[1] + unit[:, 2] * d[2] + phase)
    points = unit * (1 + amount * total / 4)[:, None] * scale
    return smoothed(Mesh.of(points, mesh.normals, mesh.uv, mesh.faces))


def smoothed(mesh: Mesh) -> Mesh:
    """The mesh with normals from its faces, averaged where corners coincide."""
    p, f = mesh.points.astype(np.float64), mesh.faces
    face = np.cross(p[f[:, 1]] - p[f[:, 0]], p[f[:, 2]] - p[f[:, 0]])
    _, same = np.unique(np.round(p, 6), axis=0, return_inverse=True)
    same = same.reshape(-1)
    corner, weight = same[f.ravel(order="F")], np.tile(face, (3, 1))
    sums = [np.bincount(corner, weight[:, axis]) for axis in range(3)]
    total = np.stack(sums, 1).astype(np.float64)
    return Mesh.of(p, total[same], mesh.uv, f)


def flat_shaded(mesh: Mesh) -> Mesh:
    """The mesh with a separate normal for every triangle (cut stone, torn paper)."""
    p = mesh.points[mesh.faces.ravel()].astype(np.float64)
    triangles = p.reshape(-1, 3, 3)
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    return Mesh.of(
        p, np.repeat(normal, 3, 0), mesh.uv[mesh.faces.ravel()], np.arange(len(p)).reshape(-1, 3)
    )


def prism(outline: Sequence[Point2], height: float, *, at: Point3 = (0, 0, 0)) -> Mesh:
    """A polygon of (x, z) points, convex or not, raised to a height. Sides are flat; `at` shifts
    the result. Texture coordinates of top and bottom are metres."""
    ring = list(outline)
    if _area(ring) > 0:
        ring = ring[::-1]
    flat = np.array(ring, np.float64)
    faces = np.array(triangulate(ring))
    top = np.insert(flat, 1, height, axis=1)
    bottom = np.insert(flat, 1, 0.0, axis=1)
    up = np.tile([0.0, 1.0, 0.0], (len(ring), 1))
    sides = []
    for k, start in enumerate(flat):
        end = flat[(k + 1) % len(flat)]
        along = end - start
        length = math.hypot(*along)
        quad = np.array([[*start, 0], [*end, 0], [*end, height], [*start, height]])[:, [0, 2, 1]]
        normal = np.tile([-along[1], 0.0, along[0]], (4, 1))
        uv = np.array([[0, 0], [length, 0], [length, height], [0, height]])
        sides.append(Mesh.of(quad, normal, uv, np.array([[0, 1, 2], [0, 2, 3]])))
    whole = join(
        [Mesh.of(top, up, flat, faces), Mesh.of(bottom, -up, flat, faces[:, ::-1]), *sides]
    )
    return _outwards(whole).moved(*at)


def _outwards(mesh: Mesh) -> Mesh:
    """Faces turned so that each agrees with its corners' normals."""
    p, n, f = mesh.points.astype(np.float64), mesh.normals, mesh.faces.copy()
    face = np.cross(p[f[:, 1]] - p[f[:, 0]], p[f[:, 2]] - p[f[:, 0]])
    wrong = (face * n[f].sum(1)).sum(1) < 0
    f[wrong] = f[wrong][:, ::-1]
    return Mesh.of(p, n, mesh.uv, f)


def _area(ring: Sequence[Point2]) -> float:
    pairs = zip(ring, [*ring[1:], ring[0]], strict=True)
    return math.fsum(a[0] * b[1] - b[0] * a[1] for a, b in pairs) / 2


def triangulate(ring: Sequence[Point2]) -> list[tuple[int, int, int]]:
    """Triangles over a simple polygon, by cutting ears; corners keep their numbers."""
    left = list(range(len(ring)))
    if _area(ring) < 0:
        left.reverse()
    found: list[tuple[int, int, int]] = []
    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            if _turns(ring[a], ring[b], ring[c]) > 1e-12 and not any(
                _inside(ring[p], ring[a], ring[b], ring[c]) for p in left if p not in (a, b, c)
            ):
                found.append((a, b, c))
                del left[k]
                break
        else:
            break
    return [*found, (left[0], left[1], left[2])]


def _turns(a: Point2, b: Point2, c: Point2) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _inside(p: Point2, a: Point2, b: Point2, c: Point2) -> bool:
    return _turns(a, b, p) >= 0 and _turns(b, c, p) >= 0 and _turns(c, a, p) >= 0


def sheet(heights: Array, width: float, depth: float, *, at: Point3 = (0, 0, 0)) -> Mesh:
    """A height field [rows along z, columns along x] over a rectangle centred on `at`: cloth,
    liquid, bedding. It has one side, facing up; give it a two-sided material if it is thin."""
    rows, columns = heights.shape
    x, z = np.meshgrid(
        np.linspace(-width / 2, width / 2, columns), np.linspace(-depth / 2, depth / 2, rows)
    )
    points = np.stack([x.ravel(), heights.ravel(), z.ravel()], 1)
    uv = np.stack([x.ravel() / width + 0.5, z.ravel() / depth + 0.5], 1)
    up = np.tile([0.0, 1.0, 0.0], (len(points), 1))
    return smoothed(_outwards(Mesh.of(points, up, uv, _grid_faces(rows, columns)))).moved(*at)


def panel(
    width: float, height: float, *, at: Point3 = (0, 0, 0), tile: float | None = None
) -> Mesh:
    """An upright rectangle facing +z; `at` is the middle of its lower edge. A picture on it is
    seen the right way round."""
    x, u, v = width / 2, (width / tile if tile else 1.0), (height / tile if tile else 1.0)
    points = np.array([[-x, 0, 0], [x, 0, 0], [x, height, 0], [-x, height, 0]], np.float64)
    # seen from +z in a left-handed frame, -x is on the right
    uv = np.array([[u, 0], [0, 0], [0, v], [u, v]])
    normal = np.tile([0.0, 0.0, 1.0], (4, 1))
    return Mesh.of(points, normal, uv, np.array([[0, 1, 2], [0, 2, 3]])).moved(*at)


def volume(mesh: Mesh) -> float:
    """The volume enclosed, cubic metres; negative if the mesh is inside out."""
    p = mesh.points.astype(np.float64)[mesh.faces]
    return float((p[:, 0] * np.cross(p[:, 1], p[:, 2])).sum()) / 6


# --- Many axis-aligned blocks as one mesh: boards, frames, racks, open boxes

Span = tuple[float, float, float, float, float, float]


def blocks(
    spans: Sequence[Span],
    *,
    bevel: float = 0.0,
    tile: float | None = None,
    upright: bool = False,
) -> Mesh:
    """Closed blocks, one per span.

    With a bevel, metres, their edges are cut and shaded round; it is kept below half of a block's
    least extent. Texture coordinates run once over each face, or are metres divided by `tile`;
    `upright` makes u run along y, for wood with a vertical grain.

    Raises:
        ValueError: no span, or one whose high corner is not above its low one.
    """
    corners = np.array(spans, np.float64).reshape(-1, 2, 3)
    extent = corners[:, 1] - corners[:, 0]
    if not len(corners) or float(extent.min()) <= 0:
        raise ValueError(f"blocks need low corners below high ones: {list(spans)}")
    center, half = corners.mean(1), extent / 2
    cut = np.minimum(bevel, extent.min(1) * 0.45)[:, None]
    sign, axis, quads, joints = _TOPOLOGY
    ahead = np.arange(3) == axis[:, None]
    reach = half[:, None] - np.where(ahead[None], 0.0, cut[:, :, None])
    points = center[:, None] + sign[None] * reach
    normals = np.broadcast_to(np.where(ahead, sign, 0.0), points.shape)
    uv = _coordinates((points - center[:, None]) / (2 * half[:, None]) + 0.5, points, tile)
    uv = uv[:, :, ::-1] if upright else uv
    faces = np.concatenate([quads, joints]) if bevel > 0 else quads
    starts = np.arange(len(corners))[:, None, None] * len(sign)
    return Mesh.of(
        points.reshape(-1, 3), normals.reshape(-1, 3), uv.reshape(-1, 2), faces[None] + starts
    )


def hollow(span: Span, *, open_sides: str = "+y") -> Mesh:
    """The inner faces of a box, seen from inside, without those named: "+y", "+z-x"."""
    solid = blocks([span]).flipped()
    normal = solid.normals[solid.faces[:, 0]]
    keep = np.ones(len(solid.faces), bool)
    for k in range(0, len(open_sides), 2):
        side = -1.0 if open_sides[k] == "+" else 1.0
        keep &= normal[:, "xyz".index(open_sides[k + 1])] != side
    return Mesh.of(solid.points, solid.normals, solid.uv, solid.faces[keep])


def projected(mesh: Mesh, tile: float, *, upright: bool = False) -> Mesh:
    """The mesh with metres as texture coordinates, divided by `tile`, laid on from the side to
    which each corner's normal points most."""
    axis = np.abs(mesh.normals).argmax(1)
    p = mesh.points.astype(np.float64)
    across = np.where(axis == 0, p[:, 2], np.where(axis == 2, -p[:, 0], p[:, 0]))
    along = np.where(axis == 1, p[:, 2], p[:, 1])
    uv = np.stack([along, across] if upright else [across, along], 1) / tile
    return Mesh.of(mesh.points, mesh.normals, uv, mesh.faces)


def _coordinates(unit: Array, points: Array, tile: float | None) -> Array:
    """Texture coordinates from corners [K, 24, 3], in the unit box and in metres; who looks at a
    face sees u run to the right."""
    sign, axis, _, _ = _TOPOLOGY
    corner = np.arange(len(sign))
    across, along = np.array([2, 0, 0])[axis], np.array([1, 2, 1])[axis]
    mirrored = (axis == 2) == (sign[corner, axis] > 0)
    if tile:
        u, v = points[:, corner, across] / tile, points[:, corner, along] / tile
        return np.stack([np.where(mirrored, -u, u), v], 2)
    u, v = unit[:, corner, across], unit[:, corner, along]
    return np.stack([np.where(mirrored, 1 - u, u), v], 2)


def _topology() -> tuple[Array, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Signs and face axis of the 24 corners (8 per axis), triangles of the six faces, and
    triangles of the twelve edges and eight corners between them."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
    sign = np.concatenate([signs] * 3)
    axis = np.repeat(np.arange(3), 8)

    def corner(on: int, at: Array) -> int:
        return on * 8 + int(((at > 0) * np.array([4, 2, 1])).sum())

    quads, joints = [], []
    for on in range(3):
        u, v = [k for k in range(3) if k != on]
        for side in (-1, 1):
            ring = []
            for pu, pv in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                spot = np.zeros(3)
                spot[on], spot[u], spot[v] = side, pu, pv
                ring.append(corner(on, spot))
            quads += [ring[:3], [ring[0], ring[2], ring[3]]]
        for su in (-1, 1):
            for sv in (-1, 1):
                low, high = np.zeros(3), np.zeros(3)
                low[[u, v]] = high[[u, v]] = su, sv
                low[on], high[on] = -1, 1
                a, b = corner(u, low), corner(u, high)
                c, d = corner(v, high), corner(v, low)
                joints += [[a, b, c], [a, c, d]]
    joints += [[corner(on, spot) for on in range(3)] for spot in signs]
    return sign, axis, _outward(sign, quads, axis), _outward(sign, joints, axis)


def _outward(sign: Array, faces: list[list[int]], axis: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles turned so that they face away from the middle."""
    ahead = np.arange(3) == axis[:, None]
    points = sign * np.where(ahead, 1.0, 0.8)
    array = np.array(faces)
    p = points[array]
    inward = (np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0]) * p.sum(1)).sum(1) < 0
    array[inward] = array[inward][:, ::-1]
    return array


_TOPOLOGY = _topology()
