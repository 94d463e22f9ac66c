"""How a thing can stand where it is put: upright as its asset stands, lying, or leaning in a
vessel."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from env_service.worlds.household.geometry import IDENTITY, Box, Rotation, Transform, Vec3
from env_service.worlds.household.simulation.surfaces import VESSELS

ALWAYS_UPRIGHT = frozenset(
    {
        "AlarmClock", "Bottle", "Bowl", "Box", "Candle", "CoffeeMachine", "Cup", "DeskLamp",
        "HousePlant", "Kettle", "Laptop", "Mug", "Pan", "PaperTowelRoll", "PepperShaker", "Plate",
        "Pot", "SaltShaker", "SoapBottle", "SprayBottle", "Statue", "TeddyBear", "TissueBox",
        "Toaster", "Vase", "WateringCan", "WineBottle",
    }
)  # fmt: skip
"""Types that AI2-THOR places upright or not at all, as far as its list is known (spec: ai2thor.md
section 5.5), and the dishes and bottles that fall over otherwise."""

LIES_FLAT = frozenset({"HandTowel", "Towel"})
"""Types that hang where they were made for and lie flat anywhere else."""

ROUNDISH = frozenset(
    {
        "Apple", "AppleSliced", "BasketBall", "Bread", "BreadSliced", "DishSponge", "Egg",
        "EggCracked", "Lettuce", "LettuceSliced", "Potato", "PotatoSliced", "Tomato",
        "TomatoSliced",
    }
)  # fmt: skip
"""Types that touch the ground with less than their box, or give way at the edges."""

CIRCULAR = frozenset({"Bowl", "Candle", "Cup", "GarbageCan", "PaperTowelRoll", "Plate", "Vase"})
"""Types that stand on a circle."""

LEAN = 14.0
"""Degrees by which cutlery that stands in a mug leans."""


@dataclass(frozen=True)
class Stance:
    """A way to stand.

    Attributes:
        rotation: of the asset, before it is turned about the vertical.
        width, depth: of the footprint, along x and z.
        height: of the whole.
        lift: from the middle of the footprint to the asset's origin.
        circular: whether the footprint is the ellipse in that rectangle.
    """

    rotation: Rotation
    width: float
    depth: float
    height: float
    lift: Vec3
    circular: bool = False

    def place(self, spot: Vec3, yaw: float) -> Transform:
        """The asset's frame where the middle of the footprint is at a spot."""
        turn = Rotation.yaw(yaw)
        return Transform(turn @ self.rotation, spot + turn.apply(self.lift))


def stances(kind: str, size: Vec3, *, vessel: str | None = None) -> Iterator[Stance]:
    """The ways in which a thing of a type and size may stand, the natural one first.

    Args:
        kind: its object type.
        size: of its box, along the asset's own axes.
        vessel: type of the vessel in which it is to stand, None if it is none.
    """
    circular = kind in CIRCULAR
    upright = Stance(IDENTITY, size.x, size.z, size.y, Vec3(0.0, 0.0, 0.0), circular)
    if kind in ALWAYS_UPRIGHT:
        yield upright
        return
    if kind in LIES_FLAT:
        yield lying(size)
        return
    yield upright
    if vessel in VESSELS and kind not in ROUNDISH:
        yield leaning(size)
    elif size.y > min(size.x, size.z):
        yield lying(size)


def lying(size: Vec3) -> Stance:
    """On the largest side: the shortest axis of the box stands up."""
    if size.y <= min(size.x, size.z):
        return Stance(IDENTITY, size.x, size.z, size.y, Vec3(0.0, 0.0, 0.0))
    if size.z <= size.x:  # front up
        return resting(Rotation.from_euler(Vec3(-90.0, 0.0, 0.0)), size)
    return resting(Rotation.from_euler(Vec3(0.0, 0.0, 90.0)), size)


def resting(rotation: Rotation, size: Vec3) -> Stance:
    """Turned, with the lowest point on the ground; the whole shadow is the footprint."""
    box = _turned_box(rotation, size)
    bounds = box.bounds()
    middle = bounds.center
    lift = Vec3(-middle.x, -bounds.bottom, -middle.z)
    return Stance(rotation, bounds.size.x, bounds.size.z, bounds.size.y, lift)


def leaning(size: Vec3) -> Stance:
    """On its end, the longest axis almost upright: a spoon in a mug. Only the end of it needs
    room."""
    rotation = Rotation.from_euler(Vec3(LEAN, 0.0, 0.0)) @ _longest_up(size)
    box = _turned_box(rotation, size)
    bounds = box.bounds()
    corners = sorted(box.corners(), key=lambda corner: corner.y)[:4]
    foot = Vec3(math.fsum(c.x for c in corners) / 4, 0.0, math.fsum(c.z for c in corners) / 4)
    short = sorted(size.tuple())[:2]
    lift = Vec3(-foot.x, -bounds.bottom, -foot.z)
    return Stance(rotation, short[1], short[0], bounds.size.y, lift)


def _longest_up(size: Vec3) -> Rotation:
    longest = max(size.tuple())
    if size.y == longest:
        return IDENTITY
    if size.z == longest:  # its front comes to the top
        return Rotation.from_euler(Vec3(-90.0, 0.0, 0.0))
    return Rotation.from_euler(Vec3(0.0, 0.0, 90.0))


def _turned_box(rotation: Rotation, size: Vec3) -> Box:
    return Box(Vec3(0.0, size.y / 2, 0.0), size).moved(Transform(rotation))
