"""What is in a kitchen, and where: food, dishes, cookware, cutlery, supplies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from env_service.domain.text import with_article
from env_service.worlds.household.geometry import Rotation, Vec3
from env_service.worlds.household.scene.rooms.furnishing import CrampedError, Item
from env_service.worlds.household.scene.spec import ObjectSpec, StartState

if TYPE_CHECKING:
    from env_service.worlds.household.scene.rooms.kitchen import Cooking
    from env_service.worlds.household.scene.rooms.shell import Shell

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
"""What the visual suites' tasks need in a kitchen (spec: asgard.md section 2.5)."""


def stock_kitchen(shell: Shell, cooking: Cooking) -> None:
    """Puts a kitchen's things where they belong; whatever ALWAYS names is there in the end."""
    furnishing, draw = shell.furnishing, shell.furnishing.draw
    every = list(furnishing.objects.values())
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
        if not furnishing.holds(kind):
            order = [open_places[int(i)] for i in draw.permutation(len(open_places))]
            if not _lay_first(shell, kind, [*order, *cabinets, cooking.fridge]):
                raise CrampedError(f"no room for {with_article(kind)} in {furnishing.name}")


def _share(shell: Shell, kinds: tuple[str, ...], holders: list[ObjectSpec], chance: float) -> None:
    """Some of the kinds, each to one of the holders."""
    draw = shell.furnishing.draw
    for kind in kinds:
        if (
            holders
            and draw.random() < chance
            and not (kind in ONCE and shell.furnishing.holds(kind))
        ):
            order = [holders[int(i)] for i in draw.permutation(len(holders))]
            _lay_first(shell, kind, order)


def _lay_first(shell: Shell, kind: str, holders: list[ObjectSpec]) -> bool:
    """Lays a thing on the first holder that has room."""
    wine = StartState(liquid="wine") if kind == "WineBottle" else None
    return any(shell.furnishing.lay(Item(kind, start=wine), holder) for holder in holders)


def _on_burners(shell: Shell, burners: list[ObjectSpec]) -> None:
    """A pan, and sometimes a kettle, in the middle of its burner, the handle to the front."""
    draw, furnishing = shell.furnishing.draw, shell.furnishing
    order = [burners[int(i)] for i in draw.permutation(len(burners))]
    for kind in ("Pan", "Kettle")[: int(draw.integers(1, 3))]:
        burner = order.pop()
        item = Item(kind, variant=int(draw.integers(1, 31)), parents=(burner.object_id,))
        yaw = (burner.rotation.y + float(draw.choice([0.0, 30.0, -30.0]))) % 360.0
        middle = Rotation.yaw(yaw).apply(furnishing.bottom_of(item))
        top = burner.position + Vec3(0.0, burner.body.size.y, 0.0)
        furnishing.put(item, top - middle, yaw)


def _set_table(shell: Shell, table: ObjectSpec) -> None:
    """A place with plate, cup and cutlery on each side of a table where someone can sit."""
    furnishing, size = shell.furnishing, table.body.size
    variant = int(furnishing.draw.integers(1, 31))
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
            furnishing.lay_at(Item(kind, variant=variant), table, at, yaw=(yaw + turn) % 360.0)
