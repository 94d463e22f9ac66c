"""The words that people have for ALFRED's object types.

Written for this purpose. A word under several types may mean each of them: "table" is a dining
table, a side table, a coffee table or a desk. Words are singular, in lower case.
"""

from __future__ import annotations

from collections.abc import Mapping

from env_service.suites.alfred.names import PICKABLE, words_of


def _listed(phrases: str) -> tuple[str, ...]:
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
"""Named without being any slot's; they are here so that "dining room" means no dining table."""

PLACES = frozenset(_PLACES)
"""Types that things are brought to and that stay where they are. Goals never want the
HandTowelHolder nor an Oven; commands that say so want something else."""

LAMPS = frozenset(_LAMPS)
TOOLS = frozenset(_TOOLS)
ITEMS = frozenset(PICKABLE)
MOVABLES = frozenset({"Bowl", "Box", "Cup", "Mug", "Pan", "Plate", "Pot"})
"""What goes along as a receptacle in ALFRED's tasks (spec section 2, counted)."""


def _by_phrase() -> dict[tuple[str, ...], frozenset[str]]:
    found: dict[tuple[str, ...], set[str]] = {}
    tables: tuple[Mapping[str, str], ...] = (_ITEMS, _PLACES, _LAMPS, _TOOLS)
    for table in tables:
        for kind, phrases in table.items():
            own = (words_of(kind).lower(), kind.lower()) if kind in ITEMS else ()
            for phrase in (*own, *_listed(phrases)):
                found.setdefault(tuple(phrase.split()), set()).add(kind)
    return {phrase: frozenset(kinds) for phrase, kinds in found.items()}


NOUNS: Mapping[tuple[str, ...], frozenset[str]] = _by_phrase()
"""The singular words of a phrase to all types that it may mean."""
