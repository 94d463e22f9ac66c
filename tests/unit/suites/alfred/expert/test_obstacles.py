"""What the expert does where something is in the way."""

from __future__ import annotations

from env_service.suites.alfred.expert.play import Experience
from env_service.suites.alfred.expert.solver import ExpertAttempt, play_out
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import Goal, TaskType
from tests.unit.suites.alfred.expert.toy_flat import ToyFlat, play_in

TO_SHELF = Goal(TaskType.SIMPLE, "Mug", "Shelf")


def _told(attempt: ExpertAttempt) -> list[str]:
    return [skill_text(each) for each in attempt.useful]


def test_what_hides_a_thing_is_opened_and_closed_again() -> None:
    flat = ToyFlat()
    flat.add("Mug", 1.0, within=flat.add("Cabinet", 1.0))
    flat.add("Shelf", 5.0)
    told = _told(play_out(play_in(flat, TO_SHELF)))
    assert told[:5] == [
        "find a cabinet",
        "open the cabinet",
        "find a mug",
        "pick up the mug",
        "close the cabinet",
    ]


def test_of_several_containers_the_right_one_is_approached_by_way_of_a_landmark() -> None:
    flat = ToyFlat()
    flat.add("Cabinet", 1.0)
    flat.add("Mug", 6.0, within=flat.add("Cabinet", 6.0))
    flat.add("Fridge", 7.0)
    flat.add("Shelf", 3.0)
    attempt = play_out(play_in(flat, TO_SHELF))
    assert attempt.won
    assert _told(attempt)[:3] != ["find a cabinet", "open the cabinet", "find a mug"]
    assert _told(attempt).count("open the cabinet") == 1


def test_what_lies_open_is_taken_rather_than_what_is_shut_in() -> None:
    flat = ToyFlat()
    flat.add("Mug", 1.0, within=flat.add("Cabinet", 1.0))
    flat.add("Mug", 9.0)
    flat.add("Shelf", 5.0)
    assert _told(play_out(play_in(flat, TO_SHELF)))[0] == "find a mug"


def test_a_place_without_room_is_left_for_another() -> None:
    flat = ToyFlat(room={"Shelf|+02.00|+00.90|+00.00": 0})
    flat.add("Mug", 1.0)
    flat.add("Shelf", 2.0)
    flat.add("Shelf", 9.0)
    flat.add("Book", 9.5)
    attempt = play_out(play_in(flat, TO_SHELF))
    assert attempt.won
    assert all(each.result.worked for each in attempt.taken if not each.wasted)


def test_where_all_places_are_full_something_is_carried_away() -> None:
    flat = ToyFlat(room={"Shelf|+02.00|+00.90|+00.00": 1})
    flat.add("Mug", 1.0)
    flat.add("Book", 2.0, within=flat.add("Shelf", 2.0))
    flat.add("CounterTop", 5.0)
    experience = Experience()
    attempt = play_out(play_in(flat, TO_SHELF, experience))
    assert attempt.won
    assert experience.crowded == {"Shelf|+02.00|+00.90|+00.00"}


def test_the_next_play_carries_it_away_first() -> None:
    flat = ToyFlat(room={"Shelf|+02.00|+00.90|+00.00": 1})
    flat.add("Mug", 1.0)
    flat.add("Book", 2.0, within=flat.add("Shelf", 2.0))
    flat.add("CounterTop", 5.0)
    crowded = Experience(crowded={"Shelf|+02.00|+00.90|+00.00"})
    assert _told(play_out(play_in(flat, TO_SHELF, crowded))) == [
        "find a book",
        "pick up the book",
        "find a counter top",
        "put down the book",
        "find a mug",
        "pick up the mug",
        "find a shelf",
        "put down the mug",
    ]


def test_what_cannot_be_done_is_given_up_and_told() -> None:
    flat = ToyFlat()
    flat.add("Mug", 1.0)
    attempt = play_out(play_in(flat, TO_SHELF))
    assert not attempt.won
    assert len(attempt.dead_ends) == 1
    assert attempt.dead_ends[0].startswith("put Mug into nothing")
