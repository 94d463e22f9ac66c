"""Actions, action spaces, outcomes, and an agent's claims, to and from the wire."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from contextlib import suppress

from google.protobuf import json_format
from google.protobuf.json_format import MessageToDict
from houseguest.agent.v1 import action_pb2, agent_pb2

from env_service.domain.action import Action, ActionSpace, Plan, SkillCall, Text, Unreadable
from env_service.domain.episode import Mode
from env_service.domain.outcome import Outcome
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.usage import Usage

MAX_ARGUMENTS = 256
"""Of one skill call; a call with more is an unparsable turn. No suite's skill has ten."""


def action_from_wire(
    message: action_pb2.Action, mode: Mode, *, max_bytes: int, max_plan_steps: int
) -> Action:
    """Reads an agent's action.

    What cannot be passed on becomes an Unreadable, which costs a turn. Raises ProtocolError
    ACTION_KIND_NOT_ALLOWED or PLAN_TOO_LONG.
    """
    kind = message.WhichOneof("kind")
    if kind == "skill" and mode is not Mode.ANSWER:
        fits = _fits(message.skill, max_bytes)
        return _skill_call(message.skill) if fits else _too_long(message, max_bytes)
    if kind == "text":
        # A quarter of the bytes is a lower bound on the length that needs no encoding.
        text = message.text
        if len(text) <= max_bytes // 4 or len(text.encode()) <= max_bytes:
            return Text(text)
        return _too_long(message, max_bytes)
    if kind == "plan" and mode is Mode.PLAN:
        if len(message.plan.steps) > max_plan_steps:
            raise ProtocolError(
                Reason.PLAN_TOO_LONG,
                f"The plan has {len(message.plan.steps)} steps; the limit is {max_plan_steps}.",
            )
        if not all(_fits(step, max_bytes) for step in message.plan.steps):
            return _too_long(message, max_bytes)
        return Plan(tuple(map(_skill_call, message.plan.steps)))
    if kind is None:
        return Unreadable("The action is empty: set skill, text or plan.", _digest(message))
    raise ProtocolError(
        Reason.ACTION_KIND_NOT_ALLOWED, f"A {kind} is not legal in mode {mode.name}."
    )


def action_to_wire(action: Action) -> action_pb2.Action:
    """Writes an action as the agent sent it; an Unreadable becomes an empty one."""
    match action:
        case SkillCall():
            return action_pb2.Action(skill=_skill_call_to_wire(action))
        case Text(text):
            return action_pb2.Action(text=text)
        case Plan(steps):
            plan = action_pb2.Plan(steps=map(_skill_call_to_wire, steps))
            return action_pb2.Action(plan=plan)
        case Unreadable():
            return action_pb2.Action()


def action_space_to_wire(space: ActionSpace) -> action_pb2.ActionSpace:
    """Writes an action space with its JSON Schema."""
    skills = [
        action_pb2.Skill(
            name=skill.name,
            description=skill.description,
            parameters=[
                action_pb2.Parameter(name=p.name, description=p.description, choices=p.choices)
                for p in skill.parameters
            ],
        )
        for skill in space.skills
    ]
    return action_pb2.ActionSpace(
        skills=skills, json_schema=space.json_schema(), answer_format=space.answer_format
    )


def outcomes_to_wire(disclosed: Iterable[Outcome]) -> list[action_pb2.ActionOutcome]:
    """Writes outcomes that disclosure has already reduced."""
    return [
        action_pb2.ActionOutcome(code=outcome.code.value, feedback=outcome.feedback)  # type: ignore[arg-type]
        for outcome in disclosed
    ]


def trace_record(
    trace: agent_pb2.Trace, max_bytes: int, max_prompt_bytes: int
) -> Mapping[str, object] | None:
    """What the transcript keeps of a trace: all of it, or a cut thought and a mark.

    It is cut where it is too long, names more model calls than are summed, or holds what
    JSON cannot. Its prompt has a separate limit: see ``prompt_record``. None for an empty trace.
    """
    if not trace.HasField("prompt"):
        return _said(trace, max_bytes)
    bare = agent_pb2.Trace()
    bare.CopyFrom(trace)
    bare.ClearField("prompt")
    prompt = prompt_record(trace.prompt, max_prompt_bytes)
    return {**(_said(bare, max_bytes) or {}), "prompt": prompt}


def _said(trace: agent_pb2.Trace, max_bytes: int) -> Mapping[str, object] | None:
    """The record of a trace without a prompt."""
    size = trace.ByteSize()
    if size == 0:
        return None
    if size <= max_bytes and len(trace.usage) <= MAX_CALLS:
        # A duration beyond protobuf's range, for one, has no JSON.
        with suppress(ValueError, json_format.Error):
            return MessageToDict(trace, preserving_proto_field_name=True)
    half = max_bytes // 8
    return {
        "cut_from_bytes": size,
        "thought": trace.thought[:half],
        "raw_model_output": trace.raw_model_output[:half],
    }


