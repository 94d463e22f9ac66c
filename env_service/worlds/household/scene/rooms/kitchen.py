"""Kitchens: counters along one, two or three walls, a table if there is room, all that cooks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from env_service.domain.text import with_article
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.fitting import CORNER, Fitting
from env_service.worlds.household.scene.rooms.footprints import Footprint
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Furnishing, Item
from env_service.worlds.household.scene.rooms.hangings import hang_pictures
from env_service.worlds.household.scene.rooms.islands import build_island
from env_service.worlds.household.scene.rooms.larder import stock_kitchen
from env_service.worlds.household.scene.rooms.palettes import drawn_palette
from env_service.worlds.household.scene.rooms.shell import Opening, Shell
from env_service.worlds.household.scene.rooms.shelves import (
    ShelfPlan,
    fill_shelves,
    hang_shelves,
    stand_unit,
)
from env_service.worlds.household.scene.rooms.windows import build_window, dress_window
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec

LAYOUTS = ("line", "corner", "corner", "horseshoe", "galley")
ON_UNIT = ("Bottle", "Vase", "Bowl", "Plate", "AluminumFoil", "HousePlant", "Pot", "TissueBox")
ON_WALL = ("Mug", "Vase", "Bowl", "SaltShaker", "Candle")


@dataclass(frozen=True)
class Cooking:
    """What a kitchen is made of, for its stock: counters, open boards, table, machines."""

    counters: tuple[ObjectSpec, ...]
    boards: tuple[ObjectSpec, ...]
    table: ObjectSpec | None
    fridge: ObjectSpec
    microwave: ObjectSpec


def draw_kitchen(name: str, draw: np.random.Generator) -> SceneSpec:
    """A kitchen; the generator decides everything about it."""
    palette, accent = drawn_palette(Room.KITCHEN, draw)
    furnishing = Furnishing(name, palette, draw)
    layout = str(draw.choice(LAYOUTS))
    shell = Shell(furnishing, *_extent(layout, draw))
    kitchen = Fitting(shell, layout, shell.turned())
    if accent is not None:
        shell.coverings[kitchen.walls[1 if layout == "galley" else 3].name] = accent
    kitchen.fit()
    if layout in ("line", "corner"):
        _extend(kitchen)
    table = _table(shell)
    microwave = _machines(kitchen)
    stock_kitchen(
        shell, Cooking(tuple(kitchen.tops), tuple(kitchen.boards), table, kitchen.fridge, microwave)
    )
    _about(shell)
    shell.close(kitchen.tiles if draw.random() < 0.85 else None)
    return shell.scene(Room.KITCHEN)


def _extent(layout: str, draw: np.random.Generator) -> tuple[float, float]:
    """Width and depth of the floor."""
    low, high = {"line": (4.4, 5.4), "corner": (3.4, 5.0), "horseshoe": (3.5, 4.5)}.get(
        layout, (3.8, 4.7)
    )
    return float(draw.uniform(low, high)), float(draw.uniform(low, high))


def _extend(kitchen: Fitting) -> None:
    """An island if the floor is deep enough, a window or a nook at the walls without counters."""
    shell, draw = kitchen.shell, kitchen.shell.furnishing.draw
    back, right, front, left = kitchen.walls
    if right.length > 4.3 and draw.random() < 0.6:
        length = float(draw.uniform(1.3, 1.8))
        at = back.length * 0.45 if kitchen.layout == "corner" else back.length / 2
        island = build_island(shell, back, (at - length / 2, at + length / 2), 0.6)
        kitchen.tops.append(island)
    elif draw.random() < 0.35:
        # the corner of the front and the left wall, away from counters and door
        number = shell.walls.index(front)
        room = front.length - kitchen.door_end - 0.3
        if room > 0.6:
            shell.nook(number, min(room, float(draw.uniform(0.6, 1.2))), 0.7)
    if draw.random() < 0.6:
        wide = float(draw.uniform(0.9, 1.5))
        at = left.length * 0.45
        opening = Opening(at - wide / 2, at + wide / 2, 0.95, 2.1)
        if shell.ledgers[left.name].free(opening.start - 0.1, opening.end + 0.1):
            build_window(shell, left, opening)
            dress_window(shell, left, opening, curtains=0.6)


def _table(shell: Shell) -> ObjectSpec | None:
    """A dining table with chairs where the floor is free, or a smaller one, or none."""
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    floor = (shell.floor.object_id,)
    for size in (Vec3(1.3, 0.75, 0.8), Vec3(1.0, 0.75, 1.0), Vec3(0.9, 0.75, 0.7)):
        for _ in range(40):
            x = float(draw.uniform(-shell.width / 2 + 0.9, shell.width / 2 - 0.9))
            z = float(draw.uniform(-shell.depth / 2 + 0.9, shell.depth / 2 - 0.9))
            item = Item("DiningTable", size, parents=floor)
            turned = bool(draw.random() < 0.5)
            yaw = 90.0 if turned else 0.0
            table = furnishing.stand(item, Vec3(x, 0.0, z), yaw, margin=0.6)
            if table is None:
                continue
            _chairs(shell, table)
            return table
    return None


def _chairs(shell: Shell, table: ObjectSpec) -> None:
    """Two chairs at a table, facing each other, pushed in a little."""
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    kind = "Chair" if draw.random() < 0.75 else "Stool"
    variant = int(draw.integers(1, 31))
    floor = (shell.floor.object_id,)
    for side in (-1, 1):
        away = table.body.rotation.apply(Vec3(0.0, 0.0, side * (table.body.size.z / 2 + 0.08)))
        base = Vec3(table.position.x, 0.0, table.position.z) + away
        yaw = (table.rotation.y + (180.0 if side > 0 else 0.0)) % 360.0
        item = Item(kind, variant=variant, parents=floor)
        size = item.extent
        furnishing.put(item, base, yaw)
        furnishing.standing.append(Footprint(base.x, base.z, size.x, size.z, yaw))


def _machines(kitchen: Fitting) -> ObjectSpec:
    """Microwave, coffee machine and toaster on the counters: one in a corner if there is one, the
    others at the back."""
    furnishing, tops = kitchen.shell.furnishing, kitchen.tops
    draw = furnishing.draw
    made: dict[str, ObjectSpec] = {}
    for number, (top, at, yaw) in enumerate(kitchen.corners):
        kind = "CoffeeMachine" if number == 0 and draw.random() < 0.6 else "HousePlant"
        placed = furnishing.lay_at(kind, top, at, yaw=yaw)
        if placed is not None:
            made[kind] = placed
        furnishing.keep_clear(top, at, CORNER + 0.1, CORNER)
    for kind in ("Microwave", "CoffeeMachine", "Toaster"):
        for number in draw.permutation(len(tops)):
            if kind in made:
                break
            placed = furnishing.lay(kind, tops[int(number)], yaw=0.0, at_back=True)
            if placed is not None:
                made[kind] = placed
        if kind not in made:
            raise CrampedError(f"no room for {with_article(kind)} in {furnishing.name}")
    return made["Microwave"]


def _about(shell: Shell) -> None:
    """What else stands by and hangs on the walls."""
    draw = shell.furnishing.draw
    walls = tuple(shell.all_walls[int(i)] for i in draw.permutation(len(shell.all_walls)))
    for kind in ("GarbageCan", "HousePlant", "Stool"):
        if kind == "GarbageCan" or draw.random() < 0.45:
            for wall in walls:
                if shell.against(wall, kind, front=0.1) is not None:
                    break
    if draw.random() < 0.4:
        size = Vec3(float(draw.uniform(0.7, 1.0)), float(draw.uniform(1.3, 1.75)), 0.36)
        boards = stand_unit(shell, walls, size)
        fill_shelves(shell.furnishing, boards, ON_UNIT, 3)
    hang_pictures(shell, walls, int(draw.integers(1, 4)))
    if draw.random() < 0.35:
        plan = ShelfPlan(float(draw.uniform(0.7, 1.0)), count=int(draw.integers(1, 3)))
        for wall in walls:
            boards = hang_shelves(shell, wall, plan)
            if boards:
                fill_shelves(shell.furnishing, boards, ON_WALL, 2)
                break
