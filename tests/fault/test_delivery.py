"""Lost answers, impatient clients, broken streams: each step is executed once, in order."""

from __future__ import annotations

import queue
import random
import time
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from houseguest.agent.v1 import action_pb2, agent_pb2

from tests.support.service import TIMEOUT, OpenService, RawAgent, open_service, skill

NOOP, SLOW = skill("noop"), skill("slow", seconds="0.03")
DEADLINE = 0.01
"""Seconds: less than a slow step takes."""


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


@pytest.fixture
def agent(service: OpenService) -> Iterator[RawAgent]:
    """An agent in an episode that is as long as it likes."""
    run = service.open_run(limit=1, condition={"steps": "1000000"}, fresh=True)
    agent = service.agent(run)
    agent.begin()
    yield agent
    agent.close()
    service.call(run.drain())


class Tally:
    """What was asked for, and whether each answer is that of its own step."""

    def __init__(self, agent: RawAgent) -> None:
        self._agent = agent
        self._asked: list[action_pb2.Action] = []

    def check(self, answer: agent_pb2.StepResponse) -> None:
        """An answer to the step that was asked for last."""
        executed = len(self._asked)
        assert answer.step_index == executed - 1
        assert answer.observation.index == executed
        assert answer.observation.text.endswith(f" step {executed}")
        assert [outcome.feedback for outcome in answer.outcomes] == ["done"]

    def next(self, generator: random.Random, slow_share: float) -> agent_pb2.StepRequest:
        """Asks for one more step, which now and then takes its time."""
        self._asked.append(SLOW if generator.random() < slow_share else NOOP)
        return self._agent.step_request(self._asked[-1], len(self._asked) - 1)

    def close(self) -> None:
        """The service's own record of the episode holds each step once, in order."""
        told = self._agent.get_episode()
        assert [step.action for step in told.history] == self._asked
        assert told.next_step_index == len(self._asked)
        assert not told.step_in_flight


def test_answers_are_lost_and_deadlines_pass_on_unary_calls(agent: RawAgent) -> None:
    generator, tally = random.Random(2), Tally(agent)
    lost = late = 0
    for _ in range(2000):
        request, patience = tally.next(generator, slow_share=0.02), DEADLINE
        while True:
            try:
                answer = agent.stub.Step(request, metadata=agent.metadata, timeout=patience)
            except grpc.RpcError as error:
                assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
                late += 1
                patience *= 2
                assert patience < TIMEOUT, "the step is never answered"
                continue
            tally.check(answer)
            if generator.random() >= 0.1:
                break
            lost += 1
    tally.close()
    assert lost > 100
    assert late > 20


class Stream:
    """A Play stream that takes one request at a time."""

    def __init__(self, agent: RawAgent) -> None:
        self._requests: queue.SimpleQueue[agent_pb2.PlayRequest | None] = queue.SimpleQueue()
        requests = iter(self._requests.get, None)
        self.answers: Any = agent.stub.Play(requests, metadata=agent.metadata, timeout=6 * TIMEOUT)

    def send(self, request: agent_pb2.StepRequest) -> None:
        """Asks for a step, under its own index."""
        index = request.step_index
        self._requests.put(agent_pb2.PlayRequest(request_id=index, step=request))

    def cancel(self) -> None:
        """Breaks the stream."""
        self.answers.cancel()
        self._requests.put(None)


def test_streams_break_between_steps_and_within_them(agent: RawAgent) -> None:
    generator, tally, stream = random.Random(3), Tally(agent), Stream(agent)
    within = between = 0
    for _ in range(500):
        request = tally.next(generator, slow_share=0.05)
        stream.send(request)
        while generator.random() < 0.1:
            time.sleep(generator.choice([0, 0.001, DEADLINE]))
            stream.cancel()
            within += 1
            stream = Stream(agent)
            stream.send(request)
        answer = next(stream.answers)
        assert answer.request_id == request.step_index
        tally.check(answer.step)
        if generator.random() < 0.05:
            stream.cancel()
            between += 1
            stream = Stream(agent)
    stream.cancel()
    tally.close()
    assert within > 20
    assert between > 10


def test_a_step_whose_stream_broke_is_joined_by_a_unary_call(agent: RawAgent) -> None:
    generator, tally = random.Random(4), Tally(agent)
    for _ in range(10):
        request, stream = tally.next(generator, slow_share=1.0), Stream(agent)
        stream.send(request)
        time.sleep(DEADLINE)
        stream.cancel()
        tally.check(agent.stub.Step(request, metadata=agent.metadata, timeout=TIMEOUT))
    tally.close()
