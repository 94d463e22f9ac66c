"""Bathrooms: toilet, sink in a counter, bath or shower, and the usual supplies."""

from dataclasses import dataclass, field

import numpy as np

from env_service.domain.text import with_article
from env_service.worlds.household.geometry import Box, Rotation, Vec3
from env_service.worlds.household.scene.rooms.color_schemes import drawn_palette
from env_service.worlds.household.scene.rooms.counters import (
    COUNTER_TOP,
    CounterPlan,
    build_counter,
)
from env_service.worlds.household.scene.rooms.furnishings import (
    ShelfPlan,
    along,
    build_window,
    fill_shelves,
    hang_blinds,
    hang_roll,
    hang_shelves,
    hang_towel,
    stand_unit,
)
from env_service.worlds.household.scene.rooms.layout import (
    CrampedError,
    Footprint,
    Item,
    RoomLayout,
    put_about,
    usual,
)
from env_service.worlds.household.scene.rooms.shell import (
    DOOR_WIDTH,
    HEIGHT,
    Band,
    Shell,
    Wall,
    WallOpening,
)
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec

ON_COUNTER = ("SoapBottle", "SoapBar", "Candle", "TissueBox", "Cloth", "SprayBottle", "HousePlant")
IN_DRAWERS = ("Cloth", "SoapBar", "ToiletPaper", "TissueBox", "HandTowel", "SprayBottle")
ON_SHELVES = ("Candle", "Vase", "TissueBox", "SoapBottle", "ToiletPaper", "HousePlant", "Cloth")
ALWAYS = ("SoapBottle", "SoapBar", "Cloth", "SprayBottle", "ToiletPaper", "TissueBox")
"""What the visual suites' tasks need in a bathroom (docs/household.md, Scenes)."""
WAINSCOT = 1.2
"""Metres: tiles end here where a wall is not tiled up to the ceiling."""
HANGER_HEIGHT = 0.66
BESIDE = (0.34, -0.50, 0.50, -0.34)
"""Metres along the wall from a toilet's middle to where brush and plunger may stand."""


@dataclass
class BathroomDraft:
    """A bathroom while it is furnished: its walls from the counter's clockwise."""

    shell: Shell
    vanity: Wall
    right: Wall
    bathing: Wall
    left: Wall
    tiles: dict[str, list[Band]] = field(default_factory=dict)
    boards: list[ObjectSpec] = field(default_factory=list)
    counter: ObjectSpec = field(init=False)


def draw_bathroom(name: str, draw: np.random.Generator) -> SceneSpec:
    """A bathroom; the generator decides everything about it."""
    palette, _ = drawn_palette(Room.BATHROOM, draw)
    layout = RoomLayout(name, palette, draw)
    shell = Shell(layout, float(draw.uniform(2.5, 3.4)), float(draw.uniform(2.5, 3.4)))
    room = BathroomDraft(shell, *shell.turned())
    middle = (room.left.length - DOOR_WIDTH) / 2
    shell.door(room.left, middle + float(draw.uniform(-0.1, 0.1)))
    if draw.random() < 0.7:
        _window(shell, room.right)
    _tile(room)
    room.counter = _vanity(room)
    if draw.random() < 0.6:
        build_bath(shell, room.bathing)
    else:
        room.tiles[room.bathing.name] = [build_shower(shell, room.bathing)]
    toilet = _toilet(room)
    _textiles(room)
    _shelves(room)
    _belongings(room, toilet)
    shell.close(room.tiles)
    return shell.scene(Room.BATHROOM)


def _window(shell: Shell, wall: Wall) -> None:
    draw = shell.layout.draw
    half = float(draw.uniform(0.3, 0.45))
    opening = WallOpening(wall.length / 2 - half, wall.length / 2 + half, 1.35, 2.1)
    build_window(shell, wall, opening)
    if draw.random() < 0.4:
        hang_blinds(shell, wall, opening)


def _tile(room: BathroomDraft) -> None:
    """Tiles: up to the ceiling on the wall of the bath, half the height all around, or just
    behind the counter."""
    drawn = float(room.shell.layout.draw.random())
    walls = (room.vanity, room.right, room.bathing, room.left)
    for wall in walls:
        if drawn < 0.55 or wall is room.bathing or drawn > 0.85:
            high = HEIGHT if wall is room.bathing or drawn > 0.85 else WAINSCOT
            room.tiles[wall.name] = [(0.0, wall.length, 0.0, high)]


