"""The kinds of built-in activities, by the room that they belong to, and what they look for
there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from env_service.suites.actplan.builtin.rooms import Room, Thing
from env_service.suites.actplan.builtin.scenario import (
    NEXTTO,
    Be,
    Fact,
    Put,
    Scenario,
    put,
    shut,
    wash,
)
from env_service.suites.actplan.counterfactual_rule import UnsuitableError

# --- What kinds of activities look for in a room

ActivityKind = Callable[[Room, Random], Scenario]
"""Sets an activity in a room. Raises UnsuitableError where the room lacks what it takes."""

DISHES = ("Plate", "Bowl", "Cup", "Mug", "Pot", "Pan")
CUTLERY = ("Fork", "ButterKnife", "Spoon")
FRESH = ("Apple", "Egg", "Lettuce", "Potato", "Tomato")
VESSELS = ("WateringCan", "Kettle", "Bottle", "Cup", "Mug", "Bowl")
"""What water can be carried in, the usual thing first."""
WIPES = ("DishSponge", "Cloth", "ScrubBrush", "HandTowel", "PaperTowelRoll", "TissueBox", "Towel")
"""What can be cleaned with, the usual thing first."""


def loose(room: Room, *kinds: str) -> tuple[Thing, ...]:
    """The things of these types that can be picked up, type by type."""
    return tuple(each for each in room.of(*kinds) if each.movable and each.holder)


def beyond(things: Sequence[Thing], *places: Thing) -> tuple[Thing, ...]:
    """Those that are in or on none of the places."""
    ids = {each.id for each in places}
    return tuple(each for each in things if each.holder not in ids)


def one(things: Sequence[Thing], rng: Random) -> Thing:
    """One of them, drawn. Raises UnsuitableError where there is none."""
    if not things:
        raise UnsuitableError
    return rng.choice(things)


def first(room: Room, *kinds: str) -> Thing:
    """The first thing of the first of these types that the room has.

    Raises UnsuitableError where it has none.
    """
    found = room.of(*kinds)
    if not found:
        raise UnsuitableError
    return found[0]


def some(things: Sequence[Thing], least: int, most: int, rng: Random) -> tuple[Thing, ...]:
    """From ``least`` to ``most`` of them, drawn, in their order.

    Raises UnsuitableError where there are fewer.
    """
    if len(things) < least:
        raise UnsuitableError
    count = rng.randint(least, min(most, len(things)))
    chosen = rng.sample(range(len(things)), count)
    return tuple(things[number] for number in sorted(chosen))


def different(things: Sequence[Thing], rng: Random) -> tuple[Thing, ...]:
    """One of each type, drawn."""
    kinds = dict.fromkeys(each.kind for each in things)
    return tuple(rng.choice([each for each in things if each.kind == kind]) for kind in kinds)


# --- Activities in bathrooms


def scrubbing_a_bathroom(room: Room, rng: Random) -> Scenario:
    """Toilet, sinks and floor are clean."""
    del rng
    return _cleaning(room, "scrubbing_a_bathroom", "clean the bathroom", (
        first(room, "Toilet"), first(room, "Sink"), room.floor,
    ), first(room, "ScrubBrush"))  # fmt: skip


def scrubbing_a_bathtub(room: Room, rng: Random) -> Scenario:
    """The bathtub is clean."""
    del rng
    stained = (first(room, "Bathtub"),)
    title, tool = "clean the bathtub", first(room, "ScrubBrush")
    return _cleaning(room, "scrubbing_a_bathtub", title, stained, tool)


def polishing_a_mirror(room: Room, rng: Random) -> Scenario:
    """Mirror and countertop are clean."""
    stained = first(room, "Mirror"), first(room, "CounterTop")
    tool = one(loose(room, "Cloth"), rng)
    title = "clean the mirror and the countertop"
    return _cleaning(room, "polishing_a_mirror", title, stained, tool)


def restocking_a_bathroom(room: Room, rng: Random) -> Scenario:
    """Supplies are on a shelf."""
    shelf = one(room.of("Shelf"), rng)
    kinds = ("ToiletPaper", "SoapBar", "SoapBottle", "TissueBox", "Candle")
    things = some(different(beyond(loose(room, *kinds), shelf), rng), 2, 4, rng)
    title = "put the supplies on a shelf"
    return Scenario("restocking_a_bathroom", title, room, (put(things, shelf),))


def collecting_laundry(room: Room, rng: Random) -> Scenario:
    """Towels and rags are in the hamper."""
    hamper = first(room, "LaundryHamper")
    things = some(beyond(loose(room, "Towel", "HandTowel", "Cloth"), hamper), 2, 3, rng)
    title = "collect the laundry"
    return Scenario("collecting_laundry", title, room, (put(things, hamper),))


def _cleaning(
    room: Room, activity: str, title: str, stained: tuple[Thing, ...], tool: Thing
) -> Scenario:
    scenario = Scenario(activity, title, room, (wash(*stained),))
    tools = tool, first(room, "Sink")
    return scenario.with_tools(*tools).with_facts(*(Fact("stained", each) for each in stained))


BATHROOM = (
    scrubbing_a_bathroom,
    scrubbing_a_bathtub,
    polishing_a_mirror,
    restocking_a_bathroom,
    collecting_laundry,
)


# --- Activities in bedrooms


def tidying_a_bedroom(room: Room, rng: Random) -> Scenario:
    """Books and boxes of tissues are on the shelf, clothes in the hamper or a drawer."""
    shelf = one(room.of("Shelf"), rng)
    place = one(room.of("LaundryHamper") or room.of("Drawer"), rng)
    clothes = some(beyond(loose(room, "Cloth"), place), 1, 2, rng)
    others = beyond(loose(room, "Book", "TissueBox", "Candle", "AlarmClock"), shelf)
    things = some(different(others, rng), 1, 3, rng)
    subgoals = (put(things, shelf), put(clothes, place))
    return Scenario("tidying_a_bedroom", "tidy up the bedroom", room, subgoals)


def packing_for_a_move(room: Room, rng: Random) -> Scenario:
    """Things from the desk and the shelves are in a cardboard box."""
    box = one(loose(room, "Box"), rng)
    there = beyond(loose(room, "Book", "CD", "AlarmClock", "Candle", "Statue", "Vase"), box)
    things = some(different(there, rng), 3, 5, rng)
    return Scenario("packing_for_a_move", "pack things for a move", room, (put(things, box),))


def going_to_bed(room: Room, rng: Random) -> Scenario:
    """The lamps are off; phone and watch lie next to the bed."""
    table = one(room.of("SideTable"), rng)
    lamps = some(room.of("DeskLamp", "FloorLamp"), 1, 2, rng)
    small = beyond(different(loose(room, "CellPhone", "Watch", "KeyChain"), rng), table)
    subgoals = (put(some(small, 1, 3, rng), table), Be(lamps, "toggled_on", positive=False))
    scenario = Scenario("going_to_bed", "get the bedroom ready for the night", room, subgoals)
    return scenario.with_facts(*(Fact("toggled_on", each) for each in lamps))


def clearing_a_desk(room: Room, rng: Random) -> Scenario:
    """Pens and other small things from the desk are in a drawer, which is closed again."""
    desk, drawer = first(room, "Desk"), one(room.of("Drawer"), rng)
    small = ("Pen", "Pencil", "CD", "CellPhone", "KeyChain", "CreditCard", "Watch")
    things = some([each for each in room.in_or_on(desk) if each.kind in small], 2, 4, rng)
    subgoals = (put(things, drawer), shut(drawer))
    return Scenario("clearing_a_desk", "clear the desk", room, subgoals)


def dusting_a_bedroom(room: Room, rng: Random) -> Scenario:
    """Furniture is free of dust."""
    dusty = some(room.of("Desk", "Dresser", "Shelf", "SideTable"), 2, 3, rng)
    subgoals = (Be(dusty, "dusty", positive=False),)
    scenario = Scenario("dusting_a_bedroom", "dust the furniture", room, subgoals)
    tool = one(loose(room, "Cloth"), rng)
    return scenario.with_tools(tool).with_facts(*(Fact("dusty", each) for each in dusty))


BEDROOM = (
    tidying_a_bedroom,
    packing_for_a_move,
    going_to_bed,
    clearing_a_desk,
    dusting_a_bedroom,
)


# --- Activities in kitchens around dishes, shelves and plants


def laying_the_table(room: Room, rng: Random) -> Scenario:
    """Plates, cutlery and cups are on the dining table."""
    table = first(room, "DiningTable")
    there = beyond(loose(room, "Plate", "Fork", "ButterKnife", "Cup", "Mug"), table)
    things = some(different(there, rng), 3, 4, rng)
    return Scenario("laying_the_table", "lay the dining table", room, (put(things, table),))


def setting_a_place(room: Room, rng: Random) -> Scenario:
    """A plate is on the table with a fork next to it, and a cup."""
    table = first(room, "DiningTable", "CounterTop")
    plate, cup = (one(beyond(loose(room, kind), table), rng) for kind in ("Plate", "Cup"))
    fork = one(loose(room, "Fork"), rng)
    subgoals = (put((plate, cup), table), Put((fork,), (plate,), NEXTTO))
    return Scenario("setting_a_place", "set a place for one person", room, subgoals)


def clearing_a_table(room: Room, rng: Random) -> Scenario:
    """What was eaten from is in the sink, and the table is clean."""
    table, sink = first(room, "DiningTable"), first(room, "Sink")
    on_it = room.in_or_on(table)
    dishes = some([each for each in on_it if each.kind in (*DISHES, *CUTLERY)], 1, 4, rng)
    scenario = Scenario(
        "clearing_a_table", "clear the dining table and clean it", room,
        (put(dishes, sink), wash(table)), tools=(first(room, "DishSponge"),),
    )  # fmt: skip
    return scenario.with_facts(Fact("stained", table))


def doing_the_dishes(room: Room, rng: Random) -> Scenario:
    """Dirty dishes are clean, and in a cabinet."""
    cabinet = one(_with_dishes(room), rng)
    dishes = some(beyond(loose(room, *DISHES), cabinet), 2, 4, rng)
    subgoals = (wash(*dishes), put(dishes, cabinet))
    scenario = Scenario("doing_the_dishes", "do the dishes and put them away", room, subgoals)
    tools = first(room, "DishSponge"), first(room, "Sink")
    return scenario.with_tools(*tools).with_facts(*(Fact("stained", each) for each in dishes))


def sorting_cutlery(room: Room, rng: Random) -> Scenario:
    """Cutlery that lies about is in a drawer, which is closed again."""
    drawer = one(room.of("Drawer"), rng)
    tools = beyond(loose(room, *CUTLERY, "Knife", "Spatula", "Ladle"), drawer)
    things = some([each for each in tools if not room.hidden(each)], 2, 4, rng)
    subgoals = (put(things, drawer), shut(drawer))
    return Scenario("sorting_cutlery", "put the cutlery into a drawer", room, subgoals)


def dusting_kitchen_shelves(room: Room, rng: Random) -> Scenario:
    """A shelf and the things on it are free of dust."""
    shelf = one([each for each in room.of("Shelf") if room.in_or_on(each)], rng)
    dusty = (shelf, *some([each for each in room.in_or_on(shelf) if each.movable], 1, 3, rng))
    subgoals = (Be(dusty, "dusty", positive=False),)
    scenario = Scenario("dusting_kitchen_shelves", "dust a shelf and what is on it", room, subgoals)
    tool = first(room, "DishSponge")
    return scenario.with_tools(tool).with_facts(*(Fact("dusty", each) for each in dusty))


def watering_kitchen_plants(room: Room, rng: Random) -> Scenario:
    """The soil of the plants is wet."""
    del rng
    plants = room.of("HousePlant") or (first(room, "HousePlant"),)
    tools = first(room, "Bottle"), first(room, "Sink")
    subgoals = (Be(plants, "soaked"),)
    return Scenario("watering_kitchen_plants", "water the plants", room, subgoals, tools=tools)


def _with_dishes(room: Room) -> list[Thing]:
    """Cabinets that dishes are kept in."""
    return [
        each
        for each in room.of("Cabinet")
        if any(thing.kind in DISHES for thing in room.in_or_on(each))
    ]


DISHES_AND_SHELVES = (
    laying_the_table,
    setting_a_place,
    clearing_a_table,
    doing_the_dishes,
    sorting_cutlery,
    dusting_kitchen_shelves,
    watering_kitchen_plants,
)


# --- Activities in kitchens around food


def stocking_the_refrigerator(room: Room, rng: Random) -> Scenario:
    """The agent puts fresh food into the refrigerator and closes it again."""
    fridge = first(room, "Fridge")
    food = some(beyond(loose(room, *FRESH), fridge), 2, 4, rng)
    title = "put the fresh food away"
    return Scenario("stocking_the_refrigerator", title, room, (put(food, fridge), shut(fridge)))


def brewing_coffee(room: Room, rng: Random) -> Scenario:
    """A mug is in the coffee maker, which runs."""
    machine = first(room, "CoffeeMachine")
    mug = one(loose(room, "Mug"), rng)
    subgoals = (put((mug,), machine), Be((machine,), "toggled_on"))
    return Scenario("brewing_coffee", "brew a mug of coffee", room, subgoals)


def filling_a_lunch_bowl(room: Room, rng: Random) -> Scenario:
    """A bowl with a cold lunch waits in the refrigerator."""
    fridge, bowl = first(room, "Fridge"), one(loose(room, "Bowl"), rng)
    food = some(different(loose(room, "Apple", "Egg", "Tomato"), rng), 2, 3, rng)
    subgoals = (put(food, bowl), put((bowl,), fridge), shut(fridge))
    return Scenario("filling_a_lunch_bowl", "prepare a cold lunch for later", room, subgoals)


def tossing_a_salad(room: Room, rng: Random) -> Scenario:
    """Vegetables are sliced and put into a bowl, which is placed where people eat."""
    bowl, knife = one(loose(room, "Bowl"), rng), one(loose(room, "Knife"), rng)
    vegetables = different(loose(room, "Lettuce", "Tomato"), rng)
    place = first(room, "DiningTable", "CounterTop")
    subgoals = (
        Be(some(vegetables, 2, 2, rng), "sliced"),
        put(vegetables, bowl),
        put((bowl,), place),
    )
    return Scenario("tossing_a_salad", "make a salad", room, subgoals, tools=(knife,))


def baking_a_potato(room: Room, rng: Random) -> Scenario:
    """A potato is cooked in the microwave, after somebody has cleaned that."""
    oven, sponge = first(room, "Microwave"), first(room, "DishSponge")
    potato = one(loose(room, "Potato"), rng)
    subgoals = (wash(oven), Be((potato,), "cooked"), put((potato,), oven))
    scenario = Scenario(
        "baking_a_potato", "clean the microwave and bake a potato in it", room, subgoals
    )
    return scenario.with_tools(sponge, first(room, "Sink")).with_facts(Fact("stained", oven))


def boiling_potatoes(room: Room, rng: Random) -> Scenario:
    """Potatoes are cooked in a pot on the stove."""
    pot, stove = one(loose(room, "Pot"), rng), first(room, "StoveBurner")
    potatoes = some(loose(room, "Potato"), 1, 2, rng)
    subgoals = (put(potatoes, pot), put((pot,), stove), Be(potatoes, "cooked"))
    return Scenario("boiling_potatoes", "boil potatoes", room, subgoals)


def frying_an_egg(room: Room, rng: Random) -> Scenario:
    """A fried egg waits on a plate, and the stove is off."""
    pan, stove = first(room, "Pan"), first(room, "StoveBurner")
    egg, plate = one(loose(room, "Egg"), rng), one(loose(room, "Plate"), rng)
    subgoals = (
        Be((egg,), "cooked"),
        put((egg,), plate),
        Be((stove,), "toggled_on", positive=False),
    )
    return Scenario("frying_an_egg", "fry an egg and serve it", room, subgoals, tools=(pan,))


def discarding_scraps(room: Room, rng: Random) -> Scenario:
    """The agent puts spoiled food into the trash can."""
    can = first(room, "GarbageCan")
    food = some(beyond(loose(room, *FRESH, "Bread"), can), 2, 3, rng)
    scenario = Scenario("discarding_scraps", "throw spoiled food away", room, (put(food, can),))
    return scenario.with_facts(*(Fact("perished", each) for each in food))


def serving_tea(room: Room, rng: Random) -> Scenario:
    """The kettle is on the stove, which runs; mugs are where people drink."""
    stove, kettle = first(room, "StoveBurner"), first(room, "Kettle")
    table = first(room, "DiningTable", "CounterTop")
    mugs = some(beyond(loose(room, "Mug"), table), 1, 2, rng)
    subgoals = (put((kettle,), stove), Be((stove,), "toggled_on"), put(mugs, table))
    return Scenario("serving_tea", "get ready to serve tea", room, subgoals)


def making_toast(room: Room, rng: Random) -> Scenario:
    """A loaf of bread is sliced and toasted, and lies on a plate."""
    toaster, bread = first(room, "Toaster"), one(loose(room, "Bread"), rng)
    plate, knife = one(loose(room, "Plate"), rng), one(loose(room, "Knife"), rng)
    subgoals = (Be((bread,), "sliced"), Be((bread,), "cooked"), Put((bread,), (plate,), "ontop"))
    return Scenario("making_toast", "make toast", room, subgoals, tools=(knife, toaster))


FOOD = (
    stocking_the_refrigerator,
    brewing_coffee,
    filling_a_lunch_bowl,
    tossing_a_salad,
    baking_a_potato,
    boiling_potatoes,
    frying_an_egg,
    discarding_scraps,
    serving_tea,
    making_toast,
)


# --- Activities in living rooms

SMALL = ("RemoteControl", "CellPhone", "Newspaper", "CreditCard", "KeyChain", "Watch")


def tidying_a_living_room(room: Room, rng: Random) -> Scenario:
    """Small things are on a table, pillows on the sofa."""
    sofa = first(room, "Sofa")
    table = one(room.of("CoffeeTable", "SideTable"), rng)
    about = beyond(loose(room, *SMALL), table)
    small = some([each for each in about if not room.hidden(each)], 2, 3, rng)
    pillows = beyond(loose(room, "Pillow"), sofa)[:1]
    subgoals = (put(small, table), *((put(pillows, sofa),) if pillows else ()))
    return Scenario("tidying_a_living_room", "tidy up the living room", room, subgoals)


def boxing_up_books(room: Room, rng: Random) -> Scenario:
    """Books are in a cardboard box."""
    box = one(loose(room, "Box"), rng)
    books = some(beyond(loose(room, "Book"), box), 2, 4, rng)
    return Scenario("boxing_up_books", "pack books into a box", room, (put(books, box),))


def preparing_a_film_night(room: Room, rng: Random) -> Scenario:
    """The television is on, the lamps are off, the remote control is at hand."""
    table, television = first(room, "CoffeeTable"), first(room, "Television")
    remote = one(loose(room, "RemoteControl"), rng)
    lamps = some(room.of("FloorLamp", "DeskLamp"), 1, 2, rng)
    subgoals = (
        Be((television,), "toggled_on"),
        Be(lamps, "toggled_on", positive=False),
        put((remote,), table),
    )
    scenario = Scenario("preparing_a_film_night", "get the room ready for a film", room, subgoals)
    return scenario.with_facts(*(Fact("toggled_on", each) for each in lamps))


def clearing_a_coffee_table(room: Room, rng: Random) -> Scenario:
    """What lies on the coffee table is on a shelf, the small things in a drawer."""
    table, shelf = first(room, "CoffeeTable"), one(room.of("Shelf"), rng)
    drawer = one(room.of("Drawer"), rng)
    on_it = [each for each in room.in_or_on(table) if each.movable]
    small = [each for each in on_it if each.kind in SMALL]
    large = [each for each in on_it if each.kind in ("Book", "Bowl", "Candle", "Laptop", "Vase")]
    subgoals = (
        put(some(large, 1, 3, rng), shelf),
        put(some(small, 1, 3, rng), drawer),
        shut(drawer),
    )
    return Scenario("clearing_a_coffee_table", "clear the coffee table", room, subgoals)


def decorating_a_coffee_table(room: Room, rng: Random) -> Scenario:
    """Decorations from the shelf are on the coffee table."""
    table = first(room, "CoffeeTable")
    there = beyond(loose(room, "Candle", "Vase", "Statue", "Bowl"), table)
    things = some(different(there, rng), 2, 3, rng)
    title = "decorate the coffee table"
    return Scenario("decorating_a_coffee_table", title, room, (put(things, table),))


LIVING_ROOM = (
    tidying_a_living_room,
    boxing_up_books,
    preparing_a_film_night,
    clearing_a_coffee_table,
    decorating_a_coffee_table,
)


# --- All kinds of built-in activities

KINDS: Mapping[str, tuple[ActivityKind, ...]] = {
    "kitchen": (*FOOD, *DISHES_AND_SHELVES),
    "living-room": LIVING_ROOM,
    "bedroom": BEDROOM,
    "bathroom": BATHROOM,
}
"""By the kind of room, spelled as in the rooms' names."""
