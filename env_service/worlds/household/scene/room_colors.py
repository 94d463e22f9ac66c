"""Colours and light of a room: chosen by its kind and name."""

import zlib

import numpy as np

from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.footprints import Rectangle
from env_service.worlds.household.scene.spec import CeilingLight, Room

_KNOWN: dict[str, Palette] = {
    "FloorPlan11": Palette(
        walls="white",
        floor="slate tiles",
        cabinets="maple",
        counter="green slate",
        wood="white",
        metal="steel",
        fabric="sand",
        tiles="sand",
    ),
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
    "FloorPlan13": Palette(
        walls="cream",
        floor="beige tiles",
        cabinets="cherry",
        counter="grey stone",
        wood="cherry",
        metal="steel",
        fabric="brick",
        tiles="white",
    ),
    "FloorPlan19": Palette(
        walls="sand",
        floor="slate tiles",
        cabinets="cream",
        counter="grey stone",
        wood="pine",
        metal="steel",
        fabric="sand",
        tiles="cream",
    ),
    "FloorPlan20": Palette(
        walls="cream",
        floor="beige tiles",
        cabinets="orange",
        counter="grey stone",
        wood="white",
        metal="black iron",
        fabric="brick",
        tiles="white",
    ),
    "FloorPlan28": Palette(
        walls="white",
        floor="beige tiles",
        cabinets="maple",
        counter="brown granite",
        wood="black ash",
        metal="steel",
        fabric="slate",
        tiles="sand",
    ),
    "FloorPlan202": Palette(
        walls="white",
        floor="blue carpet",
        cabinets="cherry",
        counter="grey stone",
        wood="cherry",
        metal="brass",
        fabric="navy",
        tiles="white",
    ),
    "FloorPlan406": Palette(
        walls="sand",
        floor="beige tiles",
        cabinets="white",
        counter="brown granite",
        wood="walnut",
        metal="steel",
        fabric="white",
        tiles="sand",
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
"""The choices that fit each kind of room, for every field of a palette."""

_CLASHES = {("cherry", "terracotta tiles"), ("pine", "honey tiles"), ("oak", "oak boards"),
            ("walnut", "walnut boards"), ("maple", "maple boards")}  # fmt: skip
"""Cabinets and floors that look alike."""


HANGING = 0.5
"""Metres from the ceiling down to its lights; nearer lights would leave most of the ceiling
dark."""

APART = 4.2
"""Metres of a room that one ceiling light lights, either way."""


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
    """One light in the middle of a room of usual size, a grid of them in a larger one."""
    columns, rows = (max(1, round(e / APART)) for e in (inside.width, inside.depth))
    power = 4.0 if inside.width * inside.depth > 9.0 else 3.2
    color = (1.0, 0.97, 0.92) if room in {Room.KITCHEN, Room.BATHROOM} else (1.0, 0.93, 0.82)
    return tuple(
        CeilingLight(
            Vec3(
                inside.west + (column + 0.5) * inside.width / columns,
                ceiling - HANGING,
                inside.south + (row + 0.5) * inside.depth / rows,
            ),
            color,
            # each gets a little of what its neighbours shine
            power / (columns * rows) ** 0.25,
        )
        for column in range(columns)
        for row in range(rows)
    )
