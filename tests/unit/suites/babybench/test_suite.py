import pytest

from env_service.domain.outcome import FeedbackMode
from env_service.suites.babybench.conditions import NAMED
from env_service.suites.registry import load_suite
from env_service.suites.selection import settle_condition
from tests.unit.suites.babybench.builders import DEFAULT, SUITE


def test_the_registry_knows_the_suite():
    assert load_suite("babybench").name == "babybench"


def test_the_paper_is_a_condition():
    settled = settle_condition(SUITE, {"condition": "paper"})
    assert (settled["formatter"], settled["prompter"], settled["scoring"]) == (
        "structured",
        "tot",
        "compat",
    )
    assert DEFAULT["scoring"] == "fixed"


@pytest.mark.parametrize("name", NAMED)
def test_every_named_condition_can_be_played(name):
    assert SUITE.offer(settle_condition(SUITE, {"condition": name})).text


def test_feedback_and_limit_are_told_as_the_settings_say():
    disclosure = SUITE.disclosure(DEFAULT | {"feedback": "detailed", "step_limit": "hidden"})
    assert (disclosure.feedback, disclosure.step_limit) == (FeedbackMode.DETAILED, False)
