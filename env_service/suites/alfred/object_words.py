"""LoTa-Bench's object types, the words that its skills have for them, and words that people use
for what the skills call otherwise.
"""

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
    """The words for a type: "counter top" for "CounterTop"; "CD" does not change."""
    if object_type.isupper():
        return object_type
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", object_type).lower()


def type_of(words: str) -> str | None:
    """The type that exactly these words mean, in any letter case; None if they name no type."""
    return _TYPES.get(" ".join(words.lower().split()))


_TYPES = {words_of(each).lower(): each for each in ALL}


# --- Words that people use for objects that the skills name otherwise, for the setting
# ``synonyms``. The table is Houseguest's; LoTa-Bench has none (docs/alfred-rules.md, "Skills")

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "ball": ("BasketBall",),
    "basin": ("Sink",),
    "bat": ("BaseballBat",),
    "bench": ("Ottoman",),
    "bin": ("GarbageCan",),
    "bottle": ("WineBottle", "Glassbottle", "SoapBottle", "SprayBottle"),
    "burner": ("StoveBurner",),
    "card": ("CreditCard",),
    "chair": ("ArmChair",),
    "clock": ("AlarmClock",),
    "coffee maker": ("CoffeeMachine",),
    "computer": ("Laptop",),
    "couch": ("Sofa",),
    "counter": ("CounterTop",),
    "cupboard": ("Cabinet",),
    "end table": ("SideTable",),
    "footstool": ("Ottoman",),
    "garbage": ("GarbageCan",),
    "garbage bin": ("GarbageCan",),
    "hob": ("StoveBurner",),
    "keys": ("KeyChain",),
    "kitchen counter": ("CounterTop",),
    "lamp": ("DeskLamp", "FloorLamp"),
    "light": ("DeskLamp", "FloorLamp"),
    "loaf of bread": ("Bread",),
    "microwave oven": ("Microwave",),
    "mobile phone": ("CellPhone",),
    "night stand": ("SideTable",),
    "paper towel": ("ToiletPaper",),
    "pepper": ("PepperShaker",),
    "phone": ("CellPhone",),
    "rack": ("Cart", "Shelf"),
    "rag": ("Cloth",),
    "recliner": ("ArmChair",),
    "refrigerator": ("Fridge",),
    "remote": ("RemoteControl",),
    "salt": ("SaltShaker",),
    "shelves": ("Shelf",),
    "soap": ("SoapBar", "SoapBottle"),
    "soap dispenser": ("SoapBottle",),
    "sponge": ("DishSponge",),
    "stand": ("SideTable", "Dresser"),
    "stool": ("Ottoman",),
    "stove": ("StoveBurner",),
    "table": ("DiningTable", "CoffeeTable", "SideTable", "Desk"),
    "tap": ("Faucet",),
    "tissues": ("TissueBox",),
    "toilet roll": ("ToiletPaper",),
    "towel": ("HandTowel",),
    "trash": ("GarbageCan",),
    "trash bin": ("GarbageCan",),
    "trash can": ("GarbageCan",),
    "tub": ("Bathtub",),
    "tv stand": ("Dresser",),
    "vanity": ("CounterTop",),
    "washcloth": ("Cloth",),
    "worktop": ("CounterTop",),
}
"""Words, as small letters, to the types that they may mean, the likeliest first."""

_JOINED = {words.replace(" ", ""): types for words, types in SYNONYMS.items()}


def types_meant(words: str) -> tuple[str, ...]:
    """The types that words may mean, the likeliest first; written as one or apart."""
    return _JOINED.get(words.replace(" ", ""), ())
