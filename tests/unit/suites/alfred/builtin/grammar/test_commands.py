from __future__ import annotations

import re
from random import Random

import pytest

from env_service.suites.alfred.builtin.grammar.english import commands_for
from env_service.suites.alfred.builtin.grammar.english_nouns import noun, other_nouns, plural
from env_service.suites.alfred.builtin.grammar.korean import NOUNS, korean
from env_service.suites.alfred.command_wordings import split_context
from env_service.suites.alfred.judging.command_reader import read_english
from env_service.suites.alfred.judging.intent import Intent, Slot, goal_intent
from env_service.suites.alfred.task import Goal, TaskType

ROOM_OF = {"Toilet": "bathroom", "BathtubBasin": "bathroom", "ToiletPaperHanger": "bathroom"}
GOALS = (
    Goal(TaskType.SIMPLE, "Mug", "CoffeeMachine"),
    Goal(TaskType.SIMPLE, "ToiletPaper", "ToiletPaperHanger"),
    Goal(TaskType.SIMPLE, "ToiletPaper", "Toilet"),
    Goal(TaskType.SIMPLE, "AlarmClock", "Shelf"),
    Goal(TaskType.SIMPLE, "Tomato", "GarbageCan"),
    Goal(TaskType.SIMPLE, "RemoteControl", "ArmChair"),
    Goal(TaskType.TWO, "Book", "CoffeeTable"),
    Goal(TaskType.TWO, "SoapBar", "GarbageCan"),
    Goal(TaskType.TWO, "CD", "Dresser"),
    Goal(TaskType.TWO, "Bread", "Fridge", sliced=True),
    Goal(TaskType.LOOK, "KeyChain", toggle="DeskLamp"),
    Goal(TaskType.LOOK, "Watch", toggle="FloorLamp"),
    Goal(TaskType.CLEAN, "Cloth", "BathtubBasin"),
    Goal(TaskType.CLEAN, "Egg", "Microwave"),
    Goal(TaskType.CLEAN, "Lettuce", "CounterTop", sliced=True),
    Goal(TaskType.HEAT, "Plate", "Cabinet"),
    Goal(TaskType.HEAT, "Bread", "SinkBasin", sliced=True),
    Goal(TaskType.COOL, "WineBottle", "DiningTable"),
    Goal(TaskType.COOL, "Apple", "SideTable", sliced=True),
    Goal(TaskType.MOVABLE, "ButterKnife", "SinkBasin", "Cup"),
    Goal(TaskType.MOVABLE, "Pencil", "Bed", "Box"),
    Goal(TaskType.MOVABLE, "Potato", "Fridge", "Plate", sliced=True),
)
STATE_WORDS = {
    TaskType.CLEAN: re.compile("씻|빨|빤"),
    TaskType.HEAT: re.compile("데[우운워]"),
    TaskType.COOL: re.compile("식[히힌혀]|차가운"),
}


def room_of(goal: Goal) -> str:
    return ROOM_OF.get(goal.parent, "living-room" if goal.toggle else "kitchen")


def drawn(goal: Goal, times: int = 40):
    return [commands_for(goal, room_of(goal), Random(seed)) for seed in range(times)]


def nouns_of(kind: str, goal: Goal) -> tuple[str, ...]:
    every = {noun(kind), *other_nouns(kind, room_of(goal))}
    return tuple(every | {plural(each) for each in every})


def missing(said: Intent, goal: Goal) -> list[str]:
    wanted = goal_intent(goal)
    return [
        slot.value
        for slot in Slot
        if not wanted.values(slot) <= said.values(slot)
        or bool(wanted.values(slot)) != bool(said.values(slot))
    ]


def test_one_generator_state_gives_one_set_of_texts_and_several_give_several():
    for goal in GOALS:
        assert commands_for(goal, "kitchen", Random(7)) == commands_for(goal, "kitchen", Random(7))
        every = drawn(goal)
        assert len({each["B"] for each in every}) == 1
        for wording in ("P1", "P2", "C", "K"):
            assert len({each[wording] for each in every}) > 1


