from __future__ import annotations

from env_service.suites.asgard.setup import broken, duplicates, in_the_way
from tests.unit.suites.asgard.builders import room, thing


def names(items) -> list[str]:
    return [each["objectId"] for each in items]


def test_one_of_each_type_that_can_be_carried_stays():
    view = room(
        thing("Mug", objectId="Mug|1"),
        thing("Cabinet", objectId="Cabinet|1", pickupable=False),
        thing("Mug", objectId="Mug|2"),
        thing("Cabinet", objectId="Cabinet|2", pickupable=False),
        thing("Mug", objectId="Mug|3"),
    )
    assert names(duplicates(view)) == ["Mug|2", "Mug|3"]


def test_one_cup_is_known_to_be_broken():
    view = room(thing("Cup", name="Cup_344dbbfb"), thing("Mug"))
    assert names(broken(view)) == ["Cup"]


def crowded(width: float):
    surface = thing("CounterTop", (0, 0.5, 0), (width, 1.0, 1.0), pickupable=False)
    large = thing("Pot", size=(0.5, 0.2, 0.3), parentReceptacles=["CounterTop"])
    small = thing("Mug", size=(0.1, 0.1, 0.1), parentReceptacles=["CounterTop"])
    wide = thing("Pan", size=(0.6, 0.1, 0.3), parentReceptacles=["CounterTop"])
    return room(surface, small, large, wide)


def test_a_surface_with_room_keeps_its_things():
    assert names(in_the_way(crowded(0.9), ())) == []


def test_the_largest_things_leave_until_there_is_room_but_targets_stay():
    assert names(in_the_way(crowded(0.5), ())) == ["Pan"]
    assert names(in_the_way(crowded(0.5), {"Pan"})) == ["Pot", "Mug"]
    assert names(in_the_way(crowded(0.1), ())) == ["Pan", "Pot", "Mug"]


def test_a_sink_takes_room_from_its_counter():
    surface = thing("CounterTop", (0, 0.5, 0), (1.0, 1.0, 0.5), pickupable=False)
    sink = thing("Sink", (0, 0.5, 0), (0.8, 0.2, 0.4), pickupable=False)
    mug = thing("Mug", size=(0.2, 0.2, 0.2), parentReceptacles=["CounterTop"])
    assert names(in_the_way(room(surface, mug), ())) == []
    assert names(in_the_way(room(surface, mug, sink), ())) == ["Mug"]
