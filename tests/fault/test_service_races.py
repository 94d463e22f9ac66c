"""Two things at once: closings that overtake each other, losses at the worst moment."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import grpc
import pytest
from houseguest.agent.v1 import agent_pb2

from env_service.domain.episode import FinishReason
from env_service.gateway.limits import ServiceLimits
from env_service.gateway.run_state import RunState
from env_service.results import transcript
from env_service.results.records import EpisodeRecord
from env_service.results.run_folder import RunFolder
from tests.support.command_line import until
from tests.support.service import (
    OpenService,
    RawAgent,
    open_service,
    reason_of,
    session_limits,
    skill,
)

SLOW_START = "tests.support.slow_lab:SlowStartSuite"
SLOW_FINISH = "tests.support.slow_lab:SlowFinishSuite"


def background(work: Callable[[], object]) -> tuple[threading.Thread, list[str]]:
    """Runs a call in a thread; the list gets the reason of its failure, or "fine"."""
    said: list[str] = []

    def run() -> None:
        try:
            work()
            said.append("fine")
        except grpc.RpcError as error:
            said.append(reason_of(error) or str(error.code()))

    thread = threading.Thread(target=run)
    thread.start()
    return thread, said


def test_a_timeout_that_is_being_scored_stays_a_timeout_when_the_guest_is_replaced() -> None:
    with open_service(session_limits(step_budget=1.0)) as service:
        run = service.open_run(SLOW_FINISH, limit=1)
        agent = service.agent(run)
        agent.begin()
        session = run.sessions[0].state
        until(lambda: not session.open_episode_id)
        service.call(service.server.environment.renew_lease(run, 0, FinishReason.AGENT_CRASH))
        service.call(run.wait_until_over())
        assert [record.failure for record in run.context.folder.finished()] == ["agent_timeout"]
        assert run.context.folder.voids() == ()


def test_draining_waits_for_an_episode_that_is_being_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    recording, record = threading.Event(), RunFolder.record

    def slowly(folder: RunFolder, score: EpisodeRecord) -> None:
        recording.set()
        time.sleep(0.5)
        record(folder, score)

    monkeypatch.setattr(RunFolder, "record", slowly)
    with open_service() as service:
        run = service.open_run(limit=2)
        agent = service.agent(run)
        agent.begin()
        thread, said = background(lambda: agent.step(skill("win")))
        assert recording.wait(60)
        service.call(run.drain())
        thread.join(60)
        assert said == ["fine"]
        assert run.counts().done == 1
        assert (run.context.folder.path / "summary.json").exists()


def test_draining_does_not_wait_for_a_step(tmp_path: Path) -> None:
    with open_service(runs=tmp_path) as service:
        run = service.open_run(limit=1)
        agent = service.agent(run)
        agent.begin()
        thread, said = background(lambda: agent.step(skill("slow", seconds="120")))
        time.sleep(0.5)
        started = time.monotonic()
        service.call(run.drain())
        thread.join(60)
        assert time.monotonic() - started < 60
        assert said == ["DRAINING"]
        assert run.context.folder.voids() == ()
        assert run.state is RunState.CANCELLED


def test_draining_with_patience_lets_an_open_episode_end() -> None:
    with open_service() as service:
        run = service.open_run(limit=2)
        agent = service.agent(run)
        agent.begin()
        thread, _ = background(lambda: service.call(run.drain(patience=60)))
        events = [next(agent.events) for _ in range(1)]
        assert events[0].draining.time_left.seconds > 10
        assert agent.step(skill("win")).status == agent_pb2.EPISODE_STATUS_TERMINATED
        thread.join(60)
        assert not thread.is_alive()
        assert (run.counts().done, run.state) == (1, RunState.CANCELLED)


def test_an_evicted_guests_task_goes_to_a_session_that_waits() -> None:
    with open_service() as service:
        run = service.open_run(SLOW_START, limit=1, sessions=2)
        first, second = service.agent(run, 0), service.agent(run, 1)
        begun, said = background(first.begin)
        time.sleep(0.4)
        waiting, heard = background(second.begin)
        time.sleep(0.2)
        service.call(service.server.environment.renew_lease(run, 0, FinishReason.AGENT_LOST))
        begun.join(60)
        waiting.join(60)
        assert (said, heard) == (["SESSION_REPLACED"], ["fine"])
        assert second.episode.episode_id


def test_a_first_grant_that_was_lost_can_be_had_again() -> None:
    with open_service() as service:
        run = service.open_run(limit=1)
        agent = RawAgent(service.address, service.token(run))
        lost = agent.stub.Attach(agent_pb2.AttachRequest(), metadata=agent.metadata)
        until(lambda: run.sessions)
        lost.cancel()
        assert agent.attach().session_epoch == 2
        assert agent.play_out() == 1


def test_after_a_resume_even_a_repeat_comes_with_its_picture() -> None:
    with open_service() as service:
        run = service.open_run(limit=1, condition={"frame": "64", "picture": "still"})
        agent = service.agent(run, features=(agent_pb2.FEATURE_FRAME_REFERENCE,))
        agent.begin()
        answer = agent.step(skill("noop"))
        assert not answer.observation.images[0].data
        agent.attach(resume_token=agent.grant.resume_token)
        assert len(agent.repeat(skill("noop"), 0).observation.images[0].data) == 64 * 64 * 3


def test_a_full_disk_stops_the_run_and_costs_no_task(monkeypatch: pytest.MonkeyPatch) -> None:
    full = threading.Event()
    append = transcript.append_whole

    def write(file: object, data: bytes) -> None:
        if full.is_set():
            raise OSError(errno.ENOSPC, "No space left on device")
        append(file, data)  # type: ignore[arg-type]

    monkeypatch.setattr(transcript, "append_whole", write)
    with open_service() as service:
        run = service.open_run(limit=3)
        agent = service.agent(run)
        agent.begin()
        full.set()
        assert agent.step(skill("noop")).status == agent_pb2.EPISODE_STATUS_VOIDED
        with pytest.raises(grpc.RpcError) as caught:
            agent.begin()
        assert reason_of(caught.value) == "DRAINING"
        service.call(run.wait_until_over())
        assert run.state is RunState.CANCELLED
        assert "No space left" in run.stopped
        assert run.schedule.unscored == ()


def test_a_budget_ends_between_two_looks_at_the_clock() -> None:
    with open_service(session_limits(episode_budget=0.05)) as service:
        run = service.open_run(limit=1, condition={"steps": "1000000"})
        agent = service.agent(run)
        agent.begin()
        status = agent_pb2.EPISODE_STATUS_RUNNING
        while status == agent_pb2.EPISODE_STATUS_RUNNING:
            time.sleep(0.04)
            status = agent.step(skill("noop")).status
        assert status == agent_pb2.EPISODE_STATUS_TRUNCATED
        service.call(run.wait_until_over())
        assert run.context.folder.finished()[0].steps <= 2


def test_a_revoked_seat_costs_the_play_stream_nothing_but_its_request() -> None:
    with open_service(replace(ServiceLimits())) as service:
        run = service.open_run(limit=1, sessions=2)
        playing, waiting = service.agent(run, 0), service.agent(run, 1)
        playing.begin()
        begin = agent_pb2.BeginEpisodeRequest(**waiting.who)
        asked = threading.Event()

        def requests() -> object:
            yield agent_pb2.PlayRequest(request_id=1, begin_episode=begin)
            asked.wait(60)
            yield agent_pb2.PlayRequest(request_id=2, begin_episode=begin)

        answers = waiting.stub.Play(requests(), metadata=waiting.metadata, timeout=60)
        thread, _ = background(lambda: _evict(service, run.run_id))
        first = next(answers)
        asked.set()
        second = next(answers)
        thread.join(60)
        assert [a.error.reason for a in (first, second)] == ["SESSION_REPLACED"] * 2


def _evict(service: OpenService, run_id: str) -> None:
    time.sleep(0.4)
    run = service.server.environment.run(run_id)
    service.call(service.server.environment.renew_lease(run, 1, FinishReason.AGENT_LOST))