def test_the_base_command_is_plain():
    texts = {goal: commands_for(goal, "kitchen", Random(0))["B"] for goal in GOALS}
    assert texts[GOALS[0]] == "Put a mug in the coffee machine."
    assert texts[Goal(TaskType.TWO, "Book", "CoffeeTable")] == "Put two books on the coffee table."
    assert texts[Goal(TaskType.HEAT, "Bread", "SinkBasin", sliced=True)] == (
        "Put a heated slice of bread in the sink."
    )
    assert texts[Goal(TaskType.MOVABLE, "ButterKnife", "SinkBasin", "Cup")] == (
        "Put a butter knife in a cup and then put the cup in the sink."
    )
    assert texts[Goal(TaskType.LOOK, "Watch", toggle="FloorLamp")] == (
        "Examine a watch by the light of the floor lamp."
    )


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_the_lexicon_reads_every_slot_of_base_command_and_paraphrases(goal):
    for texts in drawn(goal):
        for wording in ("B", "P1", "P2"):
            assert missing(read_english(texts[wording]), goal) == [], texts[wording]


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_the_first_paraphrase_keeps_the_nouns(goal):
    for texts in drawn(goal):
        for kind in filter(None, (goal.object, goal.parent, goal.movable, goal.toggle)):
            own = noun(kind).split(" of ")[-1] if kind == goal.object else noun(kind)
            assert own in texts["P1"] or plural(own) in texts["P1"], texts["P1"]
        assert texts["P1"] != texts["B"]


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_a_contextual_command_tells_the_destination_in_its_first_sentence_alone(goal):
    for texts in drawn(goal):
        assert len(re.findall(r"[.!?](?:\s|$)", texts["C"])) == 2
        context, order = split_context(texts["C"])
        where = goal.parent or goal.toggle
        assert noun(where) in context
        # Toilet paper names no toilet.
        others = order.replace("toilet paper", "paper")
        assert not any(f" {each}" in others for each in nouns_of(where, goal)), texts["C"]
        thing = noun(goal.object).split(" of ")[-1]
        assert thing in order or plural(thing) in order, texts["C"]
        assert not goal.movable or noun(goal.movable) in order
        whole = read_english(texts["C"], contextual=True)
        slots = (Slot.OBJECT, Slot.SLICED, Slot.STATE, Slot.DESTINATION, Slot.COUNT, Slot.LAMP)
        wanted = goal_intent(goal)
        assert all(wanted.values(each) <= whole.values(each) for each in slots), texts["C"]


@pytest.mark.parametrize("goal", GOALS, ids=str)
def test_the_korean_command_says_every_slot(goal):
    room = room_of(goal)
    for texts in drawn(goal):
        text = texts["K"]
        for kind in filter(None, (goal.object, goal.parent, goal.movable, goal.toggle)):
            assert korean(kind, room) in text
        assert not goal.sliced or ("썰" in text and "조각" in text)
        assert (" 두 " in text) == (goal.type is TaskType.TWO)
        for kind, pattern in STATE_WORDS.items():
            assert bool(pattern.search(text)) == (goal.type is kind), text


def test_korean_particles_are_right_in_whole_sentences():
    vowels = {
        each
        for each in NOUNS.values()
        if "가" <= each[-1] <= "힣" and (ord(each[-1]) - 44032) % 28 == 0
    }
    for goal in GOALS:
        for texts in drawn(goal):
            for each in NOUNS.values():
                wrong = ("을 ", "은 ") if each in vowels else ("를 ", "는 ")
                for particle in wrong:
                    assert not re.search(rf"(^| ){each}{particle}", texts["K"]), texts["K"]


def test_texts_are_whole_sentences_without_odd_characters():
    for goal in GOALS:
        for texts in drawn(goal):
            for wording, text in texts.items():
                allowed = r"[가-힣A-Za-z ,.]+" if wording == "K" else r"[A-Za-z ,.?]+"
                assert re.fullmatch(allowed, text), text
                assert text[-1] in ".?" and "  " not in text
                assert wording == "K" or text[0].isupper()
                assert not re.search(r"\ba [aeiou]|\ban [^aeiou]", text), text
