import pytest

from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.state import Reading
from tests.support.small_activity import action, fact, put, small_world, taken


def strict(world, words):
    return world.holds(fact(words), Reading.STRICT)


def relaxed(world, words):
    return world.holds(fact(words), Reading.RELAXED)


@pytest.mark.parametrize(
    "words",
    [
        "inside plate_1 cabinet_1",
        "ontop candle_1 table_1",
        "onfloor basket_1 floor_1",
        "ontop basket_1 floor_1",
        "under plate_2 apple_1",
        "onfloor agent_1 floor_1",
        "inroom candle_1 kitchen",
        "inroom plate_1 kitchen",
        "stained plate_2",
    ],
)
def test_the_opening_holds_in_both_readings(words):
    assert strict(small_world(), words)
    assert relaxed(small_world(), words)


@pytest.mark.parametrize(
    "words",
    [
        "inside plate_1 electric_refrigerator_1",
        "ontop table_1 candle_1",
        "onfloor basket_1 floor_2",
        "onfloor agent_1 floor_2",
        "inroom candle_1 bathroom",
        "nextto candle_2 table_1",
        "nextto basket_1 carton_1",
        "nextto candle_1 candle_1",
        "touching candle_1 apple_2",
        "under candle_2 table_1",
        "inside unicorn.n.01_1 cabinet_1",
        "flies plate_1",
        "inside plate_1",
    ],
)
def test_what_is_not_so_holds_in_neither_reading(words):
    assert not strict(small_world(), words)
    assert not relaxed(small_world(), words)


@pytest.mark.parametrize(
    ("verb", "target", "words"),
    [
        (Verb.PLACE_ON_TOP, "basket_1", "inside candle_1 basket_1"),
        (Verb.PLACE_INSIDE, "basket_1", "ontop candle_1 basket_1"),
        (Verb.PLACE_INSIDE, "table_1", "ontop candle_1 table_1"),
        (Verb.PLACE_INSIDE, "table_1", "under candle_1 table_1"),
        (Verb.PLACE_ON_TOP, "plate_1", "inside candle_1 cabinet_1"),
        (Verb.PLACE_ON_TOP, "plate_2", "ontop candle_1 table_1"),
        (Verb.PLACE_ON_TOP, "plate_2", "nextto candle_1 plate_2"),
        (Verb.PLACE_ON_TOP, "countertop_1", "nextto candle_1 apple_2"),
        (Verb.PLACE_ON_TOP, "countertop_1", "touching candle_1 apple_2"),
        (Verb.PLACE_ON_TOP, "countertop_1", "nextto candle_1 sink_1"),
        (Verb.PLACE_ON_FLOOR, "floor_1", "nextto candle_1 table_1"),
        (Verb.PLACE_NEXT_TO, "table_1", "under candle_1 table_1"),
        (Verb.PLACE_UNDER, "table_1", "nextto candle_1 table_1"),
    ],
)
def test_people_read_relations_more_freely_than_stated(verb, target, words):
    world = put(small_world(), verb, target, "candle_1")
    assert not strict(world, words)
    assert relaxed(world, words)


@pytest.mark.parametrize(
    ("verb", "target", "words"),
    [
        (Verb.PLACE_ON_TOP, "cabinet_1", "inside candle_1 cabinet_1"),
        (Verb.PLACE_INSIDE, "cabinet_1", "ontop candle_1 cabinet_1"),
        (Verb.PLACE_INSIDE, "cabinet_1", "nextto candle_1 sink_1"),
        (Verb.PLACE_ON_TOP, "table_1", "inside candle_1 table_1"),
        (Verb.PLACE_ON_TOP, "countertop_1", "nextto candle_1 bathtub_1"),
        (Verb.PLACE_ON_TOP, "table_1", "onfloor candle_1 floor_1"),
    ],
)
def test_even_people_do_not_read_everything_into_a_plan(verb, target, words):
    assert not relaxed(put(small_world(), verb, target, "candle_1"), words)


def test_what_is_held_is_next_to_nothing():
    world = put(small_world(), Verb.PLACE_ON_TOP, "countertop_1", "candle_1")
    taken(world, "candle_1")
    assert not relaxed(world, "nextto candle_1 sink_1")


def test_what_shares_a_support_is_side_by_side_from_the_beginning():
    assert relaxed(small_world(), "nextto rag_1 knife_1")
    assert not strict(small_world(), "nextto rag_1 knife_1")


def test_one_rooms_floors_are_one_floor_as_people_read_it():
    world = put(small_world(), Verb.PLACE_ON_FLOOR, "floor_1", "candle_1")
    assert relaxed(world, "onfloor candle_1 floor_1")
    put(world, Verb.PLACE_ON_TOP, "candle_1", "apple_2")
    assert relaxed(world, "onfloor apple_2 floor_1")
    assert not strict(world, "onfloor apple_2 floor_1")


def test_what_was_side_by_side_is_no_longer_once_one_is_taken_away():
    world = put(small_world(), Verb.PLACE_NEXT_TO, "candle_2", "apple_2")
    assert strict(world, "nextto candle_2 apple_2")
    world.do(action(Verb.GRAB, "candle_2"))
    assert not strict(world, "nextto candle_2 apple_2")


def test_what_is_put_on_the_floor_at_a_table_is_under_it_as_people_read_it():
    world = taken(small_world(), "apple_2")
    world.do(action(Verb.WALK_TO, "table_1"))
    world.do(action(Verb.PLACE_ON_FLOOR, "", "apple_2"))
    assert relaxed(world, "under apple_2 table_1")
    assert relaxed(world, "touching apple_2 table_1")
    assert not strict(world, "under apple_2 table_1")
    assert not relaxed(world, "under apple_2 sink_1")
