"""LoTa-Bench's object types, and the words that its skills have for them (spec section 3.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping


def _listed(names: str) -> tuple[str, ...]:
    return tuple(names.split())


PICKABLE = _listed(
    """
    KeyChain Potato Pot Pen Candle CD Pan Watch Newspaper HandTowel SprayBottle BaseballBat Bread
    CellPhone Book Lettuce CreditCard Mug AlarmClock Kettle ToiletPaper Bowl Fork Box Egg Spoon
    TissueBox Apple TennisRacket Ladle WineBottle Cloth Plunger SoapBar Pencil Laptop RemoteControl
    BasketBall DishSponge Cup Spatula SaltShaker Plate PepperShaker Pillow Glassbottle SoapBottle
    Knife Statue Tomato ButterKnife WateringCan Vase
    """
)
"""Types that can be picked up: ALFRED's 53 target types."""

OPENABLE = _listed("Safe Laptop Fridge Box Microwave Cabinet Drawer")
SLICEABLE = _listed("Potato Lettuce Tomato Apple Bread")
SWITCHABLE = _listed("Microwave DeskLamp FloorLamp Faucet")
RECEPTACLES = _listed(
    """
    ArmChair Safe Cart Ottoman Pot CoffeeMachine Desk Cabinet Pan Drawer Sofa Mug StoveBurner
    SideTable Toilet Bowl Box DiningTable Shelf ToiletPaperHanger CoffeeTable Cup Plate Bathtub Bed
    Dresser Fridge Microwave CounterTop Sink GarbageCan
    """
)
"""Types that things are put in or on. Sinks and bathtubs stand for their basins."""

ALL = tuple(dict.fromkeys((*PICKABLE, *OPENABLE, *SLICEABLE, *SWITCHABLE, *RECEPTACLES)))
"""All 80 types that can be found."""

BASINS: Mapping[str, str] = {"Sink": "SinkBasin", "Bathtub": "BathtubBasin"}
"""What the skills name by the whole, and goals by the part."""


def words_of(object_type: str) -> str:
    """The words for a type: "CounterTop" is "counter top"; "CD" stays as it is."""
    if object_type.isupper():
        return object_type
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", object_type).lower()


def type_of(words: str) -> str | None:
    """The type that exactly these words, in whatever case, stand for; None for no type's."""
    return _TYPES.get(" ".join(words.lower().split()))


_TYPES = {words_of(each).lower(): each for each in ALL}
