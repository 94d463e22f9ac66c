"""The bound of every number, list and text that a request carries, for both services.

This table is the only place that says them: requests are checked against it before anything is
made of them, and docs/protocol.md shows it. A field without a bound fails a test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from houseguest.agent.v1 import action_pb2, agent_pb2, observation_pb2
from houseguest.control.v1 import control_pb2

from env_service.domain import run_bounds as most
from env_service.domain.reasons import ProtocolError, Reason
from env_service.domain.run_bounds import Range
from env_service.wire.actions import MAX_ARGUMENTS, MAX_CALLS
from env_service.wire.episodes import MAX_MESSAGE, seconds

NAME = 200
"""Characters of an id, or of the name of a world, a setting or a value."""
PATTERN = 1000
"""Characters of a task's id, a group or a pattern of them."""
TASK_SET = 4096
"""Characters of the name of a task set, which may hold the path of a folder."""
AGENT = 10_000
"""Characters of an agent's specification, which may be a command with its arguments."""
SELECTED = 10_000
"""Ids and patterns that select tasks."""
SETTINGS = 100
"""Settings of a condition."""
PAGE = 100
"""Entries of a page."""
PAGE_TOKEN = 9
"""Characters of a page token."""
MAX_DECLARATION_BYTES = 64 * 1024
"""Of what an agent says of itself."""
_SHOWN = 40
"""Characters of a text that a refusal repeats."""

_UINT64, _UINT32, _INT32 = Range(0, 2**64 - 1), Range(0, 2**32 - 1), Range(0, 2**31 - 1)


class BoundError(ValueError):
    """A value is beyond its bound. The message names the field, the value and the bound."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number, or a duration in seconds. ``note`` adds to what the documentation says."""

    range: Range
    note: str = ""

    def check(self, field: str, value: Any) -> None:
        """Raises BoundError."""
        number = seconds(value) if isinstance(value, Duration) else value
        if not self.range.holds(number):
            raise BoundError(f"{field} is {number:.15g}; it has to be {self.range}.")

    def __str__(self) -> str:
        return _joined(str(self.range), self.note)


@dataclass(frozen=True, slots=True)
class Text:
    """A text of at most ``most`` characters, or bytes where ``unit`` says so."""

    most: int
    note: str = ""
    unit: str = "characters"

    def check(self, field: str, value: str | bytes) -> None:
        """Raises BoundError."""
        if len(value) > self.most:
            start = f"{value[:_SHOWN]!r} …"
            raise BoundError(
                f"{field} has {len(value)} {self.unit} ({start}); it may have {self.most}."
            )

    def __str__(self) -> str:
        return _joined(f"at most {self.most} {self.unit}", self.note)


@dataclass(frozen=True, slots=True)
class Entries:
    """A list or map of at most ``most`` entries: texts that hold to ``each``, or messages."""

    most: int
    each: Text | None = None

    def check(self, field: str, value: Any) -> None:
        """Raises BoundError."""
        if len(value) > self.most:
            raise BoundError(f"{field} has {len(value)} entries; it may have {self.most}.")
        if self.each is None:
            return
        pairs: Iterable[tuple[object, str]] = enumerate(value)
        if isinstance(value, Mapping):
            for name in value:
                self.each.check(f"a name in {field}", name)
            pairs = value.items()
        for place, text in pairs:
            self.each.check(f"{field}[{place!r}]", text)

    def __str__(self) -> str:
        each = "" if self.each is None else f"each of {self.each}"
        return _joined(f"at most {self.most} entries", each)


@dataclass(frozen=True, slots=True)
class Applied:
    """A bound that is applied where the value is used, and what happens beyond it."""

    note: str

    def __str__(self) -> str:
        return self.note


Bound = Number | Text | Entries | Applied

_SESSION: Mapping[str, Bound] = {
    "session_id": Applied("the grant's; any other gets `SESSION_FOREIGN`"),
    "session_epoch": Applied("the newest grant's; any other gets `SESSION_SUPERSEDED`"),
}
_EPISODE: Mapping[str, Bound] = {
    **_SESSION,
    "episode_id": Applied("the latest episode's; any other gets `EPISODE_NOT_OPEN`"),
}
_DECLARED = Applied(
    f"{MAX_DECLARATION_BYTES // 1024} KiB for all of `ClientInfo`; of a larger one the agent's"
    " name and version are stored, the first 200 characters of each"
)
_TRACE = Applied("`Limits.max_trace_bytes_per_step` for the whole `Trace`; a larger one is cut")
_PROMPT = Applied("`Limits.max_prompt_bytes_per_step` for the whole `Prompt`; a larger one is cut")
_ACTION = Applied("`Limits.max_action_bytes` together; longer ones are an unparsable turn")
_CLAIM = Applied("any; impossible values count as the message's comment says")
_PAGE: Mapping[str, Bound] = {
    "page_size": Number(_INT32, f"above {PAGE} is read as {PAGE}"),
    "page_token": Text(PAGE_TOKEN),
}
_RUN: Mapping[str, Bound] = {"run_id": Text(NAME)}
_SELECTION: Mapping[str, Bound] = {
    "request_id": Text(NAME, "not empty"),
    "suite": Text(NAME),
    "task_set": Text(TASK_SET),
    "world": Text(NAME),
    "condition": Entries(SETTINGS, Text(NAME)),
    "tasks": Entries(SELECTED, Text(PATTERN)),
    "seed": Number(most.SEED),
}

