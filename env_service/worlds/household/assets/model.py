"""Asset models: requests to builders, and their answers of meshes with materials; how a model is
turned into its box, and where its moving parts are.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from env_service.worlds.household.geometry import Rotation, Transform, Vec3

# --- Triangle meshes

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles with a normal and a texture coordinate at each corner.

    Seen as plain numbers, cross(b - a, c - a) of a triangle (a, b, c) points to the outside;
    what is seen from behind is not drawn, unless the material is two-sided.

    Attributes:
        points: float32 [N, 3], metres, rounded to a micrometre so that machines agree.
        normals: float32 [N, 3], unit length, to the outside.
        uv: float32 [N, 2], one unit per repeat of a texture, v upwards.
        faces: int32 [M, 3], corners of each triangle.
    """

    points: Floats
    normals: Floats
    uv: Floats
    faces: Ints

    @staticmethod
    def of(
        points: NDArray[np.float64] | Floats,
        normals: NDArray[np.float64] | Floats,
        uv: NDArray[np.float64] | Floats,
        faces: NDArray[np.int64] | Ints,
    ) -> Mesh:
        """A mesh from arrays of any float and integer kind: normals are made unit length, all is
        rounded. Arrays of other shapes raise ValueError."""
        p, n = np.asarray(points, np.float64), np.asarray(normals, np.float64)
        if p.shape != n.shape or p.ndim != 2 or p.shape[1] != 3 or len(uv) != len(p):
            raise ValueError(f"corners disagree: {p.shape} {n.shape} {np.shape(uv)}")
        length = np.sqrt((n * n).sum(1, keepdims=True))
        unit = n / np.where(length > 0, length, 1.0)
        mesh = Mesh(
            _rounded(p, 1e6),
            _rounded(unit, 1e5),
            _rounded(np.asarray(uv, np.float64), 1e5),
            np.asarray(faces, np.int32).reshape(-1, 3),
        )
        for array in (mesh.points, mesh.normals, mesh.uv, mesh.faces):
            array.setflags(write=False)
        return mesh

    @cached_property
    def key(self) -> str:
        """A digest of the whole content, for caches."""
        digest = hashlib.blake2b(digest_size=12)
        for array in (self.points, self.normals, self.uv, self.faces):
            digest.update(array.tobytes())
        return digest.hexdigest()

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """Least and greatest coordinates, float32 [3] each."""
        return self.points.min(0), self.points.max(0)

    def moved(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
        """Shifted."""
        return Mesh.of(self.points + np.array([x, y, z]), self.normals, self.uv, self.faces)

    def turned(self, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Mesh:
        """Turned about the origin by Unity's Euler angles, degrees: about z, then x, then y."""
        rows = np.array(Rotation.from_euler(Vec3(x, y, z)).rows)
        return Mesh.of(_times(self.points, rows), _times(self.normals, rows), self.uv, self.faces)

    def scaled(self, x: float, y: float, z: float) -> Mesh:
        """Stretched about the origin; factors are positive."""
        factors = np.array([x, y, z])
        return Mesh.of(self.points * factors, self.normals / factors, self.uv, self.faces)

    def mapped(self, scale_u: float = 1.0, scale_v: float = 1.0) -> Mesh:
        """With texture coordinates multiplied: larger factors repeat a texture more often."""
        return Mesh.of(
            self.points, self.normals, self.uv * np.array([scale_u, scale_v]), self.faces
        )

    def flipped(self) -> Mesh:
        """Inside out."""
        return Mesh.of(self.points, -self.normals, self.uv, self.faces[:, ::-1])


def _rounded(values: NDArray[np.float64], steps: float) -> Floats:
    """To multiples of 1 / steps. The last bits of sines and powers differ from machine to machine,
    so the threshold lies off the middle, where no round number is; and zero has no sign."""
    return (np.floor(values * steps + 0.50037) / steps).astype(np.float32)


def _times(vectors: Floats, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """rows applied to every vector, without BLAS: its result depends on the processor."""
    x, y, z = (vectors[:, i].astype(np.float64) for i in range(3))
    return np.stack([row[0] * x + row[1] * y + row[2] * z for row in rows], 1)


def join(meshes: Sequence[Mesh]) -> Mesh:
    """Several meshes as one; none raises ValueError."""
    if not meshes:
        raise ValueError("no mesh to join")
    starts = np.cumsum([0, *(len(mesh.points) for mesh in meshes[:-1])])
    return Mesh.of(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.uv for mesh in meshes]),
        np.concatenate([mesh.faces + s for mesh, s in zip(meshes, starts, strict=True)]),
    )


# --- Materials of surfaces

Color = tuple[float, float, float]
"""Red, green and blue, sRGB-encoded, each in [0, 1]."""


class Texture:
    """A picture that repeats over a surface.

    Attributes:
        pixels: uint8 [H, W, 3], sRGB; row 0 is at v = 0. H and W are powers of two.
        key: a digest of the pixels, for caches.
    """

    def __init__(self, pixels: NDArray[np.uint8]) -> None:
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] != 3:
            raise ValueError(f"a texture is uint8 [H, W, 3], not {pixels.dtype} {pixels.shape}")
        if any(extent & (extent - 1) for extent in pixels.shape[:2]):
            raise ValueError(f"a texture's sides are powers of two, not {pixels.shape[:2]}")
        self.pixels = np.ascontiguousarray(pixels)
        self.pixels.setflags(write=False)
        shape = repr(self.pixels.shape).encode()
        self.key = hashlib.blake2b(shape + self.pixels.tobytes(), digest_size=12).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Texture) and other.key == self.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True)
