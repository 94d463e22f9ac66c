"""Bathrooms: toilet, sink in a counter, bath or shower, and what is needed there."""

from __future__ import annotations

import numpy as np

from env_service.worlds.household.assets.model import Palette
from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.counters import (
    COUNTER_TOP,
    CounterPlan,
    build_counter,
)
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Furnishing, Item
from env_service.worlds.household.scene.rooms.shell import DOOR_WIDTH, Opening, Shell
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec, Room, SceneSpec, StartState

ON_COUNTER = ("SoapBottle", "SoapBar", "Candle", "TissueBox", "Cloth", "SprayBottle")
TUB_HEIGHT = 0.56
BASIN_RIM = 0.09
"""Metres of a tub's edge around its hollow."""


def draw_bathroom(name: str, draw: np.random.Generator) -> SceneSpec:
    """A bathroom; the generator decides everything about it."""
    palette = Palette(
        walls=str(draw.choice(["white", "sky", "sage", "cream", "blush"])),
        floor=str(draw.choice(["white tiles", "slate tiles", "beige tiles"])),
        cabinets=str(draw.choice(["white", "oak", "walnut", "slate"])),
        counter=str(draw.choice(["white marble", "black granite", "grey stone"])),
        wood=str(draw.choice(["oak", "walnut", "white"])),
        metal="chrome",
        fabric=str(draw.choice(["sky", "sage", "brick", "navy", "sand", "mustard"])),
    )
    furnishing = Furnishing(name, palette, draw)
    shell = Shell(furnishing, float(draw.uniform(2.45, 3.1)), float(draw.uniform(2.45, 3.1)))
    turn = int(draw.integers(4))
    vanity, right, bathing, left = (shell.walls[int(i)] for i in np.roll(range(4), turn))
    shell.door(left, (left.length - DOOR_WIDTH) / 2 + float(draw.uniform(0.04, 0.10)))
    if draw.random() < 0.7:
        shell.window(right, Opening(right.length / 2 - 0.35, right.length / 2 + 0.35, 1.35, 2.1))
    counter = _vanity(shell, vanity)
    if draw.random() < 0.6:
        _bath(shell, bathing)
    else:
        _shower(shell, bathing)
    toilet = _toilet(shell, right)
    _textiles(shell, (left, right, vanity))
    _belongings(shell, counter, toilet)
    shell.close()
    return shell.scene(Room.BATHROOM)


def _vanity(shell: Shell, wall: Wall) -> ObjectSpec:
    """The counter with one sink or two, drawers, a cabinet, and the mirror above."""
    draw = shell.furnishing.draw
    wide = float(draw.uniform(1.1, min(1.9, wall.length - 0.7)))
    start = float(draw.uniform(0.02, wall.length - wide - 0.02))
    sinks = (0.5,) if wide < 1.6 else (0.28, 0.72)
    plan = CounterPlan(
        start, start + wide, depth=0.55, sinks=tuple(start + s * wide for s in sinks)
    )
    counter = build_counter(shell, wall, plan)
    mirror = Item("Mirror", Vec3(wide * 0.85, 0.85, 0.04), start=StartState())
    shell.hang(wall, mirror, COUNTER_TOP + 0.22, at=start + wide / 2)
    return counter


def _bath(shell: Shell, wall: Wall) -> None:
    """A tub along the wall, with its basin, tap, and a curtain in front."""
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    long = min(1.75, wall.length - 0.06)
    at = wall.length / 2
    hollow = Vec3(long - 2 * BASIN_RIM, TUB_HEIGHT - 0.12, 0.78 - 2 * BASIN_RIM)
    hole = ((-hollow.x / 2, -hollow.z / 2, hollow.x / 2, hollow.z / 2),)
    item = Item("Bathtub", Vec3(long, TUB_HEIGHT, 0.78), details=(("basins", hole),))
    tub = shell.against(wall, item, at=at, front=0.05, gap=0.005)
    if tub is None:
        raise CrampedError(f"no room for a bath in {furnishing.name}")
    basin = f"{tub.object_id}|BathtubBasin"
    furnishing.put_as(basin, Item("BathtubBasin", hollow), wall.spot(at, 0.395, 0.10), wall.yaw)
    end = at + long / 2 - 0.30
    fall = ("fall", TUB_HEIGHT + 0.05 - 0.12)
    tap = Item("Faucet", Vec3(0.16, 0.14, 0.18), details=(fall,))
    furnishing.put(tap, wall.spot(end, 0.09, TUB_HEIGHT + 0.04), wall.yaw)
    head = Item("ShowerHead", details=(("fall", 1.5),))
    furnishing.put(head, wall.spot(end, head.extent.z / 2, 1.75), wall.yaw)
    if draw.random() < 0.75:
        curtain = Item("ShowerCurtain", Vec3(long * 0.35, 1.9, 0.12))
        place = at - long / 2 + long * 0.175
        furnishing.put(curtain, wall.spot(place, 0.76, 0.22), wall.yaw)


