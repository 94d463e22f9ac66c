"""What commands ask for."""

from __future__ import annotations

import pytest

from env_service.suites.alfred.command_wordings import Wording
from env_service.suites.alfred.judging.blame import Kind, differences
from env_service.suites.alfred.judging.command_reader import read_command, types_of_words
from env_service.suites.alfred.judging.intent import Intent, Slot, State, goal_intent
from env_service.suites.alfred.task import Goal, TaskType

_KNIFE_CUP = Goal(TaskType.MOVABLE, "ButterKnife", "DiningTable", "Cup")
_CLOCK = Goal(TaskType.LOOK, "AlarmClock", toggle="DeskLamp")
_SLICE = Goal(TaskType.HEAT, "Apple", "GarbageCan", sliced=True)

_SAYING = [
    (Goal(TaskType.SIMPLE, "Egg", "Microwave"), "Put the egg in the microwave."),
    (Goal(TaskType.SIMPLE, "SoapBar", "Toilet"), "Put a bar of soap on the back of the toilet."),
    (
        Goal(TaskType.SIMPLE, "CellPhone", "Bed"),
        "take the phone from the dresser, put it on the bed",
    ),
    (Goal(TaskType.SIMPLE, "SprayBottle", "GarbageCan"), "Throw away the spray bottle."),
    (Goal(TaskType.SIMPLE, "Vase", "Safe"), "Lock the vase away inside the safe."),
    (Goal(TaskType.SIMPLE, "ToiletPaper", "ToiletPaperHanger"), "Hang the roll on its holder."),
    (Goal(TaskType.TWO, "Spoon", "CounterTop"), "Place a pair of spoons on the counter."),
    (Goal(TaskType.TWO, "KeyChain", "Sofa"), "put two sets of keys on the couch"),
    (Goal(TaskType.TWO, "Vase", "Desk"), "Put the vases on the table."),
    (
        Goal(TaskType.COOL, "Plate", "Cabinet"),
        "Chill a dish in the fridge, store it in the cupboard",
    ),
    (Goal(TaskType.COOL, "Mug", "CoffeeMachine"), "cool the cup down under the coffee maker"),
    (Goal(TaskType.COOL, "Cup", "SinkBasin"), "Put a glass in the fridge, then into the sink."),
    (
        Goal(TaskType.HEAT, "Potato", "Fridge"),
        "Microwave the potato and put it in the refrigerator.",
    ),
    (Goal(TaskType.CLEAN, "Plate", "CounterTop"), "Set a spotless plate on the kitchen island."),
    (Goal(TaskType.CLEAN, "Fork", "Drawer"), "Rinse off the fork before putting it in a drawer."),
    (_SLICE, "Toss a warm piece of apple into the waste bin."),
    (_SLICE, "Cut the apple, heat a slice and discard it."),
    (_KNIFE_CUP, "Put a cup with a knife in it on the dinner table."),
    (_KNIFE_CUP, "Set the cup on the table and put a butter knife in the cup."),
    (_KNIFE_CUP, "Drop a butter knife in the glass, then set the glass on the table."),
    (_CLOCK, "Examine the clock under the desk lamp’s light."),
    (_CLOCK, "Pick up the alarm clock and turn on the lamp next to the bed."),
    (_CLOCK, "Use the lamp to inspect the alarm clock."),
    (_CLOCK, "Look at the alarm clock in the light."),
]


@pytest.mark.parametrize(("goal", "command"), _SAYING)
def test_a_command_that_says_its_goal_does_not_differ_from_it(goal: Goal, command: str) -> None:
    assert differences(read_command(command), goal_intent(goal)) == ()


