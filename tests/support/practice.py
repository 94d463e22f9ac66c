"""A practice in a service of a test, and agents for it that are nothing but stubs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from houseguest.agent.v1 import agent_pb2

from env_service.gateway.practice import Practice, PracticeRequest
from tests.support.service import LAB, TIMEOUT, OpenService, RawAgent


@contextmanager
def practising(service: OpenService, suite: str = LAB, **request: Any) -> Iterator[Practice]:
    """An open practice, closed again at the end."""
    practice = service.call(
        service.server.environment.open_practice(PracticeRequest(suite, **request))
    )
    try:
        yield practice
    finally:
        service.call(practice.close())


def tokens(service: OpenService, practice: Practice) -> list[str]:
    """One a session."""
    lease_token = service.server.environment.lease_token
    return [lease_token(practice, number) for number in range(practice.session_count)]


def pupil(service: OpenService, practice: Practice, number: int = 0, **attach: Any) -> RawAgent:
    """An attached agent."""
    agent = RawAgent(service.address, tokens(service, practice)[number])
    agent.attach(**attach)
    return agent


def reset(agent: RawAgent, seed: int | None = None) -> agent_pb2.Episode:
    """Begins the task anew, and makes that the agent's episode."""
    request = reset_request(agent, agent.ordinal, seed)
    answer = agent.stub.BeginEpisode(request, metadata=agent.metadata, timeout=TIMEOUT)
    agent.episode, agent.index = answer.episode, 0
    agent.ordinal += 1
    return agent.episode


def reset_request(
    agent: RawAgent, ordinal: int, seed: int | None = None
) -> agent_pb2.BeginEpisodeRequest:
    """A reset under any ordinal."""
    practice = agent_pb2.PracticeReset(seed=seed)
    return agent_pb2.BeginEpisodeRequest(**agent.who, episode_ordinal=ordinal, practice=practice)
