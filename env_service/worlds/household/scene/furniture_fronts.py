"""To which side furniture faces."""

from __future__ import annotations

import math

from env_service.worlds.household.scene.rectangle import DIRECTIONS
from env_service.worlds.household.scene.surroundings import (
    Surroundings,
    gap,
    nearest_yaw,
    open_front,
)
from env_service.worlds.household.scene.thor_records import ThorRecord

CASES = frozenset({"Desk", "Dresser", "ShelvingUnit", "SideTable", "TVStand"})
"""Furniture that drawers, cabinets and shelves are built into."""

TURNABLE = CASES | {"ArmChair", "Bed", "CoffeeMachine", "Fridge", "Microwave", "Safe", "Sofa"}
"""Furniture of which a few assets face along another of their axes than +z."""


def quarter_turns(record: ThorRecord, around: Surroundings) -> int:
    """By how many quarter turns a piece's front lies off its own +z: 0 unless it would face a
    wall while another of its sides faces free floor; chairs without an asset face their table."""
    if record.type == "Chair" and not record.asset_id:
        return _towards_table(record, around)
    if record.type == "Television":
        return _screen_side(record, around)
    if record.type not in TURNABLE:
        return 0
    spot, own = record.spot, nearest_yaw(record.rotation.y)
    free = [around.floor.ahead(spot, (own + 90.0 * k) % 360.0) for k in range(4)]
    if free[0] >= 0.15:
        return 0
    best = max(range(4), key=lambda k: free[k])
    return best if free[best] > 0.4 else 0


def _towards_table(record: ThorRecord, around: Surroundings) -> int:
    tables = around.of("DiningTable", "Desk", "CounterTop")
    if not tables:
        return 0
    here = record.bounds.center
    table = min(tables, key=lambda r: gap(record, r))
    there = table.bounds.center
    wanted = math.degrees(math.atan2(there.x - here.x, there.z - here.z))
    return round((wanted - record.rotation.y) / 90.0) % 4


def _screen_side(record: ThorRecord, around: Surroundings) -> int:
    """A television looks across its thin side, to the seats, else to the floor's free part."""
    own = nearest_yaw(record.rotation.y)
    spot = record.spot
    thin_is_z = spot.depth <= spot.width
    options = [k for k in range(4) if ((own + 90.0 * k) % 180.0 == 0.0) == thin_is_z]
    seats = around.of("Sofa", "ArmChair", "Bed")

    def worth(k: int) -> float:
        yaw = (own + 90.0 * k) % 360.0
        x, z = DIRECTIONS[yaw]
        offsets = [r.bounds.center - record.bounds.center for r in seats]
        watched = sum(1.0 for o in offsets if o.x * x + o.z * z > 0) / max(len(offsets), 1)
        return around.floor.ahead(spot, yaw) + watched

    return max(options, key=worth)


def case_front(holder: ThorRecord, around: Surroundings) -> float:
    """The yaw of a piece of furniture with drawers."""
    own = holder.rotation.y if holder.asset_id else open_front(holder, around)
    yaw = (own + 90.0 * quarter_turns(holder, around)) % 360.0
    return nearest_yaw(yaw) if abs((yaw + 45.0) % 90.0 - 45.0) < 3.0 else yaw
