"""What an asset builder is asked for, and what it answers.

An asset stands in its own frame: y up, +z is the front (the side with the door, the screen, the
handle), the origin is the middle of the underside of its box. So a box of size (w, h, d) spans
x in [-w/2, w/2], y in [0, h], z in [-d/2, d/2]. In this left-handed frame, who looks at the front
sees +x on the left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar

from env_service.worlds.household.assets.material import Color, Material
from env_service.worlds.household.assets.mesh import Mesh
from env_service.worlds.household.geometry import Vec3

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

    Each is a key of the tables in `palette`; a builder that has no use for one ignores it.
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
        variant: which look among those of the type, any non-negative number; equal asset ids
            give equal variants. A builder takes it modulo the number that it knows.
        size: (width, height, depth) in metres of the box to fill, along the asset's own axes.
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
