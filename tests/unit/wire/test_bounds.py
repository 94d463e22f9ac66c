"""Every number, list and text of a request has a bound, and is held to it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from houseguest.agent.v1 import agent_pb2, observation_pb2
from houseguest.control.v1 import control_pb2

from env_service.domain import run_bounds as most
from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.environment_service import RunRequest
from env_service.wire.bounds import (
    BOUNDS,
    Applied,
    Bound,
    BoundError,
    Entries,
    Number,
    Text,
    bounded,
    check,
    check_values,
)

PAGE = Path(__file__).parents[3] / "docs" / "protocol.md"
SERVICES = [
    agent_pb2.DESCRIPTOR.services_by_name["AgentService"],
    control_pb2.DESCRIPTOR.services_by_name["ControlService"],
]


def requests() -> dict[str, Descriptor]:
    """Every message that a request of either service can hold, by its full name."""
    found: dict[str, Descriptor] = {}
    waiting = [method.input_type for service in SERVICES for method in service.methods]
    while waiting:
        message = waiting.pop()
        if message.full_name.startswith("houseguest.") and message.full_name not in found:
            found[message.full_name] = message
            waiting += [
                field.message_type
                for field in message.fields
                if field.message_type is not None and not field.message_type.GetOptions().map_entry
            ]
    return found


FIELDS = [field for message in requests().values() for field in bounded(message)]
CHECKED = [
    field
    for field in FIELDS
    if not isinstance(BOUNDS[field.containing_type.full_name][field.name], Applied)
]


def named(field: FieldDescriptor) -> str:
    return f"{field.containing_type.name}.{field.name}"


@pytest.mark.parametrize("field", FIELDS, ids=named)
def test_every_field_of_a_request_has_a_bound_that_the_documentation_tells(
    field: FieldDescriptor,
) -> None:
    message = field.containing_type
    bound = BOUNDS[message.full_name][field.name]
    row = f"| [{message.name}](#{message.full_name}) | `{field.name}` | {bound} |"
    assert row in PAGE.read_text(encoding="utf-8"), "run `make docs`"


def test_no_bound_is_of_a_field_that_is_not_there() -> None:
    told = {(name, field) for name, fields in BOUNDS.items() for field in fields}
    assert told == {(field.containing_type.full_name, field.name) for field in FIELDS}


def test_the_walk_finds_every_kind_of_field() -> None:
    found = {named(field) for field in FIELDS}
    assert {"CreateRunRequest.condition", "CreateRunRequest.time_budget"} <= found
    assert {"ImageRequest.encodings", "Argument.value", "EndEpisodeRequest.reason"} <= found
    assert "ObservationRequest.text" not in found, "a bool needs none"
    assert "StepRequest.action" not in found, "a message has none of its own"


@pytest.mark.parametrize("field", CHECKED, ids=named)
def test_a_value_at_its_bound_is_taken_and_one_beyond_is_refused_by_name(
    field: FieldDescriptor,
) -> None:
    bound = BOUNDS[field.containing_type.full_name][field.name]
    for value in within(bound, field):
        check(request_with(field, value))
    create = field.containing_type.name in ("CreateRunRequest", "CreatePracticeRequest")
    for value, said in beyond(bound, field):
        with pytest.raises(ProtocolError) as caught:
            check(request_with(field, value))
        assert caught.value.reason is (Reason.BAD_RUN if create else Reason.MALFORMED_REQUEST)
        assert field.name in str(caught.value)
        assert said in str(caught.value)


def within(bound: Bound, field: FieldDescriptor) -> Iterator[Any]:
    """The outermost values that are taken."""
    match bound:
        case Number(span):
            yield from [span.most] if span.least is None else [span.least, span.most]
        case Text(length, _, unit):
            yield b"x" * length if unit == "bytes" else "é" * length
        case Entries(count, each):
            yield filled(field, count, "x" if each is None else "x" * (each.most - 6))


def beyond(bound: Bound, field: FieldDescriptor) -> Iterator[tuple[Any, str]]:
    """Values that are refused, and what else the refusal says."""
    match bound:
        case Number(span):
            for value in [*([] if span.least else [-1]), 0 if span.least is None else None]:
                if value is not None and fits(field, value):
                    yield value, str(value)
            if fits(field, span.most + 1):
                yield span.most + 1, str(span)
        case Text(length, _, unit):
            yield (b"x" if unit == "bytes" else "x") * (length + 1), str(length)
        case Entries(count, each):
            yield filled(field, count + 1, "x"), str(count)
            if each is not None:
                yield filled(field, 1, "x" * (each.most + 1)), str(each.most)


def fits(field: FieldDescriptor, value: int) -> bool:
    """Whether the type of a field can hold a number."""
    spans = {
        FieldDescriptor.TYPE_UINT32: (0, 2**32 - 1),
        FieldDescriptor.TYPE_UINT64: (0, 2**64 - 1),
        FieldDescriptor.TYPE_INT32: (-(2**31), 2**31 - 1),
    }
    low, high = spans.get(field.type, (-math.inf, math.inf))
    return low <= value <= high


def filled(field: FieldDescriptor, count: int, text: str) -> Any:
    """A list or a map of so many entries."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return {f"{number:06}" + text[6:]: text for number in range(count)}
    if field.type == FieldDescriptor.TYPE_STRING:
        return [text] * count
    if field.type == FieldDescriptor.TYPE_ENUM:
        return [0] * count
    return [{}] * count


def request_with(field: FieldDescriptor, value: Any) -> Message:
    """A request of the service that holds the value, in a message inside it where need be."""
    if (
        field.message_type is not None
        and field.message_type.full_name == "google.protobuf.Duration"
    ):
        value = Duration(seconds=value)
    message = GetMessageClass(field.containing_type)(**{field.name: value})
    wrapped: dict[str, Any] = {
        "ObservationRequest": lambda m: agent_pb2.AttachRequest(observation=m),
        "ImageRequest": lambda m: agent_pb2.AttachRequest(
            observation=observation_pb2.ObservationRequest(images=[m])
        ),
    }
    wrap = wrapped.get(field.containing_type.name)
    request: Message = message if wrap is None else wrap(message)
    return request


@pytest.mark.parametrize("cost", [math.nan, math.inf, 0.0, -1.0])
def test_a_cost_that_is_no_amount_is_refused(cost: float) -> None:
    with pytest.raises(ProtocolError, match=r"max_cost_usd is .*; it has to be above 0"):
        check(control_pb2.CreateRunRequest(max_cost_usd=cost))


def test_what_the_command_line_asks_for_has_the_same_bounds() -> None:
    with pytest.raises(BoundError, match="repeats is 10001; it has to be from 0 to 10000"):
        check_values(control_pb2.CreateRunRequest, {"repeats": 10_001})
    defaults = RunRequest("babyai")
    assert most.SESSIONS.holds(defaults.sessions)
    assert most.WORKERS.holds(defaults.workers)


def test_the_documentation_tells_how_large_a_run_may_be() -> None:
    page = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"A run may have {most.MOST_TASKS:,} tasks, and {most.MOST_EPISODES:,} episodes" in page
