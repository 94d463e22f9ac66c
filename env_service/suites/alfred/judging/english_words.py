"""The words that people have for ALFRED's object types, and verbs, adjectives, prepositions and
numbers of household commands, in English.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum

from env_service.suites.alfred.judging.intent import State
from env_service.suites.alfred.object_words import PICKABLE, words_of


def _nouns_by_type(phrases: str) -> tuple[str, ...]:
    return tuple(each.strip() for each in phrases.split(","))


_ITEMS: Mapping[str, str] = {
    "AlarmClock": "alarm, clock, bedside clock, digital clock",
    "Apple": "fruit",
    "BaseballBat": "bat",
    "BasketBall": "basket ball, ball",
    "Book": "textbook, novel, hardcover, magazine",
    "Bowl": "dish, container",
    "Box": "carton, container, crate, package",
    "Bread": "loaf, loaf of bread, bread loaf, toast",
    "ButterKnife": "butterknife, table knife, dinner knife, knife",
    "CD": "disc, disk, compact disc, compact disk, dvd",
    "Candle": "taper",
    "CellPhone": "phone, mobile phone, mobile, smartphone, smart phone, telephone, cellphone, cell",
    "Cloth": "rag, washcloth, wash cloth, dishcloth, dish cloth, dish rag, dishrag, towel,"
    " cleaning cloth, dish towel, fabric, cleaning rag",
    "CreditCard": "card, bank card, debit card, payment card",
    "Cup": "glass, drinking glass, goblet, wine glass, tumbler, chalice, martini glass, wine cup,"
    " container, drinking cup",
    "DishSponge": "sponge, scrubber, scouring pad, dishsponge, kitchen sponge",
    "Egg": "raw egg",
    "Fork": "dinner fork",
    "Glassbottle": "glass bottle, bottle, clear bottle, bottle of glass",
    "HandTowel": "towel, handtowel, hand cloth, face towel",
    "Kettle": "teapot, tea kettle, teakettle, tea pot, water kettle",
    "KeyChain": "keychain, key, key set, set of key, key ring, keyring, bunch of key",
    "Knife": "kitchen knife, sharp knife, carving knife, chef knife, steak knife, large knife,"
    " cutting knife, paring knife",
    "Ladle": "soup ladle, laddle, serving ladle, scoop, soup scoop",
    "Laptop": "computer, laptop computer, notebook computer, lap top, notebook",
    "Lettuce": "head of lettuce, lettuce head, salad, leafy green, lettuce leaf",
    "Mug": "cup, coffee cup, coffee mug, tea cup, teacup",
    "Newspaper": "paper, news paper, newsletter, magazine",
    "Pan": "frying pan, skillet, fry pan, saucepan, sauce pan, frypan, cooking pan, container",
    "Pen": "ballpoint, ballpoint pen, ink pen",
    "Pencil": "lead pencil",
    "PepperShaker": "pepper, shaker, pepper mill, pepper grinder, pepper dispenser, pepper pot",
    "Pillow": "cushion, throw pillow",
    "Plate": "dish, dinner plate",
    "Plunger": "toilet plunger",
    "Pot": "cooking pot, stock pot, stockpot, saucepan, sauce pan, sauce pot, container",
    "Potato": "potatoe, spud",
    "RemoteControl": "remote, controller, tv remote, television remote, remote controller,"
    " tv remote control, clicker",
    "SaltShaker": "salt, shaker, salt dispenser, salt cellar",
    "SoapBar": "bar of soap, soap, bar, bar soap, soapbar, cake of soap",
    "SoapBottle": "soap, bottle of soap, soap dispenser, dispenser, lotion, lotion bottle,"
    " bottle of lotion, hand soap, liquid soap, dish soap, soap pump, bottle, bottle of dish soap,"
    " soap container, pump bottle, bottle of hand soap, bottle of liquid soap,"
    " hand soap bottle, dish soap bottle",
    "Spatula": "turner, flipper",
    "Spoon": "tablespoon, teaspoon",
    "SprayBottle": "spray, bottle of spray, cleaning spray, cleaner, spray can, sprayer,"
    " squirt bottle, bottle, cleaning bottle, bottle of cleaning spray, bottle of cleaner,"
    " cleaning spray bottle",
    "Statue": "figurine, sculpture, statuette, ornament, figure",
    "TennisRacket": "racket, racquet, tennis racquet",
    "TissueBox": "tissue, box of tissue, kleenex, box of kleenex, kleenex box, tissue carton,"
    " facial tissue",
    "ToiletPaper": "toilet paper roll, roll of toilet paper, toilet roll, roll, toilet tissue,"
    " bathroom tissue, paper roll, tissue roll",
    "Tomato": "fruit",
    "Vase": "flower vase, urn, jar",
    "Watch": "wristwatch, wrist watch",
    "WateringCan": "watering pot, water can, watering jug, watering pitcher",
    "WineBottle": "bottle of wine, wine, bottle",
}

_PLACES: Mapping[str, str] = {
    "ArmChair": "armchair, arm chair, chair, recliner, easy chair, lounge chair, lounger, seat",
    "BathtubBasin": "bathtub, bath tub, tub, bath, bathtub basin, tub basin, bath basin",
    "Bed": "bed, mattress",
    "Cabinet": "cabinet, cupboard, pantry, closet, vanity",
    "Cart": "cart, trolley, rolling cart, utility cart, metal cart",
    "CoffeeMachine": "coffee machine, coffee maker, coffeemaker, coffeemachine, coffee brewer,"
    " espresso machine, espresso maker, coffee pot",
    "CoffeeTable": "coffee table, table, center table, centre table, low table,"
    " living room table, cocktail table",
    "CounterTop": "countertop, counter top, counter, kitchen counter, island, kitchen island,"
    " worktop, work top, work surface, benchtop, kitchen top, bar counter",
    "Desk": "desk, table, writing desk, computer desk, work desk, office desk, study table,"
    " writing table, workstation, bureau",
    "DiningTable": "dining table, table, kitchen table, dinner table, dining room table,"
    " eating table, breakfast table",
    "Drawer": "drawer",
    "Dresser": "dresser, chest of drawer, chest, bureau, tv stand, television stand, tv table,"
    " tv console, tv cabinet, credenza, sideboard, dressing table, stand",
    "Fridge": "fridge, refrigerator, freezer, icebox, ice box, frig",
    "GarbageCan": "garbage can, garbage, garbage bin, garbage bag, trash can, trash, trashcan,"
    " trash bin, bin, waste bin, waste basket, wastebasket, wastebin, waste, waste can,"
    " waste container, waste receptacle, trash receptacle, trash container, garbage container,"
    " recycling bin, recycle bin, dustbin, dust bin, rubbish, rubbish bin, refuse bin, litter bin,"
    " disposal bin, disposal, trash basket, can, dumpster, trash bucket",
    "HandTowelHolder": "towel rack, towel holder, towel bar, towel hanger, rack, hand towel holder",
    "Microwave": "microwave, microwave oven",
    "Ottoman": "ottoman, footstool, foot stool, footrest, foot rest, pouf, stool, hassock,"
    " sofa stool, bench",
    "Oven": "oven",
    "Safe": "safe, strongbox, vault, lockbox, lock box, safe box",
    "Shelf": "shelf, shelving, shelving unit, shelf unit, rack, bookshelf, book shelf, bookcase,"
    " metal shelf, metal rack, ledge",
    "SideTable": "side table, end table, nightstand, night stand, bedside table, table, stand,"
    " bed side table, bedside stand, night table, bedstand",
    "SinkBasin": "sink, sink basin, basin, wash basin, washbasin, kitchen sink, washbowl",
    "Sofa": "sofa, couch, settee, loveseat, love seat, futon, sofa seat,"
    " couch cushion, sofa cushion",
    "StoveBurner": "stove burner, stove, burner, stovetop, stove top, cooktop, hob, cooker, range,"
    " gas cooker, gas stove, stove eye, cook top, gas",
    "Toilet": "toilet, toilet tank, commode, lavatory, toilet seat, toilet bowl, toilet lid, tank,"
    " water tank, toilet tank lid, flusher, toilet area, toilet basin, toilet water tank",
    "ToiletPaperHanger": "toilet paper hanger, toilet paper holder, toilet paper rack,"
    " toilet paper dispenser, toilet roll holder, hanger, holder, paper holder, tissue holder,"
    " toilet paper roll holder, dispenser, toilet roll hanger, roll holder, toilet tissue holder,"
    " toilet paper roll hanger, toilet paper stand, toilet paper bar, toilet roll stand",
}

_LAMPS: Mapping[str, str] = {
    "DeskLamp": "desk lamp, lamp, table lamp, bedside lamp, reading lamp, light, desk light,"
    " table light, study lamp, lamplight, lamp light, small lamp, desktop lamp, lighting,"
    " light source, light bulb, bedside light",
    "FloorLamp": "floor lamp, lamp, standing lamp, tall lamp, light, floor light, standing light,"
    " lamplight, lamp light, tall light, lampstand, lamp stand, lighting, light source,"
    " light bulb, floor standing lamp, well lit, stand lamp",
}

_TOOLS: Mapping[str, str] = {
    "Faucet": "faucet, tap, spigot",
    "House": "kitchen, bathroom, living room, bedroom, bath room, dining room, household, home",
}
"""Words that belong to no slot; they are listed so that "dining room" means no dining table."""

PLACES = frozenset(_PLACES)
"""Types that things are brought to and that stay where they are. Goals never want the
HandTowelHolder nor an Oven; commands that say so want something else."""

LAMPS = frozenset(_LAMPS)
TOOLS = frozenset(_TOOLS)
ITEMS = frozenset(PICKABLE)
MOVABLES = frozenset({"Bowl", "Box", "Cup", "Mug", "Pan", "Plate", "Pot"})
"""What goes along as a receptacle in ALFRED's tasks (docs/alfred.md, "Task")."""


