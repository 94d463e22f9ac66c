"""The crowd's commands, judged by rules in the classes of Table 1."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.refine.checks import (
    CommandDefect,
    Judged,
    count_defects,
    judge_originals,
)
from env_service.suites.alfred.refine.sources import Source
from env_service.suites.alfred.task import Goal, TaskType

COOL = Goal(TaskType.COOL, "Apple", "CounterTop")
TWO = Goal(TaskType.TWO, "Pen", "Desk")
MOVABLE = Goal(TaskType.MOVABLE, "Fork", "SinkBasin", "Bowl")
LOOK = Goal(TaskType.LOOK, "Laptop", toggle="FloorLamp")


def judged(goal: Goal, text: str) -> Judged:
    """One command for a goal."""
    return judge_originals([Source("t", goal, "", (text,))])[0]


@pytest.mark.parametrize(
    ("goal", "text", "defect"),
    [
        (COOL, "Put a chilled apple on the counter.", None),
        (COOL, "put the red fruit from the fridge, cold, on the counter", None),
        (COOL, "Put the cold red thing on the counter.", CommandDefect.OBJECT),
        (COOL, "Chill a tomato and put it on the counter.", CommandDefect.OBJECT),
        (COOL, "Chill an apple.", CommandDefect.SPATIAL),
        (COOL, "Put a chilled apple in the sink.", CommandDefect.SPATIAL),
        (COOL, "Put an apple on the counter.", CommandDefect.SEQUENCE),
        (TWO, "Put a pen on the desk.", CommandDefect.SEQUENCE),
        (MOVABLE, "Put a fork in the sink.", CommandDefect.OBJECT),
        (COOL, "Bring it.", CommandDefect.OTHER),
        (LOOK, "Pick up the laptop.", CommandDefect.OBJECT),
        (LOOK, "Look at the laptop under the tall lamp.", None),
    ],
)
def test_a_command_has_the_fault_that_would_mislead(
    goal: Goal, text: str, defect: CommandDefect | None
) -> None:
    assert judged(goal, text).defect is defect


@pytest.mark.parametrize(
    ("goal", "text", "defect"),
    [
        (TWO, "Put two pens on the table.", CommandDefect.SPATIAL),
        (COOL, "Put a chilled fruit on the counter.", CommandDefect.OBJECT),
        (COOL, "Put a washed and chilled apple on the counter.", CommandDefect.SEQUENCE),
        (
            COOL,
            "Put a chilled apple on the counter to the left of the sink.",
            CommandDefect.SPATIAL,
        ),
        (COOL, "Put a chilled apple on the counter.", None),
    ],
)
def test_what_may_be_understood_otherwise_is_a_doubt(
    goal: Goal, text: str, defect: CommandDefect | None
) -> None:
    command = judged(goal, text)
    assert command.defect is None
    assert command.strict_defect is defect


def test_each_command_counts_once() -> None:
    texts = (
        "Cool it on the counter.",
        "Put an apple on the counter.",
        "Put a cold apple on the counter.",
    )
    found = judge_originals([Source("t", COOL, "", texts)])
    assert [each.place for each in found] == [0, 1, 2]
    assert count_defects(each.defect for each in found) == {
        CommandDefect.OBJECT: 1,
        CommandDefect.SEQUENCE: 1,
    }
