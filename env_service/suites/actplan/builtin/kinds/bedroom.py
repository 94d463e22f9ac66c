"""Activities in bedrooms."""

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


def tidying_a_bedroom(room: Room, draw: Random) -> Scenario:
    """Books and boxes of tissues are on the shelf, clothes in the hamper or a drawer."""
    shelf = one(room.of("Shelf"), draw)
    place = one(room.of("LaundryHamper") or room.of("Drawer"), draw)
    clothes = some(beyond(loose(room, "Cloth"), place), 1, 2, draw)
    others = beyond(loose(room, "Book", "TissueBox", "Candle", "AlarmClock"), shelf)
    things = some(different(others, draw), 1, 3, draw)
    jobs = (put(things, shelf), put(clothes, place))
    return Scenario("tidying_a_bedroom", "tidy up the bedroom", room, jobs)


def packing_for_a_move(room: Room, draw: Random) -> Scenario:
    """Things from the desk and the shelves are in a cardboard box."""
    box = one(loose(room, "Box"), draw)
    there = beyond(loose(room, "Book", "CD", "AlarmClock", "Candle", "Statue", "Vase"), box)
    things = some(different(there, draw), 3, 5, draw)
    return Scenario("packing_for_a_move", "pack things for a move", room, (put(things, box),))


def going_to_bed(room: Room, draw: Random) -> Scenario:
    """The lamps are off, phone and watch lie beside the bed."""
    table = one(room.of("SideTable"), draw)
    lamps = some(room.of("DeskLamp", "FloorLamp"), 1, 2, draw)
    small = beyond(different(loose(room, "CellPhone", "Watch", "KeyChain"), draw), table)
    jobs = (put(some(small, 1, 3, draw), table), Be(lamps, "toggled_on", positive=False))
    scenario = Scenario("going_to_bed", "get the bedroom ready for the night", room, jobs)
    return scenario.having(*(Fact("toggled_on", each) for each in lamps))


def clearing_a_desk(room: Room, draw: Random) -> Scenario:
    """Pens and other small things from the desk are in a drawer, which is closed again."""
    desk, drawer = first(room, "Desk"), one(room.of("Drawer"), draw)
    small = ("Pen", "Pencil", "CD", "CellPhone", "KeyChain", "CreditCard", "Watch")
    things = some([each for each in room.in_or_on(desk) if each.kind in small], 2, 4, draw)
    jobs = (put(things, drawer), shut(drawer))
    return Scenario("clearing_a_desk", "clear the desk", room, jobs)


def dusting_a_bedroom(room: Room, draw: Random) -> Scenario:
    """Furniture is free of dust."""
    dusty = some(room.of("Desk", "Dresser", "Shelf", "SideTable"), 2, 3, draw)
    jobs = (Be(dusty, "dusty", positive=False),)
    scenario = Scenario("dusting_a_bedroom", "dust the furniture", room, jobs)
    tool = one(loose(room, "Cloth"), draw)
    return scenario.using(tool).having(*(Fact("dusty", each) for each in dusty))


BEDROOM = (
    tidying_a_bedroom,
    packing_for_a_move,
    going_to_bed,
    clearing_a_desk,
    dusting_a_bedroom,
)
