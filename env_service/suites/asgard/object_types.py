"""AsgardBench's facts about object types: what lies where, belongs where, is cooked in what.

The table is `tables.toml`, whose head names its source.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from env_service.worlds.ai2thor_api.object_types import object_types

Types = tuple[str, ...]

HIDDEN_TYPES = frozenset({"PepperShaker", "StoveKnob"})
"""Types that no prompt names (docs/asgard.md, "Conditions")."""


@dataclass(frozen=True)
class ObjectTables:
    """The facts. Names are AI2-THOR's object types.

    Attributes:
        fits: held type -> the receptacles that may take it; empty: none may.
        elsewhere: receptacles that ``fits`` does not list.
        classes: the benchmark's classes of types; object setups name them.
        first_homes: where a type is put away.
        second_homes: where it counts as put away too, by the released code.
        paper_homes: where the paper puts it away, for the types where the two differ.
        serve_dishes: the dish that a food is served on.
        cook_devices: what heats a food.
        slices: sliceable type -> the type of its pieces.
        receptacles: types that setups may put objects into.
        openable: receptacles that open and close.
        silverware_surfaces: where the start-up puts silverware.
        surface_aliases: surfaces that stand in for each other.
        may_be_in_a_running_sink: what the sink may hold as the faucet is turned on.
        drained: dishes that lose their water as something is turned off.
        sliced_on_a_surface: food that is sliced on a surface, with a knife.
        liquids: what can be filled in.
    """

    fits: Mapping[str, frozenset[str]]
    elsewhere: frozenset[str]
    classes: Mapping[str, Types]
    first_homes: Mapping[str, Types]
    second_homes: Mapping[str, Types]
    paper_homes: Mapping[str, Types]
    serve_dishes: Mapping[str, str]
    cook_devices: Mapping[str, str]
    slices: Mapping[str, str]
    receptacles: frozenset[str]
    openable: frozenset[str]
    silverware_surfaces: Types
    surface_aliases: frozenset[str]
    may_be_in_a_running_sink: frozenset[str]
    drained: frozenset[str]
    sliced_on_a_surface: frozenset[str]
    liquids: Types

    @property
    def surfaces(self) -> frozenset[str]:
        """Types with an open surface instead of an inside: the class Surface."""
        return frozenset(self.classes["Surface"])

    def members(self, classes: tuple[str, ...]) -> Types:
        """The types of some classes, each once, in order. An unknown class has none: published
        setups name some (docs/asgard.md, "Task")."""
        return tuple(dict.fromkeys(t for name in classes for t in self.classes.get(name, ())))


@cache
def object_tables() -> ObjectTables:
    """The facts, read once."""
    text = files(__package__).joinpath("tables.toml").read_text(encoding="utf-8")
    table = tomllib.loads(text)
    homes = table["homes"]
    return ObjectTables(
        fits=_fits(table),
        elsewhere=frozenset(table["elsewhere"]),
        classes=_types(table["classes"]),
        first_homes=_types(homes["first"]),
        second_homes=_types(homes["second"]),
        paper_homes=_types(homes["paper"]),
        serve_dishes=table["serve_dishes"],
        cook_devices=table["cook_devices"],
        slices=table["slices"],
        receptacles=frozenset(table["receptacles"]),
        openable=frozenset(table["openable"]),
        silverware_surfaces=tuple(table["silverware_surfaces"]),
        surface_aliases=frozenset(table["surface_aliases"]),
        may_be_in_a_running_sink=frozenset(table["may_be_in_a_running_sink"]),
        drained=frozenset(table["drained"]),
        sliced_on_a_surface=frozenset(table["sliced_on_a_surface"]),
        liquids=tuple(table["liquids"]),
    )


def compatible(held: str, receptacle: str) -> bool:
    """Whether the benchmark lets an object of one type be put into one of another
    (docs/asgard-rules.md, "Which receptacles are compatible").

    Of the pairs that its 29 scenes cannot show, AI2-THOR's own placement table is asked.
    """
    listed = object_tables().fits.get(held)
    if listed is not None and receptacle not in object_tables().elsewhere:
        return receptacle in listed
    known = object_types().get(held)
    return known is not None and receptacle in known.receptacles


def whole_type(sliced: str) -> str | None:
    """The type that slicing turns into these pieces; None if the type names no pieces."""
    return next((whole for whole, piece in object_tables().slices.items() if piece == sliced), None)


def _fits(table: Mapping[str, Any]) -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for entry in table["fits"]:
        listed = set(entry["receptacles"])
        if "tables" in listed:
            listed = (listed - {"tables"}) | set(table["tables"])
        found.update(dict.fromkeys(entry["held"], frozenset(listed)))
    return found


def _types(entries: Mapping[str, list[str]]) -> Mapping[str, Types]:
    return {name: tuple(listed) for name, listed in entries.items()}
