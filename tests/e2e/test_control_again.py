"""Runs that are created again: while they are played, after a cancel, after a failure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from houseguest.control.v1 import control_pb2

from tests.support.service import LAB, OpenService, RawAgent, open_service, reason_of, skill


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


def create(service: OpenService, request_id: str, **changes: Any) -> control_pb2.CreateRunResponse:
    fields: dict[str, Any] = {"suite": LAB, "limit": 2} | changes
    request = control_pb2.CreateRunRequest(request_id=request_id, **fields)
    return service.control().CreateRun(request, metadata=service.operator)


def cancel(service: OpenService, run_id: str) -> None:
    request = control_pb2.CancelRunRequest(run_id=run_id)
    service.control().CancelRun(request, metadata=service.operator)


def refused(service: OpenService, reason: str, request_id: str, **changes: Any) -> str:
    with pytest.raises(grpc.RpcError) as caught:
        create(service, request_id, **changes)
    assert reason_of(caught.value) == reason
    return str(caught.value.details())


def test_a_cancelled_run_goes_on_at_once_and_its_old_leases_are_void(service: OpenService) -> None:
    first = create(service, "one", agent="again")
    agent = RawAgent(service.address, first.lease_tokens[0])
    agent.attach()
    agent.begin()
    agent.step(skill("win"))
    cancel(service, first.run.run_id)
    second = create(service, "two", agent="again")
    assert second.run.run_id == first.run.run_id
    assert second.run.episodes_done == 1
    with pytest.raises(grpc.RpcError) as caught:
        RawAgent(service.address, first.lease_tokens[0]).attach()
    assert reason_of(caught.value) == "SESSION_REPLACED"
    newcomer = RawAgent(service.address, second.lease_tokens[0])
    newcomer.attach()
    assert newcomer.play_out() == 1
    watch = control_pb2.WatchRunRequest(run_id=first.run.run_id)
    events = list(service.control().WatchRun(watch, metadata=service.operator))
    assert [event.cursor for event in events] == list(range(1, len(events) + 1))
    closed = [event.episode_closed.task_id for event in events if event.HasField("episode_closed")]
    assert closed == ["lab/0", "lab/1"]


def test_one_that_is_being_played_is_not_opened_twice(service: OpenService) -> None:
    run = create(service, "three", agent="busy").run
    message = refused(service, "RUN_NOT_OPENED", "four", agent="busy")
    assert str(run.folder) in message
    assert "another agent or seed makes another run" in message
    cancel(service, run.run_id)
    assert create(service, "four", agent="busy").run.run_id == run.run_id
    cancel(service, run.run_id)


def test_a_repeat_gets_the_same_tokens(service: OpenService) -> None:
    one = create(service, "five", agent="same", parallel_sessions=2)
    again = create(service, "five", agent="same", parallel_sessions=2)
    assert list(one.lease_tokens) == list(again.lease_tokens)
    cancel(service, one.run.run_id)


@pytest.mark.parametrize("seconds", [-5, 10**10])
def test_a_budget_that_makes_no_sense(service: OpenService, seconds: int) -> None:
    said = refused(service, "BAD_RUN", "six", time_budget=Duration(seconds=seconds))
    assert "time_budget" in said


@pytest.mark.parametrize("suite", ["no.such:Thing", "tests.support.lab:NoSuch"])
def test_a_suite_that_cannot_be_loaded(service: OpenService, suite: str) -> None:
    assert suite in refused(service, "BAD_RUN", "seven", suite=suite)
