import pytest

from env_service.suites.babybench.answers.fixed import read_actions
from env_service.suites.babybench.answers.readings import AnswerProblem

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
        f"{MARKED}left (now facing west), forward (to (3, 4)), pickup",
        f"{MARKED}1) left 2) forward 3) pickup",
        f"{MARKED}\n```python\nactions = ['left', 'forward', 'pickup']\n```",
        f"{MARKED}$\\text{{left}}, \\text{{forward}}, \\text{{pickup}}$",
        "The action sequence would be: left, forward, pickup",
        "left, forward, pickup",
        "My plan:\n- left\n- forward\n- pickup\n",
    ],
)
def test_actions_are_read_however_they_are_written(text):
    assert read_actions(text).value.actions == ("left", "forward", "pickup")


@pytest.mark.parametrize("often", ["(x3)", "(3 times)", "(3x)", "( 3 )"])
def test_how_often_is_not_taken_for_once(often):
    value = read_actions(f"{MARKED}left, forward {often}, right").value
    assert value.actions == ("left", "right")
    assert len(value.unknown) == 1


def test_the_papers_open_is_toggle():
    assert read_actions(f"{MARKED}open, done").value.actions == ("toggle", "done")


def test_what_names_no_action_is_left_out_and_told_of():
    value = read_actions(f"{MARKED}left, fly to the ball, forward. It is near.").value
    assert value.actions == ("left", "forward")
    assert value.unknown == ("fly to the ball", "it is near")


def test_talk_about_the_list_on_the_next_line_is_no_part_of_it():
    text = f"{MARKED}left, forward\nSo the agent turns left, forward, forward."
    assert read_actions(text).value.actions == ("left", "forward")
    listed = f"{MARKED}\n- left, to face the ball\n- forward, beside it"
    assert read_actions(listed).value.actions == ("left", "forward")


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
