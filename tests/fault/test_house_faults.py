"""The house fails, or its guests do: what happens to the episode, and to everybody else."""

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
from tests.support.house import OpenHouse, RawAgent, open_house, reason_of, session_limits, skill

VOIDED = agent_pb2.EPISODE_STATUS_VOIDED
TERMINATED = agent_pb2.EPISODE_STATUS_TERMINATED
TRUNCATED = agent_pb2.EPISODE_STATUS_TRUNCATED


HANGS = ("hang", "freeze")


@pytest.fixture(scope="module")
def house() -> Iterator[OpenHouse]:
    with open_house() as opened:
        yield opened


@pytest.fixture(scope="module")
def impatient() -> Iterator[OpenHouse]:
    """A house in which a step may take two seconds."""
    with open_house(replace(ServiceLimits(), environment_step_deadline=2.0)) as opened:
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
        self, house: OpenHouse, impatient: OpenHouse, deed: str, fault: str
    ) -> None:
        house = impatient if deed in HANGS else house
        run = house.open_run(limit=2, fresh=True)
        agent = house.agent(run)
        agent.begin()
        answer = agent.step(skill(deed))
        assert answer.status == VOIDED
        assert not answer.outcomes
        assert not answer.HasField("observation")
        assert agent.repeat(skill(deed), 0) == answer
        assert agent.play_out() == 2
        house.call(run.wait_until_over())
        assert run.state is RunState.SUCCEEDED
        assert [r.task_id for r in run.context.folder.finished()] == ["lab/1", "lab/0"]
        (void,) = run.context.folder.voids()
        assert (void.fault, void.task_id, void.attempt) == (fault, "lab/0", 1)

    def test_the_cause_never_reaches_the_agent(self, house: OpenHouse) -> None:
        run = house.open_run(limit=1, fresh=True)
        agent = house.agent(run)
        agent.begin()
        wire = agent.step(skill("raise")).SerializeToString()
        assert b"Traceback" not in wire
        assert "Traceback" in run.context.folder.voids()[0].detail

    def test_a_task_that_always_fails_ends_unscored(self, house: OpenHouse) -> None:
        run = house.open_run(limit=2, fresh=True)
        agent = house.agent(run)
        tries = 0
        while agent.begin().HasField("episode"):
            doomed = agent.episode.observation.text.startswith("lab/0 ")
            tries += doomed
            agent.step(skill("crash" if doomed else "win"))
        assert tries == 3
        house.call(run.wait_until_over())
        assert run.state is RunState.FAILED
        assert [a.task.id for a in run.schedule.unscored] == ["lab/0"]
        assert run.summary is not None
        assert [u.task_id for u in run.summary.unscored] == ["lab/0"]
        assert run.summary.voids == {"external": 3}

    @pytest.mark.parametrize("fault", ["start_crash", "start_raise", "finish_raise"])
    def test_a_house_that_cannot_begin_or_score_is_no_guests_failure(
        self, house: OpenHouse, fault: str
    ) -> None:
        run = house.open_run(limit=1, condition={"fault": fault}, fresh=True)
        agent = house.agent(run)
        while agent.begin().HasField("episode"):
            assert agent.step(skill("win")).status == VOIDED
        assert run.context.folder.finished() == ()
        assert len(run.context.folder.voids()) == 3
        assert run.state is RunState.FAILED

    def test_a_neighbours_crash_is_charged_to_nobody(self, house: OpenHouse) -> None:
        run = house.open_run(limit=2, sessions=2, workers=1, fresh=True)
        one, other = house.agent(run, 0), house.agent(run, 1)
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
        house.call(run.wait_until_over())
        assert run.state is RunState.SUCCEEDED

    def test_one_runs_crash_leaves_other_runs_alone(self, house: OpenHouse) -> None:
        quiet, loud = house.open_run(limit=1, fresh=True), house.open_run(limit=1, fresh=True)
        calm, wild = house.agent(quiet), house.agent(loud)
        calm.begin()
        wild.begin()
        assert wild.step(skill("crash")).status == VOIDED
        assert calm.step(skill("win")).status == TERMINATED


