import pytest

from env_service.suites.babybench.answers.fixed_actions import read_actions
from env_service.suites.babybench.answers.reading import AnswerProblem

MARKED = "The LLM's action sequence is: "


@pytest.mark.parametrize(
    "text",
    [
        f"{MARKED}left, forward, pickup",
        f"{MARKED}Left, Forward, Pickup.",
        f"**{MARKED.strip()}** `left`, `forward`, `pickup`\n\nDone!",
        "The LLM’s action sequence is:\n1. turn left\n2. move forward\n3. pick up",
        f"{MARKED}\n```\nleft, forward,\npickup\n```\nThat is all.",
        f"{MARKED}['left', 'forward', 'pickup']",
        f"{MARKED}left → forward -> pick_up",
        f"{MARKED}left forward pickup",
        f"{MARKED}as follows:\n\n- left\n\n- forward\n\n- pickup\n\nThen right of the ball.",
        f"<think>{MARKED}right</think>{MARKED}left, then forward and pick-up",
        "left, forward, pickup",
        "My plan:\n- left\n- forward\n- pickup\n",
    ],
)
def test_actions_are_read_however_they_are_written(text):
    assert read_actions(text).value.actions == ("left", "forward", "pickup")


def test_the_papers_open_is_toggle():
    assert read_actions(f"{MARKED}open, done").value.actions == ("toggle", "done")


def test_what_names_no_action_is_left_out_and_told_of():
    value = read_actions(f"{MARKED}left, fly to the ball, forward. It is near.").value
    assert value.actions == ("left", "forward")
    assert value.unknown == ("fly to the ball", "it is near")


def test_the_last_list_wins():
    assert read_actions(f"{MARKED}right\n{MARKED}left").value.actions == ("left",)
    assert read_actions(f"{MARKED}left\n({MARKED}…)").value.actions == ("left",)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", AnswerProblem.EMPTY),
        ("I would go forward to the ball.", AnswerProblem.NO_ANSWER),
        ("Done!", AnswerProblem.NO_ANSWER),
        (f"{MARKED}none is needed", AnswerProblem.UNREADABLE),
    ],
)
def test_what_cannot_be_read_has_a_reason(text, problem):
    reading = read_actions(text)
    assert reading.value is None
    assert reading.problem is problem
