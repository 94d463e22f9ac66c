"""Prompts are stored as differences, and can be put together again."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from env_service.domain.data_node import FormatError
from env_service.results.prompts import MOST_CHARACTERS, PromptReader, PromptShortener

Prompt = dict[str, Any]
LONG = 100_000

words = st.text("ab🏠", max_size=40).map(lambda text: text * 3)
parts = st.one_of(
    words.map(lambda text: {"text": text}),
    st.sampled_from("01").map(lambda digest: {"picture": digest * 64, "media_type": "image/png"}),
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "parts": st.lists(parts, max_size=3)}
)
prompts = st.fixed_dictionaries(
    {
        "messages": st.lists(messages, max_size=4),
        "parameters": st.dictionaries(st.sampled_from("abc"), st.sampled_from(["1", "2"])),
    }
)


def said(role: str, *texts: str) -> Prompt:
    return {"role": role, "parts": [{"text": text} for text in texts]}


def asked(*messages: Prompt, **parameters: str) -> Prompt:
    return {"messages": list(messages), "parameters": parameters}


def chat(turns: int, window: int) -> Prompt:
    """The request of a turn that shows the turns before it, as agents write it."""
    first = max(0, turns - window)
    shown: list[Prompt] = [said("system", "You are at home. " * 100)]
    for turn in range(first, turns):
        shown += [
            said("user", f"turn {turn}: you see a room. " * 10),
            said("assistant", "go " * 20),
        ]
    now = f"turn {turns}: you see a room. " * 10 + "What do you do?"
    return asked(*shown, said("user", now), model='"m"', seed=str(turns))


def one_message(turns: int) -> Prompt:
    past = "".join(f"In turn {turn} you walked on. " * 10 for turn in range(turns))
    return asked(said("user", f"Find the mug. {past}What do you do in turn {turns}?"))


def stored(requests: list[Prompt]) -> list[Prompt]:
    shortener = PromptShortener()
    return [shortener.shorten(each) for each in requests]


@given(st.lists(prompts, max_size=6))
def test_what_was_stored_can_be_read(requests: list[Prompt]) -> None:
    written = json.loads(json.dumps(stored(requests)))
    reader = PromptReader()
    assert [reader.read(each) for each in written] == requests


@pytest.mark.parametrize(
    "requests",
    [
        [chat(turn, 1000) for turn in range(100)],
        [chat(turn, 5) for turn in range(100)],
        [one_message(turn) for turn in range(100)],
    ],
    ids=["whole history", "window", "one message"],
)
def test_a_history_is_stored_once_and_not_again_in_each_step(requests: list[Prompt]) -> None:
    sizes = [len(json.dumps(each)) for each in stored(requests)]
    assert max(sizes[1:]) < 1000
    reader = PromptReader()
    assert [reader.read(each) for each in stored(requests)] == requests


def test_a_transcript_has_room_for_so_many_prompts_and_leaves_out_the_others() -> None:
    shortener = PromptShortener(most_bytes=400)
    first, large, last = asked(said("user", "a" * 100)), asked(said("user", "b" * 1000)), asked()
    written = [shortener.shorten(each) for each in (first, large, last)]
    assert written[1] == {"left_out": True}
    reader = PromptReader()
    assert [reader.read(each) for each in written] == [first, None, last]


@pytest.mark.parametrize(
    "broken",
    [
        "a text",
        {},
        {"messages": [{"same": [0, 9]}], "parameters": {}},
        {"messages": [{"same": [-1, 1]}], "parameters": {}},
        {"messages": [{"role": "user", "begins": [7, 0, 1], "parts": []}], "parameters": {}},
        {
            "messages": [{"role": "user", "begins": [0, 0, LONG + 1], "parts": [{"text": ""}]}],
            "parameters": {},
        },
        {"messages": [{"role": "user", "begins": [0, 2, 0], "parts": []}], "parameters": {}},
        {"messages": [{"same": [0, 1]}] * (MOST_CHARACTERS // LONG + 1), "parameters": {}},
    ],
    ids=["text", "empty", "too many", "below 0", "message", "characters", "parts", "too long"],
)
def test_a_changed_transcript_is_an_error_and_never_a_wrong_prompt(broken: Any) -> None:
    reader = PromptReader()
    reader.read(asked(said("user", "a" * LONG)))
    with pytest.raises(FormatError, match="the prompt cannot be read"):
        reader.read(broken)
