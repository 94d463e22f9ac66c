"""What the suite says of itself."""

from __future__ import annotations

import pytest

from env_service.domain.names import UnknownNameError
from env_service.domain.task import Task, TaskSet
from env_service.suites.alfred.skills.plan_reader import MOST_PLAN_STEPS
from env_service.suites.alfred.suite import AlfredSuite
from env_service.suites.base import ConditionError
from env_service.suites.selection import settle_condition


def test_the_house_is_told_that_a_plan_is_one_step():
    suite = AlfredSuite()
    assert suite.skills_per_step(settle_condition(suite, {})) == MOST_PLAN_STEPS
    assert suite.skills_per_step(settle_condition(suite, {"play": "steps"})) == 1


def test_tasks_that_no_crowd_described_cannot_be_played_as_the_crowd_wrote_them() -> None:
    suite = AlfredSuite()
    task_set = TaskSet(
        "builtin", "", (Task("made/1", "a", "b", {"annotation": None, "originals": []}),)
    )
    with pytest.raises(ConditionError, match="task set builtin: task made/1 has no original"):
        suite.under(task_set, settle_condition(suite, {"wording": "original"}))


def test_a_named_condition_is_taken_as_the_value_of_a_setting_too() -> None:
    suite = AlfredSuite()
    named = settle_condition(suite, {"condition": "C-interactive"})
    assert settle_condition(suite, {"wording": "C-interactive"}) == named
    with pytest.raises(UnknownNameError, match="value of setting 'wording'"):
        settle_condition(suite, {"condition": "K", "wording": "C-interactive"})
    with pytest.raises(UnknownNameError, match="value of setting 'ask'"):
        settle_condition(suite, {"ask": "K"})
