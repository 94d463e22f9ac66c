"""Conditions are told as people say them, and never as their opposite."""

from __future__ import annotations

import pytest

from env_service.worlds.activity.bddl.parser import read_expression
from env_service.worlds.activity.bddl.wording import in_words, thing_in_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(inside ?candle.n.01_1 ?basket.n.01_2)", "candle 1 is in basket 2"),
        ("(toggled_on ?stove.n.01_1)", "stove 1 is switched on"),
        ("(not (touching ?seat.n.03_1 ?bed.n.01_1))", "seat 1 does not touch bed 1"),
        ("(forall (?c - cup.n.01) (dusty ?c))", "every cup is dusty"),
        ("(forall (?c - cup.n.01) (not (dusty ?c)))", "no cup is dusty"),
        ("(exists (?c - cup.n.01) (not (dusty ?c)))", "some cup is not dusty"),
        (
            "(forall (?c - cup.n.01) (exists (?s - sink.n.01) (inside ?c ?s)))",
            "every cup is in some sink",
        ),
        (
            "(exists (?s - sink.n.01) (forall (?c - cup.n.01) (inside ?c ?s)))",
            "for some sink: every cup is in that sink",
        ),
        (
            "(forall (?s - sink.n.01) (forall (?c - cup.n.01) (not (inside ?c ?s))))",
            "no cup is in any sink",
        ),
        (
            "(forall (?s - sink.n.01) (not (inside ?cup.n.01_1 ?s)))",
            "cup 1 is in no sink",
        ),
        (
            "(exists (?s - sink.n.01) (not (inside ?cup.n.01_1 ?s)))",
            "for some sink: cup 1 is not in that sink",
        ),
        (
            "(forall (?c - cup.n.01) (exists (?s - sink.n.01) (not (inside ?c ?s))))",
            "for every cup: for some sink: that cup is not in that sink",
        ),
        (
            "(forpairs (?c - cup.n.01) (?s - apple.n.01) (ontop ?c ?s))",
            "one by one, a cup is on an apple",
        ),
        (
            "(forn (2) (?c - cup.n.01) (dusty ?c))",
            "for exactly 2 of the kind cup: that cup is dusty",
        ),
        (
            "(or (dusty ?cup.n.01_1) (and (open ?jar.n.01_1) (open ?jar.n.01_2)))",
            "either cup 1 is dusty, or (jar 1 is open, and jar 2 is open)",
        ),
        (
            "(not (or (dusty ?cup.n.01_1) (open ?jar.n.01_1)))",
            "cup 1 is not dusty, and jar 1 is not open",
        ),
        (
            "(not (imply (burnt ?cup.n.01_1) (not (open ?jar.n.01_1))))",
            "cup 1 is burnt, and jar 1 is open",
        ),
        (
            "(not (exists (?s - sink.n.01) (inside ?cup.n.01_1 ?s)))",
            "cup 1 is in no sink",
        ),
        (
            "(not (forpairs (?c - cup.n.01) (?s - apple.n.01) (ontop ?c ?s)))",
            "it is not so that one by one, a cup is on an apple",
        ),
        ("(imply (open ?jar.n.01_1) (dusty ?cup.n.01_1))", "if jar 1 is open, then cup 1 is dusty"),
    ],
)
def test_conditions_in_words(text: str, words: str) -> None:
    assert in_words(read_expression(text, "x")) == words


def test_things_are_called_by_their_lemma_and_number() -> None:
    assert thing_in_words("electric_refrigerator.n.01_2") == "electric refrigerator 2"
    assert thing_in_words("plaything_n.01") == "plaything n.01"
    assert thing_in_words("living_room") == "living room"
