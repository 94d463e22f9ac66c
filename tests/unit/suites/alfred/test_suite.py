"""What the suite says of itself."""

from __future__ import annotations

from env_service.suites.alfred.skills.plan_reading import MOST_PLAN_STEPS
from env_service.suites.alfred.suite import AlfredSuite
from env_service.suites.selection import settle_condition


def test_the_house_is_told_that_a_plan_is_one_step():
    suite = AlfredSuite()
    assert suite.skills_per_step(settle_condition(suite, {})) == MOST_PLAN_STEPS
    assert suite.skills_per_step(settle_condition(suite, {"play": "steps"})) == 1
