"""Living rooms: a sofa before a television, tables, shelves, plants and lamps."""

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
    hang_pictures,
    hang_shelves,
    stand_desk,
    stand_unit,
    with_drawers,
)
from env_service.worlds.household.scene.rooms.layout import (
    CrampedError,
    Footprint,
    Item,
    RoomLayout,
    put_about,
    usual,
)
from env_service.worlds.household.scene.rooms.shell import Shell, Wall, WallOpening
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec, StartState

ON_TABLE = ("RemoteControl", "Newspaper", "Book", "Bowl", "Candle", "TableTopDecor", "Plate")
ON_STAND = ("Statue", "Vase", "CD", "RemoteControl")
ON_SIDE_TABLE = ("TissueBox", "Watch", "CellPhone", "Pencil", "Pen", "KeyChain", "Mug")
ON_SHELVES = ("Vase", "Statue", "Box", "WateringCan", "Candle", "HousePlant", "Statue", "Vase")
IN_DRAWERS = ("CreditCard", "Pen", "CD", "KeyChain", "Pencil", "RemoteControl")
ALWAYS = (
    "RemoteControl", "Newspaper", "Book", "Laptop", "KeyChain", "CreditCard", "Watch", "CellPhone",
    "Box", "Vase", "Statue", "Pillow",
)  # fmt: skip
"""What the visual suites' tasks need in a living room (docs/household.md, Scenes)."""
AROUND_TABLE = 0.44
"""Metres between a sofa and the table before it."""


@dataclass
class LivingRoomDraft:
    """A living room while it is furnished: its walls from the sofa's clockwise, and the furniture
    to lay things on."""

    shell: Shell
    back: Wall
    right: Wall
    front: Wall
    left: Wall
    table: ObjectSpec | None = None
    stand: ObjectSpec | None = None
    boards: list[ObjectSpec] = field(default_factory=list)
    tables: list[ObjectSpec] = field(default_factory=list)
    seats: list[ObjectSpec] = field(default_factory=list)


def draw_living_room(name: str, draw: np.random.Generator) -> SceneSpec:
    """A living room; the generator decides everything about it."""
    palette, accent = drawn_palette(Room.LIVING_ROOM, draw)
    layout = RoomLayout(name, palette, draw)
    shell = Shell(layout, float(draw.uniform(4.3, 6.0)), float(draw.uniform(4.1, 5.2)))
    parlour = LivingRoomDraft(shell, *shell.turned())
    if accent is not None:
        shell.coverings[(parlour.back if draw.random() < 0.5 else parlour.front).name] = accent
    shell.door(parlour.right, float(draw.uniform(0.1, 0.5)))
    if draw.random() < 0.35:
        _nook(parlour)
    _windows(parlour)
    _sofa(parlour)
    _television(parlour)
    for wall in (parlour.back, parlour.left, parlour.back):
        _side_table(parlour, wall)
    _armchairs(parlour)
    _second_place(parlour)
    _shelves(parlour)
    _about(parlour)
    shell.start()
    _belongings(parlour)
    shell.close()
    return shell.scene(Room.LIVING_ROOM)


def _nook(parlour: LivingRoomDraft) -> None:
    """Cuts off the corner between the front and the left wall, or the right and the front one."""
    draw = parlour.shell.layout.draw
    wall = parlour.front if draw.random() < 0.5 else parlour.right
    number = parlour.shell.walls.index(wall)
    parlour.shell.nook(number, float(draw.uniform(0.5, 0.9)), float(draw.uniform(0.5, 1.0)))


def _windows(parlour: LivingRoomDraft) -> None:
    """One wide window in the left wall, or two narrow ones."""
    shell, wall = parlour.shell, parlour.left
    draw = shell.layout.draw
    low = float(draw.choice([0.30, 0.75, 0.75]))
    taken = [b for a, b, *_ in shell.ledgers[wall.name].taken if a < 0.01]
    first = max([0.0, *taken])
    room = wall.length - first
    middles, wide = (
        [first + room / 2 + float(draw.uniform(-0.2, 0.2))],
        float(draw.uniform(1.3, min(2.1, room - 1.0))),
    )
    if room > 4.0 and draw.random() < 0.4:
        wide = 0.95
        middles = [first + room * 0.27, first + room * 0.73]
    curtains = 0.8 if draw.random() < 0.8 else 0.0
    for middle in middles:
        opening = WallOpening(middle - wide / 2, middle + wide / 2, low, 2.15)
        build_window(shell, wall, opening)
        dress_window(shell, wall, opening, curtains=curtains)


