from __future__ import annotations

from env_service.suites.alfred.builtin.task_set import reference_plan
from env_service.suites.alfred.task import Goal, TaskType


def test_slices_are_heated_in_the_microwave_before_they_are_put_away():
    goal = Goal(TaskType.HEAT, "Apple", "Fridge", sliced=True)
    assert reference_plan(goal, "") == (
        "find an apple",
        "slice the apple",
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
        "find a fridge",
        "open the fridge",
        "put down the apple",
        "close the fridge",
    )


def test_what_is_shut_in_is_let_out_and_the_door_closed():
    goal = Goal(TaskType.SIMPLE, "Egg", "DiningTable")
    assert reference_plan(goal, "Fridge") == (
        "find a fridge",
        "open the fridge",
        "find an egg",
        "pick up the egg",
        "close the fridge",
        "find a dining table",
        "put down the egg",
    )


def test_a_basin_is_found_by_the_name_of_the_whole():
    goal = Goal(TaskType.MOVABLE, "Fork", "SinkBasin", "Cup")
    assert reference_plan(goal, "")[-3:] == ("pick up the cup", "find a sink", "put down the cup")


def test_a_lamp_is_turned_on_with_the_thing_in_hand():
    goal = Goal(TaskType.LOOK, "CD", toggle="FloorLamp")
    assert reference_plan(goal, "")[-2:] == ("find a floor lamp", "turn on the floor lamp")


def test_what_is_in_the_fridge_is_cooled_by_closing_it():
    goal = Goal(TaskType.COOL, "Egg", "Microwave")
    assert reference_plan(goal, "Fridge")[:6] == (
        "find a fridge",
        "open the fridge",
        "close the fridge",
        "open the fridge",
        "find an egg",
        "pick up the egg",
    )


def test_of_two_things_each_is_fetched():
    goal = Goal(TaskType.TWO, "Lettuce", "DiningTable", sliced=True)
    steps = reference_plan(goal, "Fridge")
    assert steps.count("slice the lettuce") == 1
    assert steps.count("open the fridge") == steps.count("pick up the lettuce") == 2
