from env_service.worlds.activity.actions import Verb
from tests.support.small_activity import action, put, small_world, taken


def test_an_agent_is_told_where_it_is_and_what_it_holds():
    world = taken(small_world(), "candle_1")
    first, second = world.scene_text().splitlines()[:2]
    assert first == "You are in the kitchen, at table_1."
    assert second == "You hold candle_1."


def test_only_the_room_is_seen_and_the_others_are_named():
    told = small_world().scene_text()
    assert "table_1" in told
    assert "bathtub_1" not in told
    assert told.endswith("Other rooms: bathroom.")


def test_nothing_is_told_of_what_a_closed_container_holds_until_it_was_open():
    world = small_world()
    assert "cabinet_1 (closed)" in world.scene_text().splitlines()
    assert "tea_bag_1" not in world.scene_text()
    world.do(action(Verb.OPEN, "cabinet_1"))
    assert "cabinet_1 (open): in it plate_1, tea_bag_1" in world.scene_text()
    world.do(action(Verb.CLOSE, "cabinet_1"))
    assert "cabinet_1 (closed): in it plate_1, tea_bag_1" in world.scene_text()


def test_what_lies_in_what_lies_somewhere_is_told_with_its_state():
    world = put(small_world(), Verb.PLACE_ON_TOP, "plate_2", "candle_2")
    assert "plate_2 (stained) [with apple_1, candle_2]" in world.scene_text()


def test_what_is_carried_in_a_basket_is_told():
    world = put(small_world(), Verb.PLACE_INSIDE, "basket_1", "candle_1")
    taken(world, "basket_1").do(action(Verb.WALK_TO, "bathroom"))
    assert "You hold basket_1 [with candle_1]." in world.scene_text()
