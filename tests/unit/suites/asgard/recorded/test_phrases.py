import pytest

from env_service.suites.asgard.recorded.viewer import read_phrase


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("Find Mug", "FIND Mug"),
        ("Pickup AppleSliced", "PICKUP AppleSliced"),
        ("Put Mug in Cabinet", "PUT Cabinet"),
        ("Open Fridge", "OPEN Fridge"),
        ("Close Fridge", "CLOSE Fridge"),
        ("Turn on Faucet", "TOGGLE_ON Faucet"),
        ("Turn off Faucet", "TOGGLE_OFF Faucet"),
        ("Clean Mug", "CLEAN Mug"),
        ("Slice Egg", "SLICE Egg"),
        ("Empty Mug", "EMPTY Mug"),
        ("Drink Mug", "DRINK Mug"),
        ("Spray Mirror", "SPRAY Mirror"),
    ],
)
def test_published_words_are_actions(words, action):
    assert read_phrase(words).text == action


@pytest.mark.parametrize(
    "words", ["", "Mug", "Juggle Mug", "find Mug", "Put Mug", "Find Mug in Cabinet", "Find the Mug"]
)
def test_other_words_are_refused_with_the_ones_there_are(words):
    with pytest.raises(ValueError, match="Find, Pickup, Put"):
        read_phrase(words)
