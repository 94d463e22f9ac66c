"""Bedrooms: a bed with its side tables, a dresser, a desk, and what lies about."""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.chests import Drawers, fill_drawers, with_drawers
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Furnishing, Item
from env_service.worlds.household.scene.rooms.shell import Opening, Shell
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec, StartState

ON_DESK = ("Laptop", "Pen", "Pencil", "Book", "CD", "CellPhone", "Mug")
ON_DRESSER = ("KeyChain", "CreditCard", "Watch", "Vase", "Statue", "TissueBox", "Candle")
IN_DRAWERS = ("Cloth", "CellPhone", "Pen", "CD", "KeyChain", "CreditCard", "Book")
ON_FLOOR = ("BasketBall", "Boots", "Dumbbell", "LaundryHamper", "GarbageCan", "Box")
LEANING = ("BaseballBat", "TennisRacket")


def draw_bedroom(name: str, draw: np.random.Generator) -> SceneSpec:
    """A bedroom; the generator decides everything about it."""
    palette = Palette(
        walls=str(draw.choice(["cream", "sky", "sage", "blush", "white", "sand"])),
        floor=str(draw.choice(["oak boards", "beige carpet", "walnut boards", "grey carpet"])),
        cabinets=str(draw.choice(["white", "oak", "walnut"])),
        wood=str(draw.choice(["oak", "walnut", "pine", "cherry", "white"])),
        metal=str(draw.choice(["steel", "brass", "black iron"])),
        fabric=str(draw.choice(["navy", "slate", "brick", "moss", "mustard", "sky"])),
    )
    furnishing = Furnishing(name, palette, draw)
    shell = Shell(furnishing, float(draw.uniform(3.4, 4.5)), float(draw.uniform(3.3, 4.3)))
    order = [shell.walls[int(i)] for i in np.roll(range(4), int(draw.integers(4)))]
    head, right, foot, left = order
    shell.door(foot, float(draw.uniform(0.15, 0.5)))
    _windows(shell, left if draw.random() < 0.5 else right)
    bed = _bed(shell, head)
    _side_tables(shell, head, bed)
    dresser = _dresser(shell, (foot, right, left))
    desk = _desk(shell, (left, right, foot, head))
    if desk is None:
        raise CrampedError(f"no room for a desk in {name}")
    _belongings(furnishing, bed, dresser, desk)
    _about(shell, order)
    shell.close()
    return shell.scene(Room.BEDROOM)


def _windows(shell: Shell, wall: Wall) -> None:
    draw = shell.furnishing.draw
    wide = float(draw.uniform(1.0, min(1.7, wall.length - 1.2)))
    middle = float(draw.uniform(wide / 2 + 0.4, wall.length - wide / 2 - 0.4))
    opening = Opening(middle - wide / 2, middle + wide / 2, 0.95, 2.1)
    shell.window(wall, opening)
    dressed = draw.random()
    if dressed < 0.45:
        size = Vec3(wide + 0.5, 2.25, 0.14)
        shell.furnishing.put(Item("Curtains", size), wall.spot(middle, 0.15, 0.02), wall.yaw)
    elif dressed < 0.85:
        size = Vec3(wide + 0.06, 1.18, 0.04)
        shell.furnishing.put(Item("Blinds", size), wall.spot(middle, 0.08, 0.97), wall.yaw)


def _bed(shell: Shell, wall: Wall) -> ObjectSpec:
    draw = shell.furnishing.draw
    wide = float(draw.choice([1.0, 1.45, 1.65]))
    at = float(np.clip(wall.length / 2 + draw.uniform(-0.4, 0.4), wide / 2 + 0.7, None))
    at = min(at, wall.length - wide / 2 - 0.7)
    item = Item(
        "Bed",
        Vec3(wide, float(draw.uniform(0.85, 1.15)), 2.1),
        start=StartState(dirty=bool(draw.random() < 0.5)),
    )
    bed = shell.against(wall, item, at=at, front=0.3)
    if bed is None:
        raise CrampedError(f"no room for a bed in {shell.furnishing.name}")
    for _ in range(1 if wide < 1.2 else 2):
        shell.furnishing.lay(Item("Pillow"), bed, yaw=0.0, at_back=True)
    return bed


def _side_tables(shell: Shell, wall: Wall, bed: ObjectSpec) -> None:
    draw = shell.furnishing.draw
    middle = (bed.body.center - wall.left).dot(wall.along)
    high = float(draw.uniform(0.5, 0.62))
    plan = Drawers(1, int(draw.integers(1, 3)), 0.14, high - 0.06)
    variant = int(draw.integers(1, 31))
    tables = []
    for side in (-1, 1):
        item = with_drawers(Item("SideTable", Vec3(0.48, high, 0.40), variant), plan)
        at = middle + side * (bed.body.size.x / 2 + 0.30)
        table = shell.against(wall, item, at=at, front=0.3)
        if table is None:
            continue
        for drawer in fill_drawers(shell.furnishing, table, plan):
            if draw.random() < 0.5:
                shell.furnishing.lay(str(draw.choice(IN_DRAWERS)), drawer)
        lamp = Item("DeskLamp", start=StartState(toggled=bool(draw.random() < 0.8)))
        shell.furnishing.lay(lamp, table, yaw=0.0, at_back=True)
        tables.append(table)
    shell.furnishing.lay_somewhere("AlarmClock", *tables)