def _by_phrase() -> dict[tuple[str, ...], frozenset[str]]:
    found: dict[tuple[str, ...], set[str]] = {}
    tables: tuple[Mapping[str, str], ...] = (_ITEMS, _PLACES, _LAMPS, _TOOLS)
    for table in tables:
        for kind, phrases in table.items():
            own = (words_of(kind).lower(), kind.lower()) if kind in ITEMS else ()
            for phrase in (*own, *_nouns_by_type(phrases)):
                found.setdefault(tuple(phrase.split()), set()).add(kind)
    return {phrase: frozenset(kinds) for phrase, kinds in found.items()}


NOUNS: Mapping[tuple[str, ...], frozenset[str]] = _by_phrase()
"""The singular words of a phrase to all types that it may mean."""


# --- Verbs, adjectives, prepositions and numbers of household commands, in English


class Act(Enum):
    """What a clause asks the robot to do."""

    PUT = "put"
    TAKE = "take"
    LOOK = "look"
    HEAT = "heat"
    COOL = "cool"
    CLEAN = "clean"
    SLICE = "slice"
    SWITCH = "switch"
    DISCARD = "discard"
    OTHER = "other"


def _words_by_act(words: str) -> frozenset[str]:
    return frozenset(words.split())


_VERBS: Mapping[Act, str] = {
    Act.PUT: "put place set lay move drop store toss throw stash return leave bring transfer"
    " relocate deposit rest position hang dump serve stow keep insert pop stick slide shift deliver"
    " load arrange gather tuck situate add plop prop slip hide secure pack box organize"
    " carry transport fling chuck stack settle park plan lower",
    Act.TAKE: "take grab pick get retrieve remove fetch collect find hold lift obtain select"
    " acquire",
    Act.LOOK: "examine look inspect check view see study observe read scan scrutinize review"
    " investigate survey peruse",
    Act.HEAT: "heat warm microwave cook reheat bake boil toast roast",
    Act.COOL: "cool chill refrigerate freeze",
    Act.CLEAN: "clean wash rinse scrub polish wipe sanitize disinfect scour soak",
    Act.SLICE: "slice cut chop dice carve halve",
    Act.SWITCH: "turn switch",
    Act.DISCARD: "discard dispose trash",
    Act.OTHER: "open close use walk go ensure make prepare finish bin",
}

