"""Rules of a session: listener, the way to the grant, resuming, and what exhausts a session."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator

import grpc
from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from houseguest.agent.v1 import agent_pb2, observation_pb2

from env_service.conformance.report import Judgement, NotApplicable, Rule, Severity, failure
from env_service.conformance.server.connection import SERVICE, RpcOutcome, bearer, read_error
from env_service.conformance.server.probe import (
    BlockedError,
    Probe,
    ServerRule,
    first,
    wants_error,
    wants_response,
)

NO_MESSAGE = b"\xff\xff\xff"
"""Bytes that do not decode as any protobuf message."""
NO_FEATURE = 99


def hello(probe: Probe) -> Judgement:
    """Hello reports the revision, features and limits."""
    said = probe.say_hello()
    sent = "Hello"
    if not 1 <= said.min_protocol_revision <= said.protocol_revision:
        expected = "1 <= min_protocol_revision <= protocol_revision"
        came = f"{said.min_protocol_revision} and {said.protocol_revision}"
        return failure(sent, expected, came)
    limits = said.limits
    zero = [
        name
        for name in ("max_message_bytes", "max_action_bytes", "max_calls_per_second")
        if not getattr(limits, name)
    ]
    if zero:
        return failure(sent, "limits above 0", f"0 for {', '.join(zero)}")
    again = probe.say_hello()
    return () if again == said else failure("Hello, twice", "the same answer", "another one")


def no_token(probe: Probe) -> Judgement:
    """A call without credentials fails."""
    request = agent_pb2.HelloRequest(protocol_revision=1)
    answer = probe.call("Hello", request, metadata=())
    return wants_error("Hello without a token", answer, "TOKEN_MISSING")


def bad_token(probe: Probe) -> Judgement:
    """Credentials that were never issued fail."""
    request = agent_pb2.HelloRequest(protocol_revision=1)
    made_up = probe.call("Hello", request, metadata=bearer("made-up"))
    token = probe.tokens[0]
    altered = token[:-1] + ("A" if token[-1] != "A" else "B")
    # The last letter of a base64 text may hold spare bits, so the first one changes too.
    altered = ("A" if altered[0] != "A" else "B") + altered[1:]
    changed = probe.call("Hello", request, metadata=bearer(altered))
    return first(
        wants_error("Hello with the token 'made-up'", made_up, "TOKEN_INVALID"),
        wants_error("Hello with the token, two letters of it changed", changed, "TOKEN_INVALID"),
    )


def malformed(probe: Probe) -> Judgement:
    """Bytes that are not a message fail."""
    answers = [probe.call(method, NO_MESSAGE) for method in ("Hello", "BeginEpisode", "Step")]
    return first(
        *(
            wants_error(f"{answer.method} with bytes that are not a message", answer,
                        "MALFORMED_REQUEST")
            for answer in answers
        )
    )  # fmt: skip


def unknown_feature(probe: Probe) -> Judgement:
    """A feature that the service does not offer."""
    request = agent_pb2.AttachRequest()
    request.required_features.append(agent_pb2.Feature.ValueType(NO_FEATURE))
    answer = _refused(probe, request)
    return wants_error(f"Attach that requires feature {NO_FEATURE}", answer, "FEATURE_NOT_OFFERED")


def unknown_channel(probe: Probe) -> Judgement:
    """A channel that no service renders."""
    image = observation_pb2.ImageRequest(channel=observation_pb2.Channel.ValueType(NO_FEATURE))
    asked = observation_pb2.ObservationRequest(images=[image])
    answer = _refused(probe, agent_pb2.AttachRequest(observation=asked))
    sent = f"Attach that asks for pictures of channel {NO_FEATURE}"
    return wants_error(sent, answer, "OBSERVATION_NOT_OFFERED", "MALFORMED_REQUEST")


def grant(probe: Probe) -> Judgement:
    """The events up to the grant, and its contents."""
    granted = probe.granted()
    sent = "Attach"
    if set(probe.before_grant) - {"queued"}:
        came = ", ".join(probe.before_grant)
        return failure(sent, "queued, queued, …, then granted", came)
    if not (granted.session_id and granted.session_epoch and granted.resume_token):
        expected = "a session id, an epoch of 1 or more, a resume token"
        return failure(sent, expected, str(granted))
    crowded = [each.channel for each in granted.observation.images if len(each.encodings) != 1]
    if crowded:
        came = f"another number for the channels {crowded}"
        return failure(sent, "one encoding for each channel that is granted", came)
    return ()


def foreign_session(probe: Probe) -> Judgement:
    """A session id that does not belong to the token."""
    request = probe.begin_request(0)
    request.session_id = "somebody-elses"
    answer = probe.call("BeginEpisode", request)
    return wants_error("BeginEpisode with another session id", answer, "SESSION_FOREIGN")


def seat_taken(probe: Probe) -> Judgement:
    """A second Attach with the token."""
    probe.fresh()
    answer = _refused(probe, agent_pb2.AttachRequest())
    return wants_error("a second Attach without a resume token", answer, "SEAT_TAKEN")


def practice_only(probe: Probe) -> Judgement:
    """A reset outside practice fails."""
    field = agent_pb2.BeginEpisodeRequest.DESCRIPTOR.fields_by_name.get("practice")
    if field is None or probe.say_hello().protocol_revision < 3:
        return NotApplicable("the service speaks a revision without practice")
    if agent_pb2.FEATURE_PRACTICE in probe.hello.features:
        return NotApplicable("the lease is one for practice")
    probe.fresh()
    request = probe.begin_request(probe.ordinal)
    request.practice.SetInParent()
    answer = probe.call("BeginEpisode", request)
    after = probe.call("GetEpisode", probe.get_request())
    return first(
        wants_error("BeginEpisode with a PracticeReset", answer, "PRACTICE_ONLY"),
        wants_response("GetEpisode of the episode that was open then", after),
    )


def _refused(probe: Probe, request: agent_pb2.AttachRequest) -> RpcOutcome:
    """The error of an Attach that must not succeed."""
    attachment = probe.connection.attach(request, probe.metadata)
    _, event = attachment.until("granted")
    attachment.cancel()
    if isinstance(event, RpcOutcome):
        return probe.noted(event)
    return RpcOutcome("Attach", response=event or agent_pb2.Granted())


OPENING_RULES = (
    ServerRule(
        Rule("hello", "Hello returns revisions, features and limits, the same each time.",
             "agent.proto, HelloResponse"),
        hello,
    ),
    ServerRule(
        Rule("no-token", "A call without a token fails with TOKEN_MISSING.",
             "agent.proto, AgentService: Credentials"),
        no_token,
    ),
    ServerRule(
        Rule("bad-token", "A call with a token that was made up or altered fails with"
             " TOKEN_INVALID.", "docs/protocol.md, Errors"),
        bad_token,
    ),
    ServerRule(
        Rule("malformed", "Bytes that are not a message fail with MALFORMED_REQUEST.",
             "docs/protocol.md, Errors"),
        malformed,
    ),
    ServerRule(
        Rule("feature-not-offered", "An Attach that requires a feature that is not offered fails"
             " with FEATURE_NOT_OFFERED.", "agent.proto, AttachRequest.required_features"),
        unknown_feature,
    ),
    ServerRule(
        Rule("observation-not-offered", "An Attach that asks for what the condition does not offer"
             " fails with OBSERVATION_NOT_OFFERED.", "observation.proto, ObservationRequest"),
        unknown_channel,
    ),
    ServerRule(
        Rule("grant", "Attach sends queue positions, then one grant with session, epoch, resume"
             " token, and one encoding per channel.", "agent.proto, Granted"),
        grant,
    ),
    ServerRule(
        Rule("foreign-session", "A call that names another session fails with SESSION_FOREIGN.",
             "docs/protocol.md, Errors"),
        foreign_session,
    ),
    ServerRule(
        Rule("seat-taken", "A second Attach with the token of an active session fails with"
             " SEAT_TAKEN.", "agent.proto, Attach"),
        seat_taken,
    ),
    ServerRule(
        Rule("practice-only", "A PracticeReset outside practice fails with PRACTICE_ONLY, and"
             " changes nothing.", "agent.proto, BeginEpisode"),
        practice_only,
    ),
)  # fmt: skip


# --- Resuming a session, and references to earlier pictures

_STILL_STEPS = 4


def resume(probe: Probe) -> Judgement:
    """Attach with the resume token, in the middle of an episode."""
    probe.fresh()
    if probe.step(probe.action()).status != agent_pb2.EPISODE_STATUS_RUNNING:
        probe.fresh()
    old, index = probe.grant, probe.index
    event = probe.attach(resume_token=old.resume_token)
    sent = "Attach with the resume token"
    if not isinstance(event, agent_pb2.Granted):
        return failure(sent, "a grant", str(event))
    wrong = {
        "the same session": event.session_id != old.session_id,
        "the next epoch": event.session_epoch != old.session_epoch + 1,
        "a new resume token": event.resume_token in (b"", old.resume_token),
        "the same observation grant": event.observation != old.observation,
        "the open episode": event.open_episode_id != probe.episode.episode_id,
        "the next ordinal": event.next_episode_ordinal != probe.ordinal,
    }
    missing = [name for name, is_wrong in wrong.items() if is_wrong]
    if missing:
        return failure(sent, f"a grant with {', '.join(missing)}", str(event))
    after = probe.call("GetEpisode", probe.get_request())
    if after.code is not None or after.response.next_step_index != index:
        return failure(f"{sent}, then GetEpisode", f"next_step_index {index}", str(after))
    return ()


def superseded(probe: Probe) -> Judgement:
    """The earlier holder's next call fails."""
    probe.fresh()
    request = probe.step_request(probe.action())
    if not isinstance(probe.attach(resume_token=probe.grant.resume_token), agent_pb2.Granted):
        return NotApplicable("the session cannot be resumed")
    answer = probe.call("Step", request)
    return wants_error("the earlier holder's Step after a resume", answer, "SESSION_SUPERSEDED")


