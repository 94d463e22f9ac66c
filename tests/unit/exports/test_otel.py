"""Runs as OpenTelemetry traces, read back with the messages of its protocol."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from env_service.exports.conversation import Conversation
from env_service.results.run_folder import RunFolder
from env_service.results.run_reader import RunContents, read_run
from env_service.storage.signing_key import SigningKey
from tests.support.exported import Spending, export
from tests.support.extras import extra_module
from tests.support.made_run import USED
from tests.support.played_run import LOSING, WINNING, lab_manifest

ENCODER = "opentelemetry.exporter.otlp.proto.common.trace_encoder"


@pytest.fixture
def run(tmp_path: Path) -> RunContents:
    """Two episodes of one session, whose agent reports usage in each step."""
    extra_module(ENCODER, "houseguest[otel]", "REQUIRE_EXPORTS")
    key = SigningKey.load_or_create(tmp_path / "key.pem")
    folder = RunFolder.open(tmp_path / "runs", lab_manifest(tasks=2), key)
    folder.declare({"agent_name": "alice", "model": "small"})
    player = Spending(folder)
    for task_id, actions in zip(folder.manifest.task_ids, (WINNING, LOSING), strict=True):
        player.play(task_id, 0, actions)
    folder.close()
    return read_run(folder.path)


def spans(path: Path) -> list[Any]:
    """The spans of a file, as the protocol's messages."""
    service = "opentelemetry.proto.collector.trace.v1.trace_service_pb2"
    message = extra_module(service, "houseguest[otel]", "REQUIRE_EXPORTS")
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        value = json.loads(line)
        for span in value["resourceSpans"][0]["scopeSpans"][0]["spans"]:
            # Other JSON of Protobuf has bytes in Base64.
            for name in {"traceId", "spanId", "parentSpanId"} & span.keys():
                span[name] = b64encode(bytes.fromhex(span[name])).decode()
        request = ParseDict(value, message.ExportTraceServiceRequest())
        found += request.resource_spans[0].scope_spans[0].spans
    return found


def told(span: Any) -> dict[str, Any]:
    """The attributes of a span."""
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in span.attributes
    }


def test_a_trace_has_the_run_its_episodes_and_their_steps(run: RunContents, tmp_path: Path) -> None:
    (path,) = export(run, tmp_path / "traces", "otel").glob("*.jsonl")
    found = spans(path)
    by_id = {each.span_id: each for each in found}
    assert len(by_id) == len(found)
    assert len({each.trace_id for each in found}) == 1
    (root,) = (each for each in found if not each.parent_span_id)
    assert told(root)["houseguest.model"] == "small"
    episodes = [each for each in found if each.parent_span_id == root.span_id]
    assert [told(each)["houseguest.task_id"] for each in episodes] == ["lab/0", "lab/1"]
    assert [told(each)["houseguest.success"] for each in episodes] == [True, False]
    # The second episode of a session begins when the first has ended.
    assert episodes[1].start_time_unix_nano == episodes[0].end_time_unix_nano
    assert root.end_time_unix_nano == episodes[1].end_time_unix_nano
    for record, episode in zip(run.episodes, episodes, strict=True):
        steps = [each for each in found if each.parent_span_id == episode.span_id]
        turns = list(Conversation(run, record).turns())
        assert [each.name for each in steps] == [f"step {turn.step}" for turn in turns]
        for step, turn in zip(steps, turns, strict=True):
            seconds = (step.end_time_unix_nano - step.start_time_unix_nano) / 10**9
            assert seconds == pytest.approx(turn.agent_seconds + turn.environment_seconds)
            chat, *tools = (each for each in found if each.parent_span_id == step.span_id)
            assert chat.name == "chat small"
            assert told(chat)["gen_ai.usage.input_tokens"] == turn.usage.input_tokens
            assert [told(each)["gen_ai.tool.name"] for each in tools] == [
                call.name for call in turn.calls
            ]
            assert chat.end_time_unix_nano <= step.end_time_unix_nano


def test_the_tokens_of_a_trace_are_those_of_every_step(run: RunContents, tmp_path: Path) -> None:
    (path,) = export(run, tmp_path / "traces", "otel").glob("*.jsonl")
    asked = [told(each) for each in spans(path) if each.name.startswith("chat ")]
    steps = sum(each.steps for each in run.episodes)
    assert sum(each["gen_ai.usage.input_tokens"] for each in asked) == steps * USED.input_tokens
    assert sum(each["gen_ai.usage.output_tokens"] for each in asked) == steps * USED.output_tokens
    assert sum(each["houseguest.cost_usd"] for each in asked) == pytest.approx(
        steps * USED.cost_usd
    )


def test_a_second_export_has_the_same_ids(run: RunContents, tmp_path: Path) -> None:
    files = [next(export(run, tmp_path / name, "otel").glob("*.jsonl")) for name in ("one", "two")]
    assert files[0].read_bytes() == files[1].read_bytes()
