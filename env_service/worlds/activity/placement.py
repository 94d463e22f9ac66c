"""What comes of putting things somewhere (docs/actplan.md, Judges)."""

from __future__ import annotations

from env_service.worlds.activity import physics
from env_service.worlds.activity.actions import ActivityAction
from env_service.worlds.activity.scene import ActivityScene
from env_service.worlds.activity.state import State


def can_put(state: State, action: ActivityAction) -> bool:
    """Whether the item can be carried to its target, and does not carry that itself."""
    scene = state.scene
    return (
        action.item in scene.movable
        and action.item != action.target
        and all(each != action.item for _, each in state.chain(action.target))
        and (action.target in scene.categories or scene.is_room(action.target) or not action.target)
    )


def place_inside(state: State, action: ActivityAction) -> None:
    """Into the target; a floor has no inside."""
    if can_put(state, action):
        relation = "onfloor" if is_ground(state.scene, action.target) else "inside"
        lay(state, action.item, relation, action.target)
        if action.target in state.scene.container - state.scene.lid:
            _rub(state, action.item, action.target)


def place_on_top(state: State, action: ActivityAction) -> None:
    """Onto the target."""
    if can_put(state, action):
        relation = "onfloor" if is_ground(state.scene, action.target) else "ontop"
        lay(state, action.item, relation, action.target)
        _rub(state, action.item, action.target)


def place_next_to(state: State, action: ActivityAction) -> None:
    """Where the target lies, at its side; of what stands by itself on the floor there."""
    if not can_put(state, action):
        return
    if is_ground(state.scene, action.target):
        place_on_floor(state, action)
        return
    link = state.support.get(action.target)
    if link is None:
        _drop(state, action.item, state.room_of(action.target))
    else:
        lay(state, action.item, *link)
    state.relate("nextto", action.item, action.target)
    state.relate("touching", action.item, action.target)


def place_under(state: State, action: ActivityAction) -> None:
    """Under a faucet is in its basin."""
    if not can_put(state, action):
        return
    target = action.target
    if is_ground(state.scene, target):
        place_on_floor(state, action)
        return
    if target in state.scene.faucet or target in state.scene.basin:
        lay(state, action.item, "inside", next(iter(physics.basins_of(state, target)), target))
        return
    link = state.support.get(target)
    if link is None or link[0] == "onfloor":
        _drop(state, action.item, state.room_of(target))
    else:
        lay(state, action.item, *link)
    state.relate("under", action.item, target)


def place_on_floor(state: State, action: ActivityAction) -> None:
    """Onto a floor; of another target at its side; of none where the agent is."""
    if not can_put(state, action):
        return
    scene = state.scene
    if not action.target:
        _drop(state, action.item, state.room)
    elif is_ground(scene, action.target):
        lay(state, action.item, "onfloor", action.target)
    else:
        _drop(state, action.item, state.room_of(action.target))
        state.relate("nextto", action.item, action.target)


def is_ground(scene: ActivityScene, target: str) -> bool:
    """Whether a target is a floor, or a room of which no floor is declared."""
    return target in scene.floor or target not in scene.categories


def _drop(state: State, item: str, room: str) -> None:
    """Onto the floor of a room, or wherever the agent is if nobody knows which."""
    room = room or state.room
    lay(state, item, "onfloor", room)


def lay(state: State, item: str, relation: str, target: str) -> None:
    """Brings an item somewhere, with all that comes of its being there."""
    physics.leave(state, item)
    if relation == "onfloor" and target not in state.scene.categories:
        target = state.scene.floors.get(target, target)
    state.put(item, relation, target)
    physics.arrive(state, item)
    if relation == "onfloor" and state.room_of(state.at) == state.room_of(item):
        state.stand_by(item)
    if not state.at:
        state.at = target if relation != "onfloor" else item


def _rub(state: State, item: str, target: str) -> None:
    """What people mean who know no other verb: a tool put on what is dirty cleans it, a knife put
    on food slices it, water put on a plant waters it. Soap soaps a tool."""
    scene = state.scene
    if item in scene.tool:
        physics.clean_relaxed(state, target)
    if item in scene.knife and target in scene.food:
        state.mark_relaxed("sliced", target)
    if target in scene.absorbent and (item in scene.water or ("filled", item) in state.facts):
        state.mark_relaxed("soaked", target)
    if item in scene.soap and target in scene.tool:
        state.mark("soaped", target)