def _vanity(room: BathroomDraft) -> ObjectSpec:
    """The counter with one sink or two, drawers, a cabinet, and the mirror above."""
    shell, wall = room.shell, room.vanity
    draw, layout = shell.layout.draw, shell.layout
    wide = float(draw.uniform(1.1, min(2.0, wall.length - 0.7)))
    start = float(draw.uniform(0.02, wall.length - wide - 0.02))
    shares = (0.5,) if wide < 1.6 else (0.28, 0.72)
    sinks = tuple(start + share * wide for share in shares)
    counter = build_counter(shell, wall, CounterPlan(start, start + wide, 0.55, sinks))
    mirrors = [(start + wide / 2, wide * 0.85)]
    if len(sinks) > 1 and draw.random() < 0.5:
        mirrors = [(sink, 0.6) for sink in sinks]
    variant = int(draw.integers(1, 31))
    for at, across in mirrors:
        mirror = Item("Mirror", Vec3(across, float(draw.uniform(0.75, 0.95)), 0.04), variant)
        shell.hang(wall, mirror, COUNTER_TOP + 0.22, at=at)
    for spec in list(layout.objects.values()):
        if spec.type == "Drawer" and draw.random() < 0.5:
            layout.lay(usual(str(draw.choice(IN_DRAWERS))), spec)
    return counter


def _toilet(room: BathroomDraft) -> ObjectSpec:
    """The toilet, with paper, brush and plunger next to it."""
    shell, wall = room.shell, room.right
    layout = shell.layout
    toilet = shell.against(wall, "Toilet", front=0.5, gap=0.005)
    if toilet is None:
        raise CrampedError(f"no room for a toilet in {layout.name}")
    shell.reserve_before(toilet, 0.5)
    middle = along(wall, toilet)
    for side in (0.45, -0.45):
        held = shell.hang(wall, "ToiletPaperHanger", HANGER_HEIGHT, at=middle + side)
        if held is not None:
            hang_roll(layout, held)
            break
    else:
        raise CrampedError(f"no room for paper next to the toilet of {layout.name}")
    for kind, sides in (("Plunger", BESIDE), ("ScrubBrush", BESIDE[::-1])):
        for side in sides:
            if shell.against(wall, kind, at=middle + side, front=0.0, gap=0.03) is not None:
                break
        else:
            raise CrampedError(f"no room for {with_article(kind)} in {layout.name}")
    return toilet


def _textiles(room: BathroomDraft) -> None:
    """Towels on their holders."""
    shell = room.shell
    layout, draw = shell.layout, shell.layout.draw
    walls = (room.left, room.right, room.vanity, room.bathing)
    wanted = [
        ("Towel", "TowelHolder", 1.2, Vec3(0.42, 0.58, 0.06)),
        ("HandTowel", "HandTowelHolder", 1.1, Vec3(0.15, 0.36, 0.05)),
    ]
    if draw.random() < 0.4:
        wanted.append(wanted[int(draw.integers(2))])
    for number, (kind, holder, height, size) in enumerate(wanted):
        held = _rail(shell, walls, Item(holder), (height, size.y))
        if held is not None:
            hang_towel(layout, held, kind, size)
        elif number < 2:
            raise CrampedError(f"no room for {with_article(holder)} in {layout.name}")


def _rail(
    shell: Shell, walls: tuple[Wall, ...], item: Item, heights: tuple[float, float]
) -> ObjectSpec | None:
    """A holder at a height on the first wall where so much below it is free for its towel."""
    height, below = heights
    half = item.extent.x / 2
    for wall in walls:
        for _ in range(12):
            at = float(shell.layout.draw.uniform(half + 0.1, wall.length - half - 0.1))
            span = (at - half - 0.03, at + half + 0.03)
            if shell.ledgers[wall.name].free(*span, height - below, height):
                held = shell.hang(wall, item, height, at=at)
                if held is not None:
                    shell.ledgers[wall.name].take(*span, height - below, height)
                    return held
    return None


