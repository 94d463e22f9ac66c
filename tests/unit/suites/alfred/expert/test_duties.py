"""What the expert does for each of the seven types where nothing is in the way."""

from __future__ import annotations

from env_service.suites.alfred.expert.solver import ExpertAttempt, play_out
from env_service.suites.alfred.skills.vocabulary import skill_text
from env_service.suites.alfred.task import Goal, TaskType
from tests.unit.suites.alfred.expert.toy_flat import ToyFlat, play_in


def _kitchen() -> ToyFlat:
    flat = ToyFlat()
    counter = flat.add("CounterTop", 0.0)
    flat.add("Apple", 0.2, within=counter)
    flat.add("Plate", -0.2, within=counter)
    flat.add("Fridge", 4.0)
    flat.add("Microwave", 8.0)
    flat.add("Sink", 12.0)
    flat.add("SinkBasin", 12.0, objectId="Sink|+12.00|+00.90|+00.00|SinkBasin")
    flat.add("Faucet", 12.2)
    flat.add("DiningTable", 16.0)
    return flat


def _solved(flat: ToyFlat, goal: Goal) -> list[str]:
    attempt = play_out(play_in(flat, goal))
    assert attempt.won, attempt.dead_ends
    return _told(attempt)


def _told(attempt: ExpertAttempt) -> list[str]:
    return [skill_text(each) for each in attempt.useful]


def test_a_thing_is_found_picked_up_and_put_where_it_belongs() -> None:
    assert _solved(_kitchen(), Goal(TaskType.SIMPLE, "Apple", "DiningTable")) == [
        "find an apple",
        "pick up the apple",
        "find a dining table",
        "put down the apple",
    ]


def test_a_container_is_opened_for_it_and_closed_again() -> None:
    assert _solved(_kitchen(), Goal(TaskType.SIMPLE, "Apple", "Fridge"))[2:] == [
        "find a fridge",
        "open the fridge",
        "put down the apple",
        "close the fridge",
    ]


def test_it_is_examined_in_the_hand_under_a_lamp_that_is_on() -> None:
    flat = ToyFlat()
    flat.add("Book", 1.0)
    flat.add("FloorLamp", 5.0)
    assert _solved(flat, Goal(TaskType.LOOK, "Book", toggle="FloorLamp")) == [
        "find a book",
        "pick up the book",
        "find a floor lamp",
        "turn on the floor lamp",
    ]


def test_it_is_heated_in_the_microwave_and_the_same_one_is_placed() -> None:
    assert _solved(_kitchen(), Goal(TaskType.HEAT, "Apple", "DiningTable")) == [
        "find an apple",
        "pick up the apple",
        "find a microwave",
        "open the microwave",
        "put down the apple",
        "close the microwave",
        "turn on the microwave",
        "turn off the microwave",
        "open the microwave",
        "find an apple",
        "pick up the apple",
        "close the microwave",
        "find a dining table",
        "put down the apple",
    ]


def test_it_is_cooled_in_the_closed_fridge() -> None:
    told = _solved(_kitchen(), Goal(TaskType.COOL, "Apple", "DiningTable"))
    assert told[2:7] == [
        "find a fridge",
        "open the fridge",
        "put down the apple",
        "close the fridge",
        "open the fridge",
    ]


def test_what_is_in_the_fridge_already_is_cooled_without_being_taken_out_first() -> None:
    flat = ToyFlat()
    flat.add("Egg", 4.0, within=flat.add("Fridge", 4.0))
    flat.add("DiningTable", 8.0)
    told = _solved(flat, Goal(TaskType.COOL, "Egg", "DiningTable"))
    assert told[:3] == ["find a fridge", "open the fridge", "close the fridge"]


def test_slices_are_cut_where_the_whole_lies_and_one_of_them_is_carried() -> None:
    told = _solved(_kitchen(), Goal(TaskType.HEAT, "Apple", "DiningTable", sliced=True))
    assert told[:4] == ["find an apple", "slice the apple", "find an apple", "pick up the apple"]
    assert len(told) == 16


def test_the_receptacle_goes_along_with_what_was_put_into_it() -> None:
    goal = Goal(TaskType.MOVABLE, "Apple", "DiningTable", movable="Plate")
    assert _solved(_kitchen(), goal) == [
        "find an apple",
        "pick up the apple",
        "find a plate",
        "put down the apple",
        "pick up the plate",
        "find a dining table",
        "put down the plate",
    ]


def test_two_go_into_the_same_one_of_several_places() -> None:
    flat = ToyFlat()
    flat.add("Vase", 1.0)
    flat.add("Vase", 9.0)
    flat.add("Shelf", 2.0)
    flat.add("Shelf", 10.0)
    flat.add("Book", 1.8)
    assert _solved(flat, Goal(TaskType.TWO, "Vase", "Shelf")).count("put down the vase") == 2


def test_one_that_lies_there_already_counts_for_two() -> None:
    flat = ToyFlat()
    flat.add("Vase", 9.0, within=flat.add("Shelf", 9.0))
    flat.add("Vase", 1.0)
    assert len(_solved(flat, Goal(TaskType.TWO, "Vase", "Shelf"))) == 4
