"""Play: the same requests and answers on one stream."""

from __future__ import annotations

from houseguest.agent.v1 import agent_pb2 as pb

from env_service.conformance.judgement import Judgement, NotApplicable
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule
from env_service.conformance.server.answers import Answer
from env_service.conformance.server.connection import PlayStream
from env_service.conformance.server.probe import Probe
from env_service.conformance.server.rule import Check, ServerRule
from env_service.conformance.server.rules.opening import NO_MESSAGE

NOT_OFFERED = NotApplicable("the house does not offer FEATURE_STREAMING_PLAY")


def _where_offered(check: Check) -> Check:
    def checked(probe: Probe) -> Judgement:
        offered = pb.FEATURE_STREAMING_PLAY in probe.say_hello().features
        return check(probe) if offered else NOT_OFFERED

    return checked


@_where_offered
def alike(probe: Probe) -> Judgement:
    """The same requests, on the stream and as calls."""
    probe.fresh()
    step = probe.step_request(probe.action())
    begin = probe.begin_request(probe.ordinal - 1)
    stream = probe.connection.play(probe.metadata)
    try:
        began = stream.ask(pb.PlayRequest(request_id=7, begin_episode=begin))
        stepped = stream.ask(pb.PlayRequest(request_id=2**63, step=step))
        unary = probe.call("Step", step)
        if unary.code is None:
            probe.took(unary.response)
        end = pb.EndEpisodeRequest(**probe.who, episode_id=probe.episode.episode_id)
        ended = stream.ask(pb.PlayRequest(request_id=0, end_episode=end))
        probe.open = False
        unary_end = probe.call("EndEpisode", end)
    finally:
        stream.close()
    return _compare(
        (7, "begin_episode", began, Answer("BeginEpisode", _begun(probe))),
        (2**63, "step", stepped, unary),
        (0, "end_episode", ended, unary_end),
    )


def _begun(probe: Probe) -> pb.BeginEpisodeResponse:
    return pb.BeginEpisodeResponse(episode=probe.episode)


def _compare(*pairs: tuple[int, str, pb.PlayResponse | Answer, Answer]) -> Judgement:
    for request_id, kind, streamed, unary in pairs:
        sent = f"{kind} on Play, and the same as a call"
        if isinstance(streamed, Answer) or unary.code is not None:
            return failure(sent, "the same response twice", f"{streamed} and {unary}")
        if streamed.request_id != request_id:
            came = f"request_id {streamed.request_id}"
            return failure(sent, f"request_id {request_id} in the answer", came)
        if streamed.WhichOneof("response") != kind or getattr(streamed, kind) != unary.response:
            came = f"{' '.join(str(streamed).split())[:160]} and {unary}"
            return failure(sent, "the same response twice", came)
    return ()


@_where_offered
def refusals(probe: Probe) -> Judgement:
    """Requests that fail, as calls and on the stream."""
    probe.fresh()
    late = probe.step_request(probe.action(), 5)
    soon = probe.begin_request(probe.ordinal)
    stream = probe.connection.play(probe.metadata)
    try:
        pairs = (
            (stream.ask(pb.PlayRequest(request_id=1, step=late)), probe.call("Step", late)),
            (
                stream.ask(pb.PlayRequest(request_id=2, begin_episode=soon)),
                probe.call("BeginEpisode", soon),
            ),
        )
        for streamed, unary in pairs:
            found = _refused_alike(streamed, unary)
            if found:
                return found
        return _malformed(stream)
    finally:
        stream.close()


def _refused_alike(streamed: pb.PlayResponse | Answer, unary: Answer) -> Judgement:
    sent = f"a {unary.method} that fails with {unary.reason}, on Play"
    told = streamed.error if isinstance(streamed, pb.PlayResponse) else pb.Refusal()
    same = unary.code is not None and told.code == unary.code.value[0]
    if same and told.reason == (unary.reason or unary.info):
        return ()
    return failure(sent, "a Refusal of the same code and reason", str(streamed))


def _malformed(stream: PlayStream) -> Judgement:
    for sent, request in (
        ("a PlayRequest without a request", pb.PlayRequest(request_id=3)),
        ("bytes that are no PlayRequest", NO_MESSAGE),
    ):
        came = stream.ask(request)
        if isinstance(came, Answer) or came.error.reason != "MALFORMED_REQUEST":
            expected = "a Refusal MALFORMED_REQUEST, on a stream that stays open"
            return failure(sent, expected, " ".join(str(came).split()))
    return ()


RULES = (
    ServerRule(
        Rule("play-answers-alike", "Play answers a request as the call does, with the request's"
             " id.", "agent.proto, Play"),
        alike,
    ),
    ServerRule(
        Rule("play-stays-open", "A request on Play that fails, or is malformed, is answered with a"
             " Refusal, and the stream stays open.", "agent.proto, Play and PlayRequest"),
        refusals,
    ),
)  # fmt: skip