def _sofa(parlour: LivingRoomDraft) -> None:
    """The sofa, straight or with a long seat, its pillows, the table and the rug before it."""
    shell, back = parlour.shell, parlour.back
    draw, layout = shell.layout.draw, shell.layout
    corner = back.length > 4.6 and draw.random() < 0.35
    size = Vec3(float(draw.uniform(1.8, 2.3)), 0.86, 0.92)
    at = back.length / 2 + float(draw.uniform(-0.4, 0.4))
    if corner:
        size = Vec3(float(draw.uniform(2.3, 2.6)), 0.84, 1.55)
    sofa = shell.against(back, Item("Sofa", size), at=at, front=0.6)
    if sofa is None:
        raise CrampedError(f"no room for a sofa in {layout.name}")
    parlour.seats.append(sofa)
    for _ in range(int(draw.integers(2, 4))):
        pillow = Item("Pillow", Vec3(0.42, 0.14, 0.34))
        layout.lay(pillow, sofa, yaw=float(draw.uniform(-15, 15)), at_back=True)
    round_top = draw.random() < 0.25
    wide = 0.85 if round_top else float(draw.uniform(0.9, 1.2))
    item = Item(
        "CoffeeTable",
        Vec3(wide, 0.42, wide if round_top else 0.6),
        details=(("round", 1.0),) if round_top else (),
        parents=(shell.floor.object_id,),
    )
    depth = 0.95 if corner else size.z
    out = depth + AROUND_TABLE + item.extent.z / 2
    # a long seat is at one end: the table is before the other seats
    middle = back.spot(at, out)
    if corner:
        middle = back.spot(at, size.z + 0.3 + item.extent.z / 2)
    parlour.table = layout.stand(item, middle, sofa.rotation.y)
    if draw.random() < 0.85:
        shell.rug(middle, float(draw.uniform(2.0, 2.8)), float(draw.uniform(1.5, 1.9)), back.yaw)
    ahead = back.spot(at, parlour.front.length * 0.0 + _depth(parlour) / 2)
    layout.reserved.append(Footprint(ahead.x, ahead.z, 1.2, _depth(parlour) - 1.2, sofa.rotation.y))


def _depth(parlour: LivingRoomDraft) -> float:
    """Metres from the sofa's wall to the television's."""
    return parlour.right.length


def _television(parlour: LivingRoomDraft) -> None:
    """The stand opposite the sofa, the screen on it or on the wall above."""
    shell, front = parlour.shell, parlour.front
    draw, layout = shell.layout.draw, shell.layout
    place = front.length - along(parlour.back, parlour.seats[0])
    columns = int(draw.integers(2, 4))
    plan = Drawers(columns, 1, 0.10, 0.32)
    item = Item("TVStand", Vec3(float(draw.uniform(1.3, 1.8)), 0.52, 0.44))
    stand = None
    for shift in (0.0, -0.3, 0.3, -0.6, 0.6):
        stand = _against_view(shell, front, with_drawers(item, plan), place + shift)
        if stand is not None:
            break
    if stand is None:
        raise CrampedError(f"no room for a television in {layout.name}")
    parlour.stand = stand
    for drawer in fill_drawers(layout, stand, plan):
        if draw.random() < 0.6:
            layout.lay(str(draw.choice(IN_DRAWERS)), drawer)
    wide = float(draw.uniform(1.0, 1.25))
    if draw.random() < 0.35:
        screen = Item("Television", Vec3(wide, wide * 0.58, 0.07))
        if shell.hang(front, screen, 0.95, at=along(front, stand)) is not None:
            return
    layout.lay(Item("Television", Vec3(wide, wide * 0.62, 0.22)), stand, yaw=0.0, at_back=True)


