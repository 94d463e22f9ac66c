"""Kitchens: counters along one, two or three walls, a table if there is room, all that cooks,
and where food and dishes are.
"""

from dataclasses import dataclass

import numpy as np

from env_service.domain.text import with_article
from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.scene.rooms.color_schemes import drawn_palette
from env_service.worlds.household.scene.rooms.fitted_kitchen import (
    CORNER,
    FittedKitchen,
    build_island,
)
from env_service.worlds.household.scene.rooms.layout import (
    CrampedError,
    Footprint,
    Item,
    RoomLayout,
)
from env_service.worlds.household.scene.rooms.shell import Shell, WallOpening
from env_service.worlds.household.scene.rooms.shelves_and_desks import (
    ShelfPlan,
    fill_shelves,
    hang_shelves,
    stand_unit,
)
from env_service.worlds.household.scene.rooms.wall_hangings import (
    build_window,
    dress_window,
    hang_pictures,
)
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec, StartState

SHAPES = ("line", "corner", "corner", "horseshoe", "galley")
ON_UNIT = ("Bottle", "Vase", "Bowl", "Plate", "AluminumFoil", "HousePlant", "Pot", "TissueBox")
ON_WALL = ("Mug", "Vase", "Bowl", "SaltShaker", "Candle")


@dataclass(frozen=True)
class KitchenDraft:
    """What a kitchen is made of, for its stock: counters, open boards, table, machines."""

    counters: tuple[ObjectSpec, ...]
    boards: tuple[ObjectSpec, ...]
    table: ObjectSpec | None
    fridge: ObjectSpec
    microwave: ObjectSpec


def draw_kitchen(name: str, draw: np.random.Generator) -> SceneSpec:
    """A kitchen; the generator decides everything about it."""
    palette, accent = drawn_palette(Room.KITCHEN, draw)
    layout = RoomLayout(name, palette, draw)
    shape = str(draw.choice(SHAPES))
    shell = Shell(layout, *_extent(shape, draw))
    kitchen = FittedKitchen(shell, shape, shell.turned())
    if accent is not None:
        shell.coverings[kitchen.walls[1 if shape == "galley" else 3].name] = accent
    kitchen.fit()
    if shape in ("line", "corner"):
        _extend(kitchen)
    table = _table(shell)
    microwave = _machines(kitchen)
    stock_kitchen(
        shell,
        KitchenDraft(tuple(kitchen.tops), tuple(kitchen.boards), table, kitchen.fridge, microwave),
    )
    _about(shell)
    shell.close(kitchen.tiles if draw.random() < 0.85 else None)
    return shell.scene(Room.KITCHEN)


def _extent(shape: str, draw: np.random.Generator) -> tuple[float, float]:
    """Width and depth of the floor."""
    low, high = {"line": (4.4, 5.4), "corner": (3.4, 5.0), "horseshoe": (3.5, 4.5)}.get(
        shape, (3.8, 4.7)
    )
    return float(draw.uniform(low, high)), float(draw.uniform(low, high))


def _extend(kitchen: FittedKitchen) -> None:
    """An island if the floor is deep enough, a window or a nook at the walls without counters."""
    shell, draw = kitchen.shell, kitchen.shell.layout.draw
    back, right, front, left = kitchen.walls
    if right.length > 4.3 and draw.random() < 0.6:
        length = float(draw.uniform(1.3, 1.8))
        at = back.length * 0.45 if kitchen.shape == "corner" else back.length / 2
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
        opening = WallOpening(at - wide / 2, at + wide / 2, 0.95, 2.1)
        if shell.ledgers[left.name].free(opening.start - 0.1, opening.end + 0.1):
            build_window(shell, left, opening)
            dress_window(shell, left, opening, curtains=0.6)


def _table(shell: Shell) -> ObjectSpec | None:
    """A dining table with chairs where the floor is free, or a smaller one, or none."""
    draw, layout = shell.layout.draw, shell.layout
    floor = (shell.floor.object_id,)
    for size in (Vec3(1.3, 0.75, 0.8), Vec3(1.0, 0.75, 1.0), Vec3(0.9, 0.75, 0.7)):
        for _ in range(40):
            x = float(draw.uniform(-shell.width / 2 + 0.9, shell.width / 2 - 0.9))
            z = float(draw.uniform(-shell.depth / 2 + 0.9, shell.depth / 2 - 0.9))
            item = Item("DiningTable", size, parents=floor)
            turned = bool(draw.random() < 0.5)
            yaw = 90.0 if turned else 0.0
            table = layout.stand(item, Vec3(x, 0.0, z), yaw, margin=0.6)
            if table is None:
                continue
            _chairs(shell, table)
            return table
    return None


