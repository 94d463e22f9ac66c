"""Activities in kitchens around dishes, shelves and plants."""

from __future__ import annotations

from random import Random

from env_service.suites.actplan.builtin.jobs import NEXTTO, Be, Put, put, shut, wash
from env_service.suites.actplan.builtin.kinds.finding import (
    CUTLERY,
    DISHES,
    beyond,
    different,
    first,
    loose,
    one,
    some,
)
from env_service.suites.actplan.builtin.rooms import Room, Thing
from env_service.suites.actplan.builtin.scenario import Fact, Scenario


def laying_the_table(room: Room, draw: Random) -> Scenario:
    """Plates, cutlery and cups are on the dining table."""
    table = first(room, "DiningTable")
    there = beyond(loose(room, "Plate", "Fork", "ButterKnife", "Cup", "Mug"), table)
    things = some(different(there, draw), 3, 4, draw)
    return Scenario("laying_the_table", "lay the dining table", room, (put(things, table),))


def setting_a_place(room: Room, draw: Random) -> Scenario:
    """A plate is on the table with a fork next to it, and a cup."""
    table = first(room, "DiningTable", "CounterTop")
    plate, cup = (one(beyond(loose(room, kind), table), draw) for kind in ("Plate", "Cup"))
    fork = one(loose(room, "Fork"), draw)
    jobs = (put((plate, cup), table), Put((fork,), (plate,), NEXTTO))
    return Scenario("setting_a_place", "set a place for one person", room, jobs)


def clearing_a_table(room: Room, draw: Random) -> Scenario:
    """What was eaten from is in the sink, and the table is clean."""
    table, sink = first(room, "DiningTable"), first(room, "Sink")
    on_it = room.in_or_on(table)
    dishes = some([each for each in on_it if each.kind in (*DISHES, *CUTLERY)], 1, 4, draw)
    scenario = Scenario(
        "clearing_a_table", "clear the dining table and clean it", room,
        (put(dishes, sink), wash(table)), tools=(first(room, "DishSponge"),),
    )  # fmt: skip
    return scenario.having(Fact("stained", table))


def doing_the_dishes(room: Room, draw: Random) -> Scenario:
    """Dirty dishes are clean, and in a cabinet."""
    cabinet = one(_with_dishes(room), draw)
    dishes = some(beyond(loose(room, *DISHES), cabinet), 2, 4, draw)
    jobs = (wash(*dishes), put(dishes, cabinet))
    scenario = Scenario("doing_the_dishes", "do the dishes and put them away", room, jobs)
    tools = first(room, "DishSponge"), first(room, "Sink")
    return scenario.using(*tools).having(*(Fact("stained", each) for each in dishes))


def sorting_cutlery(room: Room, draw: Random) -> Scenario:
    """Cutlery that lies about is in a drawer, which is closed again."""
    drawer = one(room.of("Drawer"), draw)
    tools = beyond(loose(room, *CUTLERY, "Knife", "Spatula", "Ladle"), drawer)
    things = some([each for each in tools if not room.hidden(each)], 2, 4, draw)
    jobs = (put(things, drawer), shut(drawer))
    return Scenario("sorting_cutlery", "put the cutlery into a drawer", room, jobs)


def dusting_kitchen_shelves(room: Room, draw: Random) -> Scenario:
    """A shelf and what stands on it are free of dust."""
    shelf = one([each for each in room.of("Shelf") if room.in_or_on(each)], draw)
    dusty = (shelf, *some([each for each in room.in_or_on(shelf) if each.movable], 1, 3, draw))
    jobs = (Be(dusty, "dusty", positive=False),)
    scenario = Scenario("dusting_kitchen_shelves", "dust a shelf and what is on it", room, jobs)
    tool = first(room, "DishSponge")
    return scenario.using(tool).having(*(Fact("dusty", each) for each in dusty))


def watering_kitchen_plants(room: Room, draw: Random) -> Scenario:
    """The soil of the plants is wet."""
    del draw
    plants = room.of("HousePlant") or (first(room, "HousePlant"),)
    tools = first(room, "Bottle"), first(room, "Sink")
    jobs = (Be(plants, "soaked"),)
    return Scenario("watering_kitchen_plants", "water the plants", room, jobs, tools=tools)


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