_DIFFERING = [
    (
        Goal(TaskType.SIMPLE, "SoapBar", "Cart"),
        "Put the soap on the metal rack.",
        Slot.DESTINATION,
        Kind.OTHER,
    ),
    (Goal(TaskType.SIMPLE, "SoapBar", "Cart"), "Put away the soap.", Slot.DESTINATION, Kind.UNSAID),
    (
        Goal(TaskType.SIMPLE, "Egg", "Fridge"),
        "Put a potato in the fridge.",
        Slot.OBJECT,
        Kind.OTHER,
    ),
    (
        Goal(TaskType.SIMPLE, "Egg", "Fridge"),
        "Put a hot egg in the fridge.",
        Slot.STATE,
        Kind.EXTRA,
    ),
    (
        Goal(TaskType.SIMPLE, "Egg", "Fridge"),
        "Put a bowl with an egg in the fridge.",
        Slot.MOVABLE,
        Kind.EXTRA,
    ),
    (
        Goal(TaskType.CLEAN, "SoapBar", "Cabinet"),
        "Place the bar of soap in the cabinet.",
        Slot.STATE,
        Kind.UNSAID,
    ),
    (Goal(TaskType.HEAT, "Egg", "Fridge"), "Put a cold egg in the fridge.", Slot.STATE, Kind.OTHER),
    (_SLICE, "Throw a heated apple in the trash.", Slot.SLICED, Kind.UNSAID),
    (Goal(TaskType.TWO, "Book", "Desk"), "Put a book on the desk.", Slot.COUNT, Kind.OTHER),
    (_KNIFE_CUP, "Put a plate with a knife on it on the table.", Slot.MOVABLE, Kind.OTHER),
    (_KNIFE_CUP, "Put the knife on the table.", Slot.MOVABLE, Kind.UNSAID),
    (_CLOCK, "Put the alarm clock on the desk.", Slot.LAMP, Kind.UNSAID),
    (_CLOCK, "Examine the alarm clock by the floor lamp.", Slot.LAMP, Kind.OTHER),
]


@pytest.mark.parametrize(("goal", "command", "slot", "kind"), _DIFFERING)
def test_a_command_that_says_something_else_differs_in_that_alone(
    goal: Goal, command: str, slot: Slot, kind: Kind
) -> None:
    found = differences(read_command(command), goal_intent(goal))

    assert [(each.slot, each.kind) for each in found] == [(slot, kind)]
    assert slot.value in str(found[0])


def test_a_word_may_mean_several_types() -> None:
    assert types_of_words("table") == {"DiningTable", "SideTable", "CoffeeTable", "Desk"}
    assert types_of_words("a lamp") == {"DeskLamp", "FloorLamp"}
    assert "Cart" not in types_of_words("metal rack")
    assert types_of_words("flurb") == frozenset()


def test_a_contextual_command_may_mean_all_that_it_mentions() -> None:
    text = (
        "In our kitchen, mugs that were warmed are kept by the sink, in the cabinet."
        " Please put the mug where it belongs."
    )
    found = read_command(text, wording=Wording.CONTEXTUAL)

    assert found.objects == {"Mug"}
    assert {"Cabinet", "SinkBasin"} <= found.destinations
    assert found.states == {State.HEATED}


def test_what_a_contextual_command_mentions_besides_is_no_contradiction() -> None:
    text = "Cleaning supplies are kept in the cabinet. Put the spray bottle in its usual spot."
    goal = goal_intent(Goal(TaskType.SIMPLE, "SprayBottle", "Cabinet"))

    assert differences(read_command(text, wording=Wording.CONTEXTUAL), goal) == ()


_KOREAN = [
    (Goal(TaskType.SIMPLE, "Egg", "Microwave"), "달걀을 전자레인지에 넣으세요."),
    (Goal(TaskType.TWO, "Book", "Desk"), "책 두 권을 책상 위에 놓아 주세요."),
    (
        Goal(TaskType.COOL, "Apple", "GarbageCan", sliced=True),
        "차갑게 식힌 사과 조각을 쓰레기통에 버려.",
    ),
    (Goal(TaskType.CLEAN, "Fork", "Drawer"), "포크를 씻어서 서랍에 넣으세요."),
    (
        Goal(TaskType.MOVABLE, "Fork", "DiningTable", "Cup"),
        "포크가 들어 있는 컵을 식탁에 놓으세요.",
    ),
    (_CLOCK, "책상 램프 불빛에 자명종을 비춰 보세요."),
]


@pytest.mark.parametrize(("goal", "command"), _KOREAN)
def test_korean_is_read_by_its_particles(goal: Goal, command: str) -> None:
    assert differences(read_command(command, language="ko"), goal_intent(goal)) == ()


def test_a_korean_command_can_differ_too() -> None:
    goal = goal_intent(Goal(TaskType.HEAT, "Egg", "Fridge"))
    found = differences(read_command("계란을 조리대에 놓으세요.", language="ko"), goal)

    assert [each.slot for each in found] == [Slot.STATE, Slot.DESTINATION]


@pytest.mark.parametrize(
    "text", ["", "?!", "Do it.", "the the the", "in in on", "a" * 5000, "가나다"]
)
def test_any_text_is_read(text: str) -> None:
    for language in ("en", "ko"):
        found = read_command(text, language=language)
        assert isinstance(found, Intent)
        assert not found.objects
