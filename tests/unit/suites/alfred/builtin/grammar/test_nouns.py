from __future__ import annotations

import pytest

from env_service.suites.alfred.builtin.goals import LAMPS, PARENTS
from env_service.suites.alfred.builtin.grammar.english_nouns import (
    SYNONYMS,
    noun,
    other_nouns,
    plural,
    preposition,
    with_article,
)
from env_service.suites.alfred.builtin.grammar.korean import NOUNS, counter, korean
from env_service.suites.alfred.object_words import PICKABLE


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("mug", "mugs"),
        ("butter knife", "butter knives"),
        ("loaf of bread", "loaves of bread"),
        ("bar of soap", "bars of soap"),
        ("tomato", "tomatoes"),
        ("tissue box", "tissue boxes"),
        ("watch", "watches"),
        ("CD", "CDs"),
        ("slice of potato", "slices of potato"),
    ],
)
def test_plurals(one, two):
    assert plural(one) == two


def test_articles():
    assert with_article("apple") == "an apple"
    assert with_article("heated apple") == "a heated apple"
    assert with_article("alarm clock") == "an alarm clock"
    assert with_article("CD") == "a CD"


def test_nouns_are_those_of_the_skills():
    assert noun("CounterTop") == "counter top"
    assert noun("SinkBasin") == "sink"
    assert noun("BathtubBasin") == "bathtub"
    assert noun("Apple", sliced=True) == "slice of apple"
    assert noun("Bread") == "loaf of bread"


def test_a_room_may_have_its_own_words():
    assert other_nouns("SideTable", "bedroom") == ("nightstand", "bedside table")
    assert other_nouns("SideTable", "living-room") == ("end table",)
    assert other_nouns("Spoon", "kitchen") == ("spoon",)
    assert korean("Cabinet", "kitchen") != korean("Cabinet", "bedroom")


def test_things_go_in_hollow_receptacles_and_on_flat_ones():
    assert {preposition(each) for each in ("Fridge", "SinkBasin", "Pot", "GarbageCan")} == {"in"}
    assert {preposition(each) for each in ("Bed", "Plate", "CounterTop", "Toilet")} == {"on"}


def test_korean_has_a_noun_for_everything_and_counts_it():
    for kind in (*PICKABLE, *PARENTS, *LAMPS):
        assert NOUNS[kind]
    assert [counter(each) for each in ("Book", "Pencil", "Apple")] == ["권", "자루", "개"]


def test_synonyms_are_other_words():
    for kind, words in SYNONYMS.items():
        assert noun(kind) not in words
