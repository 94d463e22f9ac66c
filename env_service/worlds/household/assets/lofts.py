"""Solids from rows of corners, and skins stretched over rings or along paths: for shapes that
lathes and boxes cannot make.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.assets.model import Mesh, join
from env_service.worlds.household.assets.shapes import Point2, Point3, volume
from env_service.worlds.household.geometry import Vec3

Array = NDArray[np.float64]


def loft(rings: Array, *, caps: bool = True) -> Mesh:
    """A closed skin over rings of corners, [rings, corners, 3]; each ring closes on itself.

    First and last ring get flat caps unless they are a single point or `caps` is False. Texture
    coordinates: u once around, v from the first ring to the last.
    """
    count, around = rings.shape[:2]
    ahead = np.roll(rings, -1, 1) - np.roll(rings, 1, 1)
    normals = cross(_steps(rings), ahead)
    for end, inner in ((0, 1), (-1, -2)):
        if _is_point(rings[end]):
            normals[end] = rings[end].mean(0) - rings[inner].mean(0)
            sample = (normals[inner] * (rings[inner] - rings[inner].mean(0))).sum()
            normals[end] *= 1.0 if sample > 0 else -1.0
    closed = np.concatenate([rings, rings[:, :1]], 1)
    normals = np.concatenate([normals, normals[:, :1]], 1)
    u, v = np.meshgrid(np.linspace(0, 1, around + 1), np.linspace(0, 1, count))
    faces = grid_faces(count, around + 1)
    skin = Mesh.of(_flat(closed), _flat(normals), np.stack([u.ravel(), v.ravel()], 1), faces)
    lids = [
        face(rings[end], rings[end].mean(0) - rings[inner].mean(0))
        for end, inner in ((0, 1), (-1, -2))
        if not _is_point(rings[end])
    ]
    if volume(join([skin, *lids])) < 0:
        skin = skin.flipped()
    return join([skin, *lids]) if caps and lids else skin


def face(ring: Array, towards: Array) -> Mesh:
    """A flat face inside a ring of corners, [corners, 3], looking in a direction, float64 [3].

    Texture coordinates keep directions, and put the rim on the circle around (0.5, 0.5) with
    radius 0.5: a picture's border follows the outline (a crust, a peel).
    """
    middle = ring.mean(0)
    spread = ring - middle
    normal = cross(spread, np.roll(spread, -1, 0)).sum(0)
    across = [axis for axis in range(3) if axis != int(np.argmax(np.abs(normal)))]
    flat = spread[:, across]
    reach = np.sqrt((flat * flat).sum(1, keepdims=True))
    uv = np.concatenate([[[0.5, 0.5]], flat / np.where(reach > 0, reach, 1.0) / 2 + 0.5])
    index = np.arange(len(ring))
    faces = np.stack([np.zeros_like(index), index + 1, np.roll(index, -1) + 1], 1)
    if (normal * towards).sum() < 0:
        faces, normal = faces[:, ::-1], -normal
    points = np.concatenate([middle[None], ring])
    return Mesh.of(points, np.tile(normal, (len(points), 1)), uv, faces)


def shell(outer: Array, inner: Array, *, wrap: bool = False) -> Mesh:
    """A thick sheet between two equal grids of corners, [rows, columns, 3], with flat edges.

    With `wrap` the last column joins the first (a cup's wall).
    """
    if wrap:
        outer, inner = (np.concatenate([grid, grid[:, :1]], 1) for grid in (outer, inner))
    rows, columns = outer.shape[:2]
    i, j = np.arange(rows), np.arange(columns)
    sides = [(np.full(columns, rows - 1), j), (np.zeros(columns, np.int64), j[::-1])]
    if not wrap:
        sides += [(i, np.zeros(rows, np.int64)), (i[::-1], np.full(rows, columns - 1))]
    edges = [_edge(outer[at], inner[at]) for at in sides if not _is_point(outer[at])]
    front, back = _sheet(outer, wrap=wrap), _sheet(inner, wrap=wrap).flipped()
    whole = join([front, back, *edges])
    return whole if volume(whole) > 0 else whole.flipped()


def grid_faces(rows: int, columns: int) -> NDArray[np.int64]:
    """Two triangles for each cell of a grid of corners that are numbered row by row."""
    i, j = (a.ravel() for a in np.meshgrid(range(rows - 1), range(columns - 1), indexing="ij"))
    a = i * columns + j
    b, c, d = a + columns, a + columns + 1, a + 1
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def _sheet(grid: Array, *, wrap: bool) -> Mesh:
    rows, columns = grid.shape[:2]
    along, across = _steps(grid), _steps(grid.swapaxes(0, 1)).swapaxes(0, 1)
    if wrap:
        across[:, 0] = across[:, -1] = grid[:, 1] - grid[:, -2]
    normals = cross(along, across)
    for end, inner in ((0, 1), (-1, -2)):
        if _is_point(grid[end]):
            normals[end] = normals[inner].mean(0)
    u, v = np.meshgrid(np.linspace(0, 1, columns), np.linspace(0, 1, rows))
    uv = np.stack([u.ravel(), v.ravel()], 1)
    return Mesh.of(_flat(grid), _flat(normals), uv, grid_faces(rows, columns))


def _edge(outer: Array, inner: Array) -> Mesh:
    """The strip between two lines of corners; it looks away from a grid that runs along it."""
    quads = np.stack([outer[1:], outer[:-1], inner[:-1], inner[1:]], 1)
    # across the quad's diagonals, which are longer than its sides
    normals = cross(quads[:, 2] - quads[:, 0], quads[:, 3] - quads[:, 1])
    corner = np.arange(len(quads))[:, None] * 4
    faces = np.concatenate([corner + np.array([0, 1, 2]), corner + np.array([0, 2, 3])])
    points = quads.reshape(-1, 3)
    return Mesh.of(points, np.repeat(normals, 4, 0), np.zeros((len(points), 2)), faces)


def cross(a: Array, b: Array) -> Array:
    """Cross products of vectors [..., 3]; numpy's own is slow for small arrays."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], -1)


def _steps(grid: Array) -> Array:
    """From each row's predecessor to its successor, [rows, ...]; one-sided at the ends."""
    padded = np.concatenate([grid[:1], grid, grid[-1:]])
    return np.asarray(padded[2:] - padded[:-2], np.float64)


def _flat(grid: Array) -> Array:
    return grid.reshape(-1, 3)


def _is_point(ring: Array) -> bool:
    return float(np.ptp(ring, axis=0).max()) < 1e-6


@dataclass(frozen=True)
class Stance:
    """The orientation of a thing in its box, drawn in the standard pose.

    Attributes:
        size: of the box.
        axes: the box's axes (0 to 2) of the thing's width, thickness and length.
    """

    size: Vec3
    axes: tuple[int, int, int]

    @staticmethod
    def of(size: Vec3) -> Stance:
        """The stance of a long thing: its length along the box's longest side, its thickness
        along the shortest; where sides are equal, the standard pose is kept."""
        extent = size.tuple()
        longest = max((2, 0, 1), key=lambda axis: extent[axis])
        rest = [axis for axis in (1, 0, 2) if axis != longest]
        shortest = min(rest, key=lambda axis: extent[axis])
        return Stance(size, (3 - longest - shortest, shortest, longest))

    @staticmethod
    def flat(size: Vec3) -> Stance:
        """The stance of a flat thing with an upper edge, drawn towards +z: its flat side is across
        the box's shortest side, the upper edge up if it is upright."""
        extent = size.tuple()
        shortest = min((1, 2, 0), key=lambda axis: extent[axis])
        return Stance(size, ((2, 0, 1), (0, 1, 2), (0, 2, 1))[shortest])

    @property
    def width(self) -> float:
        """Metres across."""
        return self.size.tuple()[self.axes[0]]

    @property
    def thickness(self) -> float:
        """Metres of the shortest side."""
        return self.size.tuple()[self.axes[1]]

    @property
    def length(self) -> float:
        """Metres along; the longest side, unless the thing is flat."""
        return self.size.tuple()[self.axes[2]]

    def lay(self, mesh: Mesh) -> Mesh:
        """A mesh of the standard pose (centred, underside at y 0), turned into the box."""
        shift = np.array([0.0, self.thickness / 2, 0.0])
        order = list(np.argsort(self.axes))
        points = (mesh.points.astype(np.float64) - shift)[:, order]
        normals = mesh.normals.astype(np.float64)[:, order]
        if self.axes in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):
            # an odd exchange of axes mirrors; turning the width around makes it a rotation
            points[:, self.axes[0]] *= -1
            normals[:, self.axes[0]] *= -1
        points[:, 1] += self.size.y / 2
        return Mesh.of(points, normals, mesh.uv, mesh.faces)


