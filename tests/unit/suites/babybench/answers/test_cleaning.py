import pytest

from env_service.suites.babybench.answers.readings import clean, drop_thoughts


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("a<think>b</think>c", "a\nc"),
        ("<Thinking>b</THINKING>c", "\nc"),
        ("b</think>c", "c"),
        ("a<think>b", "a"),
        ("<think>a<think>b</think>c</think>d", "\nd"),
        ("a < b", "a < b"),
    ],
)
def test_thoughts_are_dropped(text, spoken):
    assert drop_thoughts(text) == spoken


def test_typographic_characters_become_plain():
    assert clean("**the agent’s** `state`\u00a0is：（3，4） − 1\r\nend") == (
        "the agent's state is:(3,4) - 1\nend"
    )


def test_fences_go_with_their_language():
    assert clean("```json\nleft\n```").strip() == "left"
