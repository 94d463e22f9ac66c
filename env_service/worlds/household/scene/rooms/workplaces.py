"""Desks with their drawers, chairs and lamps."""

from __future__ import annotations

from env_service.worlds.household.geometry import Vec3
from env_service.worlds.household.scene.rooms.chests import Drawers, fill_drawers, with_drawers
from env_service.worlds.household.scene.rooms.furnishing import Item
from env_service.worlds.household.scene.rooms.hangings import along
from env_service.worlds.household.scene.rooms.shell import Shell
from env_service.worlds.household.scene.rooms.walls import Wall
from env_service.worlds.household.scene.spec import ObjectSpec, StartState

CHAIR_OUT = 0.30
"""Metres from a desk's front to the middle of its chair."""
ASIDE = 0.16
"""Metres that the chair stands aside, away from the drawers."""


def stand_desk(shell: Shell, walls: tuple[Wall, ...], kinds: tuple[str, ...]) -> ObjectSpec | None:
    """A desk at the first wall with room, its chair before it, a lamp on it, some of the kinds in
    its drawers; None if no wall has room."""
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    size = Vec3(float(draw.uniform(1.1, 1.5)), 0.75, float(draw.uniform(0.58, 0.68)))
    half = size.x / 2
    plan = Drawers(1, int(draw.integers(2, 4)), 0.08, 0.68, left=half - 0.03, right=half - 0.43)
    for wall in walls:
        desk = shell.against(wall, with_drawers(Item("Desk", size), plan), front=0.8)
        if desk is None:
            continue
        shell.reserve_before(desk, 0.6)
        for drawer in fill_drawers(furnishing, desk, plan):
            if draw.random() < 0.6:
                furnishing.lay(str(draw.choice(kinds)), drawer)
        base = wall.spot(along(wall, desk) + ASIDE, 0.02 + size.z + CHAIR_OUT)
        chair = Item("Chair", parents=(shell.floor.object_id,))
        yaw = (wall.yaw + 180 + float(draw.uniform(-25, 25))) % 360
        furnishing.stand(chair, base, yaw, kept=False)
        if draw.random() < 0.6:
            lamp = Item("DeskLamp", start=StartState(toggled=bool(draw.random() < 0.6)))
            furnishing.lay(lamp, desk, yaw=0.0, at_back=True)
        return desk
    return None