def filling(meshes: Sequence[Mesh], size: Vec3) -> list[Mesh]:
    """Meshes stretched together so that they fill a box with its underside at the origin."""
    low = np.min([mesh.bounds[0] for mesh in meshes], 0).astype(np.float64)
    high = np.max([mesh.bounds[1] for mesh in meshes], 0).astype(np.float64)
    factor = np.array(size.tuple()) / np.maximum(high - low, 1e-9)
    x, y, z = (-(low + high) / 2 * factor).tolist()
    stretched = [mesh.scaled(*factor.tolist()) for mesh in meshes]
    return [mesh.moved(x, y + size.y / 2, z) for mesh in stretched]


def turned_about(points: Array, degrees: float) -> Array:
    """Points [..., 3] turned about the vertical through the origin, x towards z."""
    angle = np.radians(degrees)
    c, s = np.cos(angle), np.sin(angle)
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    return np.stack([x * c - z * s, y, x * s + z * c], -1)


# --- Skins stretched over rings, flat pictures, and paths through points: for shapes that lathes
# and boxes cannot make


def ellipse(
    rx: float, rz: float, y: float = 0.0, *, at: Point2 = (0.0, 0.0), sides: int = 20
) -> Array:
    """A level ellipse about (x, z), at height y."""
    turn = np.linspace(0.0, 2 * math.pi, sides, endpoint=False)
    return np.stack(
        [at[0] + rx * np.cos(turn), np.full(sides, y), at[1] + rz * np.sin(turn)], axis=1
    )


