"""Living rooms: a sofa before a television, tables, shelves, plants and lamps."""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.chests import Drawers, fill_drawers, with_drawers
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Furnishing, Item
from env_service.worlds.household.scene.rooms.shell import Opening, Shell
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec, StartState

ON_TABLE = ("RemoteControl", "Newspaper", "Book", "Laptop", "KeyChain", "CreditCard", "Bowl")
ON_TV_STAND = ("RemoteControl", "Statue", "Vase", "CD")
ON_SIDE_TABLE = ("TissueBox", "Watch", "Candle", "CellPhone", "Plate", "Pencil", "Pen")
ON_UNIT = ("Vase", "Statue", "Book", "Box", "WateringCan", "Candle")


def draw_living_room(name: str, draw: np.random.Generator) -> SceneSpec:
    """A living room; the generator decides everything about it."""
    palette = Palette(
        walls=str(draw.choice(["cream", "white", "sand", "sage", "sky", "grey"])),
        floor=str(draw.choice(["oak boards", "walnut boards", "beige carpet"])),
        cabinets=str(draw.choice(["white", "oak", "walnut"])),
        wood=str(draw.choice(["oak", "walnut", "cherry", "pine", "black ash"])),
        metal=str(draw.choice(["steel", "brass", "black iron"])),
        fabric=str(draw.choice(["slate", "navy", "moss", "brick", "sand", "grey"])),
    )
    furnishing = Furnishing(name, palette, draw)
    shell = Shell(furnishing, float(draw.uniform(4.3, 5.6)), float(draw.uniform(4.1, 5.0)))
    back, right, front, left = (
        shell.walls[int(i)] for i in np.roll(range(4), int(draw.integers(4)))
    )
    shell.door(right, float(draw.uniform(0.1, 0.35)))
    _window(shell, left)
    sofa, television = _seats(shell, back, front)
    table = _coffee_table(shell, sofa)
    sides = [side for wall in (back, left) if (side := _side_table(shell, wall)) is not None]
    unit = shell.against(right, Item("ShelvingUnit"), front=0.5)
    _armchairs(shell, (left, right, front))
    _dining_corner(shell)
    _belongings(furnishing, (table, television, *sides, unit), sofa)
    _about(shell, (back, right, front, left))
    shell.close()
    return shell.scene(Room.LIVING_ROOM)


def _window(shell: Shell, wall: Wall) -> None:
    draw = shell.furnishing.draw
    wide = float(draw.uniform(1.3, 2.1))
    middle = wall.length / 2 + float(draw.uniform(-0.4, 0.4))
    shell.window(wall, Opening(middle - wide / 2, middle + wide / 2, 0.75, 2.15))
    if draw.random() < 0.7:
        size = Vec3(wide + 0.6, 2.28, 0.15)
        shell.furnishing.put(Item("Curtains", size), wall.spot(middle, 0.15, 0.02), wall.yaw)


def _seats(shell: Shell, back: Wall, front: Wall) -> tuple[ObjectSpec, ObjectSpec | None]:
    """The sofa at one wall and the television opposite."""
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    size = Vec3(float(draw.uniform(1.8, 2.3)), 0.86, 0.92)
    at = back.length / 2 + float(draw.uniform(-0.4, 0.4))
    sofa = shell.against(back, Item("Sofa", size), at=at, front=1.2)
    if sofa is None:
        raise CrampedError(f"no room for a sofa in {furnishing.name}")
    for _ in range(int(draw.integers(1, 4))):
        pillow = Item("Pillow", Vec3(0.42, 0.14, 0.34))
        furnishing.lay(pillow, sofa, yaw=float(draw.uniform(-15, 15)), at_back=True)
    plan = Drawers(2, 1, 0.10, 0.30)
    stand = Item("TVStand", Vec3(float(draw.uniform(1.3, 1.7)), 0.52, 0.44))
    place = front.length - at
    standing = shell.against(front, with_drawers(stand, plan), at=place, front=0.6)
    if standing is None:
        return sofa, None
    fill_drawers(furnishing, standing, plan)
    screen = Item("Television", Vec3(1.15, 0.70, 0.22))
    furnishing.lay(screen, standing, yaw=0.0, at_back=True)
    return sofa, standing


