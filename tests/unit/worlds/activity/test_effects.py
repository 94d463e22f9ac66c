import pytest

from env_service.worlds.activity.actions import Verb
from env_service.worlds.activity.state import Reading
from env_service.worlds.activity.world import ActivityWorld
from tests.support.small_activity import (
    action,
    fact,
    put,
    small_problem,
    small_world,
    taken,
    thing,
)


def both(world, words):
    """Whether a fact holds strictly and as people read it."""
    return tuple(world.holds(fact(words), reading) for reading in Reading)


def do(world, *actions):
    for verb, *names in actions:
        world.do(action(verb, *names))
    return world


def test_what_is_taken_lies_nowhere_and_goes_where_the_agent_goes():
    world = taken(small_world(), "candle_1")
    assert world.held == (thing("candle_1"),)
    assert both(world, "ontop candle_1 table_1") == (False, False)
    do(world, (Verb.WALK_TO, "bathroom"))
    assert both(world, "inroom candle_1 bathroom") == (True, True)


def test_what_is_carried_carries_what_is_in_it():
    world = put(small_world(), Verb.PLACE_INSIDE, "basket_1", "apple_2")
    put(world, Verb.PLACE_ON_FLOOR, "floor_2", "basket_1")
    assert both(world, "inside apple_2 basket_1") == (True, True)
    assert both(world, "inroom apple_2 bathroom") == (True, True)


@pytest.mark.parametrize(
    ("verb", "target", "words"),
    [
        (Verb.PLACE_INSIDE, "basket_1", "inside apple_2 basket_1"),
        (Verb.PLACE_ON_TOP, "table_1", "ontop apple_2 table_1"),
        (Verb.PLACE_ON_TOP, "floor_1", "onfloor apple_2 floor_1"),
        (Verb.PLACE_INSIDE, "floor_1", "onfloor apple_2 floor_1"),
        (Verb.PLACE_ON_FLOOR, "", "onfloor apple_2 floor_1"),
        (Verb.PLACE_ON_FLOOR, "kitchen", "onfloor apple_2 floor_1"),
        (Verb.PLACE_NEXT_TO, "table_1", "nextto apple_2 table_1"),
        (Verb.PLACE_NEXT_TO, "table_1", "touching table_1 apple_2"),
        (Verb.PLACE_NEXT_TO, "table_1", "onfloor apple_2 floor_1"),
        (Verb.PLACE_NEXT_TO, "candle_1", "ontop apple_2 table_1"),
        (Verb.PLACE_UNDER, "table_1", "under apple_2 table_1"),
        (Verb.PLACE_UNDER, "table_1", "onfloor apple_2 floor_1"),
        (Verb.PLACE_UNDER, "sink_1", "inside apple_2 sink_1"),
    ],
)
def test_things_lie_where_they_were_put(verb, target, words):
    world = put(small_world(), verb, target, "apple_2")
    assert both(world, words) == (True, True)
    assert world.held == ()


def test_without_its_item_what_was_taken_last_is_put_down():
    world = taken(small_world(), "candle_1", "apple_2")
    do(world, (Verb.WALK_TO, "basket_1"), (Verb.PLACE_INSIDE, "basket_1"))
    assert both(world, "inside apple_2 basket_1") == (True, True)
    assert world.held == (thing("candle_1"),)


def test_without_its_target_a_thing_is_put_where_the_agent_stands():
    world = taken(small_world(), "apple_2")
    do(world, (Verb.WALK_TO, "table_1"), (Verb.PLACE_ON_TOP,))
    assert both(world, "ontop apple_2 table_1") == (True, True)


def test_effects_take_place_in_spite_of_violations():
    world = small_world()
    effect = world.do(action(Verb.PLACE_INSIDE, "cabinet_1", "apple_2"))
    assert len(effect.violations) == 3
    assert effect.changes == ("apple 2 is in cabinet 1",)


def test_what_cannot_be_done_at_all_has_no_effect():
    world = small_world()
    before = world.digest()
    do(
        world,
        (Verb.GRAB, "sink_1"),
        (Verb.OPEN, "table_1"),
        (Verb.SWITCH_ON, "table_1"),
        (Verb.PLACE_INSIDE, "basket_1", "basket_1"),
        (Verb.CLEAN, "unicorn.n.01_1"),
        (Verb.PLACE_INSIDE, "unicorn.n.01_1", "apple_2"),
        (Verb.WALK_TO, "unicorn.n.01_1"),
        (Verb.SLICE,),
    )
    assert world.digest() == before