class Material:
    """How a surface looks.

    Attributes:
        color: base colour, multiplied with the texture if there is one.
        texture: a picture over the surface, by the mesh's texture coordinates.
        opacity: 1 for solid; less is drawn as tinted glass over what lies behind.
        gloss: strength of highlights and of the sheen at grazing angles, in [0, 1].
        metal: how much it mirrors the room in its base colour, in [0, 1].
        glow: light that it emits, in multiples of its colour; 0 for none.
        two_sided: drawn from behind too; for sheets (cloth, leaves, paper).
    """

    color: Color = (0.8, 0.8, 0.8)
    texture: Texture | None = field(default=None)
    opacity: float = 1.0
    gloss: float = 0.1
    metal: float = 0.0
    glow: float = 0.0
    two_sided: bool = False


# --- Requests to asset builders and their answers

T = TypeVar("T")


class Liquid(Enum):
    """What can fill a vessel; the value is AI2-THOR's word."""

    WATER = "water"
    COFFEE = "coffee"
    WINE = "wine"


@dataclass(frozen=True)
class Look:
    """The state of an object as far as it can be seen. How far it is open is not here: its parts
    move."""

    dirty: bool = False
    liquid: Liquid | None = None
    cooked: bool = False
    sliced: bool = False
    broken: bool = False
    used_up: bool = False
    on: bool = False
    hot: bool = False


@dataclass(frozen=True)
class Palette:
    """The colours and woods of a room, which its furniture and structure share.

    Each is a key of the tables in `palette`; a builder ignores those that it does not use.
    """

    walls: str = "cream"
    floor: str = "oak boards"
    cabinets: str = "maple"
    counter: str = "grey stone"
    wood: str = "oak"
    metal: str = "steel"
    fabric: str = "slate"
    tiles: str = "white"


Detail = str | float | tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class AssetRequest:
    """An order for one model.

    Attributes:
        type: an AI2-THOR object type, or the name of a structural part ("Wall", "Stove").
        variant: which look among those of the type, any non-negative number; equal asset ids give
            equal variants. A builder takes it modulo the number of its looks.
        size: (width, height, depth) in metres of the box to fill, along the asset's axes.
        look: the state to show.
        palette: the room's colours.
        details: facts of this instance that a builder may need, each documented at its builder:
            "hinge" of a cabinet, "outline" and "holes" of a counter, "basins" of a sink.
    """

    type: str
    variant: int
    size: Vec3
    look: Look = Look()
    palette: Palette = Palette()
    details: tuple[tuple[str, Detail], ...] = ()

    def detail(self, key: str) -> Detail | None:
        """The detail of that name, None if it was not given."""
        return dict(self.details).get(key)

    def choose(self, options: Sequence[T], salt: int = 0) -> T:
        """One of the options, by the variant; another `salt` decorrelates a second choice."""
        number = self.variant if not salt else (self.variant * 2654435761 + salt * 40503) >> 7
        return options[number % len(options)]


class MotionKind(Enum):
    """How a part moves when its object opens."""

    HINGE = "hinge"
    SLIDE = "slide"
    FOLD = "fold"


