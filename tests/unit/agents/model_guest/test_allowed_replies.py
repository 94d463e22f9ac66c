"""The schema that replies are held to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from houseguest_agent import Mode
from model_guest.allowed_replies import list_candidates, reply_schema
from model_guest.answers.reader import AnswerForm, Form

from tests.unit.agents.model_guest.episodes import SKILLS, space

FORM = AnswerForm(Form.JSON, ("thought", "plan", "memory"))


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from nodes(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from nodes(value)


@pytest.mark.parametrize("mode", [Mode.STEPWISE, Mode.PLAN, Mode.ANSWER])
def test_it_keeps_to_what_strict_decoders_take(mode: Mode) -> None:
    schema = reply_schema(space(), mode, FORM)
    assert schema is not None
    assert schema["type"] == "object"
    for node in nodes(schema):
        assert "oneOf" not in node
        assert "$schema" not in node
        if node.get("type") == "object":
            assert node["required"] == list(node["properties"])
            assert node["additionalProperties"] is False


def test_fields_stand_before_the_action() -> None:
    schema = reply_schema(space(), Mode.STEPWISE, FORM)
    assert schema is not None
    assert list(schema["properties"]) == ["thought", "plan", "memory", "action"]


def test_skills_with_equal_arguments_share_an_alternative() -> None:
    schema = reply_schema(space(), Mode.STEPWISE, FORM)
    assert schema is not None
    alternatives = schema["properties"]["action"]["anyOf"]
    names = [each["properties"]["skill"]["enum"] for each in alternatives]
    assert names == [["forward", "left"], ["pickup"], ["put"]]
    assert alternatives[1]["properties"]["arguments"]["properties"]["object"]["enum"] == [
        "mug",
        "red key",
    ]


def test_skills_without_arguments_need_no_union() -> None:
    schema = reply_schema(space(SKILLS[:2]), Mode.STEPWISE, AnswerForm(endings=("done",)))
    assert schema is not None
    action = schema["properties"]["action"]
    assert action["properties"] == {
        "skill": {"type": "string", "enum": ["forward", "left", "done"]}
    }


def test_none_where_no_json_is_asked_for_or_nothing_is_described() -> None:
    assert reply_schema(space(), Mode.STEPWISE, AnswerForm(Form.WORDS)) is None
    assert reply_schema(space(()), Mode.STEPWISE, FORM) is None


def test_candidates_are_every_legal_call() -> None:
    listed = list_candidates(space(SKILLS[:3]), AnswerForm(Form.CALL, marker="Action:"))
    assert list(listed) == [
        "Action: forward",
        "Action: left",
        "Action: pickup(mug)",
        "Action: pickup(red key)",
    ]
    assert '{"action": {"skill": "forward"}}' in list_candidates(space(SKILLS[:3]), FORM)


def test_free_text_cannot_be_listed() -> None:
    assert list_candidates(space(), FORM) == {}
