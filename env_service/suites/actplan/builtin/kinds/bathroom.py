"""Activities in bathrooms."""

from __future__ import annotations

from random import Random

from env_service.suites.actplan.builtin.jobs import put, wash
from env_service.suites.actplan.builtin.kinds.finding import (
    beyond,
    different,
    first,
    loose,
    one,
    some,
)
from env_service.suites.actplan.builtin.rooms import Room, Thing
from env_service.suites.actplan.builtin.scenario import Fact, Scenario


def scrubbing_a_bathroom(room: Room, draw: Random) -> Scenario:
    """Toilet, sinks and floor are clean."""
    del draw
    return _cleaning(room, "scrubbing_a_bathroom", "clean the bathroom", (
        first(room, "Toilet"), first(room, "Sink"), room.floor,
    ), first(room, "ScrubBrush"))  # fmt: skip


def scrubbing_a_bathtub(room: Room, draw: Random) -> Scenario:
    """The bathtub is clean."""
    del draw
    stained = (first(room, "Bathtub"),)
    title, tool = "clean the bathtub", first(room, "ScrubBrush")
    return _cleaning(room, "scrubbing_a_bathtub", title, stained, tool)


def polishing_a_mirror(room: Room, draw: Random) -> Scenario:
    """Mirror and countertop are clean."""
    stained = first(room, "Mirror"), first(room, "CounterTop")
    tool = one(loose(room, "Cloth"), draw)
    title = "clean the mirror and the countertop"
    return _cleaning(room, "polishing_a_mirror", title, stained, tool)


def restocking_a_bathroom(room: Room, draw: Random) -> Scenario:
    """Supplies are on a shelf."""
    shelf = one(room.of("Shelf"), draw)
    kinds = ("ToiletPaper", "SoapBar", "SoapBottle", "TissueBox", "Candle")
    things = some(different(beyond(loose(room, *kinds), shelf), draw), 2, 4, draw)
    title = "put the supplies on a shelf"
    return Scenario("restocking_a_bathroom", title, room, (put(things, shelf),))


def collecting_laundry(room: Room, draw: Random) -> Scenario:
    """Towels and rags are in the hamper."""
    hamper = first(room, "LaundryHamper")
    things = some(beyond(loose(room, "Towel", "HandTowel", "Cloth"), hamper), 2, 3, draw)
    title = "collect the laundry"
    return Scenario("collecting_laundry", title, room, (put(things, hamper),))


def _cleaning(
    room: Room, activity: str, title: str, stained: tuple[Thing, ...], tool: Thing
) -> Scenario:
    scenario = Scenario(activity, title, room, (wash(*stained),))
    tools = tool, first(room, "Sink")
    return scenario.using(*tools).having(*(Fact("stained", each) for each in stained))


BATHROOM = (
    scrubbing_a_bathroom,
    scrubbing_a_bathtub,
    polishing_a_mirror,
    restocking_a_bathroom,
    collecting_laundry,
)