_IRREGULAR: Mapping[str, str] = {
    "took": "take",
    "taken": "take",
    "got": "get",
    "kept": "keep",
    "brought": "bring",
    "threw": "throw",
    "thrown": "throw",
    "held": "hold",
    "hung": "hang",
    "hold": "hold",
    "laid": "lay",
    "left": "leave",
    "stuck": "stick",
    "slid": "slide",
    "hid": "hide",
    "hidden": "hide",
    "saw": "see",
    "seen": "see",
    "froze": "freeze",
    "frozen": "freeze",
    "found": "find",
    "made": "make",
    "cleand": "clean",
}

NOT_VERBS = frozenset({"left", "found", "hidden", "setting", "lighting", "sets", "looks", "stack"})
"""Forms that are something else in these commands ("to the left of", "two sets of keys")."""


def _forms(base: str) -> Iterator[str]:
    yield base
    doubled = base + base[-1] if re.fullmatch(r".*[^aeiou][aeiou][bdgmnprt]", base) else base
    stem = base.removesuffix("e") if not base.endswith("ee") else base
    yield base + ("es" if re.search(r"(s|sh|ch|x|z)$", base) else "s")
    for root in {stem, doubled if doubled != base else stem}:
        yield root + "ed"
        yield root + "ing"
    if base.endswith("y"):
        yield base[:-1] + "ied"


