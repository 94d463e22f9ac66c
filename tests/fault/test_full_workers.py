"""More sessions than workers have places for: all play where they may, and others hear why not."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import grpc
import pytest
from houseguest.control.v1 import control_pb2

from env_service.engine import pool
from env_service.gateway.limits import ServiceLimits
from tests.support.command_line import until
from tests.support.service import (
    LAB,
    TIMEOUT,
    OpenService,
    RawAgent,
    open_service,
    reason_of,
    skill,
)

PLACES = 64
"""Episodes that one worker of the laboratory's light world hosts."""


def workers(service: OpenService) -> int:
    """How many worker processes the newest run may have."""
    run = next(iter(service.server.environment._runs.values()))
    return len(run.context.engine._pool._slots)  # type: ignore[attr-defined]


def test_every_session_that_may_play_has_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    sessions = PLACES + 2
    with open_service(ServiceLimits(max_sessions=sessions)) as service:
        run = service.open_run(repeats=2, sessions=sessions)
        agents = [service.agent(run, number) for number in range(sessions)]
        for agent in agents:
            # Answered although nobody has ended an episode.
            assert agent.begin().HasField("episode")
        for agent in agents:
            agent.close()


@pytest.mark.parametrize(
    ("asked", "setting", "expected"), [(0, 0, 1), (0, 3, 3), (2, 3, 2), (40, 0, 4)]
)
def test_a_run_has_the_workers_that_were_asked_for(
    monkeypatch: pytest.MonkeyPatch, asked: int, setting: int, expected: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    with open_service(ServiceLimits(workers=setting)) as service:
        create(service, workers=asked, limit=4, parallel_sessions=4)
        assert workers(service) == expected


def test_a_number_of_workers_beyond_the_bound() -> None:
    with open_service() as service, pytest.raises(grpc.RpcError) as caught:
        create(service, workers=1025)
    assert reason_of(caught.value) == "BAD_RUN"
    assert "workers is 1025; it has to be from 0 to 1024" in str(caught.value)


class TestWaiting:
    @pytest.fixture
    def service(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenService]:
        monkeypatch.setattr(pool, "POSITION_SECONDS", 0.05)
        with open_service() as opened, ThreadPoolExecutor() as self.threads:
            yield opened

    def test_a_begin_that_waits_for_a_worker_tells_its_place(self, service: OpenService) -> None:
        created = create(service, workers=1, world="heavy", parallel_sessions=3, limit=9)
        agents = [RawAgent(service.address, token) for token in created.lease_tokens]
        for agent in agents:
            agent.attach()
        told: list[list[int]] = [[], [], []]
        for agent, positions in zip(agents, told, strict=True):
            threading.Thread(target=listen, args=(agent, positions), daemon=True).start()
        first, second, third = agents
        first.begin()
        waiting = [self.begin(second, told[1])]
        until(lambda: told[1] == [1])
        waiting.append(self.begin(third, told[2]))
        until(lambda: told[2] == [2])
        assert self.sessions_waiting(service, created) == 2
        first.step(skill("win"))
        assert waiting[0].result(TIMEOUT).HasField("episode")
        until(lambda: told[2] == [2, 1])
        second.step(skill("win"))
        assert waiting[1].result(TIMEOUT).HasField("episode")
        assert self.sessions_waiting(service, created) == 0
        assert told[0] == []
        for agent in agents:
            agent.close()

    def begin(self, agent: RawAgent, told: list[int]) -> Future[Any]:
        assert told == []
        return self.threads.submit(agent.begin)

    def sessions_waiting(self, service: OpenService, created: control_pb2.CreateRunResponse) -> int:
        asked = control_pb2.GetRunRequest(run_id=created.run.run_id)
        return (
            service.control()
            .GetRun(asked, metadata=service.operator, timeout=TIMEOUT)
            .run.sessions_waiting
        )


def create(service: OpenService, **changes: Any) -> control_pb2.CreateRunResponse:
    """A run, as an operator creates it."""
    request = control_pb2.CreateRunRequest(request_id="r", suite=LAB, **changes)
    return service.control().CreateRun(request, metadata=service.operator, timeout=TIMEOUT)


def listen(agent: RawAgent, positions: list[int]) -> None:
    """Notes the positions that an agent is told."""
    try:
        for event in agent.events:
            if event.HasField("queued"):
                positions.append(event.queued.position)
    except grpc.RpcError:
        return
