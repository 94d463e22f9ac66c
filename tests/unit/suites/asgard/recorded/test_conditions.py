import pytest

from env_service.suites.asgard.conditions import NAMED, named_condition
from env_service.suites.asgard.recorded.episode import check_recorded, pixels_of
from env_service.suites.base import ConditionError
from tests.support.asgard import SUITE

DEFAULT = {setting.name: setting.default for setting in SUITE.settings}


def test_a_run_needs_no_settings():
    check_recorded(DEFAULT)


@pytest.mark.parametrize("name", NAMED)
def test_every_condition_of_the_paper_can_be_asked_for(name):
    check_recorded({**DEFAULT, **named_condition(name)})


def test_a_hand_of_another_opacity_cannot_be_had():
    with pytest.raises(ConditionError, match="set hand=0"):
        check_recorded({**DEFAULT, "hand": "30"})


def test_settings_that_do_not_go_together_are_refused_here_too():
    with pytest.raises(ConditionError, match="set previous_image=none"):
        check_recorded({**DEFAULT, "text_only": "on"})


def test_pictures_may_be_smaller():
    assert pixels_of({**DEFAULT, "picture": "300"}) == 300
