from itertools import pairwise

import pytest

from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.commonsense import PROFILES
from env_service.worlds.activity.commonsense import ViolationKind as Kind
from tests.support.small_activity import action, put, small_world, taken, violated


def test_a_thing_is_taken_only_where_the_agent_walked_to():
    world = small_world()
    assert violated(world, action(Verb.GRAB, "candle_1")) == (Kind.NOT_NEAR,)
    world.do(action(Verb.WALK_TO, "table_1"))
    assert violated(world, action(Verb.GRAB, "candle_1")) == ()


def test_what_is_on_the_same_table_is_near():
    world = taken(small_world(), "candle_1")
    assert violated(world, action(Verb.GRAB, "apple_1")) == ()


def test_what_lies_on_the_same_floor_is_not_near_unless_one_walks_to_the_floor():
    world = taken(small_world(), "candle_2")
    assert violated(world, action(Verb.GRAB, "basket_1")) == (Kind.NOT_NEAR,)
    world.do(action(Verb.WALK_TO, "floor_1"))
    assert violated(world, action(Verb.GRAB, "basket_1")) == ()


def test_things_in_a_row_are_not_all_near_one_another():
    row = ("stove.n.01_1", "carton.n.02_1", "basket.n.01_1", "candle.n.01_2", "broom.n.01_1")
    world = small_world(" ".join(f"(nextto {one} {two})" for one, two in pairwise(row)))
    world.do(action(Verb.WALK_TO, "stove_1"))
    near = [each for each in row[1:] if world.near(each)]
    assert near == ["carton.n.02_1", "basket.n.01_1"]


def test_under_the_lenient_profile_the_same_room_is_near():
    world = small_world(profile=PROFILES["lenient"])
    assert violated(world, action(Verb.GRAB, "candle_1")) == ()
    assert violated(world, action(Verb.GRAB, "bucket_1")) == (Kind.NOT_NEAR,)


@pytest.mark.parametrize(("profile", "most"), [("one-hand", 1), ("two-hands", 2)])
def test_hands_are_counted_under_the_profiles_that_say_so(profile, most):
    world = taken(small_world(profile=PROFILES[profile]), *["candle_1", "apple_2"][:most])
    world.do(action(Verb.WALK_TO, "rag_1"))
    assert violated(world, action(Verb.GRAB, "rag_1")) == (Kind.HANDS_FULL,)


def test_hands_are_not_counted_by_default():
    world = taken(small_world(), "candle_1", "apple_2", "knife_1")
    assert violated(world, action(Verb.GRAB, "rag_1")) == ()


def test_what_is_held_is_not_taken_again():
    world = taken(small_world(), "candle_1")
    assert violated(world, action(Verb.GRAB, "candle_1")) == (Kind.ALREADY_HELD,)


def test_fixtures_are_not_taken():
    assert violated(small_world(), action(Verb.GRAB, "sink_1")) == (Kind.NOT_MOVABLE,)


def test_nothing_is_taken_out_of_what_is_closed():
    world = small_world()
    world.do(action(Verb.WALK_TO, "cabinet_1"))
    assert violated(world, action(Verb.GRAB, "plate_1")) == (Kind.CLOSED,)
    world.do(action(Verb.OPEN, "cabinet_1"))
    assert violated(world, action(Verb.GRAB, "plate_1")) == ()


def test_a_profile_may_open_what_is_closed_on_the_way():
    world = small_world(profile=PROFILES["lenient"])
    assert violated(world, action(Verb.GRAB, "plate_1")) == ()
    taken(world, "apple_2")
    assert violated(world, action(Verb.PLACE_INSIDE, "cabinet_1", "apple_2")) == ()


def test_nothing_is_put_into_what_is_closed():
    world = taken(small_world(), "apple_2")
    world.do(action(Verb.WALK_TO, "cabinet_1"))
    assert violated(world, action(Verb.PLACE_INSIDE, "cabinet_1", "apple_2")) == (Kind.CLOSED,)
    assert violated(world, action(Verb.PLACE_ON_TOP, "cabinet_1", "apple_2")) == ()


