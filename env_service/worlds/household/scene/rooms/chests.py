"""Furniture with drawers: the body, and a Drawer object for each of its openings."""

from __future__ import annotations

from dataclasses import dataclass, replace

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.furnishing import Furnishing, Item
from env_service.worlds.household.scene.spec import ObjectSpec

FRAME = 0.025
"""Metres of wood around and between drawers."""
BACK = 0.03
"""Metres between a drawer and the body's back."""


@dataclass(frozen=True)
class Drawers:
    """Where drawers are in a front.

    Attributes:
        columns, rows: how many.
        low, high: heights between which they lie, metres above the body's underside.
        left, right: limits along the front, metres from its middle to the left (+x); the whole
            width if both are 0.
    """

    columns: int
    rows: int
    low: float
    high: float
    left: float = 0.0
    right: float = 0.0

    def openings(self, size: Vec3) -> tuple[tuple[float, float, float, float], ...]:
        """(x0, y0, x1, y1) of each, in the body's own frame."""
        x1 = self.left or size.x / 2 - FRAME
        x0 = self.right or -(size.x / 2 - FRAME)
        wide = (x1 - x0 - FRAME * (self.columns - 1)) / self.columns
        tall = (self.high - self.low - FRAME * (self.rows - 1)) / self.rows
        return tuple(
            (
                x0 + column * (wide + FRAME),
                self.low + row * (tall + FRAME),
                x0 + column * (wide + FRAME) + wide,
                self.low + row * (tall + FRAME) + tall,
            )
            for row in range(self.rows)
            for column in range(self.columns)
        )


def with_drawers(item: Item, drawers: Drawers) -> Item:
    """The body's item, told of its openings."""
    holes = drawers.openings(item.extent)
    return replace(item, details=(*item.details, ("drawers", holes)))


def fill_drawers(furnishing: Furnishing, body: ObjectSpec, drawers: Drawers) -> list[ObjectSpec]:
    """A Drawer object in each opening of a body that stands."""
    made = []
    size = body.body.size
    yaw = body.rotation.y
    for x0, y0, x1, y1 in drawers.openings(size):
        deep = size.z - BACK
        local = Vec3((x0 + x1) / 2, y0 - size.y / 2, BACK / 2)
        base = body.body.rotation.apply(local) + body.body.center
        item = Item(
            "Drawer",
            Vec3(x1 - x0 - 0.006, y1 - y0 - 0.006, deep),
            variant=body.variant,
            details=(("wood", furnishing.palette.wood),),
        )
        made.append(furnishing.put(item, base + Vec3(0.0, 0.003, 0.0), yaw))
    return made
