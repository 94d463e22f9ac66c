"""The six actions, and when the world refuses them."""

from dataclasses import dataclass
from enum import Enum

from env_service.worlds.babyai.state import Snapshot, Thing

ACTIONS = ("left", "right", "forward", "pickup", "drop", "toggle")
"""minigrid's names, in its order. Its seventh, ``done``, does nothing and is left out."""


class Obstacle(Enum):
    """Why an action changes nothing."""

    BLOCKED = "blocked"
    """forward: the agent cannot enter the cell ahead."""
    NOTHING_PORTABLE = "nothing_portable"
    """pickup: the cell ahead holds nothing that can be picked up."""
    HANDS_FULL = "hands_full"
    """pickup: the agent already carries something."""
    HANDS_EMPTY = "hands_empty"
    """drop: the agent carries nothing."""
    OCCUPIED = "occupied"
    """drop: the cell ahead is not free."""
    NOT_OPENABLE = "not_openable"
    """toggle: the cell ahead holds neither a door nor a box."""
    LOCKED = "locked"
    """toggle: the door needs a key of its colour in hand."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason why an action changes nothing, and the content of the cell ahead."""

    obstacle: Obstacle
    ahead: Thing | None


def find_refusal(before: Snapshot, action: str) -> Refusal | None:
    """Why ``action`` will not change ``before``; None if it will."""
    ahead = before.at(before.ahead)
    obstacle = _OBSTACLES[action](ahead, before.carrying)
    return None if obstacle is None else Refusal(obstacle, ahead)


def _turn(_ahead: Thing | None, _carrying: Thing | None) -> Obstacle | None:
    return None


def _forward(ahead: Thing | None, _carrying: Thing | None) -> Obstacle | None:
    return None if ahead is None or ahead.passable else Obstacle.BLOCKED


def _pickup(ahead: Thing | None, carrying: Thing | None) -> Obstacle | None:
    if ahead is None or not ahead.portable:
        return Obstacle.NOTHING_PORTABLE
    return None if carrying is None else Obstacle.HANDS_FULL


def _drop(ahead: Thing | None, carrying: Thing | None) -> Obstacle | None:
    if carrying is None:
        return Obstacle.HANDS_EMPTY
    return None if ahead is None else Obstacle.OCCUPIED


def _toggle(ahead: Thing | None, carrying: Thing | None) -> Obstacle | None:
    if ahead is None or ahead.kind not in ("door", "box"):
        return Obstacle.NOT_OPENABLE
    if ahead.state != "locked":
        return None
    fits = carrying is not None and carrying.kind == "key" and carrying.color == ahead.color
    return None if fits else Obstacle.LOCKED


_OBSTACLES = {
    "left": _turn,
    "right": _turn,
    "forward": _forward,
    "pickup": _pickup,
    "drop": _drop,
    "toggle": _toggle,
}