@dataclass(frozen=True)
class Motion:
    """The movement of a part as its object opens from 0 to 1.

    Attributes:
        kind: HINGE turns about `axis` through `pivot`, by `amount` degrees when fully open, in
            the sense of geometry's angles about that axis; SLIDE shifts along `axis` by `amount`
            metres; FOLD shrinks along `axis` towards `pivot` to the share `amount` of its length
            (a share above 1 stretches).
        at_rest: how far open the mesh was drawn; 1 for a laptop whose box is that of an open one.
            At openness o the mesh has gone the share o - at_rest of the way: it is turned by
            `amount` times that, shifted by it, or scaled by 1 + (amount - 1) times it.
    """

    kind: MotionKind
    axis: Vec3
    amount: float
    pivot: Vec3 = Vec3(0.0, 0.0, 0.0)
    at_rest: float = 0.0


@dataclass(frozen=True)
class Part:
    """One mesh of one material.

    Attributes:
        name: a word for the part, unique in its model.
        mesh: in the asset's frame.
        material: what it is made of.
        motion: how it moves when the object opens; None for what stays.
        casts_shadow: False for glass, liquids, flames, decals.
    """

    name: str
    mesh: Mesh
    material: Material
    motion: Motion | None = None
    casts_shadow: bool = True


@dataclass(frozen=True)
class Surface:
    """A level rectangle on which other objects can be put.

    Attributes:
        low, high: (x, z) corners in the asset's frame, metres.
        height: y of the surface.
        clearance: free height above it, metres; large where nothing is above.
        inside: whether the walls of a container enclose it.
        part: name of the moving part that carries it (a drawer), None if it stays.
        round: the ellipse in the rectangle instead of the whole of it (plates, bowls).
    """

    low: tuple[float, float]
    high: tuple[float, float]
    height: float
    clearance: float = 10.0
    inside: bool = False
    part: str | None = None
    round: bool = False


@dataclass(frozen=True)
class Lamp:
    """A light that the model sends out.

    Attributes:
        position: in the asset's frame.
        color: sRGB.
        power: 1 lights a bedside; a ceiling light has about 4.
        reach: metres after which it is gone.
    """

    position: Vec3
    color: Color = (1.0, 0.85, 0.6)
    power: float = 1.0
    reach: float = 3.0


@dataclass(frozen=True)
class Model:
    """A built asset: at least one part, the surfaces it offers, the light it gives."""

    parts: tuple[Part, ...]
    surfaces: tuple[Surface, ...] = ()
    lamps: tuple[Lamp, ...] = ()
    grip: Vec3 | None = field(default=None)


Builder = Callable[[AssetRequest], Model]
"""A builder is a pure function: the same request gives the same model, to the last bit."""


# --- Turning a model so that its long side lies along the long side of the box it has to fill


def long_axis(size: Vec3) -> str:
    """ "x", "y" or "z": the axis of the greatest extent; of equal ones, the later."""
    return max(zip(size.tuple(), "xyz", strict=True))[1]


def thin_axis(size: Vec3) -> str:
    """The axis of the least extent; of equal ones, y first."""
    order = {"y": 0, "z": 1, "x": 2}
    return min(zip(size.tuple(), "xyz", strict=True), key=lambda pair: (pair[0], order[pair[1]]))[1]


def lengthwise(size: Vec3, axis: str) -> Vec3:
    """The box as the builder of a thing along z should see it: (across, upright, length), if the
    thing is to lie along `axis` of the real box."""
    w, h, d = size.tuple()
    return {"x": Vec3(d, h, w), "y": Vec3(w, d, h), "z": size}[axis]


