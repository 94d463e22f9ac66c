"""What is known of AI2-THOR's object types: traits, where they may lie, mass, material, size.

The table is `object_types.toml`, whose head names its sources.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache
from importlib.resources import files
from typing import Any


class Trait(Enum):
    """What an object can do or have done to it; the value is the table's word."""

    PICKUPABLE = "pickupable"
    MOVEABLE = "moveable"
    RECEPTACLE = "receptacle"
    OPENABLE = "openable"
    TOGGLEABLE = "toggleable"
    BREAKABLE = "breakable"
    SLICEABLE = "sliceable"
    DIRTYABLE = "dirtyable"
    FILLABLE = "fillable"
    COOKABLE = "cookable"
    USABLE = "usable"  # AI2-THOR's canBeUsedUp
    HEAT_SOURCE = "heat source"
    COLD_SOURCE = "cold source"


class Holds(Enum):
    """How a receptacle holds: AI2-THOR asks for all corners, the lower four, or a spot on top."""

    ON = "on"
    INSIDE = "inside"
    STANDING_IN = "standing in"


@dataclass(frozen=True)
class ObjectType:
    """One object type.

    Attributes:
        name: AI2-THOR's name of the type, such as "Mug".
        number: the engine's number of the type.
        traits: what every instance can do.
        sometimes: traits that only some instances have.
        receptacles: types that may hold it, by the engine's table.
        mass: least and most mass in kg; (0, 0) if instances have none.
        materials: salient materials, all that any instance has.
        size: median extent along x, y, z in metres; None if no scene has one.
        holds: how it holds, None unless it is one of the three kinds of receptacle.
        rooms: the number of scenes of each kind of room that contain one.
    """

    name: str
    number: int
    traits: frozenset[Trait]
    sometimes: frozenset[Trait]
    receptacles: frozenset[str]
    mass: tuple[float, float]
    materials: tuple[str, ...]
    size: tuple[float, float, float] | None
    holds: Holds | None
    rooms: Mapping[str, int]

    def can(self, trait: Trait) -> bool:
        """Whether most instances have the trait."""
        return trait in self.traits


MUST_BE_OPEN_TO_PLACE = frozenset(
    {"Box", "Cabinet", "Drawer", "Fridge", "LaundryHamper", "Microwave"}
)
"""Receptacles that take an object only while open (engine source, SimObjType)."""


@cache
def object_types() -> Mapping[str, ObjectType]:
    """Every object type by its name, in alphabetical order."""
    text = files(__package__).joinpath("object_types.toml").read_text(encoding="utf-8")
    return {name: _parse(name, entry) for name, entry in tomllib.loads(text).items()}


def _parse(name: str, entry: Mapping[str, Any]) -> ObjectType:
    mass, size = entry.get("mass", [0.0, 0.0]), entry.get("size")
    return ObjectType(
        name=name,
        number=entry["id"],
        traits=frozenset(Trait(word) for word in entry["traits"]),
        sometimes=frozenset(Trait(word) for word in entry.get("sometimes", [])),
        receptacles=frozenset(entry.get("receptacles", [])),
        mass=(mass[0], mass[1]),
        materials=tuple(entry.get("materials", [])),
        size=(size[0], size[1], size[2]) if size else None,
        holds=Holds(entry["holds"]) if "holds" in entry else None,
        rooms=dict(entry.get("rooms", {})),
    )
