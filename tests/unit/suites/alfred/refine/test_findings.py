"""What rules find wrong with texts: every part of a goal has to be recoverable."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.refine.checks import Code, find_defects
from env_service.suites.alfred.refine.sources import Stage
from env_service.suites.alfred.task import Goal, TaskType

HEAT = Goal(TaskType.HEAT, "Potato", "Fridge", sliced=True)
TWO = Goal(TaskType.TWO, "SoapBar", "GarbageCan")
MOVABLE = Goal(TaskType.MOVABLE, "Fork", "CounterTop", "Bowl")
LOOK = Goal(TaskType.LOOK, "Vase", toggle="DeskLamp")
SIMPLE = Goal(TaskType.SIMPLE, "Book", "Desk")


def codes(stage: Stage, text: str, goal: Goal, base: str = "") -> list[Code]:
    """The kinds of what is found."""
    return [finding.code for finding in find_defects(stage, text, goal, base)]


@pytest.mark.parametrize(
    ("goal", "text"),
    [
        (HEAT, "Put a slice of heated potato in the fridge."),
        (HEAT, "Slice a potato, warm it up and store it in the refrigerator."),
        (TWO, "Toss two bars of soap into the trash can."),
        (MOVABLE, "Set a bowl with a fork in it on the counter."),
        (LOOK, "Look at the vase under the desk lamp."),
        (SIMPLE, "Put the book on the desk."),
    ],
)
def test_a_good_command_has_no_findings(goal: Goal, text: str) -> None:
    assert codes(Stage.PARAPHRASE_2, text, goal) == []


@pytest.mark.parametrize(
    ("goal", "text", "found"),
    [
        (HEAT, "Put a slice of potato in the fridge.", Code.STATE),
        (HEAT, "Put a heated potato in the fridge.", Code.SLICED),
        (HEAT, "Put a slice of heated potato on the table.", Code.DESTINATION),
        (HEAT, "Put a slice of heated apple in the fridge.", Code.OBJECT),
        (TWO, "Toss a bar of soap into the trash can.", Code.COUNT),
        (MOVABLE, "Set a fork on the counter.", Code.MOVABLE),
        (LOOK, "Look at the vase.", Code.LAMP),
        (SIMPLE, "Put the heated book on the desk.", Code.STATE),
        (SIMPLE, "Put the book on the desk. Thank you.", Code.FORM),
        (SIMPLE, "Put the book on the desk", Code.FORM),
        (SIMPLE, "1. Put the book on the desk.", Code.FORM),
        (SIMPLE, '"Put the book on the desk."', Code.FORM),
        (SIMPLE, "Put the book\non the desk.", Code.FORM),
        (SIMPLE, "책을 책상에 놓으세요.", Code.LANGUAGE),
        (SIMPLE, "  ", Code.EMPTY),
    ],
)
def test_each_fault_of_a_command_is_found(goal: Goal, text: str, found: Code) -> None:
    assert codes(Stage.BASE, text, goal) == [found]


def test_the_first_paraphrase_keeps_nouns() -> None:
    base = "Put two soap bars in the garbage can."
    kept = "Throw both soap bars into the garbage can."
    assert codes(Stage.PARAPHRASE_1, kept, TWO, base) == []
    changed = "Throw both soap bars into the trash."
    assert codes(Stage.PARAPHRASE_1, changed, TWO, base) == [Code.NOUNS]
    assert codes(Stage.PARAPHRASE_2, changed, TWO, base) == []


def test_the_light_of_a_lamp_is_the_lamp() -> None:
    base = "Examine the vase in the light of the desk lamp."
    assert codes(Stage.PARAPHRASE_1, "Inspect the vase under the desk lamp.", LOOK, base) == []


CONTEXT = "At home a heated slice of potato is kept in the fridge."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"{CONTEXT} Please put one where it belongs.", []),
        (f"{CONTEXT} Please put one in the fridge as usual.", [Code.TELLS_DESTINATION]),
        (f"{CONTEXT} Please do. Thank you.", [Code.SENTENCES]),
        (CONTEXT, [Code.SENTENCES]),
        ("At home potatoes are kept in the fridge. Do so.", [Code.STATE, Code.SLICED]),
    ],
    ids=range(5),
)
def test_a_contextual_command_has_its_place_in_the_first_of_two_sentences(
    text: str, found: list[Code]
) -> None:
    assert codes(Stage.CONTEXTUAL, text, HEAT) == found


@pytest.mark.parametrize(
    ("goal", "text", "found"),
    [
        (HEAT, "데운 감자 조각을 냉장고에 넣으세요.", []),
        (HEAT, "감자를 냉장고에 넣으세요.", [Code.STATE, Code.SLICED]),
        (TWO, "비누를 쓰레기통에 버리세요.", [Code.COUNT]),
        (TWO, "비누 두 개를 쓰레기통에 버리세요.", []),
        (Goal(TaskType.SIMPLE, "CD", "Desk"), "CD를 책상에 놓으세요.", []),
        (SIMPLE, "칼을 책상에 놓으세요.", [Code.OBJECT]),
        (SIMPLE, "책을 침대에 놓으세요.", [Code.DESTINATION]),
        (SIMPLE, "book을 책상에 놓으세요.", [Code.LANGUAGE]),
        (SIMPLE, "Put the book on the desk.", [Code.LANGUAGE]),
    ],
    ids=range(9),
)
def test_korean_is_checked_by_its_own_words(goal: Goal, text: str, found: list[Code]) -> None:
    assert codes(Stage.KOREAN, text, goal) == found


def test_a_finding_tells_what_to_mend() -> None:
    (finding,) = find_defects(Stage.BASE, "Put a heated potato in the fridge.", HEAT)
    assert str(finding) == "sliced: it has to say that the thing is sliced."
