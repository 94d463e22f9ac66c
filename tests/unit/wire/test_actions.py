"""Actions cross the wire unchanged, or become a turn that costs, or are refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from houseguest.agent.v1 import action_pb2, agent_pb2
from hypothesis import given, settings
from hypothesis import strategies as st

from env_service.domain.action import (
    Action,
    ActionSpace,
    Parameter,
    Plan,
    Skill,
    SkillCall,
    Text,
    Unreadable,
)
from env_service.domain.episode import Mode
from env_service.domain.outcome import Outcome, OutcomeCode
from env_service.domain.reasons import ProtocolError, Reason
from env_service.wire.actions import (
    action_from_wire,
    action_space_to_wire,
    action_to_wire,
    outcomes_to_wire,
    trace_record,
)

MAX_BYTES, MAX_STEPS = 100, 3
SKILLS = (
    Skill("wait", "Waits."),
    Skill(
        "put",
        "Puts a thing somewhere.",
        (Parameter("thing", "What."), Parameter("where", "Where to.", ("shelf", "floor"))),
    ),
)
CALLS = st.builds(
    SkillCall, st.text(), st.lists(st.tuples(st.text(), st.text()), max_size=4).map(tuple)
)
PLANS = st.lists(CALLS, max_size=4).map(lambda steps: Plan(tuple(steps)))


def read(message: action_pb2.Action, mode: Mode = Mode.STEPWISE) -> Action:
    return action_from_wire(message, mode, max_bytes=MAX_BYTES, max_plan_steps=MAX_STEPS)


def plan_of(*calls: action_pb2.SkillCall) -> action_pb2.Action:
    return action_pb2.Action(plan=action_pb2.Plan(steps=calls))


def call_of(size: int) -> action_pb2.SkillCall:
    """A call whose names and values have about ``size`` bytes."""
    argument = action_pb2.Argument(name="a", value="v" * size)
    return action_pb2.SkillCall(name="go", arguments=[argument])


@pytest.mark.parametrize("mode", Mode)
class TestModes:
    def test_words_are_legal_everywhere(self, mode: Mode) -> None:
        assert read(action_pb2.Action(text="go on"), mode) == Text("go on")

    def test_no_words_are_words_too(self, mode: Mode) -> None:
        assert read(action_pb2.Action(text=""), mode) == Text("")

    def test_a_skill_is_legal_unless_an_answer_is_asked_for(self, mode: Mode) -> None:
        message = action_pb2.Action(skill=call_of(3))
        if mode is Mode.ANSWER:
            refused(Reason.ACTION_KIND_NOT_ALLOWED, message, mode)
        else:
            assert read(message, mode) == SkillCall("go", (("a", "vvv"),))

    def test_a_plan_is_legal_where_a_plan_is_asked_for(self, mode: Mode) -> None:
        message = plan_of(action_pb2.SkillCall(name="go"))
        if mode is Mode.PLAN:
            assert read(message, mode) == Plan((SkillCall("go"),))
        else:
            refused(Reason.ACTION_KIND_NOT_ALLOWED, message, mode)

    def test_nothing_costs_a_turn(self, mode: Mode) -> None:
        action = read(action_pb2.Action(), mode)
        assert isinstance(action, Unreadable)
        assert "empty" in action.problem


def refused(reason: Reason, message: action_pb2.Action, mode: Mode) -> None:
    with pytest.raises(ProtocolError) as caught:
        read(message, mode)
    assert caught.value.reason is reason


class TestSizes:
    @pytest.mark.parametrize("letter", ["x", "ä", "€", "🏠"])
    def test_text_is_measured_in_bytes(self, letter: str) -> None:
        most = letter * (MAX_BYTES // len(letter.encode()))
        assert read(action_pb2.Action(text=most)) == Text(most)
        assert isinstance(read(action_pb2.Action(text=most + letter)), Unreadable)

    def test_a_long_skill_call_costs_a_turn(self) -> None:
        assert isinstance(read(action_pb2.Action(skill=call_of(MAX_BYTES // 2))), SkillCall)
        action = read(action_pb2.Action(skill=call_of(MAX_BYTES + 1)))
        assert isinstance(action, Unreadable)
        assert f"the limit is {MAX_BYTES}" in action.problem

    def test_one_long_step_makes_the_plan_unreadable(self) -> None:
        plan = plan_of(call_of(1), call_of(MAX_BYTES + 1))
        assert isinstance(read(plan, Mode.PLAN), Unreadable)

    def test_a_plan_may_be_as_long_as_the_limit_and_no_longer(self) -> None:
        step = call_of(MAX_BYTES // 2)
        plan = read(plan_of(*[step] * MAX_STEPS), Mode.PLAN)
        assert isinstance(plan, Plan)
        assert len(plan.steps) == MAX_STEPS
        refused(Reason.PLAN_TOO_LONG, plan_of(*[step] * (MAX_STEPS + 1)), Mode.PLAN)

    def test_an_empty_plan_is_legal(self) -> None:
        assert read(plan_of(), Mode.PLAN) == Plan(())

    def test_unreadable_actions_are_equal_only_if_their_bytes_are(self) -> None:
        long, longer = "x" * (MAX_BYTES + 1), "x" * MAX_BYTES + "y"
        assert read(action_pb2.Action(text=long)) == read(action_pb2.Action(text=long))
        assert read(action_pb2.Action(text=long)) != read(action_pb2.Action(text=longer))


@settings(deadline=None)
@given(st.one_of(CALLS, PLANS, st.builds(Text, st.text())))
def test_what_is_written_is_read_again(action: Action) -> None:
    data = action_to_wire(action).SerializeToString()
    message = action_pb2.Action.FromString(data)
    assert action_from_wire(message, Mode.PLAN, max_bytes=2**20, max_plan_steps=4) == action


def test_an_unreadable_action_is_not_told_again() -> None:
    assert action_to_wire(Unreadable("too long", "00")) == action_pb2.Action()


def test_outcomes_keep_their_order_and_words() -> None:
    told = [Outcome(OutcomeCode.SUCCEEDED), Outcome(OutcomeCode.UNKNOWN_OBJECT, "no mug")]
    assert outcomes_to_wire(told) == [
        action_pb2.ActionOutcome(code=action_pb2.OUTCOME_CODE_SUCCEEDED),
        action_pb2.ActionOutcome(code=action_pb2.OUTCOME_CODE_UNKNOWN_OBJECT, feedback="no mug"),
    ]


class TestActionSpace:
    def test_skills_are_told_with_their_parameters(self) -> None:
        wait, put = action_space_to_wire(ActionSpace(SKILLS)).skills
        assert (wait.name, wait.description, len(wait.parameters)) == ("wait", "Waits.", 0)
        thing, where = put.parameters
        assert (thing.name, thing.description, list(thing.choices)) == ("thing", "What.", [])
        assert list(where.choices) == ["shelf", "floor"]

    def test_an_answer_has_a_format_and_no_schema(self) -> None:
        space = action_space_to_wire(ActionSpace(answer_format="A number."))
        assert (space.answer_format, space.json_schema, len(space.skills)) == ("A number.", "", 0)

    @pytest.mark.parametrize(
        ("call", "valid"),
        [
            ({"skill": "wait"}, True),
            ({"skill": "wait", "arguments": {}}, True),
            ({"skill": "put", "arguments": {"thing": "mug", "where": "floor"}}, True),
            ({"skill": "put", "arguments": {"thing": "mug", "where": "roof"}}, False),
            ({"skill": "put", "arguments": {"thing": "mug"}}, False),
            ({"skill": "put", "arguments": {"thing": 3, "where": "floor"}}, False),
            ({"skill": "put"}, False),
            ({"skill": "wait", "arguments": {"long": "yes"}}, False),
            ({"skill": "fly"}, False),
            ({"skill": "wait", "why": "because"}, False),
            ({"arguments": {}}, False),
            ("wait", False),
        ],
    )
    def test_the_schema_admits_exactly_the_calls_that_fit(self, call: object, valid: bool) -> None:
        schema = json.loads(action_space_to_wire(ActionSpace(SKILLS)).json_schema)
        assert schema.pop("$schema") == "https://json-schema.org/draft/2020-12/schema"
        assert admits(schema, call) is valid


def admits(schema: dict[str, Any], value: object) -> bool:
    """JSON Schema, as far as an action space uses it; raises KeyError for any other keyword."""
    fields: dict[str, Any] = value if isinstance(value, dict) else {}
    properties: dict[str, Any] = schema.get("properties", {})
    checks: dict[str, Callable[[Any], bool]] = {
        "oneOf": lambda branches: sum(admits(branch, value) for branch in branches) == 1,
        "type": lambda name: isinstance(value, {"object": dict, "string": str}[name]),
        "const": lambda wanted: value == wanted,
        "enum": lambda choices: value in choices,
        "required": lambda names: set(names) <= set(fields),
        "properties": lambda known: all(
            admits(known[name], fields[name]) for name in known if name in fields
        ),
        "additionalProperties": lambda allowed: allowed or set(fields) <= set(properties),
        "description": lambda text: isinstance(text, str),
    }
    return all(checks[keyword](argument) for keyword, argument in schema.items())


class TestTraces:
    def test_an_empty_trace_leaves_nothing(self) -> None:
        assert trace_record(agent_pb2.Trace(), 1000, 1000) is None

    def test_a_small_trace_is_kept_whole(self) -> None:
        usage = agent_pb2.ModelUsage(model="m", input_tokens=7, latency=Duration(seconds=2))
        trace = agent_pb2.Trace(thought="left", plan_length=3, usage=[usage])
        kept = {"model": "m", "input_tokens": "7", "latency": "2s"}
        assert trace_record(trace, 1000, 1000) == {
            "thought": "left",
            "plan_length": 3,
            "usage": [kept],
        }

    @pytest.mark.parametrize("letter", ["x", "ä", "🏠"])
    def test_a_large_trace_is_cut_and_says_so(self, letter: str) -> None:
        trace = agent_pb2.Trace(thought=letter * 5000, raw_model_output=letter * 5000)
        record = trace_record(trace, 1000, 1000)
        assert record is not None
        assert record["cut_from_bytes"] == trace.ByteSize()
        words = [str(record[name]) for name in ("thought", "raw_model_output")]
        assert all(len(kept) > 0 and trace.thought.startswith(kept) for kept in words)
        assert len("".join(words).encode()) <= 1000
        json.dumps(record)

    def test_a_prompt_is_kept_whole_and_costs_the_trace_nothing(self) -> None:
        prompt = asked("x" * 900)
        record = trace_record(agent_pb2.Trace(thought="t" * 900, prompt=prompt), 1000, 1000)
        assert record == {
            "thought": "t" * 900,
            "prompt": {
                "messages": [
                    {
                        "role": "user",
                        "parts": [
                            {"text": "x" * 900},
                            {"picture": "ab", "media_type": "image/png"},
                        ],
                    }
                ],
                "parameters": {"temperature": "0.5"},
            },
        }

    @pytest.mark.parametrize("letter", ["x", "ä", "🏠"])
    def test_a_large_prompt_is_cut_and_says_so(self, letter: str) -> None:
        prompt = asked(letter * 5000)
        record = trace_record(agent_pb2.Trace(thought="t", prompt=prompt), 1000, 1000)
        assert record is not None
        assert record["thought"] == "t"
        kept: Any = record["prompt"]
        assert kept["cut_from_bytes"] == prompt.ByteSize()
        text = kept["messages"][0]["parts"][0]["text"]
        assert len(text) > 200
        assert (letter * 5000).startswith(text)
        assert len(text.encode()) <= 1000


def asked(text: str) -> agent_pb2.Prompt:
    picture = agent_pb2.PromptPicture(sha256="ab", media_type="image/png")
    parts = [agent_pb2.PromptPart(text=text), agent_pb2.PromptPart(picture=picture)]
    message = agent_pb2.PromptMessage(role="user", parts=parts)
    return agent_pb2.Prompt(messages=[message], parameters={"temperature": "0.5"})