def test_opening_and_closing_is_seen():
    world = do(small_world(), (Verb.OPEN, "cabinet_1"))
    assert both(world, "open cabinet_1") == (True, True)
    do(world, (Verb.CLOSE, "cabinet_1"))
    assert both(world, "open cabinet_1") == (False, False)


def test_a_running_sink_soaks_cloth_fills_vessels_and_thaws():
    world = small_world()
    for name in ("rag_1", "pan_1", "fish_1"):
        put(world, Verb.PLACE_INSIDE, "sink_1", name)
    do(world, (Verb.SWITCH_ON, "sink_1"))
    assert both(world, "soaked rag_1") == (True, True)
    assert both(world, "filled pan_1") == (True, True)
    assert both(world, "frozen fish_1") == (False, False)


def test_what_comes_into_a_running_sink_gets_wet_too():
    world = do(small_world(), (Verb.SWITCH_ON, "sink_1"))
    put(world, Verb.PLACE_INSIDE, "sink_1", "rag_1")
    assert both(world, "soaked rag_1") == (True, True)


def test_a_rag_held_at_a_running_sink_is_wet_as_people_read_it():
    world = taken(small_world(), "rag_1")
    do(world, (Verb.WALK_TO, "sink_1"), (Verb.SWITCH_ON, "sink_1"))
    assert both(world, "soaked rag_1") == (False, True)


def test_a_bucket_of_water_soaks_and_waters():
    world = put(small_world(), Verb.PLACE_INSIDE, "sink_1", "bucket_1")
    do(world, (Verb.SWITCH_ON, "sink_1"))
    taken(world, "bucket_1")
    put(world.fork(), Verb.PLACE_INSIDE, "bucket_1", "rag_1")
    soaking = put(world.fork(), Verb.PLACE_INSIDE, "bucket_1", "rag_1")
    assert both(soaking, "soaked rag_1") == (True, True)
    do(world, (Verb.WALK_TO, "pot_plant_1"), (Verb.POUR, "pot_plant_1", "bucket_1"))
    assert both(world, "soaked pot_plant_1") == (True, True)
    assert both(world, "filled bucket_1") == (False, False)
    assert world.held == (thing("bucket_1"),)


def test_water_is_poured_and_its_bottle_stays_in_hand():
    world = taken(small_world(), "water_1")
    do(world, (Verb.WALK_TO, "pot_plant_1"), (Verb.POUR, "pot_plant_1", "water_1"))
    assert both(world, "soaked pot_plant_1") == (True, True)
    assert world.held == (thing("water_1"),)


def test_a_sauce_that_was_poured_is_in_there_as_people_read_it():
    world = taken(small_world(), "sauce_1")
    do(world, (Verb.WALK_TO, "pan_1"), (Verb.POUR, "pan_1", "sauce_1"))
    assert both(world, "inside sauce_1 pan_1") == (False, True)


def test_a_pot_is_emptied_into_another():
    world = put(small_world(), Verb.PLACE_INSIDE, "pan_1", "apple_2")
    taken(world, "pan_1")
    do(world, (Verb.WALK_TO, "basket_1"), (Verb.POUR, "basket_1", "pan_1"))
    assert both(world, "inside apple_2 basket_1") == (True, True)


@pytest.mark.parametrize("put_there", [True, False])
def test_a_stove_cooks_what_is_in_a_pan_on_it(put_there):
    world = put(small_world(), Verb.PLACE_INSIDE, "pan_1", "fish_1")
    if put_there:
        put(world, Verb.PLACE_ON_TOP, "stove_1", "pan_1")
    do(world, (Verb.SWITCH_ON, "stove_1"))
    if not put_there:
        put(world, Verb.PLACE_ON_TOP, "stove_1", "pan_1")
    assert both(world, "cooked fish_1") == (True, True)
    assert both(world, "frozen fish_1") == (False, False)
    assert both(world, "cooked pan_1") == (False, False)


def test_tea_steeps_in_a_pot_on_the_stove_as_people_read_it():
    world = put(small_world(), Verb.PLACE_INSIDE, "teapot_1", "tea_bag_1")
    put(world, Verb.PLACE_ON_TOP, "stove_1", "teapot_1")
    do(world, (Verb.SWITCH_ON, "stove_1"))
    assert both(world, "soaked tea_bag_1") == (False, True)


