"""What is in a kitchen, and where: food, dishes, cookware, cutlery, supplies."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
ON_TABLE = ("Bowl", "Plate", "Cup", "Tomato", "ButterKnife", "Fork", "HousePlant", "Statue")
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
    if cooking.table is not None:
        _share(shell, ON_TABLE, [cooking.table], 0.8)
    open_places = [*cooking.counters, *([cooking.table] if cooking.table else [])]
    for kind in ALWAYS:
        if not _has(shell, kind):
            order = [open_places[int(i)] for i in draw.permutation(len(open_places))]
            if not _lay_first(shell, kind, [*order, *cabinets, cooking.fridge]):
                raise CrampedError(f"no room for a {kind} in {furnishing.name}")


def _has(shell: Shell, kind: str) -> bool:
    return any(spec.type == kind for spec in shell.furnishing.objects.values())


def _share(shell: Shell, kinds: tuple[str, ...], holders: list[ObjectSpec], chance: float) -> None:
    """Some of the kinds, each to one of the holders."""
    draw = shell.furnishing.draw
    for kind in kinds:
        if holders and draw.random() < chance and not (kind in ONCE and _has(shell, kind)):
            order = [holders[int(i)] for i in draw.permutation(len(holders))]
            _lay_first(shell, kind, order)


def _lay_first(shell: Shell, kind: str, holders: list[ObjectSpec]) -> bool:
    """Lays a thing on the first holder that has room."""
    wine = StartState(liquid="wine") if kind == "WineBottle" else None
    return any(shell.furnishing.lay(Item(kind, start=wine), holder) for holder in holders)


def _on_burners(shell: Shell, burners: list[ObjectSpec]) -> None:
    """A pan, and sometimes a kettle, on the stove."""
    draw = shell.furnishing.draw
    order = [burners[int(i)] for i in draw.permutation(len(burners))]
    for kind in ("Pan", "Kettle")[: int(draw.integers(1, 3))]:
        burner = order.pop()
        shell.furnishing.lay(kind, burner, surface=0, yaw=float(draw.choice([0.0, 30.0, -30.0])))