def _against_view(shell: Shell, wall: Wall, item: Item, at: float) -> ObjectSpec | None:
    """Places a piece before the sofa, on floor that is reserved for the view."""
    view = shell.layout.reserved.pop()
    stood = shell.against(wall, item, at=at, front=0.6)
    shell.layout.reserved.append(view)
    if stood is not None:
        shell.reserve_before(stood, 0.35)
    return stood


def _armchairs(parlour: LivingRoomDraft) -> None:
    """Armchairs that face the table, or stand at the walls."""
    shell = parlour.shell
    draw, layout = shell.layout.draw, shell.layout
    variant = int(draw.integers(1, 31))
    if parlour.table is not None:
        _face(parlour, parlour.table, variant)
    if len(parlour.seats) == 1:
        for wall in (parlour.left, parlour.front, parlour.right):
            seat = shell.against(wall, Item("ArmChair", variant=variant), front=0.5, gap=0.12)
            if seat is not None:
                parlour.seats.append(seat)
                break
    for seat in parlour.seats[1:]:
        if draw.random() < 0.6:
            layout.lay(Item("Pillow", Vec3(0.38, 0.13, 0.30)), seat, yaw=0.0, at_back=True)


def _face(parlour: LivingRoomDraft, table: ObjectSpec, variant: int) -> None:
    """Armchairs at the table's ends, turned to it."""
    shell = parlour.shell
    draw = shell.layout.draw
    chair = Item("ArmChair", variant=variant, parents=(shell.floor.object_id,))
    reach = table.body.size.x / 2 + 0.42 + chair.extent.z / 2
    for side in (-1.0, 1.0):
        away = table.body.rotation.apply(Vec3(side * reach, 0.0, 0.1))
        base = Vec3(table.position.x + away.x, 0.0, table.position.z + away.z)
        yaw = (table.rotation.y - side * 90.0 + float(draw.uniform(-12, 12))) % 360.0
        if draw.random() < 0.6 and shell.inside(base, 0.55):
            seat = shell.layout.stand(chair, base, yaw, margin=0.1)
            if seat is not None:
                parlour.seats.append(seat)


def _side_table(parlour: LivingRoomDraft, wall: Wall) -> None:
    """A side table with a drawer and mostly a lamp; next to the sofa if it is at the sofa's
    wall."""
    shell = parlour.shell
    draw, layout = shell.layout.draw, shell.layout
    high = float(draw.uniform(0.52, 0.64))
    plan = Drawers(1, 1, high - 0.22, high - 0.06)
    item = with_drawers(Item("SideTable", Vec3(0.5, high, 0.42)), plan)
    spots: list[float | None] = [None]
    if wall is parlour.back:
        sofa = parlour.seats[0]
        middle, half = along(wall, sofa), sofa.body.size.x / 2 + 0.29
        spots = [middle - half, middle + half]
    table = None
    for spot in spots:
        if spot is None or 0.3 < spot < wall.length - 0.3:
            table = table or shell.against(wall, item, at=spot, front=0.3)
    if table is None:
        return
    shell.reserve_before(table, 0.5)
    parlour.tables.append(table)
    for drawer in fill_drawers(layout, table, plan):
        if draw.random() < 0.7:
            layout.lay(str(draw.choice(IN_DRAWERS)), drawer)
    if draw.random() < 0.75 or not layout.holds("DeskLamp"):
        lamp = Item("DeskLamp", start=StartState(toggled=bool(draw.random() < 0.6)))
        layout.lay(lamp, table, yaw=0.0, at_back=True)


