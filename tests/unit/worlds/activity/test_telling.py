import pytest

from env_service.worlds.activity.actions import ActivityAction, Verb, action_text
from env_service.worlds.activity.observation import label
from tests.support.small_activity import action


@pytest.mark.parametrize(
    ("each", "words"),
    [
        (action(Verb.WALK_TO, "kitchen"), "walk to kitchen"),
        (action(Verb.GRAB, "candle_1"), "take candle 1"),
        (action(Verb.PLACE_INSIDE, "basket_1", "candle_1"), "put candle 1 into basket 1"),
        (action(Verb.PLACE_ON_TOP, "table_1"), "put what is held onto table 1"),
        (action(Verb.PLACE_INSIDE, "", "candle_1"), "put candle 1 into what is at hand"),
        (action(Verb.PLACE_ON_FLOOR, "", "candle_1"), "put candle 1 on the floor"),
        (
            action(Verb.CLEAN, "table_1", tools="rag_1 soap_1"),
            "clean table 1 with rag 1 and soap 1",
        ),
        (action(Verb.POUR, "pan_1", "water_1"), "pour water 1 into pan 1"),
        (action(Verb.SOAK, "rag_1"), "soak rag 1"),
        (ActivityAction(Verb.WAIT), "wait"),
        (ActivityAction(Verb.OTHER), "do something else"),
        (action(Verb.OTHER, "shirt_1"), "do something with shirt 1"),
        (ActivityAction(Verb.WALK_TO, "sink.n.01_p3"), "walk to sink"),
    ],
)
def test_a_deed_is_told_as_people_say_it(each, words):
    assert action_text(each) == words


def test_agents_call_things_by_lemma_and_number():
    assert label("electric_refrigerator.n.01_2", "electric_refrigerator.n.01") == (
        "electric_refrigerator_2"
    )
    assert label("lamp", "lamp.n.02") == "lamp"
