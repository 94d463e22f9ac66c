"""Activities in kitchens around food."""

from __future__ import annotations

from random import Random

from env_service.suites.actplan.builtin.jobs import Be, Put, put, shut, wash
from env_service.suites.actplan.builtin.kinds.finding import (
    FRESH,
    beyond,
    different,
    first,
    loose,
    one,
    some,
)
from env_service.suites.actplan.builtin.rooms import Room
from env_service.suites.actplan.builtin.scenario import Fact, Scenario


def stocking_the_refrigerator(room: Room, draw: Random) -> Scenario:
    """Fresh food that lies about goes into the refrigerator, which is closed again."""
    fridge = first(room, "Fridge")
    food = some(beyond(loose(room, *FRESH), fridge), 2, 4, draw)
    title = "put the fresh food away"
    return Scenario("stocking_the_refrigerator", title, room, (put(food, fridge), shut(fridge)))


def brewing_coffee(room: Room, draw: Random) -> Scenario:
    """A mug stands in the coffee maker, which runs."""
    machine = first(room, "CoffeeMachine")
    mug = one(loose(room, "Mug"), draw)
    jobs = (put((mug,), machine), Be((machine,), "toggled_on"))
    return Scenario("brewing_coffee", "brew a mug of coffee", room, jobs)


def filling_a_lunch_bowl(room: Room, draw: Random) -> Scenario:
    """A bowl with a cold lunch waits in the refrigerator."""
    fridge, bowl = first(room, "Fridge"), one(loose(room, "Bowl"), draw)
    food = some(different(loose(room, "Apple", "Egg", "Tomato"), draw), 2, 3, draw)
    jobs = (put(food, bowl), put((bowl,), fridge), shut(fridge))
    return Scenario("filling_a_lunch_bowl", "prepare a cold lunch for later", room, jobs)


def tossing_a_salad(room: Room, draw: Random) -> Scenario:
    """Vegetables are sliced and put into a bowl, which stands where people eat."""
    bowl, knife = one(loose(room, "Bowl"), draw), one(loose(room, "Knife"), draw)
    vegetables = different(loose(room, "Lettuce", "Tomato"), draw)
    place = first(room, "DiningTable", "CounterTop")
    jobs = (Be(some(vegetables, 2, 2, draw), "sliced"), put(vegetables, bowl), put((bowl,), place))
    return Scenario("tossing_a_salad", "make a salad", room, jobs, tools=(knife,))


def baking_a_potato(room: Room, draw: Random) -> Scenario:
    """A potato is cooked in the microwave, after somebody has cleaned that."""
    oven, sponge = first(room, "Microwave"), first(room, "DishSponge")
    potato = one(loose(room, "Potato"), draw)
    jobs = (wash(oven), Be((potato,), "cooked"), put((potato,), oven))
    scenario = Scenario(
        "baking_a_potato", "clean the microwave and bake a potato in it", room, jobs
    )
    return scenario.using(sponge, first(room, "Sink")).having(Fact("stained", oven))


def boiling_potatoes(room: Room, draw: Random) -> Scenario:
    """Potatoes are cooked in a pot on the stove."""
    pot, stove = one(loose(room, "Pot"), draw), first(room, "StoveBurner")
    potatoes = some(loose(room, "Potato"), 1, 2, draw)
    jobs = (put(potatoes, pot), put((pot,), stove), Be(potatoes, "cooked"))
    return Scenario("boiling_potatoes", "boil potatoes", room, jobs)


def frying_an_egg(room: Room, draw: Random) -> Scenario:
    """A fried egg waits on a plate, and the stove is off."""
    pan, stove = first(room, "Pan"), first(room, "StoveBurner")
    egg, plate = one(loose(room, "Egg"), draw), one(loose(room, "Plate"), draw)
    jobs = (Be((egg,), "cooked"), put((egg,), plate), Be((stove,), "toggled_on", positive=False))
    return Scenario("frying_an_egg", "fry an egg and serve it", room, jobs, tools=(pan,))


def discarding_scraps(room: Room, draw: Random) -> Scenario:
    """What is spoiled goes into the trash can."""
    can = first(room, "GarbageCan")
    food = some(beyond(loose(room, *FRESH, "Bread"), can), 2, 3, draw)
    scenario = Scenario("discarding_scraps", "throw spoiled food away", room, (put(food, can),))
    return scenario.having(*(Fact("perished", each) for each in food))


def serving_tea(room: Room, draw: Random) -> Scenario:
    """The kettle is on the stove, which runs; mugs are where people drink."""
    stove, kettle = first(room, "StoveBurner"), first(room, "Kettle")
    table = first(room, "DiningTable", "CounterTop")
    mugs = some(beyond(loose(room, "Mug"), table), 1, 2, draw)
    jobs = (put((kettle,), stove), Be((stove,), "toggled_on"), put(mugs, table))
    return Scenario("serving_tea", "get ready to serve tea", room, jobs)


def making_toast(room: Room, draw: Random) -> Scenario:
    """A loaf of bread is sliced and toasted, and lies on a plate."""
    toaster, bread = first(room, "Toaster"), one(loose(room, "Bread"), draw)
    plate, knife = one(loose(room, "Plate"), draw), one(loose(room, "Knife"), draw)
    jobs = (Be((bread,), "sliced"), Be((bread,), "cooked"), Put((bread,), (plate,), "ontop"))
    return Scenario("making_toast", "make toast", room, jobs, tools=(knife, toaster))


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