_TABLE: Mapping[Any, Mapping[str, Bound]] = {
    agent_pb2.HelloRequest: {
        "protocol_revision": Applied("any; an older one than is served: `REVISION_NOT_SERVED`"),
    },
    agent_pb2.ClientInfo: dict.fromkeys(
        ("agent_name", "agent_version", "sdk_name", "sdk_version", "model", "configuration"),
        _DECLARED,
    ),
    agent_pb2.AttachRequest: {
        "required_features": Entries(64),
        "resume_token": Text(NAME, unit="bytes"),
    },
    observation_pb2.ObservationRequest: {"images": Entries(16)},
    observation_pb2.ImageRequest: {
        "channel": Applied("a known value; any other gets `OBSERVATION_NOT_OFFERED`"),
        "encodings": Entries(16),
    },
    agent_pb2.BeginEpisodeRequest: {
        **_SESSION,
        "episode_ordinal": Applied("the last or the next; any other gets `EPISODE_OUT_OF_ORDER`"),
    },
    agent_pb2.PracticeReset: {"seed": Number(_UINT64)},
    agent_pb2.StepRequest: {
        **_EPISODE,
        "step_index": Applied("the last or the next; any other gets `STEP_OUT_OF_ORDER`"),
    },
    action_pb2.Action: {
        "text": Applied("`Limits.max_action_bytes`; a longer one is an unparsable turn"),
    },
    action_pb2.Plan: {
        "steps": Applied("`Limits.max_plan_steps`; a longer plan gets `PLAN_TOO_LONG`"),
    },
    action_pb2.SkillCall: {
        "name": _ACTION,
        "arguments": Applied(f"at most {MAX_ARGUMENTS}; more are an unparsable turn"),
    },
    action_pb2.Argument: {"name": _ACTION, "value": _ACTION},
    agent_pb2.Trace: {
        "thought": _TRACE,
        "raw_model_output": _TRACE,
        "plan_length": Number(_UINT32),
        "usage": Applied(f"any number; the first {MAX_CALLS} are counted"),
    },
    agent_pb2.Prompt: {"messages": _PROMPT, "parameters": _PROMPT},
    agent_pb2.PromptMessage: {"role": _PROMPT, "parts": _PROMPT},
    agent_pb2.PromptPart: {"text": _PROMPT},
    agent_pb2.PromptPicture: {"sha256": _PROMPT, "media_type": _PROMPT},
    agent_pb2.ModelUsage: {
        "model": _TRACE,
        **dict.fromkeys(
            (
                *("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens"),
                *("images", "latency", "cost_usd"),
            ),
            _CLAIM,
        ),
    },
    agent_pb2.GetEpisodeRequest: _EPISODE,
    agent_pb2.EndEpisodeRequest: {
        **_EPISODE,
        "reason": Applied("any; an unknown one is read as AGENT_GAVE_UP"),
    },
    agent_pb2.WithdrawRequest: {
        **_SESSION,
        "reason": Applied("any; an unknown one is read as OTHER"),
        "message": Applied(f"any length; the first {MAX_MESSAGE} characters are kept"),
    },
    agent_pb2.PlayRequest: {"request_id": Number(_UINT64)},
    control_pb2.ListSuitesRequest: _PAGE,
    control_pb2.ListRunsRequest: _PAGE,
    control_pb2.CreateRunRequest: {
        **_SELECTION,
        "repeats": Number(Range(0, most.REPEATS.most), "0 is read as 1"),
        "parallel_sessions": Number(Range(0, most.SESSIONS.most), "0 is read as 1"),
        "workers": Number(most.WORKERS, "0 lets the service choose"),
        "time_budget": Number(most.SECONDS, "in seconds"),
        "limit": Number(most.LIMIT, "0 takes all"),
        "agent": Text(AGENT),
        "max_cost_usd": Number(most.COST_USD),
        "max_tokens": Number(most.TOKENS),
    },
    control_pb2.GetRunRequest: _RUN,
    control_pb2.CancelRunRequest: _RUN,
    control_pb2.WatchRunRequest: {**_RUN, "after_cursor": Number(_UINT64)},
    control_pb2.IssueLeaseRequest: {
        **_RUN,
        "session_number": Applied("below the run's number of sessions; others get `BAD_RUN`"),
    },
    control_pb2.CreatePracticeRequest: {
        **_SELECTION,
        "sessions": Number(Range(0, most.SESSIONS.most), "0 is read as 1"),
        "unused_for": Number(most.SECONDS, "in seconds"),
    },
    control_pb2.ClosePracticeRequest: {"practice_id": Text(NAME)},
}
BOUNDS: Mapping[str, Mapping[str, Bound]] = {
    message.DESCRIPTOR.full_name: bounds for message, bounds in _TABLE.items()
}
"""The bounds of each field, by the full name of its message."""