def good_once(probe: Probe) -> Judgement:
    """Resume tokens that are spent, invented, or whose grant was lost."""
    probe.fresh()
    token = probe.grant.resume_token
    once = probe.attach(resume_token=token)
    twice = probe.attach(resume_token=token)
    if not isinstance(once, agent_pb2.Granted) or not isinstance(twice, agent_pb2.Granted):
        sent = "Attach with one resume token twice, without a call in between"
        came = str(twice if isinstance(once, agent_pb2.Granted) else once)
        return failure(sent, "two grants: the first may have been lost on the way", came)
    probe.call("GetEpisode", probe.get_request())
    spent = _resumed(probe, token)
    made_up = _resumed(probe, b"made up")
    return first(
        wants_error("Attach with a resume token that is spent", spent, "RESUME_REFUSED"),
        wants_error("Attach with a resume token that was made up", made_up, "RESUME_REFUSED"),
    )


def _resumed(probe: Probe, token: bytes) -> RpcOutcome:
    """The error of an Attach that must fail."""
    event = probe.attach(resume_token=token)
    return (
        event
        if isinstance(event, RpcOutcome)
        else RpcOutcome("Attach", event or agent_pb2.Granted())
    )


def references(probe: Probe) -> Judgement:
    """Unchanged pictures, for a holder that accepts references."""
    if agent_pb2.FEATURE_FRAME_REFERENCE not in probe.say_hello().features:
        return NotApplicable("the service does not offer FEATURE_FRAME_REFERENCE")
    probe.granted()
    if not isinstance(
        probe.attach(resume_token=probe.grant.resume_token, references=True), agent_pb2.Granted
    ):
        return NotApplicable("the session cannot be resumed")
    try:
        return _referred(probe)
    finally:
        # The rules that follow need complete pictures again.
        probe.attach(resume_token=probe.grant.resume_token)


