"""The support or receptacle of a thing by its position; and boards in closed furniture at the
heights where things are posed.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from env_service.worlds.ai2thor_api.object_types import Trait
from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.geometry import Transform, Vec3
from env_service.worlds.household.scene.asset_details import board_levels
from env_service.worlds.household.simulation.space.containment import (
    ENCLOSING,
    carried_with,
    moved,
    put_in,
    taken_out,
)
from env_service.worlds.household.simulation.space.object_specific_receptacles import (
    SPECIAL,
    accepts,
)
from env_service.worlds.household.simulation.space.support_surfaces import (
    HOLLOW,
    VESSELS,
    Support,
    basin_id,
    supports,
)
from env_service.worlds.household.state import HouseholdState, ObjectState

ABOVE, BELOW = 0.10, 0.04
"""Metres by which the lowest point of a thing may be above and below its supporting surface."""

HANGING = {"HandTowelHolder": 0.35, "ToiletPaperHanger": 0.15, "TowelHolder": 0.4}
"""Metres between the middles of a holder and of what hangs on it, at most."""

BESIDE = 0.12
"""Metres by which the middle of a thing may overhang the edge of its support: surfaces are
rectangles within what is drawn, and the middle of a box is not the centre of mass."""

INSIDE = 0.025
"""The misfit of what lies within the walls of a basin or a bin, metres: a surface fits better only
if the thing is exactly on it."""

NEARBY = 0.5
"""Metres around a receptacle's box within which it may hold things."""

WITHIN = 0.17
"""The misfit of furniture in whose box a thing is set down with no surface near, metres: AI2-THOR's
has boards at heights that are not drawn here, so the thing stays there rather than fall further."""

TIGHT = 0.005
"""Metres of distance between a thing and its support that are not corrected."""

SUNK = 0.25
"""The share of a thing's height that may be below the surface that it is set down on: a card that
is deeper would be hidden."""

THROUGH = 0.05
"""Metres above the underside of a closed piece of furniture up to which an outside surface counts
as the furniture's support: the boxes of AI2-THOR's floors and fridges overlap."""

RISE = 0.25
"""Metres by which a thing that is set down may come up out of what it is in. Nothing is below the
floor, so out of that it comes all the way."""


@dataclass(frozen=True)
class StandingPlace:
    """A receptacle that could hold an item.

    Attributes:
        misfit: how badly, metres.
        lift: metres up to stand on its surface; 0 where it merely holds it inside.
        level: metres of height of that surface; infinite where it merely holds it inside.
    """

    receptacle: str
    misfit: float
    lift: float = 0.0
    level: float = math.inf


def holder_of(state: HouseholdState, item: ObjectState) -> str | None:
    """Id of the receptacle whose surface is nearest under an item, or around it; None for none."""
    found = _best(_held(state, item))
    return found.receptacle if found else None


def relocated(state: HouseholdState, object_id: str) -> HouseholdState:
    """The state with an object, and what it carries, listed where it is."""
    state = taken_out(state, object_id)
    return put_in(state, object_id, holder_of(state, state.objects[object_id]))


def set_down(state: HouseholdState, object_id: str) -> HouseholdState:
    """The state with an object, and what it carries, moved up or down onto what holds it, or else
    onto the nearest surface straight above its underside or below it."""
    item = state.objects[object_id]
    hold = _best(_held(state, item))
    if hold is None:
        others = _others(state, item)
        hold = _best(each for other in others for each in _falls(state, item, other))
    if hold is None:
        return state
    low, high = item.extent
    if abs(hold.lift) > TIGHT or hold.lift > SUNK * (high.y - low.y):
        lift = Vec3(0.0, hold.lift, 0.0)
        pose = Transform(item.pose.rotation, item.pose.position + lift)
        state = moved(state, object_id, pose)
    return put_in(taken_out(state, object_id), object_id, hold.receptacle)


def walls_around(state: HouseholdState, item: ObjectState) -> ObjectState | None:
    """The smallest receptacle with walls and a door or lid in whose box the middle of an item
    lies; None for none."""
    found = (
        other
        for other in _others(state, item)
        if other.spec.type in ENCLOSING and _encloses(item, other)
    )
    return min(found, key=_room, default=None)


def _room(item: ObjectState) -> float:
    width, height, depth = item.body.size.tuple()
    return width * height * depth


def _held(state: HouseholdState, item: ObjectState) -> Iterator[StandingPlace]:
    """How the receptacles hold an item where it is. A surface below the bottom of closed furniture
    does not support an item inside, however thin or low the item is."""
    walls = walls_around(state, item)
    bottom = -math.inf if walls is None else walls.body.bottom
    for other in _others(state, item):
        inner = walls is None or other.id == walls.id or walls.body.contains(other.body.center)
        closed = other.spec.type in ENCLOSING
        for hold in _holds(state, item, other):
            if inner or not (hold.level < bottom + THROUGH or (closed and hold.level == math.inf)):
                yield hold


def _best(holds: Iterable[StandingPlace]) -> StandingPlace | None:
    return min(holds, key=lambda each: each.misfit, default=None)


def _others(state: HouseholdState, item: ObjectState) -> Iterator[ObjectState]:
    """The receptacles that could hold an item."""
    moving = {item.id, *(each.id for each in carried_with(state, item))}
    for other in state.objects.values():
        if other.id in moving or other.held or other.in_hand_of or other.replaced or other.broken:
            continue
        if not other.spec.can(Trait.RECEPTACLE):
            continue
        if not _near(item, other) or (other.spec.type in SPECIAL and not accepts(other, item)):
            continue
        yield other


