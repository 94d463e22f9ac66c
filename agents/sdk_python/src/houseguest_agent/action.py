"""Actions: what an agent may do, and what it sends, with the trace of its decision."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from google.protobuf.duration_pb2 import Duration
from houseguest.agent.v1 import action_pb2, agent_pb2

from .prompt import Prompt


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a skill. Empty ``choices`` mean free text."""

    name: str
    description: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Skill:
    """One thing an agent can do. ``parameters`` are in the order of a call's arguments."""

    name: str
    description: str
    parameters: tuple[Parameter, ...] = ()


@dataclass(frozen=True, slots=True)
class ActionSpace:
    """Everything an agent may do in an episode.

    Attributes:
        skills: The skills on offer; empty exactly when the episode is answered in words.
        json_schema: Describes one skill call as ``{"skill": name, "arguments": {…}}``, ready for
            tool calling; empty exactly when ``skills`` is.
        answer_format: The required form of the answer, if the episode is answered in words.
    """

    skills: tuple[Skill, ...] = ()
    json_schema: str = ""
    answer_format: str = ""

    @property
    def schema(self) -> dict[str, Any]:
        """``json_schema``, parsed; empty without skills."""
        return dict(json.loads(self.json_schema)) if self.json_schema else {}

    def skill(self, name: str) -> Skill | None:
        """The skill of that name; None if there is none."""
        return next((skill for skill in self.skills if skill.name == name), None)

    @classmethod
    def from_proto(cls, message: action_pb2.ActionSpace) -> ActionSpace:
        """Reads the action space of an episode message."""
        skills = (
            Skill(
                skill.name,
                skill.description,
                tuple(
                    Parameter(parameter.name, parameter.description, tuple(parameter.choices))
                    for parameter in skill.parameters
                ),
            )
            for skill in message.skills
        )
        return cls(tuple(skills), message.json_schema, message.answer_format)


@dataclass(frozen=True, slots=True)
class SkillCall:
    """One use of a skill: ``SkillCall("pickup", {"object": "mug"})``."""

    name: str
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Text:
    """The agent's own words, for the service to parse by the suite's rules."""

    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Skill calls to execute in order."""

    steps: tuple[SkillCall, ...]


Action = SkillCall | Text | Plan


def encode_action(action: Action, space: ActionSpace) -> action_pb2.Action:
    """The action as a protobuf message.

    Arguments are in the order of the skill's parameters, followed by any others in the order
    given. This checks nothing: an invalid call costs the same for every agent, and the service
    reports what is wrong.
    """
    if isinstance(action, SkillCall):
        return action_pb2.Action(skill=_encode_call(action, space))
    if isinstance(action, Text):
        return action_pb2.Action(text=action.text)
    steps = (_encode_call(step, space) for step in action.steps)
    return action_pb2.Action(plan=action_pb2.Plan(steps=steps))


def decode_action(message: action_pb2.Action) -> Action:
    """Reads an earlier action. An action that the service omitted becomes an empty text."""
    kind = message.WhichOneof("kind")
    if kind == "skill":
        return _decode_call(message.skill)
    if kind == "plan":
        return Plan(tuple(map(_decode_call, message.plan.steps)))
    return Text(message.text)


def as_calls(steps: Iterable[SkillCall | str]) -> tuple[SkillCall, ...]:
    """Reads bare names as calls without arguments."""
    return tuple(SkillCall(step) if isinstance(step, str) else step for step in steps)


def _encode_call(call: SkillCall, space: ActionSpace) -> action_pb2.SkillCall:
    message = action_pb2.SkillCall(name=call.name)
    if call.arguments:
        skill = space.skill(call.name)
        known = [parameter.name for parameter in skill.parameters] if skill else []
        names = [name for name in known if name in call.arguments]
        names += [name for name in call.arguments if name not in known]
        for name in names:
            message.arguments.add(name=name, value=str(call.arguments[name]))
    return message


def _decode_call(message: action_pb2.SkillCall) -> SkillCall:
    return SkillCall(message.name, {each.name: each.value for each in message.arguments})


# --- Traces: an agent's record of a decision


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """One call of a model. Counts include cached input and reasoning output tokens.

    ``latency`` is in seconds, from the request to the full reply; ``cost_usd`` is in US dollars.
    """

    model: str
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    images: int = 0
    latency: float = 0.0
    cost_usd: float = 0.0

    def to_proto(self) -> agent_pb2.ModelUsage:
        """The usage as a protobuf message."""
        latency = Duration()
        latency.FromNanoseconds(round(self.latency * 1e9))
        return agent_pb2.ModelUsage(
            model=self.model,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_input_tokens=self.cached_input_tokens,
            reasoning_tokens=self.reasoning_tokens,
            images=self.images,
            latency=latency,
            cost_usd=self.cost_usd,
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """Why an agent acts as it does.

    ``raw_model_output`` is the model's reply before an action was parsed from it; ``plan_length``
    is how many actions are planned ahead, or 0. ``prompt`` is the request that the reply answers;
    it is sent if the service offers Feature.PROMPT.
    """

    thought: str = ""
    raw_model_output: str = ""
    plan_length: int = 0
    usage: tuple[ModelUsage, ...] = ()
    prompt: Prompt | None = None

    def to_proto(self) -> agent_pb2.Trace:
        """The trace as a protobuf message."""
        return agent_pb2.Trace(
            thought=self.thought,
            raw_model_output=self.raw_model_output,
            plan_length=self.plan_length,
            usage=[usage.to_proto() for usage in self.usage],
            prompt=self.prompt.to_proto() if self.prompt else None,
        )


def encode_trace(trace: Trace | str | None, *, prompts: bool = False) -> agent_pb2.Trace | None:
    """The trace as a protobuf message; a string is a thought. Without ``prompts`` it has none."""
    if trace is None:
        return None
    if isinstance(trace, str):
        return Trace(trace).to_proto()
    return (trace if prompts else replace(trace, prompt=None)).to_proto()
