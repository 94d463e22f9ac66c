"""Bedrooms: a bed with its side tables, a dresser, a desk, a wardrobe, and what lies about."""

from dataclasses import dataclass, field

import numpy as np

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.color_schemes import drawn_palette
from env_service.worlds.household.scene.rooms.furnishings import (
    Drawers,
    ShelfPlan,
    along,
    build_window,
    dress_window,
    fill_drawers,
    fill_shelves,
    hang_picture,
    hang_shelves,
    stand_desk,
    stand_unit,
    with_drawers,
)
from env_service.worlds.household.scene.rooms.layout import (
    CrampedError,
    Item,
    RoomLayout,
    put_about,
    usual,
)
from env_service.worlds.household.scene.rooms.shell import Shell, Wall, WallOpening
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec, StartState

ON_DESK = ("Laptop", "Pen", "Pencil", "Book", "CD", "CellPhone", "Mug")
ON_DRESSER = ("KeyChain", "CreditCard", "Watch", "Vase", "Statue", "TissueBox", "Candle")
ON_SHELVES = ("Statue", "Vase", "TissueBox", "Box", "CD", "HousePlant", "Candle", "TeddyBear")
IN_DRAWERS = ("Cloth", "CellPhone", "Pen", "CD", "KeyChain", "CreditCard", "Book", "Watch")
IN_WARDROBE = ("Box", "Cloth", "Book", "TissueBox", "Cloth")
ALWAYS = (
    "Laptop", "Pen", "Pencil", "Book", "CD", "CellPhone", "KeyChain", "CreditCard", "AlarmClock",
    "Cloth", "Box", "Vase", "Statue", "Watch", "Mug",
)  # fmt: skip
"""What the visual suites' tasks need in a bedroom (docs/household.md, Scenes)."""
ON_FLOOR = ("BasketBall", "Boots", "Dumbbell", "LaundryHamper", "Ottoman", "HousePlant", "DogBed")
LEANING = ("BaseballBat", "TennisRacket")


@dataclass
class BedroomDraft:
    """A bedroom while it is furnished: its walls from the bed's head clockwise, and the furniture
    to lay things on."""

    shell: Shell
    head: Wall
    right: Wall
    foot: Wall
    left: Wall
    tables: list[ObjectSpec] = field(default_factory=list)
    boards: list[ObjectSpec] = field(default_factory=list)
    dresser: ObjectSpec | None = None
    desk: ObjectSpec | None = None
    bed: ObjectSpec = field(init=False)


def draw_bedroom(name: str, draw: np.random.Generator) -> SceneSpec:
    """A bedroom; the generator decides everything about it."""
    palette, accent = drawn_palette(Room.BEDROOM, draw)
    layout = RoomLayout(name, palette, draw)
    shell = Shell(layout, float(draw.uniform(3.5, 4.8)), float(draw.uniform(3.4, 4.6)))
    chamber = BedroomDraft(shell, *shell.turned())
    if accent is not None:
        shell.coverings[chamber.head.name] = accent
    shell.door(chamber.foot, float(draw.uniform(0.15, 0.5)))
    if draw.random() < 0.3:
        # the corner of the right and the foot wall lies beyond the door
        number = shell.walls.index(chamber.right)
        shell.nook(number, float(draw.uniform(0.5, 0.8)), float(draw.uniform(0.4, 0.7)))
    _windows(shell, chamber.left if draw.random() < 0.5 else chamber.right)
    chamber.bed = _bed(chamber)
    _side_tables(chamber)
    walls_of_desk = (chamber.left, chamber.right, chamber.foot, chamber.head)
    chamber.desk = stand_desk(shell, walls_of_desk, IN_DRAWERS)
    if chamber.desk is None:
        raise CrampedError(f"no room for a desk in {name}")
    chamber.dresser = _dresser(chamber)
    _wardrobe(chamber)
    _shelves(chamber)
    _about(chamber)
    shell.start()
    _belongings(chamber)
    shell.close()
    return shell.scene(Room.BEDROOM)


def _windows(shell: Shell, wall: Wall) -> None:
    """One window, wide or narrow, or two narrow ones."""
    draw = shell.layout.draw
    wide = float(draw.uniform(1.0, min(1.7, wall.length - 1.5)))
    low = float(draw.choice([0.85, 0.95]))
    middles = [float(draw.uniform(wide / 2 + 0.4, wall.length - wide / 2 - 0.4))]
    if wall.length > 3.8 and draw.random() < 0.3:
        wide = 0.85
        middles = [wall.length * 0.28, wall.length * 0.72]
    curtains = float(draw.choice([0.0, 0.9]))
    for middle in middles:
        opening = WallOpening(middle - wide / 2, middle + wide / 2, low, 2.1)
        span = (opening.start - 0.1, opening.end + 0.1)
        if shell.ledgers[wall.name].free(*span):
            build_window(shell, wall, opening)
            dress_window(shell, wall, opening, curtains=curtains)