def test_of_a_carton_nobody_asks_whether_it_is_open_until_it_is_closed():
    world = taken(small_world(), "apple_2")
    world.do(action(Verb.WALK_TO, "carton_1"))
    assert violated(world, action(Verb.PLACE_INSIDE, "carton_1", "apple_2")) == ()
    assert violated(world, action(Verb.CLOSE, "carton_1")) == ()
    world.do(action(Verb.CLOSE, "carton_1"))
    assert violated(world, action(Verb.PLACE_INSIDE, "carton_1", "apple_2")) == (Kind.CLOSED,)


def test_what_the_opening_says_is_not_open_is_closed():
    world = taken(small_world("(not (open carton.n.02_1))"), "apple_2")
    world.do(action(Verb.WALK_TO, "carton_1"))
    assert violated(world, action(Verb.PLACE_INSIDE, "carton_1", "apple_2")) == (Kind.CLOSED,)


def test_what_is_not_held_is_not_put_down():
    world = small_world()
    world.do(action(Verb.WALK_TO, "table_1"))
    assert violated(world, action(Verb.PLACE_ON_TOP, "table_1", "apple_2")) == (Kind.NOT_HELD,)


@pytest.mark.parametrize(
    ("verb", "target", "kinds"),
    [
        (Verb.PLACE_INSIDE, "table_1", (Kind.NOT_NEAR, Kind.NO_CONTAINER)),
        (Verb.PLACE_INSIDE, "apple_2", (Kind.INTO_ITSELF,)),
        (Verb.PLACE_ON_TOP, "apple_2", (Kind.INTO_ITSELF,)),
    ],
)
def test_things_are_not_put_where_nothing_can_be(verb, target, kinds):
    assert violated(taken(small_world(), "apple_2"), action(verb, target, "apple_2")) == kinds


def test_nothing_is_put_into_what_lies_in_it():
    world = put(small_world(), Verb.PLACE_INSIDE, "basket_1", "apple_2")
    taken(world, "basket_1")
    assert violated(world, action(Verb.PLACE_ON_TOP, "apple_2", "basket_1")) == (Kind.INTO_ITSELF,)


def test_only_what_has_a_lid_is_opened_and_only_when_it_is_closed():
    world = small_world()
    assert violated(world, action(Verb.OPEN, "table_1")) == (Kind.NOT_OPENABLE,)
    world.do(action(Verb.WALK_TO, "cabinet_1"))
    assert violated(world, action(Verb.CLOSE, "cabinet_1")) == (Kind.ALREADY_CLOSED,)
    world.do(action(Verb.OPEN, "cabinet_1"))
    assert violated(world, action(Verb.OPEN, "cabinet_1")) == (Kind.ALREADY_OPEN,)


def test_only_what_has_a_switch_is_switched_and_only_to_the_other_state():
    world = small_world()
    assert violated(world, action(Verb.SWITCH_ON, "table_1")) == (Kind.NOT_SWITCHABLE,)
    world.do(action(Verb.WALK_TO, "stove_1"))
    assert violated(world, action(Verb.SWITCH_OFF, "stove_1")) == (Kind.ALREADY_OFF,)
    world.do(action(Verb.SWITCH_ON, "stove_1"))
    assert violated(world, action(Verb.SWITCH_ON, "stove_1")) == (Kind.ALREADY_ON,)


def test_opening_a_sink_is_switching_it():
    world = small_world()
    world.do(action(Verb.WALK_TO, "sink_1"))
    assert violated(world, action(Verb.OPEN, "sink_1")) == ()
    assert world.do(action(Verb.OPEN, "sink_1")).changes == ("sink 1 is switched on",)


def test_cleaning_wants_a_tool():
    world = small_world()
    world.do(action(Verb.WALK_TO, "table_1"))
    assert violated(world, action(Verb.CLEAN, "table_1")) == (Kind.NO_TOOL,)
    taken(world, "rag_1").do(action(Verb.WALK_TO, "table_1"))
    assert violated(world, action(Verb.CLEAN, "table_1", tools="rag_1")) == ()