class TestAgentsThatVanish:
    def finished(self, house: OpenHouse, run: Run) -> str | None:
        until(run.context.folder.finished)
        return run.context.folder.finished()[0].failure

    def test_one_that_dies_is_lost_after_lease_and_grace(self) -> None:
        with open_house(session_limits(lease=1.0, grace=0.3)) as house:
            run = house.open_run(limit=1)
            agent = house.agent(run)
            agent.begin()
            agent.step(skill("noop"))
            agent.close()
            assert self.finished(house, run) == "agent_lost"

    def test_an_open_attach_keeps_the_lease(self) -> None:
        with open_house(session_limits(lease=1.0, grace=0.1)) as house:
            run = house.open_run(limit=1)
            agent = house.agent(run)
            agent.begin()
            time.sleep(2.2)
            assert agent.step(skill("win")).status == TERMINATED

    def test_in_the_grace_period_only_a_resume_helps(self) -> None:
        with open_house(session_limits(lease=1.0, grace=300)) as house:
            run = house.open_run(limit=1)
            agent = house.agent(run)
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
        with open_house(session_limits(step_budget=2.0)) as house:
            run = house.open_run(limit=2)
            agent = house.agent(run)
            agent.begin()
            agent.step(skill("noop"))
            assert self.finished(house, run) == "agent_timeout"
            late = agent.step(skill("noop"))
            assert (late.status, len(late.outcomes)) == (TRUNCATED, 0)
            agent.begin()
            assert agent.step(skill("win")).status == TERMINATED

    def test_one_that_holds_its_seat_for_nothing_loses_it(self) -> None:
        with open_house(session_limits(step_budget=0.3)) as house:
            run = house.open_run(limit=1)
            agent = house.agent(run)
            revoked = [event.revoked.reason for event in agent.events]
            assert revoked == ["SESSION_IDLE"]
            with pytest.raises(grpc.RpcError) as caught:
                agent.begin()
            assert reason_of(caught.value) == "SESSION_IDLE"

    def test_a_slow_world_costs_the_agent_nothing(self) -> None:
        with open_house(session_limits(step_budget=1.0, episode_budget=1.6)) as house:
            run = house.open_run(limit=1)
            agent = house.agent(run)
            agent.begin()
            for _ in range(2):
                agent.step(skill("slow", seconds="1.2"))
            assert agent.step(skill("win")).status == TERMINATED

    def test_a_client_that_connects_and_says_nothing_disturbs_nobody(
        self, house: OpenHouse
    ) -> None:
        silent = []
        for _ in range(20):
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(house.address.removeprefix("unix:"))
            silent.append(connection)
        run = house.open_run(limit=1, fresh=True)
        assert house.agent(run).play_out() == 1
        for connection in silent:
            connection.close()


class TestLeases:
    def test_a_replaced_guest_is_out_and_its_episode_is_lost(self, house: OpenHouse) -> None:
        run = house.open_run(limit=2, fresh=True)
        old = house.agent(run)
        old.begin()
        request = control_pb2.IssueLeaseRequest(run_id=run.run_id, session_number=0)
        token = house.control().IssueLease(request, metadata=house.operator).lease_token
        with pytest.raises(grpc.RpcError) as caught:
            old.step(skill("noop"))
        assert reason_of(caught.value) == "SESSION_REPLACED"
        new = RawAgent(house.address, token)
        new.attach()
        assert new.play_out() == 1
        house.call(run.wait_until_over())
        assert [r.failure for r in run.context.folder.finished()] == ["agent_lost", None]

    def test_more_sessions_than_places_queue_up(self) -> None:
        with open_house(replace(ServiceLimits(), max_sessions=1)) as house:
            one, other = house.open_run(limit=1), house.open_run(limit=1, fresh=True)
            first = house.agent(one)
            second = RawAgent(house.address, house.token(other))
            events = second.stub.Attach(agent_pb2.AttachRequest(), metadata=second.metadata)
            assert next(events).queued.position == 1
            assert first.play_out() == 1
            second.grant = next(events).granted
            assert second.play_out() == 1

    def test_a_flood_is_refused_with_the_time_to_wait(self) -> None:
        limits = replace(ServiceLimits(), calls_per_second=5, burst_seconds=1.0)
        with open_house(limits) as house:
            run = house.open_run(limit=1, condition={"steps": "1000000"})
            agent = house.agent(run)
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
        with open_house(runs=tmp_path / "runs", key=tmp_path / "key.pem") as house:
            run = house.open_run(limit=3)
            agent = house.agent(run)
            agent.begin()
            agent.step(skill("win"))
            agent.begin()
            house.call(run.drain())
            assert run.state is RunState.CANCELLED
            with pytest.raises(grpc.RpcError):
                agent.step(skill("win"))
        with open_house(runs=tmp_path / "runs", key=tmp_path / "key.pem") as house:
            resumed = house.open_run(limit=3)
            assert [r.task_id for r in resumed.context.folder.finished()] == ["lab/0"]
            assert house.agent(resumed).play_out() == 2
            assert len(list(tmp_path.glob("runs/*/episodes.jsonl"))) == 1

    def test_a_waiting_begin_is_told(self, house: OpenHouse) -> None:
        run = house.open_run(limit=1, sessions=2, fresh=True)
        playing, waiting = house.agent(run, 0), house.agent(run, 1)
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
        house.call(run.drain())
        thread.join(60)
        assert errors == ["DRAINING"]