def prompt_record(prompt: agent_pb2.Prompt, max_bytes: int) -> Mapping[str, object]:
    """What the transcript keeps of a prompt: ``max_bytes`` of its texts, from the first on.

    ``cut_from_bytes`` marks a prompt of which something is missing.
    """
    room = _Room(max_bytes)
    record: dict[str, object] = {
        "messages": [
            {"role": room.fit(message.role), "parts": [_part(part, room) for part in message.parts]}
            for message in prompt.messages
        ],
        "parameters": {
            room.fit(name): room.fit(value) for name, value in sorted(prompt.parameters.items())
        },
    }
    return record if room.left >= 0 else {**record, "cut_from_bytes": prompt.ByteSize()}


class _Room:
    """Cuts texts where ``left`` bytes are used up. It is below 0 once something is cut."""

    def __init__(self, left: int) -> None:
        self.left = left

    def fit(self, text: str) -> str:
        data = text.encode()
        kept = data[: max(self.left, 0)]
        self.left -= len(data)
        return text if len(kept) == len(data) else kept.decode(errors="ignore")


def _part(part: agent_pb2.PromptPart, room: _Room) -> dict[str, str]:
    if part.WhichOneof("kind") != "picture":
        return {"text": room.fit(part.text)}
    picture = part.picture
    return {"picture": room.fit(picture.sha256), "media_type": room.fit(picture.media_type)}


def _fits(call: action_pb2.SkillCall, max_bytes: int) -> bool:
    """Whether names and values are few enough, and short enough together. The message itself is at
    least as long."""
    if len(call.arguments) > MAX_ARGUMENTS:
        return False
    if call.ByteSize() <= max_bytes:
        return True
    words = [call.name, *(word for pair in call.arguments for word in (pair.name, pair.value))]
    return sum(len(word.encode()) for word in words) <= max_bytes


def _skill_call(message: action_pb2.SkillCall) -> SkillCall:
    return SkillCall(
        message.name, tuple((argument.name, argument.value) for argument in message.arguments)
    )


def _skill_call_to_wire(call: SkillCall) -> action_pb2.SkillCall:
    arguments = [action_pb2.Argument(name=name, value=value) for name, value in call.arguments]
    return action_pb2.SkillCall(name=call.name, arguments=arguments)


def _too_long(message: action_pb2.Action, max_bytes: int) -> Unreadable:
    problem = (
        f"The action is {message.ByteSize()} bytes long; the limit is {max_bytes}, and"
        f" {MAX_ARGUMENTS} arguments for each skill."
    )
    return Unreadable(problem, _digest(message))


def _digest(message: action_pb2.Action) -> str:
    return hashlib.sha256(message.SerializeToString(deterministic=True)).hexdigest()


# --- What an agent says that its model used, from the wire: summed, and made harmless

MAX_CALLS = 256
"""Entries of a trace that are summed; the others are left out."""
MAX_TOKENS = 10**9
"""Of one call: a thousand times what models take in."""
MAX_IMAGES = 10**6
MAX_SECONDS = 30 * 24 * 3600.0
"""Of one call: as much as an agent may think."""
MAX_COST_USD = 1e6
"""Of one call."""


def usage_from_wire(trace: agent_pb2.Trace) -> Usage:
    """The sum of a trace's model calls; empty if it names none.

    A cost that is not a number or below 0, and a latency below 0, count as 0. Numbers above the
    bounds count as the bounds. Cached tokens count at most as many as were sent, reasoning tokens
    at most as many as were received.
    """
    return Usage.total(map(_call, trace.usage[:MAX_CALLS]))


def _call(call: agent_pb2.ModelUsage) -> Usage:
    sent = min(call.input_tokens, MAX_TOKENS)
    received = min(call.output_tokens, MAX_TOKENS)
    return Usage(
        calls=1,
        input_tokens=sent,
        output_tokens=received,
        cached_input_tokens=min(call.cached_input_tokens, sent),
        reasoning_tokens=min(call.reasoning_tokens, received),
        images=min(call.images, MAX_IMAGES),
        seconds=_bounded(call.latency.seconds + call.latency.nanos / 1e9, MAX_SECONDS),
        cost_usd=_bounded(call.cost_usd, MAX_COST_USD),
    )


def _bounded(value: float, most: float) -> float:
    """``value`` between 0 and ``most``, to the ninth decimal, as files hold it."""
    if math.isnan(value) or value <= 0:
        return 0.0
    return round(min(value, most), 9)
