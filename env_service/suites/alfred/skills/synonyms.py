"""Words that people use for what the skills call otherwise: a table of our own, for the setting
``synonyms``. LoTa-Bench has none (spec section 3.2)."""

from __future__ import annotations

from collections.abc import Mapping

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
