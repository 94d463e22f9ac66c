"""Faults of commands, without a model."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.judging.integrity import IntegrityType, check
from env_service.suites.alfred.task import Goal, TaskType

_PLAN = "1. GotoLocation(countertop), 2. PickupObject(egg), 3. PutObject(egg,diningtable)"
_EGG = Goal(TaskType.SIMPLE, "Egg", "DiningTable")
_HOT = Goal(TaskType.HEAT, "Egg", "DiningTable")


@pytest.mark.parametrize(
    ("goal", "command", "kind"),
    [
        (_EGG, "Put the egg on the dining table.", IntegrityType.NONE),
        (_EGG, "Put the egg on the table.", IntegrityType.NONE),
        (_EGG, "Put the egg in the sink.", IntegrityType.SPATIAL),
        (_EGG, "Put away the egg.", IntegrityType.SPATIAL),
        (_EGG, "Put the white thing on the dining table.", IntegrityType.OBJECT),
        (_EGG, "Put a cup on the dining table.", IntegrityType.OBJECT),
        (_EGG, "Put a boiled egg on the dining table.", IntegrityType.SEQUENCE),
        (_HOT, "Put the egg on the dining table.", IntegrityType.SEQUENCE),
        (_HOT, "Put", IntegrityType.OTHER),
    ],
)
def test_defects_have_the_papers_types(goal: Goal, command: str, kind: IntegrityType) -> None:
    found = check(command, goal, _PLAN)

    assert found.type is kind
    assert bool(found.reason) is not found.sound


def test_a_vague_word_is_a_defect_where_that_is_asked() -> None:
    command = "Put the egg on the table."

    assert check(command, _EGG, _PLAN, strict=True).type is IntegrityType.SPATIAL
    assert check("Put the egg on the dining table.", _EGG, _PLAN, strict=True).sound


def test_what_the_plan_slices_is_to_be_said() -> None:
    plan = f"{_PLAN}, 4. SliceObject(bread)"

    assert check("Put the egg on the dining table.", _EGG, plan).type is IntegrityType.SEQUENCE


def test_korean_commands_are_checked_too() -> None:
    assert check("계란을 식탁에 놓으세요.", _EGG, _PLAN, language="ko").sound
    assert (
        check("계란을 싱크대에 넣으세요.", _EGG, _PLAN, language="ko").type is IntegrityType.SPATIAL
    )


def test_a_plan_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="not a numbered list of actions"):
        check("Put the egg on the table.", _EGG, "whatever")