def _shelves(room: BathroomDraft) -> None:
    """A board or two on a wall, or a narrow unit."""
    shell = room.shell
    draw = shell.layout.draw
    walls = tuple(shell.walls[int(i)] for i in draw.permutation(4))
    if draw.random() < 0.3:
        size = Vec3(0.5, float(draw.uniform(1.1, 1.6)), 0.30)
        room.boards += stand_unit(shell, walls, size)
    if not room.boards:
        plan = ShelfPlan(float(draw.uniform(0.5, 0.8)), 0.18, 1.4, int(draw.integers(1, 3)), 0.34)
        for wall in walls:
            boards = hang_shelves(shell, wall, plan)
            room.boards += boards
            if boards:
                break
    fill_shelves(shell.layout, room.boards, ON_SHELVES[: int(draw.integers(3, 8))], 0)


def _belongings(room: BathroomDraft, toilet: ObjectSpec) -> None:
    """Small things on counter, shelves and tank, bins on the floor, a mat."""
    shell = room.shell
    layout, draw = shell.layout, shell.layout.draw
    for kind in ON_COUNTER:
        if kind in ("SoapBottle", "SoapBar") or draw.random() < 0.5:
            layout.lay(usual(kind), room.counter)
    layout.lay(str(draw.choice(["ToiletPaper", "TissueBox", "Candle"])), toilet)
    put_about(layout, ALWAYS, [room.counter, *room.boards])
    small = Item("GarbageCan", Vec3(0.28, 0.38, 0.26))
    for item, chance in ((small, 1.0), (Item("LaundryHamper"), 0.5), (Item("Stool"), 0.2)):
        if draw.random() < chance:
            for number in draw.permutation(4):
                if shell.against(shell.walls[int(number)], item, front=0.1) is not None:
                    break
    if draw.random() < 0.4:
        picture = Item("Painting", Vec3(0.45, 0.55, 0.04))
        shell.hang(shell.walls[int(draw.integers(4))], picture, 1.32)
    if draw.random() < 0.75:
        before = layout.draw.choice([0, 1])
        wall, out = ((room.vanity, 0.55 + 0.40), (room.bathing, 0.80 + 0.35))[int(before)]
        at = along(wall, room.counter) if wall is room.vanity else wall.length / 2
        shell.rug(wall.spot(at, out), 0.9, 0.6, wall.yaw)


# --- Bathtubs with their taps and curtains, and showers behind glass

TUB_HEIGHT, TUB_DEPTH = 0.56, 0.78
RIM = 0.09
"""Metres of a tub's edge around its hollow."""
GROUND = 0.10
"""Metres from the floor to the ground of a tub's hollow."""
TAP_OVER = 0.06
"""Metres from a tub's rim up to its tap."""
ROD = 2.08
"""Metres from the floor to a curtain's rod."""
CLOTH = 0.30
"""Metres from the floor to a curtain's hem, inside the tub's outer edge."""
TRAY = 0.05
"""Metres: the height of a shower's tray."""
HEAD = 2.05
"""Metres from the floor to a shower head, about."""


def build_bath(shell: Shell, wall: Wall) -> None:
    """A tub along the wall, with its basin, tap, shower head, and mostly a curtain in front.

    Raises:
        CrampedError: the wall has no room for it.
    """
    draw, layout = shell.layout.draw, shell.layout
    long = min(float(draw.uniform(1.6, 1.8)), wall.length - 0.06)
    left = bool(draw.random() < 0.5)
    at = long / 2 + 0.03 if left else wall.length - long / 2 - 0.03
    hollow = Vec3(long - 2 * RIM, TUB_HEIGHT - 0.02 - GROUND, TUB_DEPTH - 2 * RIM)
    hole = ((-hollow.x / 2, -hollow.z / 2, hollow.x / 2, hollow.z / 2),)
    item = Item("Bathtub", Vec3(long, TUB_HEIGHT, TUB_DEPTH), details=(("basins", hole),))
    tub = shell.against(wall, item, at=at, front=0.05, gap=0.005)
    if tub is None:
        raise CrampedError(f"no room for a bath in {layout.name}")
    shell.reserve_before(tub, 0.45)
    middle = TUB_DEPTH / 2 + 0.005
    basin = f"{tub.object_id}|BathtubBasin"
    layout.put_as(basin, Item("BathtubBasin", hollow), wall.spot(at, middle, GROUND), wall.yaw)
    # the tap is over the end of the tub that lies away from the curtain
    end = at + (-1 if left else 1) * (long / 2 - 0.32)
    low = TUB_HEIGHT + TAP_OVER
    tap = Item(
        "Faucet",
        Vec3(0.18, 0.14, 0.24),
        details=(("mount", "wall"), ("land", GROUND + 0.004 - low)),
    )
    layout.put(tap, wall.spot(end, tap.extent.z / 2, low), wall.yaw)
    _shower_head(shell, wall, end, GROUND)
    shell.ledgers[wall.name].take(at - long / 2, at + long / 2)
    if draw.random() < 0.75:
        _curtain(shell, wall, tub, left=left)


