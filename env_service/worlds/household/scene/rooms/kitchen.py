"""Kitchens: counters along one, two or three walls, a table if there is room, all that cooks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.counters import (
    COUNTER_TOP,
    CounterPlan,
    build_counter,
)
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Furnishing, Item
from env_service.worlds.household.scene.rooms.larder import stock_kitchen
from env_service.worlds.household.scene.rooms.shell import DOOR_WIDTH, Opening, Shell
from env_service.worlds.household.scene.rooms.stoves import STOVE_WIDTH, build_stove
from env_service.worlds.household.scene.rooms.wall_cabinets import build_wall_cabinets
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec

CORNER = 0.62
"""Metres that one counter takes of the next wall."""
LAYOUTS = ("line", "corner", "corner", "horseshoe", "galley")
SPLASH = (COUNTER_TOP, 1.42)
"""Heights between which the wall behind a counter is tiled."""


@dataclass(frozen=True)
class Stretch:
    """A stretch of a wall for counters: from where to where, with a sink, a stove or both, and
    how much of its ends hides behind other furniture."""

    start: float
    end: float
    sink: bool = False
    stove: bool = False
    hidden: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Cooking:
    """What a kitchen is made of, for its stock: counters, table, machines."""

    counters: tuple[ObjectSpec, ...]
    table: ObjectSpec | None
    fridge: ObjectSpec
    microwave: ObjectSpec


def draw_kitchen(name: str, draw: np.random.Generator) -> SceneSpec:
    """A kitchen; the generator decides everything about it."""
    furnishing = Furnishing(name, _palette(draw), draw)
    layout = str(draw.choice(LAYOUTS))
    shell = Shell(furnishing, *_extent(layout, draw))
    turn = int(draw.integers(4))
    back, right, front, left = (shell.walls[int(i)] for i in np.roll(range(4), turn))
    counters, fridge = _fit(shell, layout, (back, right, front, left))
    table = _table(shell)
    microwave = _machines(shell, counters)
    stock_kitchen(shell, Cooking(counters, table, fridge, microwave))
    _about(shell)
    tiled = {wall.name: SPLASH for wall in (back, right, left)}
    shell.close(splash=tiled if draw.random() < 0.8 else None)
    return shell.scene(Room.KITCHEN)


def _palette(draw: np.random.Generator) -> Palette:
    cabinets, counter, wood = {
        0: ("cherry", "rose laminate", "cherry"),
        1: ("maple", "green slate", "maple"),
        2: ("white", "black granite", "oak"),
        3: ("cream", "brown granite", "oak"),
        4: ("oak", "grey stone", "oak"),
        5: ("walnut", "white marble", "walnut"),
        6: ("sage", "white marble", "pine"),
        7: ("navy", "white marble", "oak"),
        8: ("slate", "grey stone", "pine"),
    }[int(draw.integers(9))]
    return Palette(
        walls=str(draw.choice(["cream", "sand", "white", "sage", "sky"])),
        floor=str(
            draw.choice(
                [
                    "honey tiles",
                    "slate tiles",
                    "beige tiles",
                    "oak boards",
                    "checker tiles",
                    "terracotta tiles",
                    "cream linoleum",
                ]
            )
        ),
        cabinets=cabinets,
        counter=counter,
        wood=wood,
        metal=str(draw.choice(["steel", "steel", "black iron", "white enamel"])),
        fabric=str(draw.choice(["brick", "sage", "navy", "mustard"])),
        tiles=str(draw.choice(["white", "cream", "sea", "sand", "blue"])),
    )


def _extent(layout: str, draw: np.random.Generator) -> tuple[float, float]:
    """Width and depth of the floor."""
    low, high = {"line": (4.5, 5.4), "corner": (3.4, 4.5), "horseshoe": (3.4, 4.3)}.get(
        layout, (3.8, 4.6)
    )
    return float(draw.uniform(low, high)), float(draw.uniform(low, high))


def _fit(
    shell: Shell, layout: str, walls: tuple[Wall, Wall, Wall, Wall]
) -> tuple[tuple[ObjectSpec, ...], ObjectSpec]:
    """Counters, stove and fridge along the walls of a layout, the door on a wall without."""
    back, right, front, left = walls
    draw = shell.furnishing.draw
    width = float(draw.uniform(0.74, 0.92))
    size = Vec3(width, float(draw.uniform(1.7, 1.95)), Item("Fridge").extent.z)
    item, taken = Item("Fridge", size), width + 0.06
    if layout == "line":
        shell.door(front, float(draw.uniform(0.3, front.length - DOOR_WIDTH - 0.6)))
        fridge = _fridge(shell, back, item, taken / 2)
        return _stretch(shell, back, Stretch(taken, back.length, sink=True, stove=True)), fridge
    if layout == "galley":
        shell.door(left, float(draw.uniform(0.9, left.length - DOOR_WIDTH - 0.9)))
        fridge = _fridge(shell, front, item, taken / 2)
        wet = _stretch(shell, back, Stretch(0.02, back.length - 0.02, sink=True))
        dry = _stretch(shell, front, Stretch(taken, front.length - 0.02, stove=True))
        return (*wet, *dry), fridge
    shell.door(front, float(draw.uniform(0.9, front.length - DOOR_WIDTH - 0.9)))
    fridge = _fridge(shell, right, item, right.length - taken / 2)
    first = CORNER if layout == "horseshoe" else 0.02
    wet = _stretch(shell, back, Stretch(first, back.length, sink=True, hidden=(0.0, CORNER)))
    dry = _stretch(shell, right, Stretch(CORNER, right.length - taken, stove=True))
    if layout == "corner":
        return (*wet, *dry), fridge
    third = Stretch(left.length * 0.35, left.length, hidden=(0.0, CORNER))
    return (*wet, *dry, *_stretch(shell, left, third)), fridge


def _fridge(shell: Shell, wall: Wall, item: Item, at: float) -> ObjectSpec:
    fridge = shell.against(wall, item, at=at, front=0.5)
    if fridge is None:
        raise CrampedError(f"no room for a fridge in {shell.furnishing.name}")
    return fridge


def _stretch(shell: Shell, wall: Wall, part: Stretch) -> tuple[ObjectSpec, ...]:
    """Builds the counters of a stretch, and what hangs above them."""
    draw = shell.furnishing.draw
    start, end, hidden = part.start, part.end, part.hidden
    free = (start + hidden[0], end - hidden[1])
    if part.stove:
        share = 0.30 if part.sink else 0.5
        at = free[0] + (free[1] - free[0]) * share + float(draw.uniform(-0.1, 0.1))
        build_stove(shell, wall, at)
        after = at + STOVE_WIDTH / 2
        spans = [(start, at - STOVE_WIDTH / 2, (hidden[0], 0.0)), (after, end, (0.0, hidden[1]))]
        basin = (after + 0.10 + free[1]) / 2
    else:
        spans = [(start, end, hidden)]
        basin = (free[0] + free[1]) / 2 + float(draw.uniform(-0.15, 0.15))
    if part.sink:
        _window_over(shell, wall, basin)
    tops = []
    for low, high, covered in spans:
        sinks = (basin,) if part.sink and low < basin < high else ()
        plan = CounterPlan(low, high, sinks=sinks, room="kitchen", hidden=covered)
        tops.append(build_counter(shell, wall, plan))
    build_wall_cabinets(shell, wall, start, end)
    return tuple(tops)


def _window_over(shell: Shell, wall: Wall, middle: float) -> None:
    if shell.furnishing.draw.random() < 0.75:
        wide = float(shell.furnishing.draw.uniform(0.9, 1.2))
        shell.window(wall, Opening(middle - wide / 2, middle + wide / 2, 1.15, 2.05))


def _table(shell: Shell) -> ObjectSpec | None:
    """A dining table with chairs where the floor is free, or a smaller one, or none."""
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    floor = (shell.floor.object_id,)
    for size in (Vec3(1.3, 0.75, 0.8), Vec3(0.9, 0.75, 0.7), Vec3(0.7, 0.74, 0.6)):
        for _ in range(40):
            x = float(draw.uniform(-shell.width / 2 + 0.9, shell.width / 2 - 0.9))
            z = float(draw.uniform(-shell.depth / 2 + 0.9, shell.depth / 2 - 0.9))
            item = Item("DiningTable", size, parents=floor)
            table = furnishing.stand(item, Vec3(x, 0.0, z), 0.0, margin=0.62)
            if table is None:
                continue
            kind = "Chair" if draw.random() < 0.75 else "Stool"
            variant = int(draw.integers(1, 31))
            for side in (-1, 1):
                base = Vec3(x, 0.0, z + side * (size.z / 2 + 0.08))
                yaw = 180.0 if side > 0 else 0.0
                furnishing.put(Item(kind, variant=variant, parents=floor), base, yaw)
                shell.block(base, 0.5, 0.5)
            return table
    return None


def _machines(shell: Shell, counters: tuple[ObjectSpec, ...]) -> ObjectSpec:
    """Microwave, coffee machine and toaster at the back of the counters."""
    furnishing = shell.furnishing
    made = {}
    for kind in ("Microwave", "CoffeeMachine", "Toaster"):
        for number in furnishing.draw.permutation(len(counters)):
            placed = furnishing.lay(kind, counters[int(number)], yaw=0.0, at_back=True)
            if placed is not None:
                made[kind] = placed
                break
        else:
            raise CrampedError(f"no room for a {kind} in {furnishing.name}")
    return made["Microwave"]


def _about(shell: Shell) -> None:
    draw = shell.furnishing.draw
    for kind in ("GarbageCan", "HousePlant", "Stool"):
        if kind == "GarbageCan" or draw.random() < 0.4:
            for number in draw.permutation(4):
                wall = shell.walls[int(number)]
                if shell.against(wall, kind, front=0.1) is not None:
                    break
    for number in draw.permutation(4)[:1]:
        shell.hang(shell.walls[int(number)], "Painting", 1.45)
