"""A model as a judge, and how far two judges agree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from env_service.chat.asking import ReplyError
from env_service.chat.client import Message
from env_service.suites.alfred.judging.log_cases import read_episodes
from env_service.suites.alfred.judging.model_classifier import (
    agreement,
    classify,
    read_reply,
    recording,
)

_LOG = """\
pick_and_place_simple-SoapBar-None-Cart-401
Task: To place the soap on the rack.
1. find a soap bar
2. pick up the soap bar
3. find a rack
Cannot find Rack
4. done
success: False
"""


@pytest.mark.parametrize(
    ("reply", "types"),
    [
        ('<ANALYSIS>{"explanation": "rack", "types": [1]}</ANALYSIS>', (1,)),
        ('I think so.\n<analysis>\n{"types": [3, 2, 2]}\n</analysis> Done.', (2, 3)),
        ('<ANALYSIS>```json\n{"Failure Types": ["2", "Type 3"]}\n```', (2, 3)),
        ('{"steps": [{"a": 1}], "failure_types": 1}', (1,)),
        ('first {"types": [1]} then {"types": [2]}', (2,)),
        ('{broken {"type": "2: action failure"}', (2,)),
    ],
)
def test_an_analysis_is_found_in_a_reply(reply: str, types: tuple[int, ...]) -> None:
    assert read_reply(reply).types == types


@pytest.mark.parametrize(
    "reply", ["", "type 2", "<ANALYSIS></ANALYSIS>", '{"types": []}', '{"types": [4]}', "{" * 3000]
)
def test_a_reply_without_types_is_told(reply: str) -> None:
    with pytest.raises(ReplyError, match="no JSON object"):
        read_reply(reply)


def test_a_model_is_shown_the_recording_and_asked_again_where_it_cannot_be_read() -> None:
    (episode,) = read_episodes(_LOG, "a.log")
    seen: list[Sequence[Message]] = []

    def ask(messages: Sequence[Message]) -> str:
        seen.append(messages)
        return "no idea" if len(seen) == 1 else '<ANALYSIS>{"types": [1, 2]}</ANALYSIS>'

    assert classify(episode, ask).types == (1, 2)
    assert "3. find a rack\n   robot: Cannot find Rack" in seen[0][1].text
    assert [message.role for message in seen[1]] == ["system", "user", "assistant", "user"]


def test_a_model_that_never_answers_well_is_told() -> None:
    (episode,) = read_episodes(_LOG, "a.log")

    with pytest.raises(ReplyError):
        classify(episode, lambda _: "no idea")


def test_the_recording_tells_the_goal() -> None:
    (episode,) = read_episodes(_LOG, "a.log")

    assert '"parent": "Cart"' in recording(episode)
    assert recording(episode).endswith("Success: false")


def test_agreement_is_counted_type_by_type() -> None:
    ours = [(1,), (2,), (2, 3), (3,)]
    theirs = [(1,), (2,), (3,), (2, 3)]

    one, two, three = agreement(ours, theirs)

    assert (one.both, one.neither, one.kappa) == (1, 3, 1.0)
    assert (two.both, two.first, two.second, two.rate) == (1, 1, 1, 0.5)
    assert two.kappa == pytest.approx(0.0)
    assert three.rate == 1.0


def test_agreement_beyond_chance_is_undefined_where_there_is_no_choice() -> None:
    assert agreement([(2,)], [(2,)])[1].kappa is None
    with pytest.raises(ValueError, match="cannot be compared"):
        agreement([], [])
