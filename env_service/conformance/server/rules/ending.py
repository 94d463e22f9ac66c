"""What uses the run or a seat up: the limit of calls, leaving, the last episode."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator

import grpc
from google.protobuf.message import Message
from houseguest.agent.v1 import agent_pb2

from env_service.conformance.judgement import Judgement, NotApplicable
from env_service.conformance.report import failure
from env_service.conformance.rules import Rule
from env_service.conformance.server.answers import Answer, read_error
from env_service.conformance.server.probe import Probe
from env_service.conformance.server.rule import ServerRule, wants_error, wants_response

FASTEST = 1000
"""Calls in a second that a limit may allow for this kit to reach it."""
_SECONDS_OF_CALLS = 4
_ENOUGH = 10
_AT_ONCE = 32
"""Fewer than the streams that any server lets a channel have."""


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
    sent = f"{len(answers)} calls as fast as can be, where {limit} a second are allowed"
    if not refused:
        return failure(sent, "RATE_LIMITED for some", "none was refused")
    for answer in refused:
        probe.noted(answer)
        if not answer.is_error("RATE_LIMITED") or not answer.retry:
            return failure(sent, "RATE_LIMITED with a RetryInfo", str(answer))
    time.sleep(1.0)
    return wants_response("a call one second later", probe.call("EndEpisode", request))


def _many(probe: Probe, request: Message, number: int) -> Iterator[Answer]:
    """So many calls, a few of them under way at any moment, or until enough were refused: a
    house may dismiss who is refused all the time."""
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
    """Leaving, with a seat of its own."""
    if agent_pb2.FEATURE_WITHDRAW not in probe.say_hello().features:
        return NotApplicable("the house does not offer FEATURE_WITHDRAW")
    if len(probe.tokens) < 2:
        return NotApplicable("it takes a second token: --tokens")
    other = Probe(probe.connection, probe.tokens[1:])
    other.record = probe.record
    other.seat()
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
    """Every episode that is left, given up at once."""
    most = 2 * probe.seat().episodes_total + 10
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


def _result(call: grpc.Future[agent_pb2.EndEpisodeResponse]) -> Answer:
    try:
        return Answer("EndEpisode", call.result())
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
            "When nothing is left to play, BeginEpisode brings AllDone, again and again.",
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
RULES = (*LEAVING, *TO_THE_END, *LIMIT)
