"""Where the boards of shelves lie."""

from __future__ import annotations

from env_service.worlds.household.assets.model import Detail
from env_service.worlds.household.scene.thor_records import ThorRecord

ON_TOP = 0.03
"""Metres over a piece of furniture up to which a shelf has no board of its own. AI2-THOR's boxes of
such shelves, the lowest compartments of hutches, begin 8 to 22 mm above the desk (FloorPlan301, 308
and 312)."""

VENEER = 0.001
"""Metres: the thickness of what stands for the board then. Pencils and cards that lie on the desk
are thicker, and stay in sight."""

INTO_BOX = 0.003
"""Metres by which a board of its own reaches into a shelf's box: `assets.shelving.shelf`."""


def level_over(over: float) -> float:
    """How high things lie on a shelf: metres above the top of the furniture over which its box
    begins, by how far it begins over it."""
    return VENEER if 0.0 < over < ON_TOP else over + INTO_BOX


def board_of(record: ThorRecord, top: float | None, *, on_wall: bool) -> list[tuple[str, Detail]]:
    """The details of a shelf's board. ``top``: the upper side of the furniture that it belongs to,
    metres of height in the room; None for none. ``on_wall``: whether its back is at a wall."""
    over = None if top is None else record.low - top
    if over is not None and 0.0 < over < ON_TOP:
        return [("top", round(level_over(over) - over, 4)), ("thickness", VENEER)]
    hangs = on_wall and (over is None or over > 0.0)
    return [("brackets", "yes")] if hangs else []
