"""What the agents' listener serves beside AgentService, and what it must not."""

from __future__ import annotations

import grpc
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from env_service.conformance.judgement import Judgement
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule, Severity
from env_service.conformance.server.connection import SERVICE
from env_service.conformance.server.probe import BlockedError, Probe
from env_service.conformance.server.rule import ServerRule

TELLING = ("score", "reward", "success", "task_id", "expert", "solution", "goal_condition")
"""Words in a field's name that would tell an agent how it does, or what it plays."""
_PRACTICE = "PracticeResult"


def health(probe: Probe) -> Judgement:
    """grpc.health.v1, without a token."""
    stub = health_pb2_grpc.HealthStub(probe.connection.channel)  # type: ignore[no-untyped-call] # comes without types
    for service in ("", SERVICE):
        sent = f"Health.Check of {service!r}, without a token"
        try:
            request = health_pb2.HealthCheckRequest(service=service)
            status = stub.Check(request, timeout=probe.connection.timeout).status
        except grpc.RpcError as error:
            return failure(sent, "SERVING", str(error))
        if status != health_pb2.HealthCheckResponse.SERVING:
            return failure(sent, "SERVING", str(status))
    return ()


def reflection(probe: Probe) -> Judgement:
    """gRPC server reflection, without a token."""
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    names = [each.name for each in _reflect(probe, request).list_services_response.service]
    if SERVICE not in names:
        return failure("ListServices", SERVICE, ", ".join(names) or "nothing")
    control = [name for name in names if "Control" in name]
    if control:
        return failure("ListServices", "nothing for operators", ", ".join(control))
    return ()


def unknown_method(probe: Probe) -> Judgement:
    """A method that does not exist."""
    answer = probe.connection.call("Rewind", b"", probe.metadata)
    if answer.code is grpc.StatusCode.UNIMPLEMENTED:
        return ()
    return failure("a call of Rewind, which does not exist", "UNIMPLEMENTED", str(answer))


def tells_nothing(probe: Probe) -> Judgement:
    """The fields of all messages that an agent gets, as reflection tells them."""
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE)
    files = _reflect(probe, request).file_descriptor_response.file_descriptor_proto
    found = [
        f"{message.name}.{field.name}"
        for data in files
        for message in _messages(FileDescriptorProto.FromString(data))
        for field in message.field
        if message.name != _PRACTICE and any(word in field.name for word in TELLING)
    ]
    if found:
        return failure("reflection of AgentService", "no field that tells", ", ".join(found))
    return ()


def _messages(file: FileDescriptorProto) -> list[DescriptorProto]:
    return list(file.message_type) if file.package.startswith("houseguest") else []


def _reflect(
    probe: Probe, request: reflection_pb2.ServerReflectionRequest
) -> reflection_pb2.ServerReflectionResponse:
    """One answer of reflection. Raises BlockedError."""
    stub = reflection_pb2_grpc.ServerReflectionStub(  # type: ignore[no-untyped-call] # comes without types
        probe.connection.channel
    )
    try:
        call = stub.ServerReflectionInfo(iter([request]), timeout=probe.connection.timeout)
        answer: reflection_pb2.ServerReflectionResponse = next(iter(call))
        return answer
    except (grpc.RpcError, StopIteration) as error:
        raise BlockedError(f"reflection is not served: {error}") from error


RULES = (
    ServerRule(
        Rule("health", "The listener serves grpc.health.v1 without a token.",
             "docs/protocol.md, Two services", Severity.SHOULD),
        health,
    ),
    ServerRule(
        Rule("reflection", "The listener serves reflection without a token, and nothing for"
             " operators.", "docs/protocol.md, Two services", Severity.SHOULD),
        reflection,
    ),
    ServerRule(
        Rule("tells-nothing", "No message of AgentService has a field for a score, a reward, a"
             " success or a task, but for practice.", "docs/protocol.md, Two services"),
        tells_nothing,
    ),
    ServerRule(
        Rule("unknown-method", "A method that does not exist fails with UNIMPLEMENTED.",
             "docs/protocol.md, Errors"),
        unknown_method,
    ),
)  # fmt: skip