def egg(
    rx: float,
    front: float,
    back: float,
    y: float = 0.0,
    *,
    at: Point2 = (0.0, 0.0),
    sides: int = 24,
    square: float = 1.0,
) -> Array:
    """A level oval that reaches `front` metres to +z and `back` metres to -z of its centre.
    `square` above 1 makes the back end blunter."""
    turn = np.linspace(0.0, 2 * math.pi, sides, endpoint=False)
    cosine, sine = np.cos(turn), np.sin(turn)
    blunt = np.abs(cosine) ** np.where(sine < 0, 1.0 / square, 1.0)
    x = rx * np.sign(cosine) * blunt
    z = np.where(sine > 0, front, back) * sine
    return np.stack([at[0] + x, np.full(sides, y), at[1] + z], axis=1)


def rounded_rect(
    width: float,
    depth: float,
    radius: float,
    y: float = 0.0,
    *,
    at: Point2 = (0.0, 0.0),
    steps: int = 4,
) -> Array:
    """A level rectangle with round corners of `steps` segments each; the radius is cut to half of
    the shorter side. Equal steps give rings that fit each other."""
    r = max(1e-5, min(radius, width * 0.4999, depth * 0.4999))
    quarter = np.linspace(0.0, math.pi / 2, steps + 1)
    turn = np.concatenate([quarter + k * math.pi / 2 for k in range(4)])
    sign_x = np.repeat([1.0, -1.0, -1.0, 1.0], steps + 1)
    sign_z = np.repeat([1.0, 1.0, -1.0, -1.0], steps + 1)
    x = sign_x * (width / 2 - r) + r * np.cos(turn)
    z = sign_z * (depth / 2 - r) + r * np.sin(turn)
    return np.stack([at[0] + x, np.full(len(x), y), at[1] + z], axis=1)


def skin(rings: Sequence[Array], *, low: bool = False, high: bool = False) -> Mesh:
    """A smooth skin over rings of equal length; `low` and `high` close the first and last ring
    with a flat cap. Texture coordinates go once around and once from the first ring to the last.
    """
    open_ring = np.stack(rings)
    along_u = np.roll(open_ring, -1, 1) - np.roll(open_ring, 1, 1)
    normals = np.cross(np.gradient(open_ring, axis=0), along_u)
    flat = (normals * normals).sum(2) < 1e-24
    if flat.any():
        normals = _filled(normals, flat)
    grid = np.concatenate([open_ring, open_ring[:, :1]], 1)
    normals = np.concatenate([normals, normals[:, :1]], 1)
    count, around = grid.shape[:2]
    u = np.tile(np.linspace(0.0, 1.0, around), count)
    v = np.repeat(np.linspace(0.0, 1.0, count), around)
    p = grid.reshape(-1, 3)
    faces = skin_faces(count, around)
    area = np.cross(p[faces[:, 1]] - p[faces[:, 0]], p[faces[:, 2]] - p[faces[:, 0]])
    faces = faces[(area * area).sum(1) > 1e-22]
    side = Mesh.of(p, normals.reshape(-1, 3), np.stack([u, v], 1), faces)
    caps = [cap(rings[0], -1)] * low + [cap(rings[-1], 1)] * high
    return join([side, *caps]) if caps else side


