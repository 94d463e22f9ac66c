"""A service that plays for a long time holds no more than one that has just begun."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2
from houseguest.control.v1 import control_pb2

from env_service.gateway import environment_service as service_module
from env_service.gateway import run_state
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
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

BYTES_AN_EPISODE = 800
"""Of the service's and this test's memory together, most of it noise; 2.6 KiB where the service
keeps what it need not."""


@pytest.fixture
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def traced() -> int:
    """Bytes that Python objects take."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def test_an_episode_that_is_over_leaves_nothing_in_memory(
    service: OpenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_state, "RECENT", 5)
    monkeypatch.setattr(run_state, "BATCH", 5)
    agent = service.agent(service.open_run(repeats=20))

    def play(episodes: int) -> None:
        for _ in range(episodes):
            agent.begin()
            agent.step(skill("win"))

    tracemalloc.start()
    try:
        play(100)
        before = traced()
        play(200)
        grown = traced() - before
    finally:
        tracemalloc.stop()
    assert grown / 200 < BYTES_AN_EPISODE
    agent.close()


def test_a_watcher_that_comes_late_hears_what_has_left_the_memory(
    service: OpenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_state, "RECENT", 5)
    monkeypatch.setattr(run_state, "BATCH", 3)
    run = service.open_run(limit=10)
    agent = service.agent(run)
    agent.play_out()
    until(lambda: run.over)
    assert len(run.events._recent) < 8
    request = control_pb2.WatchRunRequest(run_id=run.run_id)
    watch = service.control().WatchRun(request, metadata=service.operator, timeout=TIMEOUT)
    events = list(watch)
    assert [event.cursor for event in events] == list(range(1, 23))
    assert sum(event.HasField("episode_closed") for event in events) == 10
    agent.close()


class TestPastRuns:
    @pytest.fixture(autouse=True)
    def few(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A service that lets go of all but the latest run, and forgets all but two others."""
        monkeypatch.setattr(service_module, "MOST_WHOLE", 1)
        monkeypatch.setattr(service_module, "MOST_PAST", 2)

    def play(self, service: OpenService, number: int) -> tuple[Run, str]:
        """A run of two tasks played to its end, and its token."""
        run = service.open_run(limit=2, agent=f"agent-{number}")
        token = service.token(run)
        agent = service.agent(run)
        assert agent.play_out() == 2
        agent.close()
        ended = service.server.environment._ended
        until(lambda: run.run_id in ended or run.run_id in service.server.environment._past)
        return run, token

    def test_the_operator_still_hears_how_a_run_ended_that_was_let_go(
        self, service: OpenService
    ) -> None:
        control = service.control()
        options: dict[str, Any] = {"metadata": service.operator, "timeout": TIMEOUT}
        run, token = self.play(service, 0)
        name = run.run_id
        asked = control_pb2.GetRunRequest(run_id=name)
        told = control.GetRun(asked, **options)
        events = list(control.WatchRun(control_pb2.WatchRunRequest(run_id=name), **options))
        alive = weakref.ref(run.schedule)
        del run
        self.play(service, 1)
        until(lambda: gone(alive), 20)
        assert control.GetRun(asked, **options) == told
        assert told.run.state == RunState.SUCCEEDED
        again = control.WatchRun(
            control_pb2.WatchRunRequest(run_id=name, after_cursor=1), **options
        )
        assert list(again) == events[1:]
        assert name in [
            each.run_id for each in control.ListRuns(control_pb2.ListRunsRequest(), **options).runs
        ]
        assert control.CancelRun(control_pb2.CancelRunRequest(run_id=name), **options) is not None
        lease = control_pb2.IssueLeaseRequest(run_id=name)
        assert failed(lambda: control.IssueLease(lease, **options)) == "RUN_OVER"
        assert failed(lambda: hello(service, token)) == "RUN_OVER"

    def test_the_oldest_of_many_runs_are_forgotten(self, service: OpenService) -> None:
        names = [self.play(service, number)[0].run_id for number in range(4)]
        control = service.control()
        listed = control.ListRuns(
            control_pb2.ListRunsRequest(), metadata=service.operator, timeout=TIMEOUT
        )
        assert [run.run_id for run in listed.runs] == names[:0:-1]
        asked = control_pb2.GetRunRequest(run_id=names[0])
        assert (
            failed(lambda: control.GetRun(asked, metadata=service.operator, timeout=TIMEOUT))
            == "RUN_NOT_FOUND"
        )
        inside = service.server.environment
        assert {lease.run_id for lease in inside._issued} <= set(names[3:])
        assert {lease.run_id for lease in inside.violations._known} <= set(names[3:])

    def test_a_request_whose_run_was_let_go_is_answered_as_before(
        self, service: OpenService
    ) -> None:
        control = service.control()
        options: dict[str, Any] = {"metadata": service.operator, "timeout": TIMEOUT}
        request = control_pb2.CreateRunRequest(request_id="r", suite=LAB, limit=1, agent="asked")
        created = control.CreateRun(request, **options)
        run_id = created.run.run_id
        control.CancelRun(control_pb2.CancelRunRequest(run_id=run_id), **options)
        for number in range(2):
            self.play(service, number)
        again = control.CreateRun(request, **options)
        assert (again.run.run_id, list(again.lease_tokens)) == (run_id, [])
        for number in range(2, 4):
            self.play(service, number)
        # The service does not know the run any more: the request goes on with it.
        taken_up = control.CreateRun(request, **options)
        assert (taken_up.run.run_id, len(taken_up.lease_tokens)) == (run_id, 1)
        # A lease of a run that was taken up again is not one of those before.
        assert failed(lambda: hello(service, created.lease_tokens[0], attach=True)) == (
            "SESSION_REPLACED"
        )

    def test_an_agent_that_still_holds_its_seat_is_told_that_its_session_is_over(
        self, service: OpenService
    ) -> None:
        run = service.open_run(limit=1, agent="slow")
        agent = service.agent(run)
        agent.begin()
        agent.step(skill("win"))
        inside = service.server.environment
        until(lambda: run.run_id in inside._ended)
        for number in range(2):
            self.play(service, number)
        # Agents that have heard that all is done go first.
        assert run.run_id in inside._ended

        async def time_is_up() -> None:
            inside._forget_run(run.run_id)

        service.call(time_is_up())
        assert [event.revoked.reason for event in agent.events][-1] == "SESSION_ENDED"
        agent.close()


def gone(alive: Callable[[], object]) -> bool:
    """Whether nobody holds an object any more."""
    gc.collect()
    return alive() is None


def hello(service: OpenService, token: str, *, attach: bool = False) -> None:
    """Calls as the holder of a token."""
    agent = RawAgent(service.address, token)
    try:
        if attach:
            agent.attach()
        agent.stub.Hello(agent_pb2.HelloRequest(), metadata=agent.metadata, timeout=TIMEOUT)
    finally:
        agent.close()


def failed(call: Callable[[], object]) -> str:
    """The reason of a call that has to fail."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    return reason_of(caught.value)
