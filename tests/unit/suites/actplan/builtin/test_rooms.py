"""Built-in rooms as activities see them."""

from __future__ import annotations

from env_service.suites.actplan.builtin.rooms import NAMED, room_of


def test_burners_are_one_stove_and_a_sink_is_its_basin() -> None:
    room = room_of("household-kitchen-3")
    assert room is not None
    assert len(room.of("StoveBurner")) == 1
    assert len(room.of("StoveBurner")[0].ids) > 1
    assert len(room.of("Sink")) == 1


def test_things_are_in_what_the_room_says_they_are_in() -> None:
    room = room_of("household-kitchen-3")
    assert room is not None
    fridge = room.of("Fridge")[0]
    assert fridge.closed
    assert all(room.hidden(each) for each in room.in_or_on(fridge))


def test_there_is_no_room_of_another_name() -> None:
    assert room_of("household-garage-3") is None


def test_categories_are_synsets_and_words_are_not_empty() -> None:
    for named in NAMED.values():
        lemma, kind, number = named.category.rsplit(".", 2)
        assert lemma
        assert kind == "n"
        assert number.isdigit()
        assert named.word
        assert named.plural
