"""Shelving units and boards on walls, each board a Shelf with things on it."""

from __future__ import annotations

from dataclasses import dataclass

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.furnishing import Furnishing, Item
from env_service.worlds.household.scene.rooms.shell import Shell
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec

LOWEST = 0.08
"""Metres from the floor to the lowest board of a unit."""
EVERY = 0.38
"""Metres between its boards, about."""
SIDE = 0.026
"""Metres of a unit's side that its boards leave free."""
ABOVE = 0.003
"""Metres by which a Shelf's surface lies above the underside of its box (see its builder)."""
OVER_TOP = 0.34
"""Metres of room that belong to a board with nothing above it."""


@dataclass(frozen=True)
class ShelfPlan:
    """Boards on a wall, one above the other.

    Attributes:
        width, depth: of a board, metres.
        lowest: height of the first.
        count: how many.
        every: metres between them.
    """

    width: float
    depth: float = 0.22
    lowest: float = 1.25
    count: int = 1
    every: float = 0.36


def stand_unit(shell: Shell, walls: tuple[Wall, ...], size: Vec3) -> list[ObjectSpec]:
    """A shelving unit against the first wall with room; its boards, the lowest first, none if no
    wall has room."""
    count = round((size.y - LOWEST) / EVERY)
    step = (size.y - 0.004 - LOWEST) / count
    heights = [round(LOWEST + k * step, 4) for k in range(count + 1)]
    details = (("boards", tuple((y,) for y in heights)), ("shelves", "separate"))
    item = Item("ShelvingUnit", size, details=details)
    unit = None
    for wall in walls:
        unit = shell.against(wall, item, front=0.5)
        if unit is not None:
            break
    if unit is None:
        return []
    shell.reserve_before(unit, 0.35)
    boards = []
    for k, height in enumerate(heights):
        room = step - 0.02 if k < count else OVER_TOP
        board = Item("Shelf", Vec3(size.x - 2 * SIDE, room, size.z - 0.03), unit.variant)
        base = Vec3(unit.position.x, height - ABOVE, unit.position.z)
        boards.append(shell.furnishing.put(board, base, unit.rotation.y))
    return boards


def hang_shelves(
    shell: Shell, wall: Wall, plan: ShelfPlan, *, at: float | None = None
) -> list[ObjectSpec]:
    """Boards on brackets; none if the wall has no free stretch."""
    height = plan.every * (plan.count - 1) + OVER_TOP
    spot = _free_stretch(shell, wall, plan, height, at)
    if spot is None:
        return []
    shell.ledgers[wall.name].take(
        spot - plan.width / 2 - 0.03, spot + plan.width / 2 + 0.03, plan.lowest - 0.2,
        plan.lowest + height,
    )  # fmt: skip
    boards = []
    for k in range(plan.count):
        room = plan.every - 0.03 if k + 1 < plan.count else OVER_TOP
        item = Item(
            "Shelf",
            Vec3(plan.width, room, plan.depth),
            variant=1,
            details=(("brackets", "yes"), ("thickness", 0.022)),
        )
        base = wall.spot(spot, plan.depth / 2, plan.lowest + k * plan.every)
        boards.append(shell.furnishing.put(item, base, wall.yaw))
    return boards


def _free_stretch(
    shell: Shell, wall: Wall, plan: ShelfPlan, height: float, at: float | None
) -> float | None:
    half = plan.width / 2 + 0.03
    if wall.length < 2 * half + 0.1:
        return None
    for _ in range(30 if at is None else 1):
        low, high = half + 0.05, wall.length - half - 0.05
        middle = float(shell.furnishing.draw.uniform(low, high)) if at is None else at
        if middle - half < 0 or middle + half > wall.length:
            return None
        # beside a fridge or a wardrobe nobody sees what stands on a board
        beyond = 0.15 if at is None else 0.0
        start, end = middle - half - beyond, middle + half + beyond
        if shell.bare(wall, (start, end, plan.lowest - 0.2, plan.lowest + height), plan.depth):
            return middle
    return None


def row_of_books(furnishing: Furnishing, board: ObjectSpec, count: int) -> int:
    """Books side by side, their spines to the front, from one end of a board; how many found
    room."""
    draw, size = furnishing.draw, board.body.size
    side = 1 if draw.random() < 0.5 else -1
    at = size.x / 2 - 0.02
    placed = 0
    for _ in range(count):
        thick = float(draw.uniform(0.024, 0.045))
        tall = float(draw.uniform(0.20, 0.25))
        deep = min(float(draw.uniform(0.15, 0.18)), size.z - 0.03)
        if tall > size.y - 0.02:
            break
        item = Item("Book", Vec3(thick, tall, deep))
        spot = (side * (at - thick / 2), -size.z / 2 + deep / 2 + 0.01)
        placed += furnishing.lay_at(item, board, spot) is not None
        at -= thick + 0.002
    return placed


def fill_shelves(
    furnishing: Furnishing, boards: list[ObjectSpec], kinds: tuple[str, ...], books: int
) -> None:
    """Rows of books on some boards, other things on all of them in turn."""
    if not boards:
        return
    draw = furnishing.draw
    order = [boards[int(number)] for number in draw.permutation(len(boards))]
    for board in order[:2]:
        if books > 0:
            count = min(books, int(draw.integers(2, 5)))
            books -= row_of_books(furnishing, board, count)
    for number, kind in enumerate(draw.permutation(list(kinds))):
        for shift in range(len(order)):
            board = order[(number + shift) % len(order)]
            if furnishing.lay(str(kind), board, yaw=float(draw.uniform(-20, 20))) is not None:
                break
