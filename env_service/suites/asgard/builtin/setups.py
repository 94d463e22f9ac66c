"""How a built-in task's room is disordered: the families' object setups (spec: asgard.md section
1.5), and what is done to single objects (section 1.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from env_service.suites.asgard.builtin.variations import Variation
from env_service.suites.asgard.plan import Family, SetupKind
from env_service.suites.asgard.tables import tables

Entry = dict[str, Any]

_CLUTTER = ("Kitchen", "Silverware", "Food")
_COOKED_WITH = ("DishSponge", "Pan", "Plate", "Bowl", "Knife")
_REMOTE_PLACES = ("CoffeeTable", "CounterTop", "Floor", "Shelf", "SideTable")
_BATHROOM_THINGS = (
    "Candle", "DishSponge", "HousePlant", "PaperTowelRoll", "Plunger", "ScrubBrush", "SoapBar",
    "SoapBottle",
)  # fmt: skip
_BATHROOM_PLACES = ("CounterTop", "Floor", "Shelf")
_LARGE_THINGS = (
    "Boots", "Bowl", "Box", "Candle", "HousePlant", "Statue", "TissueBox", "WateringCan", "Vase",
)  # fmt: skip
_LARGE_PLACES = ("CounterTop", "Floor", "Shelf", "SideTable", "ShelvingUnit")
_SMALL_THINGS = (
    "Book", "CellPhone", "CreditCard", "KeyChain", "Laptop", "Newspaper", "Pen", "Pillow",
    "Pencil", "TissueBox", "Watch",
)  # fmt: skip
_SMALL_PLACES = ("CounterTop", "Shelf", "Sofa", "SideTable", "ShelvingUnit")

_FOOD: dict[Family, str] = {
    Family.MICROWAVE_POTATO: "Potato",
    Family.COOK_EGG: "Egg",
    Family.MAKE_TOAST: "Bread",
    Family.FRY_POTATO_SLICE: "Potato",
}

AWAY_CLASSES: Mapping[Family, str] = {
    Family.PUT_AWAY_FOOD: "Food",
    Family.PUT_AWAY_DISHES: "Dishes",
    Family.PUT_AWAY_SILVERWARE: "Silverware",
}
"""The class of what is put away."""


def target_types(variation: Variation) -> tuple[str, ...]:
    """What is placed first, and not taken away to make room."""
    match variation.family:
        case Family.COFFEE:
            return ("Mug", "DishSponge")
        case Family.SLICE_AND_DISTRIBUTE:
            return (variation.food, "DishSponge", "Knife", "Pan", "Plate", "Bowl", "Pot")
        case Family.SET_TABLE:
            return ("DishSponge", "Mug", "Plate", "Bread", "Knife")
        case Family.CLEAN_MIRROR:
            return ("Cloth", "SprayBottle")
        case Family.TURN_ON_TV:
            return ("RemoteControl",)
    if variation.family in AWAY_CLASSES:
        return ("DishSponge", *tables().classes[AWAY_CLASSES[variation.family]])
    return (_FOOD[variation.family], *_COOKED_WITH)


def object_setup(variation: Variation) -> Entry:
    """The value of the plan's key "object_setup"."""
    family, targets = variation.family, target_types(variation)
    places = _REMOTE_PLACES if family is Family.TURN_ON_TV else None
    return {
        "target_setup": _placement(_selected(types=targets), places),
        "distractor_setups": _distractors(family),
        "employed_types": list(targets),
    }


def _distractors(family: Family) -> list[Entry]:
    if family is Family.CLEAN_MIRROR:
        return [_placement(_selected(types=_BATHROOM_THINGS), _BATHROOM_PLACES)]
    if family is Family.TURN_ON_TV:
        return [
            _placement(_selected(types=_LARGE_THINGS), _LARGE_PLACES),
            _placement(_selected(types=_SMALL_THINGS), _SMALL_PLACES),
        ]
    if family is Family.SLICE_AND_DISTRIBUTE:
        return [_placement(_selected(classes=_CLUTTER[:2]))]
    # Of what the published setups list beside it for putting away, nothing is a class.
    return [_placement(_selected(classes=_CLUTTER[:1] if family in AWAY_CLASSES else _CLUTTER))]


def _placement(objects: Entry, containers: Sequence[str] | None = None) -> Entry:
    return {
        "object_specifier": objects,
        "container_specifier": None if containers is None else _selected(types=containers),
    }


def _selected(*, types: Sequence[str] = (), classes: Sequence[str] = ()) -> Entry:
    return {
        "names": None,
        "types": list(types) or None,
        "classes": list(classes) or None,
        "secondary_names": None,
        "secondary_types": None,
        "preferred_name": None,
        "all": False,
    }


def setup_actions(variation: Variation, names: Mapping[str, str]) -> list[Entry]:
    """The value of the plan's key "setup_actions"; ``names`` are those of the objects by type."""
    found = [_action(SetupKind.DIRTY, names[each]) for each in variation.dirty]
    if variation.mug == "empty":
        found.append(_action(SetupKind.EMPTY, names["Mug"]))
    if variation.mug == "has_coffee":
        found.append(_action(SetupKind.FILL, names["Mug"], "coffee"))
    return found


def _action(kind: SetupKind, name: str, argument: str | None = None) -> Entry:
    return {"action": kind.value, "object_name": name, "argument": argument}