def along(model: Model, size: Vec3, axis: str) -> Model:
    """A model built along z in the box of `lengthwise`, turned to lie along `axis` of the real box.
    Along y, its front (+z) turns to the top, and its top faces the front."""
    _, h, d = size.tuple()
    if axis == "z":
        return model
    if axis == "x":
        return yawed(model)
    # z -> y, y -> z, x -> -x: up becomes front
    rotation = Rotation(((-1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
    return turned(model, Transform(rotation, Vec3(0.0, h / 2, -d / 2)))


FlatBuilder = Callable[[AssetRequest, float, float, float], Model]
"""Builds a flat thing that lies on its back, from its width, thickness and depth."""


def laid_flat(request: AssetRequest, build: FlatBuilder) -> Model:
    """A flat thing in a box whose thin side may point anywhere: lying, or standing with its top
    to the front (+z) or to the side (+x)."""
    w, h, d = request.size.tuple()
    axis = thin_axis(request.size)
    if axis == "y":
        return build(request, w, h, d)
    if axis == "z":
        rotation = Rotation(((1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.0, 1.0, 0.0)))
        return turned(build(request, w, d, h), Transform(rotation, Vec3(0.0, h / 2, -d / 2)))
    rotation = Rotation(((0.0, 1.0, 0.0), (0.0, 0.0, -1.0), (-1.0, 0.0, 0.0)))
    return turned(build(request, d, w, h), Transform(rotation, Vec3(-w / 2, h / 2, 0.0)))


def sideways(request: AssetRequest) -> AssetRequest:
    """The request for a model that `yawed` will then turn into the box of this one."""
    w, h, d = request.size.tuple()
    return replace(request, size=Vec3(d, h, w))


def yawed(model: Model) -> Model:
    """A model turned by 90 degrees: its front, +z, to +x."""
    return turned(model, Transform.at(Vec3(0.0, 0.0, 0.0), Vec3(0.0, 90.0, 0.0)))


def turned(model: Model, motion: Transform) -> Model:
    """A model moved by a rigid motion, its moving parts and lamps with it. Surfaces are dropped:
    they are level only as built."""
    parts = tuple(
        replace(part, mesh=_moved(part.mesh, motion), motion=_carried(part.motion, motion))
        for part in model.parts
    )
    lamps = tuple(
        Lamp(motion.apply(lamp.position), lamp.color, lamp.power, lamp.reach)
        for lamp in model.lamps
    )
    return Model(parts, (), lamps)


def _moved(mesh: Mesh, motion: Transform) -> Mesh:
    shift = motion.position
    rows = motion.rotation.rows
    x, y, z = (mesh.points[:, i].astype(float) for i in range(3))
    nx, ny, nz = (mesh.normals[:, i].astype(float) for i in range(3))
    points = np.stack([r[0] * x + r[1] * y + r[2] * z for r in rows], 1) + shift.tuple()
    normals = np.stack([r[0] * nx + r[1] * ny + r[2] * nz for r in rows], 1)
    return Mesh.of(points, normals, mesh.uv, mesh.faces)


def _carried(motion: Motion | None, by: Transform) -> Motion | None:
    if motion is None:
        return None
    return replace(motion, axis=by.rotation.apply(motion.axis), pivot=by.apply(motion.pivot))


# --- The place of a part at an openness of its object

Affine = NDArray[np.float64]


def place(part: Part, openness: float) -> Affine:
    """The motion of a part in the asset's frame, float64 [3, 4]: apply it to the mesh's points.

    `openness` is 0 to 1; a part without motion, or one as open as it was drawn, stays.
    """
    motion = part.motion
    if motion is None or openness == motion.at_rest:
        return np.eye(3, 4)
    share = openness - motion.at_rest
    if motion.kind is MotionKind.SLIDE:
        return _shifted(_unit(motion.axis) * (motion.amount * share))
    if motion.kind is MotionKind.HINGE:
        return _about(motion, _turn(_unit(motion.axis), motion.amount * share))
    # a fold counts from the state it was drawn in: `amount` is its length one openness further
    factor = 1.0 + (motion.amount - 1.0) * share
    return _about(motion, _stretch(_unit(motion.axis), factor))


def _unit(axis: Vec3) -> Vec3:
    length = axis.length()
    if length == 0.0:
        raise ValueError("a motion's axis has a length")
    return axis * (1.0 / length)


def _shifted(shift: Vec3) -> Affine:
    affine = np.eye(3, 4)
    affine[:, 3] = shift.tuple()
    return affine


def _about(motion: Motion, rows: list[list[float]]) -> Affine:
    """A linear map with the pivot left where it is."""
    affine = np.zeros((3, 4))
    affine[:, :3] = rows
    x, y, z = motion.pivot.tuple()
    for k, row in enumerate(rows):
        affine[k, 3] = motion.pivot.tuple()[k] - (row[0] * x + row[1] * y + row[2] * z)
    return affine


def _turn(axis: Vec3, degrees: float) -> list[list[float]]:
    """The rotation about an axis (Rodrigues' formula), in geometry's sense."""
    angle = math.radians(degrees)
    cosine, sine = round(math.cos(angle), 12), round(math.sin(angle), 12)
    x, y, z = axis.tuple()
    rest = 1.0 - cosine
    return [
        [cosine + x * x * rest, x * y * rest - z * sine, x * z * rest + y * sine],
        [y * x * rest + z * sine, cosine + y * y * rest, y * z * rest - x * sine],
        [z * x * rest - y * sine, z * y * rest + x * sine, cosine + z * z * rest],
    ]


def _stretch(axis: Vec3, factor: float) -> list[list[float]]:
    """Lengths along the axis multiplied."""
    a, more = axis.tuple(), factor - 1.0
    return [[(1.0 if i == j else 0.0) + more * a[i] * a[j] for j in range(3)] for i in range(3)]
