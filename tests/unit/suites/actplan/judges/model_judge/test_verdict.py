"""What a model says of a plan, read with patience."""

from __future__ import annotations

import json

import pytest

from env_service.chat.asking import ReplyError
from env_service.suites.actplan.judges.judgement import ErrorClass
from env_service.suites.actplan.judges.model_judge import CERTAIN, read_verdict

WRONG = {"explanation": "why", "correct": False, "probability": 20, "errors": ["missing_actions"]}


def test_a_plain_verdict_is_read() -> None:
    found = read_verdict(f"Let me see.\n<VERDICT>{json.dumps(WRONG)}</VERDICT>")
    assert (found.correct, found.probability, found.explanation) == (False, 0.2, "why")
    assert found.errors == (ErrorClass.MISSING_ACTIONS,)


@pytest.mark.parametrize(
    "reply",
    [
        '{"correct": "yes", "probability": "80 %"}',
        '```json\n{"correct": true, "probability": 80.0}\n```',
        '<think>{"correct": false}</think><verdict>{"Correct": true, "Probability": 80}',
        '{"correct": false} No, wait. {"verdict": "correct", "probability": 80}',
        '{"steps": {"a": 1}} then {"correct": true, "probability": 80, "note": {"x": {}}}',
    ],
)
def test_other_ways_of_saying_it_are_read(reply: str) -> None:
    found = read_verdict(reply)
    assert (found.correct, found.probability) == (True, 0.8)


@pytest.mark.parametrize("probability", ["", "perhaps", 400, -3, None, True])
def test_without_a_probability_the_answer_is_certain(probability: object) -> None:
    said = json.dumps({"correct": True, "probability": probability})
    assert read_verdict(said).probability == CERTAIN
    assert read_verdict('{"correct": false}').probability == pytest.approx(1 - CERTAIN)


def test_a_probability_is_kept_from_the_ends() -> None:
    assert read_verdict('{"correct": true, "probability": 100}').probability == CERTAIN


def test_classes_that_cannot_be_are_left_out() -> None:
    said = json.dumps({"correct": False, "errors": ["Image understanding", "extra-tools", "?"]})
    without = [each for each in ErrorClass if each is not ErrorClass.IMAGE_UNDERSTANDING]
    assert read_verdict(said, without).errors == (ErrorClass.EXTRA_TOOLS,)
    assert len(read_verdict(said).errors) == 2


def test_a_correct_plan_has_no_errors() -> None:
    assert read_verdict('{"correct": true, "errors": ["extra_tools"]}').errors == ()


@pytest.mark.parametrize(
    "reply", ["", "It is correct.", "{", '{"correct": "maybe"}', "[1, 2]", "{" * 5000, "null"]
)
def test_what_is_no_verdict_is_told(reply: str) -> None:
    with pytest.raises(ReplyError, match="no JSON object"):
        read_verdict(reply)