def _coffee_table(shell: Shell, sofa: ObjectSpec) -> ObjectSpec | None:
    draw = shell.furnishing.draw
    item = Item(
        "CoffeeTable",
        Vec3(float(draw.uniform(0.9, 1.2)), 0.42, 0.6),
        parents=(shell.floor.object_id,),
    )
    ahead = sofa.body.rotation.apply(Vec3(0.0, 0.0, sofa.body.size.z / 2 + 0.42 + 0.3))
    base = Vec3(sofa.body.center.x + ahead.x, 0.0, sofa.body.center.z + ahead.z)
    return shell.furnishing.stand(item, base, sofa.rotation.y)


def _side_table(shell: Shell, wall: Wall) -> ObjectSpec | None:
    draw = shell.furnishing.draw
    high = float(draw.uniform(0.52, 0.64))
    plan = Drawers(1, 1, high - 0.22, high - 0.06)
    item = with_drawers(Item("SideTable", Vec3(0.5, high, 0.42)), plan)
    table = shell.against(wall, item, front=0.4)
    if table is None:
        return None
    for drawer in fill_drawers(shell.furnishing, table, plan):
        if draw.random() < 0.6:
            shell.furnishing.lay(str(draw.choice(["CreditCard", "Pen", "CD"])), drawer)
    lamp = Item("DeskLamp", start=StartState(toggled=bool(draw.random() < 0.7)))
    shell.furnishing.lay(lamp, table, yaw=0.0, at_back=True)
    return table


def _armchairs(shell: Shell, walls: tuple[Wall, ...]) -> None:
    draw = shell.furnishing.draw
    for wall in walls[: int(draw.integers(1, 3))]:
        chair = shell.against(wall, "ArmChair", front=0.5, gap=0.12)
        if chair is not None and draw.random() < 0.6:
            pillow = Item("Pillow", Vec3(0.38, 0.13, 0.30))
            shell.furnishing.lay(pillow, chair, yaw=0.0)


def _dining_corner(shell: Shell) -> None:
    """A small table with chairs, where the room has space left."""
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    floor = (shell.floor.object_id,)
    size = Vec3(1.0, 0.75, 0.8)
    for _ in range(30):
        x = float(draw.uniform(-shell.width / 2 + 1.1, shell.width / 2 - 1.1))
        z = float(draw.uniform(-shell.depth / 2 + 1.0, shell.depth / 2 - 1.0))
        table = furnishing.stand(
            Item("DiningTable", size, parents=floor), Vec3(x, 0, z), 0.0, margin=0.55
        )
        if table is None:
            continue
        for side in (-1, 1):
            base = Vec3(x + side * (size.x / 2 + 0.12), 0.0, z)
            furnishing.stand(Item("Chair", parents=floor), base, -side * 90.0 % 360)
        furnishing.lay("HousePlant", table)
        furnishing.lay("Plate", table)
        return


def _belongings(
    furnishing: Furnishing, holders: tuple[ObjectSpec | None, ...], sofa: ObjectSpec
) -> None:
    """Small things on tables and shelves; what finds no place lies on the sofa."""
    draw = furnishing.draw
    table, stand, *rest = holders
    opened = StartState(openness=1.0)
    for kind in ON_TABLE:
        item = Item(kind, start=opened if kind == "Laptop" else None)
        if kind != "Laptop" or table is None or furnishing.lay(item, table, yaw=8.0) is None:
            furnishing.lay_somewhere(item, table, sofa)
    for kind in ON_TV_STAND:
        if stand is not None:
            furnishing.lay(kind, stand)
    others = [holder for holder in rest if holder is not None]
    for kind in (*ON_SIDE_TABLE, *ON_UNIT):
        if others and draw.random() < 0.8:
            furnishing.lay(kind, others[int(draw.integers(len(others)))])


def _about(shell: Shell, walls: tuple[Wall, ...]) -> None:
    draw = shell.furnishing.draw
    lamp = Item("FloorLamp", start=StartState(toggled=True))
    standing = (
        "HousePlant",
        lamp,
        "GarbageCan",
        Item("Box", start=StartState(openness=1.0)),
        "Ottoman",
        "Boots",
    )
    for item in standing:
        must = (isinstance(item, Item) and item.type == "FloorLamp") or item == "GarbageCan"
        if must or draw.random() < 0.5:
            for number in draw.permutation(4):
                if shell.against(walls[int(number)], item, front=0.1) is not None:
                    break
    for number in draw.permutation(4)[:3]:
        shell.hang(walls[int(number)], "Painting", float(draw.uniform(1.25, 1.4)))
    shell.rug(float(draw.uniform(1.8, 2.6)), float(draw.uniform(1.3, 1.9)))
