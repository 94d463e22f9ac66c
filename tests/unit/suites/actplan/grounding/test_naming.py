"""Names are taken apart."""

from __future__ import annotations

import pytest

from env_service.suites.actplan.grounding.lexicon import parse_name, singular


@pytest.mark.parametrize(
    ("text", "words", "index"),
    [
        ("basket_1", ("basket",), 1),
        ("basket1", ("basket",), 1),
        ("Hand Towel", ("hand", "towel"), 0),
        ("plate_A", ("plate",), 1),
        ("first_carton_on_floor", ("carton",), 1),
        ("book_on_floor_3", ("book",), 3),
        ("sweater2_floor", ("sweater", "floor"), 2),
        ("underwear_items", ("underwear",), 0),
        ("next_to_sink", ("sink",), 0),
        ("", (), 0),
        ("☃", (), 0),
    ],
)
def test_what_is_named_and_which_one(text: str, words: tuple[str, ...], index: int) -> None:
    name = parse_name(text)
    assert (name.words, name.index) == (words, index)


def test_rooms_states_and_places_are_taken_off() -> None:
    name = parse_name("soaked_rag_2_from_kitchen_table")
    assert name.words == ("rag",)
    assert name.states == ("soaked",)
    assert name.rooms == ("kitchen",)
    assert [(hint.relation, hint.words) for hint in name.hints] == [("from", ("kitchen", "table"))]


def test_a_room_by_itself_is_a_room() -> None:
    assert parse_name("Living Room").room == "living_room"
    assert parse_name("living_room_sofa").room == ""


def test_relations_before_a_name_make_it_a_place() -> None:
    assert parse_name("next_to_bedroom_window").place == "nextto"
    assert parse_name("under_table").place == "under"


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("cookies", "cookie"),
        ("boxes", "box"),
        ("strawberries", "strawberry"),
        ("glass", "glass"),
        ("knives", "knife"),
        ("peaches", "peach"),
        ("rag", "rag"),
        ("dishes", "dish"),
        ("vases", "vase"),
    ],
)
def test_singulars(word: str, expected: str) -> None:
    assert singular(word) == expected
