"""Things in sentences."""

from __future__ import annotations

from env_service.suites.actplan.builtin.rooms import Thing
from env_service.suites.actplan.builtin.scenario import in_words, listed, sentence


def thing(kind: str, number: int = 1) -> Thing:
    return Thing(kind, (f"{kind}|{number}",), "", closed=False, movable=True, height=1.0)


def test_one_of_a_kind_has_an_article_and_several_have_a_number() -> None:
    assert (
        in_words((thing("Egg"), thing("Plate", 1), thing("Plate", 2)))
        == "the egg and the two plates"
    )


def test_the_indefinite_article_fits_the_word() -> None:
    found = in_words(
        (thing("Egg"), thing("Cup"), thing("Potato", 1), thing("Potato", 2)), article="a"
    )
    assert found == "an egg, a cup and two potatoes"


def test_lists_and_sentences() -> None:
    assert listed(["one"]) == "one"
    assert sentence("the cup is dirty") == "The cup is dirty."
