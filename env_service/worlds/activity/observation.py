"""What an agent that acts step by step reads of its place, and how things are called towards
agents.
"""

import re
from collections.abc import Iterable

from env_service.worlds.activity.categories import lemma_of
from env_service.worlds.activity.state import State

_SHOWN = (
    "open",
    "toggled_on",
    "stained",
    "dusty",
    "soaked",
    "filled",
    "frozen",
    "cooked",
    "burnt",
    "sliced",
    "perished",
)
_WORDS = {"toggled_on": "on"}


def scene_text(state: State) -> str:
    """The agent's room, the thing that it is at, what it holds, and what it sees there, with
    states. The content of a container with a lid is listed only once the agent saw it open; other
    rooms are named, but not what is in them."""
    scene = state.scene
    visible = [
        name
        for name in scene.categories
        if name != scene.agent and state.room_of(name) in (state.room, "") and _is_seen(state, name)
    ]
    held = " and ".join(_inner(state, name, visible) for name in state.held)
    lines = [_where(state), f"You hold {held or 'nothing'}."]
    standing = [name for name in visible if name not in state.support and not state.is_held(name)]
    lines += (_description(state, name, visible) for name in standing)
    others = sorted(scene.room_names - {state.room})
    if others:
        lines.append(f"Other rooms: {', '.join(others)}.")
    return "\n".join(lines)


def _where(state: State) -> str:
    room = f"in the {state.room}" if state.room else "in the house"
    at = f", at {_name(state, state.at)}" if state.at else ""
    return f"You are {room}{at}."


def _is_seen(state: State, thing: str) -> bool:
    return not any(
        relation == "inside" and target in state.scene.lid and target not in state.seen
        for relation, target in state.chain(thing)
    )


def _description(state: State, thing: str, visible: Iterable[str]) -> str:
    """A thing with its states, and behind it what is in or on it, and so on."""
    on: list[str] = []
    for relation, word in (("inside", "in it"), ("ontop", "on it"), ("onfloor", "on it")):
        names = [name for name in visible if state.support.get(name) == (relation, thing)]
        if names:
            on.append(f"{word} {', '.join(_inner(state, name, visible) for name in names)}")
    description = f"{_name(state, thing)}{_states(state, thing)}"
    return f"{description}: {'; '.join(on)}" if on else description


def _inner(state: State, thing: str, visible: Iterable[str]) -> str:
    on = [name for name in visible if state.support.get(name, ("", ""))[1] == thing]
    description = f"{_name(state, thing)}{_states(state, thing)}"
    return (
        f"{description} [with {', '.join(_inner(state, name, visible) for name in on)}]"
        if on
        else description
    )


def _states(state: State, thing: str) -> str:
    words = [_WORDS.get(each, each) for each in _SHOWN if (each, thing) in state.facts]
    if state.is_shut(thing):
        words.insert(0, "closed")
    return f" ({', '.join(words)})" if words else ""


def _name(state: State, thing: str) -> str:
    return label(thing, state.scene.categories[thing])


# --- What things are called towards agents

_NUMBER = re.compile(r"_([0-9]{1,9})\Z")


def label(instance: str, category: str) -> str:
    """A name that agents use: "candle.n.01_2" of "candle.n.01" is "candle_2"."""
    number = instance.rpartition("_")[2]
    return f"{lemma_of(category)}_{number}" if number.isdigit() else lemma_of(category)


def number_of(instance: str) -> int:
    """3 of "basket.n.01_3"; 0 where there is none, or one of more than nine digits."""
    found = _NUMBER.search(instance)
    return int(found[1]) if found else 0