def _chairs(shell: Shell, table: ObjectSpec) -> None:
    """Two chairs at a table, facing each other, pushed in a little."""
    draw, layout = shell.layout.draw, shell.layout
    kind = "Chair" if draw.random() < 0.75 else "Stool"
    variant = int(draw.integers(1, 31))
    floor = (shell.floor.object_id,)
    for side in (-1, 1):
        away = table.body.rotation.apply(Vec3(0.0, 0.0, side * (table.body.size.z / 2 + 0.08)))
        base = Vec3(table.position.x, 0.0, table.position.z) + away
        yaw = (table.rotation.y + (180.0 if side > 0 else 0.0)) % 360.0
        item = Item(kind, variant=variant, parents=floor)
        size = item.extent
        layout.put(item, base, yaw)
        layout.standing.append(Footprint(base.x, base.z, size.x, size.z, yaw))


def _machines(kitchen: FittedKitchen) -> ObjectSpec:
    """Microwave, coffee machine and toaster on the counters: one in a corner if there is one, the
    others at the back."""
    layout, tops = kitchen.shell.layout, kitchen.tops
    draw = layout.draw
    made: dict[str, ObjectSpec] = {}
    for number, (top, at, yaw) in enumerate(kitchen.corners):
        kind = "CoffeeMachine" if number == 0 and draw.random() < 0.6 else "HousePlant"
        placed = layout.lay_at(kind, top, at, yaw=yaw)
        if placed is not None:
            made[kind] = placed
        layout.keep_clear(top, at, CORNER + 0.1, CORNER)
    for kind in ("Microwave", "CoffeeMachine", "Toaster"):
        for number in draw.permutation(len(tops)):
            if kind in made:
                break
            placed = layout.lay(kind, tops[int(number)], yaw=0.0, at_back=True)
            if placed is not None:
                made[kind] = placed
        if kind not in made:
            raise CrampedError(f"no room for {with_article(kind)} in {layout.name}")
    return made["Microwave"]


def _about(shell: Shell) -> None:
    """Other objects along and on the walls."""
    draw = shell.layout.draw
    walls = tuple(shell.all_walls[int(i)] for i in draw.permutation(len(shell.all_walls)))
    for kind in ("GarbageCan", "HousePlant", "Stool"):
        if kind == "GarbageCan" or draw.random() < 0.45:
            for wall in walls:
                if shell.against(wall, kind, front=0.1) is not None:
                    break
    if draw.random() < 0.4:
        size = Vec3(float(draw.uniform(0.7, 1.0)), float(draw.uniform(1.3, 1.75)), 0.36)
        boards = stand_unit(shell, walls, size)
        fill_shelves(shell.layout, boards, ON_UNIT, 3)
    hang_pictures(shell, walls, int(draw.integers(1, 4)))
    if draw.random() < 0.35:
        plan = ShelfPlan(float(draw.uniform(0.7, 1.0)), count=int(draw.integers(1, 3)))
        for wall in walls:
            boards = hang_shelves(shell, wall, plan)
            if boards:
                fill_shelves(shell.layout, boards, ON_WALL, 2)
                break


# --- What is in a kitchen, and where: food, dishes, cookware, cutlery, supplies

IN_DRAWERS = ("Fork", "Spoon", "Knife", "ButterKnife", "Spatula", "Ladle")
IN_CABINETS = ("Pot", "Plate", "Bowl", "Mug", "SoapBottle", "Kettle", "SprayBottle")
IN_FRIDGE = ("Egg", "Lettuce", "Tomato", "Apple", "WineBottle", "Potato")
ON_COUNTERS = (
    "Bread", "Apple", "Potato", "SaltShaker", "PepperShaker", "DishSponge", "SoapBottle",
    "Knife", "Cup", "Mug", "PaperTowelRoll", "Spatula", "Bottle", "Vase", "Book",
)  # fmt: skip
ON_TABLE = ("Bowl", "Tomato", "HousePlant", "Statue", "SaltShaker", "Candle", "Newspaper")
ON_BOARDS = ("Plate", "Bowl", "Mug", "Cup", "Vase", "Bottle", "Mug", "Bowl", "PaperTowelRoll")
ONCE = frozenset({"Bread", "Lettuce", "Kettle", "WineBottle", "PaperTowelRoll", "Egg", "Tomato"})
"""Types of which a kitchen has one."""
ALWAYS = (
    "Apple", "Bread", "Egg", "Lettuce", "Potato", "Tomato", "Bowl", "Cup", "Mug", "Plate", "Pan",
    "Pot", "Kettle", "Fork", "Knife", "ButterKnife", "Spoon", "Spatula", "Ladle", "DishSponge",
    "SaltShaker", "PepperShaker", "SoapBottle", "Bottle", "WineBottle",
)  # fmt: skip
"""What the visual suites' tasks need in a kitchen (docs/household.md, Scenes)."""


