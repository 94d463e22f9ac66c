"""High-level plans as text: the goals that they tell, and plans of skills told as such."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.refine.plan_sequences import SequenceError, goal_of, sequence_of
from env_service.suites.alfred.skills.vocabulary import parse_skill
from env_service.suites.alfred.task import Goal, TaskType


def goal(kind: TaskType, *actions: str) -> Goal:
    """The goal of a plan of these actions."""
    return goal_of(kind, ", ".join(f"{n}. {each}" for n, each in enumerate(actions, 1)))


def told(*skills: str) -> str:
    """A plan of these skills, told at the height of the published plans."""
    steps = [parse_skill(skill) for skill in skills]
    return sequence_of([step for step in steps if step is not None])


def test_the_last_put_tells_the_thing_and_its_place() -> None:
    found = goal(TaskType.SIMPLE, "PickupObject(tissuebox)", "PutObject(tissuebox,sinkbasin)")
    assert found == Goal(TaskType.SIMPLE, "TissueBox", "SinkBasin")


def test_a_sliced_thing_is_told_by_its_slicing() -> None:
    actions = ("SliceObject(apple)", "PutObject(knife,desk)", "PutObject(apple,fridge)", "Done.")
    assert goal(TaskType.COOL, *actions) == Goal(TaskType.COOL, "Apple", "Fridge", sliced=True)


def test_a_lamp_is_told_by_what_is_switched() -> None:
    found = goal(TaskType.LOOK, "PickupObject(cd)", "ToggleObject(floorlamp)", "Done.")
    assert found == Goal(TaskType.LOOK, "CD", toggle="FloorLamp")


@pytest.mark.parametrize(
    "actions",
    [
        ("PutObject(spoon,cup)", "PickupObject(cup)", "PutObject(cup,sinkbasin)"),
        ("PutObject(cup,sinkbasin)", "PickupObject(spoon)", "PutObject(spoon,cup)"),
    ],
    ids=["filled first", "filled last"],
)
def test_a_vessel_may_be_filled_before_or_after(actions: tuple[str, ...]) -> None:
    wanted = Goal(TaskType.MOVABLE, "Spoon", "SinkBasin", "Cup")
    assert goal(TaskType.MOVABLE, *actions) == wanted


def test_with_what_a_full_vessel_is_filled_is_left_open() -> None:
    found = goal(TaskType.MOVABLE, "PickupObject(cup)", "PutObject(cup,sinkbasin)", "Done.")
    assert found == Goal(TaskType.MOVABLE, "", "SinkBasin", "Cup")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "action 1 is ''"),
        ("1. PutObject(mug,shelf), 3. Done.", "action 2 is '3. Done.'"),
        ("1. PutObject(mug", "action 1"),
        ("1. GotoLocation(desk), 2. Done.", "no PutObject with 2 arguments"),
        ("1. PutObject(mug), 2. Done.", "no PutObject with 2 arguments"),
    ],
)
def test_a_plan_that_leads_nowhere_is_refused(text: str, problem: str) -> None:
    with pytest.raises(SequenceError, match=problem):
        goal_of(TaskType.SIMPLE, text)


def test_skills_are_told_with_one_action_for_an_appliance() -> None:
    assert told(
        *("find a cabinet", "open the cabinet", "find a mug", "pick up the mug"),
        *("find a microwave", "open the microwave", "put down the mug", "close the microwave"),
        *("turn on the microwave", "turn off the microwave", "open the microwave"),
        *("find a mug", "pick up the mug", "close the microwave", "find a desk"),
        "put down the mug",
    ) == (
        "1. GotoLocation(cabinet), 2. PickupObject(mug), 3. GotoLocation(microwave),"
        " 4. HeatObject(mug), 5. GotoLocation(desk), 6. PutObject(mug,desk), 7. Done."
    )


def test_what_stays_in_an_appliance_is_put_there() -> None:
    skills = ("find an egg", "pick up the egg", "find a fridge", "open the fridge")
    assert told(*skills, "put down the egg", "close the fridge") == (
        "1. GotoLocation(egg), 2. PickupObject(egg), 3. GotoLocation(fridge),"
        " 4. PutObject(egg,fridge), 5. Done."
    )


def test_washing_slicing_and_lamps_are_told() -> None:
    washed = ("find a sink", "put down the apple", "turn on the faucet", "turn off the faucet")
    skills = ("find an apple", "slice the apple", "pick up the apple", *washed)
    lamp = ("find an apple", "pick up the apple", "find a desk lamp", "turn on the desk lamp")
    assert told(*skills, *lamp) == (
        "1. GotoLocation(apple), 2. SliceObject(apple), 3. PickupObject(apple),"
        " 4. GotoLocation(sinkbasin), 5. CleanObject(apple), 6. GotoLocation(desklamp),"
        " 7. ToggleObject(desklamp), 8. Done."
    )
