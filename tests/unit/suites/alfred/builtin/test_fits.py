from __future__ import annotations

from dataclasses import replace

from env_service.suites.alfred.builtin.rooms import Inventory, Need, Place, Thing, fits

BOOK = Thing("Book", (0.30, 0.25, 0.04), frozenset({"Bed"}), "", at_hand=True)
BOTTLE = Thing("WineBottle", (0.09, 0.09, 0.33), frozenset({"CounterTop"}), "", at_hand=True)
DESK = Place((1.2, 0.6, 0.75), taken=0.0)
DRAWER = Place((0.5, 0.4, 0.2), taken=0.0)


def room(**places: Place | tuple[Place, ...]) -> Inventory:
    listed = {k: v if isinstance(v, tuple) else (v,) for k, v in places.items()}
    return Inventory("household-bedroom-1", "bedroom", {}, listed, frozenset(listed))


def test_what_is_not_there_has_no_room():
    assert not fits(room(Desk=DESK), Need(BOOK), "Shelf")


def test_a_crowded_surface_has_no_room():
    assert fits(room(Desk=DESK), Need(BOOK), "Desk")
    assert not fits(room(Desk=replace(DESK, taken=0.2)), Need(BOOK), "Desk")


def test_two_things_need_more_room_than_one():
    table = Place((0.9, 0.75, 0.4), taken=0.0)
    assert fits(room(CoffeeTable=table), Need(BOOK), "CoffeeTable")
    assert not fits(room(CoffeeTable=table), Need(BOOK, count=2), "CoffeeTable")


def test_a_high_thing_goes_in_no_drawer():
    flat = replace(BOTTLE, size=(0.09, 0.09, 0.05))
    assert fits(room(Drawer=DRAWER), Need(flat), "Drawer")
    assert not fits(room(Drawer=DRAWER), Need(BOTTLE), "Drawer")


def test_every_receptacle_of_the_type_has_to_take_it():
    narrow = Place((0.2, 0.2, 0.2), taken=0.0)
    assert not fits(room(Desk=(DESK, narrow)), Need(BOOK), "Desk")


def test_a_hanger_takes_one_roll_and_none_beside_another():
    roll = Thing("ToiletPaper", (0.1, 0.1, 0.1), frozenset(), "", at_hand=True)
    empty, full = Place((0.2, 0.1, 0.1), 0.0), Place((0.2, 0.1, 0.1), 0.01)
    assert fits(room(ToiletPaperHanger=empty), Need(roll), "ToiletPaperHanger")
    assert not fits(room(ToiletPaperHanger=full), Need(roll), "ToiletPaperHanger")
    assert not fits(room(ToiletPaperHanger=empty), Need(roll, count=2), "ToiletPaperHanger")
