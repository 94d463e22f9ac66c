"""In practice the service fails, or its agent does: the next beginning mends it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2

from env_service.engine.base import EngineError
from env_service.gateway import practice as practice_module
from env_service.gateway.limits import ServiceLimits
from tests.conformance.engine_kit import living_children
from tests.support.command_line import until
from tests.support.practice import practising, pupil, reset, reset_request
from tests.support.service import OpenService, open_service, reason_of, session_limits, skill

VOIDED = agent_pb2.EPISODE_STATUS_VOIDED
TRUNCATED = agent_pb2.EPISODE_STATUS_TRUNCATED


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


@pytest.fixture(scope="module")
def impatient() -> Iterator[OpenService]:
    """A service in which a step may take two seconds."""
    with open_service(replace(ServiceLimits(), environment_step_deadline=2.0)) as opened:
        yield opened


@pytest.mark.parametrize("deed", ["crash", "hang", "raise"])
def test_a_fault_voids_the_episode_and_the_next_one_begins(
    service: OpenService, impatient: OpenService, deed: str
) -> None:
    service = impatient if deed == "hang" else service
    with practising(service) as practice:
        agent = pupil(service, practice)
        agent.begin()
        answer = agent.step(skill(deed))
        assert answer.status == VOIDED
        assert not answer.HasField("practice_result")
        agent.begin()
        assert agent.step(skill("win")).practice_result.success


@pytest.mark.new_processes
def test_a_worker_that_is_killed_between_two_steps_voids_the_next(service: OpenService) -> None:
    before = _workers()
    with practising(service, world="heavy") as practice:
        agent = pupil(service, practice)
        reset(agent)
        (pid,) = _workers() - before
        os.kill(pid, signal.SIGKILL)
        assert agent.step(skill("noop")).status == VOIDED
        reset(agent)
        assert agent.step(skill("win")).practice_result.success


def test_a_task_that_never_begins_is_an_error_and_may_be_asked_for_again(
    service: OpenService,
) -> None:
    with practising(service, condition={"fault": "start_raise"}) as practice:
        agent = pupil(service, practice)
        for _ in range(2):
            with pytest.raises(grpc.RpcError) as caught:
                agent.begin()
            assert reason_of(caught.value) == "TASK_NOT_BEGUN"


def test_an_episode_that_cannot_be_scored_is_voided(service: OpenService) -> None:
    with practising(service, condition={"fault": "finish_raise"}) as practice:
        agent = pupil(service, practice)
        agent.begin()
        answer = agent.step(skill("win"))
        assert (answer.status, answer.HasField("practice_result")) == (VOIDED, False)
        reset(agent)


def test_a_reset_while_a_step_runs_waits_for_it(service: OpenService) -> None:
    with practising(service) as practice:
        agent = pupil(service, practice)
        agent.begin()
        slow = threading.Thread(target=agent.step, args=(skill("slow", seconds="3"),))
        slow.start()
        until(lambda: agent.get_episode().step_in_flight)
        with pytest.raises(grpc.RpcError) as caught:
            agent.stub.BeginEpisode(reset_request(agent, 1), metadata=agent.metadata)
        assert reason_of(caught.value) == "STEP_IN_FLIGHT"
        slow.join()
        assert reset(agent).episode_id


def test_a_seat_is_taken_over_from_a_holder_that_is_gone_in_the_middle_of_a_step(
    service: OpenService,
) -> None:
    with practising(service, world="heavy") as practice:
        lost = pupil(service, practice)
        lost.begin()
        request = lost.step_request(skill("slow", seconds="3"), 0)
        call = lost.stub.Step.future(request, metadata=lost.metadata)
        until(lambda: lost.get_episode().step_in_flight)
        call.cancel()
        lost.close()
        until(lambda: not practice.session(0, 0).has_listeners)  # type: ignore[union-attr]
        agent = pupil(service, practice)
        agent.begin()
        assert agent.step(skill("win")).practice_result.success


def test_an_agent_that_is_lost_leaves_its_seat_and_its_place() -> None:
    limits = session_limits(lease=1.0, grace=0.3)
    with (
        open_service(replace(limits, max_sessions=1)) as service,
        practising(service, world="heavy") as practice,
    ):
        lost = pupil(service, practice)
        lost.begin()
        lost.close()
        until(lambda: practice.session(0, 0).state.ended)  # type: ignore[union-attr]
        agent = pupil(service, practice)
        agent.begin()
        assert agent.step(skill("win")).practice_result.success


def test_an_agent_that_thinks_too_long_hears_how_it_stood(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice_module, "THINKING_SECONDS", 1.0)
    with open_service() as service, practising(service) as practice:
        agent = pupil(service, practice)
        agent.begin()
        time.sleep(1.5)
        answer = agent.step(skill("win"))
        assert answer.status == TRUNCATED
        assert answer.practice_result.failure == "agent_timeout"
        assert agent.begin().HasField("episode")


def test_a_practice_without_workers_closes_and_says_why(
    service: OpenService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with practising(service) as practice:

        async def no_worker(*_: object) -> None:
            raise EngineError("no worker starts: the disk is full")

        monkeypatch.setattr(practice.context.engine, "begin", no_worker)
        agent = pupil(service, practice)
        with pytest.raises(grpc.RpcError) as caught:
            agent.begin()
        assert reason_of(caught.value) == "DRAINING"
        until(practice.closed.is_set)
        assert practice.stopped == "no worker starts: the disk is full"


def _workers() -> set[int]:
    """Processes of this one that host episodes."""
    return set(filter(_hosts_episodes, living_children()))


def _hosts_episodes(pid: int) -> bool:
    try:
        return b"env_service.engine.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False