def _referred(probe: Probe) -> Judgement:
    probe.fresh()
    whole: dict[tuple[int, int, str], int] = {}
    observation = probe.episode.observation
    for _ in range(_STILL_STEPS):
        for image in observation.images:
            kind = (image.channel, image.role, image.view)
            if image.WhichOneof("content") == "same_as_observation":
                if whole.get(kind) != image.same_as_observation:
                    expected = f"observation {whole.get(kind)}, the latest with the whole picture"
                    came = f"same_as_observation {image.same_as_observation}"
                    return failure("a picture that has not changed", expected, came)
            else:
                whole[kind] = observation.index
        if not probe.open:
            break
        observation = probe.step(probe.other_action()).observation
    return () if whole else NotApplicable("the run's condition shows no pictures")


RESUMING_RULES = (
    ServerRule(
        Rule("resumes", "An Attach with the resume token returns the same session under the next"
             " epoch, in the middle of its episode.", "agent.proto, AttachRequest.resume_token"),
        resume,
    ),
    ServerRule(
        Rule("superseded", "After a resume, the earlier holder's calls fail with"
             " SESSION_SUPERSEDED.",
             "agent.proto, AgentService: Epochs"),
        superseded,
    ),
    ServerRule(
        Rule("resume-once", "A resume token is valid until the first call under the grant that it"
             " won; a spent or unknown one fails with RESUME_REFUSED.",
             "agent.proto, AttachRequest.resume_token"),
        good_once,
    ),
    ServerRule(
        Rule("references", "A reference to a picture names the latest observation that carried the"
             " whole picture.", "observation.proto, Image.same_as_observation"),
        references,
    ),
)  # fmt: skip


