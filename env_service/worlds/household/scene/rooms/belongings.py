"""Small things that a room must hold, wherever they find a place."""

from __future__ import annotations

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.furnishing import Furnishing, Item
from env_service.worlds.household.scene.spec import ObjectSpec, StartState

OPEN = StartState(openness=1.0)
STARTS: dict[str, StartState] = {
    "Box": OPEN,
    "Laptop": OPEN,
    "Cloth": StartState(dirty=True),
    "WineBottle": StartState(liquid="wine"),
}
"""How things lie about that do not start as their type does."""


SMALL_BOX = Vec3(0.32, 0.22, 0.28)
"""A box that fits on a shelf."""


def usual(kind: str) -> Item:
    """A thing of a type as it lies about."""
    return Item(kind, SMALL_BOX if kind == "Box" else None, start=STARTS.get(kind))


def put_about(furnishing: Furnishing, kinds: tuple[str, ...], holders: list[ObjectSpec]) -> None:
    """One of each kind that the room does not hold yet, on one of the holders or anywhere; large
    ones first.

    Raises:
        CrampedError: nothing in the room has a place for one.
    """
    draw = furnishing.draw
    missing = [usual(kind) for kind in kinds if not furnishing.holds(kind)]
    for item in sorted(missing, key=lambda item: -item.extent.x * item.extent.z):
        order = [holders[int(number)] for number in draw.permutation(len(holders))]
        if item.type == "Laptop" and any(_on_top(furnishing, item, each) for each in order):
            continue
        furnishing.lay_somewhere(item, *order)


def _on_top(furnishing: Furnishing, item: Item, holder: ObjectSpec) -> bool:
    """Lays something so that it can be used from the front."""
    turn = float(furnishing.draw.uniform(-12, 12))
    return furnishing.lay(item, holder, yaw=turn) is not None
