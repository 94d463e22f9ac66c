"""A link that loses answers, and a client that is impatient: is every step taken once?"""

from __future__ import annotations

import random
import time
from typing import Any, Self

import grpc
from houseguest.agent.v1 import action_pb2, agent_pb2, agent_pb2_grpc

from benchmarks.own import LabService

SLOW_SECONDS, DEADLINE_SECONDS = 0.05, 0.02
SLOW_SHARE = 0.02
"""Of the steps take longer than the client's deadline."""

PATIENCE_SECONDS = 5.0
"""A service that answers no request for a step in this time is gone."""

_IMPATIENT = (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE)


def inject(*, steps: int, lost: float, seed: int) -> dict[str, Any]:
    """Plays ``steps`` steps with unary calls, losing that share of the answers.

    An answer is lost by not looking at it: the request is sent again, as it would be by an
    agent that never got it. Returns how often that happened, and whether every answer
    belonged to its step, in order, with each step executed once. Raises RuntimeError when the
    service answers no longer.
    """
    with LabService(frame=False) as service, _Agent(service.address, service.tokens[0]) as agent:
        return _inject(agent, steps, lost, random.Random(seed))


def _inject(agent: _Agent, steps: int, lost: float, generator: random.Random) -> dict[str, Any]:
    repeats = late = wrong = 0
    started = time.perf_counter()
    for index in range(steps):
        slow = generator.random() < SLOW_SHARE
        action = _action(slow=slow)
        given_up = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = agent.step(action, index)
            if answer is None:
                late += 1
                if time.monotonic() > given_up:
                    raise RuntimeError(f"no answer to step {index} for {PATIENCE_SECONDS:g} s")
            elif generator.random() < lost:
                repeats += 1
            else:
                break
        executed = int(answer.observation.text.rsplit(" ", 1)[1])
        wrong += (answer.step_index, executed) != (index, index + 1)
    seconds = time.perf_counter() - started
    told = agent.executions()
    agent.step(action_pb2.Action(skill=action_pb2.SkillCall(name="win")), steps, deadline=10.0)
    agent.leave()
    return {
        "steps": steps,
        "executions": told,
        "lost_answers": repeats,
        "missed_deadlines": late,
        "wrong_answers": wrong,
        "seconds": round(seconds, 1),
    }


def _action(*, slow: bool) -> action_pb2.Action:
    if not slow:
        return action_pb2.Action(skill=action_pb2.SkillCall(name="noop"))
    pair = action_pb2.Argument(name="seconds", value=str(SLOW_SECONDS))
    return action_pb2.Action(skill=action_pb2.SkillCall(name="slow", arguments=[pair]))


class _Agent:
    """Bare stubs: nothing here repeats a call by itself."""

    def __init__(self, address: str, token: str) -> None:
        self._channel = grpc.insecure_channel(address)
        self._stub = agent_pb2_grpc.AgentServiceStub(self._channel)
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._events = self._stub.Attach(agent_pb2.AttachRequest(), metadata=self._metadata)
        granted = next(event.granted for event in self._events if event.HasField("granted"))
        self._who: dict[str, Any] = {
            "session_id": granted.session_id,
            "session_epoch": granted.session_epoch,
        }
        begin = agent_pb2.BeginEpisodeRequest(**self._who)
        begun = self._stub.BeginEpisode(begin, metadata=self._metadata)
        self._episode_id = begun.episode.episode_id

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def step(
        self, action: action_pb2.Action, index: int, deadline: float = DEADLINE_SECONDS
    ) -> agent_pb2.StepResponse | None:
        """The answer, or None when it did not come in time."""
        request = agent_pb2.StepRequest(
            **self._who, episode_id=self._episode_id, step_index=index, action=action
        )
        try:
            return self._stub.Step(request, metadata=self._metadata, timeout=deadline)
        except grpc.RpcError as error:
            if error.code() not in _IMPATIENT:
                raise
            return None

    def executions(self) -> int:
        """How many steps the service says it has executed."""
        request = agent_pb2.GetEpisodeRequest(**self._who, episode_id=self._episode_id)
        return len(self._stub.GetEpisode(request, metadata=self._metadata).history)

    def leave(self) -> None:
        """Hears that nothing is left."""
        begin = agent_pb2.BeginEpisodeRequest(**self._who, episode_ordinal=1)
        self._stub.BeginEpisode(begin, metadata=self._metadata)