# --- What exhausts the run or a session: the limit of calls, withdrawing, the last episode

FASTEST = 1000
"""The highest limit of calls per second that this kit can exceed."""
_SECONDS_OF_CALLS = 4
_ENOUGH = 10
_AT_ONCE = 32
"""Below the number of streams that any server allows per channel."""


def rate_limit(probe: Probe) -> Judgement:
    """Many more calls than the limit allows."""
    limit = probe.say_hello().limits.max_calls_per_second
    if limit > FASTEST:
        return NotApplicable(f"the limit of {limit} calls a second is more than the kit can make")
    if not probe.episode.episode_id:
        probe.fresh()
    probe.end()
    request = probe.end_request()
    answers = list(_many(probe, request, limit * _SECONDS_OF_CALLS))
    refused = [answer for answer in answers if answer.code is not None]
    sent = f"{len(answers)} calls as fast as possible, with a limit of {limit} a second"
    if not refused:
        return failure(sent, "RATE_LIMITED for some", "none was refused")
    for answer in refused:
        probe.noted(answer)
        if not answer.is_error("RATE_LIMITED") or not answer.retry:
            return failure(sent, "RATE_LIMITED with a RetryInfo", str(answer))
    time.sleep(1.0)
    return wants_response("a call one second later", probe.call("EndEpisode", request))


def _many(probe: Probe, request: Message, number: int) -> Iterator[RpcOutcome]:
    """Makes up to ``number`` calls, a few at a time, and stops early when enough were refused: a
    service may drop a client that it keeps refusing."""
    under_way: deque[grpc.Future[agent_pb2.EndEpisodeResponse]] = deque()
    refused = 0
    for _ in range(number):
        if len(under_way) == _AT_ONCE:
            answer = _result(under_way.popleft())
            refused += answer.code is not None
            yield answer
        if refused == _ENOUGH:
            break
        under_way.append(probe.connection.begin("EndEpisode", request, probe.metadata))
    yield from map(_result, under_way)


def withdraw(probe: Probe) -> Judgement:
    """Withdraws a separate session."""
    if agent_pb2.FEATURE_WITHDRAW not in probe.say_hello().features:
        return NotApplicable("the service does not offer FEATURE_WITHDRAW")
    if len(probe.tokens) < 2:
        return NotApplicable("this needs a second token: --tokens")
    other = Probe(probe.connection, probe.tokens[1:])
    other.record = probe.record
    other.granted()
    request = agent_pb2.WithdrawRequest(**other.who, message="conformance")
    begin = other.begin_request(0)
    answers = [other.call("Withdraw", request) for _ in range(2)]
    for answer in answers:
        if answer.code is not None:
            return failure("Withdraw, twice", "two responses", str(answer))
    later = other.call("BeginEpisode", begin)
    _, revoked = other.attachment.until("revoked") if other.attachment else ([], None)
    if not isinstance(revoked, agent_pb2.Revoked):
        return failure("Withdraw", "Revoked on the Attach stream", str(revoked))
    return wants_error("BeginEpisode after Withdraw", later, "SESSION_WITHDRAWN")


