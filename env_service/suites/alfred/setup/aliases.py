"""What AI2-THOR 5.0.0 calls the things that 2.1.0 had under another type."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from env_service.suites.alfred.house import House
from env_service.suites.alfred.task import Goal


@dataclass(frozen=True, slots=True)
class Alias:
    """A type of 2.1.0 is another one in 5.0.0: in these scenes, None for all."""

    old: str
    new: str
    scenes: frozenset[str] | None = None


ALIASES: tuple[Alias, ...] = (
    # 5.0.0 has no Glassbottle. Every room of which the split file or object_poses name one
    # (FloorPlan1, 10, 16, 17 and 23 among them) holds exactly one Bottle.
    Alias("Glassbottle", "Bottle"),
    # 5.0.0 has no Cart. The trajectories' one in FloorPlan401 stands 4 cm from a SideTable whose
    # asset, Side_Table_401_1, is also in FloorPlan430: the only other room of the split file with
    # a Cart.
    Alias("Cart", "SideTable", frozenset({"FloorPlan401", "FloorPlan430"})),
    # The trajectories' Dressers stand 4 cm (305) and 3 cm (327) from a SideTable. That of
    # FloorPlan314 has an asset which 5.0.0 itself lists as a Dresser in FloorPlan311.
    Alias("Dresser", "SideTable", frozenset({"FloorPlan305", "FloorPlan314", "FloorPlan327"})),
    # The trajectories' DiningTables stand 1 to 2 cm from a Desk.
    Alias("DiningTable", "Desk", frozenset({"FloorPlan311", "FloorPlan326", "FloorPlan329"})),
    # The trajectories' Shelves are the tops of SideTables, 5 cm beside their middles.
    Alias("Shelf", "SideTable", frozenset({"FloorPlan429"})),
)
"""Found by position: the receptacles that plans of valid_seen name (their coordinates are in the
data, spec section 6.1) beside 5.0.0's metadata of the same rooms; and the types that the split file
names for each room. An alias counts where the scene has none of the old type."""


def aliases_here(house: House) -> Mapping[str, str]:
    """Old type to new type, of those that have a new one in this house. To be asked before
    anything is taken out of the scene."""
    scene = str(house.metadata.get("sceneName", "")).removesuffix("_physics")
    return {
        each.old: each.new
        for each in ALIASES
        if (each.scenes is None or scene in each.scenes)
        and house.of_type(each.new)
        and not house.of_type(each.old)
    }


def goal_under(goal: Goal, aliases: Mapping[str, str]) -> Goal:
    """The goal with its types as they are called here."""
    return replace(
        goal,
        object=aliases.get(goal.object, goal.object),
        parent=aliases.get(goal.parent, goal.parent),
        movable=aliases.get(goal.movable, goal.movable),
        toggle=aliases.get(goal.toggle, goal.toggle),
    )
