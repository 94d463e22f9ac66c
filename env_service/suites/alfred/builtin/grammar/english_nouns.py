"""English nouns for object types: singular, plural, article, preposition, other words."""

from collections.abc import Mapping

from env_service.suites.alfred.builtin.rounds import BATHROOM, BEDROOM, KITCHEN
from env_service.suites.alfred.object_words import BASINS, words_of

_COUNTED: Mapping[str, str] = {
    "Bread": "loaf of bread",
    "Lettuce": "head of lettuce",
    "ToiletPaper": "roll of toilet paper",
}
"""What is counted by something else."""

_PLURALS: Mapping[str, str] = {"knife": "knives", "loaf": "loaves", "shelf": "shelves"}

_IN = frozenset(
    {
        *("Safe", "CoffeeMachine", "Cabinet", "Drawer", "Fridge", "Microwave", "GarbageCan"),
        *("SinkBasin", "BathtubBasin", "Box", "Mug", "Bowl", "Cup", "Pot", "Pan"),
    }
)
"""Receptacles that one puts things in; on all others."""

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "AlarmClock": ("clock", "bedside clock"),
    "BaseballBat": ("bat",),
    "BasketBall": ("basketball", "ball"),
    "Book": ("novel",),
    "Box": ("carton",),
    "ButterKnife": ("table knife",),
    "CD": ("disc", "compact disc"),
    "CellPhone": ("phone", "mobile phone"),
    "Cloth": ("rag", "cleaning cloth"),
    "CreditCard": ("bank card",),
    "Cup": ("drinking cup", "tumbler"),
    "DishSponge": ("sponge", "kitchen sponge"),
    "Fork": ("dinner fork",),
    "HandTowel": ("towel",),
    "Kettle": ("tea kettle",),
    "KeyChain": ("key ring", "bunch of keys"),
    "Knife": ("kitchen knife",),
    "Ladle": ("soup ladle",),
    "Laptop": ("laptop computer", "notebook computer"),
    "Mug": ("coffee mug",),
    "Pan": ("frying pan", "skillet"),
    "Pen": ("ballpoint pen",),
    "PepperShaker": ("pepper mill",),
    "Pillow": ("cushion",),
    "Plate": ("dinner plate",),
    "Plunger": ("toilet plunger",),
    "Pot": ("cooking pot",),
    "RemoteControl": ("remote", "TV remote"),
    "SaltShaker": ("salt cellar",),
    "SoapBar": ("bar of soap",),
    "SoapBottle": ("bottle of soap", "soap dispenser"),
    "Spatula": ("turner",),
    "SprayBottle": ("bottle of cleaning spray", "sprayer"),
    "Statue": ("figurine", "sculpture"),
    "TennisRacket": ("racket", "tennis racquet"),
    "TissueBox": ("box of tissues",),
    "ToiletPaper": ("toilet roll", "roll of toilet tissue"),
    "Vase": ("flower vase",),
    "Watch": ("wristwatch",),
    "WineBottle": ("bottle of wine",),
    "ArmChair": ("easy chair",),
    "BathtubBasin": ("tub", "bath"),
    "Cabinet": ("cupboard",),
    "CoffeeMachine": ("coffee maker",),
    "CounterTop": ("counter", "countertop"),
    "DeskLamp": ("table lamp",),
    "DiningTable": ("dinner table",),
    "Dresser": ("chest of drawers",),
    "FloorLamp": ("standing lamp",),
    "Fridge": ("refrigerator",),
    "GarbageCan": ("trash can", "bin"),
    "Microwave": ("microwave oven",),
    "Safe": ("strongbox",),
    "SideTable": ("end table",),
    "SinkBasin": ("basin",),
    "Sofa": ("couch",),
    "Toilet": ("toilet tank",),
    "ToiletPaperHanger": ("toilet paper holder", "toilet roll holder"),
}
"""Other words, of which each means that type alone in a room that has it."""

_IN_ROOM: Mapping[tuple[str, str], tuple[str, ...]] = {
    (KITCHEN, "CounterTop"): ("counter", "kitchen counter", "worktop"),
    (KITCHEN, "DiningTable"): ("kitchen table",),
    (KITCHEN, "SinkBasin"): ("kitchen sink",),
    (BATHROOM, "SinkBasin"): ("washbasin",),
    (BEDROOM, "SideTable"): ("nightstand", "bedside table"),
    (BEDROOM, "Cabinet"): ("closet",),
}
"""The same where the room decides."""


def noun(object_type: str, *, sliced: bool = False) -> str:
    """The singular, with the words of the skills: "slice of apple", "counter top", "sink"."""
    if sliced:
        return f"slice of {words_of(object_type)}"
    whole = next((each for each, part in BASINS.items() if part == object_type), object_type)
    return _COUNTED.get(whole) or words_of(whole)


def other_nouns(object_type: str, room: str) -> tuple[str, ...]:
    """Other words for a type in a kind of room; the type's usual ones if it has no others."""
    found = _IN_ROOM.get((room, object_type)) or SYNONYMS.get(object_type)
    return found or (noun(object_type),)


def plural(singular: str) -> str:
    """The plural of a noun: "bars of soap", "knives", "CDs"."""
    head, of, rest = singular.partition(" of ")
    *before, last = head.split(" ")
    return " ".join((*before, _PLURALS.get(last) or last + _ending(last))) + of + rest


def _ending(word: str) -> str:
    # "potatoes" and "tomatoes", but no other noun of ours ends so.
    return "es" if word.endswith(("s", "x", "ch", "sh", "ato")) else "s"


def with_article(phrase: str) -> str:
    """ "a" or "an" before a phrase. By letter: no word of ours is spoken otherwise than written."""
    return f"an {phrase}" if phrase[0] in "aeiou" else f"a {phrase}"


def preposition(receptacle: str) -> str:
    """ "in" or "on"."""
    return "in" if receptacle in _IN else "on"