def cap(ring: Array, side: int = 1) -> Mesh:
    """A flat face over a ring that bulges outwards everywhere, facing up (side 1) or down (-1)
    for a level ring. Texture coordinates: its extent in the unit square, to be read from +z."""
    center = ring.mean(0)
    points = np.concatenate([ring, center[None]])
    index = np.arange(len(ring))
    faces = np.stack([np.full(len(ring), len(ring)), np.roll(index, -1), index], 1)
    edge = np.roll(ring, -1, 0) - center
    normal = np.cross(edge, ring - center).sum(0) * side
    extent = np.maximum(np.ptp(ring[:, [0, 2]], axis=0), 1e-9)
    middle = (ring[:, [0, 2]].max(0) + ring[:, [0, 2]].min(0)) / 2
    uv = 0.5 - (points[:, [0, 2]] - middle) / extent
    return Mesh.of(
        points, np.tile(normal, (len(points), 1)), uv, faces if side > 0 else faces[:, ::-1]
    )


def level_picture(width: float, depth: float, y: float, *, at: Point2 = (0.0, 0.0)) -> Mesh:
    """A level rectangle facing up whose picture is read from the front (+z)."""
    x, z = width / 2, depth / 2
    points = np.array([[-x, 0, z], [x, 0, z], [x, 0, -z], [-x, 0, -z]])
    points = points + np.array([at[0], y, at[1]])
    uv = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    up = np.tile([0.0, 1.0, 0.0], (4, 1))
    return Mesh.of(points, up, uv, np.array([[0, 1, 2], [0, 2, 3]]))


def level_disc(
    radius: float, y: float, *, at: Point2 = (0.0, 0.0), sides: int = 24, hole: float = 0.0
) -> Mesh:
    """A level disc facing up, its picture read from the front (+z); `hole` is the radius of a
    hole in its middle."""
    outer = ellipse(radius, radius, y, at=at, sides=sides)
    if hole <= 0:
        return cap(outer)
    ring = skin([outer, ellipse(hole, hole, y, at=at, sides=sides)])
    uv = 0.5 - (ring.points[:, [0, 2]] - np.array(at)) / (2 * radius)
    return Mesh.of(ring.points, np.tile([0.0, 1.0, 0.0], (len(uv), 1)), uv, ring.faces)


def path(points: Sequence[Point3], steps: int = 4) -> list[Point3]:
    """A smooth line through points (Catmull-Rom), `steps` segments between each two."""
    p = np.array([points[0], *points, points[-1]], np.float64)
    t = np.linspace(0.0, 1.0, steps, endpoint=False)[:, None]
    pieces = []
    for k in range(1, len(p) - 2):
        a, b, c, d = p[k - 1], p[k], p[k + 1], p[k + 2]
        pieces.append(
            0.5
            * (
                2 * b
                + (c - a) * t
                + (2 * a - 5 * b + 4 * c - d) * t * t
                + (3 * b - 3 * c + d - a) * t * t * t
            )
        )
    line = np.concatenate([*pieces, p[-1:]])
    return [(float(x), float(y), float(z)) for x, y, z in line]


def skin_faces(rows: int, columns: int) -> NDArray[np.int64]:
    """Two triangles per cell of a grid of corners numbered row by row, facing as `skin` has it."""
    i, j = (a.ravel() for a in np.meshgrid(range(rows - 1), range(columns - 1), indexing="ij"))
    a = i * columns + j
    b, c, d = a + columns, a + columns + 1, a + 1
    return np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])


def _filled(normals: Array, flat: NDArray[np.bool_]) -> Array:
    """Normals of rings that shrink to a point, taken from the adjacent ring."""
    done = normals.copy()
    for row in np.flatnonzero(flat.any(1)):
        beside = row + 1 if row == 0 else row - 1
        done[row] = np.where(flat[row][:, None], normals[beside].sum(0), done[row])
    return done
