"""Which builder makes which type; the one door to the assets."""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

from env_service.worlds.household.assets.model import AssetRequest, Builder, Model

FAMILIES: dict[str, tuple[str, ...]] = {
    "cabinetry": ("Cabinet", "Drawer"),
    "counters": ("CounterTop", "Worktop", "CounterBase", "CabinetCase"),
    "faucets": ("Faucet",),
    "floors": ("Floor", "Rug"),
    "fridges": ("Fridge",),
    "coffee_machines": ("CoffeeMachine",),
    "microwaves": ("Microwave",),
    "toasters": ("Toaster",),
    "room_shell": ("Wall", "Baseboard", "Ceiling", "Door", "Sky"),
    "safes": ("Safe",),
    "shelving": ("Shelf", "ShelvingUnit"),
    "sinks": ("Sink", "SinkBasin"),
    "burners": ("StoveBurner", "StoveKnob"),
    "ranges": ("Stove", "RangeHood", "Dishwasher"),
    "stove_back": ("StoveBack",),
    "bottles": ("Bottle", "WineBottle", "SoapBottle", "SprayBottle"),
    "bread_and_eggs": ("Bread", "BreadSliced", "Egg", "EggCracked"),
    "cookware": ("Pan", "Pot", "Kettle"),
    "cutlery": ("Knife", "ButterKnife", "Fork", "Spoon", "Spatula", "Ladle"),
    "dishes": ("Bowl", "Plate", "Cup", "Mug"),
    "kitchen_supplies": (
        "SaltShaker",
        "PepperShaker",
        "PaperTowelRoll",
        "AluminumFoil",
        "DishSponge",
    ),
    "produce": (
        "Apple",
        "AppleSliced",
        "Tomato",
        "TomatoSliced",
        "Potato",
        "PotatoSliced",
        "Lettuce",
        "LettuceSliced",
    ),
    "bath": ("Bathtub", "BathtubBasin"),
    "cleaning": ("SoapBar", "ScrubBrush", "Plunger", "TissueBox", "VacuumCleaner"),
    "enclosures": ("ShowerDoor", "ShowerGlass", "ShowerCurtain"),
    "ornaments": ("Vase", "Candle", "WateringCan"),
    "pocket_things": ("CellPhone", "CreditCard", "KeyChain", "RemoteControl"),
    "reading": ("Book", "Newspaper", "CD"),
    "shower": ("ShowerHead",),
    "soft_things": ("Pillow", "TeddyBear", "Boots"),
    "sports": ("BaseballBat", "BasketBall", "Dumbbell", "TennisRacket", "TargetCircle"),
    "stationery": ("Pen", "Pencil"),
    "statues": ("Statue",),
    "timepieces": ("AlarmClock", "Watch"),
    "toilet": ("Toilet", "ToiletPaper", "ToiletPaperHanger"),
    "towels": ("Towel", "HandTowel", "HandTowelHolder", "TowelHolder", "Cloth"),
    "beds": ("Bed",),
    "bins": ("Box", "GarbageBag", "GarbageCan", "LaundryHamper"),
    "computers": ("Desktop", "Laptop"),
    "decor": ("RoomDecor", "TableTopDecor"),
    "desks": ("Desk",),
    "electronics": ("LightSwitch", "Television"),
    "lamps": ("DeskLamp", "FloorLamp"),
    "plants": ("HousePlant",),
    "seating": ("Chair",),
    "stools": ("Footstool", "Stool"),
    "storage": ("Cart", "Dresser", "TVStand"),
    "tables": ("CoffeeTable", "DiningTable", "SideTable"),
    "upholstery": ("ArmChair", "DogBed", "Ottoman", "Sofa"),
    "wall_art": ("Painting", "Poster"),
    "windows": ("Blinds", "Curtains", "Mirror", "Window"),
}
"""Module below `assets` -> the types that it builds. Each module has `BUILDERS: dict[str,
Builder]` with exactly these names."""


def builder_of(type_name: str) -> Builder:
    """The builder of a type; an unknown one raises KeyError."""
    module = _homes()[type_name]
    builders: dict[str, Builder] = import_module(f"{__package__}.{module}").BUILDERS
    return builders[type_name]


def known_types() -> frozenset[str]:
    """Every type that has a builder, structural parts included."""
    return frozenset(_homes())


@lru_cache(maxsize=4096)
def model(request: AssetRequest) -> Model:
    """The model for a request; equal requests share one.

    Raises:
        KeyError: no builder knows the type.
        ValueError: a size that is not positive.
    """
    if min(request.size.tuple()) <= 0:
        raise ValueError(f"{request.type}: a model's size is positive, not {request.size}")
    return builder_of(request.type)(request)


@lru_cache(maxsize=1)
def _homes() -> dict[str, str]:
    return {name: module for module, names in FAMILIES.items() for name in names}
