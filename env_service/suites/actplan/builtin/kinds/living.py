"""Activities in living rooms."""

from __future__ import annotations

from random import Random

from env_service.suites.actplan.builtin.jobs import Be, put, shut
from env_service.suites.actplan.builtin.kinds.finding import (
    beyond,
    different,
    first,
    loose,
    one,
    some,
)
from env_service.suites.actplan.builtin.rooms import Room
from env_service.suites.actplan.builtin.scenario import Fact, Scenario

SMALL = ("RemoteControl", "CellPhone", "Newspaper", "CreditCard", "KeyChain", "Watch")


def tidying_a_living_room(room: Room, draw: Random) -> Scenario:
    """Small things are on a table, pillows on the sofa."""
    sofa = first(room, "Sofa")
    table = one(room.of("CoffeeTable", "SideTable"), draw)
    about = beyond(loose(room, *SMALL), table)
    small = some([each for each in about if not room.hidden(each)], 2, 3, draw)
    pillows = beyond(loose(room, "Pillow"), sofa)[:1]
    jobs = (put(small, table), *((put(pillows, sofa),) if pillows else ()))
    return Scenario("tidying_a_living_room", "tidy up the living room", room, jobs)


def boxing_up_books(room: Room, draw: Random) -> Scenario:
    """Books are in a cardboard box."""
    box = one(loose(room, "Box"), draw)
    books = some(beyond(loose(room, "Book"), box), 2, 4, draw)
    return Scenario("boxing_up_books", "pack books into a box", room, (put(books, box),))


def preparing_a_film_night(room: Room, draw: Random) -> Scenario:
    """The television is on, the lamps are off, the remote control is at hand."""
    table, television = first(room, "CoffeeTable"), first(room, "Television")
    remote = one(loose(room, "RemoteControl"), draw)
    lamps = some(room.of("FloorLamp", "DeskLamp"), 1, 2, draw)
    jobs = (
        Be((television,), "toggled_on"),
        Be(lamps, "toggled_on", positive=False),
        put((remote,), table),
    )
    scenario = Scenario("preparing_a_film_night", "get the room ready for a film", room, jobs)
    return scenario.having(*(Fact("toggled_on", each) for each in lamps))


def clearing_a_coffee_table(room: Room, draw: Random) -> Scenario:
    """What lies on the coffee table is on a shelf, the small things in a drawer."""
    table, shelf = first(room, "CoffeeTable"), one(room.of("Shelf"), draw)
    drawer = one(room.of("Drawer"), draw)
    on_it = [each for each in room.in_or_on(table) if each.movable]
    small = [each for each in on_it if each.kind in SMALL]
    large = [each for each in on_it if each.kind in ("Book", "Bowl", "Candle", "Laptop", "Vase")]
    jobs = (put(some(large, 1, 3, draw), shelf), put(some(small, 1, 3, draw), drawer), shut(drawer))
    return Scenario("clearing_a_coffee_table", "clear the coffee table", room, jobs)


def decorating_a_coffee_table(room: Room, draw: Random) -> Scenario:
    """Decorations from the shelf are on the coffee table."""
    table = first(room, "CoffeeTable")
    there = beyond(loose(room, "Candle", "Vase", "Statue", "Bowl"), table)
    things = some(different(there, draw), 2, 3, draw)
    title = "decorate the coffee table"
    return Scenario("decorating_a_coffee_table", title, room, (put(things, table),))


LIVING_ROOM = (
    tidying_a_living_room,
    boxing_up_books,
    preparing_a_film_night,
    clearing_a_coffee_table,
    decorating_a_coffee_table,
)