def test_a_tool_that_lies_elsewhere_is_not_wielded():
    world = small_world()
    world.do(action(Verb.WALK_TO, "table_1"))
    assert violated(world, action(Verb.CLEAN, "table_1", tools="rag_1")) == (Kind.NOT_HELD,)


def test_a_stain_wants_water_or_soap():
    world = taken(small_world(), "rag_1")
    world.do(action(Verb.WALK_TO, "plate_2"))
    wipe = action(Verb.CLEAN, "plate_2", tools="rag_1")
    assert violated(world, wipe) == (Kind.DRY_TOOL,)
    soaped = taken(world.fork(), "soap_1")
    soaped.do(action(Verb.WALK_TO, "plate_2"))
    assert violated(soaped, wipe) == ()
    wet = world.fork()
    wet.do(action(Verb.WALK_TO, "sink_1"))
    wet.do(action(Verb.SOAK, "rag_1"))
    wet.do(action(Verb.WALK_TO, "plate_2"))
    assert violated(wet, wipe) == ()


def test_under_the_lenient_profile_a_stain_is_wiped_dry():
    world = taken(small_world(profile=PROFILES["lenient"]), "rag_1")
    assert violated(world, action(Verb.CLEAN, "plate_2", tools="rag_1")) == ()


def test_slicing_wants_a_knife():
    world = taken(small_world(), "rag_1")
    assert violated(world, action(Verb.SLICE, "apple_2")) == (Kind.NO_TOOL,)
    taken(world, "knife_1")
    assert violated(world, action(Verb.SLICE, "apple_2")) == ()


def test_cooking_wants_heat():
    world = small_world()
    world.do(action(Verb.WALK_TO, "apple_2"))
    assert violated(world, action(Verb.COOK, "apple_2")) == (Kind.NO_HEAT,)
    put(world, Verb.PLACE_ON_TOP, "pan_1", "apple_2")
    put(world, Verb.PLACE_ON_TOP, "stove_1", "pan_1")
    assert violated(world, action(Verb.COOK, "apple_2")) == ()


def test_soaking_wants_water():
    world = taken(small_world(), "rag_1")
    assert violated(world, action(Verb.SOAK, "rag_1")) == (Kind.NO_WATER,)
    world.do(action(Verb.WALK_TO, "sink_1"))
    assert violated(world, action(Verb.SOAK, "rag_1")) == ()


def test_nothing_is_poured_out_of_an_empty_bucket():
    world = taken(small_world(), "bucket_1")
    world.do(action(Verb.WALK_TO, "pot_plant_1"))
    assert violated(world, action(Verb.POUR, "pot_plant_1", "bucket_1")) == (Kind.NO_WATER,)


def test_names_of_nothing_are_told_and_nothing_else():
    violations = small_world().check(action(Verb.PLACE_INSIDE, "unicorn.n.01_1", "apple_2"))
    assert [each.kind for each in violations] == [Kind.NO_SUCH_THING]
    assert violations[0].text == "there is no unicorn 1"


@pytest.mark.parametrize("verb", [Verb.GRAB, Verb.OPEN, Verb.SLICE, Verb.PLACE_ON_TOP])
def test_a_deed_without_its_thing_is_incomplete(verb):
    assert Kind.INCOMPLETE in violated(small_world(), action(verb))


@pytest.mark.parametrize("verb", [Verb.WAIT, Verb.OTHER])
def test_waiting_and_the_like_want_nothing(verb):
    assert violated(small_world(), action(verb)) == ()


@pytest.mark.parametrize("room", ["kitchen", "bathroom", "garage"])
def test_rooms_are_walked_to_even_those_of_which_nothing_is_said(room):
    world = small_world()
    assert violated(world, action(Verb.WALK_TO, room)) == ()
    world.do(action(Verb.WALK_TO, room))
    assert (world.room, world.at) == (room, "")
