"""Words of plans are folded into verbs."""

from __future__ import annotations

from collections import Counter

import pytest

from env_service.suites.actplan.plans import verbs
from env_service.suites.actplan.plans.verbs import Order, meaning_of
from env_service.worlds.activity.actions import Verb


@pytest.mark.parametrize(
    ("word", "verb"),
    [
        ("walk_tO", Verb.WALK_TO),
        ("place_inside_", Verb.PLACE_INSIDE),
        ("put_on_top", Verb.PLACE_ON_TOP),
        ("place_op_top", Verb.PLACE_ON_TOP),
        ("wlak_to", Verb.WALK_TO),
        ("Switch-off", Verb.SWITCH_OFF),
        ("switch-in", Verb.SWITCH_ON),
        ("place_touching", Verb.PLACE_NEXT_TO),
        ("place_underneath", Verb.PLACE_UNDER),
        ("scrap", Verb.CLEAN),
        ("brush_off_lint", Verb.CLEAN),
        ("wipe_interior", Verb.CLEAN),
        ("chop", Verb.SLICE),
        ("fill_with_water", Verb.SOAK),
        ("wait_for", Verb.WAIT),
        ("wring_out", Verb.OTHER),
    ],
)
def test_spellings_and_synonyms_mean_a_verb(word: str, verb: Verb) -> None:
    meaning = meaning_of(word)
    assert meaning is not None
    assert meaning.verb is verb


@pytest.mark.parametrize("word", ["frobnicate", "", "x", "underwear", "setting"])
def test_other_words_mean_nothing(word: str) -> None:
    assert meaning_of(word) is None


def test_every_verb_is_its_own_word() -> None:
    for verb in Verb:
        meaning = meaning_of(verb.value)
        assert verb is Verb.OTHER or (meaning is not None and meaning.verb is verb)


def test_no_word_is_listed_twice() -> None:
    words = Counter(word for word, _ in verbs._meanings())
    assert [word for word, times in words.items() if times > 1] == []


def test_some_words_have_the_item_first() -> None:
    orders = {word: meaning_of(word) for word in ("pour", "use", "put", "place_inside", "clean")}
    first = [word for word, each in orders.items() if each and each.order is Order.ITEM_FIRST]
    assert first == ["pour", "use", "put"]
