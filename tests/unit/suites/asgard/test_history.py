import pytest

from env_service.domain.outcome import FeedbackMode
from env_service.suites.asgard.wording import PastStep, history_text, plain, step_line, step_status

REFUSED = PastStep("PICKUP Mug", succeeded=False, message="Cannot pick up Mug_e7fad100.")
UNREAD = PastStep("None None", succeeded=False, message="not understood")
STEPS = (PastStep("FIND Mug", succeeded=True), UNREAD, REFUSED)


@pytest.mark.parametrize(
    ("feedback", "text"),
    [
        (FeedbackMode.NONE, "1. FIND Mug\n2. PICKUP Mug"),
        (FeedbackMode.SIMPLE, "1. FIND Mug  Success\n2. PICKUP Mug  Failure"),
        (
            FeedbackMode.DETAILED,
            "1. FIND Mug  Success\n2. PICKUP Mug  Failure: Cannot pick up Mug.",
        ),
    ],
)
def test_the_history_tells_as_much_as_the_feedback_allows(feedback, text):
    assert history_text(STEPS, feedback) == text


def test_nothing_is_ever_shortened():
    text = history_text([PastStep("FIND Mug", succeeded=True)] * 200, FeedbackMode.NONE)
    assert text.splitlines()[-1] == "200. FIND Mug"


def test_there_is_no_history_at_first():
    assert history_text([], FeedbackMode.DETAILED) == ""


def test_one_step_is_told_likewise():
    assert step_line(REFUSED, FeedbackMode.SIMPLE) == "PICKUP Mug  Failure"
    assert step_line(REFUSED, FeedbackMode.NONE) == "PICKUP Mug"
    assert step_status(REFUSED, FeedbackMode.NONE) == ""
    assert step_status(UNREAD, FeedbackMode.DETAILED) == "Failure: not understood"
    assert step_status(PastStep("CLEAN Mug", succeeded=False), FeedbackMode.DETAILED) == "Failure"


def test_names_become_types():
    assert plain("Cannot put Egg_12ab in Pan_e551e220 as it is dirty.") == (
        "Cannot put Egg in Pan as it is dirty."
    )
    assert plain("AppleSliced_3_0a is not visible; --") == "AppleSliced_3 is not visible; --"
