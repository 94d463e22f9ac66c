"""English nouns."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.making.description import is_plural, listed, numbered, plural, some


@pytest.mark.parametrize(
    ("noun", "several"),
    [
        ("candle", "candles"),
        ("dish", "dishes"),
        ("box", "boxes"),
        ("glass", "glasses"),
        ("cherry", "cherries"),
        ("tray", "trays"),
        ("tomato", "tomatoes"),
        ("table knife", "table knives"),
        ("bookshelf", "bookshelves"),
        ("piece of cloth", "pieces of cloth"),
        ("fish", "fish"),
        ("scissors", "scissors"),
        ("soap", "soap"),
    ],
)
def test_plurals(noun: str, several: str) -> None:
    assert plural(noun) == several


def test_what_is_met_first_has_an_article_unless_it_cannot_be_counted() -> None:
    assert some("apple") == "an apple"
    assert some("rag") == "a rag"
    assert some("soap") == "soap"
    assert some("scissors") == "scissors"
    assert is_plural("scissors")
    assert not is_plural("fish")


def test_lists_and_numbers() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a and b"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert numbered("plate", [3]) == "plate 3"
    assert numbered("plate", [1, 2]) == "plates 1 and 2"
    assert numbered("plate", [1, 2, 3, 4]) == "plates 1 to 4"
    assert numbered("plate", [1, 2, 4]) == "plates 1, 2 and 4"
