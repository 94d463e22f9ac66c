import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.suites.babyai.wording import parse_action
from env_service.worlds.babyai.actions import ACTIONS


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("left", "left"),
        ("  Right\n", "right"),
        ("FORWARD.", "forward"),
        ("`pickup`", "pickup"),
        ("**drop**", "drop"),
        ('"toggle"!', "toggle"),
        ("“left”", "left"),
        ("Action: left", "left"),
        ("action:forward", "forward"),
        ("**Action:** `toggle`.", "toggle"),
        ("The door is ahead, so I open it.\n\nAction: toggle", "toggle"),
        ("left would be wrong.\nACTION: Right\n\n", "right"),
    ],
)
def test_an_action_is_read_from_words(text, action):
    assert parse_action(text) == action


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        "...",
        "done",
        "pick up",
        "turn left",
        "left right",
        "left, forward",
        "I go left",
        "Action: left and right",
        "Action: jump",
        "Action:",
        "Next action: left",
        "Action: left\nThen I will see.",
        '{"skill": "left"}',
    ],
)
def test_anything_else_is_not_understood(text):
    assert parse_action(text) is None


@given(st.text())
def test_no_text_makes_the_parser_fail(text):
    assert parse_action(text) in (*ACTIONS, None)


@given(st.text(), st.sampled_from(ACTIONS))
def test_a_last_line_with_the_label_is_always_understood(reasoning, action):
    assert parse_action(f"{reasoning}\nAction: {action}") == action