_REASONS: Mapping[type, Reason] = {
    control_pb2.CreateRunRequest: Reason.BAD_RUN,
    control_pb2.CreatePracticeRequest: Reason.BAD_RUN,
}

Check = Callable[[Any], None]


def bounded(descriptor: Descriptor) -> Iterator[FieldDescriptor]:
    """The fields of a message that need a bound: numbers, enumerations, texts, bytes, durations,
    lists and maps; not single messages and bools."""
    for field in descriptor.fields:
        inner = field.message_type
        if inner is None:
            single = field.type != field.TYPE_BOOL
        else:
            single = inner.full_name == Duration.DESCRIPTOR.full_name
        if single or _is_repeated(field):
            yield field


def _nested(descriptor: Descriptor) -> Iterator[tuple[FieldDescriptor, Descriptor]]:
    """The fields of a message that hold messages of this protocol, one or many, and these."""
    for field in descriptor.fields:
        inner = field.message_type
        if inner is not None and inner.full_name in BOUNDS:
            yield field, inner


def check(message: Message) -> None:
    """Raises ProtocolError for a request with a value beyond its bound: BAD_RUN for one that opens
    a run or a practice, MALFORMED_REQUEST for any other. Nothing is read but the request."""
    kind = type(message)
    try:
        for each in _CHECKS.get(kind, ()):
            each(message)
    except BoundError as error:
        raise ProtocolError(_REASONS.get(kind, Reason.MALFORMED_REQUEST), str(error)) from None


def check_values(message: Any, values: Mapping[str, Any]) -> None:
    """Raises BoundError for a value that the field of this name would not take in such a message.

    For what the command line asks for, which never was a message.
    """
    bounds = BOUNDS[message.DESCRIPTOR.full_name]
    for name, value in values.items():
        bound = bounds[name]
        if not isinstance(bound, Applied):
            bound.check(name, value)


def _checks(descriptor: Descriptor) -> tuple[Check, ...]:
    """What a request is put through; nothing for fields whose bound is applied elsewhere."""
    checks: list[Check] = []
    bounds = BOUNDS.get(descriptor.full_name, {})
    for field in descriptor.fields:
        bound = bounds.get(field.name)
        if bound is not None and not isinstance(bound, Applied) and not _holds_all(bound, field):
            checks.append(_check_of(field, bound))
    for field, held in _nested(descriptor):
        inner = _checks(held)
        if inner:
            checks.append(_check_inside(field, inner))
    return tuple(checks)


def _holds_all(bound: Bound, field: FieldDescriptor) -> bool:
    """Whether every value of the field's type is within the bound."""
    whole = {field.TYPE_UINT32: _UINT32, field.TYPE_UINT64: _UINT64}
    return isinstance(bound, Number) and bound.range == whole.get(field.type)


def _check_of(field: FieldDescriptor, bound: Number | Text | Entries) -> Check:
    name = field.name

    def check_present(message: Any) -> None:
        if message.HasField(name):
            bound.check(name, getattr(message, name))

    def check_always(message: Any) -> None:
        bound.check(name, getattr(message, name))

    return check_present if field.has_presence else check_always


def _check_inside(field: FieldDescriptor, inner: tuple[Check, ...]) -> Check:
    name = field.name

    def check_one(message: Any) -> None:
        if message.HasField(name):
            held = getattr(message, name)
            for each in inner:
                each(held)

    def check_many(message: Any) -> None:
        for held in getattr(message, name):
            for each in inner:
                each(held)

    return check_many if _is_repeated(field) else check_one


def _is_repeated(field: FieldDescriptor) -> bool:
    """Whether a field is a list or a map. Older releases of protobuf have no property for it."""
    return isinstance(field.default_value, list)


def _joined(bound: str, more: str) -> str:
    return f"{bound}; {more}" if more else bound


_CHECKS: Mapping[type, tuple[Check, ...]] = {
    message: _checks(message.DESCRIPTOR) for message in _TABLE
}
