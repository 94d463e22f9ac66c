"""What a scene's house says of itself."""

from __future__ import annotations

from houseguest.agent.v1 import agent_pb2

from env_service.conformance.agent.actions import MAX_ACTION_BYTES, MAX_PLAN_STEPS
from env_service.conformance.agent.pictures import STRANGE
from env_service.conformance.agent.script import Script
from env_service.gateway.settings import PROTOCOL_REVISION
from env_service.wire.durations import duration


def hello_response(script: Script, max_message_bytes: int) -> agent_pb2.HelloResponse:
    """Revision, features and limits."""
    features = [*script.features, *([STRANGE] if script.strange else [])]
    response = agent_pb2.HelloResponse(
        protocol_revision=STRANGE if script.strange else PROTOCOL_REVISION,
        min_protocol_revision=1,
        limits=agent_pb2.Limits(
            max_message_bytes=max_message_bytes,
            environment_step_deadline=duration(60.0),
            agent_step_budget=duration(600.0),
            agent_episode_budget=duration(3600.0),
            max_plan_steps=MAX_PLAN_STEPS,
            max_trace_bytes_per_step=256 * 1024,
            max_action_bytes=MAX_ACTION_BYTES,
            max_calls_per_second=script.calls_per_second or 10_000,
        ),
    )
    response.features.extend(map(agent_pb2.Feature.ValueType, features))
    return response