def _second_place(parlour: LivingRoomDraft) -> None:
    """Furniture for another use of the room: a table to eat at, a desk, or neither."""
    shell = parlour.shell
    draw, layout = shell.layout.draw, shell.layout
    drawn = float(draw.random())
    if drawn < 0.3:
        walls = (parlour.right, parlour.front, parlour.left)
        desk = stand_desk(shell, walls, IN_DRAWERS)
        if desk is not None:
            parlour.tables.append(desk)
            return
    if drawn > 0.85:
        return
    floor = (shell.floor.object_id,)
    for size in (Vec3(1.2, 0.75, 0.8), Vec3(0.9, 0.75, 0.9)):
        for _ in range(40):
            x = float(draw.uniform(-shell.width / 2 + 0.8, shell.width / 2 - 0.8))
            z = float(draw.uniform(-shell.depth / 2 + 0.8, shell.depth / 2 - 0.8))
            item = Item("DiningTable", size, parents=floor)
            yaw = float(draw.choice([0.0, 90.0]))
            table = layout.stand(item, Vec3(x, 0, z), yaw, margin=0.5)
            if table is None:
                continue
            for side in (-1, 1):
                away = table.body.rotation.apply(Vec3(side * (size.x / 2 + 0.12), 0.0, 0.0))
                turn = (yaw - side * 90.0) % 360.0
                chair = Item("Chair", variant=table.variant, parents=floor)
                layout.stand(chair, table.position + away, turn, kept=False)
            layout.lay(str(draw.choice(["HousePlant", "Vase", "Bowl"])), table)
            parlour.tables.append(table)
            return


def _shelves(parlour: LivingRoomDraft) -> None:
    """One or two adjacent shelving units, and boards on a wall."""
    shell = parlour.shell
    draw = shell.layout.draw
    walls = (parlour.right, parlour.left, parlour.front, parlour.back)
    size = Vec3(float(draw.uniform(0.75, 1.1)), float(draw.uniform(1.2, 1.9)), 0.36)
    for _ in range(2 if draw.random() < 0.35 else 1):
        parlour.boards += stand_unit(shell, walls, size)
    plan = ShelfPlan(float(draw.uniform(0.7, 1.2)), count=int(draw.integers(1, 3)))
    if not parlour.boards or draw.random() < 0.4:
        for wall in walls:
            boards = hang_shelves(shell, wall, plan)
            parlour.boards += boards
            if boards:
                break


def _belongings(parlour: LivingRoomDraft) -> None:
    """Small things on tables, shelves and seats; everything in ALWAYS is included."""
    layout = parlour.shell.layout
    draw = layout.draw
    fill_shelves(layout, parlour.boards, ON_SHELVES, int(draw.integers(5, 10)))
    if parlour.table is not None:
        put_about(layout, ("Laptop",), [parlour.table, *parlour.tables])
    for kind in ON_TABLE:
        if parlour.table is not None and draw.random() < 0.7:
            layout.lay(kind, parlour.table)
    for kind in ON_STAND:
        if parlour.stand is not None and draw.random() < 0.7:
            layout.lay(kind, parlour.stand)
    for kind in ON_SIDE_TABLE:
        if parlour.tables and draw.random() < 0.7:
            layout.lay(kind, parlour.tables[int(draw.integers(len(parlour.tables)))])
    holders = [parlour.table, *parlour.tables, parlour.stand, *parlour.seats]
    put_about(layout, ALWAYS, [each for each in holders if each is not None])


def _about(parlour: LivingRoomDraft) -> None:
    """Lamps, plants and the rest along the walls, and pictures on them."""
    shell = parlour.shell
    draw = shell.layout.draw
    walls = tuple(shell.all_walls[int(i)] for i in draw.permutation(len(shell.all_walls)))
    lamp = Item("FloorLamp", start=StartState(toggled=bool(draw.random() < 0.8)))
    items: list[tuple[Item | str, float]] = [
        (lamp, 1.0),
        ("GarbageCan", 1.0),
        (Item("HousePlant", Vec3(0.45, float(draw.uniform(0.8, 1.2)), 0.45)), 0.6),
        ("HousePlant", 0.4),
        ("RoomDecor", 0.3),
        ("Ottoman", 0.4),
        ("Boots", 0.3),
        (usual("Box"), 0.6),
        ("Safe", 0.15),
        ("DogBed", 0.2),
    ]
    for item, chance in items:
        if draw.random() < chance:
            for wall in walls:
                if shell.against(wall, item, front=0.1) is not None:
                    break
    hang_picture(shell, parlour.back, at=along(parlour.back, parlour.seats[0]))
    hang_pictures(shell, walls, int(draw.integers(2, 4)))
