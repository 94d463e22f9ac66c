"""What of a world's state is compared: of each object, and of the agent.

Keys and meanings are those of AI2-THOR's metadata (spec: ai2thor.md sections 5.1 and 5.2).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from env_service.parity.geometry import distance, turn, turn_about_axis
from env_service.parity.tolerances import Tolerances

Thing = Mapping[str, Any]
"""The metadata of one object, or of the agent."""

TRAITS = (
    "pickupable",
    "moveable",
    "receptacle",
    "openable",
    "toggleable",
    "breakable",
    "canFillWithLiquid",
    "dirtyable",
    "canBeUsedUp",
    "cookable",
    "sliceable",
    "isHeatSource",
    "isColdSource",
)

FLAGS = {
    "isOpen": "openable",
    "isToggled": "toggleable",
    "isDirty": "dirtyable",
    "isFilledWithLiquid": "canFillWithLiquid",
    "fillLiquid": "canFillWithLiquid",
    "isSliced": "sliceable",
    "isCooked": "cookable",
    "isBroken": "breakable",
    "isUsedUp": "canBeUsedUp",
    "isPickedUp": "pickupable",
}
"""What an object is, and the trait that it has to have for that to mean anything: what cannot be
opened would only water the rate of isOpen down."""

EXISTS = "exists"
INVENTORY = "inventory"
VISIBLE, INTERACTABLE = "visible", "isInteractable"
SIGHT = (VISIBLE, INTERACTABLE)
"""What depends on the picture. It has rates of its own, and is no divergence of the state."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """One comparable part of an object or of the agent.

    ``applies`` says of which things it is compared: of those of which it holds in either world.
    ``exact`` is false where values count as equal within a tolerance.
    """

    name: str
    read: Callable[[Thing], Any]
    applies: Callable[[Thing], bool]
    agree: Callable[[Any, Any, Tolerances], bool]
    exact: bool = True


def _always(thing: Thing) -> bool:
    del thing
    return True


def _loose(thing: Thing) -> bool:
    return bool(thing.get("pickupable") or thing.get("moveable"))


def _fixed(thing: Thing) -> bool:
    return not _loose(thing)


def _equal(left: Any, right: Any, _: Tolerances) -> bool:
    return bool(left == right)


def _near(left: Any, right: Any, tolerances: Tolerances) -> bool:
    return distance(left, right) <= tolerances.position


def _turned_alike(left: Any, right: Any, tolerances: Tolerances) -> bool:
    return turn(left, right) <= tolerances.rotation


def _close(tolerance: str) -> Callable[[Any, Any, Tolerances], bool]:
    return lambda left, right, tolerances: abs(left - right) <= getattr(tolerances, tolerance)


def _key(name: str) -> Callable[[Thing], Any]:
    return lambda thing: thing.get(name)


def _flag(name: str, trait: str) -> Quantity:
    return Quantity(name, _key(name), lambda thing: bool(thing.get(trait)), _equal)


def _traits(thing: Thing) -> list[str]:
    return [trait for trait in TRAITS if thing.get(trait)]


def _parents(thing: Thing) -> list[str]:
    return sorted(thing.get("parentReceptacles") or [])


def _yaw(thing: Thing) -> float:
    return float(thing["rotation"]["y"])


OF_OBJECTS = (
    Quantity("traits", _traits, _always, _equal),
    *(_flag(name, trait) for name, trait in FLAGS.items()),
    Quantity("temperature", _key("temperature"), _always, _equal),
    Quantity("openness", _key("openness"), lambda thing: bool(thing.get("openable")),
             _close("openness"), exact=False),
    Quantity("parentReceptacles", _parents, _always, _equal),
    Quantity("position", _key("position"), _loose, _near, exact=False),
    Quantity("rotation", _key("rotation"), _loose, _turned_alike, exact=False),
    Quantity("fixture position", _key("position"), _fixed, _near, exact=False),
    Quantity("fixture rotation", _key("rotation"), _fixed, _turned_alike, exact=False),
    Quantity(VISIBLE, _key(VISIBLE), _always, _equal),
    Quantity(INTERACTABLE, _key(INTERACTABLE), _always, _equal),
)  # fmt: skip

OF_AGENT = (
    Quantity("agent position", _key("position"), _always, _near, exact=False),
    Quantity(
        "agent rotation", _yaw, _always,
        lambda left, right, tolerances: turn_about_axis(left, right) <= tolerances.rotation,
        exact=False,
    ),
    Quantity("agent horizon", _key("cameraHorizon"), _always, _close("horizon"), exact=False),
    Quantity("agent standing", _key("isStanding"), _always, _equal),
    Quantity(INVENTORY, _key(INVENTORY), _always, _equal),
)  # fmt: skip

CONTINUOUS = frozenset(each.name for each in (*OF_OBJECTS, *OF_AGENT) if not each.exact)
NAMES = (EXISTS, *(each.name for each in (*OF_OBJECTS, *OF_AGENT)))
"""Every quantity, in the order in which reports list them."""
