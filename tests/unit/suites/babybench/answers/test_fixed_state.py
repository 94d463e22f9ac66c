import pytest

from env_service.suites.babybench.answers.fixed import read_state
from env_service.suites.babybench.answers.readings import AnswerProblem

MARKED = "The agent's final state is: "


@pytest.mark.parametrize(
    "text",
    [
        f"{MARKED}((3, 4), 1)",
        f"**{MARKED.strip()}**\n\n((3, 4), 1).",
        "The agent’s final state is: `((3, 4), south)`",
        "THE AGENT'S FINAL STATE IS ( ( 3 ,4 ) , 1 )",
        f"{MARKED}(3, 4), 1",
        f"{MARKED}(3, 4, 1)",
        f"{MARKED}[[3, 4], 1]",
        f"{MARKED}((3.0, 4.0), 1)",
        f"{MARKED}((3, 4), 1 (south)), and not ((9, 9), 9)",
        f"{MARKED}x=3, y=4, facing down",
        f"{MARKED}facing southwards at (3, 4).",
        f"{MARKED}\n- position: (3, 4)\n- direction: 1 (south)",
        f'{MARKED}{{"position": [3, 4], "direction": "S"}}',
        f"{MARKED}{{'position': [3, 4], 'direction': 'S'}}",
        f"{MARKED}at (3, 4). The agent's heading is 1.",
        f"{MARKED}at (3, 4), right next to the ball and north of the door, facing south",
        f"{MARKED}$\\boxed{{((3, 4), 1)}}$",
        "Final state: ((3, 4), 1)",
        "((3, 4), 1)",
        "I walk on.\n(3, 4), 1",
    ],
)
def test_a_state_is_read_however_it_is_written(text):
    assert str(read_state(text).value) == "((3, 4), 1)"


def test_the_last_answer_wins():
    first, second = f"{MARKED}((9, 9), 0)", f"{MARKED}((3, 4), 1)"
    assert str(read_state(f"{first}\nNo: {second}").value) == "((3, 4), 1)"
    assert str(read_state(f"{second}\n<think>{first}").value) == "((3, 4), 1)"
    assert str(read_state("((9, 9), 0), then ((3, 4), 1)").value) == "((3, 4), 1)"


def test_a_quoted_form_is_no_answer():
    text = f"{MARKED}((3, 4), 1)\nas asked for: {MARKED}((x, y), d)"
    assert str(read_state(text).value) == "((3, 4), 1)"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (" \n", AnswerProblem.EMPTY),
        ("I do not know.", AnswerProblem.NO_ANSWER),
        ("Around (3, 4), I guess, after 12 steps of 13.", AnswerProblem.NO_ANSWER),
        (f"{MARKED}unknown", AnswerProblem.UNREADABLE),
        (f"{MARKED}((3.5, 4), 1)", AnswerProblem.BAD_NUMBER),
        (f"{MARKED}(({'9' * 10}, 4), 1)", AnswerProblem.BAD_NUMBER),
    ],
)
def test_what_cannot_be_read_has_a_reason(text, problem):
    reading = read_state(text)
    assert reading.value is None
    assert reading.problem is problem