def _shower(shell: Shell, wall: Wall) -> None:
    """A shower in the wall's left corner, behind glass, with a door."""
    furnishing = shell.furnishing
    side = 0.95
    furnishing.put("ShowerHead", wall.spot(side / 2, 0.14, 1.80), wall.yaw)
    tap = Item("Faucet", Vec3(0.16, 0.14, 0.12), details=(("fall", 0.9),))
    furnishing.put(tap, wall.spot(side / 2, 0.06, 1.0), wall.yaw)
    door = Item("ShowerDoor", Vec3(side, 1.95, 0.04))
    furnishing.put(door, wall.spot(side / 2, side, 0.03), wall.yaw)
    pane = Item("ShowerGlass", Vec3(side - 0.03, 1.95, 0.03))
    furnishing.put(pane, wall.spot(side, side / 2 - 0.02, 0.03), (wall.yaw + 270) % 360)
    shell.ledgers[wall.name].take(0.0, side + 0.05)
    middle = wall.spot(side / 2, side / 2)
    shell.block(middle, side + 0.1, side + 0.1)


def _toilet(shell: Shell, wall: Wall) -> ObjectSpec | None:
    toilet = shell.against(wall, "Toilet", front=0.5, gap=0.005)
    if toilet is None:
        return None
    middle = (toilet.body.center - wall.left).dot(wall.along)
    furnishing = shell.furnishing
    hanger = Item("ToiletPaperHanger")
    for side in (0.45, -0.45):
        held = shell.hang(wall, hanger, 0.66, at=middle + side)
        if held is not None:
            low = held.body.center - Vec3(0.0, 0.055, 0.0)
            roll = Item("ToiletPaper", parents=(held.object_id,))
            furnishing.put(roll, low + wall.inward * 0.02, wall.yaw)
            break
    for kind, side in (("Plunger", 0.36), ("ScrubBrush", -0.36)):
        shell.against(wall, kind, at=middle + side, front=0.0, gap=0.06)
    return toilet


def _textiles(shell: Shell, walls: tuple[Wall, ...]) -> None:
    """Towels on their holders."""
    furnishing = shell.furnishing
    for kind, holder, height, drop in (
        ("Towel", "TowelHolder", 1.25, 0.56),
        ("HandTowel", "HandTowelHolder", 1.15, 0.30),
    ):
        for wall in walls:
            held = shell.hang(wall, holder, height)
            if held is None:
                continue
            base = held.body.center + Vec3(0.0, held.body.size.y / 2 - drop, 0.0)
            towel = Item(kind, parents=(held.object_id,))
            furnishing.put(towel, base + wall.inward * 0.012, wall.yaw)
            break


def _belongings(shell: Shell, counter: ObjectSpec, toilet: ObjectSpec | None) -> None:
    furnishing, draw = shell.furnishing, shell.furnishing.draw
    for kind in ON_COUNTER:
        if kind in ("SoapBottle", "SoapBar") or draw.random() < 0.7:
            furnishing.lay(kind, counter)
    if toilet is not None:
        furnishing.lay("ToiletPaper", toilet)
        if draw.random() < 0.5:
            furnishing.lay("Candle", toilet)
    for kind in ("GarbageCan", "LaundryHamper"):
        if kind == "GarbageCan" or draw.random() < 0.5:
            item = Item(kind, Vec3(0.30, 0.42, 0.28)) if kind == "GarbageCan" else Item(kind)
            for number in draw.permutation(4):
                if shell.against(shell.walls[int(number)], item, front=0.1) is not None:
                    break
    if draw.random() < 0.5:
        shell.rug(0.9, 0.6)
