"""Colours and light of a room: chosen by its kind and name."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rectangle import Rectangle
from env_service.worlds.household.scene.spec import CeilingLight, Room

_KNOWN: dict[str, Palette] = {
    "FloorPlan12": Palette(
        walls="cream",
        floor="honey tiles",
        cabinets="cherry",
        counter="rose laminate",
        wood="cherry",
        metal="brass",
        fabric="sand",
        tiles="cream",
    ),
}
"""Rooms whose real look is known from AI2-THOR's pictures."""

_CHOICES: dict[Room, dict[str, tuple[str, ...]]] = {
    Room.KITCHEN: {
        "walls": ("cream", "white", "sand", "sage", "sky", "white", "cream"),
        "floor": ("oak boards", "honey tiles", "beige tiles", "terracotta tiles", "slate tiles",
                  "checker tiles", "maple boards", "cream linoleum", "walnut boards"),
        "cabinets": ("maple", "cherry", "white", "oak", "walnut", "cream", "slate", "pine"),
        "counter": ("grey stone", "black granite", "brown granite", "white marble",
                    "green slate", "rose laminate"),
        "wood": ("oak", "walnut", "maple", "cherry", "pine"),
        "metal": ("steel", "chrome", "brass", "black iron"),
        "fabric": ("slate", "brick", "moss", "navy", "mustard"),
        "tiles": ("white", "cream", "sea", "sand", "blue"),
    },
    Room.LIVING_ROOM: {
        "walls": ("cream", "white", "sand", "sage", "grey", "striped paper", "sage damask",
                  "white panelling", "brick wall"),
        "floor": ("oak boards", "walnut boards", "maple boards", "cherry boards", "beige carpet",
                  "grey carpet"),
        "cabinets": ("oak", "walnut", "white", "cherry"),
        "counter": ("grey stone", "white marble"),
        "wood": ("oak", "walnut", "cherry", "maple", "black ash"),
        "metal": ("black iron", "brass", "steel"),
        "fabric": ("slate", "navy", "moss", "sand", "brick", "grey", "mustard"),
        "tiles": ("white", "cream"),
    },
    Room.BEDROOM: {
        "walls": ("sky", "cream", "blush", "sage", "white", "blue stripes", "gold damask", "sand"),
        "floor": ("oak boards", "pine boards", "maple boards", "beige carpet", "blue carpet",
                  "grey carpet", "walnut boards"),
        "cabinets": ("white", "oak", "pine", "walnut"),
        "counter": ("grey stone", "white marble"),
        "wood": ("oak", "pine", "walnut", "maple", "white", "cherry"),
        "metal": ("black iron", "brass", "steel"),
        "fabric": ("navy", "slate", "blush", "sage", "sky", "brick", "mustard"),
        "tiles": ("white", "cream"),
    },
    Room.BATHROOM: {
        "walls": ("white", "sky", "cream", "sage", "grey", "sand"),
        "floor": ("white tiles", "slate tiles", "beige tiles", "checker tiles", "honey tiles",
                  "stone slabs"),
        "cabinets": ("white", "oak", "walnut", "maple", "slate"),
        "counter": ("white marble", "black granite", "brown granite", "grey stone"),
        "wood": ("oak", "walnut", "white", "maple"),
        "metal": ("chrome", "steel", "brass"),
        "fabric": ("sky", "sage", "white", "sand", "navy"),
        "tiles": ("white", "sea", "cream", "blue", "sand"),
    },
}  # fmt: skip
"""What fits each kind of room, for every field of a palette."""

_CLASHES = {("cherry", "terracotta tiles"), ("pine", "honey tiles"), ("oak", "oak boards"),
            ("walnut", "walnut boards"), ("maple", "maple boards")}  # fmt: skip
"""Cabinets and floors that cannot be told apart."""


HANGING = 0.4
"""Metres from the ceiling down to its lights; nearer ones would leave it dark."""


def palette_of(scene: str, room: Room) -> Palette:
    """The colours of a room: the same for the same name, on every machine."""
    known = _KNOWN.get(scene.removesuffix("_physics"))
    if known is not None:
        return known
    seed = zlib.crc32(f"{scene.removesuffix('_physics')} palette".encode())
    return drawn_palette(room, seed)


def drawn_palette(room: Room, seed: int) -> Palette:
    """Colours that fit a kind of room, by a seed."""
    generator = np.random.default_rng(seed)
    drawn = {
        field: options[int(generator.integers(len(options)))]
        for field, options in _CHOICES[room].items()
    }
    while (drawn["cabinets"], drawn["floor"]) in _CLASHES:
        floors = _CHOICES[room]["floor"]
        drawn["floor"] = floors[(floors.index(drawn["floor"]) + 1) % len(floors)]
    return Palette(**drawn)


def ceiling_lights(inside: Rectangle, ceiling: float, room: Room) -> tuple[CeilingLight, ...]:
    """One light in the middle of a room of usual size, two or more along a long one."""
    x, z = inside.center
    long = max(inside.width, inside.depth)
    count = 1 if long < 6.0 else 2
    along_x = inside.width >= inside.depth
    step = long / count
    power = 4.0 if inside.width * inside.depth > 9.0 else 3.2
    color = (1.0, 0.97, 0.92) if room in {Room.KITCHEN, Room.BATHROOM} else (1.0, 0.93, 0.82)
    places: Sequence[float] = [(k + 0.5 - count / 2) * step for k in range(count)]
    return tuple(
        CeilingLight(
            Vec3(x + (at if along_x else 0.0), ceiling - HANGING, z + (0.0 if along_x else at)),
            color,
            power / count**0.5,
        )
        for at in places
    )
