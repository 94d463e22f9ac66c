"""A practice in a house of a test, and agents for it that are nothing but stubs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from houseguest.agent.v1 import agent_pb2

from env_service.gateway.practice import Practice, PracticeRequest
from tests.support.house import LAB, TIMEOUT, OpenHouse, RawAgent


@contextmanager
def practising(house: OpenHouse, suite: str = LAB, **request: Any) -> Iterator[Practice]:
    """An open practice, closed again at the end."""
    practice = house.call(
        house.service.environment.open_practice(PracticeRequest(suite, **request))
    )
    try:
        yield practice
    finally:
        house.call(practice.close())


def tokens(house: OpenHouse, practice: Practice) -> list[str]:
    """One a session."""
    lease_token = house.service.environment.lease_token
    return [lease_token(practice, number) for number in range(practice.session_count)]


def pupil(house: OpenHouse, practice: Practice, number: int = 0, **attach: Any) -> RawAgent:
    """An attached agent."""
    agent = RawAgent(house.address, tokens(house, practice)[number])
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
