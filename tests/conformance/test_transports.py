"""Single calls and Play are one path: the same requests get the same answers and consequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2

from env_service.domain.reasons import ProtocolError, Reason
from env_service.gateway.agent_session import AgentSession
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.violations import MOST_VIOLATIONS
from tests.support.service import OpenService, RawAgent, open_service, reason_of, skill

FIELDS = {
    agent_pb2.BeginEpisodeRequest: ("begin_episode", "BeginEpisode"),
    agent_pb2.StepRequest: ("step", "Step"),
    agent_pb2.EndEpisodeRequest: ("end_episode", "EndEpisode"),
}


@dataclass(frozen=True)
class Refusal:
    """Why a request was refused."""

    code: int
    reason: str
    message: str


Answer = Any
"""A response, or a Refusal."""


class Calls:
    """Sends each request as a call of its own."""

    def __init__(self, agent: RawAgent) -> None:
        self._agent = agent

    def ask(self, request: Any) -> Answer:
        """What comes back."""
        call = getattr(self._agent.stub, FIELDS[type(request)][1])
        try:
            return call(request, metadata=self._agent.metadata, timeout=60)
        except grpc.RpcError as error:
            status: Any = error
            return Refusal(status.code().value[0], reason_of(error), status.details())


class Play:
    """Sends all requests on one stream."""

    def __init__(self, agent: RawAgent) -> None:
        self._requests: SimpleQueue[Any] = SimpleQueue()
        requests = iter(self._requests.get, None)
        self._answers = agent.stub.Play(requests, metadata=agent.metadata, timeout=60)

    def ask(self, request: Any) -> Answer:
        """What comes back."""
        self._requests.put(agent_pb2.PlayRequest(**{FIELDS[type(request)][0]: request}))
        answer = next(self._answers)
        if answer.HasField("error"):
            return Refusal(answer.error.code, answer.error.reason, answer.error.message)
        return getattr(answer, FIELDS[type(request)][0])


TRANSPORTS: dict[str, Callable[[RawAgent], Calls | Play]] = {"calls": Calls, "Play": Play}


class Seated:
    """An agent in an episode, over one of the transports."""

    def __init__(self, service: OpenService, transport: str, episodes: int = 2) -> None:
        self.run = service.open_run(limit=episodes, fresh=True)
        self.agent = service.agent(self.run)
        self.ask = TRANSPORTS[transport](self.agent).ask
        self.index = 0
        self.ordinal = 0
        self.begin()

    def begin(self) -> None:
        """The next episode."""
        request = agent_pb2.BeginEpisodeRequest(**self.agent.who, episode_ordinal=self.ordinal)
        answer = self.ask(request)
        assert not isinstance(answer, Refusal), answer
        self.agent.episode, self.index = answer.episode, 0
        self.ordinal += 1

    def step(self) -> None:
        """The next step."""
        answer = self.ask(self.agent.step_request(skill("noop"), self.index))
        assert not isinstance(answer, Refusal), answer
        self.index += 1

    def end(self) -> None:
        """The end of the episode."""
        answer = self.ask(self.end_request())
        assert not isinstance(answer, Refusal), answer

    def end_request(self) -> agent_pb2.EndEpisodeRequest:
        """Gives the episode up."""
        return agent_pb2.EndEpisodeRequest(
            **self.agent.who,
            episode_id=self.agent.episode.episode_id,
            reason=agent_pb2.END_REASON_AGENT_GAVE_UP,
        )

    def offend(self, times: int = 1) -> Refusal:
        """Sends a step that is out of order so many times; the last refusal."""
        for _ in range(times):
            answer = self.ask(self.agent.step_request(skill("noop"), 77))
            assert isinstance(answer, Refusal)
        return answer


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


@pytest.fixture(params=TRANSPORTS)
def seated(service: OpenService, request: pytest.FixtureRequest) -> Iterator[Seated]:
    agent = Seated(service, request.param)
    yield agent
    agent.agent.close()


def test_a_step_forgives_the_refusals_before_it(seated: Seated) -> None:
    for _ in range(13):
        assert seated.offend(8).reason == "STEP_OUT_OF_ORDER"
        seated.step()


@pytest.mark.parametrize("forgiving", ["begin", "step", "end"])
def test_whatever_moves_the_session_on_forgives(seated: Seated, forgiving: str) -> None:
    if forgiving == "begin":
        seated.end()
    seated.offend(MOST_VIOLATIONS - 1)
    getattr(seated, forgiving)()
    seated.offend(MOST_VIOLATIONS - 1)
    if forgiving == "end":
        seated.begin()
    seated.step()


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_too_many_refusals_in_a_row_end_the_session(service: OpenService, transport: str) -> None:
    seated = Seated(service, transport, episodes=1)
    assert seated.offend(MOST_VIOLATIONS).reason == "STEP_OUT_OF_ORDER"
    service.call(seated.run.wait_until_over())
    (record,) = seated.run.context.folder.finished()
    assert record.failure == "protocol_error"
    answer = seated.ask(seated.agent.step_request(skill("noop"), 0))
    assert isinstance(answer, Refusal)
    assert answer.reason == "SESSION_DISMISSED"
    seated.agent.close()


def refusals(seated: Seated) -> list[Refusal]:
    """One of each kind, in an order in which each can come."""
    seated.step()
    elsewhere = agent_pb2.StepRequest(session_id="another", session_epoch=1)
    stale = seated.agent.step_request(skill("noop"), seated.index)
    stale.session_epoch = 0
    gone = seated.end_request()
    gone.episode_id = "another"
    still_open = agent_pb2.BeginEpisodeRequest(**seated.agent.who, episode_ordinal=1)
    requests = [
        agent_pb2.StepRequest(),
        elsewhere,
        stale,
        seated.agent.step_request(skill("noop"), 77),
        seated.agent.step_request(skill("refuse", code="UNKNOWN_OBJECT"), 0),
        still_open,
        gone,
        agent_pb2.EndEpisodeRequest(**seated.agent.who),
    ]
    return [seated.ask(request) for request in requests]


def test_refusals_are_alike(service: OpenService) -> None:
    both = []
    for transport in TRANSPORTS:
        seated = Seated(service, transport)
        both.append(refusals(seated))
        seated.agent.close()
    assert both[0] == both[1]
    assert all(isinstance(answer, Refusal) for answer in both[0])
    assert len({answer.reason for answer in both[0]}) >= 5


def test_a_fault_of_the_service_is_told_alike(
    seated: Seated, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def step(*_: Any) -> None:
        raise RuntimeError("a secret of the service")

    monkeypatch.setattr(AgentSession, "step", step)
    answer = seated.ask(seated.agent.step_request(skill("noop"), 0))
    assert answer == Refusal(13, "INTERNAL", Reason.INTERNAL.meaning)


def test_a_token_is_checked_at_every_request(
    service: OpenService, seated: Seated, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lease(_token: str) -> None:
        raise ProtocolError(Reason.TOKEN_EXPIRED)

    monkeypatch.setattr(service.server.environment, "lease", lease)
    answer = seated.ask(seated.agent.step_request(skill("noop"), 0))
    assert isinstance(answer, Refusal)
    assert answer.reason == "TOKEN_EXPIRED"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_the_rate_limit_counts_alike(transport: str) -> None:
    with open_service(ServiceLimits(calls_per_second=1, burst_seconds=10)) as service:
        seated = Seated(service, transport)
        for _ in range(9):
            seated.step()
        answer = seated.ask(seated.agent.step_request(skill("noop"), 9))
        assert isinstance(answer, Refusal)
        assert answer.reason == "RATE_LIMITED"
        assert "wait" in answer.message
        seated.agent.close()