def _bed(chamber: BedroomDraft) -> ObjectSpec:
    """The bed, its head at the wall: in the middle, or a narrow one towards a corner."""
    shell, wall = chamber.shell, chamber.head
    draw = shell.layout.draw
    wide = float(draw.choice([1.0, 1.45, 1.65, 1.8]))
    at = float(np.clip(wall.length / 2 + draw.uniform(-0.5, 0.5), wide / 2 + 0.7, None))
    at = min(at, wall.length - wide / 2 - 0.7)
    item = Item(
        "Bed",
        Vec3(wide, float(draw.uniform(0.85, 1.2)), 2.1),
        start=StartState(dirty=bool(draw.random() < 0.5)),
    )
    bed = shell.against(wall, item, at=at, front=0.5)
    if bed is None:
        raise CrampedError(f"no room for a bed in {shell.layout.name}")
    for _ in range(1 if wide < 1.2 else 2):
        shell.layout.lay(Item("Pillow"), bed, yaw=0.0, at_back=True)
    half = (wide + 0.9) / 2
    shell.reserve(wall, (at - half, at + half), 0.6, 2.0)
    if draw.random() < 0.75:
        deep = float(draw.uniform(1.3, 1.7))
        shell.rug(wall.spot(at, 1.65), wide + float(draw.uniform(0.7, 1.1)), deep, wall.yaw)
    return bed


def _side_tables(chamber: BedroomDraft) -> None:
    shell, wall = chamber.shell, chamber.head
    draw, layout = shell.layout.draw, shell.layout
    middle = along(wall, chamber.bed)
    high = float(draw.uniform(0.5, 0.62))
    plan = Drawers(1, int(draw.integers(1, 3)), 0.14, high - 0.06)
    variant = int(draw.integers(1, 31))
    lamp_variant = int(draw.integers(1, 31))
    for side in (-1, 1):
        item = with_drawers(Item("SideTable", Vec3(0.48, high, 0.40), variant), plan)
        at = middle + side * (chamber.bed.body.size.x / 2 + 0.30)
        table = shell.against(wall, item, at=at, front=0.3)
        if table is None:
            continue
        for drawer in fill_drawers(layout, table, plan):
            if draw.random() < 0.5:
                layout.lay(usual(str(draw.choice(IN_DRAWERS))), drawer)
        lit = StartState(toggled=bool(draw.random() < 0.6))
        layout.lay(Item("DeskLamp", None, lamp_variant, start=lit), table, yaw=0.0)
        shell.reserve_before(table, 0.5)
        chamber.tables.append(table)


def _wardrobe(chamber: BedroomDraft) -> None:
    """A wardrobe with two doors, in most rooms."""
    shell = chamber.shell
    draw, layout = shell.layout.draw, shell.layout
    if draw.random() < 0.25:
        return
    wide = float(draw.uniform(0.95, 1.25))
    wood = str(draw.choice([layout.palette.wood, layout.palette.wood, "white"]))
    item = Item(
        "Cabinet",
        Vec3(wide, float(draw.uniform(1.85, 2.05)), 0.58),
        details=(("kind", "double"), ("grip", "middle"), ("wood", wood)),
    )
    for number in draw.permutation(4):
        wall = shell.walls[int(number)]
        wardrobe = shell.against(wall, item, front=0.65, gap=0.01)
        if wardrobe is not None:
            shell.reserve_before(wardrobe, 0.6)
            for kind in IN_WARDROBE:
                if draw.random() < 0.5:
                    layout.lay(usual(kind), wardrobe, yaw=0.0)
            return