def test_leaving_the_refrigerator_thaws_as_people_read_it_and_in_time():
    world = taken(small_world(), "fish_1")
    assert both(world, "frozen fish_1") == (True, False)
    do(world, (Verb.WAIT,))
    assert both(world, "frozen fish_1") == (False, False)


def test_what_stays_in_the_refrigerator_stays_frozen():
    assert both(do(small_world(), (Verb.WAIT,)), "frozen fish_1") == (True, True)


def test_the_cold_freezes_what_somebody_speaks_of_as_frozen():
    goal = "(and (frozen ?apple.n.01_2))"
    world = put(small_world(goal=goal), Verb.PLACE_INSIDE, "electric_refrigerator_1", "apple_2")
    put(world, Verb.PLACE_INSIDE, "electric_refrigerator_1", "candle_1")
    assert both(world, "frozen apple_2") == (True, True)
    assert both(world, "frozen candle_1") == (False, False)


@pytest.mark.parametrize("verb", [Verb.DEFROST, Verb.COOK])
def test_frozen_food_is_thawed(verb):
    world = taken(small_world(), "fish_1")
    assert both(do(world, (verb, "fish_1")), "frozen fish_1") == (False, False)


def test_a_dishwasher_cleans_and_a_dryer_dries():
    world = put(small_world(), Verb.PLACE_INSIDE, "dishwasher_1", "plate_2")
    do(world, (Verb.SWITCH_ON, "dishwasher_1"))
    assert both(world, "stained plate_2") == (False, False)
    do(world, (Verb.SOAK, "rag_1"))
    put(world, Verb.PLACE_INSIDE, "dryer_1", "rag_1")
    do(world, (Verb.SWITCH_ON, "dryer_1"))
    assert both(world, "soaked rag_1") == (False, False)


def test_cleaning_takes_stains_and_dust_away():
    world = do(small_world(), (Verb.CLEAN, "plate_2", "", "rag_1"), (Verb.CLEAN, "table_1"))
    assert both(world, "stained plate_2") == (False, False)
    assert both(world, "dusty table_1") == (False, False)


@pytest.mark.parametrize(
    ("target", "item", "words"),
    [
        ("plate_2", "rag_1", "stained plate_2"),
        ("table_1", "broom_1", "dusty table_1"),
        ("bathtub_1", "rag_1", "stained bathtub_1"),
    ],
)
def test_a_tool_on_what_is_dirty_cleans_it_as_people_read_it(target, item, words):
    world = put(small_world(), Verb.PLACE_ON_TOP, target, item)
    assert both(world, words) == (True, False)


def test_a_knife_on_food_slices_it_as_people_read_it():
    world = put(small_world(), Verb.PLACE_ON_TOP, "apple_2", "knife_1")
    assert both(world, "sliced apple_2") == (False, True)
    do(world, (Verb.SLICE, "apple_2"))
    assert both(world, "sliced apple_2") == (True, True)


def test_water_put_on_a_plant_waters_it_as_people_read_it():
    world = put(small_world(), Verb.PLACE_ON_TOP, "pot_plant_1", "water_1")
    assert both(world, "soaked pot_plant_1") == (False, True)


def test_drying_dries():
    world = do(small_world(), (Verb.SOAK, "rag_1"), (Verb.DRY, "rag_1"))
    assert both(world, "soaked rag_1") == (False, False)


@pytest.mark.parametrize("state", ["burnt", "perished"])
def test_nothing_undoes_what_is_spoiled(state):
    world = taken(small_world(f"({state} apple.n.01_2)"), "apple_2")
    do(world, (Verb.CLEAN, "apple_2"), (Verb.SOAK, "apple_2"), (Verb.COOK, "apple_2"))
    do(world, (Verb.SLICE, "apple_2"), (Verb.DEFROST, "apple_2"), (Verb.WAIT,))
    assert both(world, f"{state} apple_2") == (True, True)


def test_a_faucet_runs_the_basin_of_its_room():
    phantom = ("faucet.n.01_1", "faucet.n.01", "kitchen")
    world = ActivityWorld(small_problem(), phantoms=[phantom])
    put(world, Verb.PLACE_INSIDE, "sink_1", "rag_1").do(action(Verb.OPEN, phantom[0]))
    assert both(world, "soaked rag_1") == (True, True)
    assert both(world, "toggled_on bathtub_1") == (False, False)
    world.do(action(Verb.SWITCH_OFF, phantom[0]))
    assert both(world, "toggled_on sink_1") == (False, False)