def stock_kitchen(shell: Shell, cooking: KitchenDraft) -> None:
    """Puts a kitchen's things where they belong; everything in ALWAYS is included."""
    layout, draw = shell.layout, shell.layout.draw
    every = list(layout.objects.values())
    drawers = [spec for spec in every if spec.type == "Drawer"]
    cabinets = [spec for spec in every if spec.type == "Cabinet"]
    burners = [spec for spec in every if spec.type == "StoveBurner"]
    _on_burners(shell, burners)
    _share(shell, IN_DRAWERS, drawers, 0.9)
    _share(shell, IN_CABINETS, cabinets, 0.6)
    _share(shell, IN_FRIDGE, [cooking.fridge], 0.6)
    _share(shell, ON_COUNTERS, list(cooking.counters), 0.75)
    _share(shell, ON_BOARDS, list(cooking.boards), 0.9)
    if cooking.table is not None:
        if draw.random() < 0.6:
            _set_table(shell, cooking.table)
        _share(shell, ON_TABLE, [cooking.table], 0.45)
    open_places = [*cooking.counters, *([cooking.table] if cooking.table else [])]
    for kind in ALWAYS:
        if not layout.holds(kind):
            order = [open_places[int(i)] for i in draw.permutation(len(open_places))]
            if not _lay_first(shell, kind, [*order, *cabinets, cooking.fridge]):
                raise CrampedError(f"no room for {with_article(kind)} in {layout.name}")


def _share(shell: Shell, kinds: tuple[str, ...], holders: list[ObjectSpec], chance: float) -> None:
    """Some of the kinds, each to one of the holders."""
    draw = shell.layout.draw
    for kind in kinds:
        if holders and draw.random() < chance and not (kind in ONCE and shell.layout.holds(kind)):
            order = [holders[int(i)] for i in draw.permutation(len(holders))]
            _lay_first(shell, kind, order)


def _lay_first(shell: Shell, kind: str, holders: list[ObjectSpec]) -> bool:
    """Lays a thing on the first holder that has room."""
    wine = StartState(liquid="wine") if kind == "WineBottle" else None
    return any(shell.layout.lay(Item(kind, start=wine), holder) for holder in holders)


def _on_burners(shell: Shell, burners: list[ObjectSpec]) -> None:
    """A pan, and sometimes a kettle, in the middle of its burner, the handle to the front."""
    draw, layout = shell.layout.draw, shell.layout
    order = [burners[int(i)] for i in draw.permutation(len(burners))]
    for kind in ("Pan", "Kettle")[: int(draw.integers(1, 3))]:
        burner = order.pop()
        item = Item(kind, variant=int(draw.integers(1, 31)), parents=(burner.object_id,))
        yaw = (burner.rotation.y + float(draw.choice([0.0, 30.0, -30.0]))) % 360.0
        middle = Rotation.yaw(yaw).apply(layout.bottom_of(item))
        top = burner.position + Vec3(0.0, burner.body.size.y, 0.0)
        layout.put(item, top - middle, yaw)


def _set_table(shell: Shell, table: ObjectSpec) -> None:
    """A place with plate, cup and cutlery on each side of a table where someone can sit."""
    layout, size = shell.layout, table.body.size
    variant = int(layout.draw.integers(1, 31))
    for side in (-1.0, 1.0):
        yaw = 0.0 if side > 0 else 180.0
        out = side * (size.z / 2 - 0.16)
        for kind, x, z, turn in (
            ("Plate", 0.0, 0.0, 0.0),
            ("Fork", -0.17, 0.0, 180.0),
            ("ButterKnife", 0.17, 0.0, 180.0),
            ("Cup", 0.18, -0.19, 0.0),
        ):
            at = (side * x, out + side * z)
            layout.lay_at(Item(kind, variant=variant), table, at, yaw=(yaw + turn) % 360.0)
