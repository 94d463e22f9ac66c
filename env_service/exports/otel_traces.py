"""Runs as OpenTelemetry traces: `RUN.jsonl` in OTLP's JSON format, a line for each episode.

Spans follow the semantic conventions for generative AI: `invoke_agent` is an episode, `chat` the
agent's share of a step, `execute_tool` the environment's. They have no texts and no pictures.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from datetime import datetime
from hashlib import sha256
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags

from env_service.exports.conversation import Conversation, Turn
from env_service.exports.job import Job, model_of
from env_service.exports.tracking import parameters
from env_service.results.records import EpisodeRecord
from env_service.results.run_reader import RunContents

_HEX = ("traceId", "spanId", "parentSpanId")
_SECOND = 10**9
"""In nanoseconds."""


def write(job: Job) -> None:
    """Writes a file per run. Raises UnreadableEpisodeError."""
    for run in job.runs:
        trace = _Trace(run)
        with (job.out / f"{job.name(run)}.jsonl").open("w", encoding="utf-8") as file:
            for record in job.episodes(run):
                file.write(_line(trace.episode(record)))
                job.advance()
            file.write(_line([trace.root()]))


class _Trace:
    """Makes the spans of a run, which is one trace.

    Runs record durations and no times of day. Each session therefore begins when the run was
    created, and its episodes follow each other without a pause. Ids are derived from the run's, so
    that a second export has the same.
    """

    def __init__(self, run: RunContents) -> None:
        self._run = run
        self._resource = Resource({"service.name": "houseguest"})
        self._began = int(datetime.fromisoformat(run.manifest.created).timestamp() * _SECOND)
        self._ended: dict[str, int] = {}
        self._model = model_of(run.manifest)

    def root(self) -> ReadableSpan:
        """The run's span, once all episodes are made."""
        manifest = self._run.manifest
        told = {f"houseguest.{name}": value for name, value in parameters(self._run).items()}
        name = f"{manifest.suite}/{manifest.task_set}"
        ended = max(self._ended.values(), default=self._began)
        return self._span("", name, (self._began, ended), told)

    def episode(self, record: EpisodeRecord) -> list[ReadableSpan]:
        """The spans of an episode, its own first."""
        conversation = Conversation(self._run, record)
        began = self._ended.get(record.session, self._began)
        now = began + _nanoseconds(conversation.begin.environment_seconds)
        spans: list[ReadableSpan] = []
        for turn in conversation.turns():
            after = now + _nanoseconds(turn.agent_seconds + turn.environment_seconds)
            spans += self._step(record, turn, now, after)
            now = after
        self._ended[record.session] = now
        told = {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": record.guest,
            "gen_ai.conversation.id": record.episode_id,
            "houseguest.task_id": record.task_id,
            "houseguest.repeat": record.repeat,
            "houseguest.steps": record.steps,
            **_spent(record),
            **({} if record.fault else {"houseguest.success": record.success}),
            **({"houseguest.failure": record.failure} if record.failure else {}),
        }
        more = {"status": Status(StatusCode.ERROR, record.fault)} if record.fault else {}
        name, parent = f"invoke_agent {record.guest}", self._context("")
        own = self._span(record.episode_id, name, (began, now), told, parent=parent, **more)
        return [own, *spans]

    def _step(
        self, record: EpisodeRecord, turn: Turn, began: int, ended: int
    ) -> Iterator[ReadableSpan]:
        key = f"{record.episode_id}/{turn.step}"
        told = {
            "houseguest.step": turn.step,
            "houseguest.outcomes": [each.code for each in turn.true],
        }
        parent = self._context(record.episode_id)
        yield self._span(key, f"step {turn.step}", (began, ended), told, parent=parent)
        parent = self._context(key)
        acted = began + _nanoseconds(turn.agent_seconds)
        if turn.usage:
            model = {"gen_ai.request.model": self._model} if self._model else {}
            asked = {"gen_ai.operation.name": "chat", **model, **_spent(turn)}
            name = f"chat {self._model}".strip()
            more = {"parent": parent, "kind": SpanKind.CLIENT}
            yield self._span(f"{key}/chat", name, (began, acted), asked, **more)
        tool = ", ".join(call.name for call in turn.calls)
        if tool:
            done = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool}
            name = f"execute_tool {tool}"
            yield self._span(f"{key}/tool", name, (acted, ended), done, parent=parent)

    def _span(
        self, key: str, name: str, times: tuple[int, int], told: Mapping[str, Any], **more: Any
    ) -> ReadableSpan:
        context, resource = self._context(key), self._resource
        began, ended = times
        more |= {"start_time": began, "end_time": ended}
        return ReadableSpan(name, context, resource=resource, attributes=told, **more)

    def _context(self, key: str) -> SpanContext:
        """The ids of a span: hashes of the run's id and of the span's key."""
        run = self._run.manifest.run_id.encode()
        trace = int.from_bytes(sha256(run).digest()[:16])
        span = int.from_bytes(sha256(run + b"\0" + key.encode()).digest()[:8])
        return SpanContext(trace, span, is_remote=False, trace_flags=TraceFlags(1))


def _spent(used: EpisodeRecord | Turn) -> dict[str, int | float]:
    usage = used.usage
    if not usage:
        return {}
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "gen_ai.usage.cache_read.input_tokens": usage.cached_input_tokens,
        "houseguest.model_calls": usage.calls,
        "houseguest.cost_usd": usage.cost_usd,
    }


def _nanoseconds(seconds: float) -> int:
    return round(seconds * _SECOND)


def _line(spans: list[ReadableSpan]) -> str:
    """The spans as a line of JSON. Unlike other JSON of Protobuf, OTLP's has ids in hex."""
    value = MessageToDict(encode_spans(spans), use_integers_for_enums=True)
    for resource in value["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                span |= {name: b64decode(span[name]).hex() for name in _HEX if name in span}
    return json.dumps(value, ensure_ascii=False) + "\n"
