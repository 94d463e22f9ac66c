import pytest

from env_service.domain.names import UnknownNameError
from env_service.domain.outcome import FeedbackMode
from env_service.suites.asgard.conditions import (
    NAMED,
    SETTINGS,
    check_condition,
    condition_name,
    feedback_of,
    named_condition,
    rules_of,
)
from env_service.suites.asgard.rules import PAPER, UPSTREAM


def test_the_defaults_are_the_baseline():
    assert {setting.name: setting.default for setting in SETTINGS} == named_condition("baseline")
    assert named_condition("baseline") == {
        "text_only": "off",
        "feedback": "simple",
        "hand": "60",
        "previous_image": "color",
        "memory": "on",
        "full_plan": "on",
        "common_sense": "off",
        "rules": "paper",
    }


@pytest.mark.parametrize("name", NAMED)
def test_every_named_condition_is_sound_and_keeps_its_name(name):
    condition = named_condition(name)
    check_condition(condition)
    for setting in SETTINGS:
        assert condition[setting.name] in setting.values
    assert condition_name(condition) == name
    assert condition_name({**condition, "rules": "upstream"}) == name


def test_most_conditions_have_no_name():
    assert condition_name({**named_condition("baseline"), "hand": "30"}) is None


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UnknownNameError, match="no-hand"):
        named_condition("nohand")


@pytest.mark.parametrize("setting", [{"hand": "60"}, {"previous_image": "grayscale"}])
def test_text_only_shows_neither_hand_nor_previous_picture(setting):
    with pytest.raises(ValueError, match="text_only=on shows no pictures"):
        check_condition({**named_condition("text-only-simple"), **setting})


def test_all_that_text_only_asks_for_is_told_at_once():
    with pytest.raises(ValueError, match="set previous_image=none and hand=0 as well"):
        check_condition({**named_condition("baseline"), "text_only": "on"})


def test_rules_and_feedback_follow_their_settings():
    condition = {**named_condition("text-only-none"), "rules": "upstream"}
    assert rules_of(condition) is UPSTREAM
    assert rules_of(named_condition("baseline")) is PAPER
    assert feedback_of(condition) is FeedbackMode.NONE
    assert feedback_of(named_condition("detailed")) is FeedbackMode.DETAILED
