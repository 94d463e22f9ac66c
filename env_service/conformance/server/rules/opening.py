"""From the first call to the grant."""

from __future__ import annotations

from houseguest.agent.v1 import agent_pb2, observation_pb2

from env_service.conformance.judgement import Judgement, NotApplicable
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule
from env_service.conformance.server.answers import Answer
from env_service.conformance.server.connection import bearer
from env_service.conformance.server.probe import Probe
from env_service.conformance.server.rule import ServerRule, first, wants_error, wants_response

NO_MESSAGE = b"\xff\xff\xff"
"""Bytes that are no protobuf message."""
NO_FEATURE = 99


def hello(probe: Probe) -> Judgement:
    """Revision, features and limits."""
    told = probe.say_hello()
    sent = "Hello"
    if not 1 <= told.min_protocol_revision <= told.protocol_revision:
        expected = "1 <= min_protocol_revision <= protocol_revision"
        came = f"{told.min_protocol_revision} and {told.protocol_revision}"
        return failure(sent, expected, came)
    limits = told.limits
    zero = [
        name
        for name in ("max_message_bytes", "max_action_bytes", "max_calls_per_second")
        if not getattr(limits, name)
    ]
    if zero:
        return failure(sent, "limits above 0", f"0 for {', '.join(zero)}")
    again = probe.say_hello()
    return () if again == told else failure("Hello, twice", "the same answer", "another one")


def no_token(probe: Probe) -> Judgement:
    """A call without credentials."""
    request = agent_pb2.HelloRequest(protocol_revision=1)
    answer = probe.call("Hello", request, metadata=())
    return wants_error("Hello without a token", answer, "TOKEN_MISSING")


def bad_token(probe: Probe) -> Judgement:
    """Credentials that nobody issued."""
    request = agent_pb2.HelloRequest(protocol_revision=1)
    made_up = probe.call("Hello", request, metadata=bearer("made-up"))
    token = probe.tokens[0]
    altered = token[:-1] + ("A" if token[-1] != "A" else "B")
    # The last letter of a base64 text may hold spare bits, so another one is altered, too.
    altered = ("A" if altered[0] != "A" else "B") + altered[1:]
    changed = probe.call("Hello", request, metadata=bearer(altered))
    return first(
        wants_error("Hello with the token 'made-up'", made_up, "TOKEN_INVALID"),
        wants_error("Hello with the token, two letters of it changed", changed, "TOKEN_INVALID"),
    )


def malformed(probe: Probe) -> Judgement:
    """Bytes that are no message."""
    answers = [probe.call(method, NO_MESSAGE) for method in ("Hello", "BeginEpisode", "Step")]
    return first(
        *(
            wants_error(f"{answer.method} with bytes that are no message", answer,
                        "MALFORMED_REQUEST")
            for answer in answers
        )
    )  # fmt: skip


def unknown_feature(probe: Probe) -> Judgement:
    """A feature that nobody offers."""
    request = agent_pb2.AttachRequest()
    request.required_features.append(agent_pb2.Feature.ValueType(NO_FEATURE))
    answer = _refused(probe, request)
    return wants_error(f"Attach that requires feature {NO_FEATURE}", answer, "FEATURE_NOT_OFFERED")


def unknown_channel(probe: Probe) -> Judgement:
    """A channel that nobody renders."""
    image = observation_pb2.ImageRequest(channel=observation_pb2.Channel.ValueType(NO_FEATURE))
    asked = observation_pb2.ObservationRequest(images=[image])
    answer = _refused(probe, agent_pb2.AttachRequest(observation=asked))
    sent = f"Attach that asks for pictures of channel {NO_FEATURE}"
    return wants_error(sent, answer, "OBSERVATION_NOT_OFFERED", "MALFORMED_REQUEST")


def grant(probe: Probe) -> Judgement:
    """The events up to the grant, and what stands in it."""
    granted = probe.seat()
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
    """A session id that is not the token's."""
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
    """A reset, which only practice has."""
    field = agent_pb2.BeginEpisodeRequest.DESCRIPTOR.fields_by_name.get("practice")
    if field is None or probe.say_hello().protocol_revision < 3:
        return NotApplicable("the house speaks a revision without practice")
    if agent_pb2.FEATURE_PRACTICE in probe.hello.features:
        return NotApplicable("the lease is one for practice")
    probe.fresh()
    request = probe.begin_request(probe.ordinal)
    request.practice.SetInParent()
    answer = probe.call("BeginEpisode", request)
    told = probe.call("GetEpisode", probe.get_request())
    return first(
        wants_error("BeginEpisode with a PracticeReset", answer, "PRACTICE_ONLY"),
        wants_response("GetEpisode of the episode that was open then", told),
    )


def _refused(probe: Probe, request: agent_pb2.AttachRequest) -> Answer:
    """What an Attach fails with that must not succeed."""
    attachment = probe.connection.attach(request, probe.metadata)
    _, event = attachment.until("granted")
    attachment.cancel()
    if isinstance(event, Answer):
        return probe.noted(event)
    return Answer("Attach", response=event or agent_pb2.Granted())


RULES = (
    ServerRule(
        Rule("hello", "Hello tells revisions, features and limits, alike each time.",
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
        Rule("malformed", "Bytes that are no message fail with MALFORMED_REQUEST.",
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
        Rule("grant", "Attach tells places in the queue, then one grant with session, epoch, resume"
             " token, and one encoding a channel.", "agent.proto, Granted"),
        grant,
    ),
    ServerRule(
        Rule("foreign-session", "A call that names another session fails with SESSION_FOREIGN.",
             "docs/protocol.md, Errors"),
        foreign_session,
    ),
    ServerRule(
        Rule("seat-taken", "A second Attach with the token of a session that plays fails with"
             " SEAT_TAKEN.", "agent.proto, Attach"),
        seat_taken,
    ),
    ServerRule(
        Rule("practice-only", "A PracticeReset outside practice fails with PRACTICE_ONLY, and"
             " changes nothing.", "agent.proto, BeginEpisode"),
        practice_only,
    ),
)  # fmt: skip
