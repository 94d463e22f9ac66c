"""The service fails, or its guests do: what happens to the episode, and to everybody else."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2
from houseguest.control.v1 import control_pb2

from env_service.gateway.limits import ServiceLimits
from env_service.gateway.run import Run
from env_service.gateway.run_state import RunState
from tests.support.service import (
    OpenService,
    RawAgent,
    open_service,
    reason_of,
    session_limits,
    skill,
)

VOIDED = agent_pb2.EPISODE_STATUS_VOIDED
TERMINATED = agent_pb2.EPISODE_STATUS_TERMINATED
TRUNCATED = agent_pb2.EPISODE_STATUS_TRUNCATED


HANGS = ("hang", "freeze")


@pytest.fixture(scope="module")
def service() -> Iterator[OpenService]:
    with open_service() as opened:
        yield opened


@pytest.fixture(scope="module")
def impatient() -> Iterator[OpenService]:
    """A service in which a step may take two seconds."""
    with open_service(replace(ServiceLimits(), environment_step_deadline=2.0)) as opened:
        yield opened


def until(condition: object, seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


class TestVoids:
    @pytest.mark.parametrize(
        ("deed", "fault"),
        [
            ("crash", "simulator_crash"),
            ("exit", "simulator_crash"),
            ("hang", "simulator_hang"),
            ("freeze", "simulator_hang"),
            ("raise", "service_fault"),
        ],
    )
    def test_a_fault_voids_the_episode_and_its_task_comes_back(
        self, service: OpenService, impatient: OpenService, deed: str, fault: str
    ) -> None:
        service = impatient if deed in HANGS else service
        run = service.open_run(limit=2, fresh=True)
        agent = service.agent(run)
        agent.begin()
        answer = agent.step(skill(deed))
        assert answer.status == VOIDED
        assert not answer.outcomes
        assert not answer.HasField("observation")
        assert agent.repeat(skill(deed), 0) == answer
        assert agent.play_out() == 2
        service.call(run.wait_until_over())
        assert run.state is RunState.SUCCEEDED
        assert [r.task_id for r in run.context.folder.finished()] == ["lab/1", "lab/0"]
        (void,) = run.context.folder.voids()
        assert (void.fault, void.task_id, void.attempt) == (fault, "lab/0", 1)

    def test_the_cause_never_reaches_the_agent(self, service: OpenService) -> None:
        run = service.open_run(limit=1, fresh=True)
        agent = service.agent(run)
        agent.begin()
        wire = agent.step(skill("raise")).SerializeToString()
        assert b"Traceback" not in wire
        assert "Traceback" in run.context.folder.voids()[0].detail

    def test_a_task_that_always_fails_ends_unscored(self, service: OpenService) -> None:
        run = service.open_run(limit=2, fresh=True)
        agent = service.agent(run)
        tries = 0
        while agent.begin().HasField("episode"):
            doomed = agent.episode.observation.text.startswith("lab/0 ")
            tries += doomed
            agent.step(skill("crash" if doomed else "win"))
        assert tries == 3
        service.call(run.wait_until_over())
        assert run.state is RunState.FAILED
        assert [a.task.id for a in run.schedule.unscored] == ["lab/0"]
        assert run.summary is not None
        assert [u.task_id for u in run.summary.unscored] == ["lab/0"]
        assert run.summary.voids == {"external": 3}

    @pytest.mark.parametrize("fault", ["start_crash", "start_raise", "finish_raise"])
    def test_a_service_that_cannot_begin_or_score_is_no_guests_failure(
        self, service: OpenService, fault: str
    ) -> None:
        run = service.open_run(limit=1, condition={"fault": fault}, fresh=True)
        agent = service.agent(run)
        while agent.begin().HasField("episode"):
            assert agent.step(skill("win")).status == VOIDED
        assert run.context.folder.finished() == ()
        assert len(run.context.folder.voids()) == 3
        assert run.state is RunState.FAILED

    def test_a_neighbours_crash_is_charged_to_nobody(self, service: OpenService) -> None:
        run = service.open_run(limit=2, sessions=2, workers=1, fresh=True)
        one, other = service.agent(run, 0), service.agent(run, 1)
        one.begin()
        other.begin()
        assert one.step(skill("crash")).status == VOIDED
        assert other.step(skill("noop")).status == VOIDED
        own, collateral = sorted(run.context.folder.voids(), key=lambda void: void.collateral)
        assert (own.collateral, collateral.collateral) == (False, True)
        assert run.schedule.voids == 1
        one.begin()
        one.step(skill("win"))
        other.begin()
        other.step(skill("win"))
        service.call(run.wait_until_over())
        assert run.state is RunState.SUCCEEDED

    def test_one_runs_crash_leaves_other_runs_alone(self, service: OpenService) -> None:
        quiet, loud = service.open_run(limit=1, fresh=True), service.open_run(limit=1, fresh=True)
        calm, wild = service.agent(quiet), service.agent(loud)
        calm.begin()
        wild.begin()
        assert wild.step(skill("crash")).status == VOIDED
        assert calm.step(skill("win")).status == TERMINATED


class TestAgentsThatVanish:
    def finished(self, service: OpenService, run: Run) -> str | None:
        until(run.context.folder.finished)
        return run.context.folder.finished()[0].failure

    def test_one_that_dies_is_lost_after_lease_and_grace(self) -> None:
        with open_service(session_limits(lease=1.0, grace=0.3)) as service:
            run = service.open_run(limit=1)
            agent = service.agent(run)
            agent.begin()
            agent.step(skill("noop"))
            agent.close()
            assert self.finished(service, run) == "agent_lost"

    def test_an_open_attach_keeps_the_lease(self) -> None:
        with open_service(session_limits(lease=1.0, grace=0.1)) as service:
            run = service.open_run(limit=1)
            agent = service.agent(run)
            agent.begin()
            time.sleep(2.2)
            assert agent.step(skill("win")).status == TERMINATED

    def test_in_the_grace_period_only_a_resume_helps(self) -> None:
        with open_service(session_limits(lease=1.0, grace=300)) as service:
            run = service.open_run(limit=1)
            agent = service.agent(run)
            agent.begin()
            agent.events.cancel()
            session = run.sessions[0].state
            until(lambda: session.lease_seconds_left(time.monotonic()) < 0)
            with pytest.raises(grpc.RpcError) as caught:
                agent.step(skill("noop"))
            assert reason_of(caught.value) == "LEASE_EXPIRED"
            agent.attach(resume_token=agent.grant.resume_token)
            assert agent.step(skill("win")).status == TERMINATED

    def test_one_that_thinks_too_long_is_timed_out_and_goes_on_with_the_next(self) -> None:
        with open_service(session_limits(step_budget=2.0)) as service:
            run = service.open_run(limit=2)
            agent = service.agent(run)
            agent.begin()
            agent.step(skill("noop"))
            assert self.finished(service, run) == "agent_timeout"
            late = agent.step(skill("noop"))
            assert (late.status, len(late.outcomes)) == (TRUNCATED, 0)
            agent.begin()
            assert agent.step(skill("win")).status == TERMINATED

    def test_one_that_holds_its_seat_for_nothing_loses_it(self) -> None:
        with open_service(session_limits(step_budget=0.3)) as service:
            run = service.open_run(limit=1)
            agent = service.agent(run)
            revoked = [event.revoked.reason for event in agent.events]
            assert revoked == ["SESSION_IDLE"]
            with pytest.raises(grpc.RpcError) as caught:
                agent.begin()
            assert reason_of(caught.value) == "SESSION_IDLE"

    def test_a_slow_world_costs_the_agent_nothing(self) -> None:
        with open_service(session_limits(step_budget=1.0, episode_budget=1.6)) as service:
            run = service.open_run(limit=1)
            agent = service.agent(run)
            agent.begin()
            for _ in range(2):
                agent.step(skill("slow", seconds="1.2"))
            assert agent.step(skill("win")).status == TERMINATED

    def test_a_client_that_connects_and_says_nothing_disturbs_nobody(
        self, service: OpenService
    ) -> None:
        silent = []
        for _ in range(20):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(service.address.removeprefix("unix:"))
            silent.append(connection)
        run = service.open_run(limit=1, fresh=True)
        assert service.agent(run).play_out() == 1
        for connection in silent:
            connection.close()


class TestLeases:
    def test_a_replaced_guest_is_out_and_its_episode_is_lost(self, service: OpenService) -> None:
        run = service.open_run(limit=2, fresh=True)
        old = service.agent(run)
        old.begin()
        request = control_pb2.IssueLeaseRequest(run_id=run.run_id, session_number=0)
        token = service.control().IssueLease(request, metadata=service.operator).lease_token
        with pytest.raises(grpc.RpcError) as caught:
            old.step(skill("noop"))
        assert reason_of(caught.value) == "SESSION_REPLACED"
        new = RawAgent(service.address, token)
        new.attach()
        assert new.play_out() == 1
        service.call(run.wait_until_over())
        assert [r.failure for r in run.context.folder.finished()] == ["agent_lost", None]

    def test_more_sessions_than_places_queue_up(self) -> None:
        with open_service(replace(ServiceLimits(), max_sessions=1)) as service:
            one, other = service.open_run(limit=1), service.open_run(limit=1, fresh=True)
            first = service.agent(one)
            second = RawAgent(service.address, service.token(other))
            events = second.stub.Attach(agent_pb2.AttachRequest(), metadata=second.metadata)
            assert next(events).queued.position == 1
            assert first.play_out() == 1
            second.grant = next(events).granted
            assert second.play_out() == 1

    def test_a_flood_is_refused_with_the_time_to_wait(self) -> None:
        limits = replace(ServiceLimits(), calls_per_second=5, burst_seconds=1.0)
        with open_service(limits) as service:
            run = service.open_run(limit=1, condition={"steps": "1000000"})
            agent = service.agent(run)
            agent.begin()
            with pytest.raises(grpc.RpcError) as caught:
                for _ in range(50):
                    agent.step(skill("noop"))
            assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert reason_of(caught.value) == "RATE_LIMITED"
            time.sleep(0.5)
            assert agent.step(skill("win")).status == TERMINATED


class TestDraining:
    def test_draining_abandons_open_episodes_and_the_same_request_resumes(
        self, tmp_path: Path
    ) -> None:
        with open_service(runs=tmp_path / "runs", key=tmp_path / "key.pem") as service:
            run = service.open_run(limit=3)
            agent = service.agent(run)
            agent.begin()
            agent.step(skill("win"))
            agent.begin()
            service.call(run.drain())
            assert run.state is RunState.CANCELLED
            with pytest.raises(grpc.RpcError):
                agent.step(skill("win"))
        with open_service(runs=tmp_path / "runs", key=tmp_path / "key.pem") as service:
            resumed = service.open_run(limit=3)
            assert [r.task_id for r in resumed.context.folder.finished()] == ["lab/0"]
            assert service.agent(resumed).play_out() == 2
            assert len(list(tmp_path.glob("runs/*/episodes.jsonl"))) == 1

    def test_a_waiting_begin_is_told(self, service: OpenService) -> None:
        run = service.open_run(limit=1, sessions=2, fresh=True)
        playing, waiting = service.agent(run, 0), service.agent(run, 1)
        playing.begin()
        errors: list[str] = []

        def wait() -> None:
            try:
                waiting.begin()
            except grpc.RpcError as error:
                errors.append(reason_of(error))

        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.3)
        service.call(run.drain())
        thread.join(60)
        assert errors == ["DRAINING"]
