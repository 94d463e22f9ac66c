import pytest

from env_service.worlds.activity.observation import label, number_of


@pytest.mark.parametrize(
    ("instance", "number"),
    [
        ("basket.n.01_3", 3),
        ("basket.n.01_12", 12),
        ("basket.n.01", 0),
        ("sink.n.01_p3", 0),
        ("", 0),
        ("basket_²", 0),
        ("basket_" + "9" * 5000, 0),
    ],
)
def test_a_number_is_told_only_where_there_is_one_that_things_have(instance, number):
    assert number_of(instance) == number


def test_things_are_called_by_their_lemma_and_number():
    assert label("candle.n.01_2", "candle.n.01") == "candle_2"
    assert label("candle", "candle.n.01") == "candle"
