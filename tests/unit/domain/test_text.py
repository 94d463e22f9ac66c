"""Words in messages."""

from __future__ import annotations

import pytest

from env_service.domain.text import counted, safe, with_article


@pytest.mark.parametrize(("number", "told"), [(0, "0 files"), (1, "1 file"), (2, "2 files")])
def test_one_of_a_thing_is_no_plural(number: int, told: str) -> None:
    assert counted(number, "file") == told


def test_a_plural_of_its_own_is_given() -> None:
    assert counted(1, "activity", "activities") == "1 activity"
    assert counted(3, "activity", "activities") == "3 activities"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        *(("apple", "an apple"), ("plate", "a plate"), ("Armchair", "an Armchair")),
        *(("oven", "an oven"), ("umbrella", "an umbrella"), ("unit", "a unit")),
        *(
            ("user", "a user"),
            ("utility room", "a utility room"),
            ("one-hand grip", "a one-hand grip"),
        ),
        *(("hour", "an hour"), ("hat", "a hat"), ("int", "an int"), ("index", "an index")),
        *(("urn", "an urn"), ("F", "an F"), ("", "a ")),
    ],
)
def test_an_stands_before_a_vowel_that_is_heard(words: str, told: str) -> None:
    assert with_article(words) == told


# --- Texts from elsewhere do nothing to a terminal

REPLACED = "\N{REPLACEMENT CHARACTER}"


def test_a_tab_is_spaces_and_what_else_moves_a_cursor_is_replaced() -> None:
    assert safe("\tfrom agent.rb:12") == "    from agent.rb:12"
    assert safe("\x1b[2Jhäuslich 家\r\n") == f"{REPLACED}[2Jhäuslich 家{REPLACED}{REPLACED}"