def _dresser(shell: Shell, walls: tuple[Wall, ...]) -> ObjectSpec | None:
    draw = shell.furnishing.draw
    columns, rows = int(draw.integers(2, 4)), int(draw.integers(2, 4))
    size = Vec3(0.52 * columns, 0.26 * rows + 0.16, 0.48)
    plan = Drawers(columns, rows, 0.10, size.y - 0.05)
    for wall in walls:
        dresser = shell.against(wall, with_drawers(Item("Dresser", size), plan), front=0.6)
        if dresser is None:
            continue
        for drawer in fill_drawers(shell.furnishing, dresser, plan):
            if draw.random() < 0.35:
                shell.furnishing.lay(str(draw.choice(IN_DRAWERS)), drawer)
        middle = (dresser.body.center - wall.left).dot(wall.along)
        if draw.random() < 0.5:
            screen = Item("Television", Vec3(0.95, 0.60, 0.20))
            shell.furnishing.lay(screen, dresser, yaw=0.0, at_back=True)
            shell.furnishing.lay("RemoteControl", dresser)
        else:
            mirror = Item("Mirror", Vec3(0.8, 0.9, 0.04))
            shell.hang(wall, mirror, size.y + 0.12, at=middle)
        return dresser
    return None


def _desk(shell: Shell, walls: tuple[Wall, ...]) -> ObjectSpec | None:
    draw = shell.furnishing.draw
    size = Vec3(float(draw.uniform(1.1, 1.45)), 0.75, 0.6)
    plan = Drawers(
        1, int(draw.integers(2, 4)), 0.08, 0.68, left=size.x / 2 - 0.03, right=size.x / 2 - 0.43
    )
    for wall in walls:
        desk = shell.against(wall, with_drawers(Item("Desk", size), plan), front=0.7)
        if desk is None:
            continue
        for drawer in fill_drawers(shell.furnishing, desk, plan):
            if draw.random() < 0.5:
                shell.furnishing.lay(str(draw.choice(IN_DRAWERS)), drawer)
        middle = (desk.body.center - wall.left).dot(wall.along)
        base = wall.spot(middle + 0.12, 0.62 + 0.30)
        floor = (shell.floor.object_id,)
        chair = Item("Chair", parents=floor)
        shell.furnishing.stand(chair, base, (wall.yaw + 180 + float(draw.uniform(-25, 25))) % 360)
        if shell.ledgers[wall.name].free(middle - 0.5, middle + 0.5, 1.3, 2.0):
            kind = str(draw.choice(["Painting", "Poster"]))
            shell.hang(wall, Item(kind, Vec3(0.7, 0.55, 0.03)), 1.3, at=middle)
        return desk
    return None


def _belongings(
    furnishing: Furnishing,
    bed: ObjectSpec,
    dresser: ObjectSpec | None,
    desk: ObjectSpec,
) -> None:
    """Small things where they are used; what has no better place lies on the bed."""
    draw = furnishing.draw
    opened = StartState(openness=1.0)
    for kind in ON_DESK:
        start = opened if kind == "Laptop" else None
        item = Item(kind, start=start)
        if kind != "Laptop" or furnishing.lay(item, desk, yaw=8.0) is None:
            furnishing.lay_somewhere(item, desk, bed, dresser)
    for kind in ON_DRESSER:
        if draw.random() < 0.75 and dresser is not None:
            furnishing.lay(kind, dresser)
    if draw.random() < 0.6:
        furnishing.lay("TeddyBear", bed, yaw=float(draw.uniform(-40, 40)))
    furnishing.lay_somewhere("Cloth")


def _about(shell: Shell, walls: list[Wall]) -> None:
    """What stands and lies on the floor, and hangs on the walls."""
    draw = shell.furnishing.draw
    for kind in ON_FLOOR:
        if kind == "GarbageCan" or draw.random() < 0.55:
            start = StartState(openness=1.0) if kind == "Box" else None
            for number in draw.permutation(4):
                item = Item(kind, start=start)
                if shell.against(walls[int(number)], item, front=0.1) is not None:
                    break
    for kind in LEANING:
        if draw.random() < 0.5:
            shell.against(walls[int(draw.integers(4))], kind, front=0.05)
    for number in draw.permutation(4)[:2]:
        kind = str(draw.choice(["Painting", "Poster"]))
        shell.hang(walls[int(number)], kind, 1.25)
    if draw.random() < 0.6:
        shell.rug(float(draw.uniform(1.4, 2.2)), float(draw.uniform(1.0, 1.6)))
