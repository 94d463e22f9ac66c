"""Cabinets that hang above a counter."""

from __future__ import annotations

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.counters import front_style
from env_service.worlds.household.scene.rooms.furnishing import Details, Item
from env_service.worlds.household.scene.rooms.shell import Shell
from env_service.worlds.household.scene.rooms.shelves import ShelfPlan, hang_shelves
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec

LOW, HIGH, DEPTH = 1.45, 2.15, 0.34
"""Metres above the floor, and from the wall."""
WIDEST, LEAST = 0.55, 0.28
STEP = 0.02


def build_wall_cabinets(shell: Shell, wall: Wall, start: float, end: float) -> list[ObjectSpec]:
    """Fills every free stretch of a wall above a counter with cabinets, some with glass doors, or
    with boards instead; gives back the boards."""
    draw = shell.furnishing.draw
    style = front_style(shell)
    ledger = shell.ledgers[wall.name]
    open_boards: list[ObjectSpec] = []
    for low, high in _free_stretches(shell, wall, max(start, 0.01), min(end, wall.length - 0.01)):
        count = max(1, round((high - low) / WIDEST + 0.3))
        wide = (high - low) / count
        if wide < LEAST:
            continue
        if high - low > 0.5 and draw.random() < 0.25:
            plan = ShelfPlan(min(high - low - 0.08, 1.2), 0.24, LOW, 2, 0.36)
            open_boards += hang_shelves(shell, wall, plan, at=(low + high) / 2)
            ledger.take(low, high, LOW, HIGH)
            continue
        glass = draw.random() < 0.2
        for k in range(count):
            middle = low + (k + 0.5) * wide
            hinge = "left" if k % 2 == 0 else "right"
            details: Details = (("hinge", hinge), ("kind", "glass" if glass else "door"))
            item = Item("Cabinet", Vec3(wide - 0.004, HIGH - LOW, DEPTH), style, details=details)
            shell.furnishing.put(item, wall.spot(middle, DEPTH / 2, LOW), wall.yaw)
        ledger.take(low, high, LOW, HIGH)
    return open_boards


def _free_stretches(
    shell: Shell, wall: Wall, start: float, end: float
) -> list[tuple[float, float]]:
    """Stretches of the wall where nothing else hangs, also not on the walls beside it."""
    others = [other for other in shell.walls if other.name != wall.name]
    corners = [
        (start, start + DEPTH) for other in others if _meets(shell, other, wall, at_left=True)
    ] + [(end - DEPTH, end) for other in others if _meets(shell, other, wall, at_left=False)]
    found: list[tuple[float, float]] = []
    at, begin = start, None
    while at <= end + 1e-9:
        free = shell.ledgers[wall.name].free(at, min(at + STEP, end + STEP), LOW, HIGH) and all(
            at >= b or at + STEP <= a for a, b in corners
        )
        if free and begin is None:
            begin = at
        if begin is not None and (not free or at + STEP > end):
            found.append((begin, min(at, end)))
            begin = None
        at += STEP
    return [(a, b) for a, b in found if b - a >= LEAST]


def _meets(shell: Shell, other: Wall, wall: Wall, *, at_left: bool) -> bool:
    """Whether another wall has cabinets in the corner at one end of this wall."""
    corner = wall.spot(0.0 if at_left else wall.length, 0.0)
    near = (corner - other.left).dot(other.along)
    away = (corner - other.left - other.along * near).length()
    if away > 1e-6 or not -1e-6 <= near <= other.length + 1e-6:
        return False
    span = (0.0, DEPTH) if near < other.length / 2 else (other.length - DEPTH, other.length)
    return not shell.ledgers[other.name].free(*span, LOW, HIGH)