def _near(item: ObjectState, other: ObjectState) -> bool:
    """Whether a receptacle could reach below an item, drawers pulled out and all."""
    if other.spec.type == "Floor":
        return True
    (low, high), (floor, top) = item.extent, other.extent
    aside = all(
        getattr(floor, axis) - NEARBY <= getattr(high, axis)
        and getattr(low, axis) <= getattr(top, axis) + NEARBY
        for axis in ("x", "z")
    )
    return aside and floor.y <= high.y + RISE


def _holds(state: HouseholdState, item: ObjectState, other: ObjectState) -> Iterator[StandingPlace]:
    """How a receptacle holds an item where it is."""
    kind = other.spec.type
    if kind in HANGING:
        if (item.body.center - other.body.center).length() < HANGING[kind]:
            yield StandingPlace(other.id, 0.0)
        return
    feet = _feet(item, other)
    for each in supports(state.scene, other):
        gap = feet[0].y - each.height
        if not -BELOW <= gap <= ABOVE:
            continue
        if any(each.covers(foot) for foot in feet):
            yield StandingPlace(other.id, abs(gap), -gap, each.height)
        elif abs(gap) <= BELOW and any(each.covers(foot, BESIDE) for foot in feet):
            yield StandingPlace(other.id, ABOVE + abs(gap), -gap, each.height)
    if basin_id(state.scene, other) is None and _encloses(item, other):
        misfit = INSIDE if kind in HOLLOW else ABOVE
        yield StandingPlace(
            other.id, misfit, _to_board(item, feet[0], supports(state.scene, other))
        )


def _to_board(item: ObjectState, foot: Vec3, boards: tuple[Support, ...]) -> float:
    """Metres up to the board nearest to the underside of what floats within a fridge or cabinet:
    AI2-THOR's boards are at other heights than those drawn. 0 if no board is near, or the board has
    no room. In a receptacle with only a bottom, only items below the bottom move."""
    low, high = item.extent
    lifts = [
        each.height - low.y
        for each in boards
        if each.covers(foot, BESIDE) and high.y - low.y <= each.clearance
    ]
    if len(lifts) > 1:
        return min(lifts, key=abs)
    return max(lifts[0], 0.0) if lifts else 0.0


def _falls(state: HouseholdState, item: ObjectState, other: ObjectState) -> Iterator[StandingPlace]:
    """How an item that nothing holds could come to stand on a receptacle."""
    kind = other.spec.type
    if kind in HANGING or (kind in ENCLOSING and not other.is_open):
        return
    if _among(item, other):
        yield StandingPlace(other.id, WITHIN)
    feet = _feet(item, other)
    for each in supports(state.scene, other):
        gap = feet[0].y - each.height
        if gap < -RISE and kind != "Floor":
            continue
        slack = BESIDE if gap >= 0 else 0.0
        if any(each.covers(foot, slack) for foot in feet):
            yield StandingPlace(other.id, abs(gap), -gap)


def _feet(item: ObjectState, other: ObjectState) -> tuple[Vec3, ...]:
    """Where an item touches the ground: under the middle of its box and, on a burner, under its
    origin, which is the middle of a pan without its handle."""
    low, high = item.extent
    middle = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    if other.spec.type not in SPECIAL:
        return (middle,)
    origin = item.pose.position
    return (middle, Vec3(origin.x, low.y, origin.z))


def _among(item: ObjectState, other: ObjectState) -> bool:
    """Whether an item is in the box of a piece of open furniture."""
    fixed = not other.spec.can(Trait.PICKUPABLE) and other.spec.type != "Floor"
    closed = other.spec.type in ENCLOSING | HOLLOW | SPECIAL
    return fixed and not closed and other.body.contains(item.body.center)


def _encloses(item: ObjectState, other: ObjectState) -> bool:
    kind = other.spec.type
    if kind in VESSELS or kind not in ENCLOSING | HOLLOW:
        return False
    return other.body.contains(item.body.center)


# --- Boards of closed furniture at the heights where things are posed

BOARDED = frozenset({"Cabinet", "Fridge", "Safe"})
"""Types whose builders take the detail "boards"."""

HIDING = frozenset({"Safe"})
"""Low furniture whose drawn inner board would hide the things on its bottom from a standing agent.
Once something is posed in it, it has boards only under these things."""

OFF = 0.04
"""From this distance in metres between a thing's underside and the nearest drawn board on, the
thing implies another board. Poses of ALFRED are up to 2 cm above the surface on which the thing
comes to rest."""

HEADROOM = 0.05
"""Metres that are free above the highest board: flat things fit under a cabinet's top."""


def with_boards(state: HouseholdState, placed: Iterable[str]) -> HouseholdState:
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


def _walls(state: HouseholdState, item: ObjectState) -> ObjectState | None:
    if not item.spec.can(Trait.PICKUPABLE) or item.held or item.replaced:
        return None
    walls = walls_around(state, item)
    return walls if walls is not None and walls.spec.type in BOARDED else None


def _apart(state: HouseholdState, item: ObjectState, walls: ObjectState) -> float:
    """Metres of height between an item's underside and the nearest board below or above it."""
    low, high = item.extent
    foot = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    boards = supports(state.scene, walls)
    near = [each for each in boards if each.covers(foot)] or boards
    return min((abs(each.height - low.y) for each in near), default=0.0)


def _boarded(state: HouseholdState, walls: ObjectState) -> ObjectState:
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
    """Whether an item is in or on another item rather than on a board."""
    low, high = item.extent
    middle = Vec3((low.x + high.x) / 2, low.y, (low.z + high.z) / 2)
    return any(
        other is not item
        and other.extent[0].y < low.y - OFF
        and other.body.contains(Vec3(middle.x, middle.y - OFF / 2, middle.z))
        for other in others
    )
