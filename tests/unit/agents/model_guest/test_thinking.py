"""Thinking and answer, told apart."""

from __future__ import annotations

import pytest
from model_guest.answers.reader import Spoken, split_thinking


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("just an answer", Spoken("", "just an answer")),
        ("<think>a</think>b", Spoken("a", "b")),
        ("<Thinking>a</Thinking>\n\nb", Spoken("a", "b")),
        ("a</think>b", Spoken("a", "b")),
        ("<think>a</think>b<think>c</think>d", Spoken("a\nc", "bd")),
        ("<think>a<think>b</think>c", Spoken("a<think>b", "c")),
        ("<think>a", Spoken("a", "", unclosed=True)),
        ("b<think>a", Spoken("a", "b", unclosed=True)),
        ("<think></think>b", Spoken("", "b")),
        ("a b </think> c </think> d", Spoken("a b\nc", "d")),
        ("<|channel|>analysis<|message|>a", Spoken("a", "", unclosed=True)),
        ("<|channel|>final <|constrain|>json<|message|>b", Spoken("", "b")),
    ],
)
def test_split(text: str, spoken: Spoken) -> None:
    assert split_thinking(text) == spoken