def _curtain(shell: Shell, wall: Wall, tub: ObjectSpec, *, left: bool) -> None:
    """A curtain at the end of the tub away from its tap, on a rod from wall to wall."""
    long = tub.body.size.x
    wide = long * 0.32
    side = 1 if left else -1
    at = (tub.body.center - wall.left).dot(wall.along) + side * (long - wide) / 2
    # the asset's x runs against the wall's direction
    rod = ((at - wall.length, at),)
    details = (("rod", rod), ("hinge", "right" if side > 0 else "left"))
    item = Item("ShowerCurtain", Vec3(wide, ROD - CLOTH, 0.10), details=details)
    shell.layout.put(item, wall.spot(at, TUB_DEPTH - 0.01, CLOTH), wall.yaw)


def _shower_head(shell: Shell, wall: Wall, at: float, ground: float) -> None:
    """A rain shower on its riser, or a hand shower on its hook."""
    draw = shell.layout.draw
    if draw.random() < 0.5:
        low, size = HEAD - 1.45 + 0.12, Vec3(0.26, 1.45, 0.38)
    else:
        low, size = HEAD - 0.34, Vec3(0.15, 0.34, 0.28)
    fall = round(low + size.y - 0.05 - ground, 3)
    item = Item("ShowerHead", size, details=(("fall", fall),))
    shell.layout.put(item, wall.spot(at, size.z / 2, low), wall.yaw)


def build_shower(shell: Shell, wall: Wall) -> Band:
    """A shower in the wall's left corner, behind glass, with a door; what of the wall it takes.

    Raises:
        CrampedError: the wall is too short.
    """
    layout, draw = shell.layout, shell.layout.draw
    side = float(draw.uniform(0.88, 1.05))
    middle = wall.spot(side / 2, side / 2)
    own = Footprint(middle.x, middle.z, side, side, wall.yaw)
    if any(own.meets(other) for other in (*layout.standing, *layout.reserved)):
        raise CrampedError(f"no room for a shower in {layout.name}")
    tray = Box(middle + Vec3(0.0, TRAY / 2, 0.0), Vec3(side, TRAY, side), Rotation.yaw(wall.yaw))
    layout.build("Worktop", tray, details=(("stone", "white marble"),), solid=False)
    _shower_head(shell, wall, side / 2, TRAY)
    tap = Item(
        "Faucet", Vec3(0.16, 0.14, 0.14), details=(("mount", "wall"), ("land", TRAY - 1.0 + 0.004))
    )
    layout.put(tap, wall.spot(side / 2 + 0.22, tap.extent.z / 2, 1.0), wall.yaw)
    door = Item("ShowerDoor", Vec3(side - 0.01, HEAD, 0.04))
    layout.put(door, wall.spot(side / 2, side - 0.02, TRAY), wall.yaw)
    pane = Item("ShowerGlass", Vec3(side - 0.05, HEAD, 0.03))
    layout.put(pane, wall.spot(side - 0.015, side / 2 - 0.02, TRAY), (wall.yaw + 270) % 360)
    shell.ledgers[wall.name].take(0.0, side + 0.05)
    before = shell.walls[shell.walls.index(wall) - 1]
    shell.ledgers[before.name].take(before.length - side - 0.05, before.length)
    layout.standing.append(own)
    shell.reserve(wall, (0.0, side), side, 0.5)
    return (0.0, side, 0.0, HEIGHT)
