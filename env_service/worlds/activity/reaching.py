"""What is near the agent (spec: actplan.md section 3.5)."""

from __future__ import annotations

from env_service.worlds.activity.profile import Near, Profile
from env_service.worlds.activity.state import State


def is_near(state: State, thing: str, profile: Profile) -> bool:
    """Whether the agent reaches a thing.

    A floor is reached from everywhere in its room. What was walked to is near, with what it is in
    or on, what is there too, and what is next to it or under it. Of a floor that is not so: only
    who walks to the floor itself is near what lies on it.
    """
    house = state.house
    if state.is_held(thing):
        return True
    if profile.near is Near.ROOM or thing in house.floor or house.is_room(thing):
        room = thing if house.is_room(thing) else state.room_of(thing)
        return room == state.room or "" in (room, state.room)
    if not state.at:
        return False
    if state.at in house.floor:
        return any(each == state.at for _, each in state.chain(thing))
    return not _places(state, state.at).isdisjoint(_places(state, thing))


def _places(state: State, thing: str) -> set[str]:
    """A thing, what it is in or on, and what it is next to or under; no floors."""
    lies = {thing, *(target for relation, target in state.chain(thing) if relation != "onfloor")}
    beside = {other for _, one, other in state.relations if one in lies}
    beside.update(one for _, one, other in state.relations if other == thing)
    return (lies | beside) - state.house.floor
