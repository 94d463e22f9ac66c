"""Boards of closed furniture at the heights where things are posed.

AI2-THOR's metadata does not say at what heights a fridge has its boards. When a scene loads, the
boards are drawn under what lies in the fridge then (`scene.details`). A task that poses other
things there tells of other boards: they are drawn where those things stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.details import board_levels
from env_service.worlds.household.simulation.standing import walls_around
from env_service.worlds.household.simulation.surfaces import supports
from env_service.worlds.household.state import HouseState, ObjectState

BOARDED = frozenset({"Cabinet", "Fridge", "Safe"})
"""Types whose builders take the detail "boards"."""

HIDING = frozenset({"Safe"})
"""Low furniture whose drawn inner board would hide what lies on its bottom from an agent that
stands: once something is posed in it, it has boards under that alone."""

OFF = 0.04
"""Metres between a thing's underside and the nearest drawn board from which the thing tells of
another board. Poses of ALFRED are up to 2 cm above what the thing comes to rest on."""

HEADROOM = 0.05
"""Metres that are free above the highest board: under a cabinet's top lies what is flat."""


def with_boards(state: HouseState, placed: Iterable[str]) -> HouseState:
    """The state in which the closed furniture has a board under each thing that was put in it.

    Args:
        state: the state with the things where they were put.
        placed: their ids.
    """
    wanting: dict[str, None] = {}
    for key in placed:
        item = state.objects[key]
        walls = _walls(state, item)
        if walls is None:
            continue
        if walls.spec.type in HIDING or _apart(state, item, walls) > OFF:
            wanting[walls.id] = None
    for key in wanting:
        state = state.having(_boarded(state, state.objects[key]))
    return state


def _walls(state: HouseState, item: ObjectState) -> ObjectState | None:
    if not item.spec.can(Trait.PICKUPABLE) or item.held or item.replaced:
        return None
    walls = walls_around(state, item)
    return walls if walls is not None and walls.spec.type in BOARDED else None


def _apart(state: HouseState, item: ObjectState, walls: ObjectState) -> float:
    """Metres of height between an item's underside and the nearest board below or above it."""
    low, high = item.extent
    foot = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    boards = supports(state.scene, walls)
    near = [each for each in boards if each.covers(foot)] or boards
    return min((abs(each.height - low.y) for each in near), default=0.0)


def _boarded(state: HouseState, walls: ObjectState) -> ObjectState:
    """The furniture with boards under all that is in it now."""
    body = walls.body
    inside = [each for each in state.objects.values() if _walls(state, each) is walls]
    lowest = [each.extent[0].y - body.bottom for each in inside if not _upon(each, inside)]
    details: list[tuple[str, Detail]] = [
        each for each in walls.spec.details if each[0] not in ("boards", "drawers")
    ]
    details.append(("drawers", "none"))
    levels = board_levels(lowest, body.size.y, HEADROOM)
    if levels:
        details.append(("boards", tuple((level,) for level in levels)))
    return replace(walls, spec=replace(walls.spec, details=tuple(details)))


def _upon(item: ObjectState, others: Iterable[ObjectState]) -> bool:
    """Whether an item stands in or on another one rather than on a board."""
    low, high = item.extent
    middle = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    return any(
        other is not item
        and other.extent[0].y < low.y - OFF
        and other.body.contains(Vec3(middle.x, middle.y - OFF / 2, middle.z))
        for other in others
    )