def all_done(probe: Probe) -> Judgement:
    """Ends every remaining episode at once."""
    most = 2 * probe.granted().episodes_total + 10
    if probe.open:
        probe.end()
    for _ in range(most):
        answer = probe.call("BeginEpisode", probe.begin_request(probe.ordinal))
        if answer.code is not None:
            return failure("BeginEpisode", "an episode, or AllDone", str(answer))
        if answer.response.HasField("all_done"):
            again = probe.call("BeginEpisode", probe.begin_request(probe.ordinal))
            ended = again.code is None and again.response.HasField("all_done")
            return () if ended else failure("BeginEpisode after AllDone", "AllDone", str(again))
        probe.episode = answer.response.episode
        probe.ordinal, probe.index, probe.open = probe.ordinal + 1, 0, True
        probe.end()
    return failure(f"{most} episodes", "AllDone at the end", "no end")


def _result(call: grpc.Future[agent_pb2.EndEpisodeResponse]) -> RpcOutcome:
    try:
        return RpcOutcome("EndEpisode", call.result())
    except grpc.RpcError as error:
        return read_error("EndEpisode", error)


LEAVING = (
    ServerRule(
        Rule(
            "withdraw",
            "Withdraw may be repeated, revokes the session, and later calls fail with"
            " SESSION_WITHDRAWN.",
            "agent.proto, Withdraw",
        ),
        withdraw,
    ),
)
TO_THE_END = (
    ServerRule(
        Rule(
            "all-done",
            "When nothing is left to play, BeginEpisode returns AllDone, again and again.",
            "agent.proto, AllDone",
        ),
        all_done,
    ),
)
LIMIT = (
    ServerRule(
        Rule(
            "rate-limit",
            "Calls over max_calls_per_second fail with RATE_LIMITED and a RetryInfo, for a moment.",
            "agent.proto, Limits.max_calls_per_second",
        ),
        rate_limit,
    ),
)
ENDING_RULES = (*LEAVING, *TO_THE_END, *LIMIT)


# --- What else the agents' listener serves, and what it must not

TELLING = ("score", "reward", "success", "task_id", "expert", "solution", "goal_condition")
"""Words in a field's name that would reveal to an agent how it performs, or what it plays."""
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
    """The fields of all messages that an agent can receive, as reflection lists them."""
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
        return failure("reflection of AgentService", "no revealing field", ", ".join(found))
    return ()


def _messages(file: FileDescriptorProto) -> list[DescriptorProto]:
    return list(file.message_type) if file.package.startswith("houseguest") else []


def _reflect(
    probe: Probe, request: reflection_pb2.ServerReflectionRequest
) -> reflection_pb2.ServerReflectionResponse:
    """One answer of the reflection service. Raises BlockedError."""
    stub = reflection_pb2_grpc.ServerReflectionStub(  # type: ignore[no-untyped-call] # comes without types
        probe.connection.channel
    )
    try:
        call = stub.ServerReflectionInfo(iter([request]), timeout=probe.connection.timeout)
        answer: reflection_pb2.ServerReflectionResponse = next(iter(call))
        return answer
    except (grpc.RpcError, StopIteration) as error:
        raise BlockedError(f"reflection is not served: {error}") from error


LISTENER_RULES = (
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
             " success or a task, except for practice.", "docs/protocol.md, Two services"),
        tells_nothing,
    ),
    ServerRule(
        Rule("unknown-method", "A method that does not exist fails with UNIMPLEMENTED.",
             "docs/protocol.md, Errors"),
        unknown_method,
    ),
)  # fmt: skip