def _dresser(chamber: BedroomDraft) -> ObjectSpec | None:
    """A chest of drawers with a mirror over it or a television on it."""
    shell = chamber.shell
    draw, layout = shell.layout.draw, shell.layout
    columns, rows = int(draw.integers(1, 4)), int(draw.integers(2, 5))
    size = Vec3(max(0.52 * columns, 0.75), 0.22 * rows + 0.20, 0.48)
    plan = Drawers(columns, rows, 0.10, size.y - 0.05)
    for wall in (chamber.foot, chamber.right, chamber.left):
        dresser = shell.against(wall, with_drawers(Item("Dresser", size), plan), front=0.6)
        if dresser is None:
            continue
        shell.reserve_before(dresser, 0.5)
        for drawer in fill_drawers(layout, dresser, plan):
            if draw.random() < 0.35:
                layout.lay(usual(str(draw.choice(IN_DRAWERS))), drawer)
        if draw.random() < 0.45 and size.x > 0.95 and size.y < 1.0:
            screen = Item("Television", Vec3(0.90, 0.56, 0.20))
            layout.lay(screen, dresser, yaw=0.0, at_back=True)
            layout.lay("RemoteControl", dresser)
        else:
            mirror = Item("Mirror", Vec3(min(0.8, size.x), 0.85, 0.04))
            shell.hang(wall, mirror, size.y + 0.15, at=along(wall, dresser))
        return dresser
    return None


def _shelves(chamber: BedroomDraft) -> None:
    """A bookcase or boards on the wall over the desk or elsewhere."""
    shell = chamber.shell
    draw = shell.layout.draw
    walls = tuple(shell.all_walls[int(i)] for i in draw.permutation(len(shell.all_walls)))
    if draw.random() < 0.5:
        size = Vec3(float(draw.uniform(0.6, 0.9)), float(draw.uniform(1.1, 1.8)), 0.34)
        chamber.boards += stand_unit(shell, walls, size)
    if not chamber.boards or draw.random() < 0.5:
        plan = ShelfPlan(float(draw.uniform(0.6, 1.0)), count=int(draw.integers(1, 3)))
        for wall in walls:
            boards = hang_shelves(shell, wall, plan)
            chamber.boards += boards
            if boards:
                break


def _belongings(chamber: BedroomDraft) -> None:
    """Small things on desk, dresser, tables and bed; everything in ALWAYS is included."""
    layout = chamber.shell.layout
    draw = layout.draw
    fill_shelves(layout, chamber.boards, ON_SHELVES, int(draw.integers(4, 9)))
    for table in chamber.tables[:1]:
        layout.lay("AlarmClock", table, yaw=float(draw.uniform(-20, 20)))
    if chamber.desk is not None:
        put_about(layout, ("Laptop",), [chamber.desk])
        for kind in ON_DESK:
            if draw.random() < 0.85 and kind != "Laptop":
                layout.lay(kind, chamber.desk)
    for kind in ON_DRESSER:
        if draw.random() < 0.7 and chamber.dresser is not None:
            layout.lay(kind, chamber.dresser)
    if draw.random() < 0.6 and not layout.holds("TeddyBear"):
        layout.lay("TeddyBear", chamber.bed, yaw=float(draw.uniform(-40, 40)))
    if draw.random() < 0.4:
        layout.lay(usual("Cloth"), chamber.bed)
    holders = [chamber.desk, chamber.dresser, *chamber.tables, *chamber.boards, chamber.bed]
    put_about(layout, ALWAYS, [each for each in holders if each is not None])


def _about(chamber: BedroomDraft) -> None:
    """Objects on the floor and on the walls."""
    shell = chamber.shell
    draw = shell.layout.draw
    walls = tuple(shell.all_walls[int(i)] for i in draw.permutation(len(shell.all_walls)))
    lamp = Item("FloorLamp", start=StartState(toggled=bool(draw.random() < 0.5)))
    chair = Item("ArmChair", Vec3(0.78, 0.86, 0.78))
    glass = Item("Mirror", Vec3(0.5, 1.6, 0.05))
    items: list[tuple[Item | str, float, float]] = [
        (chair, 0.4, 0.5),
        (glass, 0.35, 0.5),
        ("GarbageCan", 1.0, 0.1),
        (lamp, 0.35, 0.1),
        (usual("Box"), 0.6, 0.1),
        ("Safe", 0.15, 0.4),
    ]
    items += [(kind, 0.4, 0.1) for kind in ON_FLOOR]
    items += [(kind, 0.4, 0.05) for kind in LEANING]
    for item, chance, front in items:
        if draw.random() < chance:
            for wall in walls:
                if shell.against(wall, item, front=front) is not None:
                    break
    middle = along(chamber.head, chamber.bed)
    hang_picture(shell, chamber.head, str(draw.choice(["Painting", "Poster"])), at=middle)
    for wall in walls[: int(draw.integers(1, 4))]:
        hang_picture(shell, wall, str(draw.choice(["Painting", "Poster"])))
