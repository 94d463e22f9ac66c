from __future__ import annotations

from collections import Counter

import pytest

from env_service.suites.alfred.skills.steps import SkillStep, Verb
from env_service.suites.alfred.skills.vocabulary import (
    SKILLS,
    STEPS,
    action_space,
    parse_skill,
    skill_text,
)


def test_there_are_lota_benchs_214_strings_in_its_numbers():
    assert len(set(SKILLS)) == len(SKILLS) == 214
    counts = Counter(each.verb.value for each in STEPS)
    assert counts == {
        "find": 80,
        "pick up": 53,
        "put down": 53,
        "open": 7,
        "close": 7,
        "slice": 5,
        "turn on": 4,
        "turn off": 4,
        "done": 1,
    }


@pytest.mark.parametrize(
    ("step", "text"),
    [
        (SkillStep(Verb.FIND, "AlarmClock"), "find an alarm clock"),
        (SkillStep(Verb.FIND, "CD"), "find a CD"),
        (SkillStep(Verb.FIND, "CounterTop"), "find a counter top"),
        (SkillStep(Verb.PUT_DOWN, "Glassbottle"), "put down the glassbottle"),
        (SkillStep(Verb.TURN_OFF, "DeskLamp"), "turn off the desk lamp"),
        (SkillStep(Verb.DONE), "done"),
    ],
)
def test_a_step_is_written_in_lota_benchs_words(step, text):
    assert skill_text(step) == text
    assert text in SKILLS


def test_every_string_is_read_as_the_step_that_it_was_written_for():
    assert [parse_skill(each) for each in SKILLS] == list(STEPS)


@pytest.mark.parametrize(
    "text",
    [
        "Find a Counter Top",
        "  find   the counter top. ",
        "3. find counter top",
        "find an countertop",
        "12) find a COUNTERTOP",
    ],
)
def test_dress_does_not_matter(text):
    assert parse_skill(text) == SkillStep(Verb.FIND, "CounterTop")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "find",
        "find a",
        "finder of apples",
        "go to the counter top",
        "find a couch",
        "open the apple",
        "slice the mug",
        "pick up the counter top",
        "done it",
        "done the mug",
    ],
)
def test_nothing_else_is_a_skill(text):
    assert parse_skill(text) is None


def test_synonyms_are_known_only_where_they_are_asked_for():
    assert parse_skill("find a couch", synonyms=True) == SkillStep(Verb.FIND, "Sofa")
    assert parse_skill("pick up the sponge", synonyms=True) == SkillStep(Verb.PICK_UP, "DishSponge")
    assert parse_skill("turn on the lamp", synonyms=True) == SkillStep(Verb.TURN_ON, "DeskLamp")
    assert parse_skill("open the couch", synonyms=True) is None
    assert parse_skill("find a sofa", synonyms=True) == parse_skill("find a sofa")


def test_an_ambiguous_synonym_means_what_there_is():
    def meant(*present: str) -> SkillStep | None:
        return parse_skill("find a table", synonyms=True, present=present)

    assert meant("Desk", "CoffeeTable") == SkillStep(Verb.FIND, "CoffeeTable")
    assert meant("Bed") == meant() == SkillStep(Verb.FIND, "DiningTable")


def test_a_skills_name_with_a_choice_is_one_of_the_strings():
    told = [
        f"{skill.name} {choice}"
        for skill in action_space().skills
        for parameter in skill.parameters
        for choice in parameter.choices
    ]
    assert sorted([*told, "done"]) == sorted(SKILLS)


def test_a_question_is_offered_only_where_it_may_be_asked():
    asking = action_space(question=True).skills
    assert asking[:-1] == action_space().skills
    assert asking[-1].name == "ask"
    assert asking[-1].parameters[0].choices == ()