def _verbs() -> dict[str, Act]:
    found: dict[str, Act] = {}
    for act, bases in _VERBS.items():
        for base in bases.split():
            for form in _forms(base):
                found.setdefault(form, act)
    found.update({form: found[base] for form, base in _IRREGULAR.items()})
    return {form: act for form, act in found.items() if form not in NOT_VERBS}


VERBS: Mapping[str, Act] = _verbs()
"""Every form of every verb, to what it does."""

BASES = frozenset(base for bases in _VERBS.values() for base in bases.split())
"""The forms in which a command gives an order."""

_ADJECTIVES: Mapping[State, str] = {
    State.HEATED: "hot warm heated warmed microwaved cooked reheated baked toasted steaming"
    " boiled roasted fried toasty",
    State.COOLED: "cold cool cooled chilled refrigerated frozen icy iced chilly frosty",
    State.CLEANED: "clean cleaned cleand washed rinsed scrubbed polished spotless sanitized wiped"
    " wet sparkling disinfected pristine immaculate gleaming shiny damp purified sterilized"
    " laundered hygienic scoured unsoiled squeaky",
}

_STATE_ACTS: Mapping[Act, State] = {
    Act.HEAT: State.HEATED,
    Act.COOL: State.COOLED,
    Act.CLEAN: State.CLEANED,
}


def _states() -> dict[str, State]:
    found = {word: state for state, words in _ADJECTIVES.items() for word in words.split()}
    for act, state in _STATE_ACTS.items():
        for base in _VERBS[act].split():
            for form in _forms(base):
                found.setdefault(form, state)
    found["refrigerate"] = found["refrigerating"] = State.COOLED
    return found


STATES: Mapping[str, State] = _states()
"""Verbs and adjectives that tell a change of state."""

SLICING = _words_by_act(
    "slice sliced slices slicing cut cutting cuts chop chopped chopping dice diced piece"
    " pieces section sections chunk chunks wedge wedges portion portions halved carve"
    " carved"
)
TWO = frozenset({"two", "2", "both", "pair", "couple", "twin"})
MANY = frozenset({"all", "several", "some", "every", "multiple", "these", "those"})
GROUPS = frozenset({"set", "slices", "sets", "pieces", "heads", "loaves", "bunch"})
"""What may be of one thing or of more, where "of" follows: "sets of keys"."""

PLACING = _words_by_act("in on into onto inside to at atop upon within inot over")
LEAVING = frozenset({"from", "off"})
BESIDE = _words_by_act(
    "by near beside behind above below beneath underneath between against along around"
    " toward towards under"
)
CONTAINING = frozenset({"with", "containing", "holding", "contains", "carrying", "having"})
PARTS = _words_by_act("top back inside edge end middle center centre bottom rest surface lid")
"""Words before "of" that leave the place what it is: "on top of the toilet"."""
NEARBY_TO = frozenset({"next", "close", "adjacent", "prior"})
"""Words before "to" that make the place a landmark."""
ORDINALS = frozenset({"first", "second", "third", "fourth", "last"})
"""Words before "from" that count: "the second from the bottom shelf"."""
CONTENT_OF = _words_by_act(
    "slice slices piece pieces head heads bar roll chunk section box set pair couple bunch loaf"
)
"""Words before "of" that leave the thing what it is: "a slice of bread"."""
LINKS = frozenset({"and", "then", "while", "before", "after", "when", "once", "prior"})
"""Words at which a clause may end."""
