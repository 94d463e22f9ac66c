"""What comes of putting things somewhere (spec: actplan.md section 3.1)."""

from __future__ import annotations

from env_service.worlds.activity import physics
from env_service.worlds.activity.actions import ActivityAction
from env_service.worlds.activity.scene import ActivityScene
from env_service.worlds.activity.state import State


def can_put(state: State, deed: ActivityAction) -> bool:
    """Whether the item can be carried to its target, and does not carry that itself."""
    house = state.house
    return (
        deed.item in house.movable
        and deed.item != deed.target
        and all(each != deed.item for _, each in state.chain(deed.target))
        and (deed.target in house.categories or house.is_room(deed.target) or not deed.target)
    )


def place_inside(state: State, deed: ActivityAction) -> None:
    """Into the target; a floor has no inside."""
    if can_put(state, deed):
        relation = "onfloor" if is_ground(state.house, deed.target) else "inside"
        lay(state, deed.item, relation, deed.target)
        if deed.target in state.house.container - state.house.lid:
            _rub(state, deed.item, deed.target)


def place_on_top(state: State, deed: ActivityAction) -> None:
    """Onto the target."""
    if can_put(state, deed):
        relation = "onfloor" if is_ground(state.house, deed.target) else "ontop"
        lay(state, deed.item, relation, deed.target)
        _rub(state, deed.item, deed.target)


def place_next_to(state: State, deed: ActivityAction) -> None:
    """Where the target lies, at its side; of what stands by itself on the floor there."""
    if not can_put(state, deed):
        return
    if is_ground(state.house, deed.target):
        place_on_floor(state, deed)
        return
    link = state.support.get(deed.target)
    if link is None:
        _drop(state, deed.item, state.room_of(deed.target))
    else:
        lay(state, deed.item, *link)
    state.relate("nextto", deed.item, deed.target)
    state.relate("touching", deed.item, deed.target)


def place_under(state: State, deed: ActivityAction) -> None:
    """Under a faucet is in its basin."""
    if not can_put(state, deed):
        return
    target = deed.target
    if is_ground(state.house, target):
        place_on_floor(state, deed)
        return
    if target in state.house.faucet or target in state.house.basin:
        lay(state, deed.item, "inside", next(iter(physics.basins_of(state, target)), target))
        return
    link = state.support.get(target)
    if link is None or link[0] == "onfloor":
        _drop(state, deed.item, state.room_of(target))
    else:
        lay(state, deed.item, *link)
    state.relate("under", deed.item, target)


def place_on_floor(state: State, deed: ActivityAction) -> None:
    """Onto a floor; of another target at its side; of none where the agent is."""
    if not can_put(state, deed):
        return
    house = state.house
    if not deed.target:
        _drop(state, deed.item, state.room)
    elif is_ground(house, deed.target):
        lay(state, deed.item, "onfloor", deed.target)
    else:
        _drop(state, deed.item, state.room_of(deed.target))
        state.relate("nextto", deed.item, deed.target)


def is_ground(house: ActivityScene, target: str) -> bool:
    """Whether a target is a floor, or a room of which no floor is declared."""
    return target in house.floor or target not in house.categories


def _drop(state: State, item: str, room: str) -> None:
    """Onto the floor of a room, or wherever the agent is if nobody knows which."""
    room = room or state.room
    lay(state, item, "onfloor", room)


def lay(state: State, item: str, relation: str, target: str) -> None:
    """Brings an item somewhere, with all that comes of its being there."""
    physics.leave(state, item)
    if relation == "onfloor" and target not in state.house.categories:
        target = state.house.floors.get(target, target)
    state.put(item, relation, target)
    physics.arrive(state, item)
    if relation == "onfloor" and state.room_of(state.at) == state.room_of(item):
        state.stand_by(item)
    if not state.at:
        state.at = target if relation != "onfloor" else item


def _rub(state: State, item: str, target: str) -> None:
    """What people mean who know no other verb: a tool put on what is dirty cleans it, a knife put
    on food slices it, water put on a plant waters it. Soap soaps a tool."""
    house = state.house
    if item in house.tool:
        physics.ease_clean(state, target)
    if item in house.knife and target in house.food:
        state.ease("sliced", target)
    if target in house.absorbent and (item in house.water or ("filled", item) in state.facts):
        state.ease("soaked", target)
    if item in house.soap and target in house.tool:
        state.mark("soaped", target)
