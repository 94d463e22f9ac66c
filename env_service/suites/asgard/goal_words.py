"""Goals in plain words: names of goal conditions, unique within a task."""

from __future__ import annotations

from env_service.suites.asgard.plan import (
    ContentsGoal,
    Deed,
    DeedGoal,
    Goal,
    LocationGoal,
    PutAwayGoal,
    State,
    StateGoal,
)

_STATES = {
    State.TOGGLED: ("on", "off"),
    State.OPEN: ("open", "closed"),
    State.DIRTY: ("dirty", "clean"),
    State.COOKED: ("cooked", "uncooked"),
    State.FILLED: ("filled", "empty"),
}

_DEEDS = {
    Deed.DRINK_COFFEE: "coffee has been drunk",
    Deed.SPRAY_MIRROR: "the mirror has been sprayed",
}


def describe(goal: Goal) -> str:
    """The goal as a short statement that is true once it is met, such as "Mug is clean"."""
    match goal:
        case LocationGoal(object_type, destination):
            return f"{object_type} is on {destination}"
        case StateGoal(object_type, state, value):
            return f"{object_type} is {_STATES[state][0 if value else 1]}"
        case PutAwayGoal(object_type):
            return f"{object_type} is put away"
        case DeedGoal(deed):
            return _DEEDS[deed]
        case ContentsGoal(container, contents):
            return f"{container} holds {_listed(contents)} and nothing else"


def _listed(names: tuple[str, ...]) -> str:
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last
