"""Which builder makes which type. All other code gets its models here."""

from functools import lru_cache
from importlib import import_module

from env_service.worlds.household.assets.model import AssetRequest, Builder, Model

FAMILIES: dict[str, tuple[str, ...]] = {
    "artworks": (
        "Painting",
        "Poster",
        "Statue",
    ),
    "bath_and_shower": (
        "Bathtub",
        "BathtubBasin",
        "ShowerDoor",
        "ShowerGlass",
        "ShowerCurtain",
        "ShowerHead",
    ),
    "beds_and_soft_items": (
        "Pillow",
        "TeddyBear",
        "Boots",
        "Bed",
    ),
    "books_and_stationery": (
        "Book",
        "Newspaper",
        "CD",
        "Pen",
        "Pencil",
    ),
    "bottles": (
        "Bottle",
        "WineBottle",
        "SoapBottle",
        "SprayBottle",
    ),
    "cabinets_and_counters": (
        "Cabinet",
        "Drawer",
        "CounterTop",
        "Worktop",
        "CounterBase",
        "CabinetCase",
        "Shelf",
        "ShelvingUnit",
    ),
    "cleaning_supplies": (
        "SoapBar",
        "ScrubBrush",
        "Plunger",
        "TissueBox",
        "VacuumCleaner",
    ),
    "cookware": (
        "Pan",
        "Pot",
        "Kettle",
        "SaltShaker",
        "PepperShaker",
        "PaperTowelRoll",
        "AluminumFoil",
        "DishSponge",
    ),
    "decorations": (
        "Vase",
        "Candle",
        "WateringCan",
        "RoomDecor",
        "TableTopDecor",
    ),
    "electronics": (
        "LightSwitch",
        "Television",
        "Desktop",
        "Laptop",
        "AlarmClock",
        "Watch",
    ),
    "food": (
        "Bread",
        "BreadSliced",
        "Egg",
        "EggCracked",
        "Apple",
        "AppleSliced",
        "Tomato",
        "TomatoSliced",
        "Potato",
        "PotatoSliced",
        "Lettuce",
        "LettuceSliced",
    ),
    "kitchen_appliances": (
        "Fridge",
        "Microwave",
        "CoffeeMachine",
        "Toaster",
    ),
    "lamps": (
        "DeskLamp",
        "FloorLamp",
    ),
    "plants": ("HousePlant",),
    "pocket_items": (
        "CellPhone",
        "CreditCard",
        "KeyChain",
        "RemoteControl",
    ),
    "room_shell": (
        "Wall",
        "Baseboard",
        "Ceiling",
        "Door",
        "Sky",
        "Floor",
        "Rug",
        "Blinds",
        "Curtains",
        "Mirror",
        "Window",
    ),
    "seating": (
        "Chair",
        "Footstool",
        "Stool",
        "ArmChair",
        "DogBed",
        "Ottoman",
        "Sofa",
    ),
    "sinks_and_faucets": (
        "Sink",
        "SinkBasin",
        "Faucet",
    ),
    "sports": (
        "BaseballBat",
        "BasketBall",
        "Dumbbell",
        "TennisRacket",
        "TargetCircle",
    ),
    "storage": (
        "Cart",
        "Dresser",
        "TVStand",
        "Safe",
        "Box",
        "GarbageBag",
        "GarbageCan",
        "LaundryHamper",
    ),
    "stoves": (
        "Stove",
        "RangeHood",
        "Dishwasher",
        "StoveBurner",
        "StoveKnob",
        "StoveBack",
    ),
    "tables_and_desks": (
        "CoffeeTable",
        "DiningTable",
        "SideTable",
        "Desk",
    ),
    "tableware": (
        "Bowl",
        "Plate",
        "Cup",
        "Mug",
        "Knife",
        "ButterKnife",
        "Fork",
        "Spoon",
        "Spatula",
        "Ladle",
    ),
    "toilet_and_towels": (
        "Toilet",
        "ToiletPaper",
        "ToiletPaperHanger",
        "Towel",
        "HandTowel",
        "HandTowelHolder",
        "TowelHolder",
        "Cloth",
    ),
}
"""Module below `assets.builders` -> the types that it builds. Each module has `BUILDERS: dict[str,
Builder]` with exactly these names."""


def builder_of(type_name: str) -> Builder:
    """The builder of a type; an unknown one raises KeyError."""
    module = _homes()[type_name]
    builders: dict[str, Builder] = import_module(f"{__package__}.builders.{module}").BUILDERS
    return builders[type_name]


def known_types() -> frozenset[str]:
    """Every type that has a builder, structural parts included."""
    return frozenset(_homes())


@lru_cache(maxsize=4096)
def model(request: AssetRequest) -> Model:
    """The model for a request; equal requests share one.

    Raises:
        KeyError: the type has no builder.
        ValueError: a size that is not positive.
    """
    if min(request.size.tuple()) <= 0:
        raise ValueError(f"{request.type}: a model's size is positive, not {request.size}")
    return builder_of(request.type)(request)


@lru_cache(maxsize=1)
def _homes() -> dict[str, str]:
    return {name: module for module, names in FAMILIES.items() for name in names}
